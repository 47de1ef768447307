"""One ball and one surface at one time: the gap, its rate, and all else that a touch is described by."""

import numpy as np

from hoi_edit.motions.frame_motion import Desk, Moving, desk, motion_of
from hoi_edit.simulate.packed_states import fly_turned
from hoi_edit.simulate.search.layouts import (
    AIR_AT,
    BALL_AT,
    BEFORE_AT,
    CORE_AT,
    FEATURE_AT,
    FRAME_AT,
    GAP,
    NORMAL_AT,
    PULL,
    RADIUS_AT,
    RATE,
    SPEED,
    START_AT,
    STATE_AT,
    STEPS_AT,
    TIME,
    TOUCH_WIDTH,
    TURNED_AT,
    Ints,
    Solids,
    in_shape,
)
from kinematics.compiled import add_cross, compiled, inner
from kinematics.packed_motion import ACCEL, ROTATION, SPIN, SPIN_ACCEL, VELOCITY
from kinematics.rotation import Floats
from rigid.air_compiled import accelerated, place
from rigid.distance_compiled import core_distance


@inner
def look_at(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, t: float, out: Floats
) -> None:
    """All about a ball and a surface at time t, into `out` (STRUCK), but for the rotation of the ball."""
    solid = solids.numbers[surface]
    frame, before, normal = out[FRAME_AT:FEATURE_AT], out[BEFORE_AT:NORMAL_AT], out[NORMAL_AT:]
    arm, point, in_frame, relative = room.scratch[10], room.scratch[11], room.scratch[12], room.scratch[13]
    motion_of(moving, room, solids.frame[surface], t, frame)
    place(flight[STATE_AT:BALL_AT], gravity, flight[AIR_AT:], t - flight[START_AT], before)
    for i in range(3):
        arm[i] = before[i] - frame[i]
    # into the frame, and from there into the shape's own; the normal goes the way back
    for i in range(3):
        at = ROTATION + i
        in_frame[i] = frame[at] * arm[0] + frame[at + 3] * arm[1] + frame[at + 6] * arm[2]
    point[0], point[1], point[2] = in_shape(solid, in_frame[0], in_frame[1], in_frame[2])
    distance = core_distance(solid[CORE_AT:RADIUS_AT], point, out[FEATURE_AT:BEFORE_AT], normal)
    for i in range(3):
        at = TURNED_AT + 3 * i
        in_frame[i] = solid[at] * normal[0] + solid[at + 1] * normal[1] + solid[at + 2] * normal[2]
    for i in range(3):
        at = ROTATION + 3 * i
        normal[i] = frame[at] * in_frame[0] + frame[at + 1] * in_frame[1] + frame[at + 2] * in_frame[2]
    spin, turning = frame[SPIN:ACCEL], point  # the room of a vector that is done with
    for i in range(3):
        turning[i] = 0.0
        relative[i] = gravity[i] - frame[ACCEL + i]
    if flight[STEPS_AT] > 0.0:
        accelerated(before, gravity, flight[AIR_AT:], relative)
        for i in range(3):
            relative[i] -= frame[ACCEL + i]
    add_cross(turning, spin, arm, 1.0)
    # relative acceleration along the normal, up to the turning of the normal
    add_cross(relative, frame[SPIN_ACCEL:], arm, -1.0)
    add_cross(relative, spin, turning, -1.0)
    out[TIME], out[GAP] = t, distance - solid[RADIUS_AT] - flight[BALL_AT]
    out[RATE], out[PULL], out[SPEED] = 0.0, 0.0, 0.0
    for i in range(3):
        rate = before[VELOCITY + i] - frame[VELOCITY + i] - turning[i]
        out[RATE] += normal[i] * rate
        out[PULL] += normal[i] * relative[i]
        out[SPEED] += rate * rate
    out[SPEED] = np.sqrt(out[SPEED])


@compiled
def touches_at(
    moving: Moving, solids: Solids, surfaces: Ints, gravity: Floats, flights: Floats, times: Floats
) -> Floats:
    """(N, STRUCK) all about balls and surfaces at given times, whether or not they touch."""
    out, room = np.empty((len(surfaces), TOUCH_WIDTH)), desk(moving)
    for k in range(len(surfaces)):
        flight = flights[k]
        look_at(moving, room, solids, surfaces[k], flight, gravity, times[k], out[k])
        fly_turned(flight[STATE_AT:BALL_AT], times[k] - flight[START_AT], out[k, BEFORE_AT:NORMAL_AT])
    return out


def touch_at(moving: Moving, solids: Solids, surface: int, gravity: Floats, flight: Floats, time: float) -> Floats:
    """All about a ball and a surface at a given time (STRUCK)."""
    touches: Floats = touches_at(moving, solids, np.array([surface]), gravity, flight[None], np.array([float(time)]))
    return touches[0]
