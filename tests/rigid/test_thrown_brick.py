"""A brick is thrown, tumbles, lands on a corner, bounces with friction and tumbles on: the whole chain at once."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rigid.body import box, flight_inertia, free
from rigid.convex import Feature, Pose, closest, contact
from rigid.free_flight import State, fly
from rigid.hull_features import VERTEX_FACE
from rigid.impact import Free, Material, choose_mode, collide
from rigid.time_of_impact import event_time
from tests.helpers import polish

GRAVITY = jnp.array([0.0, -9.81, 0.0])
BRICK = box(2.0, [0.1, 0.05, 0.18])
INERTIA = flight_inertia(BRICK)
TABLE = box(1.0, [5.0, 0.5, 5.0])
ON_TABLE = Pose(jnp.eye(3), jnp.array([0.0, -0.5, 0.0]))
SURFACE = Free.surface(jnp.zeros(3), jnp.zeros(3), jnp.zeros(3))
BRACKET = (0.2, 0.6)
# position, velocity, angular velocity, restitution, friction
THROWN = np.array([0.1, 0.6, -0.2, 1.0, 0.8, -0.5, 4.0, -3.0, 6.0, 0.6, 0.3])


def start(x: jax.Array) -> State:
    return State(x[:3], jnp.eye(3), x[3:6], x[6:9])


def touching(state: State, feature: Feature) -> tuple[jax.Array, jax.Array, jax.Array]:
    return contact(feature, Pose(state.rotation, state.position), ON_TABLE)


def bounced(x: jax.Array, feature: Feature, stick: jax.Array) -> tuple[State, State, jax.Array]:
    """Before and after the bounce, and its time."""

    def gap(t: jax.Array, u: State) -> jax.Array:
        return touching(fly(u, INERTIA, GRAVITY, t), feature)[0]

    thrown = start(x)
    root = polish(gap, *BRACKET, jax.lax.stop_gradient(thrown))
    time = event_time(gap, jax.lax.stop_gradient(root), thrown)
    before = fly(thrown, INERTIA, GRAVITY, time)
    _, normal, point = touching(before, feature)
    velocity, spin, *_ = collide(free(BRICK, before), SURFACE, point, normal, Material(x[9], x[10]), stick)
    return before, State(before.position, before.rotation, velocity, spin), time


def chain(x: jax.Array, feature: Feature, stick: jax.Array) -> dict[str, Any]:
    before, after, time = bounced(x, feature, stick)
    return {"time": time, "before": before, "after": after, "end": fly(after, INERTIA, GRAVITY, 0.8 - time)}


# One compilation each; reverse mode and each link alone have tests of their own.
run, derivative = jax.jit(chain), jax.jit(jax.jacfwd(chain))


def landing_on(corner: np.ndarray) -> Feature:
    above = Pose(jnp.eye(3), jnp.array([0.0, 1.0, 0.0]))
    table = closest(BRICK.vertices, above, TABLE.vertices, ON_TABLE).b
    return Feature(np.asarray(VERTEX_FACE), np.tile(corner, (3, 1)), table)


@pytest.fixture(scope="module")
def landing() -> tuple[Feature, jax.Array]:
    """The corner that would be the first through the table, and whether it sticks there."""
    x, slide = jnp.asarray(THROWN), jnp.asarray(0.0)
    features = [landing_on(corner) for corner in BRICK.vertices]
    first = min(features, key=lambda feature: float(run(x, feature, slide)["time"]))
    before = run(x, first, slide)["before"]
    _, normal, point = touching(before, first)
    stick, _ = choose_mode(free(BRICK, before), SURFACE, point, normal, Material(x[9], x[10]))
    return first, stick


def test_it_lands_on_that_corner_and_leaves_with_less_energy(landing: tuple[Feature, jax.Array]) -> None:
    ran = run(jnp.asarray(THROWN), *landing)
    gap, normal, _ = touching(ran["before"], landing[0])
    assert abs(float(gap)) <= 1e-13
    np.testing.assert_allclose(normal, [0.0, 1.0, 0.0], atol=1e-15)
    found = closest(BRICK.vertices, Pose(ran["before"].rotation, ran["before"].position), TABLE.vertices, ON_TABLE)
    np.testing.assert_array_equal(np.asarray(found.a)[0], np.asarray(landing[0].a)[0])
    kinetic = [_kinetic(ran[when]) for when in ("before", "after")]
    assert 0.1 * kinetic[0] < kinetic[1] < kinetic[0]


def _kinetic(state: State) -> float:
    spin = np.asarray(state.angular_velocity @ state.rotation)
    return float(0.5 * BRICK.mass * state.velocity @ state.velocity + 0.5 * np.sum(np.asarray(BRICK.moments) * spin**2))


@pytest.mark.parametrize("seed", range(4))
def test_the_derivative_through_the_whole_chain(landing: tuple[Feature, jax.Array], seed: int) -> None:
    way = np.random.default_rng(seed).normal(size=THROWN.size)
    flat = [
        np.concatenate([np.ravel(leaf) for leaf in jax.tree.leaves(run(jnp.asarray(THROWN + step * way), *landing))])
        for step in 1e-5 * np.array([1.0, -1.0, 2.0, -2.0])
    ]
    numeric = (8 * (flat[0] - flat[1]) - (flat[2] - flat[3])) / 12e-5
    exact = np.concatenate(
        [np.ravel(leaf @ way) for leaf in jax.tree.leaves(derivative(jnp.asarray(THROWN), *landing))]
    )
    assert np.abs(exact).max() > 1.0
    np.testing.assert_allclose(exact, numeric, atol=1e-8 * np.abs(exact).max())
