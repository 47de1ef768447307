"""Joints stay within what they can do, and within what the input did where that was more.

Rows are made only where a limit is nearly met: bounds on every joint at every time would be thousands, of which a
handful matter.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import ANGLE, Rowset, freeze
from hoi_edit.linearise import Functional
from hoi_edit.simulation import Rollout
from kinematics.errors import HoiError
from kinematics.rotation import Floats

NEAR = 0.05  # [rad] within which a limit gets a row


@dataclass(frozen=True, eq=False)
class JointLimits:
    """Of one character. `low` and `high` (D,) are its joints' own, widened to what the input did."""

    character: str
    low: Floats
    high: Floats

    def __post_init__(self) -> None:
        freeze(self, "low", "high")

    @property
    def label(self) -> str:
        return f"joint limits of {self.character}"

    @staticmethod
    def of(seen: Rollout, character: str) -> "JointLimits":
        own = seen.model.scene.character(character)
        poses, limits = seen.poses(character), np.asarray(own.skeleton.limits, float)
        return JointLimits(
            character, np.minimum(limits[:, 0], poses.min(axis=0)), np.maximum(limits[:, 1], poses.max(axis=0))
        )

    def check(self, seen: Rollout) -> None:
        count = seen.model.scene.character(self.character).skeleton.n_dofs
        if self.low.shape != (count,) or self.high.shape != (count,) or not np.all(self.low <= self.high):
            raise HoiError(f"{self.label}: low and high must be {count} numbers each, no low above its high")

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        poses, times = seen.poses(self.character), seen.model.world.table_times
        names = seen.model.scene.character(self.character).skeleton.topology.dof_names
        zero = np.zeros((1, poses.shape[1]))
        found = []
        over = np.maximum(poses - self.high, self.low - poses)
        for dof in np.flatnonzero(over.max(axis=0) > -NEAR):
            for k in _peaks(over[:, dof]):
                on = zero.copy()
                on[0, dof] = 1.0
                functional = Functional(1, poses=[(self.character, float(times[k]), on, zero)])
                lower, upper = self.low[dof] - poses[k, dof], self.high[dof] - poses[k, dof]
                owner = f"limit of {self.character}/{names[dof]} at {times[k]:.2f} s"
                found.append(Rowset(owner, functional, np.array([lower]), np.array([upper]), ANGLE))
        return found


def _peaks(values: Floats) -> list[int]:
    """The highest sample of each stretch that is near its limit or beyond."""
    near = np.flatnonzero(values > -NEAR)
    runs = np.split(near, np.flatnonzero(np.diff(near) > 1) + 1)
    return [int(run[np.argmax(values[run])]) for run in runs if len(run)]
