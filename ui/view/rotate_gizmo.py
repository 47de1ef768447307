"""Rings around a thing: a pull along one turns the thing about X, Y or Z of the world, or about the line of sight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from hoi_edit.rollout import Rollout
from ui.view.camera import Camera

Array = NDArray[np.float64]
NEAR = 7.0  # [px] to a ring
ROOM, OUTER, LEAST = 1.02, 1.2, 34.0  # of the thing's reach; how much wider the ring of the view is; [px]
PIECES = 72
EDGE_ON = 0.22  # of a ring's axis along the line of sight, below which it is a line and not a circle to go round


@dataclass(frozen=True, eq=False)
class Ring:
    """Where it is on the screen, and what the thing is like while it is not turned."""

    name: str  # x, y, z; view: about the line of sight
    axis: Array  # (3,) about which it turns
    across: Array  # (2, 3) two directions in its plane, the second a quarter turn after the first
    points: Array  # (PIECES + 1, 2) [px], closed
    faces: NDArray[np.bool_]  # (PIECES + 1,) whether that part is on this side of the thing
    place: Array  # (3,)
    rotation: Array  # (3, 3)
    camera: Camera
    size: tuple[int, int]
    edge_on: float = EDGE_ON

    def near_side(self) -> Array:
        """(N, 2) [px] of what is on this side of the thing, as one line."""
        seen = self.faces[:-1]
        begins = np.flatnonzero(seen & ~np.roll(seen, 1))
        if len(begins) == 0:
            return self.points
        return np.roll(self.points[:-1], -int(begins[0]), axis=0)[: np.count_nonzero(seen)]

    def distance(self, x: float, y: float) -> float:
        """[px] from the pointer to what can be seen of it."""
        start, end = self.points[:-1], self.points[1:]
        along = end - start
        share = np.einsum("ij,ij->i", np.array([x, y]) - start, along) / np.maximum((along**2).sum(axis=1), 1e-9)
        away = np.linalg.norm(start + np.clip(share, 0.0, 1.0)[:, None] * along - [x, y], axis=1)
        return float(np.where(self.faces[:-1], away, np.inf).min())

    def angle(self, start: tuple[float, float], x: float, y: float) -> float:
        """[rad] by which the pointer has gone round, at most half a turn either way."""
        if abs(float(self.axis @ self.camera.axes[2])) < self.edge_on:
            return self._pulled(start, x, y)
        turn = self._bearing(x, y) - self._bearing(*start)
        return float((turn + np.pi) % (2 * np.pi) - np.pi)

    def turned(self, angle: float) -> Array:
        """How the thing is turned then."""
        return np.asarray(Rotation.from_rotvec(angle * self.axis).as_matrix() @ self.rotation)

    def _bearing(self, x: float, y: float) -> float:
        """Where the pointer is in the ring's plane, as an angle about its axis."""
        eye, ray = self.camera.ray(x, y, *self.size)
        away = eye + ray * (self.axis @ (self.place - eye)) / (self.axis @ ray) - self.place
        return float(np.arctan2(self.across[1] @ away, self.across[0] @ away))

    def _pulled(self, start: tuple[float, float], x: float, y: float) -> float:
        """From its edge a ring is a line: a pull along it turns by as much as it would roll."""
        k = int(np.where(self.faces[:-1], np.linalg.norm(self.points[:-1] - start, axis=1), np.inf).argmin())
        per_radian = (self.points[(k + 1) % PIECES] - self.points[(k - 1) % PIECES]) * PIECES / (4 * np.pi)
        turn = (np.array([x, y]) - start) @ per_radian / max(float(per_radian @ per_radian), 1e-9)
        return float(np.clip(turn, -np.pi, np.pi))


def rings_around(
    rollout: Rollout, name: str | None, t: float, camera: Camera, size: tuple[int, int]
) -> tuple[Ring, ...]:
    """Of a thing that is in view; a ball looks the same however it is turned, and has none."""
    thing = next((thing for thing in rollout.model.scene.things if thing.name == name), None)
    if thing is None or not thing.shape.turn_matters:
        return ()
    state = rollout.state(thing.name, t)
    depth = float(camera.project(state.position, *size)[2])
    reach = max(ROOM * float(thing.body.reach), LEAST * camera.metres_per_pixel(size[1], depth))
    if depth < 1.5 * reach:  # behind the eye, or around it
        return ()
    right, up, back = camera.axes
    x, y, z = np.eye(3)
    wanted = (("x", x, (y, z), 1.0), ("y", y, (z, x), 1.0), ("z", z, (x, y), 1.0), ("view", back, (right, up), OUTER))
    angles = np.linspace(0.0, 2 * np.pi, PIECES + 1)
    rings = []
    for ring, axis, across, wide in wanted:
        away = np.outer(np.cos(angles), across[0]) + np.outer(np.sin(angles), across[1])
        points = camera.project(state.position + wide * reach * away, *size)[:, :2]
        faces = (away @ camera.towards_eye(state.position) > -1e-9) | (abs(float(axis @ back)) > 1.0 - 1e-3)
        rings.append(Ring(ring, axis, np.array(across), points, faces, state.position, state.rotation, camera, size))
    return tuple(rings)


def ring_at(rings: tuple[Ring, ...], x: float, y: float) -> Ring | None:
    """The one under the pointer."""
    away, k = min(((ring.distance(x, y), k) for k, ring in enumerate(rings)), default=(np.inf, 0))
    return rings[k] if away <= NEAR else None
