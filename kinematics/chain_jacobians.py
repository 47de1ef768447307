"""How a single segment's motion depends on its skeleton's coordinates, in machine code: geometric Jacobians.

With J a column of the place's Jacobian, a its axis, w₀ the spin before it, with which that turns, and w the segment's:

    by         q                    q̇                    q̈
    p          J
    v          J̇                    J
    v̇          J̈                    2 J̇                  J
    turn       a
    w          a × (w - w₀)         a
    ẇ          d/dt of that         that + w₀ × a        a
"""

import numpy as np

from kinematics.chains import FIRST_DOF, FIRST_LINK, Chains, turn
from kinematics.compiled import add_cross, inner
from kinematics.rotation import Floats

# vectors noted for each coordinate on the way: its axis, the place that it turns about with its velocity and
# acceleration, spin and angular acceleration before it
STATIONS = 6
AXIS, PLACE, VELOCITY, ACCEL, SPIN, SPIN_ACCEL = range(STATIONS)


@inner
def frame_jacobian(chains: Chains, frame: int, q: Floats, notes: Floats, scratch: Floats, out: Floats) -> None:
    """Fill `out` (12, 2, D): place, turn, velocity and spin of a frame by its skeleton's q and by their rates; or, if
    it is (18, 3, D), acceleration and angular acceleration as well, and all by the coordinates' accelerations too.

    q (D, 3) are the coordinates, their rates and accelerations; `notes` (D, 6, 3) and `scratch` (16, 3) are room to
    work in. Coordinates of joints that do not carry the frame keep their zeros: `out` comes filled with them.
    """
    accelerates = out.shape[1] == 3
    end, arm, turning, bending = scratch[3:9], scratch[9], scratch[10], scratch[11]
    _walk(chains, frame, q, notes, scratch)
    for at in range(chains.joint[frame, FIRST_LINK], chains.joint[frame + 1, FIRST_LINK]):
        joint = chains.link[at]
        for k in range(chains.joint[joint, FIRST_DOF], chains.joint[joint + 1, FIRST_DOF]):
            d = chains.dof[k, 0]
            axis, spin = notes[d, AXIS], notes[d, SPIN]
            for i in range(3):
                turning[i] = bending[i] = 0.0
            add_cross(turning, spin, axis, 1.0)
            if accelerates:
                add_cross(bending, notes[d, SPIN_ACCEL], axis, 1.0)
                add_cross(bending, spin, turning, 1.0)
            if chains.dof[k, 1] == 1:
                for i in range(3):
                    out[i, 0, d], out[6 + i, 0, d] = axis[i], turning[i]
                    if accelerates:
                        out[12 + i, 0, d] = bending[i]
            else:
                for i in range(3):
                    arm[i] = end[PLACE, i] - notes[d, PLACE, i]
                    out[3 + i, 0, d] = out[9 + i, 1, d] = axis[i]
                add_cross(out[0:3, 0, d], axis, arm, 1.0)
                add_cross(out[6:9, 0, d], turning, arm, 1.0)
                if accelerates:
                    add_cross(out[12:15, 0, d], bending, arm, 1.0)
                for i in range(3):
                    arm[i] = end[VELOCITY, i] - notes[d, VELOCITY, i]
                add_cross(out[6:9, 0, d], axis, arm, 1.0)
                if accelerates:
                    add_cross(out[12:15, 0, d], turning, arm, 2.0)
                    for i in range(3):
                        arm[i] = end[ACCEL, i] - notes[d, ACCEL, i]
                    add_cross(out[12:15, 0, d], axis, arm, 1.0)
                for i in range(3):
                    arm[i] = end[SPIN, i] - spin[i]
                add_cross(out[9:12, 0, d], axis, arm, 1.0)
                if accelerates:
                    add_cross(out[15:18, 0, d], turning, arm, 1.0)
                    for i in range(3):
                        arm[i] = end[SPIN_ACCEL, i] - notes[d, SPIN_ACCEL, i]
                        out[15 + i, 1, d] = out[9 + i, 0, d] + turning[i]
                        out[15 + i, 2, d] = axis[i]
                    add_cross(out[15:18, 0, d], axis, arm, 1.0)
            for i in range(3):
                out[6 + i, 1, d] = out[i, 0, d]
                if accelerates:
                    out[12 + i, 1, d] = 2.0 * out[6 + i, 0, d]
                    out[12 + i, 2, d] = out[i, 0, d]


@inner
def _walk(chains: Chains, frame: int, q: Floats, notes: Floats, scratch: Floats) -> None:
    """From the root to a frame: note the axes on the way, and leave the frame's own motion in scratch[3:9], like a
    note."""
    R, end, arm, shift, swing = scratch[:3], scratch[3:9], scratch[9], scratch[10], scratch[11]
    p, v, a, w, bend = end[PLACE], end[VELOCITY], end[ACCEL], end[SPIN], end[SPIN_ACCEL]
    for i in range(3):
        p[i] = v[i] = a[i] = w[i] = bend[i] = 0.0
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
                notes[d, AXIS, i], notes[d, SPIN, i], notes[d, SPIN_ACCEL, i] = axis, w[i], bend[i]
                arm[i] += axis * q[d, 0]
                shift[i] += axis * q[d, 1]
                a[i] += axis * q[d, 2]
            k += 1
        for i in range(3):
            swing[i] = 2.0 * shift[i]
            p[i] += arm[i]
            v[i] += shift[i]
        add_cross(swing, w, arm, 1.0)
        add_cross(a, bend, arm, 1.0)
        add_cross(a, w, swing, 1.0)
        add_cross(v, w, arm, 1.0)
        while k < last:
            d = chains.dof[k, 0]
            x, y, z = chains.axis[k, 0], chains.axis[k, 1], chains.axis[k, 2]
            for i in range(3):
                arm[i] = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z
                notes[d, AXIS, i], notes[d, PLACE, i], notes[d, VELOCITY, i] = arm[i], p[i], v[i]
                notes[d, ACCEL, i], notes[d, SPIN, i], notes[d, SPIN_ACCEL, i] = a[i], w[i], bend[i]
            add_cross(bend, w, arm, q[d, 1])
            for i in range(3):
                bend[i] += arm[i] * q[d, 2]
                w[i] += arm[i] * q[d, 1]
            turn(R, x, y, z, np.cos(q[d, 0]), np.sin(q[d, 0]))
            k += 1
