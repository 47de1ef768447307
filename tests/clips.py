"""Small clips that tests are made of, and where recorded ones lie."""

import os
from pathlib import Path

import numpy as np

from kinematics.clip import Clip
from kinematics.human import human42, standing
from kinematics.skeleton import Dof, Joint, Skeleton

HUMAN = human42()


def recordings() -> Path | None:
    """The folder of recorded clips, if there is one: it lies beside the repository and not in it."""
    beside = Path(__file__).resolve().parents[2] / "shared" / "mocap"
    folder = Path(os.environ.get("HOI_MOCAP", beside))
    return folder if folder.is_dir() else None


def swinging_human(seconds: float = 2.0, rate: float = 60.0, seed: int = 0, lean: float = 0.0) -> Clip:
    """A person on the spot whose joints all swing a little, at incommensurate rates."""
    rng = np.random.default_rng(seed)
    times = np.arange(round(seconds * rate) + 1) / rate
    speed, phase, size = rng.uniform(2, 6, 42), rng.uniform(0, 6, 42), rng.uniform(0.02, 0.12, 42)
    poses = standing(HUMAN) + size * np.sin(np.outer(times, speed) + phase)
    poses[:, HUMAN.dof("thorax.Xrotation")] += lean
    return Clip(HUMAN, poses, 1.0 / rate, name=f"swing{seed}")


def euler_skeleton(order: str = "ZYX", root: str = "ZYX") -> Skeleton:
    """Hips with two legs of two joints, as a BVH file would describe them."""
    axes = dict(zip("XYZ", [(1.0, 0.0, 0.0), (0.0, 1.0, 0.0), (0.0, 0.0, 1.0)], strict=True))
    slides = tuple(Dof(f"{c}position", axes[c], "translation") for c in "XYZ")

    def hinges(letters: str) -> tuple[Dof, ...]:
        return tuple(Dof(f"{c}rotation", axes[c]) for c in letters)

    joints = [Joint("Hips", None, (0.0, 0.0, 0.0), slides + hinges(root))]
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        joints += [
            Joint(f"{side}UpLeg", "Hips", (sign * 0.1, 0.0, 0.0), hinges(order)),
            Joint(f"{side}Leg", f"{side}UpLeg", (0.0, -0.4, 0.0), hinges(order)),
            Joint(f"{side}Foot", f"{side}Leg", (0.0, -0.4, 0.0), hinges(order)),
        ]
    return Skeleton.build(joints)
