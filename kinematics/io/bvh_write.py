"""Writing BVH files: back into the source's own layout where a clip has one, or into one made from its skeleton."""

import os
import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinematics.clip import Clip, continuous, continuous_triple, nearest_poses, orthogonal_triples
from kinematics.gimbal_lock import in_chart, same_joints
from kinematics.io import conventions
from kinematics.io.asf_amc import AsfSource
from kinematics.io.bvh_hierarchy import BvhNode, Keyword, OffsetRules, Triple, build_skeleton, channel_axis
from kinematics.io.bvh_read import BvhSource
from kinematics.io.text import save_text
from kinematics.rotation import Floats, hinge_angles, hinge_chain, nearest_triple, nearest_turn, other_solution
from kinematics.skeleton import Shape

_DECIMALS = 8
_SAME = 1e-9  # relative: what radians and back cost, and no edit that anyone could see
_DEFAULT_TIP = 0.05  # [m]
_POSITIONS = ("Xposition", "Yposition", "Zposition")
_EULER = ("Zrotation", "Yrotation", "Xrotation")


def write_bvh(
    clip: Clip,
    path: str | os.PathLike[str],
    *,
    reference_pose: bool = True,
    units: str | float | None = None,
    own_channels: bool = False,
) -> None:
    """Write a clip as BVH, whole or not at all; `bvh_text` says how."""
    save_text(path, bvh_text(clip, reference_pose=reference_pose, units=units, own_channels=own_channels))


def bvh_text(
    clip: Clip, *, reference_pose: bool = True, units: str | float | None = None, own_channels: bool = False
) -> str:
    """A clip as BVH.

    A clip that came from BVH keeps that file's hierarchy, units and axes; numbers that were not edited are written as
    they were, and so is the reference row, unless `reference_pose` is false or the clip no longer has the file's rows.
    Any other clip, or any clip if `units` are given, gets a hierarchy made from its skeleton: Y up, in metres if not
    said otherwise, with three rotation channels a joint because common readers take no fewer, or as many as the joint
    has DOFs if `own_channels`.
    """
    if units is None and isinstance(clip.source, BvhSource) and same_joints(clip.skeleton, clip.source.skeleton()):
        nodes: Sequence[BvhNode] = clip.source.hierarchy
        rows = _source_numbers(clip, clip.source)
        if reference_pose and _rows_correspond(clip) and len(rows) > 1 and clip.frame_time == clip.source.frame_time:
            rows = np.concatenate([clip.source.reference_rows, rows])
    else:
        nodes, rows = _from_skeleton(clip, conventions.metres_per_unit("m" if units is None else units), own_channels)
    return _text(nodes, rows, clip.frame_time)


# --- text -------------------------------------------------------------------------------------------------------------


def _text(nodes: Sequence[BvhNode], rows: Floats, frame_time: float) -> str:
    head = ["HIERARCHY", *_blocks(nodes), "MOTION", f"Frames: {len(rows)}", f"Frame Time: {float(frame_time)!r}"]
    # `repr` is the shortest text that reads back as the same float
    return "\n".join([*head, *(" ".join(map(repr, row)) for row in rows.tolist())]) + "\n"


def _blocks(nodes: Sequence[BvhNode]) -> list[str]:
    lines: list[str] = []
    open_nodes: list[int] = []
    for i, node in enumerate(nodes):
        while open_nodes and open_nodes[-1] != node.parent:
            open_nodes.pop()
            lines.append("\t" * len(open_nodes) + "}")
        indent = "\t" * len(open_nodes)
        offset = node.written or [repr(number) for number in node.offset]
        lines += [f"{indent}{node.keyword} {node.name}", indent + "{", f"{indent}\tOFFSET {' '.join(offset)}"]
        if node.keyword != "End":
            lines.append(" ".join([f"{indent}\tCHANNELS {len(node.channels)}", *node.channels]))
        open_nodes.append(i)
    return lines + ["\t" * depth + "}" for depth in reversed(range(len(open_nodes)))]


# --- into the source's layout -----------------------------------------------------------------------------------------


