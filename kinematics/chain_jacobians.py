"""How a single segment's motion depends on its skeleton's coordinates, in machine code: geometric Jacobians."""

import numpy as np

from kinematics.chains import FIRST_DOF, FIRST_LINK, Chains, turn
from kinematics.compiled import add_cross, inner
from kinematics.rotation import Floats

STATIONS = 4  # vectors noted for each coordinate on the way: its axis, where that is, its velocity, the spin before it


@inner
def frame_jacobian(chains: Chains, frame: int, q: Floats, notes: Floats, scratch: Floats, out: Floats) -> None:
    """Fill `out` (12, 2, D): place, turn, velocity and spin of a frame by its skeleton's q and by their rates.

    q (D, 2 or more) are the coordinates and their rates; `notes` (D, 4, 3) and `scratch` (8, 3) are room to work in.
    Coordinates of joints that do not carry the frame keep their zeros: `out` comes filled with them.
    """
    p, v, w, arm = scratch[3], scratch[4], scratch[5], scratch[6]
    _walk(chains, frame, q, notes, scratch)
    for at in range(chains.joint[frame, FIRST_LINK], chains.joint[frame + 1, FIRST_LINK]):
        joint = chains.link[at]
        for k in range(chains.joint[joint, FIRST_DOF], chains.joint[joint + 1, FIRST_DOF]):
            d = chains.dof[k, 0]
            axis, spin = notes[d, 0], notes[d, 3]
            if chains.dof[k, 1] == 1:
                for i in range(3):
                    out[i, 0, d] = axis[i]
                add_cross(out[6:9, 0, d], spin, axis, 1.0)
            else:
                for i in range(3):
                    arm[i] = p[i] - notes[d, 1, i]
                    out[3 + i, 0, d] = out[9 + i, 1, d] = axis[i]
                add_cross(out[0:3, 0, d], axis, arm, 1.0)
                # ∂v/∂q is the rate of ∂p/∂q, and the axis turns with what comes before it
                scratch[7, 0] = scratch[7, 1] = scratch[7, 2] = 0.0
                add_cross(scratch[7], spin, axis, 1.0)
                add_cross(out[6:9, 0, d], scratch[7], arm, 1.0)
                for i in range(3):
                    arm[i] = v[i] - notes[d, 2, i]
                add_cross(out[6:9, 0, d], axis, arm, 1.0)
                for i in range(3):
                    arm[i] = w[i] - spin[i]
                add_cross(out[9:12, 0, d], axis, arm, 1.0)
            for i in range(3):
                out[6 + i, 1, d] = out[i, 0, d]


@inner
def _walk(chains: Chains, frame: int, q: Floats, notes: Floats, scratch: Floats) -> None:
    """From the root to a frame: note the axes on the way, and leave the frame's position, velocity and spin."""
    R, p, v, w, arm, shift = scratch[:3], scratch[3], scratch[4], scratch[5], scratch[6], scratch[7]
    for i in range(3):
        p[i], v[i], w[i] = 0.0, 0.0, 0.0
        for j in range(3):
            R[i, j] = 1.0 if i == j else 0.0
    for at in range(chains.joint[frame, FIRST_LINK], chains.joint[frame + 1, FIRST_LINK]):
        joint = chains.link[at]
        k, last = chains.joint[joint, FIRST_DOF], chains.joint[joint + 1, FIRST_DOF]
        for i in range(3):
            arm[i] = 0.0
            for j in range(3):
                arm[i] += R[i, j] * chains.offset[joint, j]
            shift[i] = 0.0
        while k < last and chains.dof[k, 1] == 1:
            d = chains.dof[k, 0]
            for i in range(3):
                axis = R[i, 0] * chains.axis[k, 0] + R[i, 1] * chains.axis[k, 1] + R[i, 2] * chains.axis[k, 2]
                notes[d, 0, i], notes[d, 3, i] = axis, w[i]
                arm[i] += axis * q[d, 0]
                shift[i] += axis * q[d, 1]
            k += 1
        for i in range(3):
            p[i] += arm[i]
            v[i] += shift[i]
        add_cross(v, w, arm, 1.0)
        while k < last:
            d = chains.dof[k, 0]
            x, y, z = chains.axis[k, 0], chains.axis[k, 1], chains.axis[k, 2]
            for i in range(3):
                axis = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z
                notes[d, 0, i], notes[d, 1, i], notes[d, 2, i], notes[d, 3, i] = axis, p[i], v[i], w[i]
                arm[i] = axis
            for i in range(3):
                w[i] += arm[i] * q[d, 1]
            turn(R, x, y, z, np.cos(q[d, 0]), np.sin(q[d, 0]))
            k += 1
