"""Flight through air against scipy, against closed forms, and its derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.integrate import solve_ivp

from kinematics.errors import HoiError
from rigid.air import Air, acceleration, air_for, fly_in_air
from rigid.free_flight import State, Top, fly
from tests.helpers import check_derivative

GRAVITY = jnp.array([0.0, -9.81, 0.0])
TOP = Top.ball(0.11)
FOOTBALL = air_for(0.43, 0.11, wind=[2.0, 0.0, -1.0])

flight = jax.jit(fly_in_air, static_argnames="steps")


def kicked(spin: float = 40.0) -> State:
    return State(jnp.zeros(3), jnp.eye(3), jnp.array([22.0, 9.0, 1.0]), jnp.array([1.0, spin, -5.0]))


def test_against_scipy() -> None:
    state, air = kicked(), FOOTBALL
    rate = jax.jit(lambda v: acceleration(v, state.angular_velocity, GRAVITY, air))
    solved = solve_ivp(
        lambda _, y: np.concatenate([y[3:], rate(y[3:])]), (0.0, 1.5), np.r_[state.position, state.velocity],
        rtol=1e-12, atol=1e-12, method="DOP853",
    )  # fmt: skip
    after = flight(state, TOP, GRAVITY, air, 1.5)
    np.testing.assert_allclose(after.position, solved.y[:3, -1], atol=1e-8)
    np.testing.assert_allclose(after.velocity, solved.y[3:, -1], atol=1e-8)
    assert after.position[2] < -1.0  # it bends
    np.testing.assert_allclose(after.angular_velocity, state.angular_velocity, atol=1e-12)


def test_doubling_the_steps_shows_order_four() -> None:
    exact = flight(kicked(), TOP, GRAVITY, FOOTBALL, 1.5, steps=512).position
    errors = [np.abs(flight(kicked(), TOP, GRAVITY, FOOTBALL, 1.5, steps=n).position - exact).max() for n in (16, 32)]
    assert np.log2(errors[0] / errors[1]) == pytest.approx(4.0, abs=0.3)


def test_no_air_is_free_flight() -> None:
    after, free = flight(kicked(), TOP, GRAVITY, Air(0.0, 0.0, jnp.zeros(3)), 1.5), fly(kicked(), TOP, GRAVITY, 1.5)
    for x, y in zip(jax.tree.leaves(after), jax.tree.leaves(free), strict=True):
        np.testing.assert_allclose(x, y, atol=1e-12)


def test_a_falling_ball_has_its_closed_form() -> None:
    """From rest, v = v∞ tanh(g t / v∞) with v∞ = sqrt(g / d)."""
    air = Air(0.02, 0.0, jnp.zeros(3))
    rest = State(jnp.zeros(3), jnp.eye(3), jnp.zeros(3), jnp.zeros(3))
    fastest = np.sqrt(9.81 / 0.02)
    after = flight(rest, TOP, GRAVITY, air, 2.0)
    assert float(after.velocity[1]) == pytest.approx(-fastest * np.tanh(2.0 * 9.81 / fastest), rel=1e-9)


def test_going_back_is_the_way_back() -> None:
    there = flight(kicked(), TOP, GRAVITY, FOOTBALL, 0.7)
    np.testing.assert_allclose(flight(there, TOP, GRAVITY, FOOTBALL, -0.7).position, 0.0, atol=1e-8)


def landing(x: jax.Array) -> jax.Array:
    state = State(jnp.zeros(3), jnp.eye(3), x[:3], x[3:6])
    after = fly_in_air(state, TOP, GRAVITY, Air(x[6], x[7], x[8:11]), x[11])
    return jnp.concatenate([after.position, after.velocity])


@pytest.mark.parametrize("standing", [False, True])
def test_derivatives_also_at_rest(standing: bool) -> None:
    x = np.array([12.0, 9.0, 1.0, 1.0, 10.0, -5.0, 0.02, 0.01, 2.0, 0.0, -1.0, 0.8])
    if standing:
        x[:3] = x[8:11]  # carried by the wind
        assert np.all(np.isfinite(jax.jit(jax.jacrev(landing))(jnp.asarray(x))))
    else:
        check_derivative(landing, x)


@pytest.mark.parametrize("bad", [0.0, -1.0, np.nan])
def test_masses_and_radii_are_positive(bad: float) -> None:
    with pytest.raises(HoiError, match="the mass of a ball in air must be a positive number"):
        air_for(bad, 0.1)
    with pytest.raises(HoiError, match="the radius of a ball in air must be a positive number"):
        air_for(0.1, bad)
