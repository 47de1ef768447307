"""Standing: nobody stands still."""

from data.clip_making.perform import Script, perform
from data.clip_making.poses import arm
from hoi_edit.footwork.foot_path import FootKey
from kinematics.clip import Clip

SECONDS = 6.0


def stand_mime() -> Clip:
    """A person who stands and waits, the weight going from one leg to the other."""
    still = {"rise": -1.5, "lean": 1.0, "belly_bend": 1.0, "chest_bend": 2.0, "nod": -2.0}
    keys = [
        (0.0, still | arm("left") | arm("right") | {"roll": 0.6, "head_turn": 3.0}),
        (1.6, {"rise": -1.2, "roll": 0.3, "head_turn": -4.0, "nod": -1.0}),
        (3.2, {"rise": -2.0, "roll": -1.3, "head_turn": 14.0, "nod": 3.0, "chest_turn": 3.0, "belly_side": 1.0}),
        (4.6, {"rise": -1.6, "roll": -0.8, "head_turn": 6.0, "nod": -3.0, "chest_turn": 1.0, "belly_side": 0.6}),
        (SECONDS, {"rise": -1.4, "roll": 0.4, "head_turn": -2.0, "nod": -2.0, "chest_turn": 0.0, "belly_side": 0.0}),
    ]
    left, right = FootKey(0.0, 0.13, 0.13, yaw=9.0), FootKey(0.0, -0.12, 0.11, yaw=-12.0)
    return perform(
        Script(
            name="stand_mime",
            seconds=SECONDS,
            keys=keys,
            left_foot=(left, left.at(SECONDS)),
            right_foot=(right, right.at(SECONDS)),
            load=((0.0, 0.49), (1.7, 0.51), (3.1, 0.55), (4.7, 0.53), (SECONDS, 0.50)),
            seed=11,
            sway=0.003,
        )
    )
