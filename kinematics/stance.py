"""How a recorded body stands: which way its segments are up, and how high its ankles are above the ground.

The zero pose of a file is whatever its exporter drew: often a T-pose with level feet, but with the spine bent, the toes
turned down, or every bone along X. Bodies are dressed upright, so this is fitted to the clip's own frames in which a
foot stands still. What already stands well in the zero pose is taken from there, to the last digit.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from kinematics.rig_names import SIDES
from kinematics.rotation import Floats, cross_matrix, yaw
from kinematics.skeleton import Skeleton

UP = np.array([0.0, 1.0, 0.0])
SLOW, STILL = 0.1, 0.35  # [m/s] and [rad/s] of a foot that stands
LOW = 0.04  # [m] above where its joints are at their lowest
SHORTEST = 0.06  # [s] of standing from which something can be told
MOST_ROWS = 12_000  # that are looked at
TALL = 0.75  # quantile: the trunk is fitted to the rows in which the body stands tallest
LEVEL = np.deg2rad(1.0)  # a sole that is flatter than that in the zero pose was drawn flat
IN_LINE = 0.015  # [m] that hips and shoulders may be out of line in the zero pose
UPRIGHT = np.cos(np.deg2rad(40.0))  # of a zero pose that stands at all

Rows = NDArray[np.bool_]


@dataclass(frozen=True, eq=False)
class Stance:
    """Frames of all joints while the body stands; `upright` turns what is fixed in a segment into the body's axes, in
    which Y is up and which are those of the zero pose where that stands."""

    position: Floats  # (J, 3)
    rotation: Floats  # (J, 3, 3)
    upright: Floats  # (J, 3, 3)
    ankle: Mapping[str, float] = field(default_factory=dict)  # of each side that stands, above the ground [m]

    @staticmethod
    def of_zero_pose(skeleton: Skeleton) -> "Stance":
        unturned = np.tile(np.eye(3), (len(skeleton.names), 1, 1))
        return Stance(skeleton.rest_positions(), unturned, unturned.copy())

    def vector(self, a: int, b: int) -> Floats:
        """From one joint to another, in the first one's upright axes."""
        return np.asarray(self.upright[a] @ self.rotation[a].T @ (self.position[b] - self.position[a]))


