"""Things that rest, slide and roll on a part or a fixture: sustained contact on the scene's moving surfaces.

What is searched takes the motion of these as numbers, so that it is compiled once and for all: for bodies and fixtures,
for clips of any length. So does what is differentiated (`rolling_adjoint`).
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.columns import Columns
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.packed_layouts import FRAME, STATE, state_of, state_row
from hoi_edit.simulate.trajectory import Span
from kinematics.rotation import Floats
from rigid.distance import RoundedBox
from rigid.rolling_ends import Chunk, ContactSpan, End, edges_of, first_end, later, margins, next_contact, rolled
from rigid.settling import decide, settle, settles, speed_and_pull
from rigid.sustained_contact import (
    SLOWEST_SLIP,
    Riding,
    RoundBody,
    SurfaceMotion,
    SustainedContact,
    gap_and_normal,
    in_world,
    riding,
    slip_of,
    stage_times,
    touching,
    touching_feature,
)

COUNT = 64  # steps of a chunk
STEP = 1.0 / 120.0  # [s] on surfaces that move or are curved; on still flat ones one chunk lasts to the end, exactly

SETTLE = Columns(frame=FRAME.width, after=18, place=3, turned=9, core=3, radius=0, ball_radius=0, moment=0,
                 restitution=0, friction=0)  # fmt: skip
SHORT = 1e-5  # [s] over which accelerations of frames are compared; what that leaves of them counts for part of a STEP

Frames = Callable[[Floats], Floats]  # times (N,) -> (N, 24) packed motions of the frame that a surface is fixed to


def surface_at(frame: Array, place: Array, turned: Array) -> SurfaceMotion:
    """The motion of a surface's own frame, from that of the frame it is fixed to."""
    f = FRAME.unpack(frame)
    R = f.rotation.reshape(3, 3)
    arm = R @ place
    turning = jnp.cross(f.spin, arm)
    return SurfaceMotion(
        f.position + arm,
        R @ turned,
        f.velocity + turning,
        f.spin,
        f.accel + jnp.cross(f.spin_accel, arm) + jnp.cross(f.spin, turning),
        f.spin_accel,
    )


def _frame_rate(frame: Array, jerk: Array) -> Array:
    """The rate of a frame's packed motion, by that of its accelerations (6,)."""
    f = FRAME.unpack(frame)
    turning = jnp.cross(f.spin[:, None], f.rotation.reshape(3, 3), axis=0)
    return jnp.concatenate([f.velocity, turning.ravel(), f.accel, f.spin_accel, jerk])


def contact_of(item: Any, gravity: Array, position: Array) -> SustainedContact:
    shape = RoundedBox(item.core, item.radius)
    return SustainedContact(
        RoundBody(item.ball_radius, item.moment), shape, touching_feature(shape, position), jnp.asarray(False),
        item.friction, gravity,
    )  # fmt: skip


@jax.jit
def begin_contact(gravity: Array, row: Array) -> tuple[Array, Array, SustainedContact, Riding, Any]:
    """Whether the bounces after a touch are summed up; how long they take, and the contact and ride after them."""
    item = SETTLE.unpack(row)
    surface = surface_at(item.frame, item.place, item.turned.reshape(3, 3))
    ride = riding(state_of(item.after), surface)
    contact = contact_of(item, gravity, ride.position)
    speed, pull = speed_and_pull(contact, surface, ride)
    settling = decide(contact, surface, ride, item.restitution)
    lasted, after = settle(contact, surface, ride, item.restitution, settling)
    return settles(speed, pull, item.restitution), lasted, replace(contact, rolls=settling.rolls), after, settling


@jax.jit
def stay_on(contact: SustainedContact, row: Array) -> tuple[SustainedContact, Riding]:
    """The same contact after a push that leaves the ball on its surface: it slides if the push made it slip."""
    item = SETTLE.unpack(row)
    ride = riding(state_of(item.after), surface_at(item.frame, item.place, item.turned.reshape(3, 3)))
    _, normal = gap_and_normal(contact, ride.position)
    slip = slip_of(contact, ride, normal)
    slip = slip - normal * jnp.dot(normal, slip)
    after = replace(contact, rolls=jnp.sum(slip**2) <= SLOWEST_SLIP**2)
    return after, touching(after, ride)


@partial(jax.tree_util.register_dataclass, data_fields=["place", "turned", "chunk"], meta_fields=[])
@dataclass(frozen=True)
class Ridden:
    """A chunk of contact on a surface of a frame: any state of it is a step away. It stays where JAX has it."""

    place: Array
    turned: Array
    chunk: Chunk


@jax.jit
def _roll(span: ContactSpan, place: Array, turned: Array, frames: Array) -> tuple[Ridden, Array, Array]:
    samples = _surfaces(frames, place, turned)
    chunk, at_edges = rolled(span, samples)
    there = jax.tree.map(lambda leaf: leaf[::4], samples)
    states = jax.vmap(lambda ride, surface: state_row(in_world(ride, surface)))(chunk.rides, there)
    return Ridden(place, turned, chunk), at_edges, states


