"""Free flight: position in closed form, and rotation where inertia allows.

Angular momentum L is constant in flight, so the rotation obeys Ṙ = [R I⁻¹ Rᵀ L]× R. A body with two equal principal
moments (a ball, a club, a bat) is a symmetric top: with I₁ across its axis e and I₃ along it,

    R(t) = exp(t L / I₁) · R₀ · exp(t (1/I₃ - 1/I₁) (e·R₀ᵀL) e),

a steady precession times a steady spin. For a ball the second factor is the identity. Three different moments make a
body tumble; that rotation is integrated to round-off (`tumble`).
"""

from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from kinematics.rotation import rotation_exp
from rigid.ballistics import fallen
from rigid.tumble import turn


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["position", "rotation", "velocity", "angular_velocity"],
    meta_fields=[],
)
@dataclass(frozen=True)
class State:
    """A rigid body at one instant, in the world."""

    position: Array  # (3,) of the centre of mass [m]
    rotation: Array  # (3, 3)
    velocity: Array  # (3,) [m/s]
    angular_velocity: Array  # (3,) [rad/s]


@partial(jax.tree_util.register_dataclass, data_fields=["across", "along", "axis"], meta_fields=[])
@dataclass(frozen=True)
class Top:
    """Moments of inertia per unit of mass [m²] of a body with a symmetry axis (a unit vector in its own frame)."""

    across: ArrayLike
    along: ArrayLike
    axis: Array

    @staticmethod
    def ball(radius: float, hollow: bool = False) -> "Top":
        """A homogeneous ball, or a thin shell."""
        moment = (2.0 / 3.0 if hollow else 2.0 / 5.0) * radius**2
        return Top(moment, moment, jnp.array([0.0, 1.0, 0.0]))


# A ball turns steadily, whatever its size.
SPHERE: Any = Top(np.float64(1.0), np.float64(1.0), np.array([0.0, 1.0, 0.0]))  # type: ignore[arg-type]


@partial(jax.tree_util.register_dataclass, data_fields=["moments"], meta_fields=[])
@dataclass(frozen=True)
class Asymmetric:
    """Moments of inertia (3,) per unit of mass about the axes of the body's own frame [m²], none of them alike."""

    moments: Array


Inertia = Top | Asymmetric


def fly(state: State, inertia: Inertia, gravity: Array, duration: ArrayLike) -> State:
    """The state after `duration` [s] of free flight; negative durations go back."""
    t = jnp.asarray(duration, float)
    momentum = angular_momentum(state, inertia)
    later = _turned(state.rotation, inertia, momentum, t)
    return State(
        position=fallen(state.position, state.velocity, gravity, t),
        rotation=later,
        velocity=state.velocity + t * gravity,
        angular_velocity=_angular_velocity(later, inertia, momentum),
    )


def angular_momentum(state: State, inertia: Inertia) -> Array:
    """About the centre of mass, per unit of mass [m²/s]."""
    if isinstance(inertia, Asymmetric):
        return state.rotation @ (inertia.moments * (state.angular_velocity @ state.rotation))
    e = state.rotation @ inertia.axis
    along = jnp.dot(e, state.angular_velocity) * e
    return (state.angular_velocity - along) * inertia.across + along * inertia.along


def energy(state: State, inertia: Inertia, gravity: Array) -> Array:
    """Kinetic and potential energy per unit of mass [J/kg]."""
    turning = jnp.dot(state.angular_velocity, angular_momentum(state, inertia))
    return 0.5 * (jnp.dot(state.velocity, state.velocity) + turning) - jnp.dot(gravity, state.position)


def _turned(R: Array, inertia: Inertia, momentum: Array, t: Array) -> Array:
    """The rotation after a time t."""
    if isinstance(inertia, Asymmetric):
        return R @ turn(momentum @ R, inertia.moments, t)
    axis = inertia.axis
    spin = (1.0 / jnp.asarray(inertia.along) - 1.0 / jnp.asarray(inertia.across)) * jnp.dot(R @ axis, momentum)
    return rotation_exp(t * momentum / inertia.across) @ R @ rotation_exp(t * spin * axis)


def _angular_velocity(R: Array, inertia: Inertia, momentum: Array) -> Array:
    if isinstance(inertia, Asymmetric):
        return R @ ((momentum @ R) / inertia.moments)
    e = R @ inertia.axis
    along = jnp.dot(e, momentum) * e
    return (momentum - along) / inertia.across + along / inertia.along
