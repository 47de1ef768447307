"""Feet that stood in the input stand still: on where, and as long as, they did."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import Named, Rowset, freeze
from hoi_edit.constraints.references import check_point, check_time
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from kinematics.errors import HoiError
from kinematics.feet import FootPoint, foot_points
from kinematics.rotation import Floats

SLOW, LOW = 0.15, 0.04  # [m/s], [m]: a point that is slower, and no higher above its lowest, stands
EACH = 0.1  # [s] between rows, at most: a spline whose knots are no closer cannot stray far in between


@dataclass(frozen=True, eq=False)
class FootPlant(Named):
    """One foot of one character, while it stands."""

    character: str
    point: str
    times: Floats  # (N,) [s]
    places: Floats  # (N, 3) where it stood then

    def __post_init__(self) -> None:
        freeze(self, "times", "places")

    @property
    def about(self) -> Finding:
        return Finding("plant", self.character, self.point)

    def check(self, seen: Rollout) -> None:
        check_point(seen, f"{self.character}/{self.point}")
        if self.times.ndim != 1 or not len(self.times) or self.places.shape != (len(self.times), 3):
            raise HoiError(f"{self.label}: times must be one or more numbers, and places three for each of them")
        check_time(seen, self.label, *self.times)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        name = f"{self.character}/{self.point}"
        now = seen.positions(name, self.times)
        return [
            Rowset.equal(self.about, Functional(3, things=[(Target(name, float(time)), np.eye(12)[:3])]), was - is_)
            for time, was, is_ in zip(self.times, self.places, now, strict=True)
        ]


def standing(seen: Rollout, start: float = -np.inf, end: float = np.inf) -> list[FootPlant]:
    """All feet of all characters, as they stand in a rollout between two times."""
    plants = []
    for character in seen.model.scene.characters:
        for point in foot_points(character.skeleton):
            plant = _plant(seen, character.name, point, start, end)
            if plant is not None:
                plants.append(plant)
    return plants


def _plant(seen: Rollout, character: str, point: FootPoint, start: float, end: float) -> FootPlant | None:
    times = np.asarray(seen.model.world.table_times)
    name = f"{character}/{seen.model.scene.character(character).skeleton.names[point.segment]}"
    track = seen.positions(name, times)
    speed = np.linalg.norm(np.gradient(track, times, axis=0), axis=1)
    stands = (times >= start) & (times <= end) & (speed < SLOW) & (track[:, 1] < track[:, 1].min() + LOW)
    rows = looks(stands, max(1, round(EACH / (times[1] - times[0]))))
    return FootPlant(character, name.partition("/")[2], times[rows], track[rows]) if len(rows) else None


def looks(stands: np.ndarray, every: int) -> list[int]:
    """Samples of each stance, its ends among them: a foot that need stand only in the middle slides at both ends."""
    where = np.flatnonzero(stands)
    runs = [run for run in np.split(where, np.flatnonzero(np.diff(where) > 1) + 1) if len(run)]
    return [int(k) for run in runs for k in np.unique([*run[::every], run[-1]])]
