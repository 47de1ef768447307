"""Throwing up a box with both hands and catching it, twice, without the box."""

import numpy as np

from data.clip_making.curves import through, wander
from data.clip_making.perform import Script, perform
from data.clip_making.poses import arm
from hoi_edit.footwork.foot_path import FootKey
from hoi_edit.footwork.limb_reach import Goal
from kinematics.clip import Clip
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

SECONDS = 3.8
RELEASES, CATCHES = (1.0, 2.3), (1.62, 2.92)  # [s]
SEED = 53
FINGER, THUMB = np.array([0.0, -0.08, 0.0]), np.array([0.0, 0.0, 0.08])  # [m] in the hand: along it, and to its side

# From a release or a catch: seconds, height and distance ahead of the hands [m], how far they point up [deg] and how
# far each is from the middle [cm].
THROW = (
    (-0.28, 0.87, 0.40, -24.0, 15.0),
    (-0.10, 1.00, 0.42, -2.0, 15.0),
    (0.00, 1.22, 0.44, 22.0, 15.0),
    (0.06, 1.35, 0.44, 36.0, 15.9),
    (0.16, 1.44, 0.43, 40.0, 20.0),
    (0.30, 1.44, 0.43, 30.0, 21.0),
)
CATCH = ((-0.12, 1.33, 0.43, 20.0, 18.5), (0.00, 1.23, 0.43, 14.0, 15.0), (0.18, 1.02, 0.41, -4.0, 14.8))
WAITING = (1.06, 0.41, 0.0, 15.0)

# What the body does meanwhile, in the words of `poses`: standing, crouched, stretched to throw, looking up, giving way.
STANDING = {"rise": -2.5, "lean": 2.0, "belly_bend": 2.0, "chest_bend": 3.0, "nod": 14.0}
CROUCHED = {"rise": -9.0, "lean": 9.0, "belly_bend": 6.0, "chest_bend": 5.0, "nod": 8.0}
STRETCHED = {"rise": -1.2, "lean": 0.0, "belly_bend": -2.0, "chest_bend": -2.0, "nod": -8.0}
LOOKING = {"rise": -2.0, "lean": 0.5, "belly_bend": 0.0, "chest_bend": 0.0, "nod": -16.0}
MEETING = {"rise": -4.0, "lean": 3.0, "belly_bend": 3.0, "chest_bend": 3.0, "nod": 2.0}
GIVING = {"rise": -7.5, "lean": 6.0, "belly_bend": 4.0, "chest_bend": 4.0, "nod": 12.0}
LEFT, RIGHT = FootKey(0.0, 0.15, 0.06, yaw=9.0), FootKey(0.0, -0.15, 0.10, yaw=-8.0)
LOAD = ((0.0, 0.48), (0.7, 0.52), (1.3, 0.49), (1.8, 0.53), (2.6, 0.48), (3.1, 0.52), (SECONDS, 0.50))


def box_mime() -> Clip:
    """A person who pretends to throw a box up and to catch it."""
    arms = arm("left", **_ready()) | arm("right", **_ready())
    keys = [(0.0, STANDING | arms), (0.40, STANDING | arms)]
    for release, catch in zip(RELEASES, CATCHES, strict=True):
        keys += [(release - 0.28, CROUCHED), (release, STRETCHED), (release + 0.25, LOOKING), (catch, MEETING)]
        keys += [(catch + 0.18, GIVING)]
    keys.append((SECONDS, STANDING | arms))
    feet = (LEFT, LEFT.at(SECONDS)), (RIGHT, RIGHT.at(SECONDS))
    return perform(Script("box_mime", SECONDS, keys, *feet, LOAD, SEED, sway=0.004, loose=0.7, hands=_at_the_sides))


def _ready() -> dict[str, float]:
    return {"flex": 20.0, "out": 8.0, "twist": 0.0, "elbow": 85.0, "palm_up": 0.0, "wrist": 0.0}


def _at_the_sides(skeleton: Skeleton, times: Floats, poses: Floats) -> list[Goal]:
    """Palms at both sides of a box that is not there, towards each other; the left hand is not quite with the right."""
    keys: list[tuple[float, ...]] = [(0.0, *WAITING), (0.40, *WAITING)]
    for release, catch in zip(RELEASES, CATCHES, strict=True):
        keys += [(release + t, *rest) for t, *rest in THROW] + [(catch + t, *rest) for t, *rest in CATCH]
    keys += [(SECONDS - 0.3, *WAITING), (SECONDS, *WAITING)]
    height, ahead, pitch, apart = (through([(key[0], key[k]) for key in keys], times) for k in (1, 2, 3, 4))
    pitch = np.deg2rad(pitch)
    zero, rng = np.zeros_like(times), np.random.default_rng(SEED)
    fingers = np.stack([zero, np.sin(pitch), np.cos(pitch)], axis=1)
    thumbs = np.stack([zero, np.cos(pitch), -np.sin(pitch)], axis=1)
    goals = []
    for side, sign in (("left", 1.0), ("right", -1.0)):
        stray = np.stack([wander(rng, times, 1.1, size) for size in (0.004, 0.008, 0.008)], axis=1)
        wanted = np.stack([0.01 * sign * apart, height, ahead], axis=1) + stray
        hand, palm = skeleton.point(f"{side}_palm")
        goals.append(Goal(hand, palm, wanted))
        goals.append(Goal(hand, palm + FINGER, wanted + np.linalg.norm(FINGER) * fingers, 0.5))
        goals.append(Goal(hand, palm + THUMB, wanted + np.linalg.norm(THUMB) * thumbs, 0.5))
    return goals
