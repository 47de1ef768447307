"""Catching with the right hand, without a ball: once upright, once leaning forward for one that falls short."""

from collections.abc import Mapping, Sequence

from data.clip_making.perform import Script, perform
from data.clip_making.poses import arm
from hoi_edit.footwork.foot_path import FootKey
from kinematics.clip import Clip

SECONDS = 2.2
CATCH = 1.05  # [s]: the ball would land in the hand, in both clips

# wait, see it coming, reach, catch, give way, bring it in, stand
TIMES = (0.0, 0.35, 0.75, CATCH, 1.20, 1.60, SECONDS)
WAITING = {"rise": -2.0, "lean": 1.0, "belly_bend": 1.0, "chest_bend": 2.0, "chest_turn": 0.0, "turn": 0.0, "nod": -4.0}
HELD = arm("right", flex=14.0, out=12.0, elbow=96.0, palm_up=60.0, wrist=24.0)


def _right(flex: float, out: float, elbow: float, palm_up: float, wrist: float) -> dict[str, float]:
    return arm("right", flex=flex, out=out, elbow=elbow, palm_up=palm_up, wrist=wrist)


UPRIGHT: tuple[Mapping[str, float], ...] = (
    WAITING | arm("right") | arm("left"),
    WAITING | {"nod": -14.0, "rise": -2.5} | _right(6, 10, 44, 15, 0) | arm("left", elbow=24.0),
    {"rise": -3.5, "lean": 2.0, "belly_bend": 2.0, "chest_bend": 3.0, "chest_turn": 9.0, "turn": 3.0, "nod": -10.0}
    | _right(52, 10, 44, 68, -22)
    | arm("left", flex=-4.0, out=13.0, elbow=34.0),
    {"rise": -4.0, "lean": 2.5, "belly_bend": 3.0, "chest_bend": 4.0, "chest_turn": 11.0, "turn": 4.0, "nod": 0.0}
    | _right(50, 9, 50, 80, -6)
    | arm("left", flex=-6.0, out=14.0, elbow=38.0),
    {"rise": -5.0, "lean": 3.0, "belly_bend": 3.5, "chest_bend": 4.5, "chest_turn": 8.0, "turn": 3.0, "nod": 10.0}
    | _right(34, 11, 68, 78, 30)
    | arm("left", flex=-3.0, out=13.0, elbow=36.0),
    WAITING | {"nod": 14.0, "rise": -3.0} | HELD | arm("left", elbow=24.0),
    WAITING | {"nod": 4.0} | HELD | {"right_elbow": 84.0, "right_flex": 9.0} | arm("left"),
)
FORWARD: tuple[Mapping[str, float], ...] = (
    WAITING | arm("right") | arm("left"),
    WAITING | {"nod": -10.0, "rise": -4.0, "lean": 5.0} | _right(8, 10, 40, 15, 0) | arm("left", elbow=24.0),
    {"rise": -9.0, "lean": 17.0, "belly_bend": 9.0, "chest_bend": 6.0, "chest_turn": 13.0, "turn": 6.0, "nod": -16.0}
    | _right(82, 8, 34, 66, -22)
    | arm("left", flex=2.0, out=20.0, elbow=40.0),
    {"rise": -12.0, "lean": 23.0, "belly_bend": 13.0, "chest_bend": 8.0, "chest_turn": 16.0, "turn": 8.0, "nod": -14.0}
    | _right(87, 6, 20, 78, -6)
    | arm("left", flex=0.0, out=24.0, elbow=46.0),
    {"rise": -12.0, "lean": 22.0, "belly_bend": 13.0, "chest_bend": 8.0, "chest_turn": 12.0, "turn": 6.0, "nod": -4.0}
    | _right(74, 9, 42, 78, 30)
    | arm("left", flex=2.0, out=22.0, elbow=44.0),
    {"rise": -5.0, "lean": 8.0, "belly_bend": 5.0, "chest_bend": 4.0, "chest_turn": 3.0, "turn": 1.0, "nod": 8.0}
    | HELD
    | arm("left", elbow=28.0),
    WAITING | {"nod": 4.0} | HELD | {"right_elbow": 84.0, "right_flex": 9.0} | arm("left"),
)
LEFT, RIGHT = FootKey(0.0, 0.13, 0.10, yaw=10.0), FootKey(0.0, -0.12, 0.14, yaw=-9.0)
LOAD = ((0.0, 0.48), (0.7, 0.52), (CATCH, 0.60), (1.6, 0.53), (SECONDS, 0.50))


def catch_mime() -> Clip:
    """A catch in front of the chest."""
    return _catch("catch_mime", UPRIGHT, seed=41)


def catch_forward_mime() -> Clip:
    """A catch further ahead and lower, bending to it; every key at the time of the upright one's."""
    return _catch("catch_forward_mime", FORWARD, seed=43)


def _catch(name: str, poses: Sequence[Mapping[str, float]], seed: int) -> Clip:
    keys = list(zip(TIMES, poses, strict=True))
    left, right = (LEFT, LEFT.at(SECONDS)), (RIGHT, RIGHT.at(SECONDS))
    return perform(Script(name, SECONDS, keys, left, right, LOAD, seed, sway=0.004, loose=0.8))
