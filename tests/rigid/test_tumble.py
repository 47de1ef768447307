"""Bodies that tumble: constant angular momentum and energy, the order of the series, an independent integration."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.spatial.transform import Rotation

from rigid.free_flight import Asymmetric, State, Top, angular_momentum, energy, fly
from rigid.tumble import turn_in
from tests.helpers import check_derivative

GRAVITY = jnp.array([0.0, -9.81, 0.0])
BRICK = Asymmetric(jnp.array([0.013, 0.005, 0.010]))
ROTATION = jnp.asarray(Rotation.from_rotvec([0.4, -1.0, 0.7]).as_matrix())
SPINS = {
    "any": [3.0, -8.0, 11.0],
    "middle axis": [1e-3, 1e-3, 18.0],  # unstable: it turns over again and again
    "middle axis, exactly": [0.0, 0.0, 18.0],
    "long axis": [0.0, 25.0, 0.0],
    "none": [0.0, 0.0, 0.0],
}

flight = jax.jit(fly)


def thrown(spin_body: list[float]) -> State:
    return State(jnp.array([0.1, 1.2, -0.3]), ROTATION, jnp.array([1.0, 4.0, 0.5]), ROTATION @ jnp.asarray(spin_body))


@pytest.mark.parametrize("spin", SPINS)
@pytest.mark.parametrize("duration", [-0.4, 0.0, 1.3, 6.0])
def test_momentum_and_energy_stay(spin: str, duration: float) -> None:
    before = thrown(SPINS[spin])
    after = flight(before, BRICK, GRAVITY, duration)
    np.testing.assert_allclose(angular_momentum(after, BRICK), angular_momentum(before, BRICK), atol=1e-15)
    start = float(energy(before, BRICK, GRAVITY))
    assert float(energy(after, BRICK, GRAVITY)) == pytest.approx(start, rel=1e-12)
    turning = [float(s.angular_velocity @ angular_momentum(s, BRICK)) for s in (before, after)]
    assert turning[1] == pytest.approx(turning[0], rel=1e-12)
    np.testing.assert_allclose(after.rotation @ after.rotation.T, np.eye(3), atol=1e-14)


def test_every_length_of_flight_is_one_compilation() -> None:
    traced = []

    def counted(t: jax.Array) -> State:
        traced.append(t)
        return fly(thrown(SPINS["any"]), BRICK, GRAVITY, t)

    several = jax.jit(counted)
    for duration in (0.01, 0.7, 30.0):
        several(duration)
    assert len(traced) == 1


@pytest.mark.parametrize("spin", ["any", "middle axis"])
def test_against_an_independent_integration(spin: str) -> None:
    start = thrown(SPINS[spin])
    L, moments = np.asarray(angular_momentum(start, BRICK)), np.asarray(BRICK.moments)

    def rate(_: float, flat: np.ndarray) -> np.ndarray:
        R = flat.reshape(3, 3)
        return np.cross(R @ ((R.T @ L) / moments), R.T).T.ravel()

    flat = np.asarray(start.rotation).ravel()
    solved = solve_ivp(rate, (0.0, 1.5), flat, rtol=3e-14, atol=1e-14, method="DOP853")
    after = flight(start, BRICK, GRAVITY, 1.5)
    np.testing.assert_allclose(after.rotation, solved.y[:, -1].reshape(3, 3), atol=1e-10)


@pytest.mark.parametrize("order", [3, 6])
def test_halving_the_step_shows_the_order(order: int) -> None:
    momentum, moments = jnp.array([0.04, -0.05, 0.1]), BRICK.moments
    exact = turn_in(momentum, moments, jnp.asarray(1.0), jnp.asarray(200.0))
    coarse = jax.jit(lambda steps: turn_in(momentum, moments, jnp.asarray(1.0), steps, order))
    errors = [np.abs(coarse(jnp.asarray(steps)) - exact).max() for steps in (64.0, 128.0)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(order, abs=0.5)


def test_two_equal_moments_are_a_top_and_three_a_ball() -> None:
    start = thrown(SPINS["any"])
    for moments, top in (
        ([0.02, 0.003, 0.02], Top(0.02, 0.003, jnp.array([0.0, 1.0, 0.0]))),
        ([0.02, 0.02, 0.02], Top(0.02, 0.02, jnp.array([0.0, 1.0, 0.0]))),
    ):
        tumbled = flight(start, Asymmetric(jnp.asarray(moments)), GRAVITY, 1.1)
        closed = flight(start, top, GRAVITY, 1.1)
        for x, y in zip(jax.tree.leaves(tumbled), jax.tree.leaves(closed), strict=True):
            np.testing.assert_allclose(x, y, atol=1e-12)


def test_flights_add_up_and_go_back() -> None:
    start = thrown(SPINS["any"])
    twice = flight(flight(start, BRICK, GRAVITY, 0.3), BRICK, GRAVITY, 0.5)
    once = flight(start, BRICK, GRAVITY, 0.8)
    back = flight(twice, BRICK, GRAVITY, -0.8)
    for pair in ((twice, once), (back, start)):
        for x, y in zip(*map(jax.tree.leaves, pair), strict=True):
            np.testing.assert_allclose(x, y, atol=1e-12)


def landing(x: jax.Array, rotation: jax.Array) -> jax.Array:
    """Everything as a function of spin, moments and duration."""
    state = State(jnp.zeros(3), rotation, jnp.array([1.0, 4.0, 0.5]), rotation @ x[:3])
    after = fly(state, Asymmetric(x[3:6]), GRAVITY, x[6])
    return jnp.concatenate([after.position, after.velocity, after.angular_velocity, after.rotation.ravel()])


@pytest.mark.parametrize("spin", ["any", "middle axis, exactly", "none"])
def test_derivatives(spin: str) -> None:
    x = np.array([*SPINS[spin], 1.3, 0.5, 1.0, 0.4])
    check_derivative(landing, x, ROTATION)


def test_a_batch_of_flights_is_each_of_them() -> None:
    durations = jnp.array([0.1, 0.9, 2.0])
    start = thrown(SPINS["any"])
    batch = jax.jit(jax.vmap(fly, in_axes=(None, None, None, 0)))(start, BRICK, GRAVITY, durations)
    for R, t in zip(batch.rotation, durations, strict=True):
        np.testing.assert_allclose(R, flight(start, BRICK, GRAVITY, float(t)).rotation, atol=1e-14)
