"""Rotation vectors in machine code are those of `rotation`, to round-off."""

from typing import Any

import numpy as np
import pytest

from kinematics.rotation import SMALL, left_jacobian, rotation_exp
from kinematics.rotation_compiled import rotation_and_left_jacobian, turned
from tests.helpers import machine_code

LENGTHS = [0.0, 1e-160, 1e-9, 1e-4, 0.999 * SMALL**0.5, 1.001 * SMALL**0.5, 0.5, np.pi, 2.0 * np.pi, 40.0]
VECTORS = [length * np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5]) for length in LENGTHS]
VECTORS += list(np.random.default_rng(0).normal(size=(30, 3)) * np.logspace(-6, 1, 30)[:, None])


def filled(vector: np.ndarray, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    rotation, jacobian, moved = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    rotation_and_left_jacobian(vector, rotation, jacobian)
    turned(x, vector, moved)
    return rotation, jacobian, moved


@pytest.mark.parametrize("vector", VECTORS, ids=lambda vector: f"{np.linalg.norm(vector):.1e}")
@pytest.mark.parametrize("run", [machine_code(filled), filled], ids=["machine code", "as written"])
def test_compiled_rotation_vectors_are_those_of_rotation(run: Any, vector: np.ndarray) -> None:
    x = np.array([0.3, -0.4, 1.2])
    rotation, jacobian, moved = run(vector, x)
    np.testing.assert_allclose(rotation, rotation_exp(vector), atol=1e-15)
    np.testing.assert_allclose(jacobian, left_jacobian(vector), atol=1e-15)
    np.testing.assert_allclose(moved, rotation_exp(vector) @ x, atol=1e-15)
