"""Covectors carried back through rest and rolling.

A stretch of contact is named by when it begins and by its ride, the ball as seen from the surface: thirteen numbers. It
depends on the surface's motion all the way: on that of the frame that carries it at each time at which a step looks.
These motions are numbers here, as the search takes them, and each gets a covector (18,) on place, turn, velocity, spin,
acceleration and angular acceleration. Where such a time varies the motion goes on at its rates, which are numbers too.
So one program serves fixtures and all bodies and clips; `motions.motion_back` takes what is left on frames to the
parameters of a character.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.columns import CHUNK, Columns, in_chunks
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.dynamics.rolling_motion import COUNT, contact_of, surface_at
from hoi_edit.simulate.packed_layouts import FRAME, STATE, TOUCH, bounce, state_of, state_row
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.variations import PLACE, TURN, VELOCITY, retract, turn_between, variation
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, rotation_exp
from rigid.distance import RoundedBox, gap_and_normal
from rigid.free_flight import SPHERE, State, fly
from rigid.rolling_ends import GIVEN, NONE, End, margins
from rigid.settling import Settling, settle
from rigid.sustained_contact import (
    Riding,
    SurfaceMotion,
    SustainedContact,
    heading_of,
    in_world,
    riding,
    stage_times,
    step,
)
from rigid.time_of_impact import event_time, time_by

RIDE = 13
STATE_SIZE = 12  # place, turn, velocity, spin
SAMPLE_VARIATION = 18  # those, acceleration and angular acceleration
LOOKS = 5  # at the surface, in a step: at its begin, between, and at its end
# columns and rows of the Jacobian of a step
OF_RIDE, OF_LOOKS, OF_LENGTH = slice(0, 12), slice(12, 12 + LOOKS * SAMPLE_VARIATION), 12 + LOOKS * SAMPLE_VARIATION
MARGIN, RIDE_AFTER, RIDING = 0, slice(1, 13), 12
REACHED = Columns(time=0, ride=12, state=STATE_SIZE)  # what a stretch leads to: covectors on it


@dataclass(frozen=True, eq=False)
class Base:
    """What a thing in contact lies on: a surface, and how the frame moves that it is fixed to."""

    look: Callable[[Floats], tuple[Floats, Floats]]  # times (N,) -> (N, 24) motions, (N, 6) rates of accelerations
    place: Floats  # (3,) in the frame
    turned: Floats  # (3, 3)

    def samples(self, times: Floats) -> "Samples":
        return Samples(times, *self.look(times), self.place, self.turned)


@partial(jax.tree_util.register_dataclass, data_fields=["times", "motions", "jerks", "place", "turned"], meta_fields=[])
@dataclass(frozen=True, eq=False)
class Samples:
    """A base at the times (N,) at which it is looked at."""

    times: Any
    motions: Any  # (N, 24)
    jerks: Any  # (N, 6)
    place: Any
    turned: Any


class Back(NamedTuple):
    """Covectors that have been carried back."""

    on_start: Floats  # (R, 13 or 12) on the beginning of a contact, or on the state before a touch
    times: Floats  # (N,)
    on_frames: Floats  # (R, N, 18) on the frame's motion at these times


# -- along a contact ---------------------------------------------------------------------------------------------------


def on_back(base: Base, span: Span, on: Floats) -> Back:
    """From (begin, ride) of a contact to that of the contact before it."""
    return _along(base, span, span.ending, False, on[:, 0], on[:, 1:], np.zeros((len(on), STATE_SIZE)))


def leave_back(base: Base, span: Span, airy: bool, on: Floats) -> Back:
    """From a flight to the contact that it left; a flight through air is named by its state and when it starts."""
    time = on[:, STATE_SIZE] if airy else np.zeros(len(on))
    return _along(base, span, span.ending, not airy, time, np.zeros((len(on), 12)), on[:, :STATE_SIZE])


def riding_back(base: Base, span: Span, time: float, on: Floats) -> Back:
    """From the state of a thing in contact at a time to the beginning of that contact."""
    steps = np.clip(np.floor((time - np.asarray(span.contacting.begin)) / np.asarray(span.contacting.step)), 0, COUNT)
    end = End(np.int64(GIVEN), np.float64(time), np.int64(steps), np.bool_(False))
    return _along(base, span, end, False, np.zeros(len(on)), np.zeros((len(on), 12)), on)


def _along(base: Base, span: Span, end: End, flies: bool, time: Floats, ride: Floats, state: Floats) -> Back:
    """Of covectors on the end of a contact (R,), the ride then (R, 12) and the state then (R, 12); of one that flies
    from there on, the state is the flight's at the nominal time. Back from step to step, each of which has a Jacobian:
    that of a chunk in one piece would take three times as long to compile."""
    steps, begin = int(end.steps), float(np.asarray(span.contacting.begin))
    edges = np.asarray(begin + np.arange(steps + 1) * float(np.asarray(span.contacting.step)), float)
    times = np.concatenate([stage_times(edges)[:-1], stage_times(np.asarray([edges[-1], end.time], float))])
    samples = base.samples(times)
    rates = np.concatenate([samples.motions[:, FRAME.first("velocity") :], samples.jerks], axis=1)
    jacobians, last = _along_steps(samples, span, end)
    s = STATE.unpack(last)
    flown = flies * np.concatenate([s.velocity, s.spin, np.asarray(span.contacting.contact.gravity), np.zeros(3)])
    on_begin, on_ride, on_last = _last_step_back(
        jacobians[steps + 1], rates[-LOOKS:], end, flown, time, np.hstack([ride, state])
    )
    on_frames = np.zeros((len(on_ride), len(times), SAMPLE_VARIATION))
    on_frames[:, -LOOKS:] = on_last.reshape(-1, LOOKS, SAMPLE_VARIATION)
    for k in reversed(range(steps)):
        back = on_ride @ jacobians[k + 1, RIDE_AFTER]
        on_frames[:, 4 * k : 4 * k + 4] += back[:, OF_LOOKS].reshape(-1, LOOKS, SAMPLE_VARIATION)[:, :-1]
        on_ride = back[:, OF_RIDE]
    on_begin += np.einsum("rns,ns->r", on_frames[:, :-LOOKS], rates[:-LOOKS])  # all of these looks are later with it
    on_ride = on_ride @ jacobians[0, RIDE_AFTER, OF_RIDE]
    return Back(np.column_stack([on_begin, on_ride]), times, on_frames)


def _last_step_back(
    J: Floats, rates: Floats, end: End, flown: Floats, on_time: Floats, on: Floats
) -> tuple[Floats, Floats, Floats]:
    """Covectors on the begin of a contact, so far (R,), on the ride before the step to its end (R, 12), and on the
    looks of that step (R, 5 · 18), of those on the end (R,), and on the ride and the state then (R, 24)."""
    passing = np.einsum("jks,ks->jk", J[:, OF_LOOKS].reshape(-1, LOOKS, SAMPLE_VARIATION), rates)
    share = np.arange(LOOKS) / (LOOKS - 1)  # of the step: by that a look is later when the end is, or less the begin
    by_end, by_begin = passing @ share + J[:, OF_LENGTH], passing @ (1.0 - share) - J[:, OF_LENGTH]
    on_end = on_time + on @ by_end[1:] - on[:, RIDING:] @ flown
    on_margin = np.zeros(len(on))
    if end.kind > NONE and not end.at_once:  # a margin crosses zero then
        on_margin = on_end * time_by(np.ones(1), by_end[MARGIN : RIDE_AFTER.start])
        on_end = 0.0 * on_end
    rows = np.column_stack([on_margin, on])
    on_begin = rows @ by_begin
    if end.kind != GIVEN:
        on_begin += on_end  # nothing ends: it is an edge
    return on_begin, rows @ J[:, OF_RIDE], rows @ J[:, OF_LOOKS]


def _along_steps(samples: "Samples", span: Span, end: End) -> tuple[Floats, Floats]:
    """Jacobians (COUNT + 2, 25, 103) of all steps, and the state at the end. Before the first it is put onto the
    surface, which is a step of no length; what is beyond the end is that once more."""
    steps, contacting = int(end.steps), span.contacting
    which = np.zeros(COUNT + 2, int)
    which[1 : steps + 2] = np.arange(steps + 1)
    looks = np.minimum(4 * which[:, None] + np.arange(LOOKS), len(samples.times) - 1)
    durations = np.zeros(COUNT + 2)
    durations[1 : steps + 1] = contacting.step
    durations[steps + 1] = end.time - samples.times[-LOOKS]
    rides = jax.tree.map(lambda edges: np.asarray(edges)[which], span.ridden.chunk.rides)
    for leaf, first in zip(jax.tree.leaves(rides), jax.tree.leaves(contacting.start), strict=True):
        leaf[0] = first
    kernel = _step_jacobians(
        contacting.contact, rides, samples.motions[looks], samples.place, samples.turned, durations,
        np.int64(max(int(end.kind), 0)),
    )  # fmt: skip
    jacobians, states = jax.device_get(kernel)
    return jacobians, states[steps + 1]


@jax.jit
def _step_jacobians(
    contact: SustainedContact, rides: Riding, frames: Array, place: Array, turned: Array, durations: Array, kind: Array
) -> tuple[Array, Array]:
    """(B, 25, 103) a margin, the ride after a step and the state then, by the ride before, the five looks at the
    frame's motion and the step's length; and that state (B, 18)."""

    def one(ride: Riding, looks: Array, duration: Array) -> tuple[Array, Array]:
        def stepped(z: Array) -> tuple[Array, Riding, State]:
            before = _varied_ride(ride, z[OF_RIDE])
            varied = jax.vmap(_varied)(looks, z[OF_LOOKS].reshape(LOOKS, SAMPLE_VARIATION))
            surfaces = jax.vmap(lambda frame: surface_at(frame, place, turned))(varied)
            first, last = (jax.tree.map(lambda leaf, k=k: leaf[k], surfaces) for k in (0, -1))
            quarters = jax.tree.map(lambda leaf: leaf[:-1], surfaces)
            heading = heading_of(contact, first, before)
            after = step(contact, quarters, before, duration + z[OF_LENGTH], heading)
            return margins(contact, last, after, heading)[kind], after, in_world(after, last)

        nominal, back = jax.vjp(stepped, jnp.zeros(OF_LENGTH + 1))

        def difference(reached: tuple[Array, Riding, State]) -> Array:
            margin = (reached[0] - nominal[0])[None]
            return jnp.concatenate([margin, ride_variation(reached[1], nominal[1]), variation(reached[2], nominal[2])])

        _, from_difference = jax.vjp(difference, nominal)  # what it is at is not evaluated again
        rows = jnp.eye(RIDE_AFTER.stop + STATE_SIZE)
        return jax.vmap(lambda row: back(*from_difference(row))[0])(rows), state_row(nominal[2])

    back_to_ride: tuple[Array, Array] = jax.vmap(one)(rides, frames, durations)
    return back_to_ride


def _varied_ride(r: Riding, z: Array) -> Riding:
    """Place, turn, velocity and spin varied by z (12,)."""
    return Riding(r.position + z[:3], rotation_exp(z[3:6]) @ r.rotation, r.velocity + z[6:9], r.spin + z[9:12])


# -- into a contact ----------------------------------------------------------------------------------------------------


def rest_back(
    base: Base, gravity: Floats, row: Floats, rates: Floats, touched: float, settling: Settling, rate: Floats | None,
    on: Floats,
) -> Back:  # fmt: skip
    """From (begin, ride) of a contact to what settled into it. `row` is a TOUCH row, `touched` its time.

    `rates` (6,) are the acceleration and angular acceleration before: of a flight, gravity and none. With a `rate`
    (12,), that of the state just before, the row has that state and the result is on it: for flights that are not in
    closed form.
    """
    return _settled(base, gravity, row, rates, touched, settling, rate, touched, time=on[:, 0], ride=on[:, 1:])


def settling_back(
    base: Base, gravity: Floats, row: Floats, rates: Floats, touched: float, settling: Settling, rate: Floats | None,
    time: float, on: Floats,
) -> Back:  # fmt: skip
    """From the state that is shown at a time while bounces are summed up, to what settled: as `rest_back` does.

    The ball is shown on the surface, on a straight way from where it touched to where it comes to stay.
    """
    return _settled(base, gravity, row, rates, touched, settling, rate, time, state=on)


def _settled(
    base: Base, gravity: Floats, row: Floats, rates: Floats, touched: float, settling: Settling, rate: Floats | None,
    shown: float, time: Floats | float = 0.0, ride: Floats | float = 0.0, state: Floats | float = 0.0,
) -> Back:  # fmt: skip
    rows = max(len(np.atleast_1d(part)) for part in (time, ride, state))
    if rate is None:
        item = TOUCH.unpack(row)
        before = STATE.unpack(item.state)
        rate = np.concatenate([before.velocity + item.duration * gravity, before.spin, rates])
    times = np.array([touched, shown], float)
    kernel = partial(_touch_back, base.samples(times), np.asarray(gravity), row, np.asarray(rate), settling)
    return _in_chunks(kernel, times, REACHED.pack(rows, time=time, ride=ride, state=state))


@jax.jit
def _touch_back(
    samples: Samples, gravity: Array, row: Array, rate: Array, settling: Settling, rows: Array
) -> tuple[Array, Array]:
    """Covectors on `REACHED`: the begin of a contact, its ride, and the state that is shown at the second of two times,
    the first of which is that of the touch."""

    def reached(z: Array, by: Array) -> tuple[Array, Riding, State]:
        first, touch, begin, ride = _touch_and_rest(samples, gravity, row, rate, settling, z, by)
        lasted = jnp.where(begin > first, begin - first, 1.0)
        velocity = (ride.position - touch.position) / lasted
        position = touch.position + (samples.times[1] - first) * velocity
        there = Riding(position, touch.rotation, velocity, ride.spin)
        return begin, ride, in_world(there, _at(samples, by, 1, samples.times[1]))

    return _carry_back(reached, STATE_SIZE, len(samples.times), rows)


def _touch_and_rest(
    samples: Samples, gravity: Array, row: Array, rate: Array, settling: Settling, z: Array, by: Array
) -> tuple[Array, Riding, Array, Riding]:
    """When and how a ball touches, and when and how it has come to rest, for a state before it that is varied by z."""
    item, touched = TOUCH.unpack(row), samples.times[0]
    shape = RoundedBox(item.core, item.radius + item.ball_radius)

    def flight(t: Array, z: Array) -> State:
        """Exact to first order, which is all a derivative sees."""
        return retract(fly(retract(state_of(item.state), z), SPHERE, gravity, item.duration), (t - touched) * rate)

    def local(t: Array, both: Any) -> tuple[Array, SurfaceMotion]:
        there = _at(samples, both[1], 0, t)
        return there.rotation.T @ (flight(t, both[0]).position - there.position), there

    def gap(t: Array, both: Any) -> Array:
        return gap_and_normal(shape, local(t, both)[0], item.feature)[0]

    def gap_rate(t: Array, both: Any) -> Array:
        ride = riding(flight(t, both[0]), _at(samples, both[1], 0, t))
        return jnp.dot(gap_and_normal(shape, ride.position, item.feature)[1], ride.velocity)

    # one that comes without any speed, from a surface that goes on in another, changes nothing when it is; one that
    # never was off, but was struck, begins when that was: where the flight back in time has no speed either
    t = jnp.where(item.declared > 0.5, touched, event_time(gap, touched, (z, by)))
    t = jnp.where(item.declared > 1.5, event_time(gap_rate, touched, (z, by)), t)
    position, there = local(t, (z, by))
    normal = there.rotation @ gap_and_normal(shape, position, item.feature)[1]
    after, _, _ = bounce(_as_frame(there), item, flight(t, z), normal, item.stick)
    ball = SimpleNamespace(**(vars(item) | {"moment": item.inverse_mass / (item.inverse_moment * item.ball_radius**2)}))
    contact = contact_of(ball, gravity, jax.lax.stop_gradient(position))
    touch = riding(after, there)
    lasted, ride = settle(contact, there, touch, item.restitution, settling)
    return t, touch, t + lasted, ride


def _as_frame(s: SurfaceMotion) -> Array:
    return jnp.concatenate(
        [s.position, s.rotation.ravel(), s.velocity, s.angular_velocity, s.acceleration, s.angular_acceleration]
    )


# -- what both share ---------------------------------------------------------------------------------------------------


def _at(samples: Samples, by: Array, which: int, t: Array) -> SurfaceMotion:
    """The surface's motion at a time near that of one of the samples, which are varied by `by` (N, 18)."""
    alone = slice(which, which + 1 or None)
    return jax.tree.map(lambda leaf: leaf[0], _surfaces(samples, by, alone, t[None]))


