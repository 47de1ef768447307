"""Leaps in a take: places where a body would have to move as no body can, because rows are missing or wrong."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.lib.stride_tricks import sliding_window_view

from kinematics.clip import Clip
from kinematics.clip_tools import trim
from kinematics.rotation import Floats

FASTEST = 40.0  # [m/s] of a joint: no hand or foot comes near it
WHOLE_BODY, SUDDEN = 3.0, 100.0  # [m/s] mean over the joints, and [m/s²] by which it differs from what is around it
JOINT = 12.0  # [m/s] of the fastest one then
RATIO = 5.0  # to what is ordinary around it
AROUND = 8  # rows to either side
TOLD = 3  # leaps that are told one by one


@dataclass(frozen=True)
class Leap:
    """From one row to the next; `joint` is the one that goes farthest."""

    row: int  # the first after it
    time: float  # [s] of that row
    joint: str
    speed: float  # [m/s]

    def __str__(self) -> str:
        return f"{self.joint} would move at {self.speed:.0f} m/s at {self.time:.2f} s (row {self.row})"


def leaps(clip: Clip, position: Floats) -> list[Leap]:
    """All leaps of a clip whose joints are at `position` (N, J, 3), in order."""
    if len(position) < 4:
        return []
    speed = np.linalg.norm(np.diff(position, axis=0), axis=-1) / clip.frame_time
    seen_from_root = position - position[:, :1]  # a sprinter's own speed would hide that the limbs leap
    limbs = np.linalg.norm(np.diff(seen_from_root, axis=0), axis=-1) / clip.frame_time
    impossible = np.zeros(len(speed), bool)
    for own in speed.T[speed.max(axis=0) > FASTEST]:  # hardly ever one
        impossible |= (own > FASTEST) & (own > RATIO * _ordinary(own))
    fast = speed.max(axis=1) > JOINT
    for mean in (speed.mean(axis=1), limbs.mean(axis=1)):
        usual = _ordinary(mean)
        sudden = (mean - usual) / clip.frame_time > SUDDEN
        impossible |= fast & (mean > WHOLE_BODY) & sudden & (mean > RATIO * usual)
    found = []
    for step in np.flatnonzero(impossible):
        joint = int(np.argmax(speed[step]))
        row = int(step) + 1
        found.append(Leap(row, float(clip.times[row]), clip.skeleton.names[joint], float(speed[step, joint])))
    return found


def _ordinary(speed: Floats) -> Floats:
    """What is usual around each step (N,): the upper quartile of its neighbourhood, which a few leaps do not move."""
    width = min(2 * AROUND + 1, len(speed))
    windows = np.quantile(sliding_window_view(speed, width), 0.75, axis=-1)
    centre = np.clip(np.arange(len(speed)) - width // 2, 0, len(windows) - 1)
    return np.asarray(windows[centre])


def longest_stretch(clip: Clip, found: Sequence[Leap]) -> tuple[int, int]:
    """First and last row of the longest stretch without a leap."""
    edges = [0, *(leap.row for leap in found), clip.n_frames]
    first, stop = max(pairwise(edges), key=lambda pair: pair[1] - pair[0])
    return first, stop - 1


def rows_between(clip: Clip, first: int, last: int) -> Clip:
    """These rows of a clip, at their times."""
    return trim(clip, float(clip.times[first]), float(clip.times[last]))


def in_words(clip: Clip, found: Sequence[Leap], cut: bool) -> str:
    """One sentence about the leaps of a clip, and about what is done or can be done."""
    first, last = longest_stretch(clip, found)
    several = f", and {len(found) - TOLD} more such leaps" if len(found) > TOLD else ""
    listed = f"{', '.join(map(str, found[:TOLD]))}{several}"
    stretch = f"the longest stretch without a leap, {clip.times[first]:.2f} to {clip.times[last]:.2f} s"
    return f"{listed}; {'cut to' if cut else 'cut=True keeps'} {stretch}"