def fit_stance(
    skeleton: Skeleton, roles: Mapping[str, int], position: Floats, rotation: Floats, frame_time: float
) -> Stance:
    """The stance of a body in these frames, (N, J, 3) and (J, N, 3, 3); its zero pose if it never stands."""
    step = max(1, -(-len(position) // MOST_ROWS))
    position, rotation = position[::step], rotation[:, ::step]
    standing = {side: standing_rows(roles, side, position, rotation, step * frame_time) for side in SIDES}
    stance = Stance.of_zero_pose(skeleton)
    stands = _stands(roles, stance.position)
    rows = standing["left"] | standing["right"]
    if rows.any() and not (stands and _in_line(roles, stance.position)):
        local = _standing_turns(skeleton, roles, position, rotation, rows)
        bent = _trunk(skeleton, roles) if stands else set(range(len(skeleton.names)))
        stance = _posed(skeleton, {joint: local[joint] for joint in bent}, stance, roles)
    ankle = dict[str, float]()
    for side in SIDES:
        if standing[side].any():
            ankle[side] = float(np.median(position[standing[side], roles[f"{side}_foot"], 1]))
            for part in ("foot", "toes"):
                if (joint := roles.get(f"{side}_{part}")) is not None:
                    _level(stance.upright[joint], rotation[joint][standing[side]])
    return Stance(stance.position, stance.rotation, stance.upright, ankle)


def standing_rows(roles: Mapping[str, int], side: str, position: Floats, rotation: Floats, frame_time: float) -> Rows:
    """(N,) in which rows a foot stands: low, and neither ankle nor ball moves, nor does the foot turn. In a clip in
    which it is never that still, where it is nearly so."""
    joints = [roles[f"{side}_{part}"] for part in ("foot", "toes") if f"{side}_{part}" in roles]
    if f"{side}_foot" not in roles:
        return np.zeros(len(position), bool)
    height = position[:, joints, 1]
    low = np.all(height < np.quantile(height, 0.02, axis=0) + LOW, axis=1)
    fastest = np.max([speeds(position[:, joint], frame_time) for joint in joints], axis=0)
    turning = speeds(rotation[joints[0]][:, 1], frame_time)  # the row of what is up, in the foot's frame
    for patience in (1.0, 2.0, 4.0):
        stands = low & (fastest < patience * SLOW) & (turning < patience * STILL)
        if stands.sum() >= max(3, round(SHORTEST / frame_time)):
            return np.asarray(stands)
    return np.zeros(len(position), bool)


def speeds(track: Floats, frame_time: float) -> Floats:
    """Speeds (N,) over a window of about 40 ms: row-to-row differences of a fast capture are mostly noise."""
    half = max(1, round(0.02 / frame_time))
    n = len(track)
    ahead, behind = np.minimum(np.arange(n) + half, n - 1), np.maximum(np.arange(n) - half, 0)
    elapsed = np.maximum(ahead - behind, 1)[:, None] * frame_time
    return np.asarray(np.linalg.norm((track[ahead] - track[behind]) / elapsed, axis=1))


def leftwards(roles: Mapping[str, int], position: Floats) -> Floats | None:
    """The level unit vector (…, 3) from right to left by the first pair of limbs that is apart; None without any."""
    for part in ("thigh", "upper_arm", "foot", "hand"):
        if f"left_{part}" in roles and f"right_{part}" in roles:
            across = position[..., roles[f"left_{part}"], :] - position[..., roles[f"right_{part}"], :]
            across = across * np.array([1.0, 0.0, 1.0])
            length = np.linalg.norm(across, axis=-1, keepdims=True)
            if np.all(length > 1e-6):
                return np.asarray(across / length)
    return None


# --- the zero pose ----------------------------------------------------------------------------------------------------


def _stands(roles: Mapping[str, int], rest: Floats) -> bool:
    """Whether the zero pose is upright: the head, or else the trunk, above the feet."""
    top = next((roles[role] for role in ("head", "neck", "thorax", "pelvis") if role in roles), None)
    feet = [roles[f"{side}_foot"] for side in SIDES if f"{side}_foot" in roles]
    if top is None or not feet:
        return True
    along = rest[top] - rest[feet].mean(axis=0)
    return bool(along[1] > UPRIGHT * np.linalg.norm(along))


def _in_line(roles: Mapping[str, int], rest: Floats) -> bool:
    """Whether the shoulders of the zero pose are right above its hips, and those at the pelvis."""
    if not {"left_thigh", "right_thigh", "left_upper_arm", "right_upper_arm", "pelvis"} <= set(roles):
        return True
    hips, shoulders = (
        (rest[roles[f"left_{part}"]] + rest[roles[f"right_{part}"]]) / 2 for part in ("thigh", "upper_arm")
    )
    level = np.array([1.0, 0.0, 1.0])
    return bool(max(np.linalg.norm((end - rest[roles["pelvis"]]) * level) for end in (hips, shoulders)) < IN_LINE)


# --- the recorded one -------------------------------------------------------------------------------------------------


def _standing_turns(
    skeleton: Skeleton, roles: Mapping[str, int], position: Floats, rotation: Floats, rows: Rows
) -> Floats:
    """(J, 3, 3) mean turn of every joint in its parent while the body stands tallest, the root without its heading."""
    feet = [roles[f"{side}_foot"] for side in SIDES if f"{side}_foot" in roles]
    top = next((roles[role] for role in ("head", "neck", "thorax", "pelvis") if role in roles), 0)
    height = position[:, top, 1] - position[:, feet, 1].min(axis=1)
    tall = np.flatnonzero(rows & (height >= np.quantile(height[rows], TALL)))
    turns = rotation[:, tall].copy()
    for joint, parent in enumerate(skeleton.topology.parents):
        if parent >= 0:
            turns[joint] = np.swapaxes(rotation[parent][tall], 1, 2) @ rotation[joint][tall]
        else:
            turns[joint] = _without_heading(roles, skeleton, position[tall]) @ turns[joint]
    u, _, vh = np.linalg.svd(turns.sum(axis=1))
    u[..., -1] *= np.sign(np.linalg.det(u @ vh))[:, None]
    return np.asarray(u @ vh)


def _without_heading(roles: Mapping[str, int], skeleton: Skeleton, position: Floats) -> Floats:
    """(N, 3, 3) turns about the vertical that make every row face as the zero pose does, or along Z."""
    target, seen = leftwards(roles, skeleton.rest_positions()), leftwards(roles, position)
    if seen is None:
        return np.tile(np.eye(3), (len(position), 1, 1))
    target = np.array([1.0, 0.0, 0.0]) if target is None or not _stands(roles, skeleton.rest_positions()) else target
    # a turn about Y by a takes (x, z) = (cos b, -sin b) to (cos(a + b), -sin(a + b))
    angles = np.arctan2(-target[2], target[0]) - np.arctan2(-seen[:, 2], seen[:, 0])
    return np.stack([yaw(angle) for angle in angles])


def _trunk(skeleton: Skeleton, roles: Mapping[str, int]) -> set[int]:
    """The joints from which hips and shoulders hang."""
    parents, trunk = skeleton.topology.parents, set[int]()
    for role in (f"{side}_{part}" for side in SIDES for part in ("thigh", "upper_arm")):
        joint = parents[roles[role]] if role in roles else -1
        while joint >= 0:
            trunk.add(joint)
            joint = parents[joint]
    return trunk


def _posed(skeleton: Skeleton, turns: Mapping[int, Floats], zero: Stance, roles: Mapping[str, int]) -> Stance:
    """The zero pose with these joints turned; all of a body that lies in its zero pose is upright only like this."""
    position, rotation, upright = (np.array(array) for array in (zero.position, zero.rotation, zero.upright))
    carries_arms = {roles[f"{side}_clavicle"] for side in SIDES if f"{side}_clavicle" in roles}
    for joint, parent in enumerate(skeleton.topology.parents):
        turn = turns.get(joint, np.eye(3))
        if parent < 0:
            rotation[joint] = turn
        else:
            position[joint] = position[parent] + rotation[parent] @ skeleton.offset[joint]
            rotation[joint] = rotation[parent] @ turn
        if joint in turns and joint not in carries_arms:
            upright[joint] = rotation[joint]
    return Stance(position, rotation, upright)


def _level(upright: Floats, rotations: Floats) -> None:
    """Turn a segment, in place, by as little as makes level what lay on the ground in these rows."""
    up = np.median(rotations[:, 1], axis=0)
    up = upright @ up / np.linalg.norm(up)
    if np.arccos(np.clip(up @ UP, -1.0, 1.0)) > LEVEL:
        across = np.asarray(cross_matrix(np.cross(up, UP)))
        upright[:] = (np.eye(3) + across + across @ across / (1.0 + up @ UP)) @ upright
