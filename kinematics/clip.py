"""A clip: recorded poses of one skeleton at a fixed rate. Clips are never changed; tools return new ones."""

from dataclasses import dataclass

import numpy as np

from kinematics.errors import HoiError
from kinematics.rotation import Floats, are_orthogonal, nearest_triple, nearest_turn, other_solution
from kinematics.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class Clip:
    skeleton: Skeleton
    poses: Floats  # (N, D) [rad] and [m], angles continuous from row to row
    frame_time: float  # [s]
    start: float = 0.0  # time of the first row [s]
    name: str = ""
    source: object | None = None  # the file it came from, as its reader describes it
    source_rows: Floats | None = None  # (N, channels) that file's own numbers, row for row, while they correspond
    notices: tuple[str, ...] = ()  # what the reader decided or repaired, one sentence each
    doubts: tuple[str, ...] = ()  # those of them that somebody should look at: leaps, hands that are not known, …

    def __repr__(self) -> str:
        rows = f"{self.n_frames} rows at {1.0 / self.frame_time:.5g} Hz"
        joints = f"{len(self.skeleton.names)} joints, {self.skeleton.n_dofs} DOFs"
        said = f"; {len(self.notices)} notices" if self.notices else ""
        return f"<clip {self.name}: {rows}, {self.start:g} to {self.end:g} s, {joints}{said}>"

    def __post_init__(self) -> None:
        rows, dofs = np.shape(self.poses)
        if rows < 1 or dofs != self.skeleton.n_dofs:
            raise HoiError(
                f"clip {self.name!r} has poses of shape {rows} x {dofs}; its skeleton needs at least 1 row of "
                f"{self.skeleton.n_dofs} numbers"
            )
        if not (np.isfinite(self.frame_time) and self.frame_time > 0):
            raise HoiError(f"clip {self.name!r} has a frame time of {self.frame_time} s; it must be positive")
        bad = np.argwhere(~np.isfinite(self.poses))
        if len(bad):
            row, dof = bad[0]
            raise HoiError(f"clip {self.name!r}: {self.skeleton.topology.dof_names[dof]} is not a number in row {row}")

    @property
    def n_frames(self) -> int:
        return len(self.poses)

    @property
    def duration(self) -> float:
        """Time from the first row to the last [s]."""
        return (self.n_frames - 1) * self.frame_time

    @property
    def end(self) -> float:
        return self.start + self.duration

    @property
    def times(self) -> Floats:
        return np.asarray(self.start + self.frame_time * np.arange(self.n_frames))


def orthogonal_triples(skeleton: Skeleton) -> list[list[int]]:
    """The joints with three mutually orthogonal hinges (Euler angles), each as its three DOF indices."""
    triples = []
    for joint in range(len(skeleton.names)):
        hinges = skeleton.dofs_of(joint, "rotation")
        if are_orthogonal(skeleton.axis[hinges]):
            triples.append(hinges)
    return triples


def continuous(skeleton: Skeleton, poses: Floats) -> Floats:
    """The same poses with angles that do not jump from row to row by full turns or by the other Euler solution."""
    poses = np.array(poses, float)
    hinges = [d for d, kind in enumerate(skeleton.topology.dof_kinds) if kind == "rotation"]
    # only where a jump shows: most joints of most clips have none
    leap = np.abs(np.diff(poses, axis=0)).max(axis=0, initial=0.0) > np.pi / 2
    for triple in orthogonal_triples(skeleton):
        if leap[triple].any():
            poses[:, triple] = continuous_triple(poses[:, triple])
            leap[triple] = False
    leaping = [dof for dof in hinges if leap[dof]]
    poses[:, leaping] = np.unwrap(poses[:, leaping], axis=0)
    return poses


def continuous_triple(angles: Floats) -> Floats:
    """Angles (N, 3) of three orthogonal hinges, without jumps."""
    return np.asarray(np.unwrap(_without_flips(angles), axis=0))


def _without_flips(angles: Floats) -> Floats:
    """Of the two solutions of each row (N, 3) the one closest to the row before, up to full turns.

    Going over to the other solution keeps distances, so a row needs the flip if an odd number of steps up to it do.
    """
    flipped = other_solution(angles)

    def step(rows: Floats) -> Floats:
        return np.asarray(np.sum((nearest_turn(rows[1:], angles[:-1]) - angles[:-1]) ** 2, axis=-1))

    odd = np.cumsum(np.concatenate([[False], step(flipped) < step(angles)])) % 2 == 1
    return np.where(odd[:, None], flipped, angles)


def nearest_poses(skeleton: Skeleton, poses: Floats, reference: Floats) -> Floats:
    """The same rotations as `poses` (..., D), row by row on the branch of angles closest to `reference` (..., D)."""
    poses = np.array(poses, float)
    triples = orthogonal_triples(skeleton)
    in_triple = {dof for triple in triples for dof in triple}
    for dof, kind in enumerate(skeleton.topology.dof_kinds):
        if kind == "rotation" and dof not in in_triple:
            poses[..., dof] = nearest_turn(poses[..., dof], reference[..., dof])
    for triple in triples:
        poses[..., triple] = nearest_triple(poses[..., triple], reference[..., triple])
    return poses
