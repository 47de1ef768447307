"""Rotations: hinge matrices for the kinematic core, and their angles for clips.

Every rotational degree of freedom in this project is a hinge about a fixed axis, so the core needs sines and cosines
only and is smooth everywhere, gimbal poses included. Going back from a matrix to hinge angles is not smooth; it is done
in numpy, once, when a clip is read or placed, and never inside the differentiated path.
"""

from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]

SMALL = 1e-3  # [rad²] below which these series in θ² are used; their four terms then end in round-off
SINE = (1.0, -1.0 / 6.0, 1.0 / 120.0, -1.0 / 5040.0)  # sin θ / θ
VERSINE = (0.5, -1.0 / 24.0, 1.0 / 720.0, -1.0 / 40320.0)  # (1 - cos θ) / θ²
REST = (1.0 / 6.0, -1.0 / 120.0, 1.0 / 5040.0, -1.0 / 362880.0)  # (θ - sin θ) / θ³


def hinge(axis: Array, angle: Array) -> Array:
    """Rotation matrices (..., 3, 3) about `axis` (..., 3) by `angle` (...) [rad]; a zero axis gives the identity."""
    x, y, z = axis[..., 0], axis[..., 1], axis[..., 2]
    sine, versine = jnp.sin(angle), 1.0 - jnp.cos(angle)
    # I + sin θ K + (1 - cos θ) K², written out: K² = a aᵀ - |a|² I, so that a zero axis needs no special case
    xx, yy, zz = x * x, y * y, z * z
    xy, xz, yz = x * y * versine, x * z * versine, y * z * versine
    xs, ys, zs = x * sine, y * sine, z * sine
    rows = [
        [1.0 - (yy + zz) * versine, xy - zs, xz + ys],
        [xy + zs, 1.0 - (xx + zz) * versine, yz - xs],
        [xz - ys, yz + xs, 1.0 - (xx + yy) * versine],
    ]
    return jnp.stack([jnp.stack(row, axis=-1) for row in rows], axis=-2)


def cross_matrix(vector: Any) -> Any:
    """K (3, 3) with K @ x = vector × x. Numpy or JAX."""
    xp = vector.__array_namespace__()
    x, y, z = vector
    zero = xp.zeros_like(x)
    return xp.stack([xp.stack([zero, -z, y]), xp.stack([z, zero, -x]), xp.stack([-y, x, zero])])


def rotation_exp(vector: Any) -> Any:
    """The rotation (3, 3) about the direction of `vector` (3,) by its length [rad]; smooth at zero. Numpy or JAX."""
    xp, K = vector.__array_namespace__(), cross_matrix(vector)
    square, small, angle = _angle(vector)
    sine = xp.where(small, _series(square, SINE), xp.sin(angle) / angle)
    return xp.eye(3) + sine * K + _versine(vector) * (K @ K)


def left_jacobian(vector: Any) -> Any:
    """How a change of a rotation vector (3,) turns its rotation, in the world (3, 3); smooth at zero. Numpy or JAX."""
    xp, K = vector.__array_namespace__(), cross_matrix(vector)
    square, small, angle = _angle(vector)
    rest = xp.where(small, _series(square, REST), (angle - xp.sin(angle)) / angle**3)
    return xp.eye(3) + _versine(vector) * K + rest * (K @ K)


def _versine(vector: Any) -> Any:
    """(1 - cos θ) / θ² of a vector's length θ."""
    xp = vector.__array_namespace__()
    square, small, angle = _angle(vector)
    half = xp.sin(0.5 * angle) / angle  # 1 - cos θ cancels, the sine of half the angle does not
    return xp.where(small, _series(square, VERSINE), 2.0 * half * half)


def _angle(vector: Any) -> tuple[Any, Any, Any]:
    """Of a vector's length: its square, whether that is small, and itself where it is not."""
    xp = vector.__array_namespace__()
    square = xp.sum(vector * vector)
    small = square < SMALL
    # both branches are evaluated by a derivative, so the unused one must stay finite
    return square, small, xp.sqrt(xp.where(small, 1.0, square))


def _series(square: Any, coefficients: tuple[float, ...]) -> Any:
    first, second, third, fourth = coefficients
    return first + square * (second + square * (third + square * fourth))


def hinge_chain(axes: ArrayLike, angles: ArrayLike) -> Floats:
    """The numpy product R(a₁, θ₁)·R(a₂, θ₂)… of hinges: axes (k, 3), angles (..., k) -> (..., 3, 3)."""
    axes, angles = np.asarray(axes, float), np.asarray(angles, float)
    sine, versine = np.sin(angles), 1.0 - np.cos(angles)
    product = np.broadcast_to(np.eye(3), (*angles.shape[:-1], 3, 3))
    for k, (x, y, z) in enumerate(axes):
        K = np.array([[0.0, -z, y], [z, 0.0, -x], [-y, x, 0.0]])
        turn = np.eye(3) + sine[..., k, None, None] * K + versine[..., k, None, None] * (K @ K)
        product = turn if k == 0 else product @ turn
    return np.asarray(product)


