"""The built-in body: 42 degrees of freedom, adult proportions, masses from published anthropometry.

In the zero pose it stands upright and faces +Z with its left side at +X, arms hanging, palms facing the thighs. Lengths
are fractions of stature after de Leva (1996) and D. Winter's "Biomechanics" (figure 4.1); ranges of motion are the
usual clinical ones (AAOS), rounded. A lumbar spine hardly twists, so it has two DOFs and the thorax three.
"""

import numpy as np

from kinematics.dressing import dress
from kinematics.errors import HoiError
from kinematics.skeleton import Dof, Joint, Skeleton

X, Y, Z = (1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)

# Heights and lengths as fractions of stature.
HIP_WIDTH, THIGH, SHANK = 0.052, 0.2425, 0.2493
LUMBAR, CHEST, NECK, SHOULDER_HEIGHT, SHOULDER_WIDTH = 0.063, 0.172, 0.3303, 0.283, 0.107
UPPER_ARM, FOREARM = 0.1618, 0.1545
BALL_AHEAD, BALL_BELOW = 0.075, 0.031


def human42(height: float = 1.75, mass: float = 73.0) -> Skeleton:
    """An adult of the given stature [m] and body mass [kg]."""
    if not 0.5 <= height <= 2.5:
        raise HoiError(f"a stature of {height} m was asked for; it must be between 0.5 and 2.5 m")
    if not 5.0 <= mass <= 300.0:
        raise HoiError(f"a body mass of {mass} kg was asked for; it must be between 5 and 300 kg")
    tip = np.array([0.0, 0.0, 0.04 * height])
    skeleton = Skeleton.build(_joints(height))
    tips = {skeleton.segment(f"{side}_toes"): tip for side in ("left", "right")}
    return dress(skeleton, mass=mass, tips=tips)


def standing(skeleton: Skeleton) -> np.ndarray:
    """The zero pose of a `human42` lifted so that its soles are on the ground."""
    sole = skeleton.site("left_sole")
    q = np.zeros(skeleton.n_dofs)
    q[skeleton.dof("pelvis.Yposition")] = -(skeleton.rest_positions()[sole.segment] + sole.position)[1]
    return q


def _joints(H: float) -> list[Joint]:
    joints = [
        Joint(
            "pelvis",
            None,
            (0.0, 0.0, 0.0),
            (
                Dof("Xposition", X, "translation"),
                Dof("Yposition", Y, "translation"),
                Dof("Zposition", Z, "translation"),
                # heading outermost: placing a character on the ground then adds to one angle
                Dof("Yrotation", Y),
                Dof("Xrotation", X),
                Dof("Zrotation", Z),
            ),
        ),
        Joint("abdomen", "pelvis", (0.0, LUMBAR * H, 0.0), (_turn(X, -25, 60), _turn(Z, -25, 25))),
        Joint(
            "thorax",
            "abdomen",
            (0.0, (CHEST - LUMBAR) * H, 0.0),
            (_turn(Y, -45, 45), _turn(X, -20, 40), _turn(Z, -25, 25)),
        ),
        Joint(
            "head", "thorax", (0.0, (NECK - CHEST) * H, 0.0), (_turn(Y, -80, 80), _turn(X, -55, 60), _turn(Z, -40, 40))
        ),
    ]
    for side, sign in (("left", 1.0), ("right", -1.0)):
        joints += _arm(H, side, sign) + _leg(H, side, sign)
    return joints


def _arm(H: float, side: str, sign: float) -> list[Joint]:
    shoulder = (sign * SHOULDER_WIDTH * H, (SHOULDER_HEIGHT - CHEST) * H, 0.0)
    return [
        # forward is the negative turn about X for whatever hangs
        Joint(
            f"{side}_upper_arm",
            "thorax",
            shoulder,
            (_turn(X, -180, 60), _turn(Z, -50, 180, sign), _turn(Y, -90, 90)),
        ),
        Joint(
            f"{side}_forearm", f"{side}_upper_arm", (0.0, -UPPER_ARM * H, 0.0), (_turn(X, -150, 5), _turn(Y, -90, 90))
        ),
        Joint(
            f"{side}_hand", f"{side}_forearm", (0.0, -FOREARM * H, 0.0), (_turn(Z, -80, 70, sign), _turn(X, -20, 35))
        ),
    ]


def _leg(H: float, side: str, sign: float) -> list[Joint]:
    return [
        Joint(
            f"{side}_thigh",
            "pelvis",
            (sign * HIP_WIDTH * H, 0.0, 0.0),
            (_turn(X, -125, 30), _turn(Z, -30, 50, sign), _turn(Y, -45, 45)),
        ),
        Joint(f"{side}_shank", f"{side}_thigh", (0.0, -THIGH * H, 0.0), (_turn(X, -5, 150),)),
        Joint(f"{side}_foot", f"{side}_shank", (0.0, -SHANK * H, 0.0), (_turn(X, -30, 55), _turn(Z, -30, 30))),
        Joint(f"{side}_toes", f"{side}_foot", (0.0, -BALL_BELOW * H, BALL_AHEAD * H), (_turn(X, -60, 35),)),
    ]


def _turn(axis: tuple[float, float, float], low: float, high: float, sign: float = 1.0) -> Dof:
    """A hinge with limits in degrees; `sign` -1 mirrors them for the right side."""
    limits = (low, high) if sign > 0 else (-high, -low)
    return Dof(f"{'XYZ'[axis.index(1.0)]}rotation", axis, "rotation", (np.deg2rad(limits[0]), np.deg2rad(limits[1])))
