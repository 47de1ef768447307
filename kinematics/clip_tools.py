"""Tools that turn clips into clips: trim, offset, place, mirror, repeat, resample, and aligning one to another.

A root that turns about the vertical first, as `read_clip` and the built-in body have it, is turned on the ground by
adding to one angle; any other needs three orthogonal hinges.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TypeVar

import numpy as np

from kinematics.anatomy import mirror_joints
from kinematics.clip import Clip, continuous, continuous_triple, orthogonal_triples
from kinematics.errors import HoiError
from kinematics.gimbal_lock import clear_of_gimbal_lock
from kinematics.rotation import Floats, are_orthogonal, hinge_angles, hinge_chain, other_solution, yaw
from kinematics.skeleton import Inertias, Shape, Site, Skeleton
from kinematics.spline import design, interpolate
from kinematics.warp import smooth_step

SYMMETRIC = 1e-6  # [m] by which the two sides of a body may differ that is its own image
Piece = TypeVar("Piece", Shape, Site)
MOST_ROWS = 1_000_000  # over two hours at 120 Hz


def trim(clip: Clip, start: float, end: float) -> Clip:
    """The rows from `start` to `end` [s], both included; their times do not change."""
    if not (np.isfinite(start) and np.isfinite(end)):
        raise HoiError(f"clip {clip.name!r} cannot be trimmed to {start:g}..{end:g} s; both times must be numbers")
    tolerance = 1e-6 * clip.frame_time
    first = int(np.ceil((start - clip.start - tolerance) / clip.frame_time))
    last = int(np.floor((end - clip.start + tolerance) / clip.frame_time))
    first, last = max(first, 0), min(last, clip.n_frames - 1)
    if first > last:
        raise HoiError(
            f"no row of clip {clip.name!r} lies between {start:g} s and {end:g} s; it runs from {clip.start:g} s to "
            f"{clip.end:g} s"
        )
    kept = None if clip.source_rows is None else clip.source_rows[first : last + 1]
    begin = clip.start + first * clip.frame_time
    trimmed = replace(clip, poses=clip.poses[first : last + 1], start=begin, source_rows=kept)
    if start > clip.start - clip.frame_time and end < clip.end + clip.frame_time:
        return trimmed
    short = f"{start:g} s to {end:g} s was asked for, but it has {clip.start:g} s to {clip.end:g} s: it is shorter"
    return replace(trimmed, notices=(*clip.notices, short))


def offset(clip: Clip, seconds: float) -> Clip:
    """The clip, later by so many seconds."""
    return replace(clip, start=clip.start + seconds)


def resample(clip: Clip, rate: float) -> Clip:
    """The clip at another rate [Hz], taken from the spline through its rows."""
    if not (np.isfinite(rate) and rate > 0):
        raise HoiError(f"a rate of {rate} Hz was asked for; it must be positive")
    count = int(np.floor(clip.duration * rate * (1 + 1e-9))) + 1
    _check_rows(clip, count)
    times = clip.start + np.arange(count) / rate
    return replace(clip, poses=sample(clip, times), frame_time=1.0 / rate, source_rows=None)


def sample(clip: Clip, times: Floats) -> Floats:
    """Poses (N, D) at any times, from the spline through the clip's rows; outside the clip its end poses."""
    grid, controls = interpolate(clip.start, clip.frame_time, clip.poses)
    return np.asarray(design(grid, np.asarray(times, float)) @ controls)


