"""Floors that slope: where the calibration of a capture was off by a degree, feet stand higher at one end of the room.

The floor is a plane through where the feet stand still, each foot with a height of its own. Levelling turns the whole
take, because what was off is the direction of up.
"""

from collections.abc import Mapping
from dataclasses import dataclass, replace

import numpy as np

from kinematics.clip import Clip, continuous
from kinematics.errors import HoiError
from kinematics.rig_names import SIDES
from kinematics.rotation import Floats, are_orthogonal, hinge_angles, hinge_chain, rotation_exp
from kinematics.stance import UP, Rows, standing_rows

APART = 1.0  # [m] that feet have to come round for a slope to be seen
LEAST, STEEPEST = 0.010, np.deg2rad(3.0)  # [m] of height that is worth a word, and what is no floor any more
NOISE, USUAL = (
    0.004,
    0.01,
)  # [m] of a stance's height, and slopes that captures have: what little is known decides little
BETTER = 0.6  # of the largest error, that has to be left at most


@dataclass(frozen=True)
class Slope:
    """Of a floor: how much it rises along x and z, and how far over where somebody stood [m]."""

    x: float
    z: float
    drop: float
    over: float
    pivot: tuple[float, float, float]

    def __str__(self) -> str:
        angle = np.degrees(np.arctan(np.hypot(self.x, self.z)))
        return f"its floor slopes by {angle:.1f}°, {1e3 * self.drop:.0f} mm over {self.over:.1f} m"


def floor_slope(roles: Mapping[str, int], position: Floats, rotation: Floats, frame_time: float) -> Slope | None:
    """The slope of the floor on which a body in these frames, (N, J, 3) and (J, N, 3, 3), stands; None if it is level
    as far as can be told."""
    stances = [
        (side, np.median(position[first : last + 1, roles[f"{side}_foot"]], axis=0))
        for side in SIDES
        for first, last in _runs(standing_rows(roles, side, position, rotation, frame_time))
    ]
    sides = [side for side in SIDES if any(own == side for own, _ in stances)]
    if len(stances) < len(sides) + 2:
        return None
    places = np.array([place for _, place in stances])
    middle = places.mean(axis=0)
    over = float(np.linalg.norm(np.ptp(places[:, [0, 2]], axis=0)))
    on_side = np.array([[own == side for side in sides] for own, _ in stances], float)
    rows = np.hstack([on_side, (places - middle)[:, [0, 2]]])
    fit = _robust(rows, places[:, 1], len(sides))
    x, z = (float(value) for value in fit[-2:])
    flat = np.abs(places[:, 1] - on_side @ _robust(on_side, places[:, 1], len(sides))).max()
    left = np.abs(places[:, 1] - rows @ fit).max()
    drop = float(np.ptp(rows[:, -2:] @ fit[-2:]))
    steep = np.arctan(np.hypot(x, z)) > STEEPEST
    if over < APART or drop < LEAST or steep or left > BETTER * flat:
        return None
    return Slope(x, z, drop, over, (float(middle[0]), 0.0, float(middle[2])))


def levelled(clip: Clip, slope: Slope) -> Clip:
    """The clip, turned as a whole until its floor is level; it no longer has its file's own numbers."""
    skeleton, poses = clip.skeleton, np.array(clip.poses)
    normal = np.array([-slope.x, 1.0, -slope.z]) / np.sqrt(1.0 + slope.x**2 + slope.z**2)
    axis = np.cross(normal, UP)
    sine = float(np.linalg.norm(axis))
    R = np.asarray(rotation_exp(axis * (np.arcsin(sine) / max(sine, 1e-12))))
    pivot = np.array(slope.pivot)
    for root in (joint for joint, parent in enumerate(skeleton.topology.parents) if parent < 0):
        slides, hinges = skeleton.dofs_of(root, "translation"), skeleton.dofs_of(root, "rotation")
        if len(slides) != 3 or not are_orthogonal(skeleton.axis[hinges]):
            raise HoiError(f"the floor cannot be levelled: root {skeleton.names[root]!r} does not turn and move freely")
        place = skeleton.offset[root] + poses[:, slides] @ skeleton.axis[slides]
        poses[:, slides] = ((place - pivot) @ R.T + pivot - skeleton.offset[root]) @ np.linalg.inv(
            skeleton.axis[slides]
        )
        turns = R @ hinge_chain(skeleton.axis[hinges], poses[:, hinges])
        poses[:, hinges] = hinge_angles(skeleton.axis[hinges], turns)
    return replace(clip, poses=continuous(skeleton, poses), source_rows=None)


def _robust(rows: Floats, heights: Floats, levels: int) -> Floats:
    """Least squares in which stances that do not fit count less, and slopes are small unless they are seen."""
    prior = np.hstack([np.zeros((rows.shape[1] - levels, levels)), np.eye(rows.shape[1] - levels)]) / USUAL
    weight, solution = np.ones(len(rows)), np.zeros(rows.shape[1])
    for _ in range(20):
        scaled = np.vstack([rows * (weight / NOISE)[:, None], prior])
        solution = np.linalg.lstsq(scaled, np.concatenate([heights * weight / NOISE, np.zeros(len(prior))]))[0]
        weight = 1.0 / np.sqrt(np.maximum(np.abs(heights - rows @ solution) / (2.0 * NOISE), 1.0))
    return np.asarray(solution)


def _runs(on: Rows) -> list[tuple[int, int]]:
    """First and last row of each stretch."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
    return [(int(first), int(stop) - 1) for first, stop in zip(edges[::2], edges[1::2], strict=True)]
