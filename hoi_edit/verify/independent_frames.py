"""Forward kinematics, joint by joint from the root: where each segment is, how it is turned and how it moves."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class MeasuredMotion:
    """A frame, or a thing, at N times in the world."""

    position: Floats  # (N, 3)
    rotation: Floats  # (N, 3, 3)
    velocity: Floats  # (N, 3)
    spin: Floats  # (N, 3)

    @staticmethod
    def still(count: int) -> "MeasuredMotion":
        """The world's own frame."""
        zero = np.zeros((count, 3))
        return MeasuredMotion(zero, np.tile(np.eye(3), (count, 1, 1)), zero, zero)

    def carried(self, position: Floats, rotation: Floats) -> "MeasuredMotion":
        """What is fixed to this frame at a place and turned so."""
        arm = turned(self.rotation, np.asarray(position))
        velocity = self.velocity + np.cross(self.spin, arm)
        return MeasuredMotion(self.position + arm, self.rotation @ np.asarray(rotation), velocity, self.spin)

    def chosen(self, k: np.ndarray) -> "MeasuredMotion":
        """At some of the times."""
        return MeasuredMotion(self.position[k], self.rotation[k], self.velocity[k], self.spin[k])

    def velocity_at(self, point: Floats) -> Floats:
        """(N, 3) of the material points that are at `point`."""
        return np.asarray(self.velocity + np.cross(self.spin, point - self.position))

    def local(self, point: Floats) -> Floats:
        """(N, 3) a point of the world as seen from here."""
        return np.einsum("nji,nj->ni", self.rotation, point - self.position)


def turned(rotation: Floats, vector: Floats) -> Floats:
    return np.asarray(np.einsum("nij,...j->ni", rotation, vector))


def line_to(skeleton: Skeleton, segment: int) -> list[int]:
    """A segment and all that carry it, the root first."""
    line = []
    while segment >= 0:
        line.append(segment)
        segment = skeleton.topology.parents[segment]
    return line[::-1]


def segments(
    skeleton: Skeleton, q: Floats, rate: Floats, wanted: Iterable[int] | None = None
) -> dict[int, MeasuredMotion]:
    """Motions of all segments, or of the wanted ones and those that carry them, under coordinates (N, D)."""
    joints = set(range(len(skeleton.names))) if wanted is None else {j for k in wanted for j in line_to(skeleton, k)}
    frames: dict[int, MeasuredMotion] = {}
    for joint in sorted(joints):  # parents come before children
        parent = skeleton.topology.parents[joint]
        frames[joint] = _joint(
            skeleton, joint, frames[parent] if parent >= 0 else MeasuredMotion.still(len(q)), q, rate
        )
    return frames


def _joint(skeleton: Skeleton, joint: int, parent: MeasuredMotion, q: Floats, rate: Floats) -> MeasuredMotion:
    offset, sliding = np.tile(skeleton.offset[joint], (len(q), 1)), np.zeros((len(q), 3))
    turn, spin = np.tile(np.eye(3), (len(q), 1, 1)), parent.spin
    for dof in skeleton.dofs_of(joint):
        axis = skeleton.axis[dof]
        if skeleton.topology.dof_kinds[dof] == "translation":
            offset = offset + axis * q[:, dof, None]
            sliding = sliding + axis * rate[:, dof, None]
        else:
            spin = spin + turned(parent.rotation @ turn, axis) * rate[:, dof, None]
            turn = turn @ about(axis, q[:, dof])
    arm = np.einsum("nij,nj->ni", parent.rotation, offset)
    velocity = parent.velocity + np.cross(parent.spin, arm) + np.einsum("nij,nj->ni", parent.rotation, sliding)
    return MeasuredMotion(parent.position + arm, parent.rotation @ turn, velocity, spin)


def about(axis: Floats, angle: Floats) -> Floats:
    """(N, 3, 3) rotations about a unit axis, or about one each (N, 3), by Rodrigues' formula."""
    x, y, z = np.broadcast_to(axis, (len(angle), 3)).T
    zero = np.zeros_like(x)
    K = np.stack([zero, -z, y, z, zero, -x, -y, x, zero], axis=1).reshape(-1, 3, 3)
    return np.asarray(np.eye(3) + np.sin(angle)[:, None, None] * K + (1.0 - np.cos(angle))[:, None, None] * (K @ K))


def turn_by(vector: Floats) -> Floats:
    """(3, 3) the rotation about the direction of a vector by its length."""
    angle = float(np.linalg.norm(vector))
    return np.eye(3) if angle == 0.0 else np.asarray(about(np.asarray(vector) / angle, np.array([angle]))[0])


def angle_between(a: Floats, b: Floats) -> float:
    """[rad] of the turn from one rotation to another; from the sine, which is sharp where the angle is small."""
    R = np.asarray(a).T @ np.asarray(b)
    sine = 0.5 * np.linalg.norm([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    return float(np.arctan2(sine, 0.5 * (np.trace(R) - 1.0)))
