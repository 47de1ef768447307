"""Covectors carried back through rest and rolling.

A stretch of contact is named by when it begins and by its ride, the ball as seen from the surface: thirteen numbers. It
depends on the surface's motion all the way: on that of the frame that carries it at each time at which a step looks.
These motions are numbers here, as the search takes them, and each gets a covector (18,) on place, turn, velocity, spin,
acceleration and angular acceleration. Where such a time varies the motion goes on at its rates, which are numbers too.
So one program serves fixtures and all bodies and clips; `motions.motion_back` takes what is left on frames to the
parameters of a character.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
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
from hoi_edit.simulate.packed_layouts import FRAME, STATE, TOUCH, bounce, state_of
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.variations import PLACE, TURN, VELOCITY, retract, turn_between, variation
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, rotation_exp
from rigid.distance import RoundedBox, gap_and_normal
from rigid.free_flight import SPHERE, State, fly
from rigid.rolling_ends import GIVEN, ContactSpan, End, replay
from rigid.settling import Settling, settle
from rigid.sustained_contact import Riding, SurfaceMotion, in_world, riding, stage_times
from rigid.time_of_impact import event_time

RIDE = 13
STATE_SIZE = 12  # place, turn, velocity, spin
SAMPLE_VARIATION = 18  # those, acceleration and angular acceleration
LOOKS = 4 * COUNT + 1  # at the surface, of all steps of a chunk; five more are of the step to its end
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


def on_back(base: Base, span: ContactSpan, end: End, on: Floats) -> Back:
    """From (begin, ride) of a contact to that of the contact before it."""
    return _along(base, span, end, False, time=on[:, 0], ride=on[:, 1:])


def leave_back(base: Base, span: ContactSpan, end: End, airy: bool, on: Floats) -> Back:
    """From a flight to the contact that it left; a flight through air is named by its state and when it starts."""
    return _along(base, span, end, not airy, state=on[:, :STATE_SIZE], time=on[:, STATE_SIZE] if airy else 0.0)


def riding_back(base: Base, span: ContactSpan, time: float, on: Floats) -> Back:
    """From the state of a thing in contact at a time to the beginning of that contact."""
    steps = np.clip(np.floor((time - np.asarray(span.begin)) / np.asarray(span.step)), 0, COUNT)
    end = End(np.int64(GIVEN), np.float64(time), np.int64(steps), np.bool_(False))
    return _along(base, span, end, False, state=on)


def _along(
    base: Base, span: ContactSpan, end: End, flies: bool,
    time: Floats | float = 0.0, ride: Floats | float = 0.0, state: Floats | float = 0.0,
) -> Back:  # fmt: skip
    rows = max(len(np.atleast_1d(part)) for part in (time, ride, state))
    edges = np.asarray(span.begin) + np.minimum(np.arange(COUNT + 1), end.steps) * np.asarray(span.step)
    times = np.concatenate([stage_times(edges), stage_times(np.array([edges[-1], end.time]))])
    on = REACHED.pack(rows, time=time, ride=ride, state=state)
    return _in_chunks(partial(_span_back, base.samples(times), span, end, np.float64(flies)), times, on)


@jax.jit
def _span_back(samples: Samples, span: ContactSpan, end: End, flies: Array, rows: Array) -> tuple[Array, Array]:
    """Covectors on `REACHED`: the end of a contact, the ride and the state then; of one that flies from there on, the
    state is the flight's at the nominal time."""

    def reached(z: Array, by: Array) -> tuple[Array, Riding, State]:
        time, ride = replay(_known_by_samples, (samples, by), _moved(span, z), end, COUNT)
        state = in_world(ride, _at(samples, by, -1, time))
        return time, ride, fly(state, SPHERE, span.contact.gravity, flies * (end.time - time))

    return _carry_back(reached, RIDE, len(samples.times), rows)


def _known_by_samples(times: Array, u: tuple[Samples, Array]) -> SurfaceMotion:
    """A surface as `replay` looks at it: all along a chunk, and in the step to its end."""
    return _surfaces(*u, slice(0, LOOKS) if len(times) == LOOKS else slice(LOOKS, None), times)


def _moved(span: ContactSpan, z: Array) -> ContactSpan:
    """A stretch of contact varied by z (13,): its begin, then place, turn, velocity and spin of its ride."""
    r = span.start
    start = Riding(r.position + z[1:4], rotation_exp(z[4:7]) @ r.rotation, r.velocity + z[7:10], r.spin + z[10:13])
    return replace(span, start=start, begin=span.begin + z[0])


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
    found: tuple[Array, Array] = jax.vmap(lambda row: back(*from_difference(row)))(rows)
    return found


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
