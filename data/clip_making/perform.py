"""From key poses and foot paths to a clip: draw the joints, balance over the feet, reach, plant."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from data.clip_making.curves import through, wander
from data.clip_making.poses import Keys, drawn
from hoi_edit.footwork.balance import balanced, pendulum
from hoi_edit.footwork.foot_path import FootKey, FootPath, contacts, foot_goals, foot_path
from hoi_edit.footwork.limb_reach import Goal
from hoi_edit.footwork.row_by_row import reached_in_turn
from hoi_edit.motions import Layer, bake
from hoi_edit.motions.plant_feet import plant_feet
from kinematics.clip import Clip
from kinematics.human import human42
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

RATE = 60.0  # [Hz]
KNOTS = 0.05  # [s] of the planting
ARM_PULL = 0.012  # [m/rad]: arms have joints to spare, so the drawing decides more than it does for legs


@dataclass(frozen=True)
class Script:
    """What a person is told to do."""

    name: str
    seconds: float
    keys: Keys
    left_foot: Sequence[FootKey]
    right_foot: Sequence[FootKey]
    load: Sequence[tuple[float, float]]  # (time, share of the weight on the right foot)
    seed: int
    sway: float = 0.008  # [m] by which the centre of pressure wanders
    loose: float = 1.0
    hands: Callable[[Skeleton, Floats, Floats], list[Goal]] | None = None  # goals of the arms, given times and poses


def perform(script: Script) -> Clip:
    """The clip of a person who follows the script."""
    skeleton, rng = human42(), np.random.default_rng(script.seed)
    times = np.arange(round(script.seconds * RATE) + 1) / RATE
    poses = drawn(skeleton, script.keys, times, rng, script.loose)
    feet = [
        foot_path(skeleton, side, keys, times)
        for side, keys in (("left", script.left_foot), ("right", script.right_foot))
    ]
    pressure = pressed(feet, script.load, times) + script.sway * _wandering(rng, times)
    goals = [goal for path in feet for goal in foot_goals(skeleton, path)]
    legs = dofs_below(skeleton, "thigh")
    poses = balanced(
        skeleton, poses, pendulum(pressure, 1.0 / RATE), 1.0 / RATE, lambda q: reached_in_turn(skeleton, q, goals, legs)
    )
    if script.hands is not None:
        arms = dofs_below(skeleton, "upper_arm")
        poses = reached_in_turn(skeleton, poses, script.hands(skeleton, times, poses), arms, pull=ARM_PULL)
    return planted(Clip(skeleton, poses, 1.0 / RATE, name=script.name), feet)


def pressed(feet: Sequence[FootPath], load: Sequence[tuple[float, float]], times: Floats) -> Floats:
    """The centre of pressure (N, 2) in x and z for feet (left, right) and the share of the load on the right one."""
    share = np.clip(through(load, times), 0.0, 1.0)[:, None]
    left, right = (path.centre[:, [0, 2]] for path in feet)
    return np.asarray((1.0 - share) * left + share * right)


def planted(clip: Clip, feet: Sequence[FootPath]) -> Clip:
    """The clip with its feet held where they stand."""
    stances = [contact for path in feet for contact in contacts(clip.skeleton, path, clip.times)]
    layer = Layer.over(clip, spacing=KNOTS)
    controls, _ = plant_feet(clip, layer, layer.parameters(), stances)
    return bake(layer, controls, clip)


def dofs_below(skeleton: Skeleton, part: str) -> list[int]:
    """The DOFs of both limbs that begin with `part`."""
    tops = [skeleton.segment(f"{side}_{part}") for side in ("left", "right")]
    joints = enumerate(skeleton.topology.dof_joints)
    return [dof for dof, joint in joints if any(skeleton.descends_from(joint, top) for top in tops)]


def _wandering(rng: np.random.Generator, times: Floats) -> Floats:
    return np.stack([wander(rng, times, 3.1, 1.0), wander(rng, times, 2.7, 0.6)], axis=1)
