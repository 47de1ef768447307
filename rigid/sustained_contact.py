"""A ball in sustained contact with a moving surface: sliding with Coulomb's friction, or rolling without slip.

Everything is written in the surface's own frame, where it stands still and its motion appears as forces of inertia.
With centre y, relative spin w, outward normal n, moment of inertia k m r² and all forces per unit of mass:

    slip       u = ẏ - r w × n                                     velocity of the ball's lowest point over the surface
    normal     N = -n·f - ṅ·ẏ                                      from gap'' = 0; f is what the ball feels besides N, F
    friction   roll: F = -u̇_free k / (1 + k), from u̇ = 0;  slide: F = -μ N u / |u|
    motion     ÿ = f + N n + F,     ẇ = ẇ_free - n × F / (k r)

What the contact is (which feature of the shape, roll or slide) is data: it is decided when a contact is found or
changes (`rolling_ends`), and in between everything is smooth, also a little beyond the end of the contact.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any, TypeVar

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from kinematics.rotation import Floats, rotation_exp
from rigid.distance import RoundedBox, feature_of
from rigid.free_flight import State

Times = TypeVar("Times", Array, Floats)

SLOWEST_SLIP = 1e-9  # [m/s] below this, slip has no direction of its own and takes that in which it is about to start
SLOWED = (
    1 / 8
)  # of the slip at a step's begin. Before slip ends no stage sees less: at three quarters it is 1/4 of that

# An explicit Runge-Kutta method of order 4 on quarters of a step. The classical one looks at the step's end, and at the
# end of a slide that is where slip vanishes and has no direction; here the last look is at three quarters.
QUARTERS = np.array([0, 1, 1, 2, 3])
STAGES = np.array(
    [
        [0.0, 0.0, 0.0, 0.0, 0.0],
        [1 / 4, 0.0, 0.0, 0.0, 0.0],
        [1 / 8, 1 / 8, 0.0, 0.0, 0.0],
        [0.0, 1 / 4, 1 / 4, 0.0, 0.0],
        [1 / 8, 0.0, 1 / 8, 1 / 2, 0.0],
    ]
)
WEIGHTS = np.array([0.0, 0.0, 2 / 3, -1 / 3, 2 / 3])


@partial(jax.tree_util.register_dataclass, data_fields=["radius", "moment"], meta_fields=[])
@dataclass(frozen=True)
class RoundBody:
    """A ball; its mass cancels."""

    radius: ArrayLike  # [m]
    moment: ArrayLike = 2 / 5  # of inertia over m r²: 2/5 homogeneous, 2/3 a thin shell


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["position", "rotation", "velocity", "angular_velocity", "acceleration", "angular_acceleration"],
    meta_fields=[],
)
@dataclass(frozen=True)
class SurfaceMotion:
    """A surface's frame in the world at one time, or at many along the first axis."""

    position: Array  # (..., 3) of its origin [m]
    rotation: Array  # (..., 3, 3)
    velocity: Array  # (..., 3) of its origin [m/s]
    angular_velocity: Array  # (..., 3) [rad/s]
    acceleration: Array  # (..., 3) of its origin [m/s²]
    angular_acceleration: Array  # (..., 3) [rad/s²]


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["ball", "shape", "feature", "rolls", "friction", "gravity"],
    meta_fields=[],
)
@dataclass(frozen=True)
class SustainedContact:
    ball: RoundBody
    shape: RoundedBox
    feature: Array  # (3,) of the shape, see `touching_feature`
    rolls: ArrayLike  # whether the ball rolls without slip; else it slides
    friction: ArrayLike
    gravity: Array  # (3,) in the world [m/s²]


@partial(jax.tree_util.register_dataclass, data_fields=["position", "rotation", "velocity", "spin"], meta_fields=[])
@dataclass(frozen=True)
class Riding:
    """A ball relative to a surface, in the surface's frame: one that rides along without moving has zero velocity."""

    position: Array  # (3,) of its centre [m]
    rotation: Array  # (3, 3)
    velocity: Array  # (3,) [m/s]
    spin: Array  # (3,) [rad/s]


@partial(jax.tree_util.register_dataclass, data_fields=["direction", "least"], meta_fields=[])
@dataclass(frozen=True)
class Heading:
    """Where slip went when a step began.

    Along it slip counts as `least` or more, so that friction goes on smoothly in its direction when slip passes zero:
    slip along it then changes sign, which is how the end of a slide is found.
    """

    direction: Array  # (3,) or zero: nothing is known
    least: Array  # [m/s]

    @staticmethod
    def unknown() -> "Heading":
        return Heading(jnp.zeros(3), jnp.zeros(()))


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["normal", "friction", "needed", "slip", "direction", "acceleration", "spin_rate"],
    meta_fields=[],
)
@dataclass(frozen=True)
class Forces:
    """Per unit of mass [m/s²], in the surface's frame."""

    normal: Array  # () negative where the contact would have to pull
    friction: Array  # (3,)
    needed: Array  # (3,) the friction that keeps slip as it is: what rolling needs
    slip: Array  # (3,) [m/s]
    direction: Array  # (3,) of slip, or of the slip about to start
    acceleration: Array  # (3,) of the centre relative to the surface
    spin_rate: Array  # (3,) [rad/s²]


