"""What motion-capture files leave unsaid, told from the motion itself: units, up axis, root offset, reference row.

Pure functions of joint positions; the readers decide what to do with the answers.
"""

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from kinematics.anatomy import find_roles
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats, hinge_chain

INCH = 0.0254
# Metres per unit. CMU's subjects were measured in inches and scaled by 0.45.
UNITS = {"m": 1.0, "cm": 0.01, "mm": 0.001, "inch": INCH, "foot": 12 * INCH, "cmu": INCH / 0.45}
STATURE = 1.7  # [m] from the sole to the crown
# The bones from ankle to skull base lack the foot's height and most of the head.
_SPANNED = 0.85

_TURNS = {"x": (2, 1), "y": (0, 0), "z": (0, -1), "-x": (2, -1), "-y": (0, 2), "-z": (0, 1)}
UP_AXES = tuple(_TURNS)
_SAMPLES = 24


def metres_per_unit(units: str | float) -> float:
    """Metres in one unit of length, given by name or as a number."""
    if isinstance(units, str):
        if units not in UNITS:
            raise unknown("unit of length", units, UNITS)
        return UNITS[units]
    if not (np.isfinite(units) and 1e-9 <= units <= 1e9):
        raise HoiError(f"a unit of {units} metres; it must be a positive number, or one of: {', '.join(UNITS)}")
    return float(units)


def upright(up: str) -> Floats:
    """The rotation that turns the axis called `up` into +Y by quarter turns about X or Z."""
    if up not in _TURNS:
        raise unknown("up axis", up, UP_AXES)
    axis, quarters = _TURNS[up]
    return np.asarray(np.round(hinge_chain(np.eye(3)[[axis]], [quarters * np.pi / 2]))) + 0.0


def sample_rows(n_rows: int) -> NDArray[np.int64]:
    """A few rows spread over a clip, without the first, which may be a reference pose and no motion."""
    return np.unique(np.linspace(min(1, n_rows - 1), n_rows - 1, _SAMPLES).astype(int))


# --- units ------------------------------------------------------------------------------------------------------------


def stature(names: Sequence[str], parents: Sequence[int], position: Floats) -> float:
    """Estimated height of the body of which joints stand at `position` (N, J, 3), in its units; 0 if it has no length.

    Measured along the bones from foot to head, so that it does not matter whether the body stands; without names that
    tell these, the longest path through the tree counts. Bones are measured as posed: offsets may lie.
    """
    up = np.array(parents)
    bone = np.zeros(len(names))
    child = np.flatnonzero(up >= 0)
    bone[child] = np.median(np.linalg.norm(position[:, child] - position[:, up[child]], axis=-1), axis=0)
    roles = _roles(names, parents)
    feet = [roles[role] for role in ("left_foot", "right_foot") if role in roles]
    if "head" in roles and feet:
        length = float(np.mean([_path(roles["head"], foot, parents, bone) for foot in feet])) / _SPANNED
        if length > 0:
            return length
    return _diameter(parents, bone)


def detect_units(height: float) -> str | None:
    """The unit in which a body of that height is nearest to a human one, by ratio; None where there is no height."""
    if not height > 0:
        return None
    return min(UNITS, key=lambda unit: abs(np.log(height * UNITS[unit] / STATURE)))


def _roles(names: Sequence[str], parents: Sequence[int]) -> dict[str, int]:
    try:
        return find_roles(names, parents)
    except HoiError:  # names that tell two roles at once tell nothing here
        return {}


def _path(a: int, b: int, parents: Sequence[int], bone: Floats) -> float:
    """Length of the bones between two joints."""
    line: dict[int, float] = {}
    travelled, joint = 0.0, a
    while joint >= 0:
        line[joint] = travelled
        travelled += bone[joint]
        joint = parents[joint]
    travelled, joint = 0.0, b
    while joint >= 0 and joint not in line:
        travelled += bone[joint]
        joint = parents[joint]
    return travelled + line.get(joint, 0.0)


def _diameter(parents: Sequence[int], bone: Floats) -> float:
    """Length of the longest path through the tree: children come after parents, so one sweep from the back does."""
    depth = np.zeros(len(parents))
    longest = 0.0
    for joint in range(len(parents) - 1, -1, -1):
        parent = parents[joint]
        if parent >= 0:
            reach = depth[joint] + bone[joint]
            longest = max(longest, depth[parent] + reach)
            depth[parent] = max(depth[parent], reach)
    return longest


# --- up axis ----------------------------------------------------------------------------------------------------------


