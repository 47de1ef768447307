"""Key poses in the words of a trainer, in degrees; both sides of the body in the same words."""

from collections.abc import Mapping, Sequence

import numpy as np

from data.clip_making.curves import through, wander
from kinematics.human import standing
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

Keys = Sequence[tuple[float, Mapping[str, float]]]  # (time [s], values of some channels), in order of time

# Channel: (degree of freedom, sign). Turns are positive to the left, bends forward, sides and tilts to the right.
TRUNK = {
    "turn": ("pelvis.Yrotation", 1.0),
    "lean": ("pelvis.Xrotation", 1.0),
    "roll": ("pelvis.Zrotation", 1.0),
    "belly_bend": ("abdomen.Xrotation", 1.0),
    "belly_side": ("abdomen.Zrotation", 1.0),
    "chest_turn": ("thorax.Yrotation", 1.0),
    "chest_bend": ("thorax.Xrotation", 1.0),
    "chest_side": ("thorax.Zrotation", 1.0),
    "head_turn": ("head.Yrotation", 1.0),
    "nod": ("head.Xrotation", 1.0),
    "head_tilt": ("head.Zrotation", 1.0),
}
# Positive for the left side: arm and thigh forward, out, turned outwards; elbow bent; palm turned up; wrist bent.
LIMBS = {
    "flex": ("upper_arm.Xrotation", -1.0, False),
    "out": ("upper_arm.Zrotation", 1.0, True),
    "twist": ("upper_arm.Yrotation", 1.0, True),
    "elbow": ("forearm.Xrotation", -1.0, False),
    "palm_up": ("forearm.Yrotation", 1.0, True),
    "wrist": ("hand.Zrotation", -1.0, True),
    "cock": ("hand.Xrotation", -1.0, False),
    "toes": ("toes.Xrotation", 1.0, False),
}
RISE = "rise"  # the pelvis above its height in the zero pose [cm]

HANGING = {"flex": 3.0, "out": 9.0, "twist": 0.0, "elbow": 18.0, "palm_up": -12.0, "wrist": 4.0, "cock": 0.0}
# A slightly bent leg tells the solver to which side a knee bends.
BENT_LEG = {"thigh.Xrotation": -15.0, "shank.Xrotation": 30.0, "foot.Xrotation": -15.0}
LOOSENESS = {"pelvis": 0.5, "abdomen": 0.6, "thorax": 0.7, "head": 1.6, "upper_arm": 1.3, "forearm": 1.8, "hand": 2.0}


def arm(side: str, **angles: float) -> dict[str, float]:
    """Channels of one arm, those not given as when it hangs."""
    return {f"{side}_{channel}": value for channel, value in (HANGING | angles).items()}


def mixed(a: Mapping[str, float], b: Mapping[str, float], share: float) -> dict[str, float]:
    """The pose `share` of the way from a to b, channel by channel."""
    return {name: (1 - share) * a.get(name, 0.0) + share * b.get(name, 0.0) for name in {**a, **b}}


def drawn(skeleton: Skeleton, keys: Keys, times: Floats, rng: np.random.Generator, loose: float = 1.0) -> Floats:
    """Poses (N, D) with all channels drawn through their keys, and `loose` times the unrest of a living body on top."""
    poses = np.tile(standing(skeleton), (len(times), 1))
    for side in ("left", "right"):
        for name, value in BENT_LEG.items():
            poses[:, skeleton.dof(f"{side}_{name}")] = np.deg2rad(value)
    channels = {name for _, pose in keys for name in pose}
    for channel in sorted(channels):
        curve = through([(t, pose[channel]) for t, pose in keys if channel in pose], times)
        if channel == RISE:
            poses[:, skeleton.dof("pelvis.Yposition")] += 0.01 * curve
        else:
            name, sign = _dof(channel)
            poses[:, skeleton.dof(name)] = np.deg2rad(sign * curve)
    return poses + loose * _unrest(skeleton, times, rng)


def _dof(channel: str) -> tuple[str, float]:
    """The degree of freedom that a channel moves, and its sign."""
    if channel in TRUNK:
        return TRUNK[channel]
    side, _, part = channel.partition("_")
    name, sign, mirrored = LIMBS[part]
    return f"{side}_{name}", -sign if mirrored and side == "right" else sign


def _unrest(skeleton: Skeleton, times: Floats, rng: np.random.Generator) -> Floats:
    """Small slow changes (N, D) of all joints above the legs."""
    unrest = np.zeros((len(times), skeleton.n_dofs))
    for dof, name in enumerate(skeleton.topology.dof_names):
        part = name.split(".")[0].removeprefix("left_").removeprefix("right_")
        if part in LOOSENESS and name.endswith("rotation"):
            unrest[:, dof] = wander(rng, times, rng.uniform(1.4, 2.8), np.deg2rad(LOOSENESS[part]))
    return unrest
