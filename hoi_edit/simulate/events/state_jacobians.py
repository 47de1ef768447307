"""Local Jacobians of touches by the states just before, whatever the things were doing: flying, riding or lying.

A link is in two parts. The first takes variations of the states at the nominal time, and of all else that has a say, to
the state just after and to the delay of the touch: thirteen numbers. The second takes these to what follows: a flight,
named by its state at the nominal time, a ride, or a place in a hand.
"""

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.columns import Columns
from hoi_edit.simulate.events.local_jacobians import (
    derivative,
    frame_after,
    hold_derivative,
    retract,
    variation,
    varied_law,
)
from hoi_edit.simulate.packed_layouts import FRAME, STATE, bounce, state_of
from hoi_edit.simulate.spans.rolling_adjoint import ride_variation
from hoi_edit.simulate.spans.rolling_motion import surface_at
from kinematics.rotation import Floats, rotation_exp
from rigid.convex import Feature, Pose
from rigid.convex import contact as contact_between
from rigid.distance import RoundedBox, gap_and_normal
from rigid.event_time import event_time
from rigid.free_flight import State
from rigid.impact import Free, Material, collide
from rigid.push import push
from rigid.sustained_contact import Riding, RoundBody, SustainedContact, riding, touching
from rigid.sustained_contact import gap_and_normal as touching_normal

AFTER = 13  # the state after, and the delay
RATES = 6  # acceleration and angular acceleration
_LAW = {"restitution": 0, "friction": 0, "normal_turn": 3, "stick": 0}
_SURFACE = {"place": 3, "turned": 9, "core": 3, "radius": 0, "feature": 3}
_BASE = {f"base_{name}": width for name, width in ({"frame": FRAME.width} | _SURFACE).items()}
STRIKE = Columns(
    state=STATE.width, rates=RATES, frame=FRAME.width, **_SURFACE, ball_radius=0, inverse_mass=0, inverse_moment=0,
    **_LAW, declared=0, caught=0, pushed=0, apart=0, pressed=0, **_BASE,
)  # fmt: skip
ONTO = Columns(after=STATE.width, frame=FRAME.width, **_SURFACE, ball_radius=0, moment=0, rolls=0)


def later(state: State, rates: Array, tau: Array) -> State:
    """A state a moment later, with given accelerations: exact to first order, which is all a derivative sees."""
    return State(
        state.position + tau * state.velocity,
        rotation_exp(tau * state.angular_velocity) @ state.rotation,
        state.velocity + tau * rates[:3],
        state.angular_velocity + tau * rates[3:],
    )


_ONE = {"state": STATE.width, "rates": RATES, "radius": 0, "inverse_mass": 0, "moments": 3, "corners": 9}
PAIRED = Columns(**{f"{name}_{which}": width for which in "ab" for name, width in _ONE.items()}, kind=0, **_LAW)


def body_of(item: SimpleNamespace, which: str, state: State) -> Free:
    """One of a pair as an impulse sees it."""
    own, R = vars(item), state.rotation
    inverse = (R / own[f"moments_{which}"][None]) @ R.T
    return Free(own[f"inverse_mass_{which}"], inverse, state.position, state.velocity, state.angular_velocity)


def touching_of(item: SimpleNamespace, a: State, b: State) -> tuple[Array, Array, Array]:
    """Gap, normal from b to a, and point of two hulls."""
    feature = Feature(item.kind, item.corners_a.reshape(3, 3), item.corners_b.reshape(3, 3))
    here, there = Pose(a.rotation, a.position), Pose(b.rotation, b.position)
    return contact_between(feature, here, there, item.radius_a, item.radius_b)


def _parted(item: SimpleNamespace, z: Array) -> tuple[State, Array]:
    """The first of two things after they met, and the delay, of z = (state 12, state of the other 12, law 5)."""

    def touch(tau: Array, varied: Array) -> tuple[State, State]:
        a = later(retract(state_of(item.state_a), varied[:12]), item.rates_a, tau)
        return a, later(retract(state_of(item.state_b), varied[12:24]), item.rates_b, tau)

    tau = event_time(lambda t, varied: touching_of(item, *touch(t, varied))[0], 0.0, z[:24])
    a, b = touch(tau, z[:24])
    _, normal, point = touching_of(item, a, b)
    law = varied_law(item, z[24:29])
    normal = rotation_exp(law.normal_turn) @ normal
    material = Material(law.restitution, law.friction)
    velocity, spin, _, _ = collide(body_of(item, "a", a), body_of(item, "b", b), point, normal, material, item.stick)
    return State(a.position, a.rotation, velocity, spin), tau


@jax.jit
def paired_links(items: Array) -> Array:
    """(B, 13, 29): the first of two things after they met, and the delay, by (both states before, law)."""

    def one(row: Array) -> Array:
        item = PAIRED.unpack(row)
        return _by_states(lambda z: _parted(item, z), 29)

    return jax.vmap(one)(items)


