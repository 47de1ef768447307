"""A ball kept up: when it is to be touched with what comes from the mime.

How that comes true is said in `examples/soccer.py`.
"""

import numpy as np

from data.clip_making.keepup import TOUCHES
from data.scene_making.opening import opening_of
from examples.soccer import keep_up
from hoi_edit.scene import Scene
from hoi_edit.scenes.building_blocks import Solved
from hoi_edit.scenes.soccer import RADIUS, START, keepup_clip, scene
from hoi_edit.session import EditSession
from kinematics.clip_tools import sample
from kinematics.forward import forward
from kinematics.rotation import Floats

COUNT = 8  # touches
AHEAD = np.deg2rad(10.0)  # of the end of the instep, from straight up
GRAVITY = np.array(Scene().gravity)


def soccer() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/soccer.npz`."""
    touches = TOUCHES[:COUNT]
    plan = {
        "impact.other": np.array([f"player/{touch.site}" for touch in touches]),
        "impact.time": np.array([touch.t for touch in touches]),
        "ball.drop": drop(),
    }
    session = EditSession(scene("start", Solved(plan)))
    keep_up(session)
    return plan | opening_of(session)


def drop() -> Floats:
    """Where a ball is let go that falls onto the first touch: an instep, at its very front, where no shin is in its
    way."""
    clip, touch = keepup_clip(), TOUCHES[0]
    skeleton = clip.skeleton
    site = skeleton.site(touch.site)
    assert site.shape is not None
    rod = skeleton.shapes[site.shape]
    end = rod.position + rod.rotation @ np.array([0.0, rod.size[1], 0.0])
    normal = site.rotation @ np.array([0.0, np.sin(AHEAD), np.cos(AHEAD)])
    foot = forward(skeleton, sample(clip, np.array([touch.t]))[0])
    local, fall = end + (rod.size[0] + RADIUS) * normal, touch.t - START
    place = np.asarray(foot.position[site.segment]) + np.asarray(foot.rotation[site.segment]) @ local
    return np.asarray(place - 0.5 * fall**2 * GRAVITY)