def surface_motion(pose: Callable[[Array, Any], tuple[Array, Array]], times: Array, u: Any) -> SurfaceMotion:
    """The motion of a frame with `pose(t, u)` = (position, rotation) at many times (n,): its rates are derivatives."""

    def twist(t: Array) -> tuple[Array, Array, Array, Array]:
        (p, R), (v, R_rate) = jax.jvp(lambda s: pose(s, u), (t,), (jnp.ones_like(t),))
        W = R_rate @ R.T
        return p, R, v, jnp.stack([W[2, 1], W[0, 2], W[1, 0]])

    def at(t: Array) -> SurfaceMotion:
        (p, R, v, omega), (_, _, a, alpha) = jax.jvp(twist, (t,), (jnp.ones_like(t),))
        return SurfaceMotion(p, R, v, omega, a, alpha)

    return jax.vmap(at)(jnp.asarray(times, float))


def riding(state: State, surface: SurfaceMotion) -> Riding:
    """A state in the world, as seen from the surface."""
    arm = state.position - surface.position
    across = state.velocity - surface.velocity - jnp.cross(surface.angular_velocity, arm)
    to_surface = surface.rotation.T
    return Riding(
        to_surface @ arm,
        to_surface @ state.rotation,
        to_surface @ across,
        to_surface @ (state.angular_velocity - surface.angular_velocity),
    )


def in_world(ride: Riding, surface: SurfaceMotion) -> State:
    """The inverse of `riding`."""
    R = surface.rotation
    arm = R @ ride.position
    return State(
        surface.position + arm,
        R @ ride.rotation,
        surface.velocity + jnp.cross(surface.angular_velocity, arm) + R @ ride.velocity,
        surface.angular_velocity + R @ ride.spin,
    )


def touching_feature(shape: RoundedBox, position: Array) -> Array:
    """The feature of a contact that lasts: as `feature_of`, but one side only where the core has no extent.

    There the two sides are one surface, so that a ball may roll all around a capsule or a sphere without any event.
    """
    return jnp.where(jnp.asarray(shape.core) == 0.0, 1.0, feature_of(shape, position))


def gap_and_normal(contact: SustainedContact, position: Array) -> tuple[Array, Array]:
    """Gap between ball and surface [m] and the outward normal, for the ball's centre in the surface's frame.

    The centre of a ball that touches is outside the core by at least its radius. Unlike `distance.gap_and_normal` this
    need not tell inside from outside by the feature's signs, which mean nothing where the core has no extent.
    """
    feature = contact.feature
    away = jnp.where(feature == 0.0, 0.0, position - feature * jnp.asarray(contact.shape.core))
    length = jnp.sqrt(jnp.sum(away * away))
    return length - contact.shape.radius - contact.ball.radius, away / length


def normal_rate(contact: SustainedContact, ride: Riding, normal: Array) -> Array:
    """How fast the normal turns under a ball that touches [1/s]: only in directions in which the feature is round."""
    across = jnp.where(contact.feature == 0.0, 0.0, ride.velocity)
    return (across - normal * jnp.dot(normal, across)) / (jnp.asarray(contact.shape.radius) + contact.ball.radius)


def forces(contact: SustainedContact, surface: SurfaceMotion, ride: Riding, heading: Heading) -> Forces:
    """What acts on the ball at one instant."""
    r, k = jnp.asarray(contact.ball.radius), jnp.asarray(contact.ball.moment)
    y, v, w = ride.position, ride.velocity, ride.spin
    to_surface = surface.rotation.T
    omega, alpha = to_surface @ surface.angular_velocity, to_surface @ surface.angular_acceleration
    free = to_surface @ (contact.gravity - surface.acceleration)
    free -= jnp.cross(alpha, y) + 2.0 * jnp.cross(omega, v) + jnp.cross(omega, jnp.cross(omega, y))
    free_turn = -alpha - jnp.cross(omega, w)
    _, n = gap_and_normal(contact, y)
    n_rate = normal_rate(contact, ride, n)
    normal = -jnp.dot(n, free) - jnp.dot(n_rate, v)
    free_slip_rate = free - r * (jnp.cross(free_turn, n) + jnp.cross(w, n_rate))
    needed = -k / (1.0 + k) * (free_slip_rate - n * jnp.dot(n, free_slip_rate))
    slip = slip_of(contact, ride, n)
    direction = _direction(slip, needed, heading)
    friction = jnp.where(contact.rolls, needed, -jnp.asarray(contact.friction) * normal * direction)
    spin_rate = free_turn - jnp.cross(n, friction) / (k * r)
    return Forces(normal, friction, needed, slip, direction, free + normal * n + friction, spin_rate)


