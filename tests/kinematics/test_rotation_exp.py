import jax.numpy as jnp
import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from kinematics.rotation import rotation_exp
from tests.helpers import check_derivative


@pytest.mark.parametrize("length", [0.0, 1e-9, 0.9e-3, 1.1e-3, 0.5, np.pi, 10.0])
def test_exponential_and_its_derivative(length: float) -> None:
    vector = length * np.array([2.0, -1.0, 0.5]) / np.linalg.norm([2.0, -1.0, 0.5])
    np.testing.assert_allclose(rotation_exp(jnp.asarray(vector)), Rotation.from_rotvec(vector).as_matrix(), atol=1e-15)
    check_derivative(rotation_exp, vector)