def _source_numbers(clip: Clip, source: BvhSource) -> Floats:
    """The clip in the file's own channels and units; what was not edited as the very numbers that were read."""
    layout = source.skeleton()
    scale = source.channel_scale
    poses = in_chart(clip, layout).poses
    if not _rows_correspond(clip):
        return _rounded(continuous(layout, poses) / scale)
    assert clip.source_rows is not None
    written = clip.source_rows * scale
    near = nearest_poses(layout, poses, written)
    unchanged = np.abs(near - written) <= _SAME * (1 + np.abs(written))
    triples = orthogonal_triples(layout)
    for triple in triples:
        # in gimbal lock many triples are one rotation: compare what they mean, not what they are
        was, now = (hinge_chain(layout.axis[triple], angles[:, triple]) for angles in (written, poses))
        unchanged[:, triple] = (np.abs(now - was).max(axis=(1, 2)) < _SAME)[:, None]
        near[:, triple] = _joined(poses[:, triple], written[:, triple], unchanged[:, triple[0]])
    in_triple = {dof for triple in triples for dof in triple}
    for dof, kind in enumerate(layout.topology.dof_kinds):
        if kind == "rotation" and dof not in in_triple:
            near[:, [dof]] = _joined(poses[:, [dof]], written[:, [dof]], unchanged[:, dof])
    return np.where(unchanged, clip.source_rows, _rounded(near / scale))


def _rows_correspond(clip: Clip) -> bool:
    return clip.source_rows is not None and len(clip.source_rows) == clip.n_frames


def _joined(angles: Floats, written: Floats, unchanged: NDArray[np.bool_]) -> Floats:
    """Angles (N, 1 or 3) with each stretch of changed rows on the branch where it joins the row before it.

    Row by row the branch nearest the source would do for rotations, but not for a reader that interpolates angles: an
    edited body may be half a turn away from its source, and then the nearest branch changes from row to row.
    """
    joined = written.copy()
    nearest = nearest_triple if angles.shape[1] == 3 else nearest_turn
    smooth = continuous_triple(angles) if angles.shape[1] == 3 else np.unwrap(angles, axis=0)
    edges = np.flatnonzero(np.diff(np.concatenate([[False], ~unchanged, [False]]).astype(int)))
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        start = nearest(smooth[first], joined[max(first - 1, 0)])
        stretch = smooth[first:stop]
        turns = (start - stretch[0]) / (2 * np.pi)
        if np.abs(turns - np.round(turns)).max() > 1e-6:
            stretch = other_solution(stretch)
        joined[first:stop] = stretch + (start - stretch[0])
    return joined


def _rounded(numbers: Floats) -> Floats:
    return np.asarray(np.round(numbers, _DECIMALS) + 0.0)  # no -0.0


# --- into a layout of our own -----------------------------------------------------------------------------------------


class _Column(NamedTuple):
    """One joint in BVH terms: its channels and their values in radians and metres."""

    offset: Floats
    channels: tuple[str, ...]
    values: Floats  # (N, channels)


def _from_skeleton(clip: Clip, metres: float, own_channels: bool) -> tuple[list[BvhNode], Floats]:
    """A hierarchy and its rows for any skeleton; depth first, because that is how braces nest."""
    skeleton = clip.skeleton
    node_of: dict[int, int] = {-1: -1}
    nodes: list[BvhNode] = []
    values: list[Floats] = []
    for joint in _depth_first(skeleton.topology.parents):
        column = _column(clip, joint, own_channels)
        parent = skeleton.topology.parents[joint]
        name = re.sub(r"[\s{}]+", "_", skeleton.names[joint]) or "_"
        keyword: Keyword = "ROOT" if parent < 0 else "JOINT"
        node_of[joint] = len(nodes)
        nodes.append(BvhNode(keyword, name, node_of[parent], _written(column.offset, metres), column.channels))
        values.append(column.values)
        if not skeleton.children(joint):
            nodes.append(BvhNode("End", "Site", node_of[joint], _written(_tip(clip, joint), metres)))
    layout = build_skeleton(nodes, OffsetRules(), 1.0, np.eye(3))
    poses = continuous(layout, np.concatenate(values, axis=1))
    is_hinge = np.array([kind == "rotation" for kind in layout.topology.dof_kinds])
    return nodes, _rounded(poses * np.where(is_hinge, 180 / np.pi, 1 / metres))


