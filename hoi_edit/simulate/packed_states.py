"""Packed states: eighteen numbers (place, rotation, velocity, spin) of a thing in a hand and in flight."""

from collections.abc import Sequence

import numpy as np

from hoi_edit.simulate.trajectory import Span
from kinematics.chains import turn
from kinematics.compiled import add_cross, compiled, inner
from kinematics.packed_motion import ACCEL, ROTATION, SPIN, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from rigid.air_compiled import glide
from rigid.ballistics import fall


def carried(hold: Span, frame: Floats) -> Floats:
    """The packed state of a thing in a hand whose frame moves as given."""
    return all_carried([hold], frame[None])[0]


def all_carried(holds: Sequence[Span], frames: Floats) -> Floats:
    """(N, 18) packed states of things in hands, each in a frame of its own: one call costs more than many states."""
    position, rotation = np.array([hold.position for hold in holds]), np.array([hold.rotation for hold in holds])
    return _all_carried(position, rotation, frames)


@compiled
def _all_carried(position: Floats, rotation: Floats, frames: Floats) -> Floats:
    states, arm = np.empty((len(frames), STATE_SIZE)), np.empty(3)
    for k in range(len(frames)):
        _carry(position[k], rotation[k], frames[k], arm, states[k])
    return states


@inner
def _carry(position: Floats, rotation: Floats, frame: Floats, arm: Floats, state: Floats) -> None:
    for i in range(3):
        at = ROTATION + 3 * i
        arm[i] = frame[at] * position[0] + frame[at + 1] * position[1] + frame[at + 2] * position[2]
        state[i], state[VELOCITY + i], state[SPIN + i] = frame[i] + arm[i], frame[VELOCITY + i], frame[SPIN + i]
        for j in range(3):
            state[at + j] = frame[at] * rotation[0, j] + frame[at + 1] * rotation[1, j] + frame[at + 2] * rotation[2, j]
    add_cross(state[VELOCITY:SPIN], frame[SPIN:ACCEL], arm, 1.0)


@compiled
def relative(frame: Floats, state: Floats) -> tuple[Floats, Floats]:
    """Place and rotation of a thing in a frame."""
    position, rotation = np.zeros(3), np.zeros((3, 3))
    for i in range(3):
        for k in range(3):
            R = frame[ROTATION + 3 * k + i]
            position[i] += R * (state[k] - frame[k])
            for j in range(3):
                rotation[i, j] += R * state[ROTATION + 3 * k + j]
    return position, rotation


@compiled
def flown(state: Floats, duration: float, gravity: Floats) -> Floats:
    """The packed state of a ball after free flight."""
    after = np.empty(STATE_SIZE)
    fall(state, gravity, duration, after)
    fly_turned(state, duration, after)
    return after


@compiled
def glided(state: Floats, duration: float, gravity: Floats, air: Floats) -> Floats:
    """The packed state of a ball after a flight through air, packed as `rigid.air_compiled` wants it."""
    after = np.empty(STATE_SIZE)
    glide(state, gravity, air, duration, after)
    fly_turned(state, duration, after)
    return after


@inner
def fly_turned(state: Floats, duration: float, after: Floats) -> None:
    """Fill in the rotation of a ball that turns steadily."""
    x, y, z = state[SPIN], state[SPIN + 1], state[SPIN + 2]
    rate = np.sqrt(x * x + y * y + z * z)
    # Rᵀ has the columns of R as rows, and `turn` turns rows: exp(w)·R is (Rᵀ·exp(-w))ᵀ
    R = np.empty((3, 3))
    for i in range(9):
        R[i % 3, i // 3] = state[ROTATION + i]
    if rate > 0.0:
        turn(R, x / rate, y / rate, z / rate, np.cos(duration * rate), -np.sin(duration * rate))
    for i in range(9):
        after[ROTATION + i] = R[i % 3, i // 3]
