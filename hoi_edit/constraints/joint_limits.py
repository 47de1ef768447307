"""Joints stay within what they can do, and within what the input did where that was more.

Rows are made only where a limit is nearly met: bounds on every joint at every time would be thousands, of which a
handful matter. Around each of those it is looked more closely, since fast joints peak between two rows of the table.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import ANGLE, Named, Rowset, freeze
from hoi_edit.motions import Blend, FittedSpline, Layer
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from kinematics.spline import design

NEAR = 0.05  # [rad] within which a limit gets a row
RIPPLE = 1e-6  # [rad]: what falls by less before it rises again is one peak
FINER = 8  # looks from one row of the table to the next
LOOKS = 60.0  # [Hz] at clips of a blend


@dataclass(frozen=True, eq=False)
class JointLimits(Named):
    """Of one character. `low` and `high` (D,) are its joints' own, widened to what the input did, all clips of a blend
    included."""

    character: str
    low: Floats
    high: Floats

    def __post_init__(self) -> None:
        freeze(self, "low", "high")

    @property
    def about(self) -> Finding:
        return Finding("joint limits", self.character)

    @staticmethod
    def of(seen: Rollout, character: str) -> "JointLimits":
        body = seen.model.scene.character(character)
        poses, limits = seen.poses(character), np.asarray(body.skeleton.limits, float)
        if isinstance(body.motion, Blend):  # which may go over to any of its clips
            poses = np.concatenate([poses, *_of_clips(seen, character, body.motion)])
        return JointLimits(
            character, np.minimum(limits[:, 0], poses.min(axis=0)), np.maximum(limits[:, 1], poses.max(axis=0))
        )

    def check(self, seen: Rollout) -> None:
        count = seen.model.scene.character(self.character).skeleton.n_dofs
        if self.low.shape != (count,) or self.high.shape != (count,) or not np.all(self.low <= self.high):
            raise HoiError(f"{self.label}: low and high must be {count} numbers each, no low above its high")

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        self.check(seen)  # a document may hold limits of a body that is another by now
        return self.rows_at(seen, np.asarray(seen.model.world.table_times), seen.poses(self.character))

    def rows_at(self, seen: Rollout, times: Floats, poses: Floats) -> Sequence[Rowset]:
        """Those about a stretch of the table of poses: times (T,) and poses (T, D)."""
        names = seen.model.scene.character(self.character).skeleton.topology.dof_names
        over = np.maximum(poses - self.high, self.low - poses)
        near = np.flatnonzero(over.max(axis=0) > -NEAR)
        peaks = [(int(dof), k) for dof in near for k in _peaks(over[:, dof])]
        if not peaks:
            return []
        zero = np.zeros((1, poses.shape[1]))
        row_sets = []
        for (dof, _), time, is_ in zip(peaks, *self._highest(seen, times, peaks), strict=True):
            on = zero.copy()
            on[0, dof] = 1.0
            functional = Functional(1, poses=[(self.character, float(time), on, zero)])
            owner = Finding("joint limit", f"{self.character}/{names[dof]}", time=float(time))
            bounds = np.array([self.low[dof] - is_]), np.array([self.high[dof] - is_])
            row_sets.append(Rowset(owner, functional, *bounds, ANGLE))
        return row_sets

    def _highest(self, seen: Rollout, times: Floats, peaks: Sequence[tuple[int, int]]) -> tuple[Floats, Floats]:
        """When, close to each of these rows of the table, a joint is farthest, and where it is then."""
        dofs, rows = np.array(peaks).T
        step = float(times[1] - times[0]) if len(times) > 1 else 0.0
        around = np.clip(times[rows, None] + np.linspace(-step, step, 2 * FINER + 1), times[0], times[-1])
        angles = seen.poses(self.character, around.ravel())
        angles = angles[np.arange(around.size), np.repeat(dofs, around.shape[1])].reshape(around.shape)
        over = np.maximum(angles - self.high[dofs, None], self.low[dofs, None] - angles)
        best = np.arange(len(peaks)), np.argmax(over, axis=1)
        return around[best], angles[best]


@dataclass(frozen=True, eq=False)
class LimitsMeanwhile(Named):
    """The same from a start to an end [s]: what lies outside of an edit's stretch of time does not change."""

    limits: JointLimits
    start: float
    end: float

    @property
    def about(self) -> Finding:
        return self.limits.about

    @property
    def character(self) -> str:
        return self.limits.character

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        times = self._times(seen)
        return self.limits.rows_at(seen, times, seen.poses(self.character, times)) if len(times) else ()

    def beyond(self, seen: Rollout) -> float:
        """How far the farthest joint is beyond its limit, at any row of the table [rad]."""
        poses = seen.poses(self.character, self._times(seen))
        return float(max((poses - self.limits.high).max(initial=0.0), (self.limits.low - poses).max(initial=0.0)))

    def _times(self, seen: Rollout) -> Floats:
        times = np.asarray(seen.model.world.table_times)
        return times[(times >= self.start) & (times <= self.end)]


def _of_clips(seen: Rollout, character: str, motion: Blend) -> Iterator[Floats]:
    """(T, D) poses of each clip of a blend as it came: mixed by weights from 0 to 1 none goes beyond them."""
    for k, branch in enumerate(motion.motions):
        if isinstance(branch, Layer | FittedSpline):
            controls = seen.model.layout[f"{character}.clips.{k}"].of(seen.model.start)
            count = max(2, int(np.ceil((float(branch.grid.end) - float(branch.grid.start)) * LOOKS)))
            times = np.linspace(float(branch.grid.start), float(branch.grid.end), count)
            poses = design(branch.grid, times) @ controls
            yield (
                poses + design(branch.source_grid, times) @ np.asarray(branch.source)
                if isinstance(branch, Layer)
                else poses
            )


def _peaks(values: Floats) -> list[int]:
    """All peaks that are near their limit or beyond. One of each such stretch would not do: where several are equally
    high, to lower one raises the next, and no step makes things better."""
    way = np.sign(np.diff(values))
    turns = [0, *(np.flatnonzero(way[1:] != way[:-1]) + 1).tolist(), len(values) - 1]
    peaks, rises, at = [], True, 0  # the highest place since it rises, or the lowest since it falls
    for turn in turns:
        change = values[turn] - values[at] if rises else values[at] - values[turn]
        if change > 0.0:
            at = turn
        elif change < -RIPPLE:
            peaks += [at] if rises else []
            rises, at = not rises, turn
    return [k for k in (*peaks, *([at] if rises else [])) if values[k] > -NEAR]
