"""Variations of states, holds and frames: what local Jacobians are written in.

A flight is named by its state at a *fixed* time, the one at which it began when it was found. When an edit moves that
event, the flight it begins is still named by its (extended) state at the old time, so no link has to carry a moving
time along: the implicit time of impact lives and dies within one link, in `rigid.time_of_impact`.

Variations are twelve numbers for a flight (place, turn, velocity, spin), six for a thing in a hand (place and turn in
the hand's frame) and twelve for a frame (place, turn, velocity, spin of a segment); turns are world rotation vectors.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from kinematics.rotation import rotation_exp
from rigid.free_flight import State

FRAME_VARIATION = 12
STATE_AND_DELAY = 13  # the state after an event, and the delay of that
PLACE, TURN, VELOCITY, SPIN = slice(0, 3), slice(3, 6), slice(6, 9), slice(9, 12)
ON_RESTITUTION, ON_FRICTION, ON_NORMAL = slice(0, 1), slice(1, 2), slice(2, 5)  # of a law, and of covectors on one

Later = Callable[[Array, Array], State]  # (tau, variation): a flight so long after the nominal time of its event


def retract(state: State, z: Array) -> State:
    return State(
        state.position + z[PLACE],
        rotation_exp(z[TURN]) @ state.rotation,
        state.velocity + z[VELOCITY],
        state.angular_velocity + z[SPIN],
    )


def variation(state: State, nominal: State) -> Array:
    """How `state` differs from a nominal one that it equals up to first order."""
    return jnp.concatenate(
        [
            state.position - nominal.position,
            turn_between(state.rotation, nominal.rotation),
            state.velocity - nominal.velocity,
            state.angular_velocity - nominal.angular_velocity,
        ]
    )


def turn_between(R: Array, nominal: Array) -> Array:
    return turn_of(R, nominal)


def frame_after(frame: SimpleNamespace, z: Array, tau: Array) -> SimpleNamespace:
    """A frame varied by z (12,), and moved on by tau: exact to first order in both, which is all a derivative sees."""
    R = rotation_exp(z[TURN]) @ frame.rotation.reshape(3, 3)
    velocity, spin = frame.velocity + z[VELOCITY], frame.spin + z[SPIN]
    return SimpleNamespace(
        position=frame.position + z[PLACE] + tau * velocity,
        rotation=rotation_exp(tau * spin) @ R,
        velocity=velocity + tau * frame.accel,
        spin=spin + tau * frame.spin_accel,
    )


def packed_frame(frame: SimpleNamespace) -> Array:
    """A frame without its accelerations as a FRAME row."""
    nothing = jnp.zeros(6)
    return jnp.concatenate([frame.position, frame.rotation.ravel(), frame.velocity, frame.spin, nothing])


def drifted(state: State, moments: Array, gravity: Array, tau: Array) -> State:
    """A flying body a moment later or before: exact to first order in tau, which is all a derivative sees."""
    R, w = state.rotation, state.angular_velocity
    spin_in_body = R.T @ w
    spin_rate = R @ (jnp.cross(moments * spin_in_body, spin_in_body) / moments)
    return State(
        state.position + tau * state.velocity,
        rotation_exp(tau * w) @ R,
        state.velocity + tau * gravity,
        w + tau * spin_rate,
    )


def later(state: State, rates: Array, tau: Array) -> State:
    """A state a moment later, with given accelerations (6,): exact to first order."""
    return State(
        state.position + tau * state.velocity,
        rotation_exp(tau * state.angular_velocity) @ state.rotation,
        state.velocity + tau * rates[:3],
        state.angular_velocity + tau * rates[3:],
    )


def varied_law(item: SimpleNamespace, z: Array) -> SimpleNamespace:
    """An item whose restitution, friction and normal are varied by z (5,)."""
    law = {"restitution": item.restitution + z[0], "friction": item.friction + z[1]}
    return SimpleNamespace(**(vars(item) | law | {"normal_turn": item.normal_turn + z[ON_NORMAL]}))


def derivative(function: Any, size: int) -> Array:
    return jax.jacfwd(function)(jnp.zeros(size))


def moved_along(function: Callable[[Any], Any], at: Any, along: Any) -> tuple[Any, Any]:
    """A function's value, and its derivative along several directions, which are rows of leaves."""
    return jax.vmap(lambda way: jax.jvp(function, (at,), (way,)), out_axes=(None, 0))(along)


def turn_of(rate: Array, rotation: Array) -> Array:
    """The rotation vector by which a rotation turns, by its derivative."""
    M = rate @ rotation.T
    return 0.5 * jnp.stack([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])


def hold_derivative(caught: Callable[[Array], tuple[Array, Array]], size: int) -> Array:
    """(6, size) of a place and a rotation in a hand's frame."""
    position, rotation = caught(jnp.zeros(size))

    def hold(z: Array) -> Array:
        p, R = caught(z)
        return jnp.concatenate([p - position, turn_between(R, rotation)])

    return derivative(hold, size)


def in_hand(state: State, frame: SimpleNamespace) -> tuple[Array, Array]:
    """Place and rotation of a thing in a frame."""
    return frame.rotation.T @ (state.position - frame.position), frame.rotation.T @ state.rotation
