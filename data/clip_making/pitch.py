"""An overhand pitch with the right hand towards +Z, without the ball: once in earnest, once with little effort."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

from data.clip_making.perform import Script, perform
from data.clip_making.poses import HANGING, arm, mixed
from hoi_edit.footwork.foot_path import FootKey
from kinematics.clip import Clip

SECONDS = 2.5
RELEASE = 1.47  # [s], in both clips: the arm is long and the hand about as fast as it gets


@dataclass(frozen=True)
class Phase:
    """A key pose of the pitch, in degrees (`rise` in cm) and the words of `poses`; `side` for belly and chest each."""

    t: float
    name: str
    turn: float
    chest: float
    lean: float
    belly: float
    bend: float
    side: float
    rise: float
    right: Mapping[str, float]
    left: Mapping[str, float]

    def pose(self) -> dict[str, float]:
        """The channels; the eyes stay on the target, as far as a neck lets them."""
        return {
            "turn": self.turn,
            "chest_turn": self.chest,
            "lean": self.lean,
            "belly_bend": self.belly,
            "chest_bend": self.bend,
            "belly_side": self.side,
            "chest_side": self.side,
            "rise": self.rise,
            "head_turn": max(-70.0, min(70.0, -(self.turn + self.chest))),
            "nod": -0.6 * (self.lean + self.belly + self.bend),
            "head_tilt": -0.7 * self.side,
            **arm("right", **self.right),
            **arm("left", **self.left),
        }


SET_RIGHT = {"flex": 32.0, "out": 12.0, "twist": -22.0, "elbow": 100.0}
SET_LEFT = {"flex": 34.0, "out": 8.0, "twist": -22.0, "elbow": 98.0}


def _arm(flex: float, out: float, twist: float, elbow: float, wrist: float = 4.0) -> dict[str, float]:
    return {"flex": flex, "out": out, "twist": twist, "elbow": elbow, "wrist": wrist}


# With the arm held out sideways `flex` turns it about its own axis: 0 has the forearm forward, 90 up, 140 laid back.
PHASES = (
    Phase(0.0, "set", -55, 0, 2, 2, 3, 0, -2, SET_RIGHT, SET_LEFT),
    Phase(0.42, "rock back", -62, -2, 2, 3, 3, 0, -2.5, SET_RIGHT | {"flex": 38.0}, SET_LEFT | {"flex": 40.0}),
    Phase(0.80, "knee up", -80, -6, -3, 6, 4, 1, -3.5, SET_RIGHT | {"flex": 34.0}, SET_LEFT | {"flex": 36.0}),
    Phase(1.00, "hands part", -78, -8, -2, 3, 2, 3, -6, _arm(4, 30, -5, 58), _arm(24, 45, -10, 50)),
    Phase(1.14, "stride", -66, -14, 0, -1, -2, 5, -11, _arm(0, 66, 0, 48, -10), _arm(24, 76, -10, 24)),
    Phase(1.27, "foot down", -42, -20, 3, -5, -6, 2, -17, _arm(66, 93, 0, 88, -20), _arm(32, 70, -10, 42)),
    Phase(1.37, "laid back", -12, -17, 8, -6, -6, -7, -19, _arm(138, 99, 0, 96, -32), _arm(14, 42, 0, 88)),
    Phase(RELEASE, "release", 8, 5, 14, 5, 4, -13, -18, _arm(104, 101, 0, 32, 0), _arm(-6, 30, 0, 104)),
    Phase(1.57, "arm across", 19, 15, 23, 14, 10, -10, -15, _arm(76, 44, -18, 24, 22), _arm(-12, 28, 0, 104)),
    Phase(1.72, "follow through", 22, 17, 26, 18, 12, -5, -13, _arm(52, -6, -34, 36, 18), _arm(-12, 28, 0, 92)),
    Phase(2.05, "step up", 10, 9, 15, 9, 6, -2, -9, _arm(32, -2, -26, 42, 8), _arm(-4, 22, 0, 58)),
    Phase(SECONDS, "stand", 4, 2, 4, 3, 3, 0, -4, _arm(10, 9, 0, 28), _arm(4, 10, 0, 26)),
)

RIGHT_FOOT = (
    FootKey(0.0, -0.12, -0.12, yaw=-75.0),
    FootKey(1.10, -0.12, -0.12, yaw=-75.0),
    FootKey(1.36, -0.12, -0.12, yaw=-38.0, pitch=40.0),
    FootKey(1.56, -0.16, 0.02, 0.10, -22.0, 64.0, down=False),
    FootKey(1.78, -0.20, 0.30, 0.12, -14.0, 54.0, down=False),
    FootKey(2.00, -0.21, 0.64, 0.08, -12.0, 18.0, down=False),
    FootKey(2.20, -0.19, 0.72, yaw=-12.0),
    FootKey(SECONDS, -0.19, 0.72, yaw=-12.0),
)
LEFT_FOOT = (
    FootKey(0.0, -0.07, 0.15, yaw=-45.0),
    FootKey(0.42, -0.07, 0.15, yaw=-45.0),
    FootKey(0.80, -0.32, 0.06, 0.42, -70.0, 26.0, down=False),
    FootKey(1.08, -0.08, 0.50, 0.14, -46.0, 2.0, down=False),
    FootKey(1.27, 0.0, 0.84, yaw=-8.0),
    FootKey(SECONDS, 0.0, 0.84, yaw=-8.0),
)
LOAD = ((0.0, 0.5), (0.38, 0.98), (0.8, 1.0), (1.14, 1.0), (1.30, 0.45), (1.45, 0.0), (2.15, 0.0), (SECONDS, 0.42))


def pitch_mime() -> Clip:
    """A pitch in earnest."""
    return _pitch("pitch_mime", PHASES, LEFT_FOOT, RIGHT_FOOT, seed=23)


def pitch_low_mime() -> Clip:
    """The same pitch, key for key at the same times, with a shorter step, less of a turn and a lazier arm."""
    return _pitch(
        "pitch_low_mime",
        [_lazy(phase) for phase in PHASES],
        [_shorter(key, LEFT_FOOT[0]) for key in LEFT_FOOT],
        [_shorter(key, RIGHT_FOOT[0]) for key in RIGHT_FOOT],
        seed=29,
    )


def _pitch(name: str, phases: Sequence[Phase], left: Sequence[FootKey], right: Sequence[FootKey], seed: int) -> Clip:
    keys = [(phase.t, phase.pose()) for phase in phases]
    return perform(Script(name, SECONDS, keys, left, right, LOAD, seed, sway=0.003, loose=0.6))


LAZY_ARM = {"flex": 55.0, "out": 40.0, "twist": 0.0, "elbow": 72.0, "wrist": 0.0}
TRUNK_EFFORT, ARM_EFFORT, STEP_EFFORT = 0.55, 0.62, 0.55


def _lazy(phase: Phase) -> Phase:
    """The phase with less of everything: trunk towards upright, arms towards an easy throw from the elbow."""
    trunk = {name: TRUNK_EFFORT * getattr(phase, name) for name in ("chest", "lean", "belly", "bend", "side", "rise")}
    right, left = phase.right, phase.left
    if 1.0 < phase.t < 2.0:
        right = mixed(LAZY_ARM, phase.right, ARM_EFFORT)
        left = mixed(HANGING | {"elbow": 60.0}, phase.left, ARM_EFFORT)
    trunk["rise"] -= 1.2  # legs that do little are not straight for that
    return replace(phase, turn=0.75 * phase.turn, right=right, left=left, **trunk)


def _shorter(key: FootKey, start: FootKey) -> FootKey:
    """The key with the foot not as far from where it started, and not as high."""
    return replace(
        key,
        x=start.x + STEP_EFFORT * (key.x - start.x),
        z=start.z + STEP_EFFORT * (key.z - start.z),
        lift=0.5 * key.lift,
        pitch=0.75 * key.pitch,
    )
