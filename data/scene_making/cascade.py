"""Cascades from a juggling mime: the plan comes from its rhythm."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from data.scene_making.rhythm import Beat, beats
from data.scene_making.throws import solve
from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Scene, ground
from hoi_edit.scenes.juggle3 import SECONDS, juggling_clip, three_balls
from hoi_edit.scenes.passing6 import NAMES, facing
from hoi_edit.scenes.stage import grasps
from kinematics.clip import Clip

BALLS = 3  # of each juggler
FIRST = 0.6  # [s] before the first throw
EARLY = 0.06  # [s] by which a catch comes before the hand is fastest downwards
PASSES = range(3, 100, 4)  # beats: every second throw of the right hand, after a round for oneself


@dataclass(frozen=True)
class Plan:
    """Rows for `hoi_edit.scenes.stage.grasps`, and how the balls start."""

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
    return _solved([juggling_clip()], ["juggler"])


def passing6() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/passing6.npz`."""
    return _solved(list(facing(juggling_clip())), NAMES, PASSES)


def _solved(clips: Sequence[Clip], names: Sequence[str], passes: Sequence[int] = ()) -> dict[str, np.ndarray]:
    """Solved from declared catches."""
    plan = plan_of([beat for beat in beats(clips[0]) if beat.release > FIRST], names, passes)
    scene = Scene(
        characters=[Character(name, clip.skeleton, Layer.over(clip)) for name, clip in zip(names, clips, strict=True)],
        things=three_balls(clips[0].skeleton, plan.hands, plan.releases),
        fixtures=[ground()],
        contacts=grasps(plan.rows, declared=True),
        end=SECONDS,
    )
    rollout = solve(scene)
    return plan.arrays() | {name: np.asarray(own) for name, own in rollout.controls.motions.items()}
