"""Free flight against its laws: parabola, constant angular momentum and energy, Euler's equations."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from rigid.free_flight import State, Top, angular_momentum, energy, fly
from tests.helpers import check_derivative

GRAVITY = jnp.array([0.0, -9.81, 0.0])
CLUB = Top(0.02, 0.003, jnp.array([0.6, 0.0, 0.8]))


def thrown() -> State:
    return State(
        position=jnp.array([0.1, 1.2, -0.3]),
        rotation=jnp.asarray(Rotation.from_rotvec([0.4, -1.0, 0.7]).as_matrix()),
        velocity=jnp.array([1.0, 4.0, 0.5]),
        angular_velocity=jnp.array([3.0, -8.0, 11.0]),
    )


@pytest.mark.parametrize("top", [Top.ball(0.05), CLUB])
@pytest.mark.parametrize("duration", [-0.4, 0.0, 1.3])
def test_momentum_and_energy_stay(top: Top, duration: float) -> None:
    before = thrown()
    after = jax.jit(fly)(before, top, GRAVITY, duration)
    np.testing.assert_allclose(angular_momentum(after, top), angular_momentum(before, top), rtol=1e-13)
    assert float(energy(after, top, GRAVITY)) == pytest.approx(float(energy(before, top, GRAVITY)), rel=1e-13)
    np.testing.assert_allclose(after.rotation @ after.rotation.T, np.eye(3), atol=1e-14)


def test_a_spinning_club_obeys_eulers_equations() -> None:
    """Against an independent integration of Ṙ = [ω]× R with ω from the constant angular momentum."""
    start = thrown()
    momentum = np.asarray(angular_momentum(start, CLUB))
    axis = np.asarray(CLUB.axis)

    def rate(_: float, flat: np.ndarray) -> np.ndarray:
        R = flat.reshape(3, 3)
        e = R @ axis
        along = (e @ momentum) * e
        omega = (momentum - along) / 0.02 + along / 0.003
        return np.cross(omega, R.T).T.ravel()

    solved = solve_ivp(rate, (0.0, 0.8), np.asarray(start.rotation).ravel(), rtol=1e-12, atol=1e-12, method="DOP853")
    after = jax.jit(fly)(start, CLUB, GRAVITY, 0.8)
    np.testing.assert_allclose(after.rotation, solved.y[:, -1].reshape(3, 3), atol=1e-9)


def test_flights_add_up_and_go_back() -> None:
    start = thrown()
    step = jax.jit(fly)
    twice = step(step(start, CLUB, GRAVITY, 0.3), CLUB, GRAVITY, 0.5)
    for once, again in zip(jax.tree.leaves(step(start, CLUB, GRAVITY, 0.8)), jax.tree.leaves(twice), strict=True):
        np.testing.assert_allclose(again, once, atol=1e-12)
    for back, first in zip(jax.tree.leaves(step(twice, CLUB, GRAVITY, -0.8)), jax.tree.leaves(start), strict=True):
        np.testing.assert_allclose(back, first, atol=1e-12)


def landing(x: jax.Array) -> jax.Array:
    """Everything after 0.7 s as a function of position, velocity and spin at the start."""
    state = State(x[:3], thrown().rotation, x[3:6], x[6:9])
    after = fly(state, CLUB, GRAVITY, 0.7)
    return jnp.concatenate([after.position, after.velocity, after.angular_velocity, after.rotation.ravel()])


@pytest.mark.parametrize("spin", [0.0, 9.0])
def test_derivatives_also_without_spin(spin: float) -> None:
    check_derivative(landing, np.array([0.1, 1.2, -0.3, 1.0, 4.0, 0.5, spin, -spin, 0.5 * spin]))