@jax.jit
def _state(ridden: Ridden, edge: Array, duration: Array, frames: Array) -> Array:
    surface, ride, _ = later(ridden.chunk, edge, duration, _surfaces(frames, ridden.place, ridden.turned))
    return state_row(in_world(ride, surface))


@jax.jit
def _state_and_rates(ridden: Ridden, edge: Array, duration: Array, frames: Array, jerks: Array) -> Array:
    """(24,) The rates are those of the step that leads there: what forces would say is the same to fourth order, but
    not where a slide ends, at which they turn around and the step goes on as it did."""
    share = jnp.arange(5.0) / 4.0  # of a small delay, by which each look at the surface is later
    delayed = share[:, None] * jax.vmap(_frame_rate)(frames, jerks)
    at = partial(_state, ridden, edge)
    state, rate = jax.jvp(at, (jnp.asarray(duration, float), frames), (jnp.asarray(1.0), delayed))
    return jnp.concatenate([state, rate[STATE.first("velocity") :]])


@jax.jit
def _margins(ridden: Ridden, edge: Array, duration: Array, frames: Array) -> Array:
    surface, ride, heading = later(ridden.chunk, edge, duration, _surfaces(frames, ridden.place, ridden.turned))
    return margins(ridden.chunk.contact, surface, ride, heading)


@jax.jit
def _end(
    ridden: Ridden, edge: Array, duration: Array, frames: Array, kind: Array
) -> tuple[Riding, SustainedContact, Array]:
    surface, ride, _ = later(ridden.chunk, edge, duration, _surfaces(frames, ridden.place, ridden.turned))
    return ride, next_contact(ridden.chunk.contact, surface, ride, kind), state_row(in_world(ride, surface))


def _surfaces(frames: Array, place: Array, turned: Array) -> SurfaceMotion:
    return jax.vmap(lambda frame: surface_at(frame, place, turned))(frames)


def end_of(
    frames: Frames, place: Floats, turned: Floats, span: ContactSpan
) -> tuple[Ridden, End, Riding, SustainedContact, Floats, Floats]:
    """A chunk of contact, how it ends, the ride there, what contact follows, and the way to it: times (N,) and packed
    states, the last of which is at the end."""
    edges = edges_of(span, COUNT)
    ridden, at_edges, states = _roll(span, place, turned, frames(stage_times(edges)))

    def look(edge: int, t: float) -> Floats:
        duration, times = _to(span, edge, t)
        return np.asarray(_margins(ridden, edge, duration, frames(times)))

    end = first_end(np.asarray(at_edges), span, look)
    steps, time = int(end.steps), float(end.time)
    duration, times = _to(span, steps, time)
    ride, contact, last = jax.device_get(_end(ridden, steps, duration, frames(times), end.kind))
    way = np.append(edges[: steps + 1], time)
    return ridden, end, ride, contact, way, np.concatenate([np.asarray(states)[: steps + 1], last[None]])


def state_on(frames: Frames, span: ContactSpan, ridden: Ridden, t: float) -> Floats:
    """The packed state of a thing in contact at time t."""
    edge = _edge_before(span, t)
    duration, times = _to(span, edge, t)
    return np.array(_state(ridden, edge, duration, frames(times)))  # one that may be written to


def state_and_rates(frames: Frames, span: ContactSpan, ridden: Ridden, t: float) -> tuple[Floats, Floats]:
    """The same, and the acceleration and the angular acceleration then (6,)."""
    edge = _edge_before(span, t)
    duration, times = _to(span, edge, t)
    now, soon, then = np.split(frames(np.concatenate([times, times + SHORT, times + 2.0 * SHORT])), 3)
    # from here on, as on a knot of a spline accelerations have a kink
    jerks = ((4.0 * soon - 3.0 * now - then) / (2.0 * SHORT))[:, FRAME.first("accel") :]
    both = np.array(_state_and_rates(ridden, edge, duration, now, jerks))
    return both[: STATE.width], both[STATE.width :]


def _edge_before(span: ContactSpan, t: float) -> int:
    return int(np.clip(np.floor((t - np.asarray(span.begin)) / np.asarray(span.step)), 0, COUNT))


def _to(span: ContactSpan, edge: int, t: float) -> tuple[float, Floats]:
    """How long after an edge a time is, and when the step that leads there looks at the surface."""
    begin = float(np.asarray(span.begin) + edge * np.asarray(span.step))
    return float(t - begin), stage_times(np.array([begin, t]))  # a number of numpy would be compiled for anew


def step_for(still: bool, contact: SustainedContact, rest: float) -> float:
    """On a flat face that stands still the integrator is exact whatever its step."""
    flat = int(np.count_nonzero(np.asarray(contact.feature))) == 1 and float(np.asarray(contact.shape.radius)) == 0.0
    return max(rest, 1e-6) / COUNT if still and flat else STEP


def frames_under(context: Context, span: Span) -> Frames:
    """How the frame that carries a thing in contact moves, as the search wants it: numbers at many times."""
    return lambda times: context.frames(np.full(len(times), span.frame), times)