def _depth_first(parents: Sequence[int]) -> list[int]:
    children: dict[int, list[int]] = {}
    for joint, parent in enumerate(parents):
        children.setdefault(parent, []).append(joint)
    order: list[int] = []
    waiting = children.get(-1, [])[::-1]
    while waiting:
        order.append(waiting.pop())
        waiting += children.get(order[-1], [])[::-1]
    return order


def _column(clip: Clip, joint: int, own_channels: bool) -> _Column:
    skeleton = clip.skeleton
    slides, hinges = skeleton.dofs_of(joint, "translation"), skeleton.dofs_of(joint, "rotation")
    is_root = skeleton.topology.parents[joint] < 0
    turns, angles = _rotation_channels(skeleton.axis[hinges], clip.poses[:, hinges], own_channels)
    if not (is_root or slides):
        return _Column(skeleton.offset[joint], turns, angles)
    # a zero offset means the same to readers that add position channels to it and to those that replace it
    place = skeleton.offset[joint] + clip.poses[:, slides] @ skeleton.axis[slides]
    return _Column(np.zeros(3), (*_POSITIONS, *turns), np.concatenate([place, angles], axis=1))


def _rotation_channels(axes: Floats, angles: Floats, own_channels: bool) -> tuple[tuple[str, ...], Floats]:
    """The channels of a joint's hinges and their angles; filled up to three unless they are to be its own."""
    channels = _aligned(axes)
    if not channels and not (own_channels and len(axes) == 0):
        euler = np.array([channel_axis(channel) for channel in _EULER])
        return _EULER, hinge_angles(euler, hinge_chain(axes, angles))
    signs = np.sum(axes, axis=-1)
    missing = () if own_channels else tuple(channel for channel in _EULER if channel not in channels)
    return (*channels, *missing), np.concatenate([angles * signs, np.zeros((len(angles), len(missing)))], axis=1)


def _aligned(axes: Floats) -> tuple[str, ...]:
    """The channels of hinges that lie along different coordinate axes, either way; none if any of them does not."""
    which = np.argmax(np.abs(axes), axis=-1) if len(axes) else np.zeros(0, int)
    exact = np.all(np.abs(np.max(np.abs(axes), axis=-1, initial=0.0) - 1.0) < 1e-12)
    return tuple(f"{'XYZ'[k]}rotation" for k in which) if exact and len(set(which)) == len(which) else ()


def _written(vector: Floats, metres: float) -> Triple:
    x, y, z = _rounded(vector / metres).tolist()
    return x, y, z


def _tip(clip: Clip, joint: int) -> Floats:
    """Where a leaf's segment ends, in its frame [m]: as its file says, or its shapes, or a short way on."""
    tips = clip.source.tips_of(clip.skeleton) if isinstance(clip.source, AsfSource | BvhSource) else {}
    shape_tips = [_far_end(shape) for shape in clip.skeleton.shapes if shape.segment == joint]
    candidates = [tips[joint]] if joint in tips else shape_tips
    tip = max(candidates, key=lambda point: float(np.linalg.norm(point)), default=np.zeros(3))
    if np.linalg.norm(tip) > 1e-3:
        return tip
    bone = clip.skeleton.offset[joint]
    length = float(np.linalg.norm(bone))
    along = bone / length if clip.skeleton.topology.parents[joint] >= 0 and length > 1e-6 else np.array([0.0, 1.0, 0.0])
    return np.asarray(_DEFAULT_TIP * along)


def _far_end(shape: Shape) -> Floats:
    """The end of a shape that is farthest from its joint: of a capsule's axis, or of a box's longest one."""
    position, rotation, size = (np.asarray(part, float) for part in (shape.position, shape.rotation, shape.size))
    half = {"capsule": np.array([0.0, size[1], 0.0]), "sphere": np.zeros(3), "box": size * (size == size.max())}
    reach = rotation @ half[shape.kind]
    return max(position + reach, position - reach, key=lambda point: float(np.linalg.norm(point)))