def place(
    clip: Clip,
    move: Floats | tuple[float, float, float] = (0.0, 0.0, 0.0),
    turn: float = 0.0,
    about: Floats | tuple[float, float, float] | None = None,
) -> Clip:
    """Turn the clip by `turn` [rad] about the vertical through `about` (default: where it starts), then move it [m]."""
    if not (np.all(np.isfinite(move)) and np.isfinite(turn)):
        raise HoiError(f"clip {clip.name!r} cannot be moved by {tuple(move)} m and turned by {turn} rad")
    if abs(turn) > 4.0 * np.pi:
        raise HoiError(
            f"clip {clip.name!r} is to be turned by {turn:g}, more than two full turns: it is in radians; "
            f"{turn:g} degrees are {np.deg2rad(turn):.4f} rad"
        )
    pivot = root_positions(clip)[0] if about is None else np.asarray(about, float)
    R = yaw(turn)
    poses = np.array(clip.poses)
    for root in _roots(clip.skeleton):
        moved = (root_positions(clip, root) - pivot) @ R.T + pivot + np.asarray(move, float)
        poses = _with_root_at(clip.skeleton, poses, root, moved)
        if turn != 0.0:
            _, hinges = _root(clip.skeleton, root)
            poses[:, hinges] = _turned(clip.skeleton.axis[hinges], poses[:, hinges], R, turn)
    return replace(clip, poses=poses)


def in_place(clip: Clip) -> Clip:
    """The clip with its root over the origin in every row, at its own height."""
    return replace(clip, poses=_with_root_at(clip.skeleton, clip.poses, 0, root_positions(clip) * [0.0, 1.0, 0.0]))


def root_positions(clip: Clip, root: int = 0) -> Floats:
    """World positions (N, 3) of a root."""
    slides, _ = _root(clip.skeleton, root)
    return np.asarray(clip.skeleton.offset[root] + clip.poses[:, slides] @ clip.skeleton.axis[slides])


def root_rotations(clip: Clip) -> Floats:
    """World rotations (N, 3, 3) of the root."""
    _, hinges = _root(clip.skeleton)
    return hinge_chain(clip.skeleton.axis[hinges], clip.poses[:, hinges])


def _roots(skeleton: Skeleton) -> list[int]:
    return [joint for joint, parent in enumerate(skeleton.topology.parents) if parent < 0]


def _root(skeleton: Skeleton, root: int = 0) -> tuple[list[int], list[int]]:
    slides, hinges = skeleton.dofs_of(root, "translation"), skeleton.dofs_of(root, "rotation")
    if len(slides) != 3 or abs(np.linalg.det(skeleton.axis[slides])) < 1e-6:
        raise HoiError(f"root {skeleton.names[root]!r} cannot be placed: it needs three position channels")
    return slides, hinges


def _with_root_at(skeleton: Skeleton, poses: Floats, root: int, positions: Floats) -> Floats:
    slides, _ = _root(skeleton, root)
    poses = np.array(poses)
    poses[:, slides] = (positions - skeleton.offset[root]) @ np.linalg.inv(skeleton.axis[slides])
    return poses


def _turned(axes: Floats, angles: Floats, R: Floats, turn: float) -> Floats:
    if len(axes) and np.allclose(axes[0], [0.0, 1.0, 0.0]):
        return angles + np.array([turn, *[0.0] * (len(axes) - 1)])
    if not are_orthogonal(axes):
        raise HoiError("the root cannot be turned on the ground: it needs three orthogonal rotation channels")
    return continuous_triple(hinge_angles(axes, R @ hinge_chain(axes, angles)))


def ground_alignment(
    positions: Floats, rotations: Floats, to_positions: Floats, to_rotations: Floats
) -> tuple[float, Floats]:
    """The turn about the vertical and the move on the ground that bring root frames (n, …) closest to others.

    The turn maximises the agreement of the rotations; the move then matches the mean position. Heights stay.
    """
    M = np.einsum("nij,nkj->ik", to_rotations, rotations)
    turn = float(np.arctan2(M[0, 2] - M[2, 0], M[0, 0] + M[2, 2]))
    move = (to_positions - positions @ yaw(turn).T).mean(axis=0)
    move[1] = 0.0
    return turn, move


def mirror(clip: Clip) -> Clip:
    """The clip seen in a mirror: left and right change places, across the plane through the world's origin."""
    skeleton = clip.skeleton
    partner = mirror_joints(skeleton.names)
    S = np.eye(3)
    S[_lateral(skeleton, partner)] *= -1.0
    poses = np.array(clip.poses)
    for joint, other in enumerate(partner):
        _mirror_slides(clip, poses, joint, other, S)
        _mirror_hinges(clip, poses, joint, other, S)
    body = _mirrored_body(skeleton, partner, S)
    return clear_of_gimbal_lock(replace(clip, skeleton=body, poses=continuous(skeleton, poses), source_rows=None))


