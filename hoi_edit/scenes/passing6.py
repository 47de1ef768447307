"""Two jugglers who face each other with six balls: every second throw of a right hand goes to the partner's left."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Scene, ground
from hoi_edit.scenes.building_blocks import Solved, let_go, released, solved
from hoi_edit.scenes.juggle3 import SECONDS, juggling_clip, three_balls
from kinematics.clip import Clip
from kinematics.clip_tools import place

NAMES = ("ann", "bob")
APART = 2.4  # [m]


def passing6() -> Scene:
    """The pattern as it really flies."""
    numbers = solved("passing6")
    return scene("passing6", numbers, numbers.arrays)


def passing6_start() -> Scene:
    """The two mimes, with the plan declared."""
    return scene("passing6:start", solved("passing6"))


def facing(clip: Clip) -> tuple[Clip, Clip]:
    """The same mime twice, face to face."""
    return clip, place(clip, (0.0, 0.0, APART), np.pi, about=(0.0, 0.0, 0.0))


def scene(name: str, plan: Solved, edited_blocks: Mapping[str, Any] | None = None) -> Scene:
    """The plan, declared; or as it flies with the blocks of the control vector that are given by their names."""
    clips, blocks = facing(juggling_clip()), edited_blocks or {}
    balls = three_balls(clips[0].skeleton, plan["start.other"].tolist(), plan["start.release"].tolist())
    return Scene(
        characters=[
            Character.of(who, clip, Layer.over(clip, opening=blocks.get(who)))
            for who, clip in zip(NAMES, clips, strict=True)
        ],
        things=[let_go(thing, blocks) for thing in balls],
        fixtures=[ground()],
        contacts=[released(contact, blocks) for contact in plan.grasps(declared=edited_blocks is None)],
        end=SECONDS,
        name=name,
    )
