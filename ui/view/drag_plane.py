"""From the pointer to a place in the world: the plane or axis that a drag moves in.

Freely, a drag stays in the plane through the grabbed point that faces the camera. Shift keeps it on the axis that the
pointer has followed most, ctrl on the level plane; X, Y and Z name an axis, with shift the plane across it.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from ui.view.camera import Camera

Array = NDArray[np.float64]
Along = Literal["free", "x", "y", "z", "yz", "xz", "xy"]
AXES = {"x": 0, "y": 1, "z": 2}
ACROSS: dict[str, int] = {"yz": 0, "xz": 1, "xy": 2}
EDGE_ON = 0.05  # cosine between view and plane below which the pointer would fling a target away
HEAD_ON = 0.985  # cosine between view and axis above which it cannot be dragged along
TOWARDS_US = 0.34  # share of an axis across the line of sight below which shift does not take it: 20 degrees
SURE = 12.0  # [px] of the pointer below which only the two axes that are seen best are meant
AHEAD = 0.1  # [m] along an axis, to see where it goes
FLING = 10.0  # [m] that one drag may go


@dataclass(frozen=True, eq=False)
class Grab:
    """Where a drag began: the camera, the picture's size, the pointer and the point of the world under it."""

    camera: Camera
    size: tuple[int, int]
    pixel: tuple[float, float]
    point: Array  # (3,)

    def target(self, x: float, y: float, along: Along = "free") -> Array:
        """Where the point goes when the pointer is at x, y."""
        if along in AXES:
            moved = self._on_axis(x, y, np.eye(3)[AXES[along]]) - self._on_axis(*self.pixel, np.eye(3)[AXES[along]])
        else:
            normal = self.camera.axes[2] if along == "free" else np.eye(3)[ACROSS[along]]
            moved = self._on_plane(x, y, normal) - self._on_plane(*self.pixel, normal)
        length = float(np.linalg.norm(moved))
        return self.point + moved * min(1.0, FLING / max(length, 1e-12))

    def followed(self, x: float, y: float) -> Along:
        """The world's axis that looks most like the way the pointer has gone. One that is seen from its end is meant
        less often than one across the picture, and never where it points at the eye."""
        way = np.array([x, y]) - self.pixel
        on_screen = self.camera.project(self.point + AHEAD * np.eye(3), *self.size)[:, :2] - self.pixel_of_point
        lengths = np.linalg.norm(on_screen, axis=1)
        towards = self.camera.towards_eye(self.point)
        # How long an axis is on the screen does not tell: far from the middle perspective shows it from its side.
        across = np.sqrt(1.0 - (towards / np.linalg.norm(towards)) ** 2)
        meant = across > TOWARDS_US
        if np.linalg.norm(way) < SURE:  # that short a way points anywhere
            meant &= across >= np.sort(across)[1] - 1e-9
        likeness = np.abs(on_screen @ way) / np.maximum(lengths, 1e-6) * np.sqrt(across)
        names: tuple[Along, ...] = ("x", "y", "z")
        return names[int(np.argmax(np.where(meant, likeness, -1.0)))]

    @property
    def pixel_of_point(self) -> Array:
        return np.asarray(self.camera.project(self.point, *self.size)[:2])

    def _on_plane(self, x: float, y: float, normal: Array) -> Array:
        origin, direction = self.camera.ray(x, y, *self.size)
        slope = float(direction @ normal)
        if abs(slope) < EDGE_ON:  # seen from its edge: the plane that faces the camera, without its share across
            free = self._on_plane(x, y, self.camera.axes[2])
            return free - normal * float(normal @ (free - self.point))
        return np.asarray(origin + direction * float((self.point - origin) @ normal) / slope)

    def _on_axis(self, x: float, y: float, axis: Array) -> Array:
        """The point of the axis nearest to the ray."""
        origin, direction = self.camera.ray(x, y, *self.size)
        slope = float(axis @ direction)
        to = self.point - origin
        if abs(float(axis @ to)) > HEAD_ON * float(np.linalg.norm(to)):
            return self.point
        determinant = 1.0 - slope**2
        along = (slope * float(direction @ to) - float(axis @ to)) / determinant
        return np.asarray(self.point + along * axis)


def lock_of(grab: Grab, x: float, y: float, shift: bool, ctrl: bool, key: Along | None) -> Along:
    """Which lock holds: a named axis first, then shift, then ctrl."""
    if key is not None:
        return key
    if shift:
        return grab.followed(x, y)
    return "xz" if ctrl else "free"
