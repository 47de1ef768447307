"""A weight of a blend is to be something: how much a clip counts in an interval."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import Named, Rowset
from hoi_edit.motions import Blend
from hoi_edit.reporting.findings import Amount, Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene
from kinematics.errors import HoiError

UNIT = 0.1  # what counts as one


@dataclass(frozen=True, eq=False)
class Weigh(Named):
    """The weight of clip number `clip` (the first has what the others leave) in an interval of a character's blend."""

    character: str
    interval: int
    clip: int
    to: float

    def __post_init__(self) -> None:
        if not 0.0 <= self.to <= 1.0:
            raise HoiError(
                f"a weight of {self.to:g} was asked for in the blend of {self.character!r}; it is from 0 to 1"
            )

    @property
    def about(self) -> Finding:
        return Finding("weight", self.character, amounts=(Amount(self.clip, "clip"), Amount(self.interval, "interval")))

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        blend_of(seen.model.scene, self.character, self.interval, self.clip)
        alpha = np.asarray(seen.controls.motions[self.character].alpha)
        on = np.zeros(alpha.shape)
        on[self.interval, self.clip - 1] = 1.0
        functional = Functional(1, columns=[(f"{self.character}.alpha", on.reshape(1, -1))])
        change = self.to - float(alpha[self.interval, self.clip - 1])
        return [Rowset.equal(self.about, functional, np.array([change]), UNIT)]


def blend_of(scene: Scene, character: str, interval: int, clip: int) -> Blend:
    """The blend that has such a weight."""
    motion = scene.character(character).motion
    if not isinstance(motion, Blend):
        raise HoiError(f"{character!r} is not moved by a blend of clips, so it has no weights")
    intervals, others = motion.alpha.shape
    if not (0 <= interval < intervals and 1 <= clip <= others):
        raise HoiError(
            f"the blend of {character!r} has intervals 0 to {intervals - 1} and weights of clips 1 to {others}; "
            f"interval {interval}, clip {clip} was asked for"
        )
    return motion
