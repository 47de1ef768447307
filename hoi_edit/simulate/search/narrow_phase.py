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
    PLACE_AT,
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
)
from kinematics.compiled import add_cross, compiled, inner
from kinematics.rotation import Floats
from rigid.air_compiled import accelerated, glide


@inner
def box_gap(solid: Floats, radius: float, x: float, y: float, z: float) -> float:
    """Signed distance of a point, in the shape's frame, from a rounded box: `rigid.distance.gap`."""
    dx, dy, dz = abs(x) - solid[CORE_AT], abs(y) - solid[CORE_AT + 1], abs(z) - solid[CORE_AT + 2]
    if dx < 0.0 and dy < 0.0 and dz < 0.0:
        return max(dx, dy, dz) - solid[RADIUS_AT] - radius
    dx, dy, dz = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    return np.sqrt(dx * dx + dy * dy + dz * dz) - solid[RADIUS_AT] - radius


@inner
def box_touch(core: Floats, p: Floats, feature: Floats, normal: Floats) -> float:
    """The distance from the core, with the feature and the normal: `feature_of` and `gap_and_normal`."""
    nearest, beyond = 0, False
    for i in range(3):
        feature[i] = 0.0 if abs(p[i]) < core[i] else (1.0 if p[i] >= 0 else -1.0)
        beyond = beyond or feature[i] != 0.0
        if abs(p[i]) - core[i] > abs(p[nearest]) - core[nearest]:
            nearest = i
    if not beyond:
        feature[nearest] = 1.0 if p[nearest] >= 0 else -1.0
    square, faces, inward = 0.0, 0.0, True
    for i in range(3):
        normal[i] = 0.0 if feature[i] == 0.0 else p[i] - feature[i] * core[i]
        square += normal[i] * normal[i]
        faces += feature[i] * feature[i]
        inward = inward and (normal[i] == 0.0 if core[i] == 0.0 else normal[i] * feature[i] <= 0.0)
    if square < 1e-24:  # on the core itself: the face decides
        signed = 0.0
        for i in range(3):
            along = feature[i] / np.sqrt(faces)
            signed += normal[i] * along
            normal[i] = along
        return signed
    length = -np.sqrt(square) if inward else np.sqrt(square)
    for i in range(3):
        normal[i] /= length
    return length


@inner
def look_at(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, t: float, out: Floats
) -> None:
    """All about a ball and a surface at time t, into `out` (STRUCK), but for the rotation of the ball."""
    solid = solids.numbers[surface]
    frame, before, normal = out[FRAME_AT:FEATURE_AT], out[BEFORE_AT:NORMAL_AT], out[NORMAL_AT:]
    arm, local, spun, relative = room.scratch[10], room.scratch[11], room.scratch[12], room.scratch[13]
    motion_of(moving, room, solids.frame[surface], t, frame)
    tau = t - flight[START_AT]
    if flight[STEPS_AT] > 0.0:
        glide(flight[STATE_AT:BALL_AT], gravity, flight[AIR_AT:], tau, before)
    else:
        for i in range(3):
            velocity = flight[STATE_AT + 12 + i]
            before[i] = flight[STATE_AT + i] + tau * velocity + 0.5 * tau * tau * gravity[i]
            before[12 + i] = velocity + tau * gravity[i]
            before[15 + i] = flight[STATE_AT + 15 + i]
    for i in range(3):
        arm[i] = before[i] - frame[i]
    # into the frame, and from there into the shape's own
    for i in range(3):
        spun[i] = frame[3 + i] * arm[0] + frame[6 + i] * arm[1] + frame[9 + i] * arm[2] - solid[PLACE_AT + i]
    for i in range(3):
        at = TURNED_AT + i
        local[i] = solid[at] * spun[0] + solid[at + 3] * spun[1] + solid[at + 6] * spun[2]
    distance = box_touch(solid[CORE_AT:RADIUS_AT], local, out[FEATURE_AT:BEFORE_AT], normal)
    for i in range(3):
        at = TURNED_AT + 3 * i
        spun[i] = solid[at] * normal[0] + solid[at + 1] * normal[1] + solid[at + 2] * normal[2]
    for i in range(3):
        at = 3 + 3 * i
        normal[i] = frame[at] * spun[0] + frame[at + 1] * spun[1] + frame[at + 2] * spun[2]
    spin = frame[15:18]
    for i in range(3):
        spun[i] = 0.0
        relative[i] = gravity[i] - frame[18 + i]
    if flight[STEPS_AT] > 0.0:
        accelerated(before, gravity, flight[AIR_AT:], relative)
        for i in range(3):
            relative[i] -= frame[18 + i]
    add_cross(spun, spin, arm, 1.0)
    # relative acceleration along the normal, up to the turning of the normal
    add_cross(relative, frame[21:24], arm, -1.0)
    add_cross(relative, spin, spun, -1.0)
    out[TIME], out[GAP] = t, distance - solid[RADIUS_AT] - flight[BALL_AT]
    out[RATE], out[PULL], out[SPEED] = 0.0, 0.0, 0.0
    for i in range(3):
        rate = before[12 + i] - frame[12 + i] - spun[i]
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
    found: Floats = touches_at(moving, solids, np.array([surface]), gravity, flight[None], np.array([float(time)]))
    return found[0]