def _mirrored_body(skeleton: Skeleton, partner: list[int], S: Floats) -> Skeleton:
    """Shapes, sites and masses that are fitted to one side, on the other: each becomes the image of its counterpart."""
    flip = np.diag([-1.0, 1.0, 1.0])  # frames stay right-handed: their own X is turned round

    def counterpart(piece: Piece, pieces: Sequence[Piece]) -> Piece:
        """Of the pieces on the partner's segment the one whose image is nearest."""
        others = [other for other in pieces if other.segment == partner[piece.segment]] or [piece]
        return min(others, key=lambda other: float(np.linalg.norm(S @ other.position - piece.position)))

    shapes, sites = [], []
    for shape in skeleton.shapes:
        other = counterpart(shape, [same for same in skeleton.shapes if same.kind == shape.kind])
        shapes.append(replace(shape, position=S @ other.position, rotation=S @ other.rotation @ flip, size=other.size))
    for site in skeleton.sites:
        twin = counterpart(site, skeleton.sites)
        sites.append(replace(site, position=S @ twin.position, rotation=S @ twin.rotation @ flip))
    moved = [np.abs(a.position - b.position).max() for a, b in zip(shapes, skeleton.shapes, strict=True)]
    moved += [np.abs(a.position - b.position).max() for a, b in zip(sites, skeleton.sites, strict=True)]
    if max(moved, default=0.0) < SYMMETRIC:
        return skeleton
    masses, inertia = skeleton.inertias, skeleton.inertias.inertia[partner]
    image = Inertias(masses.mass[partner], masses.centre[partner] @ S, S @ inertia @ S)
    return skeleton.with_body(image, shapes, sites, dict(skeleton.roles))


def _lateral(skeleton: Skeleton, partner: list[int]) -> int:
    """Index of the axis that separates left from right in the zero pose."""
    rest = skeleton.rest_positions()
    apart = sum((np.abs(rest[i] - rest[j]) for i, j in enumerate(partner) if i != j), np.zeros(3))
    if not np.any(apart > 1e-6):
        raise HoiError("the clip cannot be mirrored: no joint names come in left and right pairs")
    return int(np.argmax(apart))


def _mirror_slides(clip: Clip, poses: Floats, joint: int, other: int, S: Floats) -> None:
    """A joint that slides goes to the mirror image of where its partner is."""
    skeleton = clip.skeleton
    mine, theirs = skeleton.dofs_of(joint, "translation"), skeleton.dofs_of(other, "translation")
    if not mine:
        return
    place = (skeleton.offset[other] + clip.poses[:, theirs] @ skeleton.axis[theirs]) @ S - skeleton.offset[joint]
    poses[:, mine] = place @ np.linalg.pinv(skeleton.axis[mine])
    if np.abs(poses[:, mine] @ skeleton.axis[mine] - place).max() > 1e-6:
        raise HoiError(f"joint {skeleton.names[joint]!r} cannot be mirrored: it does not slide as its partner does")


def _mirror_hinges(clip: Clip, poses: Floats, joint: int, other: int, S: Floats) -> None:
    """A mirrored hinge turns about S·axis by the opposite angle."""
    skeleton = clip.skeleton
    mine, theirs = skeleton.dofs_of(joint, "rotation"), skeleton.dofs_of(other, "rotation")
    axes, partner_axes = skeleton.axis[mine], skeleton.axis[theirs]
    along = np.einsum("di,ij,dj->d", axes, S, partner_axes) if len(mine) == len(theirs) else np.zeros(0)
    if len(along) == len(mine) and np.all(np.abs(np.abs(along) - 1.0) < 1e-6):
        poses[:, mine] = -np.sign(along) * clip.poses[:, theirs]
    elif are_orthogonal(axes) and len(theirs) > 0:
        poses[:, mine] = hinge_angles(axes, S @ hinge_chain(partner_axes, clip.poses[:, theirs]) @ S)
    else:
        raise HoiError(
            f"joint {skeleton.names[joint]!r} cannot be mirrored: its axes do not match those of "
            f"{skeleton.names[other]!r}"
        )


