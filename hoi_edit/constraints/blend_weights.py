"""Weights of a blend stay between its clips: none below zero, and together no more than one.

Beyond that a blend would leave what was performed: a lean of one and a half leans is a fall. Weights that an animator
has set beyond it on purpose may stay there.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import Named, Rowset
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from kinematics.rotation import Floats

UNIT = 0.1  # what counts as one
ANY = -np.inf


@dataclass(frozen=True, eq=False)
class BlendWeights(Named):
    """Of one character. `low` (intervals, clips - 1) is the least of each weight, `most` (intervals,) of their sum."""

    character: str
    low: Floats
    most: Floats

    @property
    def about(self) -> Finding:
        return Finding("blend weights", self.character)

    @staticmethod
    def of(seen: Rollout, character: str) -> "BlendWeights":
        """Zero and one, widened to what the weights are."""
        alpha = np.asarray(seen.controls.motions[character].alpha, float)
        return BlendWeights(character, np.minimum(alpha, 0.0), np.maximum(alpha.sum(axis=1), 1.0))

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        alpha = np.asarray(seen.controls.motions[self.character].alpha, float)
        intervals, others = alpha.shape
        room = self.most - alpha.sum(axis=1)
        if others == 1:  # a weight is its own sum: one row has both bounds
            return [self._rowset(np.eye(intervals), (self.low - alpha).ravel(), room)]
        sums = np.kron(np.eye(intervals), np.ones(others))
        lower = np.concatenate([(self.low - alpha).ravel(), np.full(intervals, ANY)])
        upper = np.concatenate([np.full(alpha.size, np.inf), room])
        return [self._rowset(np.concatenate([np.eye(alpha.size), sums]), lower, upper)]

    def _rowset(self, on: Floats, lower: Floats, upper: Floats) -> Rowset:
        functional = Functional(len(on), columns=[(f"{self.character}.alpha", on)])
        return Rowset(self.about, functional, lower, upper, UNIT)
