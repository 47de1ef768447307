"""Frames of single segments, one chain of joints at a time, in machine code: `forward` for searching.

A segment's frame needs only the joints between it and the root. Position, velocity and acceleration are carried along
them together, as they are in `forward` and `rates`, to which all of this is equal up to round-off.

What is compiled here and in the modules that build on it is written in plain loops over few, wide arrays: compiling
takes as long as there are operations and arrays to be named.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from kinematics.compiled import add_cross, inner
from kinematics.packed_motion import ACCEL, FRAME_SIZE, ROTATION, SPIN, SPIN_ACCEL, VELOCITY
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

Ints = np.ndarray
SKELETON, PARENT, FIRST_DOF, FIRST_LINK = range(4)


class Chains(NamedTuple):
    """Skeletons in flat arrays; a *frame* is a segment of any of them, in the order given."""

    joint: Ints  # (F + 1, 4) per frame: its skeleton, its parent (-1 at a root), where its DOFs and its links begin
    offset: Floats  # (F, 3) in the parent's frame
    dof: Ints  # (M, 2) which coordinate of its skeleton, and 1 for a slide; slides first, then hinges in their order
    axis: Floats  # (M, 3)
    link: Ints  # frames from the root to each frame


def chains(skeletons: Sequence[Skeleton]) -> Chains:
    joints: list[list[int]] = []
    dofs: list[list[int]] = []
    links: list[int] = []
    offset: list[Floats] = []
    axis: list[Floats] = []
    for s, body in enumerate(skeletons):
        top, first = body.topology, len(joints)
        for joint, above in enumerate(top.parents):
            joints.append([s, -1 if above < 0 else first + above, len(dofs), len(links)])
            of_joint = [d for d, j in enumerate(top.dof_joints) if j == joint]
            of_joint.sort(key=lambda d: top.dof_kinds[d] != "translation")
            dofs.extend([d, int(top.dof_kinds[d] == "translation")] for d in of_joint)
            axis.extend(np.asarray(body.axis[d], float) for d in of_joint)
            offset.append(np.asarray(body.offset[joint], float))
            way = [first + joint]
            while joints[way[-1]][PARENT] >= 0:
                way.append(joints[way[-1]][PARENT])
            links.extend(reversed(way))
    joints.append([-1, -1, len(dofs), len(links)])
    return Chains(
        np.array(joints, np.int64), np.array(offset, float).reshape(-1, 3), np.array(dofs, np.int64).reshape(-1, 2),
        np.array(axis, float).reshape(-1, 3), np.array(links, np.int64),
    )  # fmt: skip


@inner
def turn(R: Floats, ax: float, ay: float, az: float, c: float, s: float) -> None:
    """R becomes R · (rotation about the unit vector a, by the angle of this cosine and sine).

    Nearly all hinges turn about an axis of their frame, which then only mixes the two other columns of R.
    """
    for i in range(3):
        x, y, z = R[i, 0], R[i, 1], R[i, 2]
        # a row vector times a rotation turns the other way round: v cos - a × v sin + a (a·v)(1 - cos)
        if ay == 0.0 and az == 0.0:
            R[i, 1], R[i, 2] = c * y + s * ax * z, c * z - s * ax * y
        elif ax == 0.0 and az == 0.0:
            R[i, 0], R[i, 2] = c * x - s * ay * z, c * z + s * ay * x
        elif ax == 0.0 and ay == 0.0:
            R[i, 0], R[i, 1] = c * x + s * az * y, c * y - s * az * x
        else:
            along = (1.0 - c) * (x * ax + y * ay + z * az)
            R[i, 0] = c * x - s * (ay * z - az * y) + along * ax
            R[i, 1] = c * y - s * (az * x - ax * z) + along * ay
            R[i, 2] = c * z - s * (ax * y - ay * x) + along * az


@inner
def frame_motion(chains: Chains, frame: int, q: Floats, scratch: Floats, out: Floats) -> None:
    """Fill `out` (24,) with the motion of one frame; q (D, 3) are its skeleton's coordinates and their two rates.

    Only the coordinates of joints on the frame's way from the root are read; `scratch` (10, 3) is room to work in.
    """
    R, local, arm, shift, swing = scratch[:3], scratch[3:6], scratch[6], scratch[7], scratch[8]
    for i in range(FRAME_SIZE):
        out[i] = 0.0
    for i in range(9):
        R[i // 3, i % 3] = 1.0 if i % 4 == 0 else 0.0
    velocity, spin, accel, spin_accel = out[VELOCITY:SPIN], out[SPIN:ACCEL], out[ACCEL:SPIN_ACCEL], out[SPIN_ACCEL:]
    for at in range(chains.joint[frame, FIRST_LINK], chains.joint[frame + 1, FIRST_LINK]):
        joint = chains.link[at]
        k, last = chains.joint[joint, FIRST_DOF], chains.joint[joint + 1, FIRST_DOF]
        for i in range(3):
            local[0, i], local[1, i], local[2, i] = chains.offset[joint, i], 0.0, 0.0
        while k < last and chains.dof[k, 1] == 1:
            for order in range(3):
                for i in range(3):
                    local[order, i] += chains.axis[k, i] * q[chains.dof[k, 0], order]
            k += 1
        for i in range(3):
            arm[i] = R[i, 0] * local[0, 0] + R[i, 1] * local[0, 1] + R[i, 2] * local[0, 2]
            shift[i] = R[i, 0] * local[1, 0] + R[i, 1] * local[1, 1] + R[i, 2] * local[1, 2]
            accel[i] += R[i, 0] * local[2, 0] + R[i, 1] * local[2, 1] + R[i, 2] * local[2, 2]
            swing[i] = 2.0 * shift[i]
            out[i] += arm[i]
            velocity[i] += shift[i]
        add_cross(swing, spin, arm, 1.0)
        add_cross(accel, spin_accel, arm, 1.0)
        add_cross(accel, spin, swing, 1.0)
        add_cross(velocity, spin, arm, 1.0)
        while k < last:
            d = chains.dof[k, 0]
            x, y, z = chains.axis[k, 0], chains.axis[k, 1], chains.axis[k, 2]
            for i in range(3):
                arm[i] = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z
            add_cross(spin_accel, spin, arm, q[d, 1])
            for i in range(3):
                spin_accel[i] += arm[i] * q[d, 2]
                spin[i] += arm[i] * q[d, 1]
            turn(R, x, y, z, np.cos(q[d, 0]), np.sin(q[d, 0]))
            k += 1
    for i in range(9):
        out[ROTATION + i] = R[i // 3, i % 3]


@inner
def frames_of_pose(
    chains: Chains, first: int, last: int, q: Floats, cosine: Floats, sine: Floats, first_coordinate: int, pose: Floats
) -> None:
    """Places of the frames first..last of one skeleton, into pose (F, 12): position and rotation of each.

    Its coordinates, with their cosines and sines, begin at `first_coordinate`.
    """
    R = np.empty((3, 3))
    for joint in range(first, last):
        parent = chains.joint[joint, PARENT]
        x, y, z = chains.offset[joint, 0], chains.offset[joint, 1], chains.offset[joint, 2]
        k, end = chains.joint[joint, FIRST_DOF], chains.joint[joint + 1, FIRST_DOF]
        while k < end and chains.dof[k, 1] == 1:
            value = q[first_coordinate + chains.dof[k, 0]]
            x, y, z = x + chains.axis[k, 0] * value, y + chains.axis[k, 1] * value, z + chains.axis[k, 2] * value
            k += 1
        for i in range(3):
            pose[joint, i] = 0.0
            for j in range(3):
                R[i, j] = pose[parent, ROTATION + 3 * i + j] if parent >= 0 else (1.0 if i == j else 0.0)
            if parent >= 0:
                pose[joint, i] = pose[parent, i]
            pose[joint, i] += R[i, 0] * x + R[i, 1] * y + R[i, 2] * z
        while k < end:
            d = first_coordinate + chains.dof[k, 0]
            turn(R, chains.axis[k, 0], chains.axis[k, 1], chains.axis[k, 2], cosine[d], sine[d])
            k += 1
        for i in range(9):
            pose[joint, ROTATION + i] = R[i // 3, i % 3]
