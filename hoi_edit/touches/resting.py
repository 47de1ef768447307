"""Things that rest, slide and roll on a part or a fixture: sustained contact on the scene's moving surfaces."""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.packing import Columns
from hoi_edit.touches.records import FRAME, frame_motion, state_of, state_row
from rigid.contact_ends import End, first_end, next_contact, ride_along, ride_at
from rigid.contact_ends import Span as Contacting
from rigid.distance import RoundedBox
from rigid.rolling import (
    SLOWEST_SLIP,
    Contact,
    Riding,
    RoundBody,
    SurfaceMotion,
    gap_and_normal,
    in_world,
    riding,
    slip_of,
    touching,
    touching_feature,
)
from rigid.settling import decide, settle, settles, speed_and_pull

COUNT = 64  # steps of a chunk
STEP = 1.0 / 120.0  # [s] on surfaces that move or are curved; on still flat ones one chunk lasts to the end, exactly

Surface = Callable[[Array, Any], SurfaceMotion]
SETTLE = Columns(frame=FRAME.width, after=18, place=3, turned=9, core=3, radius=0, ball_radius=0, moment=0,
                 restitution=0, friction=0)  # fmt: skip


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


def on_body(times: Array, u: Any) -> SurfaceMotion:
    """A surface of a character; u: skeleton, motion, parameters, segment, place, rotation."""
    skeleton, motion, parameters, segment, place, turned = u
    return jax.vmap(lambda t: surface_at(frame_motion(skeleton, motion, parameters, segment, t), place, turned))(times)


def on_fixture(times: Array, u: Any) -> SurfaceMotion:
    """A surface that stands still; u: position, rotation."""
    still = jnp.zeros((len(times), 3))
    place = jnp.broadcast_to(u[0], still.shape), jnp.broadcast_to(u[1], (len(times), 3, 3))
    return SurfaceMotion(*place, still, still, still, still)


def contact_of(item: Any, gravity: Array, position: Array) -> Contact:
    shape = RoundedBox(item.core, item.radius)
    return Contact(
        RoundBody(item.ball_radius, item.moment), shape, touching_feature(shape, position), jnp.asarray(False),
        item.friction, gravity,
    )  # fmt: skip


@jax.jit
def begin_contact(gravity: Array, row: Array) -> tuple[Array, Array, Contact, Riding, Any]:
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
def stay_on(contact: Contact, row: Array) -> tuple[Contact, Riding]:
    """The same contact after a push that leaves the ball on its surface: it slides if the push made it slip."""
    item = SETTLE.unpack(row)
    ride = riding(state_of(item.after), surface_at(item.frame, item.place, item.turned.reshape(3, 3)))
    _, normal = gap_and_normal(contact, ride.position)
    slip = slip_of(contact, ride, normal)
    slip = slip - normal * jnp.dot(normal, slip)
    after = replace(contact, rolls=jnp.sum(slip**2) <= SLOWEST_SLIP**2)
    return after, touching(after, ride)


@partial(jax.jit, static_argnums=0)
def end_of(surface: Surface, u: Any, span: Contacting) -> tuple[End, Riding, Contact, Array, Array]:
    """How a chunk of contact ends: the end, the ride there, what contact follows, and the way to it: times (COUNT + 2,)
    and packed states, the last of which is at the end."""
    end = first_end(surface, u, span, COUNT)
    times, motion, rides = ride_along(surface, u, span, end.steps, end.time, COUNT)
    ride, there = jax.tree.map(lambda leaf: leaf[-1], (rides, motion))
    states = jax.vmap(lambda r, m: state_row(in_world(r, m)))(rides, motion)
    return end, ride, next_contact(span.contact, there, ride, end.kind), times, states


@partial(jax.jit, static_argnums=0)
def state_on(surface: Surface, u: Any, span: Contacting, t: Array) -> Array:
    """The packed state of a thing in contact at time t."""
    steps = jnp.clip(jnp.floor((t - span.begin) / span.step), 0, COUNT)
    ride = ride_at(surface, u, span, steps, t, COUNT)
    return state_row(in_world(ride, jax.tree.map(lambda leaf: leaf[0], surface(t[None], u))))


@partial(jax.jit, static_argnums=0)
def state_and_rates(surface: Surface, u: Any, span: Contacting, t: Array) -> tuple[Array, Array]:
    """The same, and the acceleration and the angular acceleration then (6,)."""
    steps = jnp.clip(jnp.floor((t - span.begin) / span.step), 0, COUNT)

    def at(time: Array) -> Array:
        ride = ride_at(surface, u, span, steps, time, COUNT)
        return state_row(in_world(ride, jax.tree.map(lambda leaf: leaf[0], surface(time[None], u))))

    state, rate = jax.jvp(at, (t,), (jnp.ones_like(t),))
    return state, rate[12:]


def step_for(still: bool, contact: Contact, rest: float) -> float:
    """On a flat face that stands still the integrator is exact whatever its step."""
    flat = int(np.count_nonzero(np.asarray(contact.feature))) == 1 and float(np.asarray(contact.shape.radius)) == 0.0
    return max(rest, 1e-6) / COUNT if still and flat else STEP
