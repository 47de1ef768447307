"""An orbit camera as a value: matrices, pointer rays, and the moves an editor makes. No GL.

World: metres, Y up, right-handed. Camera: X right, Y up, looking along -Z.
Pixels: continuous, (0, 0) is the top left *corner* of the picture, so the first pixel's centre is (0.5, 0.5).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]

HALF_PI = float(np.pi / 2)
SMALLEST_DISTANCE = 0.05  # [m] closer than this, orbiting feels like spinning on the spot
LARGEST_DISTANCE = 100.0  # [m]
STAND_BACK = 100.0  # [m] behind its place from which a camera without perspective counts depths: nothing is behind it


@dataclass(frozen=True)
class Camera:
    """Looks at `target` from `distance`. Azimuth 0 stands on the +Z side, growing towards +X; angles in radians.

    An orthographic one shows what lies at the target as large as a perspective one does, so that `distance` is its
    zoom; it stands so far back that all of a scene is before it.
    """

    target: Sequence[float] | Array = (0.0, 1.0, 0.0)
    distance: float = 4.0
    azimuth: float = 0.6
    elevation: float = 0.25
    fov_y: float = 0.7
    near: float = 0.05
    far: float = 200.0
    orthographic: bool = False

    def __post_init__(self) -> None:
        target = tuple(float(x) for x in self.target)
        if len(target) != 3:
            raise ValueError(f"camera target must have 3 coordinates, got {len(target)}")
        if not (0.0 < self.near < self.far and self.distance > 0.0 and 0.0 < self.fov_y < np.pi):
            raise ValueError("camera needs 0 < near < far, distance > 0 and 0 < fov_y < pi")
        # A plain tuple, whatever came in: cameras then compare and hash, so a picture is redrawn only when one moved.
        object.__setattr__(self, "target", target)

    @property
    def axes(self) -> Array:
        """Rows: the camera's right, up and backward directions in the world. Built from the angles, so that looking
        straight down has no singularity."""
        sa, ca, se, ce = np.sin(self.azimuth), np.cos(self.azimuth), np.sin(self.elevation), np.cos(self.elevation)
        return np.array([[ca, 0.0, -sa], [-sa * se, ce, -ca * se], [sa * ce, se, ca * ce]])

    @property
    def eye(self) -> Array:
        back = self.distance + (STAND_BACK if self.orthographic else 0.0)
        return np.add(self.target, back * self.axes[2], dtype=float)

    @property
    def half_height(self) -> float:
        """[m] of what is seen at the target's depth."""
        return float(self.distance * np.tan(self.fov_y / 2))

    def towards_eye(self, point: ArrayLike) -> Array:
        """The direction in which somebody at a point sees the eye, of any length."""
        return self.axes[2] if self.orthographic else self.eye - np.asarray(point, dtype=float)

    def view(self) -> Array:
        """World to camera, 4x4."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes
        matrix[:3, 3] = -self.axes @ self.eye
        return matrix

    def projection(self, aspect: float) -> Array:
        """Camera to OpenGL clip space, 4x4; `aspect` is width over height."""
        near, far = self.near, self.far
        matrix = np.zeros((4, 4))
        if self.orthographic:
            far += STAND_BACK
            matrix[0, 0], matrix[1, 1], matrix[3, 3] = 1.0 / (aspect * self.half_height), 1.0 / self.half_height, 1.0
            matrix[2, 2], matrix[2, 3] = 2.0 / (near - far), (far + near) / (near - far)
            return matrix
        scale = 1.0 / np.tan(self.fov_y / 2)
        matrix[0, 0], matrix[1, 1] = scale / aspect, scale
        matrix[2, 2], matrix[2, 3] = (far + near) / (near - far), 2 * far * near / (near - far)
        matrix[3, 2] = -1.0
        return matrix

    def orbit(self, d_azimuth: float, d_elevation: float) -> Camera:
        """Turns about the target; stops at straight up and straight down."""
        elevation = float(np.clip(self.elevation + d_elevation, -HALF_PI, HALF_PI))
        return replace(self, azimuth=float((self.azimuth + d_azimuth) % (2 * np.pi)), elevation=elevation)

    def pan(self, right: float, up: float) -> Camera:
        """Moves target and eye together, in metres across the picture. See `metres_per_pixel` for a pointer drag."""
        return replace(self, target=self.target + np.array([right, up]) @ self.axes[:2])

    def dolly(self, factor: float) -> Camera:
        """Multiplies the distance to the target: below 1 comes closer."""
        distance = float(np.clip(self.distance * factor, SMALLEST_DISTANCE, LARGEST_DISTANCE))
        return replace(self, distance=distance)

    def metres_per_pixel(self, height: int, depth: float | None = None) -> float:
        """Size of a pixel at a depth, else at the target's, for a picture `height` pixels high."""
        share = 1.0 if depth is None or self.orthographic else depth / self.distance
        return float(2 * self.half_height * share / height)

    def frame(self, points: ArrayLike, aspect: float = 16 / 9, margin: float = 1.1) -> Camera:
        """The nearest camera with the same angles that sees all points, with `margin` (1 touches the border)."""
        p = np.asarray(points, dtype=float).reshape(-1, 3)
        if len(p) == 0:
            return self
        right, up, depth = p @ self.axes[0], p @ self.axes[1], -(p @ self.axes[2])
        tan_y = np.tan(self.fov_y / 2) / margin
        if self.orthographic:
            return self._frame_flat(right, up, depth, tan_y, aspect)
        x, depth_x = _centre_and_eye_depth(right, depth, tan_y * aspect)
        y, depth_y = _centre_and_eye_depth(up, depth, tan_y)
        eye_depth = min(depth_x, depth_y, float(depth.min()) - 2 * self.near)
        middle = float(depth.min() + depth.max()) / 2
        distance = float(np.clip(middle - eye_depth, 10 * SMALLEST_DISTANCE, LARGEST_DISTANCE))
        far = max(self.far, float(depth.max() - middle) + 2 * distance)
        return replace(self, target=np.array([x, y, -middle]) @ self.axes, distance=distance, far=far)

    def _frame_flat(self, right: Array, up: Array, depth: Array, tan_y: float, aspect: float) -> Camera:
        x, y, z = (float(along.min() + along.max()) / 2 for along in (right, up, depth))
        distance = max(float(np.ptp(right)) / aspect, float(np.ptp(up))) / (2 * tan_y)
        distance = float(np.clip(distance, 10 * SMALLEST_DISTANCE, LARGEST_DISTANCE))
        far = max(self.far, float(np.ptp(depth)) + 2 * distance)
        return replace(self, target=np.array([x, y, -z]) @ self.axes, distance=distance, far=far)

    def ray(self, px: float, py: float, width: int, height: int) -> tuple[Array, Array]:
        """Origin (the eye; without perspective a place beside it) and unit direction of the ray through a pixel."""
        across = (2 * px / width - 1) * width / height
        upward = 1 - 2 * py / height
        if self.orthographic:
            return self.eye + self.half_height * np.array([across, upward]) @ self.axes[:2], -self.axes[2]
        tan_y = np.tan(self.fov_y / 2)
        across, upward = across * tan_y, upward * tan_y
        direction = np.array([across, upward, -1.0]) @ self.axes
        return self.eye, direction / np.linalg.norm(direction)

    def project(self, points: ArrayLike, width: int, height: int) -> Array:
        """(..., 3) world points to (..., 3): pixel x, pixel y, depth along the view [m]. A point at or behind the eye
        has depth <= 0 and NaN pixels."""
        local = (np.asarray(points, dtype=float) - self.eye) @ self.axes.T
        depth = -local[..., 2]
        unit = self.half_height if self.orthographic else np.tan(self.fov_y / 2)  # half the picture, at a depth of 1
        scale = height / (2 * unit) / np.where(depth > 0, 1.0 if self.orthographic else depth, np.nan)
        return np.stack([width / 2 + local[..., 0] * scale, height / 2 - local[..., 1] * scale, depth], axis=-1)


def _centre_and_eye_depth(across: Array, depth: Array, tan: float) -> tuple[float, float]:
    """The foremost wedge of half-angle atan(tan) around all points: each side is one supporting line, exactly."""
    low, high = float(np.max(-across - tan * depth)), float(np.max(across - tan * depth))
    return (high - low) / 2, -(high + low) / (2 * tan)
