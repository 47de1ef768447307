"""Local Jacobians in closed form against the derivative of the same laws, taken by JAX."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from jax import Array

from hoi_edit.simulate.compiled_jacobians import ball_flights, ball_touches, held_and_released
from hoi_edit.simulate.dynamics.tumbling import flight_jacobians
from hoi_edit.simulate.events.touch import (
    FALLING,
    arrival_jacobians,
    ball_arrivals,
    ball_grasps,
    ball_impacts,
    impact_jacobians,
    meeting,
)
from hoi_edit.simulate.packed_layouts import CARRY, FLY, FRAME, TOUCH, state_of
from hoi_edit.simulate.variations import drifted, frame_after, hold_derivative, in_hand, retract, variation
from kinematics.rotation import Floats, rotation_exp
from rigid.free_flight import SPHERE, State, fly
from rigid.impact import Free, Material, choose_mode

GRAVITY: Any = np.array([0.0, -9.81, 0.3])
TRUE = 1e-11


def rotation(rng: np.random.Generator) -> Floats:
    return np.asarray(rotation_exp(rng.normal(size=3)))


def frame(rng: np.random.Generator) -> Floats:
    return np.concatenate([rng.normal(size=3), rotation(rng).ravel(), *rng.normal(size=(4, 3))])


def state(rng: np.random.Generator) -> Floats:
    return np.concatenate([rng.normal(size=3), rotation(rng).ravel(), rng.normal(size=3), 3.0 * rng.normal(size=3)])


FEATURES = [(0, 1, 0), (-1, 0, 0), (1, 0, 1), (0, -1, 1), (1, -1, 1), (-1, -1, -1)]  # faces, edges, corners


def touch(seed: int, restitution: float = 0.7, declared: float = 0.0) -> Floats:
    """A ball that approaches some feature of some rounded box, with the mode that the law chooses."""
    rng = np.random.default_rng(seed)
    feature = np.array(FEATURES[seed % len(FEATURES)], float)
    core = rng.uniform(0.05, 0.2, 3) * (rng.random(3) > 0.3)
    turned, place, part, mu = rotation(rng), rng.normal(size=3), frame(rng), [0.0, 0.2, 0.9][seed % 3]
    R = part[3:12].reshape(3, 3)
    along = feature * rng.uniform(0.5, 1.0, 3)
    along /= np.linalg.norm(along)
    inside = np.where(feature == 0.0, rng.uniform(-0.5, 0.5, 3) * core, feature * core)
    x = part[:3] + R @ (place + turned @ (inside + 0.15 * along))
    n = R @ turned @ along
    ball = state(rng)
    against = part[12:15] + np.cross(part[15:18], x - part[:3])
    ball[12:15] += against - n * (n @ ball[12:15] + rng.uniform(0.5, 4.0))  # at the touch
    duration, turn = rng.uniform(0.0, 0.9), rng.normal(size=3) * (0.1 * (seed % 2))
    free = Free(3.0, 800.0 * np.eye(3), x, ball[12:15], ball[15:18])
    surface = Free.surface(part[:3], part[12:15], part[15:18])
    normal = rotation_exp(turn) @ n
    stick, _ = choose_mode(free, surface, jnp.asarray(x) - 0.05 * normal, normal, Material(restitution, mu))
    before = fly(state_of(jnp.concatenate([x, ball[3:]])), SPHERE, GRAVITY, -duration)
    row = np.concatenate([before.position, before.rotation.ravel(), before.velocity, before.angular_velocity])
    return TOUCH.pack(
        1, state=row, duration=duration, frame=part, place=place, turned=turned.ravel(), core=core, radius=0.1,
        feature=feature, ball_radius=0.05, inverse_mass=3.0, inverse_moment=800.0, restitution=restitution,
        friction=mu, normal_turn=turn, stick=float(stick), declared=declared,
    )[0]  # fmt: skip


def assert_same(ours: Floats, truth: Array | Floats) -> None:
    truth = np.asarray(truth)
    size = np.abs(truth).max(axis=(1, 2), keepdims=True)
    assert (np.abs(ours - truth) / np.maximum(size, 1.0)).max() <= TRUE


@pytest.mark.parametrize("declared", [0.0, 1.0])
@pytest.mark.parametrize("restitution", [0.0, 0.7, 1.0])
def test_impacts(restitution: float, declared: float) -> None:
    items = np.stack([touch(seed, restitution, declared) for seed in range(32)])
    assert {0.0, 1.0} == set(TOUCH.unpack(items).stick), "both modes"
    assert_same(ball_impacts(GRAVITY, items), impact_jacobians(GRAVITY, items))


def test_impacts_that_would_give_energy_are_differentiated() -> None:
    items = np.stack([touch(seed, 1.2 if seed % 4 == 0 else 0.5) for seed in range(32)])
    truth = np.asarray(impact_jacobians(GRAVITY, items))
    assert_same(ball_impacts(GRAVITY, items), truth)
    assert np.abs(ball_touches(GRAVITY, items, FALLING, False)[:, :12] - truth).max() > 1e-3, (
        "the limit of energy matters"
    )


@pytest.mark.parametrize("declared", [0.0, 1.0])
def test_touches_by_the_state_just_before(declared: float) -> None:
    """As it goes on, it may be in contact or feel the air: at any rates."""
    items = np.stack([touch(seed, 1.2 if seed % 8 == 0 else 0.5, declared) for seed in range(32)])
    items[:, TOUCH.slices["duration"]] = 0.0
    rates = np.random.default_rng(1).normal(size=(32, 12))
    truth = np.asarray(arrival_jacobians(np.concatenate([items, rates], axis=1)))
    assert_same(ball_arrivals(GRAVITY, items, rates, grasp=False), truth[:, :13])
    assert_same(ball_arrivals(GRAVITY, items, rates, grasp=True), truth[:, 13:, :30])
    assert np.all(truth[:, 13:, 30:] == 0.0)


@pytest.mark.parametrize("declared", [0.0, 1.0])
def test_grasps(declared: float) -> None:
    items = np.stack([touch(seed, declared=declared) for seed in range(32)])

    def one(row: Array) -> Array:
        item = TOUCH.unpack(row)

        def later(tau: Array, varied: Array) -> State:
            return fly(retract(state_of(item.state), varied), SPHERE, GRAVITY, item.duration + tau)

        def caught(z: Array) -> tuple[Array, Array]:
            _, before, hand, _ = meeting(item, later, z)
            return in_hand(before, hand)

        return hold_derivative(caught, 30)

    assert_same(ball_grasps(GRAVITY, items), jax.vmap(one)(jnp.asarray(items)))


def test_holds_and_releases() -> None:
    rng = np.random.default_rng(3)
    items = np.stack([
        CARRY.pack(1, frame=frame(rng), position=rng.normal(size=3), rotation=rotation(rng).ravel(),
                   moments=np.ones(3) if k % 2 else rng.uniform(1.0, 2.0, 3))[0]
        for k in range(16)
    ])  # fmt: skip

    def one(row: Array) -> Array:
        item = CARRY.unpack(row)

        def flight(z: Array) -> State:
            f = frame_after(FRAME.unpack(item.frame), z[6:18], z[18])
            rotation = rotation_exp(z[3:6]) @ item.rotation.reshape(3, 3)
            arm = f.rotation @ (item.position + z[:3])
            held = State(f.position + arm, f.rotation @ rotation, f.velocity + jnp.cross(f.spin, arm), f.spin)
            return drifted(held, item.moments, jnp.asarray(GRAVITY), -z[18])

        nominal = flight(jnp.zeros(19))
        return jax.jacfwd(lambda z: variation(flight(z), nominal))(jnp.zeros(19))

    assert_same(held_and_released(GRAVITY, items), jax.vmap(one)(jnp.asarray(items)))


@pytest.mark.parametrize("duration", [0.0, 1e-6, 2e-5, 1.3])
def test_flights(duration: float) -> None:
    rng = np.random.default_rng(4)
    items = np.concatenate([FLY.pack(1, state=state(rng), duration=duration) for _ in range(16)])
    assert_same(ball_flights(items), flight_jacobians(GRAVITY, SPHERE, items))
