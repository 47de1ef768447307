"""Rotation vectors in machine code: `rotation.rotation_exp` and `rotation.left_jacobian`, for loops over numbers.

JAX's calls cost a tenth of a millisecond each; these are called thousands of times within one step of an edit.
"""

import numpy as np

from kinematics.compiled import add_cross, inner
from kinematics.rotation import REST, SINE, SMALL, VERSINE, Floats


@inner
def dot(a: Floats, b: Floats) -> float:
    """Of two vectors (3,)."""
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@inner
def turned(x: Floats, vector: Floats, out: Floats) -> None:
    """Fill in a vector turned by a rotation vector: `rotation_exp(vector) @ x`, without the matrix."""
    square = dot(vector, vector)
    a, b, _ = _factors(square)
    along, shrunk = b * dot(vector, x), 1.0 - b * square
    for i in range(3):
        out[i] = shrunk * x[i] + along * vector[i]
    add_cross(out, vector, x, a)


@inner
def rotation_and_left_jacobian(vector: Floats, rotation: Floats, jacobian: Floats) -> None:
    """Fill in the rotation (3, 3) of a rotation vector, and how a change of the vector turns it (3, 3)."""
    square = dot(vector, vector)
    a, b, c = _factors(square)
    for i in range(3):
        for j in range(3):
            rotation[i, j], jacobian[i, j] = b * vector[i] * vector[j], c * vector[i] * vector[j]
        rotation[i, i] += 1.0 - b * square
        jacobian[i, i] += 1.0 - c * square
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        rotation[k, j] += a * vector[i]
        rotation[j, k] -= a * vector[i]
        jacobian[k, j] += b * vector[i]
        jacobian[j, k] -= b * vector[i]


@inner
def _factors(square: float) -> tuple[float, float, float]:
    """sin θ / θ, (1 - cos θ) / θ² and (θ - sin θ) / θ³, of θ²."""
    if square < SMALL:
        return _series(square, SINE), _series(square, VERSINE), _series(square, REST)
    angle = np.sqrt(square)
    sine, half = np.sin(angle), np.sin(0.5 * angle) / angle
    return sine / angle, 2.0 * half * half, (angle - sine) / (angle * square)


@inner
def _series(square: float, terms: tuple[float, float, float, float]) -> float:
    return terms[0] + square * (terms[1] + square * (terms[2] + square * terms[3]))
