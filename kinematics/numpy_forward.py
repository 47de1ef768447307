"""Forward kinematics in numpy, for a single look at some poses: compiling `forward` would cost more than that."""

import numpy as np

from kinematics.rotation import Floats, hinge_chain
from kinematics.skeleton import Skeleton


def world_positions(skeleton: Skeleton, poses: Floats) -> Floats:
    """Joint positions (N, J, 3) of some poses (N, D)."""
    return world_frames(skeleton, poses)[0]


def world_frames(skeleton: Skeleton, poses: Floats) -> tuple[Floats, Floats]:
    """Joint positions (N, J, 3) and rotations (J, N, 3, 3) of some poses (N, D)."""
    topology, n = skeleton.topology, len(poses)
    slides: list[list[int]] = [[] for _ in topology.names]
    hinges: list[list[int]] = [[] for _ in topology.names]
    for dof, (joint, kind) in enumerate(zip(topology.dof_joints, topology.dof_kinds, strict=True)):
        (hinges if kind == "rotation" else slides)[joint].append(dof)
    position = np.empty((n, topology.n_joints, 3))
    rotation = np.empty((topology.n_joints, n, 3, 3))
    for joint, parent in enumerate(topology.parents):
        local = skeleton.offset[joint] + poses[:, slides[joint]] @ skeleton.axis[slides[joint]]
        turn = hinge_chain(skeleton.axis[hinges[joint]], poses[:, hinges[joint]])
        if parent < 0:
            position[:, joint], rotation[joint] = local, turn
        else:
            position[:, joint] = position[:, parent] + (rotation[parent] @ local[..., None])[..., 0]
            rotation[joint] = rotation[parent] @ turn
    return position, rotation