def _struck(item: SimpleNamespace, z: Array) -> tuple[State, Array]:
    """The state after and the delay, of z = (state 12, frame 12, surface 6, law 5, frame that it lay on 12)."""
    frame, shape = FRAME.unpack(item.frame), RoundedBox(item.core, item.radius + item.ball_radius)

    def touch(tau: Array, varied: Array) -> tuple[Array, Array, State, SimpleNamespace]:
        f = frame_after(frame, varied[12:24], tau)
        place, turned = item.place + varied[24:27], rotation_exp(varied[27:30]) @ item.turned.reshape(3, 3)
        ball = later(retract(state_of(item.state), varied[:12]), item.rates, tau)
        local = turned.T @ (f.rotation.T @ (ball.position - f.position) - place)
        gap, normal = gap_and_normal(shape, local, item.feature)
        return gap, f.rotation @ (turned @ normal), ball, f

    tau = (1.0 - item.declared) * event_time(lambda t, varied: touch(t, varied)[0], 0.0, z[:30])
    _, normal, before, f = touch(tau, z[:30])
    after, _, _ = bounce(_packed(f), varied_law(item, z[30:35]), before, normal, item.stick)
    pushed = _pushed(item, before, f, normal, frame_after(FRAME.unpack(item.base_frame), z[35:47], tau), z[30:35])
    rolled = State(before.position, before.rotation, pushed, before.angular_velocity)
    after = jax.tree.map(lambda pushed, free: jnp.where(item.pushed > 0.5, pushed, free), rolled, after)
    kept = item.caught > 0.5
    return jax.tree.map(lambda caught, free: jnp.where(kept, caught, free), before, after), tau


def _pushed(
    item: SimpleNamespace, ball: State, frame: SimpleNamespace, normal: Array, base: SimpleNamespace, law: Array
) -> Array:
    """The velocity after a push (`rigid.push`)."""
    varied = varied_law(item, law)
    normal = rotation_exp(varied.normal_turn) @ normal
    turned = base.rotation @ item.base_turned.reshape(3, 3)
    lies_on = SustainedContact(
        RoundBody(item.ball_radius), RoundedBox(item.base_core, item.base_radius), item.base_feature, False, 0.0,
        jnp.zeros(3),
    )  # fmt: skip
    local = turned.T @ (ball.position - base.position - base.rotation @ item.base_place)
    base_normal = turned @ touching_normal(lies_on, local)[1]
    rate, base_rate = (
        jnp.dot(n, ball.velocity - f.velocity - jnp.cross(f.spin, ball.position - item.ball_radius * n - f.position))
        for f, n in ((frame, normal), (base, base_normal))
    )
    apart = jnp.where(item.apart < 0.0, -varied.restitution * rate, item.apart)
    return jnp.asarray(push(ball.velocity, normal, rate, base_normal, base_rate, apart, item.pressed))


def _packed(frame: SimpleNamespace) -> Array:
    nothing = jnp.zeros(6)
    return jnp.concatenate([frame.position, frame.rotation.ravel(), frame.velocity, frame.spin, nothing])


def _by_states(function: Any, size: int) -> Array:
    """(13, size) of a state after and a delay."""
    nominal, _ = function(jnp.zeros(size))

    def both(z: Array) -> Array:
        after, tau = function(z)
        return jnp.append(variation(after, nominal), tau)

    return derivative(both, size)


@jax.jit
def strike_links(items: Array) -> Array:
    """(B, 13, 47): a ball after a touch, and its delay, by (state before, frame, surface in it, law, frame that it lay
    on)."""

    def one(row: Array) -> Array:
        item = STRIKE.unpack(row)
        return _by_states(lambda z: _struck(item, z), 47)

    return jax.vmap(one)(items)


def to_flight(after: Floats, gravity: Floats, moments: Floats) -> Floats:
    """(12, 13): the flight that follows, named by its state at the nominal time."""
    s = STATE.unpack(after)
    R = s.rotation.reshape(3, 3)
    own = R.T @ s.spin
    spin_rate = R @ (np.cross(moments * own, own) / moments)
    return np.column_stack([np.eye(12), -np.concatenate([s.velocity, s.spin, gravity, spin_rate])])


@jax.jit
def to_ride(items: Array) -> Array:
    """(B, 13, 25): when a ride begins, and the ride, by (state after, delay, frame that carries the surface)."""

    def one(row: Array) -> Array:
        item = ONTO.unpack(row)
        contact = SustainedContact(
            RoundBody(item.ball_radius, item.moment), RoundedBox(item.core, item.radius), item.feature,
            item.rolls > 0.5, 0.0, jnp.zeros(3),
        )  # fmt: skip

        def ride(z: Array) -> Riding:
            frame = _packed(frame_after(FRAME.unpack(item.frame), z[13:], z[12]))
            surface = surface_at(frame, item.place, item.turned.reshape(3, 3))
            return touching(contact, riding(retract(state_of(item.after), z[:12]), surface))

        nominal = ride(jnp.zeros(25))
        return derivative(lambda z: jnp.concatenate([z[12:13], ride_variation(ride(z), nominal)]), 25)

    return jax.vmap(one)(items)


@jax.jit
def to_hold(items: Array) -> Array:
    """(B, 6, 25): a place in a frame by (state after, delay, that frame); items are ONTO rows."""

    def one(row: Array) -> Array:
        item = ONTO.unpack(row)

        def kept(z: Array) -> tuple[Array, Array]:
            frame = frame_after(FRAME.unpack(item.frame), z[13:], z[12])
            state = retract(state_of(item.after), z[:12])
            return frame.rotation.T @ (state.position - frame.position), frame.rotation.T @ state.rotation

        return hold_derivative(kept, 25)

    return jax.vmap(one)(items)