def _surfaces(samples: Samples, by: Array, which: slice, times: Array) -> SurfaceMotion:
    motions, delays = samples.motions[which], times - samples.times[which]
    rates = jnp.concatenate([motions[:, FRAME.first("velocity") :], samples.jerks[which]], axis=1)
    varied = jax.vmap(_varied)(motions, by[which] + delays[:, None] * rates)
    return jax.vmap(lambda frame: surface_at(frame, samples.place, samples.turned))(varied)


def _varied(frame: Array, by: Array) -> Array:
    """A frame's packed motion, varied by `by` (18,)."""
    f = FRAME.unpack(frame)
    turned = rotation_exp(by[TURN]) @ f.rotation.reshape(3, 3)
    rest = frame[FRAME.first("velocity") :] + by[VELOCITY.start :]
    return jnp.concatenate([f.position + by[PLACE], turned.ravel(), rest])


def ride_variation(ride: Riding, nominal: Riding) -> Array:
    turn = turn_between(ride.rotation, nominal.rotation)
    return jnp.concatenate(
        [ride.position - nominal.position, turn, ride.velocity - nominal.velocity, ride.spin - nominal.spin]
    )


def _carry_back(function: Any, size: int, looks: int, rows: Array) -> tuple[Array, Array]:
    """Covectors (R, size) on z, and (R, N, 18) on samples, of covectors on `REACHED`."""
    nominal, back = jax.vjp(function, jnp.zeros(size), jnp.zeros((looks, SAMPLE_VARIATION)))

    def difference(reached: tuple[Array, Riding, State]) -> Array:
        time = (reached[0] - nominal[0])[None]
        return jnp.concatenate([time, ride_variation(reached[1], nominal[1]), variation(reached[2], nominal[2])])

    _, from_difference = jax.vjp(difference, nominal)  # what it is at is not evaluated again
    back_to_start: tuple[Array, Array] = jax.vmap(lambda row: back(*from_difference(row)))(rows)
    return back_to_start


def _in_chunks(kernel: Any, times: Floats, on: Floats) -> Back:
    """A kernel over any number of covectors."""
    parts = [jax.device_get(kernel(chunk)) for chunk in in_chunks(on, CHUNK)]
    on_start, on_frames = (np.concatenate(leaves)[: len(on)] for leaves in zip(*parts, strict=True))
    return Back(on_start, times, on_frames)


# -- for callers -------------------------------------------------------------------------------------------------------


def base_of(context: Context, span: Span) -> Base:
    """What a thing in contact lies on, as derivatives want it."""
    s, k = context.world.surfaces, span.surface
    return Base(partial(context.frame_and_jerks, span.frame), s.place[k], s.turned[k])


def split(accumulator: Accumulator, back: Back, span: Span, rows: Ints) -> Floats:
    """The part on the chain; that on a character's parameters is noted."""
    if span.frame >= 0:
        character, _ = accumulator.world.owner(span.frame)
        on = accumulator.context.parameters_back(span.frame, back.times, back.on_frames)
        accumulator.whole.append((accumulator.scene.characters[character].name, rows, on))
    return back.on_start
