"""Impulses at a touch of two bodies: the law between the instant before and the instant after.

With u the velocity of a's touching point against b's, n the normal from b to a, and K the change of u per unit of
impulse J on a (u⁺ = u + K J, K symmetric and positive; M = K⁻¹):

    normal       u_n⁺ = -e u_n
    stick        u_t⁺ = 0, so J = M (u_n⁺ n - u), while that takes |J_t| <= μ J_n
    slide        J = p (n + μ s), else, with s the direction in which friction would have to push for sticking

Where the centres lie behind the contact (balls), n and t do not mix: s is then opposite to the slip and this is the
textbook's law. Otherwise three things may happen that the textbook's law gets wrong, and this is the rule for each:

- *Restitution is energetic* (Stronge): J grows along a straight line, the energy that the normal part gives back is e²
  times what it took up, which on a straight line is u_n⁺ = -e u_n. If that J would leave more energy than there was
  (friction pushing along the slip), it ends where energy is the same as before.
- *Reverse slip*: friction that would have to push along the slip to make it stick slides in that same direction s. The
  law is then continuous where stick turns into slide, and defined without slip, which needs no direction.
- *Jam*: where n·K(n + μ s) <= 0 sliding would only press harder; such touches always stick before (see below), and a
  touch that could stick only by pulling slides.

Energy cannot grow: it is convex in J, is no greater than before at the frictionless J and at the sticking J, and the
sliding J lies between these two wherever |J_t| for sticking is more than μ J_n; so does n·u⁺ >= 0, and p > 0.

Whether a touch sticks or slides is decided once, when it is found (`choose_mode`), and is data from then on: the law
itself stays smooth and its derivative is right on either side of the border.
"""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from kinematics.rotation import cross_matrix

STILL = 1e-13  # share of an impulse below which its tangential part has no direction
ROUND_OFF = 1e-12  # share of energy that an elastic touch may gain before that counts as creating it


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["inverse_mass", "inverse_inertia", "centre", "velocity", "angular_velocity"],
    meta_fields=[],
)
@dataclass(frozen=True)
class Free:
    """A body at the instant of a touch, in the world; zero inverses make a moving surface that no impulse changes."""

    inverse_mass: ArrayLike  # [1/kg]
    inverse_inertia: ArrayLike  # (3, 3) in world axes [1/(kg m²)]
    centre: ArrayLike  # (3,) [m]
    velocity: ArrayLike  # (3,) of the centre [m/s]
    angular_velocity: ArrayLike  # (3,) [rad/s]

    @staticmethod
    def surface(centre: ArrayLike, velocity: ArrayLike, angular_velocity: ArrayLike) -> "Free":
        """A surface of infinite mass that moves as told: the ground, a hand, a paddle."""
        return Free(0.0, jnp.zeros((3, 3)), centre, velocity, angular_velocity)

    def velocity_at(self, point: Array) -> Array:
        return jnp.asarray(self.velocity) + jnp.cross(jnp.asarray(self.angular_velocity), point - self.centre)


@partial(jax.tree_util.register_dataclass, data_fields=["restitution", "friction"], meta_fields=[])
@dataclass(frozen=True)
class Material:
    """How a body touches others: of two that meet, restitutions and frictions are multiplied. By default what it gives
    back is the other's to decide, and nothing it touches has any friction."""

    restitution: ArrayLike = 1.0  # 0 to 1
    friction: ArrayLike = 0.0  # Coulomb's μ


def touch_velocity(a: Free, b: Free, point: Array) -> Array:
    """Velocity (3,) of a's point against b's [m/s]."""
    return a.velocity_at(point) - b.velocity_at(point)


def choose_mode(a: Free, b: Free, point: Array, normal: Array, material: Material) -> tuple[Array, Array]:
    """1 for stick or 0 for slide, and |J_t| for sticking over μ J_n: close to 1 the derivative is one-sided.

    The normal points from b to a and they approach. Without friction the share is infinite and "slide" frictionless.
    """
    J_n, J_t = _split(_sticking(_mobility(a, b, point), touch_velocity(a, b, point), normal, material), normal)
    most = jnp.asarray(material.friction) * J_n
    share = jnp.where(most > 0.0, jnp.sqrt(jnp.dot(J_t, J_t)) / jnp.where(most > 0.0, most, 1.0), jnp.inf)
    return jnp.where(share <= 1.0, 1.0, 0.0), share


