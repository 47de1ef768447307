"""From bouncing to sustained contact: infinitely many bounces in closed form.

A ball that leaves a surface with normal speed v and is pulled back by a > 0, both relative to the surface, comes back
after 2 v / a and leaves with e v. The times of its bounces add up to

    T = 2 v / (a (1 - e)),      with normal impulses per unit of mass   J = a T - v = v (1 + e) / (1 - e),

and then it stays. The i-th touch (i = 1, 2, …) carries the share (1 - e) eⁱ⁻¹ of J and comes T eⁱ before the end.
Friction acts at the touches: each takes away slip up to its share of (1 + 1/k) μ J, until one sticks, or for ever. The
pull and the other accelerations are held for T at what they are when it begins. On a level surface that keeps its
velocity the sums are exact; else friction acts on the slip that there would be at the end, in one direction.
"""

from dataclasses import dataclass, replace
from functools import partial

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from kinematics.rotation import rotation_exp
from rigid.sustained_contact import (
    Heading,
    Riding,
    SurfaceMotion,
    SustainedContact,
    forces,
    gap_and_normal,
    push,
    slip_of,
    touching,
)

SHORT = 0.03  # [s] a series shorter than a frame of film
LOW = 1e-4  # [m] a bounce lower than anybody sees
LONGEST = 0.1  # [s] for longer than this no hand holds its acceleration


@partial(jax.tree_util.register_dataclass, data_fields=["rolls", "slid"], meta_fields=[])
@dataclass(frozen=True)
class Settling:
    """How the touches of a series go: data, decided once."""

    rolls: Array  # whether one of them sticks
    slid: Array  # how many slide before that


def settles(speed: ArrayLike, pull: ArrayLike, restitution: ArrayLike) -> Array:
    """Whether the rest of the bounces is summed up instead of simulated.

    It is when all of them together take less than 30 ms, or when the next one is lower than 0.1 mm and all of them take
    less than 0.1 s. `speed` is the normal speed after a touch [m/s], `pull` [m/s²] the relative normal acceleration
    back towards the surface; where it does not pull, nothing settles.
    """
    speed, pull, restitution = (jnp.asarray(x, float) for x in (speed, pull, restitution))
    comes_back = (pull > 0.0) & (restitution < 1.0)
    a = jnp.where(comes_back, pull, 1.0)
    total = settling_time(speed, a, jnp.where(comes_back, restitution, 0.0))
    low = (speed**2 / (2.0 * a) <= LOW) & (total <= LONGEST)
    return comes_back & ((total <= SHORT) | low)


def settling_time(speed: ArrayLike, pull: ArrayLike, restitution: ArrayLike) -> Array:
    """T [s]: when the bounces have added up and the contact is sustained."""
    return 2.0 * jnp.asarray(speed) / (jnp.asarray(pull) * (1.0 - jnp.asarray(restitution)))


def speed_and_pull(contact: SustainedContact, surface: SurfaceMotion, ride: Riding) -> tuple[Array, Array]:
    """Normal speed away from the surface and acceleration back to it, relative to it, just after a touch."""
    _, n = gap_and_normal(contact, ride.position)
    return jnp.dot(n, ride.velocity), forces(contact, surface, ride, Heading.unknown()).normal


def decide(contact: SustainedContact, surface: SurfaceMotion, ride: Riding, restitution: ArrayLike) -> Settling:
    """Whether the ball rolls when it has settled, and how many touches slide before."""
    e = jnp.asarray(restitution, float)
    _, _, _, free, most = _without_friction(contact, surface, ride, e)
    slip = jnp.sqrt(jnp.sum(free * free))
    rolls = slip <= most
    left = 1.0 - jnp.where(rolls, slip, 0.0) / jnp.where(most > 0.0, most, 1.0)  # share of friction never used
    safe = (e > 0.0) & (left > 0.0)
    slid = jnp.floor(jnp.log(jnp.where(safe, left, 1.0)) / jnp.log(jnp.where(safe, e, 0.5)))
    return Settling(rolls, slid)


def settle(
    contact: SustainedContact, surface: SurfaceMotion, ride: Riding, restitution: ArrayLike, settling: Settling
) -> tuple[Array, Riding]:
    """How long the bounces take, and the ride after them, in the frame that the surface has by then.

    `ride` is just after a touch and `surface` the motion at that time. What comes out touches, with `settling.rolls` as
    the contact's mode.
    """
    e = jnp.asarray(restitution, float)
    T, mean, last, slip, most = _without_friction(contact, surface, ride, e)
    gap, n = gap_and_normal(contact, ride.position)
    taken = jnp.where(settling.rolls, slip, most * _unit(slip))
    # the slid-th power of e, where 0⁰ has a derivative too; for ever sliding touches it has come down to zero
    power = jnp.where(settling.slid > 0, jnp.where(e > 0.0, e, 0.5) ** settling.slid, 1.0)
    power = jnp.where(settling.rolls, power, 0.0)
    lever = e * (power * taken + most * ((1.0 - power**2) / (1.0 + e) - (1.0 - power) * power) * _unit(slip))
    # what friction has changed by the end, and how far that has carried the ball meanwhile
    k = jnp.asarray(contact.ball.moment)
    after = push(contact, last, n, -k / (1.0 + k) * taken)
    carried = push(contact, mean, n, -k / (1.0 + k) * lever)
    position = ride.position - gap * n + T * carried.velocity
    rotation = rotation_exp(T * carried.spin) @ ride.rotation
    rides = replace(contact, rolls=settling.rolls)
    return T, touching(rides, Riding(position, rotation, after.velocity, after.spin))


def _without_friction(
    contact: SustainedContact, surface: SurfaceMotion, ride: Riding, e: Array
) -> tuple[Array, Riding, Riding, Array, Array]:
    """T, the mean and the last ride as they would be without friction, the last slip, and what friction can take."""
    smooth = replace(contact, rolls=jnp.asarray(False), friction=0.0)
    f = forces(smooth, surface, ride, Heading.unknown())
    _, n = gap_and_normal(contact, ride.position)
    speed = jnp.dot(n, ride.velocity)
    T = settling_time(speed, f.normal, e)

    def after(t: Array) -> Riding:
        velocity = ride.velocity - n * speed + t * f.acceleration
        return Riding(ride.position, ride.rotation, velocity, ride.spin + t * f.spin_rate)

    last = after(T)
    slip = slip_of(contact, last, n)
    most = (1.0 + 1.0 / jnp.asarray(contact.ball.moment)) * contact.friction * (f.normal * T - speed)
    return T, after(0.5 * T), last, slip - n * jnp.dot(n, slip), most


def _unit(vector: Array) -> Array:
    square = jnp.sum(vector * vector)
    return vector / jnp.sqrt(jnp.where(square < 1e-24, 1.0, square))