def slip_of(contact: SustainedContact, ride: Riding, normal: Array) -> Array:
    """Velocity of the ball's contact point over the surface [m/s]."""
    return ride.velocity - contact.ball.radius * jnp.cross(ride.spin, normal)


def push(contact: SustainedContact, ride: Riding, normal: Array, impulse: Array) -> Riding:
    """After a tangential impulse per unit of mass [m/s] at the contact point."""
    arm = jnp.asarray(contact.ball.moment) * contact.ball.radius
    spin = ride.spin - jnp.cross(normal, impulse) / arm
    return Riding(ride.position, ride.rotation, ride.velocity + impulse, spin)


def touching(contact: SustainedContact, ride: Riding) -> Riding:
    """The nearest state of this contact: gap and gap rate zero, and no slip if it rolls.

    Slip is taken away by a friction impulse, as nature would. On states that belong to the contact nothing changes.
    """
    gap, n = gap_and_normal(contact, ride.position)
    velocity = ride.velocity - n * jnp.dot(n, ride.velocity)
    on = Riding(ride.position - gap * n, ride.rotation, velocity, ride.spin)
    k = jnp.asarray(contact.ball.moment)
    stop = jnp.where(contact.rolls, -k / (1.0 + k) * slip_of(contact, on, n), 0.0)
    return push(contact, on, n, stop)


def step(
    contact: SustainedContact, quarters: SurfaceMotion, ride: Riding, duration: ArrayLike, heading: Heading
) -> Riding:
    """One step of order 4, back onto the surface; `quarters` are the surface's motions at 0, 1/4, 2/4 and 3/4 of it."""
    h = jnp.asarray(duration, float)
    # the rotation does not act on the motion, so its angle is a fourth integral beside position, velocity and spin
    begin = jnp.concatenate([ride.position, ride.velocity, ride.spin, jnp.zeros(3)])

    def stage(rates: Array, row: tuple[Array, Array, SurfaceMotion]) -> tuple[Array, None]:
        index, weights, surface = row
        y, v, w, _ = jnp.split(begin + h * (weights @ rates), 4)
        f = forces(contact, surface, Riding(y, ride.rotation, v, w), heading)
        return rates.at[index].set(jnp.concatenate([v, f.acceleration, f.spin_rate, w])), None

    surfaces = jax.tree.map(lambda leaf: leaf[QUARTERS], quarters)
    rates, _ = jax.lax.scan(stage, jnp.zeros((5, 12)), (jnp.arange(5), jnp.asarray(STAGES), surfaces))
    y, v, w, turn = jnp.split(begin + h * (WEIGHTS @ rates), 4)
    # Magnus' series: the axis moves during the step, and turns do not commute
    turn -= h**2 / 12.0 * jnp.cross(ride.spin, w)
    return touching(contact, Riding(y, rotation_exp(turn) @ ride.rotation, v, w))


def stage_times(edges: Times) -> Times:
    """(4 n + 1,) the times at which n steps between these edges (n + 1,) look at the surface."""
    n = edges.shape[0] - 1
    quarter = np.arange(4 * n + 1)
    begins, ends = edges[quarter // 4], edges[np.minimum(quarter // 4 + 1, n)]
    return begins + (ends - begins) * (quarter % 4) / 4.0


def heading_of(contact: SustainedContact, surface: SurfaceMotion, ride: Riding) -> Heading:
    """Where the ball slips, or is about to."""
    f = forces(contact, surface, ride, Heading.unknown())
    return Heading(f.direction, SLOWED * jnp.dot(f.slip, f.direction))


def roll(contact: SustainedContact, samples: SurfaceMotion, durations: Array, start: Riding) -> tuple[Riding, Heading]:
    """The ride at the edges of n steps (n + 1, ...), and where slip goes at the begin of each (n, ...).

    `samples` are the surface's motions at the steps' `stage_times`; a step of no duration changes nothing.
    """

    def one(ride: Riding, row: tuple[Array, SurfaceMotion]) -> tuple[Riding, tuple[Riding, Heading]]:
        duration, quarters = row
        heading = heading_of(contact, jax.tree.map(lambda leaf: leaf[0], quarters), ride)
        after = step(contact, quarters, ride, duration, heading)
        return after, (after, heading)

    count = durations.shape[0]
    quarters = jax.tree.map(lambda leaf: leaf[:-1].reshape(count, 4, *leaf.shape[1:]), samples)
    begin = touching(contact, start)
    _, (rides, headings) = jax.lax.scan(one, begin, (durations, quarters))
    return jax.tree.map(lambda first, rest: jnp.concatenate([first[None], rest]), begin, rides), headings


def _direction(slip: Array, needed: Array, heading: Heading) -> Array:
    along = slip + jnp.maximum(heading.least - jnp.dot(slip, heading.direction), 0.0) * heading.direction
    still = jnp.sum(along * along) < SLOWEST_SLIP**2
    along = jnp.where(still, -needed, along)  # from no slip it starts against the friction that cannot hold it
    square = jnp.sum(along * along)
    return along / jnp.sqrt(jnp.where(square < 1e-24, 1.0, square))
