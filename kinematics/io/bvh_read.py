"""Reading BVH (Biovision Hierarchy) files.

pybvh reads and writes BVH well, but its errors name no line and it knows nothing of units, up axes, reference rows or
the two meanings of position channels, which is what real files differ in; so this reader is our own.
"""

import os
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

import numpy as np

from kinematics.clip import Clip, continuous
from kinematics.errors import unknown
from kinematics.io import conventions
from kinematics.io.bvh_hierarchy import (
    BvhNode,
    OffsetRule,
    OffsetRules,
    Triple,
    build_skeleton,
    channel_kind,
    joint_nodes,
    kept_offset,
)
from kinematics.io.bvh_motion import ParsedBvh, parse_bvh
from kinematics.io.text import load_text
from kinematics.numpy_forward import world_positions
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

Offsets = Literal["auto", "replace", "add"]


@dataclass(frozen=True, eq=False)
class BvhSource:
    """The BVH file behind a clip: all that it takes to write the file again."""

    path: str
    hierarchy: tuple[BvhNode, ...]
    frame_time: float  # [s]
    metres_per_unit: float
    up: str
    offsets: OffsetRules
    reference_rows: Floats  # (K, channels) in the file's numbers: what was dropped from the start
    declared_frames: int

    @property
    def end_sites(self) -> dict[int, Triple]:
        """Tip of each joint that has one, by joint index, in the file's units and axes."""
        joint_of = {node: joint for joint, node in enumerate(joint_nodes(self.hierarchy))}
        tips: dict[int, Triple] = {}
        for node in self.hierarchy:
            if node.keyword == "End":
                tips.setdefault(joint_of[node.parent], node.offset)
        return tips

    def tips_of(self, skeleton: Skeleton) -> dict[int, Floats]:
        """The same in metres, Y up, if the skeleton still has the file's joints."""
        if skeleton.names != self.skeleton().names:
            return {}
        Q_up = conventions.upright(self.up)
        return {joint: Q_up @ np.array(tip) * self.metres_per_unit for joint, tip in self.end_sites.items()}

    @property
    def channel_scale(self) -> Floats:
        """(channels,) what one unit of each of the file's numbers is in radians or metres."""
        return channel_scale(self.hierarchy, self.metres_per_unit)

    def skeleton(self) -> Skeleton:
        """The skeleton as the reader built it."""
        return build_skeleton(self.hierarchy, self.offsets, self.metres_per_unit, conventions.upright(self.up))


def channel_scale(nodes: Sequence[BvhNode], metres_per_unit: float) -> Floats:
    channels = [channel for node in nodes for channel in node.channels]
    return np.array([np.pi / 180 if channel_kind(channel) == "rotation" else metres_per_unit for channel in channels])


def read_bvh(
    path: str | os.PathLike[str],
    *,
    raw: bool = False,
    units: str | float | None = None,
    up: str | None = None,
    offsets: Offsets = "auto",
    keep_reference: bool = False,
    name: str | None = None,
) -> Clip:
    """Read a BVH file as a clip in metres and radians, Y up. What is not said is told from the motion.

    `raw` keeps every row and the file's own lengths and axes, and lets position channels replace offsets.
    """
    if offsets not in ("auto", "replace", "add"):
        raise unknown("rule for offsets", offsets, ("auto", "replace", "add"))
    if raw:
        units, up = 1.0 if units is None else units, up or "y"
        offsets, keep_reference = "replace" if offsets == "auto" else offsets, True
    file = load_text(path)
    parsed = parse_bvh(file)
    rules = _offset_rules(parsed, offsets, up)
    look = _posed_joints(parsed, rules)
    up_axis = up or look.up()
    scale, unit_notices = _metres_per_unit(look, units)
    skeleton = build_skeleton(parsed.nodes, rules, scale, conventions.upright(up_axis))
    poses = parsed.rows * channel_scale(parsed.nodes, scale)
    dropped, reference_notices = (0, []) if keep_reference else _reference_rows(skeleton, poses, parsed.frame_time)
    notices = [*parsed.notices, *unit_notices, *_convention_notices(rules, up_axis, offsets, up), *reference_notices]
    source = BvhSource(
        path=file.path,
        hierarchy=parsed.nodes,
        frame_time=parsed.frame_time,
        metres_per_unit=scale,
        up=up_axis,
        offsets=rules,
        reference_rows=parsed.rows[:dropped],
        declared_frames=parsed.declared_frames,
    )
    return Clip(
        skeleton=skeleton,
        poses=continuous(skeleton, poses[dropped:]),
        frame_time=parsed.frame_time,
        name=Path(path).stem if name is None else name,
        source=source,
        source_rows=parsed.rows[dropped:],
        notices=tuple(f"{file.path}: {notice}" for notice in notices),
    )


