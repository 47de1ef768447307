"""Cascades: the plan comes from a mime's rhythm.

How it comes true is said in `examples/juggle3.py` and `examples/passing6.py`.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from data.scene_making.opening import opening_of
from data.scene_making.rhythm import Beat, beats
from examples.juggle3 import juggle as juggle_three
from examples.passing6 import juggle as juggle_six
from hoi_edit.edit.report import Report
from hoi_edit.scene import Scene
from hoi_edit.scenes.building_blocks import Solved
from hoi_edit.scenes.juggle3 import juggling_clip
from hoi_edit.scenes.juggle3 import scene as three_scene
from hoi_edit.scenes.passing6 import NAMES
from hoi_edit.scenes.passing6 import scene as six_scene
from hoi_edit.session import EditSession

BALLS = 3  # of each juggler
FIRST = 0.6  # [s] before the first throw
EARLY = 0.06  # [s] by which a catch comes before the hand is fastest downwards
PASSES = range(3, 100, 4)  # beats: every second throw of the right hand, after a round for oneself


@dataclass(frozen=True)
class Plan:
    """Rows for `hoi_edit.scenes.building_blocks.grasps`, and how the balls start."""

    rows: Sequence[tuple[str, str, float, float]]
    hands: list[str]
    releases: list[float]

    def arrays(self) -> dict[str, np.ndarray]:
        thing, other, time, release = zip(*self.rows, strict=True)
        return {
            "grasp.object": np.array(thing),
            "grasp.other": np.array(other),
            "grasp.time": np.array(time),
            "grasp.release": np.array(release),
            "start.other": np.array(self.hands),
            "start.release": np.array(self.releases),
        }


def plan_of(beats: Sequence[Beat], jugglers: Sequence[str], passes: Sequence[int] = ()) -> Plan:
    """A ball thrown at a beat is thrown again three beats later, so it is caught a little before that: by the other
    hand of the same juggler or, if it is passed, of the next one."""
    ball = {(j, k): f"ball{BALLS * j + k + 1}" for j in range(len(jugglers)) for k in range(BALLS)}
    rows = []
    for k, beat in enumerate(beats[BALLS:], start=BALLS):
        release = beat.release if k + BALLS < len(beats) else np.nan
        for j, name in enumerate(jugglers):
            thrower = (j - 1) % len(jugglers) if k - BALLS in passes else j
            ball[j, k] = ball[thrower, k - BALLS]
            rows.append((ball[j, k], f"{name}/{beat.site}", round(beat.down - EARLY, 3), release))
    starts = [(f"{name}/{beat.site}", beat.release) for name in jugglers for beat in beats[:BALLS]]
    return Plan(rows, [hand for hand, _ in starts], [release for _, release in starts])


def juggle3() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/juggle3.npz`."""
    return _made(three_scene, ["juggler"], (), juggle_three)


def passing6() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/passing6.npz`."""
    return _made(six_scene, NAMES, PASSES, juggle_six)


def _made(
    scene: Callable[[str, Solved], Scene],
    names: Sequence[str],
    passes: Sequence[int],
    juggle: Callable[[EditSession], Report],
) -> dict[str, np.ndarray]:
    rhythm = [beat for beat in beats(juggling_clip()) if beat.release > FIRST]
    plan = plan_of(rhythm, names, passes).arrays()
    session = EditSession(scene("start", Solved(plan)))
    print(juggle(session))
    return plan | opening_of(session)
