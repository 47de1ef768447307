"""Flight through air in machine code is that of `rigid.air`, step by step."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from hoi_edit.simulate.packed_states import glided
from kinematics.rotation import rotation_exp
from rigid.air import FEWEST, MOST, Air, acceleration, air_for, fly_in_air, steps_for
from rigid.air_compiled import acceleration_in_air, first_meeting_in_air, packed_air
from rigid.free_flight import State, Top

GRAVITY = np.array([0.3, -9.81, -0.1])
flight = jax.jit(fly_in_air, static_argnames="steps")


@pytest.mark.parametrize("steps", [32, 128])
def test_both_flights_are_one(steps: int) -> None:
    rng = np.random.default_rng(0)
    for _ in range(30):
        air = Air(rng.uniform(0.0, 0.2), rng.uniform(-0.005, 0.005), rng.normal(size=3) * 3.0)
        R = np.asarray(rotation_exp(rng.normal(size=3)))
        row = np.concatenate([rng.normal(size=3), R.ravel(), rng.normal(size=3) * 15.0, rng.normal(size=3) * 50.0])
        t = rng.uniform(-0.03, 1.5)
        state = State(jnp.asarray(row[:3]), jnp.asarray(R), jnp.asarray(row[12:15]), jnp.asarray(row[15:]))
        after = flight(state, Top.ball(0.05), jnp.asarray(GRAVITY), air, t, steps=steps)
        wanted = np.concatenate([np.ravel(x) for x in jax.tree.leaves(after)])
        scale = np.maximum(np.abs(wanted), 1.0)
        assert np.abs((glided(row, t, GRAVITY, packed_air(air, steps)) - wanted) / scale).max() <= 1e-13
        push = acceleration(state.velocity, state.angular_velocity, jnp.asarray(GRAVITY), air)
        np.testing.assert_allclose(acceleration_in_air(row, GRAVITY, packed_air(air, steps)), push, rtol=1e-13)


def test_steps_are_powers_of_two_within_bounds() -> None:
    light, heavy = air_for(0.0027, 0.02), air_for(7.26, 0.06)
    counts = [steps_for(air, seconds) for air in (light, heavy) for seconds in (0.5, 2.0, 10.0, 100.0)]
    assert min(counts) == FEWEST and max(counts) == MOST
    assert all(count & (count - 1) == 0 for count in counts)


def two(apart: float, closing: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    states = np.zeros((2, 18))
    states[1, 0], states[1, 12] = apart, -closing
    airs = np.stack([packed_air(Air(0.02, 0.0, np.zeros(3)), 32)] * 2)
    return np.zeros(2), states, airs


@pytest.mark.parametrize("apart", [0.1, 0.1 + 1e-13, 0.3, 5.0])
@pytest.mark.parametrize("closing", [0.1, 1.0, 300.0])
def test_a_meeting_is_found_at_any_speed(apart: float, closing: float) -> None:
    """Gravity pulls both alike: they approach steadily, but for drag, and touch to round-off or not at all."""
    start, states, airs = two(apart, closing)
    found = first_meeting_in_air(start, states, airs, 0.1, GRAVITY, 0.0, 2.0)

    def gap(t: float) -> float:
        a, b = (glided(state, t, GRAVITY, air)[:3] for state, air in zip(states, airs, strict=True))
        return float(np.linalg.norm(a - b)) - 0.1

    if found < np.inf:
        assert abs(gap(found)) <= 1e-13
    assert min(gap(t) for t in np.linspace(0.0, min(found, 2.0), 50)) >= -1e-13
    assert (found < np.inf) == (apart < 0.2 or closing > 0.1) or (apart, closing) == (5.0, 1.0)


def test_what_parts_or_overlaps_is_not_met() -> None:
    assert first_meeting_in_air(*two(0.1, -1.0), 0.1, GRAVITY, 0.0, 1.0) == np.inf
    assert first_meeting_in_air(*two(0.05, -1.0), 0.1, GRAVITY, 0.0, 1.0) == np.inf
    assert first_meeting_in_air(*two(0.1, 0.0), 0.1, GRAVITY, 0.0, 0.1) == np.inf
