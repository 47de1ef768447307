"""Covectors carried back through rest and rolling.

A stretch of contact is named by when it begins and by its ride, the ball as seen from the surface: thirteen numbers. It
depends on the surface's motion all the way, so what it leaves on a character is a covector on all of its parameters;
such stretches are few, and the rest of a chain never pays for them.
"""

from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.columns import CHUNK, in_chunks
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.dynamics.rolling_motion import COUNT, Surface, contact_of, on_body, on_fixture
from hoi_edit.simulate.packed_layouts import TOUCH, bounce, state_of
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.variations import retract, variation
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, rotation_exp
from rigid.distance import RoundedBox, gap_and_normal
from rigid.event_time import event_time
from rigid.free_flight import State, Top, fly
from rigid.rolling_ends import ContactSpan, End, replay, ride_at
from rigid.settling import Settling, settle
from rigid.sustained_contact import Riding, SurfaceMotion, in_world, riding

RIDE = 13


def _moved(span: ContactSpan, z: Array) -> ContactSpan:
    """A stretch of contact varied by z (13,): its begin, then place, turn, velocity and spin of its ride."""
    r = span.start
    start = Riding(r.position + z[1:4], rotation_exp(z[4:7]) @ r.rotation, r.velocity + z[7:10], r.spin + z[10:13])
    return replace(span, start=start, begin=span.begin + z[0])


def ride_variation(ride: Riding, nominal: Riding) -> Array:
    M = ride.rotation @ nominal.rotation.T
    turn = 0.5 * jnp.stack([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])
    return jnp.concatenate(
        [ride.position - nominal.position, turn, ride.velocity - nominal.velocity, ride.spin - nominal.spin]
    )


def _depends(surface: Surface, u: Any) -> tuple[Any, Any]:
    """What of a surface the derivative is taken by, and how to put it back."""
    if len(u) == 2:  # it stands still
        return (), lambda _: u
    return u[2], lambda parameters: (*u[:2], parameters, *u[3:])


def _carry_back(function: Any, nominal: Any, difference: Any, size: int, parameters: Any, rows: Array) -> Any:
    """Covectors (R, size) on z, and trees of covectors on the parameters, of covectors on a variation."""
    fixed = jax.tree.map(jax.lax.stop_gradient, nominal)
    _, back = jax.vjp(lambda z, p: difference(function(z, p), fixed), jnp.zeros(size), parameters)
    return jax.vmap(back)(rows)


def _at(surface: Surface, t: Array, u: Any) -> SurfaceMotion:
    return jax.tree.map(lambda leaf: leaf[0], surface(t[None], u))


@partial(jax.jit, static_argnums=0)
def rest_back(
    surface: Surface, u: Any, gravity: Array, row: Array, rates: Array, touched: Array, settling: Settling,
    rate: Array | None, rows: Array,
) -> Any:  # fmt: skip
    """From (begin, ride) of a contact to what settled into it. `row` is a TOUCH row, `touched` its time.

    `rates` (6,) are the acceleration and angular acceleration before: of a flight, gravity and none. With a `rate`
    (12,), that of the state just before, the row has that state and the result is on it: for flights that are not in
    closed form.
    """
    parameters, put = _depends(surface, u)

    def settled(z: Array, p: Any) -> tuple[Array, Riding]:
        _, _, begin, ride = _touch_and_rest(surface, put, gravity, row, rates, touched, settling, rate, z, p)
        return begin, ride

    nominal = settled(jnp.zeros(12), parameters)
    return _carry_back(settled, nominal, _begin_and_ride, 12, parameters, rows)


@partial(jax.jit, static_argnums=0)
def settling_back(
    surface: Surface, u: Any, gravity: Array, row: Array, rates: Array, touched: Array, settling: Settling,
    rate: Array | None, t: Array, rows: Array,
) -> Any:  # fmt: skip
    """From the state that is shown at a time t while bounces are summed up, to what settled: as `rest_back` does.

    The ball is shown on the surface, on a straight way from where it touched to where it comes to stay.
    """
    parameters, put = _depends(surface, u)

    def shown(z: Array, p: Any) -> State:
        first, touch, begin, ride = _touch_and_rest(surface, put, gravity, row, rates, touched, settling, rate, z, p)
        velocity = (ride.position - touch.position) / (begin - first)
        there = Riding(touch.position + (t - first) * velocity, touch.rotation, velocity, ride.spin)
        return in_world(there, _at(surface, t, put(p)))

    return _carry_back(shown, shown(jnp.zeros(12), parameters), variation, 12, parameters, rows)