def impulse(a: Free, b: Free, point: Array, normal: Array, material: Material, stick: ArrayLike) -> Array:
    """The impulse (3,) on a [N s]; b feels the opposite. `stick` is 1 or 0 as `choose_mode` says."""
    K, u = _mobility(a, b, point), touch_velocity(a, b, point)
    sticking = _sticking(K, u, normal, material)
    along = normal + jnp.asarray(material.friction) * _direction(_split(sticking, normal)[1], sticking)
    return jnp.where(jnp.asarray(stick) > 0.5, sticking, _sliding(K, u, normal, along, material))


def collide(
    a: Free, b: Free, point: Array, normal: Array, material: Material, stick: ArrayLike
) -> tuple[Array, Array, Array, Array]:
    """Velocity and angular velocity of a, then of b, after the touch."""
    J = impulse(a, b, point, normal, material, stick)
    return *after_impulse(a, point, J), *after_impulse(b, point, -J)


def after_impulse(body: Free, point: Array, J: Array) -> tuple[Array, Array]:
    """Velocity and angular velocity of a body after an impulse on its point."""
    turn = jnp.asarray(body.inverse_inertia) @ jnp.cross(point - body.centre, J)
    return jnp.asarray(body.velocity) + body.inverse_mass * J, jnp.asarray(body.angular_velocity) + turn


def _sticking(K: Array, u: Array, normal: Array, material: Material) -> Array:
    """The impulse that stops the slip, with no more energy after it than before."""
    M = _inverse(K)
    newton = -jnp.asarray(material.restitution) * jnp.dot(u, normal)
    stiffness, energy = normal @ M @ normal, u @ M @ u
    creates = stiffness * newton**2 > energy * (1.0 + ROUND_OFF)
    all_of_it = jnp.sqrt(jnp.where(creates, energy / stiffness, 1.0))
    return M @ (jnp.where(creates, all_of_it, newton) * normal - u)


def _sliding(K: Array, u: Array, normal: Array, along: Array, material: Material) -> Array:
    """The impulse along a line of friction, with no more energy after it than before."""
    mobility = normal @ K @ along
    # a jam has no sliding impulse; it is never chosen, but must stay finite where it is not
    mobility = jnp.where(mobility > STILL * (normal @ K @ normal), mobility, normal @ K @ normal)
    stronge = -(1.0 + jnp.asarray(material.restitution)) * jnp.dot(u, normal) / mobility
    lossless = -2.0 * jnp.dot(u, along) / (along @ K @ along)
    creates = (stronge > lossless * (1.0 + ROUND_OFF)) & (lossless > 0.0)
    return jnp.where(creates, lossless, stronge) * along


def _mobility(a: Free, b: Free, point: Array) -> Array:
    """K: change of the touching velocity per unit of impulse (3, 3) [1/kg]."""
    K = _mobility_of(a, point) + _mobility_of(b, point)
    # two surfaces that nothing moves: any impulse will do, as long as it is finite
    return K + jnp.where(jnp.trace(K) == 0.0, 1.0, 0.0) * jnp.eye(3)


def _mobility_of(body: Free, point: Array) -> Array:
    arm = cross_matrix(point - jnp.asarray(body.centre))
    return jnp.asarray(body.inverse_mass) * jnp.eye(3) + arm @ jnp.asarray(body.inverse_inertia) @ arm.T


def _inverse(K: Array) -> Array:
    """Of a symmetric matrix (3, 3) that is far from singular, by its cofactors: cheap in a batch."""
    x, y, z = K
    cofactors = jnp.stack([jnp.cross(y, z), jnp.cross(z, x), jnp.cross(x, y)])
    return cofactors / jnp.dot(x, cofactors[0])


def _split(J: Array, normal: Array) -> tuple[Array, Array]:
    J_n = jnp.dot(J, normal)
    return J_n, J - J_n * normal


def _direction(part: Array, whole: Array) -> Array:
    """The unit vector along `part`, or zero where it is nothing beside the whole."""
    square = jnp.dot(part, part)
    still = square <= STILL**2 * jnp.dot(whole, whole)
    return jnp.where(still, 0.0, part / jnp.sqrt(jnp.where(still, 1.0, square)))
