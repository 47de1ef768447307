"""The one small body of all these scenes: a paddle that slides, lifts and tilts, and a head that nods beside it.

One skeleton and one number of control points, whatever it plays (a racket, a hand, a head), so that all scenes share
their compiled functions.
"""

from collections.abc import Callable

import numpy as np

from hoi_edit.motions import FittedSpline
from hoi_edit.scene import Character
from kinematics.clip import Clip
from kinematics.rotation import Floats
from kinematics.skeleton import Dof, Inertias, Joint, Site, Skeleton, box, sphere
from rigid.impact import Material

HALF = (0.2, 0.02, 0.2)  # [m] of the paddle
HEAD = (0.0, 0.3, 0.0)  # [m] the head's centre above its joint
HEAD_RADIUS = 0.1  # [m]
REACH = 1.5  # [m] from the paddle to the joint of the head
PIECES = 7  # of the spline
ROWS = 43  # of the clip that it is fitted to

Curve = Callable[[Floats], Floats]


def skeleton() -> Skeleton:
    slides = (Dof("x", (1.0, 0.0, 0.0), "translation"), Dof("y", (0.0, 1.0, 0.0), "translation"))
    bare = Skeleton.build(
        [
            Joint("paddle", None, (0.0, 0.0, 0.0), (*slides, Dof("tilt", (0.0, 0.0, 1.0)))),
            Joint("head", "paddle", (REACH, 0.0, 0.0), (Dof("nod", (0.0, 0.0, 1.0)),)),
        ]
    )
    shapes = [box(0, np.zeros(3), np.eye(3), np.array(HALF)), sphere(1, np.array(HEAD), HEAD_RADIUS)]
    out_of_the_paddle = np.array([[1.0, 0.0, 0.0], [0.0, 0.0, 1.0], [0.0, -1.0, 0.0]])  # its Z axis is the world's Y
    sites = [Site("palm", 0, np.array([0.0, HALF[1], 0.0]), out_of_the_paddle, shape=0)]
    massless = Inertias(np.zeros(2), np.zeros((2, 3)), np.zeros((2, 3, 3)))
    return bare.with_body(massless, shapes, sites, {})


def still(value: float) -> Curve:
    return lambda t: np.full_like(t, value)


def rig(x: Curve, y: Curve, tilt: Curve, nod: Curve, end: float, material: Material | None = None) -> Character:
    """The body with its four coordinates as functions of time, in a spline whose knots are `end / PIECES` apart."""
    body = skeleton()
    times = np.linspace(0.0, end, ROWS)
    clip = Clip(body, np.stack([curve(times) for curve in (x, y, tilt, nod)], axis=1), end / (ROWS - 1), name="rig")
    return Character("rig", body, FittedSpline.to(clip, end / PIECES), material or Material(1.0, 1.0))
