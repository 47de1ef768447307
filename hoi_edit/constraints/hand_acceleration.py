"""Hands are not jerked: their acceleration stays below a limit, or below what the input did."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import Named, Rowset
from hoi_edit.constraints.references import check_point, check_positive
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from kinematics.errors import HoiError
from kinematics.rotation import Floats

STEP = 1.0 / 60.0  # [s]: acceleration as a clip at 60 Hz shows it
NEAR = 0.9  # of the limit: from there on there are rows
UNIT = 5.0  # [m/s²]
PALMS, RATE = ("right_palm", "left_palm"), 240.0  # [Hz]: figures look closer than clips


@dataclass(frozen=True, eq=False)
class HandAcceleration(Named):
    """Of a point of a body, such as "juggler/right_hand", between two times."""

    name: str
    most: float = 60.0  # [m/s²]
    start: float = -np.inf
    end: float = np.inf

    @property
    def about(self) -> Finding:
        return Finding("acceleration", self.name)

    def check(self, seen: Rollout) -> None:
        check_point(seen, self.name)
        check_positive(self.label, "the most", self.most)
        scene = seen.model.scene
        if not max(self.start, scene.start) < min(self.end, scene.end):
            raise HoiError(
                f"{self.label}: {self.start:g} s to {self.end:g} s is no stretch of the scene, which runs from "
                f"{scene.start:g} s to {scene.end:g} s"
            )

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        times, accel = accelerations(seen, self.name)
        inside = (times >= self.start) & (times <= self.end)
        size = np.where(inside, np.linalg.norm(accel, axis=1), 0.0)
        rowsets = []
        for k in range(1, len(times) - 1):
            if size[k] > NEAR * self.most and size[k] >= max(size[k - 1], size[k + 1]):
                on = np.concatenate([accel[k] / size[k] / STEP**2, np.zeros(9)])[None]
                things = [
                    (Target(self.name, float(times[k] + shift * STEP)), weight * on)
                    for shift, weight in ((-1, 1.0), (0, -2.0), (1, 1.0))
                ]
                room = np.array([self.most - size[k]])
                rowsets.append(Rowset(self.about, Functional(1, things=things), np.array([-np.inf]), room, UNIT))
        return rowsets


def accelerations(seen: Rollout, name: str) -> tuple[Floats, Floats]:
    """Times (N,) and second differences (N, 3) of a point's places."""
    scene = seen.model.scene
    times = np.arange(scene.start, scene.end, STEP)
    places = seen.positions(name, times)
    return times[1:-1], np.asarray((places[2:] - 2 * places[1:-1] + places[:-2]) / STEP**2)


def palm_accelerations(rollout: Rollout, character: str) -> Floats:
    """(2, N) second differences of the places of the right and the left palm."""
    scene = rollout.model.scene
    times = np.arange(scene.start, scene.end, 1.0 / RATE)
    places = np.stack([rollout.positions(f"{character}/{palm}", times) for palm in PALMS])
    return np.asarray(np.linalg.norm(np.diff(places, 2, axis=1), axis=2) * RATE**2)
