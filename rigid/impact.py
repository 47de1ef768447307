"""Impulses at a touch of two bodies: the law between the instant before and the instant after.

    normal       u_n⁺ = -e u_n⁻                                                    (u: relative velocity at the contact)
    tangential   stick: u_t⁺ = 0, while that takes |J_t| <= μ J_n; else slide: J_t = -μ J_n u_t / |u_t|

Both bodies are balls here, or one of them is a moving surface of infinite mass (the ground, a hand): spheres have their
centre behind the contact, so normal and tangential impulses do not mix and Newton's restitution cannot create energy.
Whether a touch sticks or slides is decided once, when it is found (`touch_mode`), and is data from then on: the law
itself stays smooth and its derivative is right on either side of the border.
"""

from dataclasses import dataclass
from functools import partial
from typing import Literal

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

Mode = Literal["stick", "slide"]
FASTEST_STILL = 1e-9  # [m/s] below this, sliding has no direction


@partial(jax.tree_util.register_dataclass, data_fields=["inverse_mass", "inverse_moment", "radius"], meta_fields=[])
@dataclass(frozen=True)
class Ball:
    """What an impulse needs to know of a ball; zeros make a surface that nothing moves."""

    inverse_mass: ArrayLike  # [1/kg]
    inverse_moment: ArrayLike  # [1/(kg m²)]
    radius: ArrayLike  # [m]

    @staticmethod
    def of(mass: float, radius: float, hollow: bool = False) -> "Ball":
        return Ball(1.0 / mass, 1.0 / ((2.0 / 3.0 if hollow else 2.0 / 5.0) * mass * radius**2), radius)

    @staticmethod
    def immovable() -> "Ball":
        return Ball(0.0, 0.0, 0.0)


@partial(jax.tree_util.register_dataclass, data_fields=["velocity", "angular_velocity"], meta_fields=[])
@dataclass(frozen=True)
class Motion:
    """Velocity of a ball's centre and its spin; of a surface, the velocity of the touched point and no spin."""

    velocity: Array  # (3,) [m/s]
    angular_velocity: Array  # (3,) [rad/s]


@partial(jax.tree_util.register_dataclass, data_fields=["restitution", "friction"], meta_fields=[])
@dataclass(frozen=True)
class Material:
    """How a pair of bodies touches."""

    restitution: ArrayLike = 1.0
    friction: ArrayLike = 0.0


def relative_velocity(a: Ball, b: Ball, motion_a: Motion, motion_b: Motion, normal: Array) -> Array:
    """Velocity of a's contact point relative to b's; `normal` points from b to a."""
    point_a = motion_a.velocity - a.radius * jnp.cross(motion_a.angular_velocity, normal)
    point_b = motion_b.velocity + b.radius * jnp.cross(motion_b.angular_velocity, normal)
    return point_a - point_b


def impulse(
    a: Ball, b: Ball, motion_a: Motion, motion_b: Motion, normal: Array, material: Material, mode: Mode
) -> Array:
    """The impulse (3,) on a [N s]; b feels the opposite."""
    u = relative_velocity(a, b, motion_a, motion_b, normal)
    u_n = jnp.dot(u, normal)
    u_t = u - u_n * normal
    along, across = _mobilities(a, b)
    J_n = -(1.0 + jnp.asarray(material.restitution)) * u_n / along
    if mode == "stick":
        return J_n * normal - u_t / across
    speed = jnp.sqrt(jnp.maximum(jnp.dot(u_t, u_t), FASTEST_STILL**2))
    return J_n * normal - material.friction * J_n * u_t / speed


def touch_mode(
    a: Ball, b: Ball, motion_a: Motion, motion_b: Motion, normal: Array, material: Material
) -> tuple[Mode, float]:
    """Stick or slide, and |J_t| for sticking over μ J_n: close to 1 the derivative is one-sided."""
    u = relative_velocity(a, b, motion_a, motion_b, normal)
    u_n = float(jnp.dot(u, normal))
    slip = float(jnp.linalg.norm(u - u_n * normal))
    along, across = _mobilities(a, b)
    most = (
        float(jnp.asarray(material.friction)) * -(1.0 + float(jnp.asarray(material.restitution))) * u_n / float(along)
    )
    needed = slip / float(across)
    if most <= 0.0:  # without friction "slide" is the frictionless law
        return "slide", float("inf")
    return ("stick" if needed <= most else "slide"), needed / most


def after_impulse(ball: Ball, motion: Motion, impulse_on_it: Array, normal_into_it: Array) -> Motion:
    """Motion of a ball after an impulse at its contact point; the normal points from there to its centre."""
    arm = -jnp.asarray(ball.radius) * normal_into_it
    return Motion(
        motion.velocity + ball.inverse_mass * impulse_on_it,
        motion.angular_velocity + ball.inverse_moment * jnp.cross(arm, impulse_on_it),
    )


def collide(
    a: Ball, b: Ball, motion_a: Motion, motion_b: Motion, normal: Array, material: Material, mode: Mode
) -> tuple[Motion, Motion]:
    """Both motions after the touch."""
    J = impulse(a, b, motion_a, motion_b, normal, material, mode)
    return after_impulse(a, motion_a, J, normal), after_impulse(b, motion_b, -J, -normal)


def _mobilities(a: Ball, b: Ball) -> tuple[Array, Array]:
    """Change of relative velocity per unit of impulse, along the normal and across it."""
    along = jnp.asarray(a.inverse_mass) + b.inverse_mass
    turning = jnp.asarray(a.radius) ** 2 * a.inverse_moment + jnp.asarray(b.radius) ** 2 * b.inverse_moment
    return along, along + turning