# --- what the file leaves unsaid --------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _PosedJoints:
    """Joint positions in some rows, in the file's units and axes."""

    names: tuple[str, ...]
    parents: tuple[int, ...]
    posed: Floats  # (N, J, 3)
    rest: Floats  # (J, 3)

    def height(self) -> float:
        return conventions.stature(self.names, self.parents, self.posed)

    def up(self) -> str:
        return conventions.detect_up(self.names, self.parents, self.posed, self.rest)


def _posed_joints(parsed: ParsedBvh, rules: OffsetRules) -> _PosedJoints:
    skeleton = build_skeleton(parsed.nodes, rules, 1.0, np.eye(3))
    poses = _some(parsed.rows) * channel_scale(parsed.nodes, 1.0)
    rest = np.array([parsed.nodes[i].offset for i in joint_nodes(parsed.nodes)])
    for joint, parent in enumerate(skeleton.topology.parents):
        if parent >= 0:
            rest[joint] += rest[parent]
    return _PosedJoints(skeleton.names, skeleton.topology.parents, world_positions(skeleton, poses), rest)


def _some(rows: Floats) -> Floats:
    return rows[conventions.sample_rows(len(rows))]


def _offset_rules(parsed: ParsedBvh, wanted: Offsets, up: str | None) -> OffsetRules:
    if wanted != "auto":
        return OffsetRules(wanted, wanted)
    joints = _joint_rule(parsed)
    replace, add = OffsetRules("replace", joints), OffsetRules("add", joints)
    if all(np.array_equal(kept_offset(node, replace), kept_offset(node, add)) for node in parsed.nodes):
        return replace
    if_replaced, if_added = _posed_joints(parsed, replace), _posed_joints(parsed, add)
    up = up or if_replaced.up()
    return add if conventions.root_adds(if_replaced.posed, if_added.posed, up, if_replaced.height()) else replace


def _joint_rule(parsed: ParsedBvh) -> OffsetRule:
    channels = [(node, channel) for node in parsed.nodes for channel in node.channels]
    chosen = [
        column
        for column, (node, channel) in enumerate(channels)
        if node.keyword == "JOINT" and channel_kind(channel) == "translation"
    ]
    offsets = np.array([channels[c][0].offset["XYZ".index(channels[c][1][0])] for c in chosen])
    return "add" if conventions.joints_add(_some(parsed.rows)[:, chosen], offsets) else "replace"


def _metres_per_unit(look: _PosedJoints, units: str | float | None) -> tuple[float, list[str]]:
    if units is not None:
        return conventions.metres_per_unit(units), []
    height = look.height()
    detected = conventions.detect_units(height)
    if detected is None:
        return 1.0, ["its bones have no length, so its unit of length is taken to be the metre"]
    scale = conventions.UNITS[detected]
    if detected == "m":
        return scale, []
    return scale, [
        f"its unit of length is taken to be {detected} ({scale:.5g} m), for a body of {height * scale:.2f} m"
    ]


def _convention_notices(rules: OffsetRules, up_axis: str, wanted: str, up: str | None) -> list[str]:
    notices = []
    if up is None and up_axis != "y":
        notices.append(f"its {up_axis.upper()} axis points up, so it is turned to have Y up")
    if wanted == "auto" and "add" in rules:
        which = "root" if rules.joints == "replace" else "joints" if rules.root == "replace" else "root and joints"
        notices.append(f"its position channels are added to the offset of the {which}")
    return notices


def _reference_rows(skeleton: Skeleton, poses: Floats, frame_time: float) -> tuple[int, list[str]]:
    """How many rows at the start are a pose for rigging and no motion, and the notice that says so."""
    longest = min(round(conventions.REFERENCE_SECONDS / frame_time), len(poses) // 2)
    position = world_positions(skeleton, poses[: longest + conventions.REFERENCE_WINDOW])
    count = 1 + conventions.still_steps(position[: longest + 1], frame_time)
    speed = conventions.teleport_speed(position[count - 1 :][: conventions.REFERENCE_WINDOW], frame_time)
    if speed is None:
        return 0, []
    rows = "row 0 is" if count == 1 else f"rows 0 to {count - 1} are"
    step = f"from row {count - 1} to row {count} the joints would move at {speed:.0f} m/s"
    return count, [f"{rows} dropped as a reference pose, because {step}"]
