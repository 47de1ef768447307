"""Forward kinematics against scipy, against automatic and numerical derivatives, and at the awkward poses."""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematics.forward import (
    angular_jacobians,
    forward,
    point_accelerations,
    point_jacobian_rates,
    point_jacobians,
    point_velocities,
    points,
    rates,
)
from kinematics.skeleton import Dof, Joint, Skeleton
from tests.helpers import check_derivative, random_skeleton


def sample(seed: int, structure: int = 0) -> tuple[Skeleton, np.ndarray, np.ndarray, np.ndarray]:
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, structure=structure)
    segment = rng.integers(0, len(skeleton.names), 9)
    return skeleton, rng.normal(size=(3, skeleton.n_dofs)), segment, rng.normal(size=(9, 3))


@jax.jit
def kinematics_at(skeleton: Skeleton, q: Any, v: Any, a: Any, segment: Any, local: Any) -> dict[str, jax.Array]:
    """Everything that the module says about some points of one pose."""
    frames = forward(skeleton, q)
    state, p = rates(skeleton, frames, v, a), points(frames, segment, local)
    return {
        "position": p,
        "velocity": point_velocities(state, segment, p),
        "acceleration": point_accelerations(state, segment, p),
        "jacobian": point_jacobians(skeleton, frames, segment, p),
        "jacobian_rate": point_jacobian_rates(skeleton, frames, state, segment, p),
        "angular_jacobian": angular_jacobians(skeleton, frames, segment),
    }


def slow_forward(skeleton: Skeleton, q: np.ndarray) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """The textbook recursion, joint after joint, with scipy's rotations."""
    rotation: list[np.ndarray] = []
    position: list[np.ndarray] = []
    for i, parent in enumerate(skeleton.topology.parents):
        R, t = np.eye(3), np.array(skeleton.offset[i])
        for d in skeleton.dofs_of(i):
            if skeleton.topology.dof_kinds[d] == "rotation":
                R = R @ Rotation.from_rotvec(q[d] * skeleton.axis[d]).as_matrix()
            else:
                t = t + q[d] * skeleton.axis[d]
        rotation.append(R if parent < 0 else rotation[parent] @ R)
        position.append(t if parent < 0 else position[parent] + rotation[parent] @ t)
    return rotation, position


@pytest.mark.parametrize("seed", range(4))
def test_frames_equal_the_textbook_recursion(seed: int) -> None:
    rng = np.random.default_rng(seed)
    skeleton = random_skeleton(rng, joints=5 + 7 * seed, structure=seed)
    q = rng.normal(size=skeleton.n_dofs)
    frames = jax.jit(forward)(skeleton, q)
    rotation, position = slow_forward(skeleton, q)
    np.testing.assert_allclose(frames.rotation, rotation, atol=1e-13)
    np.testing.assert_allclose(frames.position, position, atol=1e-13)


def position_of(q: Any, skeleton: Skeleton, segment: Any, local: Any) -> jax.Array:
    return points(forward(skeleton, q), segment, local)


def velocity_of(q: Any, v: Any, skeleton: Skeleton, segment: Any, local: Any) -> jax.Array:
    frames = forward(skeleton, q)
    p = points(frames, segment, local)
    return point_velocities(rates(skeleton, frames, v, jnp.zeros_like(v)), segment, p)


@pytest.mark.parametrize(("seed", "structure"), [(0, 0), (1, 0), (2, 1)])
def test_jacobian_is_the_derivative(seed: int, structure: int) -> None:
    skeleton, (q, v, a), segment, local = sample(seed, structure)
    expected = check_derivative(position_of, q, skeleton, segment, local)
    np.testing.assert_allclose(kinematics_at(skeleton, q, v, a, segment, local)["jacobian"], expected, atol=1e-13)


def position_on_path(t: Any, q: Any, v: Any, skeleton: Skeleton, segment: Any, local: Any) -> jax.Array:
    return position_of(q + v * t, skeleton, segment, local)


