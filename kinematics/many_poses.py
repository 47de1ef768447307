"""Frames of all segments in many poses at once, in numpy: `forward` for tables, faster and not differentiable.

A hinge's matrix is linear in (1, cos, sin), so all hinges in all poses are one batched product; the tree is then walked
joint by joint with the poses along the last axis, where numpy is at its best. Single precision, a micrometre, is plenty
for saying where to look, and twice as fast.
"""

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np

from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton, Topology


@dataclass(frozen=True)
class _Walk:
    """A topology in the order of work: per joint its parent, hinges and slides."""

    steps: tuple[tuple[int, int, tuple[int, ...], tuple[int, ...]], ...]


@lru_cache(maxsize=64)
def _walk(topology: Topology) -> _Walk:
    steps = []
    for joint, parent in enumerate(topology.parents):
        own = [d for d, j in enumerate(topology.dof_joints) if j == joint]
        hinges = tuple(d for d in own if topology.dof_kinds[d] == "rotation")
        steps.append((joint, parent, hinges, tuple(d for d in own if topology.dof_kinds[d] == "translation")))
    return _Walk(tuple(steps))


def many_frames(skeleton: Skeleton, poses: Floats, precision: Any = np.float32) -> tuple[Floats, Floats]:
    """Positions (N, J, 3) and rotations (N, J, 3, 3) of all segments in poses (N, D)."""
    q: Floats = np.ascontiguousarray(np.asarray(poses, precision).T)
    axis: Floats = np.asarray(skeleton.axis, precision)
    offset: Floats = np.asarray(skeleton.offset, precision)
    count, joints = q.shape[1], skeleton.topology.n_joints
    hinges = _hinges(axis, q)
    R: Floats = np.empty((joints, 3, 3, count), precision)
    p: Floats = np.empty((joints, 3, count), precision)
    for joint, parent, turns, slides in _walk(skeleton.topology).steps:
        local = offset[joint][:, None]
        for d in slides:
            local = local + axis[d][:, None] * q[d]
        if parent < 0:
            product, p[joint] = None, local
        else:
            product, local = R[parent], np.broadcast_to(local, (3, count))
            p[joint] = p[parent] + np.einsum("ijn,jn->in", product, local)
        for d in turns:
            product = hinges[d] if product is None else np.einsum("ijn,jkn->ikn", product, hinges[d])
        R[joint] = np.eye(3)[:, :, None] if product is None else product
    return p.transpose(2, 0, 1), R.transpose(3, 0, 1, 2)


def _hinges(axis: Floats, q: Floats) -> Floats:
    """(D, 3, 3, N) rotations about the axes by the angles."""
    outer = axis[:, :, None] * axis[:, None, :]
    cross = np.zeros_like(outer)
    cross[:, 2, 1], cross[:, 0, 2], cross[:, 1, 0] = axis.T
    cross -= cross.transpose(0, 2, 1)
    basis = np.stack([outer, np.eye(3, dtype=axis.dtype) - outer, cross], axis=-1).reshape(-1, 9, 3)
    waves = np.stack([np.ones_like(q), np.cos(q), np.sin(q)], axis=1)
    return np.asarray((basis @ waves).reshape(len(axis), 3, 3, -1))
