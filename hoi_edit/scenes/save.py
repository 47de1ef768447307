"""A bad throw in a cascade, saved by leaning forward: the catch is a blend of the juggler's own and a leaning one.

Until somebody makes a bad throw the weight α of the leaning catch is zero, and the routine is that of `juggle3`. When a
ball is dragged away from the body α rises by itself: leaning to it is what was performed, hence cheap. When it is
dragged sideways no clip helps, α stays, and the arm does it.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hoi_edit.motions import Blend, Layer
from hoi_edit.scene import Character, Scene, ground
from hoi_edit.scenes.building_blocks import let_go, performed, released, solved
from hoi_edit.scenes.juggle3 import SECONDS, juggling_clip, three_balls
from kinematics.clip import Clip
from kinematics.clip_tools import sample
from kinematics.rotation import Floats

SAVED = 9  # the catch, by the right hand
IN_CLIP = 1.05  # [s] at which both clips of a catch have it
BEFORE, AFTER, RAMP = 0.55, 0.45, 0.3  # [s] around the catch where the weight holds, and its ways in and out
LEANING = "leaning"  # control points that keep the feet of the leaning clip where they stand


def save() -> Scene:
    """The throw goes 30 cm too far ahead, and is caught."""
    return scene("save", solved("save").arrays)


def save_start() -> Scene:
    """The cascade before anything goes wrong; leaning forward is possible."""
    return scene("save:start", {name: array for name, array in solved("save").arrays.items() if name == LEANING})


def leaning_clip(clip: Clip, catch: float) -> Clip:
    """The routine with one catch leaning forward: by as much as a leaning catch differs from an upright one."""
    upright, forward = performed("catch_mime"), performed("catch_forward_mime")
    times = np.clip(clip.times - catch + IN_CLIP, upright.start, upright.end)
    return replace(clip, name="leaning", poses=clip.poses + sample(forward, times) - sample(upright, times))


def scene(name: str, blocks: Mapping[str, Any]) -> Scene:
    """With the blocks of the control vector that are given by their names; what is not given is that of `juggle3`."""
    clip, plan = juggling_clip(), solved("juggle3")
    blocks = {**plan.arrays, **blocks}
    balls = three_balls(clip.skeleton, plan["start.other"].tolist(), plan["start.release"].tolist())
    return Scene(
        characters=[Character.of("juggler", clip, motion(clip, float(plan["grasp.time"][SAVED - 1]), blocks))],
        things=[let_go(thing, blocks) for thing in balls],
        fixtures=[ground()],
        contacts=[released(contact, blocks) for contact in plan.grasps(declared=False)],
        end=SECONDS,
        name=name,
    )


def motion(clip: Clip, catch: float, blocks: Mapping[str, Any]) -> Blend:
    """The routine and its leaning variant, around one catch."""
    leaning = leaning_clip(clip, catch)
    routine = solved("juggle3")["juggler"]
    points: dict[str, Floats] = {
        clip.name: blocks.get("juggler.clips.0", routine),
        leaning.name: blocks.get("juggler.clips.1", blocks.get(LEANING, routine)),
    }
    keys = (catch - BEFORE - RAMP, catch, catch + AFTER + RAMP)
    return Blend.of(
        [clip, leaning],
        [keys, keys],
        intervals=[(catch - BEFORE, catch + AFTER)],
        alpha=blocks.get("juggler.alpha", 0.0),
        ramp=RAMP,
        align=False,  # both stand on the same feet
        method=lambda source: Layer.over(source, opening=points[source.name]),
    )
