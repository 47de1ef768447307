"""Impulses against the textbook for balls, against conservation for any body, and their derivatives."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rigid.impact import Free, Material, choose_mode, collide, impulse, touch_velocity
from tests.helpers import check_derivative

UP = jnp.array([0.0, 1.0, 0.0])
ORIGIN = jnp.zeros(3)
GROUND = Free.surface(ORIGIN, ORIGIN, ORIGIN)
RADIUS = 0.035

touch = jax.jit(collide)
choose = jax.jit(choose_mode)
touch_all = jax.jit(jax.vmap(collide))
choose_all = jax.jit(jax.vmap(choose_mode))


def ball(*motion: float, normal: jax.Array = UP, mass: float = 0.12) -> Free:
    """A ball that touches the origin, its centre along the normal; velocity and spin."""
    spin = jnp.asarray(motion[3:] or (0.0, 0.0, 0.0))
    turning = jnp.eye(3) / (0.4 * mass * RADIUS**2)
    return Free(1.0 / mass, turning, RADIUS * normal, jnp.asarray(motion[:3]), spin)


def after(body: Free, velocity: Any, angular_velocity: Any) -> Free:
    return Free(body.inverse_mass, body.inverse_inertia, body.centre, velocity, angular_velocity)


def test_a_frictionless_bounce_is_equation_four() -> None:
    before = ball(1.0, -3.0, 0.5, 4.0, 5.0, 6.0)
    velocity, spin, *_ = touch(before, GROUND, ORIGIN, UP, Material(0.8, 0.0), 0.0)
    np.testing.assert_allclose(velocity, before.velocity + 1.8 * 3.0 * UP, atol=1e-14)
    np.testing.assert_allclose(spin, before.angular_velocity, atol=1e-14)


def test_a_moving_paddle_adds_its_velocity() -> None:
    paddle = Free.surface(jnp.array([-2.0, 0.0, 0.0]), ORIGIN, jnp.array([0.0, 0.0, 1.5]))  # its point rises at 3 m/s
    velocity, *_ = touch(ball(0.0, -2.0, 0.0), paddle, ORIGIN, UP, Material(0.5, 0.0), 0.0)
    assert float(velocity[1]) == pytest.approx(3.0 + 0.5 * 5.0)


def test_elastic_balls_of_equal_mass_exchange_their_normal_velocities() -> None:
    normal = jnp.array([0.6, 0.8, 0.0])
    a, b = ball(-2.0, -1.0, 0.3, normal=normal), ball(0.5, 0.2, -0.4, normal=-normal)
    after_a, _, after_b, _ = touch(a, b, ORIGIN, normal, Material(1.0, 0.0), 0.0)
    np.testing.assert_allclose(after_a @ normal, b.velocity @ normal, atol=1e-14)
    np.testing.assert_allclose(after_b @ normal, a.velocity @ normal, atol=1e-14)


def test_a_backspun_superball_sticks_and_its_contact_point_stops() -> None:
    before, material = ball(0.3, -3.0, 0.1, 5.0, 1.0, 9.0), Material(0.9, 0.9)
    stick, share = choose(before, GROUND, ORIGIN, UP, material)
    assert float(stick) == 1.0 and float(share) < 1.0
    velocity, spin, *_ = touch(before, GROUND, ORIGIN, UP, material, stick)
    u = touch_velocity(after(before, velocity, spin), GROUND, ORIGIN)
    np.testing.assert_allclose(u, [0.0, 0.9 * 3.0, 0.0], atol=1e-13)


def test_a_fast_slide_loses_speed_by_the_coefficient_of_friction() -> None:
    before, material = ball(8.0, -1.0, 0.0), Material(0.5, 0.2)
    stick, share = choose(before, GROUND, ORIGIN, UP, material)
    assert float(stick) == 0.0 and float(share) > 1.0
    velocity, spin, *_ = touch(before, GROUND, ORIGIN, UP, material, stick)
    assert float(velocity[0]) == pytest.approx(8.0 - 0.2 * 1.5 * 1.0)
    assert float(spin[2]) == pytest.approx(-0.2 * 1.5 / (0.4 * RADIUS))


def test_without_friction_nothing_sticks() -> None:
    stick, share = choose(ball(0.0, -1.0, 0.0), GROUND, ORIGIN, UP, Material(0.5, 0.0))
    assert float(stick) == 0.0 and float(share) == np.inf


# --- many random touches at once --------------------------------------------------------------------------------------

MANY = 2000


def units(rng: np.random.Generator) -> np.ndarray:
    normal = rng.normal(size=(MANY, 3))
    return normal / np.linalg.norm(normal, axis=1, keepdims=True)


def materials(rng: np.random.Generator) -> Material:
    """Elastic or not, frictionless or not, up to very rough."""
    elastic, slippery = rng.uniform(size=(2, MANY)) < 0.3
    return Material(np.where(elastic, 1.0, rng.uniform(size=MANY)), np.where(slippery, 0.0, rng.uniform(0, 4.0, MANY)))


def random_bodies(rng: np.random.Generator, surfaces: np.ndarray) -> Free:
    """Boxes from needles to cubes, anyhow placed around the touching point; where told, surfaces instead."""
    mass, sides = np.exp(rng.uniform(-2.0, 2.0, MANY)), np.exp(rng.uniform(-3.0, 0.0, (MANY, 3)))
    moments = mass[:, None] * (np.sum(sides**2, axis=1, keepdims=True) - sides**2) / 3.0
    axes = np.linalg.qr(rng.normal(size=(MANY, 3, 3)))[0]
    inverse = np.einsum("nij,nj,nkj->nik", axes, 1.0 / moments, axes)
    centre = np.einsum("nij,nj->ni", axes, sides * rng.uniform(-1.0, 1.0, (MANY, 3)))
    free = np.where(surfaces, 0.0, 1.0)
    return Free(free / mass, free[:, None, None] * inverse, centre, rng.normal(size=(MANY, 3)), 3 * units(rng))


def touches(seed: int) -> tuple[Free, Free, jax.Array, jax.Array, Material]:
    """Pairs that approach at a point; half of the second bodies are surfaces."""
    rng = np.random.default_rng(seed)
    a, b = random_bodies(rng, np.zeros(MANY, bool)), random_bodies(rng, rng.uniform(size=MANY) < 0.5)
    point, normal = jnp.asarray(0.01 * rng.normal(size=(MANY, 3))), jnp.asarray(units(rng))
    away = jnp.sum(jax.vmap(touch_velocity)(a, b, point) * normal, axis=1, keepdims=True) > 0.0
    return a, b, point, jnp.where(away, -normal, normal), materials(rng)


def momenta(body: Free, point: Any, velocity: Any, spin: Any) -> tuple[np.ndarray, np.ndarray]:
    """Of those that are free: momentum, and angular momentum about the point."""
    free = np.asarray(body.inverse_mass) > 0.0
    mass = 1.0 / np.where(free, body.inverse_mass, np.inf)
    inertia = np.linalg.inv(np.where(free[:, None, None], body.inverse_inertia, np.eye(3))) * free[:, None, None]
    p = mass[:, None] * velocity
    return p, np.einsum("nij,nj->ni", inertia, spin) + np.cross(np.asarray(body.centre) - point, p)


def kinetic(body: Free, velocity: Any, spin: Any) -> np.ndarray:
    p, L = momenta(body, np.asarray(body.centre), velocity, spin)
    return 0.5 * (np.sum(p * velocity, axis=1) + np.sum(L * spin, axis=1))


@pytest.mark.parametrize("seed", range(3))
def test_any_two_bodies_part_keep_momentum_and_never_gain_energy(seed: int) -> None:
    a, b, point, normal, material = touches(seed)
    stick, _ = choose_all(a, b, point, normal, material)
    va, wa, vb, wb = (np.asarray(x) for x in touch_all(a, b, point, normal, material, stick))
    assert 0.1 < float(stick.mean()) < 0.9
    u = np.asarray(jax.vmap(touch_velocity)(a, b, point))
    after_u = np.asarray(jax.vmap(touch_velocity)(after(a, va, wa), after(b, vb, wb), point))
    assert np.sum(after_u * normal, axis=1).min() > -1e-12
    both_free = np.asarray(b.inverse_mass) > 0.0
    for was, now in zip(
        np.add(momenta(a, point, a.velocity, a.angular_velocity), momenta(b, point, b.velocity, b.angular_velocity)),
        np.add(momenta(a, point, va, wa), momenta(b, point, vb, wb)),
        strict=True,
    ):
        np.testing.assert_allclose(now[both_free], was[both_free], atol=1e-11)
    gained = kinetic(a, va, wa) + kinetic(b, vb, wb) - kinetic(a, a.velocity, a.angular_velocity)
    gained -= kinetic(b, b.velocity, b.angular_velocity)
    assert gained[both_free].max() < 1e-11
    # a surface does work on what it meets; against the surface's own point the touch must still lose energy
    J = np.asarray(jax.vmap(impulse)(a, b, point, normal, material, stick))
    assert np.sum(J * (u + after_u), axis=1).max() < 1e-11


@pytest.mark.parametrize("seed", range(3))
def test_impulses_push_and_stay_in_the_friction_cone(seed: int) -> None:
    a, b, point, normal, material = touches(seed)
    stick, share = choose_all(a, b, point, normal, material)
    J = np.asarray(jax.vmap(impulse)(a, b, point, normal, material, stick))
    J_n = np.sum(J * normal, axis=1)
    J_t = np.linalg.norm(J - J_n[:, None] * normal, axis=1)
    assert J_n.min() > 0.0
    assert (J_t - np.asarray(material.friction) * J_n).max() < 1e-11
    np.testing.assert_array_equal(stick == 1.0, share <= 1.0)


@pytest.mark.parametrize("seed", range(3))
def test_stick_turns_into_slide_without_a_jump(seed: int) -> None:
    """Set the friction of every touch that can stick to exactly what that takes: both laws must then agree."""
    a, b, point, normal, material = touches(seed)
    rough = Material(material.restitution, np.ones(MANY))
    _, share = choose_all(a, b, point, normal, rough)
    border = Material(material.restitution, np.asarray(share))
    can = np.isfinite(share)
    assert can.mean() > 0.5
    stuck, slid = (touch_all(a, b, point, normal, border, np.full(MANY, mode)) for mode in (1.0, 0.0))
    for x, y in zip(stuck, slid, strict=True):
        np.testing.assert_allclose(x[can], y[can], atol=1e-8)


def test_a_frictionless_elastic_touch_keeps_the_energy_of_any_body() -> None:
    a, b, point, normal, _ = touches(5)
    slick = Material(np.ones(MANY), np.zeros(MANY))
    va, wa, vb, wb = (np.asarray(x) for x in touch_all(a, b, point, normal, slick, np.zeros(MANY)))
    u = np.asarray(jax.vmap(touch_velocity)(a, b, point))
    after_u = np.asarray(jax.vmap(touch_velocity)(after(a, va, wa), after(b, vb, wb), point))
    np.testing.assert_allclose(np.sum(after_u * normal, axis=1), -np.sum(u * normal, axis=1), atol=1e-12)


def textbook(a: Free, b: Free, radii: np.ndarray, n: np.ndarray, e: float, mu: float) -> tuple[np.ndarray, bool]:
    """The impulse between two balls, written the old way: normal and tangential apart."""
    motion = [np.asarray(x) for x in (a.velocity, a.angular_velocity, b.velocity, b.angular_velocity)]
    u = motion[0] - radii[0] * np.cross(motion[1], n) - motion[2] - radii[1] * np.cross(motion[3], n)
    u_n, u_t = u @ n, u - (u @ n) * n
    along = float(np.asarray(a.inverse_mass)) + float(np.asarray(b.inverse_mass))
    across = along + radii[0] ** 2 * np.asarray(a.inverse_inertia)[0, 0]
    across += radii[1] ** 2 * np.asarray(b.inverse_inertia)[0, 0]
    J_n = -(1.0 + e) * u_n / along
    sticks = bool(np.linalg.norm(u_t) / across <= mu * J_n)
    return J_n * n - (u_t / across if sticks else mu * J_n * u_t / np.linalg.norm(u_t)), sticks


@pytest.mark.parametrize("seed", range(30))
def test_for_balls_this_is_the_textbooks_law(seed: int) -> None:
    rng = np.random.default_rng(seed)
    mass, radii = rng.uniform(0.5, 2.0, 2), rng.uniform(0.5, 1.0, 2)
    n = rng.normal(size=3)
    n /= np.linalg.norm(n)
    a, b = (
        Free(1.0 / m, np.eye(3) / (0.4 * m * r**2), side * r * n, rng.normal(size=3) - side * n, rng.normal(size=3))
        for m, r, side in zip(mass, radii, (1.0, -1.0), strict=True)
    )
    e, mu = rng.uniform(), rng.uniform(0.1, 1.5)
    if float(touch_velocity(a, b, ORIGIN) @ n) > 0:
        a, b = (after(x, -np.asarray(x.velocity), x.angular_velocity) for x in (a, b))
    expected, sticks = textbook(a, b, radii, n, e, mu)
    stick, _ = choose(a, b, ORIGIN, n, Material(e, mu))
    assert bool(stick) == sticks
    np.testing.assert_allclose(
        jax.jit(impulse)(a, b, ORIGIN, n, Material(e, mu), stick), expected, rtol=1e-14, atol=3e-14
    )


def test_a_box_dropped_on_its_corner_slips_without_slip_before() -> None:
    """No slip at first, but the touch would turn it about the corner: with little friction the corner slides away."""
    box = Free(1.0, np.diag([6.0, 6.0, 6.0]), np.array([0.3, 0.4, 0.0]), np.array([0.0, -1.0, 0.0]), np.zeros(3))
    stick, share = choose(box, GROUND, ORIGIN, UP, Material(0.5, 0.1))
    assert float(stick) == 0.0 and 1.0 < float(share) < np.inf
    velocity, spin, *_ = touch(box, GROUND, ORIGIN, UP, Material(0.5, 0.1), stick)
    slip = touch_velocity(after(box, velocity, spin), GROUND, ORIGIN)
    assert float(slip[1]) == pytest.approx(0.5)
    assert float(slip[0]) * float(velocity[0]) < 0.0  # friction opposes the slip that the touch itself makes


# --- derivatives ------------------------------------------------------------------------------------------------------


def outcome(x: jax.Array, stick: jax.Array) -> jax.Array:
    """After a touch of two oblique boxes: motions, normal, material, centres and inertia are all variables."""
    normal = x[12:15] / jnp.linalg.norm(x[12:15])
    a = Free(1.0 / x[23], jnp.diag(x[24:27]), x[17:20], x[:3], x[3:6])
    b = Free(2.5, jnp.diag(jnp.array([9.0, 30.0, 14.0])), x[20:23], x[6:9], x[9:12])
    return jnp.concatenate(collide(a, b, jnp.zeros(3), normal, Material(x[15], x[16]), stick))


def oblique() -> np.ndarray:
    motion = np.random.default_rng(4).normal(size=12)
    rest = [0.2, 0.9, -0.1, 0.7, 0.3, 0.05, 0.2, -0.1, 0.1, -0.2, 0.05, 0.8, 20.0, 8.0, 15.0]
    return np.concatenate([motion, rest])


@pytest.mark.parametrize("stick", [1.0, 0.0], ids=["stick", "slide"])
def test_derivatives_by_everything(stick: float) -> None:
    check_derivative(outcome, oblique(), jnp.asarray(stick))


def straight_down() -> np.ndarray:
    """A ball's touch with no slip at all: nothing has a tangential direction."""
    x = np.zeros(27)
    x[1], x[13], x[15], x[16], x[18], x[21], x[23] = -2.0, 1.0, 0.5, 0.3, 0.1, -0.1, 1.0
    x[24:27] = 20.0
    return x


@pytest.mark.parametrize("stick", [1.0, 0.0], ids=["stick", "slide"])
@pytest.mark.parametrize("friction", [0.0, 0.3])
@pytest.mark.parametrize("speed", [0.0, -2.0])
def test_no_slip_no_friction_and_no_speed_are_no_division_by_zero(stick: float, friction: float, speed: float) -> None:
    x = straight_down()
    x[1], x[16] = speed, friction
    assert np.all(np.isfinite(JACOBIAN(jnp.asarray(x), jnp.asarray(stick))))


JACOBIAN = jax.jit(jax.jacrev(outcome))
