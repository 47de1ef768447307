"""Free flight: position and rotation in closed form.

Angular momentum L is constant in flight, so the rotation obeys Ṙ = [R I⁻¹ Rᵀ L]× R. A body with two equal principal
moments (a ball, a club, a bat) is a symmetric top: with I₁ across its axis e and I₃ along it,

    R(t) = exp(t L / I₁) · R₀ · exp(t (1/I₃ - 1/I₁) (e·R₀ᵀL) e),

a steady precession times a steady spin. For a ball the second factor is the identity.
"""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from kinematics.rotation import rotation_exp


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


def fly(state: State, top: Top, gravity: Array, duration: ArrayLike) -> State:
    """The state after `duration` [s] of free flight; negative durations go back."""
    t = jnp.asarray(duration, float)
    R = state.rotation
    momentum = angular_momentum(state, top)
    spin = (1.0 / jnp.asarray(top.along) - 1.0 / jnp.asarray(top.across)) * jnp.dot(R @ top.axis, momentum)
    later = rotation_exp(t * momentum / top.across) @ R @ rotation_exp(t * spin * top.axis)
    e = later @ top.axis
    along = jnp.dot(e, momentum) * e
    return State(
        position=state.position + t * state.velocity + 0.5 * t**2 * gravity,
        rotation=later,
        velocity=state.velocity + t * gravity,
        angular_velocity=(momentum - along) / top.across + along / top.along,
    )


def angular_momentum(state: State, top: Top) -> Array:
    """About the centre of mass, per unit of mass [m²/s]."""
    e = state.rotation @ top.axis
    along = jnp.dot(e, state.angular_velocity) * e
    return (state.angular_velocity - along) * top.across + along * top.along


def energy(state: State, top: Top, gravity: Array) -> Array:
    """Kinetic and potential energy per unit of mass [J/kg]."""
    kinetic = jnp.dot(state.velocity, state.velocity) + jnp.dot(state.angular_velocity, angular_momentum(state, top))
    return 0.5 * kinetic - jnp.dot(gravity, state.position)