def hinge_angles(axes: ArrayLike, rotation: ArrayLike) -> Floats:
    """Angles (..., 3) of three mutually orthogonal hinges whose product is `rotation` (..., 3, 3).

    Where the middle hinge stands at ±90° only the sum of the outer two is defined; the last one is then put to zero.
    """
    E = np.asarray(axes, float).T
    # In the hinges' own frame the chain is Rx·Ry·Rz; a left-handed frame turns every angle around.
    R = E.T @ np.asarray(rotation, float) @ E
    cos_middle = np.hypot(R[..., 0, 0], R[..., 0, 1])
    middle = np.arctan2(R[..., 0, 2], cos_middle)
    locked = cos_middle < 1e-9
    first = np.where(locked, np.arctan2(R[..., 2, 1], R[..., 1, 1]), np.arctan2(-R[..., 1, 2], R[..., 2, 2]))
    last = np.where(locked, 0.0, np.arctan2(-R[..., 0, 1], R[..., 0, 0]))
    return np.asarray(np.linalg.det(E) * np.stack([first, middle, last], axis=-1))


def nearest_turn(angle: ArrayLike, reference: ArrayLike) -> Floats:
    """`angle` plus the number of full turns that brings it closest to `reference`."""
    angle, reference = np.asarray(angle, float), np.asarray(reference, float)
    turns = np.round((reference - angle) / (2 * np.pi))
    return np.asarray(angle + 2 * np.pi * turns)


def other_solution(angles: ArrayLike) -> Floats:
    """The other angles (..., 3) of three orthogonal hinges that make the same rotation: (a + π, π - b, c + π)."""
    return np.pi + np.array([1.0, -1.0, 1.0]) * np.asarray(angles, float)


def are_orthogonal(axes: ArrayLike) -> bool:
    """Whether these are three mutually orthogonal hinges, as Euler angles have."""
    axes = np.asarray(axes, float)
    return axes.shape == (3, 3) and bool(np.abs(axes @ axes.T - np.eye(3)).max() < 1e-6)


def nearest_triple(angles: ArrayLike, reference: ArrayLike) -> Floats:
    """The angles (..., 3) of three orthogonal hinges, rewritten to the same rotation closest to `reference`.

    Besides full turns, there is the other solution.
    """
    angles, reference = np.asarray(angles, float), np.asarray(reference, float)
    plain, flipped = nearest_turn(angles, reference), nearest_turn(other_solution(angles), reference)
    closer = np.sum((flipped - reference) ** 2, -1) < np.sum((plain - reference) ** 2, -1)
    return np.where(closer[..., None], flipped, plain)


def yaw(angle: float) -> Floats:
    """Rotation about the vertical (+Y) by `angle` [rad]."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])


def perpendicular_frame(y_axis: ArrayLike, z_hint: ArrayLike) -> Floats:
    """A right-handed rotation (3, 3) whose Y column is `y_axis` and whose Z column is as near `z_hint` as can be."""
    y = np.asarray(y_axis, float) / np.linalg.norm(y_axis)
    z = np.asarray(z_hint, float) - y * np.dot(y, z_hint)
    if np.linalg.norm(z) < 1e-6:  # the hint is parallel to y: any perpendicular will do
        z = np.eye(3)[np.argmin(np.abs(y))]
        z = z - y * np.dot(y, z)
    z /= np.linalg.norm(z)
    return np.stack([np.cross(y, z), y, z], axis=-1)


def rotation_between(R: ArrayLike, other: ArrayLike) -> Floats:
    """The rotation vector (3,), in the world, that turns `other` (3, 3) into R; half turns are no special case."""
    M = np.asarray(R, float) @ np.asarray(other, float).T
    axis = 0.5 * np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])
    sine, cosine = float(np.linalg.norm(axis)), 0.5 * (float(np.trace(M)) - 1.0)
    if cosine < -0.9:  # near a half turn the axis is in the symmetric part
        column = np.eye(3) + M
        direction = column[:, int(np.argmax(np.diag(column)))]
        direction = direction / np.linalg.norm(direction)
        direction = -direction if direction @ axis < 0.0 else direction
        return np.asarray(direction * np.arctan2(sine, cosine))
    return axis if sine < 1e-9 else np.asarray(axis * np.arctan2(sine, cosine) / sine)


def cross(a: Floats, b: Floats) -> Floats:
    """a × b along the last axis, as numpy's, without its overhead, which for so few numbers is all."""
    x, y, z = a[..., 0], a[..., 1], a[..., 2]
    p, q, r = b[..., 0], b[..., 1], b[..., 2]
    first = np.asarray(y * r - z * q)
    out = np.empty((*first.shape, 3))
    out[..., 0], out[..., 1], out[..., 2] = first, z * p - x * r, x * q - y * p
    return out
