"""The weights of blends as data: one for each interval and each clip but the first, which has what the others leave."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoi_edit.motions import Blend
from hoi_edit.simulation import Rollout


@dataclass(frozen=True)
class Weight:
    character: str
    interval: int
    clip: int
    value: float
    start: float  # [s] from when to when it holds in full
    end: float

    @property
    def words(self) -> str:
        return f"clip {self.clip + 1}, {self.start:.2f} to {self.end:.2f} s"


def weights_of(rollout: Rollout) -> list[Weight]:
    """Of all characters that are moved by blends, in the order of time."""
    found = []
    for character in rollout.model.scene.characters:
        motion = character.motion
        if not isinstance(motion, Blend):
            continue
        alpha = np.asarray(rollout.controls.motions[character.name].alpha)
        for station, interval in enumerate(motion.stations):
            if interval >= 0:  # between the end of the way in and the start of the way out
                start, end = float(motion.ramps[station - 1][1]), float(motion.ramps[station][0])
                found += [
                    Weight(character.name, interval, clip + 1, float(value), start, end)
                    for clip, value in enumerate(alpha[interval])
                ]
    return found
