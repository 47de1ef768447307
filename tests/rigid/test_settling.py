"""Bounces that are summed up: the sum, its derivative, and what settles."""

from dataclasses import replace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rigid.settling import decide, settle, settles, settling_time, speed_and_pull
from rigid.sustained_contact import Riding, SurfaceMotion, SustainedContact, gap_and_normal
from tests.rigid.moving_surface import BUSY, GLOBE, ON_TABLE, RADIUS, STILL, TABLE, G, K, at, contact, moving, quotient


def bounced(ride: Riding, e: float, friction: float) -> tuple[float, np.ndarray, np.ndarray, np.ndarray]:
    """The slow way: bounce after bounce on a level table at rest, until nothing is left."""
    y, v, w = (np.array(part) for part in (ride.position, ride.velocity, ride.spin))
    up, speed, time = np.array([0.0, 1.0, 0.0]), float(ride.velocity[1]), 0.0
    v[1] = 0.0
    for _ in range(2000):
        flight = 2 * speed / G
        time, y = time + flight, y + flight * v
        slip = v - RADIUS * np.cross(w, up)
        size = np.linalg.norm(slip)
        impulse = -slip / size * min(friction * (1 + e) * speed, size / 3.5) if size > 1e-15 else np.zeros(3)
        v, w = v + impulse, w - np.cross(up, impulse) / (K * RADIUS)
        speed *= e
    return time, y, v, w


settled = jax.jit(settle)


@pytest.mark.parametrize("e", [0.0, 0.4, 0.8])
@pytest.mark.parametrize("friction", [0.02, 0.3, 0.6, 1.5])
def test_settling_is_the_sum_of_all_bounces(e: float, friction: float) -> None:
    here = contact(TABLE, ON_TABLE, False, friction)
    ride = Riding(jnp.asarray(ON_TABLE), jnp.eye(3), jnp.array([0.2, 0.1, -0.05]), jnp.array([1.0, 4.0, 2.0]))
    how = decide(here, at(0.0, STILL), ride, e)
    duration, after = settled(here, at(0.0, STILL), ride, e, how)
    time, y, v, w = bounced(ride, e, friction)
    assert float(duration) == pytest.approx(time, abs=1e-14)
    np.testing.assert_allclose(after.velocity, v, atol=1e-13)
    np.testing.assert_allclose(after.spin, w, atol=1e-11)
    np.testing.assert_allclose(after.position, y, atol=1e-14)


def rest_of(x: jax.Array, here: SustainedContact, there: SurfaceMotion, how: Any) -> jax.Array:
    ride = Riding(x[:3], jnp.eye(3), x[3:6], x[6:9])
    duration, after = settle(replace(here, friction=x[9]), there, ride, x[10], how)
    return jnp.concatenate([duration[None], *(leaf.ravel() for leaf in jax.tree.leaves(after))])


rest, rest_rate = jax.jit(rest_of), jax.jit(jax.jacrev(rest_of))


@pytest.mark.parametrize("friction", [0.02, 1.5])
def test_settling_has_its_derivative_on_a_moving_globe(friction: float) -> None:
    y = np.array([0.05, np.sqrt(0.35**2 - 0.05**2), 0.0])
    x = jnp.array([*y, 0.2, 0.05, 0.1, 4.0, 1.0, 6.0, friction, 0.6])
    here = contact(GLOBE, y, False, friction)
    there = at(0.1, BUSY)
    how = decide(here, there, Riding(x[:3], jnp.eye(3), x[3:6], x[6:9]), 0.6)
    assert bool(how.rolls) == (friction > 0.1)
    derivative = np.asarray(rest_rate(x, here, there, how))
    numeric = quotient(lambda y: np.asarray(rest(y, here, there, how)), np.asarray(x))
    np.testing.assert_allclose(derivative, numeric, atol=1e-7 * np.abs(numeric).max())
    after = rest(x, here, there, how)
    assert abs(float(gap_and_normal(here, after[1:4])[0])) <= 1e-13


def test_what_settles() -> None:
    assert bool(settles(0.03, G, 0.7)) and not bool(settles(0.3, G, 0.7))
    assert not bool(settles(0.03, -1.0, 0.7)) and not bool(settles(0.03, G, 1.0))  # pulled away; no loss
    assert not bool(settles(0.03, G, 0.99))  # low, but for more than half a second
    assert float(settling_time(0.3, G, 0.5)) == pytest.approx(4 * 0.3 / G)
    u = moving(acceleration=(0.0, -4.0, 0.0))
    ride = Riding(jnp.asarray(ON_TABLE), jnp.eye(3), jnp.array([0.2, 0.1, -0.05]), jnp.zeros(3))
    speed, pull = speed_and_pull(contact(TABLE, ON_TABLE, False, 0.1), at(0.0, u), ride)
    assert float(speed) == pytest.approx(0.1) and float(pull) == pytest.approx(G - 4.0)
