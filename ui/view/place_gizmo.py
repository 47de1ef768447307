"""Handles on the ground around somebody: a ring that turns them, arrows along X and Z and a disc that move them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import NDArray

from hoi_edit.export.sampling import joint_frames
from hoi_edit.rollout import Rollout
from hoi_edit.scene import is_level
from ui.view.camera import Camera
from ui.view.drag_plane import Grab
from ui.view.rotate_gizmo import NEAR, PIECES, Ring
from ui.words.hit_candidates import top_of

Array = NDArray[np.float64]
Handle = Literal["turn", "x", "z", "xz"]
RADIUS, LEAST = 0.5, 46.0  # of the ring [m], and at least [px]
EDGE_ON = 0.04  # of the ring: from as low as people look, it is still gone round
DISC, TIP, HEAD, WIDTH = 0.3, 1.5, 0.24, 0.1  # of the radius: the disc, ends of arrows, their heads and half widths


@dataclass(frozen=True, eq=False)
class PlaceGizmo:
    """Where the handles of somebody are."""

    character: str
    centre: Array  # (3,) on the ground
    radius: float  # [m]
    camera: Camera
    size: tuple[int, int]

    @property
    def ring(self) -> Ring:
        points = self._circle(self.radius)
        across, faces = np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]), np.ones(PIECES + 1, dtype=bool)
        axis = np.array([0.0, 1.0, 0.0])
        return Ring("y", axis, across, points, faces, self.centre, np.eye(3), self.camera, self.size, EDGE_ON)

    @property
    def disc(self) -> Array:
        """(PIECES + 1, 2) [px], closed."""
        return self._circle(DISC * self.radius)

    def _circle(self, radius: float) -> Array:
        angles = np.linspace(0.0, 2 * np.pi, PIECES + 1)
        away = np.stack([np.sin(angles), np.zeros_like(angles), np.cos(angles)], axis=1)
        return self._pixels(self.centre + radius * away)

    def arrow(self, axis: Literal["x", "z"]) -> tuple[Array, Array]:
        """(2, 2) [px] of its shaft and (3, 2) of its head."""
        along = np.eye(3)[0 if axis == "x" else 2]
        side = along[[2, 1, 0]]
        reach = np.array([[DISC], [TIP - HEAD], [TIP], [TIP - HEAD], [TIP - HEAD]]) * along
        reach[3:] += np.array([[WIDTH], [-WIDTH]]) * side
        points = self._pixels(self.centre + self.radius * reach)
        return points[:2], points[2:]

    def _pixels(self, places: Array) -> Array:
        return np.asarray(self.camera.project(places, *self.size)[:, :2])

    def handle_at(self, x: float, y: float) -> Handle | None:
        """What is under the pointer: arrows before the ring that they cross, the disc last."""
        pointer, axes = np.array([x, y]), list[tuple[float, Handle]]()
        for axis in ("x", "z"):
            shaft, head = self.arrow(axis)
            axes.append((_distance(np.array([shaft[0], head[0]]), pointer), axis))
        away, nearest = min(axes)
        if away <= NEAR:
            return nearest
        if self.ring.distance(x, y) <= NEAR:
            return "turn"
        middle = self._pixels(self.centre[None])[0]
        reach = np.abs(self.disc - middle).max(axis=0)
        return "xz" if bool((np.abs(pointer - middle) <= np.maximum(reach, NEAR)).all()) else None

    def pulled(self, handle: Handle, start: tuple[float, float], x: float, y: float) -> tuple[Array, float]:
        """By how much somebody is moved (3,) [m] and turned [rad] when the pointer has gone from a pixel to another."""
        if handle == "turn":
            return np.zeros(3), self.ring.angle(start, x, y)
        grab = Grab(self.camera, self.size, start, self.centre)
        move = grab.target(x, y, handle) - self.centre
        return move * [1.0, 0.0, 1.0], 0.0

    def moved(self, by: Array) -> PlaceGizmo:
        return replace(self, centre=self.centre + by)


def gizmo_of(rollout: Rollout, name: str | None, t: float, camera: Camera, size: tuple[int, int]) -> PlaceGizmo | None:
    """Of a person who is in view."""
    character = next((person for person in rollout.model.scene.characters if person.name == name), None)
    if character is None:
        return None
    joints = joint_frames(rollout, character, np.array([t]))[0][0]
    grounds = [top_of(fixture) for fixture in rollout.model.scene.fixtures if is_level(fixture)]
    height = max((ground for ground in grounds if ground <= joints[:, 1].min() + RADIUS), default=joints[:, 1].min())
    centre = np.array([joints[0][0], height, joints[0][2]])
    depth = float(camera.project(centre, *size)[2])
    radius = max(RADIUS, LEAST * camera.metres_per_pixel(size[1], depth))
    return PlaceGizmo(character.name, centre, radius, camera, size) if depth > 2.0 * radius else None


def _distance(ends: Array, pointer: Array) -> float:
    """[px] from a line to a pixel."""
    along = ends[1] - ends[0]
    share = float(np.clip((pointer - ends[0]) @ along / max(float(along @ along), 1e-9), 0.0, 1.0))
    return float(np.linalg.norm(ends[0] + share * along - pointer))
