"""A motion at other times: later, slower, or a stretch of it. Its control points stay, so edits do too, to the bit."""

from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.motions.base import Motion
from hoi_edit.motions.fitted import FittedSpline
from hoi_edit.motions.layer import Layer
from hoi_edit.motions.recording import Recording
from kinematics.rotation import Floats
from kinematics.spline import Grid

WITHIN = 1e-6  # of a row or a knot, by which a time may be off one


@dataclass(frozen=True)
class ClipTimes:
    """What was at t is at `scale` t + `later`; of what there was, only the stretch `kept` [s]."""

    scale: float = 1.0
    later: float = 0.0  # [s]
    kept: tuple[float, float] | None = None

    def at(self, t: float) -> float:
        return self.scale * t + self.later

    def leaves(self, t: float) -> bool:
        """Whether what was at a time is as it was."""
        return self.at(t) == t and (self.kept is None or self.kept[0] <= t <= self.kept[1])

    def grid(self, grid: Grid, inward: bool) -> tuple[Grid, slice]:
        """A grid at the other times, and which of its control points are left; rows are taken from within what is kept,
        knots of a change from around it."""
        start, spacing = float(grid.start), float(grid.spacing)
        first, last = 0, grid.count - 3
        if self.kept is not None:
            begin, end = ((t - start) / spacing for t in self.kept)
            first = int(np.ceil(begin - WITHIN) if inward else np.floor(begin + WITHIN))
            last = int(np.floor(end + WITHIN) if inward else np.ceil(end - WITHIN))
            first, last = max(first, 0), min(last, grid.count - 3)
        moved = Grid(self.at(start + first * spacing), self.scale * spacing, last - first + 3)
        return moved, slice(first, last + 3)


def can_be_retimed(motion: Motion) -> bool:
    return isinstance(motion, Layer | FittedSpline)


def at_times(motion: Motion, controls: Floats, times: ClipTimes) -> tuple[Motion, Floats]:
    """A motion at other times, and its control points (K, D) of those that it had."""
    assert isinstance(motion, Layer | FittedSpline)
    grid, kept = times.grid(motion.grid, inward=False)
    if isinstance(motion, FittedSpline):
        return FittedSpline(grid, np.asarray(motion.fitted)[kept], float(grid.start), float(grid.end)), controls[kept]
    source_grid, rows = times.grid(motion.source_grid, inward=True)
    moved = Layer(
        source_grid, np.asarray(motion.source)[rows], grid, np.asarray(motion.opening)[kept], float(source_grid.start),
        float(source_grid.end),
    )  # fmt: skip
    return moved, controls[kept]


def recording_at(recording: Recording | None, times: ClipTimes) -> Recording | None:
    """What is kept of a clip's file, with the rows that are left, at their times."""
    if recording is None:
        return None
    moved, left = times.grid(Grid(recording.start, recording.frame_time, recording.rows + 2), inward=True)
    rows = None if recording.source_rows is None else recording.source_rows[left.start : left.stop - 2]
    return replace(
        recording, frame_time=float(moved.spacing), start=float(moved.start), rows=moved.count - 2, source_rows=rows
    )