def repeat(clip: Clip, times: int, overlap: float | None = None) -> Clip:
    """The clip as a loop, `times` cycles long: each cycle starts where the last one ended and faces its way.

    Over `overlap` seconds (default 0.25, or a quarter of a shorter clip) the end of a cycle is faded into the start of
    the next with a C² weight, so the seam has no jump in position, velocity or acceleration.
    """
    if times < 1:
        raise HoiError(f"a loop of {times} cycles was asked for; it needs at least one")
    overlap = min(0.25, clip.duration / 4) if overlap is None else overlap
    m = round(overlap / clip.frame_time)
    if not 1 <= m <= clip.n_frames // 2:
        raise HoiError(
            f"an overlap of {overlap:g} s does not fit clip {clip.name!r}: it must be between one row "
            f"({clip.frame_time:g} s) and half of its {clip.duration:g} s"
        )
    period = clip.n_frames - m
    _check_rows(clip, times * period + m)
    weight = np.asarray(smooth_step(np.arange(1.0, m + 1.0) / (m + 1.0), 0.0, 1.0))[:, None]
    looped, tail = [clip.poses[:period]], clip.poses[period:]
    for _ in range(times - 1):
        follower = _follow(clip, replace(clip, poses=tail))
        cycle = nearest_branch(clip.skeleton, follower.poses, follower.poses[:m], tail)
        cycle[:m] = (1 - weight) * tail + weight * cycle[:m]
        looped.append(cycle[:period])
        tail = cycle[period:]
    return replace(clip, poses=np.vstack([*looped, tail]), source_rows=None)


def _check_rows(clip: Clip, rows: int) -> None:
    if rows > MOST_ROWS:
        raise HoiError(f"clip {clip.name!r} would have {rows} rows; at most {MOST_ROWS} make sense")


def _follow(clip: Clip, previous: Clip) -> Clip:
    """The clip placed on the ground so that its first rows continue those of `previous`."""
    n = previous.n_frames
    turn, move = ground_alignment(
        root_positions(clip)[:n], root_rotations(clip)[:n], root_positions(previous), root_rotations(previous)
    )
    return place(clip, move, turn, about=(0.0, 0.0, 0.0))


def nearest_branch(skeleton: Skeleton, poses: Floats, rows: Floats, reference: Floats) -> Floats:
    """A whole continuous clip `poses` (N, D) moved to the branch of angles where its `rows` (n, D) lie closest to
    `reference` (n, D): one choice per joint for all rows, so that it stays continuous."""
    poses = np.array(poses)
    triples = orthogonal_triples(skeleton)
    in_triple = {dof for triple in triples for dof in triple}
    hinges = [d for d, kind in enumerate(skeleton.topology.dof_kinds) if kind == "rotation"]
    for dof in (d for d in hinges if d not in in_triple):
        poses[:, dof] += _turns(reference[:, [dof]] - rows[:, [dof]])[0]
    for triple in triples:
        plain, flipped, wanted = rows[:, triple], other_solution(rows[:, triple]), reference[:, triple]
        shift, shift_flipped = _turns(wanted - plain), _turns(wanted - flipped)
        if np.sum((flipped + shift_flipped - wanted) ** 2) < np.sum((plain + shift - wanted) ** 2):
            poses[:, triple] = other_solution(poses[:, triple]) + shift_flipped
        else:
            poses[:, triple] += shift
    return poses


def _turns(difference: Floats) -> Floats:
    """The full turns closest to the mean of a difference of angles."""
    return np.asarray(2 * np.pi * np.round(difference.mean(axis=0) / (2 * np.pi)))
