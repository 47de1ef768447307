"""Two jugglers who face each other with six balls: every second throw of a right hand goes to the partner's left."""

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Scene, ground
from hoi_edit.scenes.juggle3 import SECONDS, juggling_clip, three_balls
from hoi_edit.scenes.stage import solved
from kinematics.clip import Clip
from kinematics.clip_tools import place

NAMES = ("ann", "bob")
APART = 2.4  # [m]


def passing6() -> Scene:
    """The pattern as it really flies."""
    return _scene("passing6", declared=False)


def passing6_start() -> Scene:
    """The two mimes, with the plan declared."""
    return _scene("passing6:start", declared=True)


def facing(clip: Clip) -> tuple[Clip, Clip]:
    """The same mime twice, face to face."""
    return clip, place(clip, (0.0, 0.0, APART), np.pi, about=(0.0, 0.0, 0.0))


def _scene(name: str, declared: bool) -> Scene:
    clips, plan = facing(juggling_clip()), solved("passing6")
    return Scene(
        characters=[
            Character.of(who, clip, Layer.over(clip, opening=None if declared else plan[who]))
            for who, clip in zip(NAMES, clips, strict=True)
        ],
        things=three_balls(clips[0].skeleton, plan["start.other"].tolist(), plan["start.release"].tolist()),
        fixtures=[ground()],
        contacts=plan.grasps(declared),
        end=SECONDS,
        name=name,
    )
