"""The truth table of gradients, first rows: events strung together, against closed forms and difference quotients.

Each scene is a function of its parameters at fixed events: flight, time of impact, impulse, flight. This is the plain
composition by automatic differentiation, the referee for anything that assembles the same derivative faster.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rigid.distance import RoundedBox, gap_and_normal
from rigid.free_flight import State, Top, fly
from rigid.impact import Free, Material, collide
from rigid.roots import root_between
from rigid.time_of_impact import event_time, rate_at
from tests.helpers import check_derivative, polish

GRAVITY = jnp.array([0.0, -9.81, 0.0])
RADIUS = 0.05
TOP = Top.ball(RADIUS)
UP = jnp.array([0.0, 1.0, 0.0])
FLOOR = Free.surface(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))


def ball_at(position: Any, velocity: Any, spin: Any = (0.0, 0.0, 0.0)) -> State:
    return State(jnp.asarray(position), jnp.eye(3), jnp.asarray(velocity), jnp.asarray(spin))


def free(state: State, mass: float = 0.15) -> Free:
    """The ball as an impulse sees it."""
    turning = jnp.eye(3) / (0.4 * mass * RADIUS**2)
    return Free(1.0 / mass, turning, state.position, state.velocity, state.angular_velocity)


def floor_gap(t: jax.Array, state: State) -> jax.Array:
    return fly(state, TOP, GRAVITY, t).position[1] - RADIUS


def bounce(state: State, material: Material, stick: Any, t_max: float = 2.0) -> tuple[State, jax.Array]:
    """Fly to the floor and bounce; the state after, and when."""
    frozen = jax.lax.stop_gradient(state)
    t = event_time(floor_gap, polish(floor_gap, 0.0, t_max, frozen), state)
    before = fly(state, TOP, GRAVITY, t)
    velocity, spin, *_ = collide(free(before), FLOOR, before.position - RADIUS * UP, UP, material, stick)
    return State(before.position, before.rotation, velocity, spin), t


def test_polished_to_round_off() -> None:
    state = ball_at([0.0, 1.0, 0.0], [0.3, 0.0, 0.0])
    by_numbers = root_between(lambda t: float(floor_gap(jnp.asarray(t), state)), 0.0, 2.0)
    for t in (polish(floor_gap, 0.0, 2.0, state), jnp.asarray(by_numbers)):
        assert float(t) == pytest.approx(np.sqrt(2 * 0.95 / 9.81), abs=1e-15)
        assert abs(float(floor_gap(t, state))) <= 1e-13
        assert float(rate_at(floor_gap, t, state)) == pytest.approx(-np.sqrt(2 * 9.81 * 0.95))


def final_height(h: jax.Array) -> jax.Array:
    state, t = bounce(ball_at(jnp.array([0.0, 1.0, 0.0]) * h, jnp.zeros(3)), Material(1.0), 0.0)
    return fly(state, TOP, GRAVITY, 0.6 - t).position[1]


def test_drop_height_to_final_height_has_its_closed_form() -> None:
    """A ball dropped from 1 m, one elastic bounce, its height after 0.6 s."""
    derivative = check_derivative(final_height, 1.0)
    fall = np.sqrt(2 * 0.95 / 9.81)
    # y = r + v_up τ - g τ²/2 with v_up = g T, τ = 0.6 - T and T = sqrt(2 (h - r) / g), so dy/dT = g (1.2 - 3 T)
    closed = (1.2 - 3 * fall) / fall
    assert float(derivative) == pytest.approx(closed, rel=1e-12)
    assert float(derivative) == pytest.approx(-0.2733, abs=1e-4)


def oblique(x: jax.Array, stick: jax.Array) -> jax.Array:
    state, t = bounce(ball_at(x[:3], x[3:6], x[6:9]), Material(x[9], x[10]), stick)
    after = fly(state, TOP, GRAVITY, 0.8 - t)
    return jnp.concatenate([after.position, after.velocity, after.angular_velocity, after.rotation.ravel()])


@pytest.mark.parametrize("stick", [1.0, 0.0], ids=["stick", "slide"])
def test_oblique_bounce_with_friction_and_spin(stick: float) -> None:
    x = np.array([0.1, 1.1, -0.2, 2.0, 0.5, -1.0, 4.0, -3.0, 12.0, 0.8, 0.25])
    check_derivative(oblique, x, jnp.asarray(stick), tolerance=1e-9)


def pair_gap(t: jax.Array, states: tuple[State, State]) -> jax.Array:
    a, b = (fly(s, TOP, GRAVITY, t) for s in states)
    return jnp.linalg.norm(a.position - b.position) - 2 * RADIUS


def head_on(x: jax.Array) -> jax.Array:
    """Two equal balls on a line, elastic: velocities are exchanged. Positions and velocities after one second."""
    weightless = jnp.zeros(3)
    a, b = ball_at(x[0] * jnp.eye(3)[0], x[1] * jnp.eye(3)[0]), ball_at(x[2] * jnp.eye(3)[0], x[3] * jnp.eye(3)[0])

    def gap(t: jax.Array, states: tuple[State, State]) -> jax.Array:
        first, second = (fly(s, TOP, weightless, t) for s in states)
        return second.position[0] - first.position[0] - 2 * RADIUS

    t = event_time(gap, polish(gap, 0.0, 1.0, jax.lax.stop_gradient((a, b))), (a, b))
    at_a, at_b = fly(a, TOP, weightless, t), fly(b, TOP, weightless, t)
    normal = -jnp.eye(3)[0]
    va, _, vb, _ = collide(free(at_a), free(at_b), at_a.position - RADIUS * normal, normal, Material(1.0), 0.0)
    pa, pb = at_a.position + (1.0 - t) * va, at_b.position + (1.0 - t) * vb
    return jnp.array([pa[0], va[0], pb[0], vb[0]])


def test_elastic_balls_head_on_exchange_their_derivatives() -> None:
    """After the exchange ball a is where b's ghost would be, a diameter back: the derivative is a permutation."""
    derivative = check_derivative(head_on, np.array([0.0, 1.5, 0.6, -0.5]))
    expected = np.array([[0, 0, 1, 1], [0, 0, 0, 1], [1, 1, 0, 0], [0, 1, 0, 0]], float)
    np.testing.assert_allclose(derivative, expected, atol=1e-12)


