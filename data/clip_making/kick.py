"""An instep kick in earnest with the right foot towards +Z, without the ball: a step, the kick, back to a stand."""

from data.clip_making.perform import Script, perform
from data.clip_making.poses import arm
from hoi_edit.footwork.foot_path import FootKey
from kinematics.clip import Clip

SECONDS = 2.5
KICK = 1.25  # [s]: the instep would meet a ball that lies beside the standing foot


def _trunk(
    turn: float, chest: float, lean: float, bend: float, roll: float, rise: float, nod: float
) -> dict[str, float]:
    """The belly takes back the roll of the pelvis; the face stays on the way ahead."""
    return {
        "turn": turn,
        "chest_turn": chest,
        "lean": lean,
        "belly_bend": bend,
        "chest_bend": bend,
        "roll": roll,
        "belly_side": -roll,
        "rise": rise,
        "head_turn": -(turn + chest),
        "nod": nod,
    }


def _arms(right: tuple[float, float, float], left: tuple[float, float, float]) -> dict[str, float]:
    """Flex, out and elbow of each."""
    names = ("flex", "out", "elbow")
    return arm("right", **dict(zip(names, right, strict=True))) | arm("left", **dict(zip(names, left, strict=True)))


# Arms and shoulders go against the leg: the left arm back and out while the leg is drawn back, then across in front.
KEYS = (
    (0.0, _trunk(0, 0, 3, 2, 0, -3, 8) | _arms((4, 12, 28), (4, 12, 26))),
    (0.35, _trunk(2, -2, 5, 3, 0, -4, 12) | _arms((0, 12, 36), (10, 14, 36))),
    (0.68, _trunk(-4, 1, 7, 3, 0, -6, 16) | _arms((16, 14, 54), (-4, 26, 36))),
    (0.92, _trunk(-12, 5, 6, 2, -2, -8, 20) | _arms((24, 16, 62), (-16, 48, 34))),
    (1.12, _trunk(-17, 7, 3, 1, -6, -7.5, 26) | _arms((22, 20, 60), (-24, 62, 38))),
    (KICK, _trunk(-2, -4, -3, 5, -10, -5.5, 30) | _arms((-4, 30, 44), (12, 46, 42))),
    (1.35, _trunk(12, -20, -5, 7, -8, -4.5, 26) | _arms((-18, 34, 36), (36, 26, 46))),
    (1.47, _trunk(16, -26, -3, 7, -5, -4, 16) | _arms((-20, 32, 34), (42, 14, 54))),
    (1.73, _trunk(8, -12, 3, 4, -1, -4, 8) | _arms((-6, 22, 34), (24, 14, 46))),
    (2.15, _trunk(1, -1, 3, 2, 0, -3.5, 4) | _arms((4, 13, 30), (5, 12, 28))),
    (SECONDS, _trunk(0, 0, 2, 2, 0, -3, 2) | _arms((4, 11, 26), (4, 11, 24))),
)
LEFT_FOOT = (
    FootKey(0.0, 0.10, -0.02, yaw=6.0),
    FootKey(0.42, 0.10, -0.02, yaw=6.0),
    FootKey(0.61, 0.105, 0.22, 0.075, 4.0, 14.0, down=False),
    FootKey(0.79, 0.11, 0.58, 0.035, 3.0, -10.0, down=False),
    FootKey(0.88, 0.11, 0.66, yaw=4.0),
    FootKey(SECONDS, 0.11, 0.66, yaw=4.0),
)
# The thigh leads: the knee still bends while the hip is already on its way, and is stretched from there as by a whip.
RIGHT_FOOT = (
    FootKey(0.0, -0.10, 0.0, yaw=-8.0),
    FootKey(0.58, -0.10, 0.0, yaw=-8.0),
    FootKey(0.90, -0.10, 0.0, yaw=-8.0, pitch=52.0),
    FootKey(1.01, -0.05, -0.17, 0.20, -6.0, 86.0, down=False),
    FootKey(1.09, 0.02, -0.30, 0.42, -4.0, 124.0, down=False),
    FootKey(1.145, 0.015, -0.235, 0.47, -4.0, 132.0, down=False),
    FootKey(1.187, -0.015, -0.04, 0.30, -4.0, 114.0, down=False),
    FootKey(1.22, -0.055, 0.27, 0.11, -7.0, 83.0, down=False),
    FootKey(KICK, -0.085, 0.62, 0.05, -10.0, 51.0, down=False),
    FootKey(1.287, -0.065, 0.95, 0.12, -9.0, 21.0, down=False),
    FootKey(1.345, -0.01, 1.20, 0.28, -5.0, -6.0, down=False),
    FootKey(1.43, 0.035, 1.24, 0.33, -3.0, -14.0, down=False),
    FootKey(1.56, 0.02, 0.97, 0.14, -5.0, 6.0, down=False),
    FootKey(1.69, -0.05, 0.69, 0.05, -8.0, 18.0, down=False),
    FootKey(1.84, -0.10, 0.62, yaw=-9.0),
    FootKey(SECONDS, -0.10, 0.62, yaw=-9.0),
)
LOAD = ((0.0, 0.5), (0.36, 0.92), (0.70, 0.95), (0.92, 0.12), (1.03, 0.0), (1.80, 0.0), (2.15, 0.4), (SECONDS, 0.48))


def kick_mime() -> Clip:
    """A kick at a ball that is not there."""
    return perform(Script("kick_mime", SECONDS, KEYS, LEFT_FOOT, RIGHT_FOOT, LOAD, seed=41, sway=0.003, loose=0.6))