def _touch_and_rest(
    surface: Surface, put: Any, gravity: Array, row: Array, rates: Array, touched: Array, settling: Settling,
    rate: Array | None, z: Array, p: Any,
) -> tuple[Array, Riding, Array, Riding]:  # fmt: skip
    """When and how a ball touches, and when and how it has come to rest, for a state before it that is varied by z."""
    item = TOUCH.unpack(row)
    top = Top(item.ball_radius, item.ball_radius, jnp.array([0.0, 1.0, 0.0]))
    shape = RoundedBox(item.core, item.radius + item.ball_radius)

    def flight(t: Array, z: Array) -> State:
        if rate is not None:
            return retract(state_of(item.state), z + (t - touched) * rate)
        before = fly(retract(state_of(item.state), z), top, rates[:3], item.duration + (t - touched))
        return replace(before, angular_velocity=before.angular_velocity + (t - touched) * rates[3:])

    def local(t: Array, both: Any) -> tuple[Array, SurfaceMotion]:
        there = _at(surface, t, put(both[1]))
        return there.rotation.T @ (flight(t, both[0]).position - there.position), there

    def gap(t: Array, both: Any) -> Array:
        return gap_and_normal(shape, local(t, both)[0], item.feature)[0]

    def gap_rate(t: Array, both: Any) -> Array:
        ride = riding(flight(t, both[0]), _at(surface, t, put(both[1])))
        return jnp.dot(gap_and_normal(shape, ride.position, item.feature)[1], ride.velocity)

    # one that comes without any speed, from a surface that goes on in another, changes nothing when it is; one that
    # never was off, but was struck, begins when that was: where the flight back in time has no speed either
    t = jnp.where(item.declared > 0.5, touched, event_time(gap, touched, (z, p)))
    t = jnp.where(item.declared > 1.5, event_time(gap_rate, touched, (z, p)), t)
    position, there = local(t, (z, p))
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


def _begin_and_ride(value: tuple[Array, Riding], nominal: tuple[Array, Riding]) -> Array:
    return jnp.concatenate([(value[0] - nominal[0])[None], ride_variation(value[1], nominal[1])])


@partial(jax.jit, static_argnums=0)
def on_back(surface: Surface, u: Any, span: ContactSpan, end: End, rows: Array) -> Any:
    """From (begin, ride) of a contact to that of the contact before it."""
    parameters, put = _depends(surface, u)

    def ended(z: Array, p: Any) -> tuple[Array, Riding]:
        return replay(surface, put(p), _moved(span, z), end, COUNT)

    return _carry_back(ended, ended(jnp.zeros(RIDE), parameters), _begin_and_ride, RIDE, parameters, rows)


@partial(jax.jit, static_argnums=(0, 5))
def leave_back(surface: Surface, u: Any, gravity: Array, span: ContactSpan, end: End, airy: bool, rows: Array) -> Any:
    """From a flight to the contact that it left; a flight through air is named by its state and when it starts."""
    parameters, put = _depends(surface, u)
    top = Top(jnp.asarray(1.0), jnp.asarray(1.0), jnp.array([0.0, 1.0, 0.0]))
    nominal_time = end.time

    def left(z: Array, p: Any) -> Any:
        t, ride = replay(surface, put(p), _moved(span, z), end, COUNT)
        state = in_world(ride, _at(surface, t, put(p)))
        return (state, t) if airy else fly(state, top, gravity, nominal_time - t)

    difference = _state_and_time if airy else variation
    return _carry_back(left, left(jnp.zeros(RIDE), parameters), difference, RIDE, parameters, rows)


def _state_and_time(value: tuple[State, Array], nominal: tuple[State, Array]) -> Array:
    return jnp.concatenate([variation(value[0], nominal[0]), (value[1] - nominal[1])[None]])


@partial(jax.jit, static_argnums=0)
def riding_back(surface: Surface, u: Any, span: ContactSpan, t: Array, rows: Array) -> Any:
    """From the state of a thing in contact at a time to the beginning of that contact."""
    parameters, put = _depends(surface, u)
    steps = jnp.clip(jnp.floor((t - span.begin) / span.step), 0, COUNT)

    def there(z: Array, p: Any) -> Any:
        ride = ride_at(surface, put(p), _moved(span, z), steps, t, COUNT)
        return in_world(ride, _at(surface, t, put(p)))

    return _carry_back(there, there(jnp.zeros(RIDE), parameters), variation, RIDE, parameters, rows)


# -- for callers -------------------------------------------------------------------------------------------------------


def surface_of(context: Context, span: Span) -> tuple[Any, Any]:
    """The surface that a thing in contact lies on, as derivatives want it: a function of time and what it needs."""
    s, k = context.world.surfaces, span.surface
    if span.frame < 0:
        return on_fixture, (s.place[k], s.turned[k])
    c, segment = context.world.owner(span.frame)
    character = context.scene.characters[c]
    return on_body, (*context.for_kernels(character), np.int64(segment), s.place[k], s.turned[k])


def contact_back(kernel: Any, surface: Any, u: Any, arguments: tuple[Any, ...], on: Floats) -> tuple[Floats, Any]:
    """A kernel of this module over any number of covectors."""
    parts = [jax.device_get(kernel(surface, u, *arguments, jnp.asarray(chunk))) for chunk in in_chunks(on, CHUNK)]
    joined = jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(on)], *parts)
    return joined[0], joined[1]


def split(accumulator: Accumulator, back: tuple[Floats, Any], span: Span, rows: Ints) -> Floats:
    """The part on the chain; that on a character's parameters is noted."""
    if span.frame >= 0:
        leaves = [np.asarray(leaf).reshape(len(rows), -1) for leaf in jax.tree.leaves(back[1])]
        character, _ = accumulator.world.owner(span.frame)
        accumulator.whole.append((accumulator.scene.characters[character].name, rows, np.concatenate(leaves, axis=1)))
    return back[0]
