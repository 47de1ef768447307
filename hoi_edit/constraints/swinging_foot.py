"""A foot that swings stays clear of the ground: at some times its points are at least so high.

Rows only where it is nearly too low. Without them a spline that is held before and after a step cuts it short.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import Named, Rowset, freeze
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.packed_layouts import FRAME
from kinematics.feet import FootPoint
from kinematics.rotation import Floats, cross
from kinematics.stance import UP

NEAR = 0.02  # [m] above the least height


@dataclass(frozen=True, eq=False)
class SwingingFoot(Named):
    """One foot of a character, and heights [m] of its points (N, P) at times (N,)."""

    character: str
    name: str  # "left_foot"
    points: tuple[FootPoint, ...]
    times: Floats
    least: Floats

    def __post_init__(self) -> None:
        freeze(self, "times", "least")

    @property
    def about(self) -> Finding:
        return Finding("stands", f"{self.character}/{self.name}")

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        first = seen.model.world.first_of(seen.model.scene.character(self.character))
        rowsets = []
        for point, least in zip(self.points, self.least.T, strict=True):
            frame = first + point.segment
            at = FRAME.unpack(seen.context.frames(np.full(len(self.times), frame), self.times))
            arms = at.rotation.reshape(-1, 3, 3) @ point.local
            below = least - at.position[:, 1] - arms[:, 1]
            for k in np.flatnonzero(below > -NEAR).tolist():
                on = np.concatenate([UP, cross(arms[k], UP), np.zeros(6)])[None]
                functional = Functional(1, frames=[(frame, float(self.times[k]), on)])
                rowsets.append(Rowset(self.about, functional, below[k : k + 1], np.array([np.inf])))
        return rowsets
