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


@dataclass(frozen=True)
class Camera:
    """Looks at `target` from `distance`. Azimuth 0 stands on the +Z side, growing towards +X; angles in radians."""

    target: Sequence[float] | Array = (0.0, 1.0, 0.0)
    distance: float = 4.0
    azimuth: float = 0.6
    elevation: float = 0.25
    fov_y: float = 0.7
    near: float = 0.05
    far: float = 200.0

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
        return np.add(self.target, self.distance * self.axes[2], dtype=float)

    def view(self) -> Array:
        """World to camera, 4x4."""
        matrix = np.eye(4)
        matrix[:3, :3] = self.axes
        matrix[:3, 3] = -self.axes @ self.eye
        return matrix

    def projection(self, aspect: float) -> Array:
        """Camera to OpenGL clip space, 4x4; `aspect` is width over height."""
        scale = 1.0 / np.tan(self.fov_y / 2)
        near, far = self.near, self.far
        matrix = np.zeros((4, 4))
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

    def metres_per_pixel(self, height: int) -> float:
        """Size of a pixel at the target's depth, for a picture `height` pixels high."""
        return float(2 * self.distance * np.tan(self.fov_y / 2) / height)

    def frame(self, points: ArrayLike, aspect: float = 16 / 9, margin: float = 1.1) -> Camera:
        """The nearest camera with the same angles that sees all points, with `margin` (1 touches the border)."""
        p = np.asarray(points, dtype=float).reshape(-1, 3)
        if len(p) == 0:
            return self
        right, up, depth = p @ self.axes[0], p @ self.axes[1], -(p @ self.axes[2])
        tan_y = np.tan(self.fov_y / 2) / margin
        x, depth_x = _centre_and_eye_depth(right, depth, tan_y * aspect)
        y, depth_y = _centre_and_eye_depth(up, depth, tan_y)
        eye_depth = min(depth_x, depth_y, float(depth.min()) - 2 * self.near)
        middle = float(depth.min() + depth.max()) / 2
        distance = float(np.clip(middle - eye_depth, 10 * SMALLEST_DISTANCE, LARGEST_DISTANCE))
        far = max(self.far, float(depth.max() - middle) + 2 * distance)
        return replace(self, target=np.array([x, y, -middle]) @ self.axes, distance=distance, far=far)

    def ray(self, px: float, py: float, width: int, height: int) -> tuple[Array, Array]:
        """Origin (the eye) and unit direction of the ray through a pixel."""
        tan_y = np.tan(self.fov_y / 2)
        across = (2 * px / width - 1) * tan_y * width / height
        upward = (1 - 2 * py / height) * tan_y
        direction = np.array([across, upward, -1.0]) @ self.axes
        return self.eye, direction / np.linalg.norm(direction)

    def project(self, points: ArrayLike, width: int, height: int) -> Array:
        """(..., 3) world points to (..., 3): pixel x, pixel y, depth along the view [m]. A point at or behind the eye
        has depth <= 0 and NaN pixels."""
        local = (np.asarray(points, dtype=float) - self.eye) @ self.axes.T
        depth = -local[..., 2]
        pixels_at_unit_depth = height / (2 * np.tan(self.fov_y / 2))
        scale = pixels_at_unit_depth / np.where(depth > 0, depth, np.nan)
        return np.stack([width / 2 + local[..., 0] * scale, height / 2 - local[..., 1] * scale, depth], axis=-1)


def _centre_and_eye_depth(across: Array, depth: Array, tan: float) -> tuple[float, float]:
    """The foremost wedge of half-angle atan(tan) around all points: each side is one supporting line, exactly."""
    low, high = float(np.max(-across - tan * depth)), float(np.max(across - tan * depth))
    return (high - low) / 2, -(high + low) / (2 * tan)
