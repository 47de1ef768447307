"""The one parabola: for numbers, numpy, JAX and machine code."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from kinematics.packed_motion import PLACE, ROTATION, SPIN, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from rigid.ballistics import fall, fallen
from rigid.free_flight import State, Top, fly
from tests.helpers import machine_code

GRAVITY = np.array([0.3, -9.81, -0.1])


def filled(state: Floats, gravity: Floats, duration: float) -> Floats:
    after = np.full(STATE_SIZE, np.nan)
    fall(state, gravity, duration, after)
    return after


by_machine = machine_code(filled)


@pytest.mark.parametrize("duration", [0.0, 1e-9, 0.7, -0.4, 300.0])
def test_it_is_the_same_for_all_who_fly(duration: float) -> None:
    state = np.random.default_rng(0).normal(size=STATE_SIZE)
    place, velocity, spin = state[PLACE:ROTATION], state[VELOCITY:SPIN], state[SPIN:]
    flown = fly(
        State(jnp.asarray(place), jnp.eye(3), jnp.asarray(velocity), jnp.asarray(spin)),
        Top.ball(0.1),
        jnp.asarray(GRAVITY),
        duration,
    )
    one_by_one = [fallen(*numbers, duration) for numbers in zip(place, velocity, GRAVITY, strict=True)]
    np.testing.assert_array_equal(one_by_one, fallen(place, velocity, GRAVITY, duration))
    for after in (filled(state, GRAVITY, duration), by_machine(state, GRAVITY, duration)):
        np.testing.assert_allclose(after[PLACE:ROTATION], one_by_one, rtol=4e-16)
        np.testing.assert_allclose(after[PLACE:ROTATION], flown.position, rtol=4e-16)
        np.testing.assert_allclose(after[VELOCITY:SPIN], flown.velocity, rtol=4e-16)
        np.testing.assert_array_equal(after[SPIN:], spin)
        assert np.all(np.isnan(after[ROTATION:VELOCITY]))  # turning is another's


def test_velocity_is_its_rate_and_gravity_that_of_velocity() -> None:
    def place(t: float) -> jax.Array:
        return jnp.asarray(fallen(1.5, -0.25, GRAVITY[1], t))

    assert float(jax.grad(place)(0.8)) == pytest.approx(-0.25 + 0.8 * GRAVITY[1], rel=1e-15)
    assert float(jax.grad(jax.grad(place))(0.8)) == pytest.approx(GRAVITY[1], rel=1e-15)