def glancing(x: jax.Array) -> jax.Array:
    states = ball_at(x[:3], x[3:6]), ball_at(x[6:9], x[9:12])
    t = event_time(pair_gap, polish(pair_gap, 0.0, 0.16, jax.lax.stop_gradient(states)), states)
    a, b = (fly(s, TOP, GRAVITY, t) for s in states)
    normal = (a.position - b.position) / (2 * RADIUS)
    point = a.position - RADIUS * normal
    va, _, vb, _ = collide(free(a), free(b, mass=0.4), point, normal, Material(0.9, 0.3), 0.0)
    return jnp.concatenate([a.position + (0.9 - t) * va, b.position + (0.9 - t) * vb])


def test_balls_that_meet_off_centre_in_flight() -> None:
    x = np.array([0.0, 1.0, 0.0, 2.0, 1.0, 0.0, 0.5, 1.03, 0.02, -1.0, 1.2, 0.1])
    check_derivative(glancing, x, tolerance=1e-9)


def paddle(x: jax.Array) -> jax.Array:
    """A ball dropped on a box that rises and tilts about Z: where it is half a second later.

    x: ball height, paddle height, its rising speed, its angle and its turning speed, restitution, friction.
    """
    shape = RoundedBox.of("box", [0.3, 0.02, 0.3])
    state = ball_at(jnp.stack([jnp.asarray(0.08), x[0], jnp.asarray(0.0)]), jnp.zeros(3))

    def placed(t: jax.Array, y: jax.Array) -> tuple[jax.Array, jax.Array]:
        angle, centre = y[3] + y[4] * t, jnp.stack([jnp.asarray(0.0), y[1] + y[2] * t, jnp.asarray(0.0)])
        c, s = jnp.cos(angle), jnp.sin(angle)
        return jnp.array([[c, -s, 0.0], [s, c, 0.0], [0.0, 0.0, 1.0]]), centre

    def local(t: jax.Array, u: tuple[State, jax.Array]) -> jax.Array:
        R, centre = placed(t, u[1])
        return R.T @ (fly(u[0], TOP, GRAVITY, t).position - centre)

    def gap(t: jax.Array, u: tuple[State, jax.Array]) -> jax.Array:
        return gap_and_normal(shape, local(t, u), UP)[0] - RADIUS

    u = (state, x)
    t = event_time(gap, polish(gap, 0.0, 1.0, jax.lax.stop_gradient(u)), u)
    before = fly(state, TOP, GRAVITY, t)
    R, centre = placed(t, x)
    normal = R @ gap_and_normal(shape, local(t, u), UP)[1]
    surface = Free.surface(centre, jnp.array([0.0, 1.0, 0.0]) * x[2], jnp.array([0.0, 0.0, 1.0]) * x[4])
    touched = before.position - RADIUS * normal
    velocity, spin, *_ = collide(free(before), surface, touched, normal, Material(x[5], x[6]), 0.0)
    end = fly(State(before.position, before.rotation, velocity, spin), TOP, GRAVITY, 0.5 - t)
    return jnp.concatenate([end.position, end.velocity, end.angular_velocity])


@pytest.mark.parametrize("turning", [0.0, 2.5], ids=["moving", "tilting"])
def test_moving_and_tilting_paddle(turning: float) -> None:
    x = np.array([1.0, 0.4, 1.2, 0.15, turning, 0.85, 0.1])
    derivative = check_derivative(paddle, x, tolerance=1e-9)
    assert np.abs(derivative[:, 4]).max() > 0.1  # turning the paddle matters: its normal and its velocity both move


def test_a_grazing_touch_is_finite_and_tells_its_rate() -> None:
    def gap(t: jax.Array, u: jax.Array) -> jax.Array:
        return (t - 1.0) ** 2 + u

    t, dt = jax.jvp(lambda u: event_time(gap, 1.0, u), (0.0,), (1.0,))
    assert float(t) == 1.0 and np.isfinite(float(dt))
    assert float(rate_at(gap, 1.0, 0.0)) == 0.0