def velocity_on_path(t: Any, q: Any, v: Any, a: Any, skeleton: Skeleton, segment: Any, local: Any) -> jax.Array:
    return velocity_of(q + v * t + 0.5 * a * t * t, v + a * t, skeleton, segment, local)


@pytest.mark.parametrize("seed", range(3))
def test_velocity_and_acceleration_are_those_of_the_path(seed: int) -> None:
    skeleton, (q, v, a), segment, local = sample(seed)
    ours = kinematics_at(skeleton, q, v, a, segment, local)
    velocity = check_derivative(position_on_path, 0.0, q, v, skeleton, segment, local)
    np.testing.assert_allclose(ours["velocity"], velocity, atol=1e-12)
    acceleration = check_derivative(velocity_on_path, 0.0, q, v, a, skeleton, segment, local)
    np.testing.assert_allclose(ours["acceleration"], acceleration, atol=1e-11)


@pytest.mark.parametrize("seed", range(2))
def test_jacobian_rate_is_also_the_derivative_of_velocity_by_pose(seed: int) -> None:
    skeleton, (q, v, a), segment, local = sample(seed)
    ours = kinematics_at(skeleton, q, v, a, segment, local)
    expected = check_derivative(velocity_of, q, v, skeleton, segment, local)
    np.testing.assert_allclose(ours["jacobian_rate"], expected, atol=1e-12)


def test_angular_jacobian_gives_the_angular_velocity() -> None:
    skeleton, (q, v, a), segment, local = sample(2)
    R, R_dot = jax.jit(lambda: jax.jvp(lambda t: forward(skeleton, q + v * t).rotation, (0.0,), (1.0,)))()
    spin = np.asarray(R_dot) @ np.swapaxes(R, -1, -2)
    omega = np.stack([spin[:, 2, 1], spin[:, 0, 2], spin[:, 1, 0]], axis=-1)[segment]
    jacobian = kinematics_at(skeleton, q, v, a, segment, local)["angular_jacobian"]
    np.testing.assert_allclose(np.asarray(jacobian) @ v, omega, atol=1e-12)


@pytest.mark.parametrize(
    "angles", [(0.0, 0.0, 0.0), (0.4, np.pi / 2, -0.2), (np.pi, 0.0, np.pi), (0.1, -np.pi / 2, 0.0)]
)
def test_zero_and_gimbal_angles_are_ordinary_poses(angles: tuple[float, float, float]) -> None:
    hinges = tuple(Dof(n, axis) for n, axis in zip("ZYX", np.eye(3)[::-1].tolist(), strict=True))
    skeleton = Skeleton.build([Joint("ball", None, (0.0, 1.0, 0.0), hinges), Joint("tip", "ball", (0.3, 0.2, 0.1))])
    segment, local = np.array([1]), jnp.asarray([[0.1, 0.0, 0.2]])

    expected = check_derivative(position_of, np.array(angles), skeleton, segment, local)
    ours = kinematics_at(skeleton, np.array(angles), np.zeros(3), np.zeros(3), segment, local)
    np.testing.assert_allclose(ours["jacobian"], expected, atol=1e-14)


def test_skeletons_of_any_shape() -> None:
    lonely = Skeleton.build([Joint("stone", None, (1.0, 2.0, 3.0))])
    frames = jax.jit(forward)(lonely, jnp.zeros(0))
    np.testing.assert_array_equal(frames.position, [[1.0, 2.0, 3.0]])
    chain = [Joint("j0", None, (0.0, 0.0, 0.0))]
    chain += [Joint(f"j{i}", f"j{i - 1}", (0.0, 0.1, 0.0), (Dof("x", (1.0, 0.0, 0.0)),)) for i in range(1, 30)]
    snake = Skeleton.build(chain)
    bend = jax.jit(forward)(snake, jnp.full(29, 2 * np.pi / 29))  # a closed polygon: the tip meets the start again
    np.testing.assert_allclose(
        bend.position[-1] + bend.rotation[-1] @ np.array([0.0, 0.1, 0.0]), [0.0, 0.1, 0.0], atol=1e-12
    )
