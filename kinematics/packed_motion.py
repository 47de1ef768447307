"""Motions as rows of numbers, for machine code: where each part of them begins.

A *state* has place, rotation (row by row), velocity and spin; a *frame* has both accelerations after these. A part ends
where the next one begins: `frame[VELOCITY:SPIN]`.
"""

PLACE, ROTATION, VELOCITY, SPIN, ACCEL, SPIN_ACCEL, FRAME_SIZE = 0, 3, 12, 15, 18, 21, 24
STATE_SIZE = ACCEL
