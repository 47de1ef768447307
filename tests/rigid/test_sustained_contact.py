"""A ball in contact: seen from its surface, what acts on it, and how well its motion is integrated."""

from dataclasses import replace
from itertools import pairwise

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kinematics.rotation import rotation_exp
from rigid.free_flight import State
from rigid.sustained_contact import Heading, forces, gap_and_normal, riding, surface_motion
from tests.rigid.moving_surface import (
    BUSY,
    GLOBE,
    GRAVITY,
    RADIUS,
    K,
    at,
    pose,
    ride_to,
    span,
    surface,
    world,
)


def test_a_ride_is_the_same_state_seen_from_the_surface() -> None:
    u = BUSY
    state = State(jnp.array([0.1, 1.2, -0.3]), rotation_exp(jnp.ones(3)), jnp.ones(3), jnp.array([3.0, -8.0, 1.0]))
    ride = riding(state, at(0.4, u))
    for back, first in zip(jax.tree.leaves(world(ride, at(0.4, u))), jax.tree.leaves(state), strict=True):
        np.testing.assert_allclose(back, first, atol=1e-13)
    # the velocity of a ride is the rate of its position: let the ball go straight on for a moment
    h = 1e-5
    before, after = (
        riding(replace(state, position=state.position + s * h * state.velocity), at(0.4 + s * h, u)).position
        for s in (-1.0, 1.0)
    )
    np.testing.assert_allclose((after - before) / (2 * h), ride.velocity, atol=1e-8)


def test_rates_of_a_surface_are_derivatives_of_its_pose() -> None:
    times = jnp.linspace(0.0, 0.6, 5)
    ours = jax.jit(lambda t, u: surface_motion(pose, t, u))(times, BUSY)
    for by_rule, by_hand in zip(jax.tree.leaves(ours), jax.tree.leaves(surface(times, BUSY)), strict=True):
        np.testing.assert_allclose(by_rule, by_hand, atol=1e-13)


@pytest.mark.parametrize("rolls", [True, False])
def test_halving_the_step_divides_the_error_by_sixteen(rolls: bool) -> None:
    """On a globe that turns, shakes and accelerates; the ball's own rotation counts too."""
    ball = span(GLOBE, (0.05, np.sqrt(0.35**2 - 0.05**2), 0.0), (0.2, 0, 0.5), (20, 5, 40), rolls=rolls, friction=0.3)
    rides = [ride_to(BUSY, replace(ball, step=jnp.asarray(0.2 / n, float)), n, 0.2) for n in (8, 16, 32, 64)]
    flat = [np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(ride)]) for ride in rides]
    coarse, middle, fine = (np.abs(b - a).max() for a, b in pairwise(flat))
    assert 12.0 < coarse / middle < 24.0 and 12.0 < middle / fine < 20.0
    for ride in rides:
        gap, n = gap_and_normal(ball.contact, ride.position)
        assert abs(float(gap)) <= 1e-13 and abs(float(n @ ride.velocity)) <= 1e-13
        np.testing.assert_allclose(ride.rotation @ ride.rotation.T, np.eye(3), atol=1e-13)


def test_forces_are_newtons_in_the_world() -> None:
    """On a surface that does everything at once: m a = m g + N n + F, and the rates of the ride's own velocity."""
    ball = span(GLOBE, (0.05, np.sqrt(0.35**2 - 0.05**2), 0.0), (0.2, 0, 0.5))
    h = 1e-3
    first, second, third = (world(ride_to(BUSY, ball, 0, 0.01 + i * h), at(0.01 + i * h, BUSY)) for i in range(3))
    surface_then = at(0.01 + h, BUSY)
    f = forces(ball.contact, surface_then, riding(second, surface_then), Heading.unknown())
    n = surface_then.rotation @ gap_and_normal(ball.contact, riding(second, surface_then).position)[1]
    acceleration = (np.asarray(third.velocity) - np.asarray(first.velocity)) / (2 * h)
    push = surface_then.rotation @ f.friction
    np.testing.assert_allclose(acceleration, GRAVITY + f.normal * n + push, atol=1e-3)
    spin_rate = (np.asarray(third.angular_velocity) - np.asarray(first.angular_velocity)) / (2 * h)
    np.testing.assert_allclose(spin_rate, -np.cross(n, push) / (K * RADIUS), atol=1e-2)
