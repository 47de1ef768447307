"""A bad throw that is saved: the leaning clip gets feet that stand; the edits are those of `examples/save.py`."""

import numpy as np

from data.scene_making.opening import opening_of
from examples.save import EDGE, feet
from examples.save import save as edit
from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Scene
from hoi_edit.scenes.building_blocks import solved
from hoi_edit.scenes.juggle3 import SECONDS, juggling_clip
from hoi_edit.scenes.save import AFTER, BEFORE, LEANING, RAMP, SAVED, leaning_clip, scene
from hoi_edit.session import EditSession
from kinematics.rotation import Floats


def save() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/save.npz`."""
    leaning = _with_feet_that_stand()
    session = EditSession(scene("save:start", {LEANING: leaning}))
    edit(session)
    return {LEANING: leaning} | opening_of(session)


def _with_feet_that_stand() -> Floats:
    """Control points of the leaning clip: adding angles of one pair of clips to a third does not keep its feet."""
    clip, plan = juggling_clip(), solved("juggle3")
    catch = float(plan["grasp.time"][SAVED - 1])
    routine, leaning = (
        EditSession(
            Scene(
                characters=[Character.of("juggler", own, Layer.over(own, opening=plan["juggler"]))],
                end=SECONDS,
                name=own.name,
            )
        )
        for own in (clip, leaning_clip(clip, catch))
    )
    leaning.window(catch - BEFORE - RAMP - 2 * EDGE, catch + AFTER + RAMP + 2 * EDGE, fade=0.0)
    for plant in feet(routine.rollout, catch):
        print(leaning.add(plant))
    return leaning.u.reshape(np.shape(plan["juggler"]))