def detect_up(names: Sequence[str], parents: Sequence[int], position: Floats, rest: Floats) -> str:
    """Which axis points up, from joint positions (N, J, 3) of several rows and of the rest pose (J, 3).

    Mostly it is where the head is, seen from the feet. Where the rest pose says otherwise the file may be a crawl, or
    turn its body upright in the root's rotation: then the floor decides, because the lowest joint hardly leaves it.
    """
    posed = _body_axis(names, parents, position)
    resting = _body_axis(names, parents, rest[None])
    # bones drawn along X, or head down, are an exporter's habit and say nothing about the world
    if posed == resting or resting not in ("y", "z"):
        return posed
    floor, other_floor = _lowest(position, resting), _lowest(position, posed)
    on_the_floor = abs(np.median(floor)) < 0.2 * np.median(np.linalg.norm(np.ptp(position, axis=1), axis=-1))
    return resting if on_the_floor and 2 * np.std(floor) < np.std(other_floor) else posed


def _body_axis(names: Sequence[str], parents: Sequence[int], position: Floats) -> str:
    roles = _roles(names, parents)
    feet = [roles[role] for role in ("left_foot", "right_foot") if role in roles]
    if "head" in roles and feet:
        along = np.mean(position[:, roles["head"]] - np.mean(position[:, feet], axis=1), axis=0)
        if np.abs(along).max() > 0:
            axis = int(np.argmax(np.abs(along)))
            return ("" if along[axis] > 0 else "-") + "xyz"[axis]
    extent = np.mean(np.ptp(position, axis=1), axis=0)
    # arms stretched out can be as wide as the body is tall: only a clear lead of Z counts against the usual Y
    return "z" if extent[2] > 1.3 * extent[1] and extent[2] > extent[0] else "y"


def _lowest(position: Floats, up: str) -> Floats:
    """Height (N,) of the lowest joint in each row."""
    return np.asarray(np.min(position @ upright(up)[1], axis=1))


# --- offsets ----------------------------------------------------------------------------------------------------------


def joints_add(values: Floats, offsets: Floats) -> bool:
    """Whether position channels (N, C) of joints below the root are deviations from their offsets (C,)."""
    distance_to_offset = np.sum(np.median(np.abs(values - offsets), axis=0))
    distance_to_zero = np.sum(np.median(np.abs(values), axis=0))
    return bool(2 * distance_to_zero < distance_to_offset)


def root_adds(replaced: Floats, added: Floats, up: str, height: float) -> bool:
    """Whether the root's offset is to be added: true if only that puts the lowest joints on the floor.

    `replaced` and `added` are joint positions (N, J, 3) under either rule.
    """
    above, above_if_added = (abs(float(np.median(_lowest(position, up)))) for position in (replaced, added))
    return above_if_added < above - 0.05 * height


# --- reference row ----------------------------------------------------------------------------------------------------

_TELEPORT_RATIO = 5.0
_TELEPORT_SPEED = 3.0  # [m/s] mean over the joints
_TELEPORT_ACCEL = 100.0  # [m/s²] mean over the joints: ten times gravity stops no whole body
REFERENCE_WINDOW = 12  # rows that are looked at
REFERENCE_SECONDS = 2.0  # for which a reference pose may be repeated
_STILL = 0.05  # [m/s] of any joint of a pose that is only repeated


def still_steps(position: Floats, frame_time: float) -> int:
    """How many steps from row to row at the start (N, J, 3) [m] hardly move anything."""
    moving = np.linalg.norm(np.diff(position, axis=0), axis=-1).max(axis=-1, initial=0.0) / frame_time > _STILL
    return int(np.argmax(moving)) if moving.any() else 0


def teleport_speed(position: Floats, frame_time: float) -> float | None:
    """Mean joint speed [m/s] from the first row to the next if no body could move like that; None for ordinary motion.

    `position` (N, J, 3) [m] holds the first rows. A fast start passes because the rows after it are as fast. Seen from
    the root too, because a sprinter's own speed would hide the jump of the limbs.
    """
    if len(position) < 3:
        return None
    for seen in (position, position - position[:, :1]):
        speed = np.mean(np.linalg.norm(np.diff(seen, axis=0), axis=-1), axis=-1) / frame_time
        first, after = float(speed[0]), float(np.max(speed[1:]))
        impossible = first > _TELEPORT_SPEED and (first - after) / frame_time > _TELEPORT_ACCEL
        if impossible and first > _TELEPORT_RATIO * after:
            return first
    return None
