"""A ring around a thing: a pull along it turns the thing about the line of sight."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.spatial.transform import Rotation

from hoi_edit.simulation import Rollout
from ui.camera import Camera

Array = NDArray[np.float64]
NEAR = 7.0  # [px] to the ring
ROOM, LEAST = 1.15, 34.0  # of the thing's reach; [px]


@dataclass(frozen=True, eq=False)
class Ring:
    """Where it is on the screen, and what the thing is like while it is not turned."""

    centre: tuple[float, float]  # [px]
    radius: float  # [px]
    sight: Array  # (3,) towards the eye
    place: Array  # (3,)
    rotation: Array  # (3, 3)

    @staticmethod
    def around(rollout: Rollout, name: str | None, t: float, camera: Camera, size: tuple[int, int]) -> Ring | None:
        """Of a thing that is in view; a ball looks the same however it is turned, and has none."""
        thing = next((own for own in rollout.model.scene.things if own.name == name), None)
        if thing is None or len(thing.body.vertices) == 1:
            return None
        state = rollout.state(thing.name, t)
        x, y, depth = camera.project(state.position, *size)
        if not depth > 0.0:
            return None
        across = camera.project(state.position + ROOM * float(thing.body.reach) * camera.axes[0], *size)
        radius = max(float(np.hypot(across[0] - x, across[1] - y)), LEAST)
        return Ring((float(x), float(y)), radius, camera.axes[2], state.position, state.rotation)

    def is_near(self, x: float, y: float) -> bool:
        return abs(float(np.hypot(x - self.centre[0], y - self.centre[1])) - self.radius) <= NEAR

    def angle(self, start: tuple[float, float], x: float, y: float) -> float:
        """[rad] by which the pointer has gone round, at most half a turn either way."""
        ends = [np.arctan2(self.centre[1] - q, p - self.centre[0]) for p, q in (start, (x, y))]
        return float((ends[1] - ends[0] + np.pi) % (2 * np.pi) - np.pi)

    def turned(self, angle: float) -> Array:
        """How the thing is turned then; what goes round to the left for the eye does so for the thing."""
        return np.asarray(Rotation.from_rotvec(angle * self.sight).as_matrix() @ self.rotation)
