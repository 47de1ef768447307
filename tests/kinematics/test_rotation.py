import jax
import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematics.rotation import (
    SMALL,
    cross_matrix,
    hinge,
    hinge_angles,
    hinge_chain,
    left_jacobian,
    nearest_triple,
    nearest_turn,
    perpendicular_frame,
    rotation_exp,
    yaw,
)
from tests.helpers import check_derivative


@pytest.mark.parametrize("angle", [0.0, 1e-12, 1e-4, 1.0, np.pi / 2, np.pi, -np.pi, 7.0])
def test_hinge_is_the_rotation_vector_of_scipy(angle: float) -> None:
    axis = np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5])
    expected = Rotation.from_rotvec(angle * axis).as_matrix()
    np.testing.assert_allclose(hinge(jnp.asarray(axis), jnp.asarray(angle)), expected, atol=1e-15)
    check_derivative(lambda a: hinge(jnp.asarray(axis), a), angle)


def test_hinge_about_no_axis_is_the_identity() -> None:
    np.testing.assert_array_equal(hinge(jnp.zeros(3), jnp.asarray(0.7)), np.eye(3))


@pytest.mark.parametrize("order", ["XYZ", "XZY", "YXZ", "YZX", "ZXY", "ZYX"])
def test_hinge_angles_undo_the_chain_for_every_order(order: str) -> None:
    axes = np.array([np.eye(3)["XYZ".index(c)] for c in order])
    angles = np.random.default_rng(1).uniform(-1.5, 1.5, size=(200, 3))
    np.testing.assert_allclose(hinge_chain(axes, angles), Rotation.from_euler(order, angles).as_matrix(), atol=1e-14)
    np.testing.assert_allclose(hinge_angles(axes, hinge_chain(axes, angles)), angles, atol=1e-12)


@pytest.mark.parametrize("middle", [np.pi / 2, -np.pi / 2])
def test_hinge_angles_at_gimbal_lock_still_give_the_rotation(middle: float) -> None:
    axes = np.eye(3)[[2, 1, 0]]
    R = hinge_chain(axes, np.array([0.3, middle, 0.9]))
    np.testing.assert_allclose(hinge_chain(axes, hinge_angles(axes, R)), R, atol=1e-8)


def test_nearest_triple_keeps_the_rotation_and_comes_close() -> None:
    rng = np.random.default_rng(2)
    axes = Rotation.random(random_state=3).as_matrix()
    reference = rng.uniform(-1.2, 1.2, size=(100, 3))
    a, b, c = reference.T
    disguised = np.stack([a + np.pi, np.pi - b, c - np.pi], axis=-1) + 2 * np.pi * rng.integers(-2, 3, size=(100, 3))
    np.testing.assert_allclose(hinge_chain(axes, disguised), hinge_chain(axes, reference), atol=1e-12)
    np.testing.assert_allclose(nearest_triple(disguised, reference), reference, atol=1e-12)


def test_nearest_turn() -> None:
    assert nearest_turn(np.deg2rad(-170), np.deg2rad(170)) == pytest.approx(np.deg2rad(190))


def test_yaw_turns_forward_to_the_left() -> None:
    np.testing.assert_allclose(yaw(np.pi / 2) @ [0, 0, 1], [1, 0, 0], atol=1e-15)


@pytest.mark.parametrize("hint", [[0.0, 0.0, 1.0], [0.0, 1.0, 0.0], [1.0, 2.0, 3.0]])
def test_perpendicular_frame_is_a_rotation_even_for_a_parallel_hint(hint: list[float]) -> None:
    frame = perpendicular_frame([0.0, 3.0, 0.0], hint)
    np.testing.assert_allclose(frame.T @ frame, np.eye(3), atol=1e-12)
    assert np.linalg.det(frame) == pytest.approx(1.0)
    np.testing.assert_allclose(frame[:, 1], [0, 1, 0])


DIRECTION = np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5])
# on both sides of where the series begin, half turns and whole ones, where the left Jacobian is singular
LENGTHS = [0.0, 1e-9, 1e-4, 0.999 * np.sqrt(SMALL), 1.001 * np.sqrt(SMALL), 0.5, np.pi, 2.0 * np.pi, 10.0]


@pytest.mark.parametrize("length", LENGTHS)
def test_exponential_and_its_derivative(length: float) -> None:
    vector = length * DIRECTION
    for array in (vector, jnp.asarray(vector)):
        np.testing.assert_allclose(rotation_exp(array), Rotation.from_rotvec(vector).as_matrix(), atol=1e-15)
    check_derivative(rotation_exp, vector)


@pytest.mark.parametrize("length", LENGTHS)
def test_the_left_jacobian_is_how_a_change_of_the_vector_turns_its_rotation(length: float) -> None:
    vector = length * DIRECTION
    R, change = Rotation.from_rotvec(vector).as_matrix(), np.asarray(jax.jacfwd(rotation_exp)(jnp.asarray(vector)))
    spins = np.einsum("ijk,lj->ilk", change, R)  # of dR Rᵀ, by each number of the vector
    turns = np.stack([spins[2, 1], spins[0, 2], spins[1, 0]])
    for array in (vector, jnp.asarray(vector)):
        np.testing.assert_allclose(left_jacobian(array), turns, atol=2e-15)


def test_a_cross_product_is_a_matrix() -> None:
    a, b = np.random.default_rng(0).normal(size=(2, 3))
    for array in (a, jnp.asarray(a)):
        np.testing.assert_allclose(cross_matrix(array) @ b, np.cross(a, b), atol=1e-15)
