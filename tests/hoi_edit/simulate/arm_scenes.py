"""Balls, an arm that slides and turns, and a paddle that swings: scenes that tests of the simulation share."""

from collections.abc import Sequence

import numpy as np

from hoi_edit.motions import FittedSpline
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Character, Contact, Flying, Scene, Thing, ground
from hoi_edit.truth.paddle_rig import rig
from kinematics.clip import Clip
from kinematics.skeleton import Dof, Inertias, Joint, Site, Skeleton, capsule
from rigid.body import ball
from rigid.impact import Material

RADIUS = 0.04  # [m]
BALL = ball(0.15, RADIUS)
SPRINGY = Material(0.8, 0.3)


def flying(
    position: Sequence[float], velocity: Sequence[float], name: str = "ball", material: Material = SPRINGY
) -> Thing:
    return Thing(name, BALL, Flying(np.array(position), np.array(velocity)), material)


def arm(rows: np.ndarray, thickness: float = 0.03) -> Character:
    """A thin rod along Z, with a palm on its top, that slides up and down and turns about X: rows (N, 2) at 30 Hz."""
    joint = Joint(
        "rod", None, (0.0, 0.0, 0.0), (Dof("up", (0.0, 1.0, 0.0), "translation"), Dof("turn", (1.0, 0.0, 0.0)))
    )
    skeleton = Skeleton.build([joint])
    rod = capsule(0, np.array([0.0, 0.0, -0.3]), np.array([0.0, 0.0, 0.3]), thickness)
    palm = Site("palm", 0, np.array([0.0, thickness, 0.0]), np.array([[1.0, 0, 0], [0, 0, 1.0], [0, -1.0, 0]]).T, 0)
    bare = Inertias(np.ones(1), np.zeros((1, 3)), np.eye(3)[None])
    skeleton = skeleton.with_body(bare, [rod], [palm], {})
    return Character("arm", skeleton, FittedSpline.to(Clip(skeleton, rows, 1 / 30), 1 / 30), Material(1.0, 1.0))


def still(height: float) -> np.ndarray:
    return np.repeat([[height, 0.0]], 61, axis=0)


def run(things: Sequence[Thing], characters: Sequence[Character] = (), **scene: object) -> Rollout:
    fixtures = scene.pop("fixtures", [])
    model = Model.of(Scene(characters, things, fixtures, end=2.0, **scene))  # type: ignore[arg-type]
    return model.simulate(model.start, strict=True)


def grasping() -> Scene:
    rows = np.stack([0.5 + 0.05 * np.sin(4 * np.arange(61) / 30), 0.1 * np.sin(3 * np.arange(61) / 30)], axis=1)
    caught = Contact("catch", "ball", "arm/palm", 0.3, "grasp", 0.813)
    return Scene([arm(rows)], [flying([0.0, 1.0, 0.05], [0.0, 0.0, 0.0])], [ground()], [caught], end=2.0)


def swinging_paddle() -> Character:
    return rig(
        lambda t: 0.05 * np.sin(3.0 * t),
        lambda t: 0.5 + 0.05 * np.sin(4.0 * t),
        lambda t: 0.15 * np.sin(3.0 * t),
        lambda t: 0.0 * t,
        2.0,
    )
