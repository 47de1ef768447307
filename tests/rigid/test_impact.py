"""Impulses against the textbook: restitution, momentum, energy, stick and slide, and their derivatives."""

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rigid.impact import Ball, Material, Mode, Motion, collide, relative_velocity, touch_mode
from tests.helpers import check_derivative

UP = jnp.array([0.0, 1.0, 0.0])
STILL = Motion(jnp.zeros(3), jnp.zeros(3))
GROUND = Ball.immovable()
BALL = Ball.of(0.12, 0.035)


def moving(*numbers: float) -> Motion:
    return Motion(jnp.asarray(numbers[:3]), jnp.asarray(numbers[3:] or (0.0, 0.0, 0.0)))


def kinetic(ball: Ball, motion: Motion) -> float:
    if not ball.inverse_mass:
        return 0.0
    v2, w2 = float(motion.velocity @ motion.velocity), float(motion.angular_velocity @ motion.angular_velocity)
    return 0.5 * (v2 / float(jnp.asarray(ball.inverse_mass)) + w2 / float(jnp.asarray(ball.inverse_moment)))


def test_a_frictionless_bounce_is_equation_four() -> None:
    before = moving(1.0, -3.0, 0.5, 4.0, 5.0, 6.0)
    after, _ = collide(BALL, GROUND, before, STILL, UP, Material(0.8, 0.0), "slide")
    np.testing.assert_allclose(after.velocity, before.velocity - 1.8 * (before.velocity @ UP) * UP, atol=1e-14)
    np.testing.assert_allclose(after.angular_velocity, before.angular_velocity, atol=1e-14)


def test_a_moving_paddle_adds_its_velocity() -> None:
    after, _ = collide(BALL, GROUND, moving(0.0, -2.0, 0.0), moving(0.0, 3.0, 0.0), UP, Material(0.5), "slide")
    assert float(after.velocity[1]) == pytest.approx(3.0 + 0.5 * 5.0)


def test_elastic_balls_of_equal_mass_exchange_their_normal_velocities() -> None:
    normal = jnp.array([0.6, 0.8, 0.0])
    a, b = moving(-2.0, -1.0, 0.3), moving(0.5, 0.2, -0.4)
    after_a, after_b = collide(BALL, BALL, a, b, normal, Material(1.0), "slide")
    np.testing.assert_allclose(after_a.velocity @ normal, b.velocity @ normal, atol=1e-14)
    np.testing.assert_allclose(after_b.velocity @ normal, a.velocity @ normal, atol=1e-14)


def test_a_backspun_superball_sticks_and_its_contact_point_stops() -> None:
    before = moving(0.3, -3.0, 0.1, 5.0, 1.0, 9.0)
    material = Material(0.9, 0.9)
    mode, share = touch_mode(BALL, GROUND, before, STILL, UP, material)
    assert mode == "stick" and share < 1.0
    after, _ = collide(BALL, GROUND, before, STILL, UP, material, mode)
    u = relative_velocity(BALL, GROUND, after, STILL, UP)
    np.testing.assert_allclose(u, [0.0, 0.9 * 3.0, 0.0], atol=1e-13)


def test_a_fast_slide_loses_speed_by_the_coefficient_of_friction() -> None:
    before, material = moving(8.0, -1.0, 0.0), Material(0.5, 0.2)
    mode, share = touch_mode(BALL, GROUND, before, STILL, UP, material)
    assert mode == "slide" and share > 1.0
    after, _ = collide(BALL, GROUND, before, STILL, UP, material, mode)
    assert float(after.velocity[0]) == pytest.approx(8.0 - 0.2 * 1.5 * 1.0)
    assert float(after.angular_velocity[2]) == pytest.approx(-0.2 * 1.5 / (0.4 * 0.035))


@pytest.mark.parametrize("seed", range(30))
def test_momentum_is_kept_and_energy_never_grows(seed: int) -> None:
    rng = np.random.default_rng(seed)
    size = rng.uniform(0.05, 1.0, 4)
    a, b = Ball.of(size[0], size[1]), Ball.of(size[2], size[3], hollow=True)
    direction = rng.normal(size=3)
    normal = jnp.asarray(direction / np.linalg.norm(direction))
    ma, mb = (Motion(jnp.asarray(rng.normal(size=3)), jnp.asarray(5 * rng.normal(size=3))) for _ in range(2))
    if float(relative_velocity(a, b, ma, mb, normal) @ normal) > 0:  # they must approach
        ma, mb = (Motion(-m.velocity, m.angular_velocity) for m in (ma, mb))
    material = Material(rng.uniform(), rng.uniform(0.0, 1.5))
    mode, _ = touch_mode(a, b, ma, mb, normal, material)
    na, nb = collide(a, b, ma, mb, normal, material, mode)
    np.testing.assert_allclose(
        na.velocity / a.inverse_mass + nb.velocity / b.inverse_mass,
        ma.velocity / a.inverse_mass + mb.velocity / b.inverse_mass,
        atol=1e-12,
    )
    assert kinetic(a, na) + kinetic(b, nb) <= kinetic(a, ma) + kinetic(b, mb) + 1e-12


def outcome(x: jax.Array, mode: Mode) -> jax.Array:
    normal = x[12:15] / jnp.linalg.norm(x[12:15])
    a, b = collide(
        BALL, Ball.of(0.4, 0.1), Motion(x[:3], x[3:6]), Motion(x[6:9], x[9:12]), normal, Material(x[15], x[16]), mode
    )
    return jnp.concatenate([a.velocity, a.angular_velocity, b.velocity, b.angular_velocity])


@pytest.mark.parametrize("mode", ["stick", "slide"])
def test_derivatives_by_everything(mode: Mode) -> None:
    x = np.concatenate([np.random.default_rng(4).normal(size=12), [0.2, 0.9, -0.1, 0.7, 0.3]])
    check_derivative(lambda y: outcome(y, mode), x)


def test_no_tangential_speed_is_no_division_by_zero() -> None:
    x = np.zeros(17)
    x[1], x[13], x[15], x[16] = -2.0, 1.0, 0.5, 0.3
    for mode in ("stick", "slide"):
        assert np.all(np.isfinite(jax.jacfwd(lambda y, m=mode: outcome(y, m))(jnp.asarray(x))))
