"""The first touch of a convex hull in free flight with moving surfaces, so that nothing is passed through; compiled.

Along any one direction two hulls are apart for as long as each corner's height over the other hull is positive: at
worst h + s τ - A τ²/2, with s its speed and A a bound on both accelerations. Along the shortest way between them this
reaches far, also for a corner that has just left, and close to a touch it is Newton's step. A flight's A is known for
good; a part's is that of its true motion from here to a little later, with a margin. Far from each other a bound on
speeds, from the table of poses, reaches farther. Once they overlap, the gap of the feature that met is brought to zero.

It is what `rigid.hull_contact_time` does for hulls on any ways; what comes of a touch is for `events` to say.
"""

from typing import NamedTuple

import numpy as np

from hoi_edit.motions.frame_motion import Desk, Moving, desk, motion_of
from hoi_edit.simulate.search.broad_phase import near_surfaces
from hoi_edit.simulate.search.layouts import (
    BEGIN_AT,
    CLEAR,
    CORE_AT,
    PLACE_AT,
    RADIUS_AT,
    START_AT,
    STATE_AT,
    TURNED_AT,
    UNTIL_AT,
    Groups,
    PoseRows,
    Solids,
)
from kinematics.compiled import add_cross, compiled, inner
from kinematics.packed_motion import ACCEL, FRAME_SIZE, ROTATION, SPIN, SPIN_ACCEL, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from kinematics.rotation_compiled import dot
from rigid.convex_compiled import placed, touching
from rigid.gjk import OVERLAP, way_between
from rigid.hull_features import VERTEX_FACE, meeting
from rigid.roots import MOST_LOOKS, next_look, search_between
from rigid.tumble_compiled import fly_free

PLANE_SIDE = 100.0  # [m] of a surface that stands for a plane, only what is that close to a flight's start is taken
AHEAD = 0.008  # [s] for which a part's accelerations are looked at
MARGIN = 1.5  # times the largest of them that are seen
LOOSE = 1.0  # [m/s², m/s] and so much more
FINEST = 1e-8  # [m] an approach that is shorter than this, and shallower, is not looked for
STEPS = 20_000  # of one search; hulls that hover longer than that are said to touch
TOUCHING = 1e-9  # [m] a corner that begins so close to a face begins on it
LEAVING = 1e-9  # [m/s]
CLEAR_LOOKS = 32  # for when a pair that is not seen before it is clear may be


class Hull(NamedTuple):
    """A thing that is not a ball, as the search takes it."""

    corners: Floats  # (V, 3) in its own frame [m]
    normals: Floats  # (F, 3) of its faces
    radius: float  # [m]
    inertia: Floats  # (4,), `rigid.tumble_compiled`


class Room(NamedTuple):
    """Where two hulls are at one time; to work in."""

    state: Floats  # (18,) of the thing
    frame: Floats  # (24,) of the part
    a: Floats  # (V, 3) corners in the world
    b: Floats  # (W, 3)
    in_part: Floats  # (W, 3) corners of b in the frame of the part
    own: Floats  # (W, 3) the same as seen from the surface itself
    bend: float  # [m/s²] a bound on the acceleration of any of the thing's corners in this flight


@compiled
def first_of_hull(
    moving: Moving, rows: PoseRows, solids: Solids, groups: Groups, gravity: Floats, flight: Floats, hull: Hull,
    blind: Floats,
) -> tuple[int, float, int, Floats]:  # fmt: skip
    """The surface that a flight touches first, or -1; when, and the feature: its kind and three corners of each, in the
    frames of thing and surface (2, 3, 3). `blind` (S,) says from when on a surface is seen, inf: once it is clear."""
    close, desks = near_surfaces(rows, solids, groups, gravity, flight), desk(moving)
    count, feature, found = len(solids.frame), np.zeros((2, 3, 3)), np.zeros((2, 3, 3))
    first, last = np.full(count, len(rows.pose)), np.full(count, -1)
    for k in range(len(close)):
        surface = close[k, 1]
        first[surface], last[surface] = min(first[surface], close[k, 0]), max(last[surface], close[k, 0])
    best, time, kind = -1, flight[UNTIL_AT], 0
    bend, quickest = _bounds(hull, flight, gravity)
    for surface in range(count):
        if last[surface] < 0:
            continue
        low = max(flight[BEGIN_AT], rows.start + rows.step * first[surface])
        high = min(time, rows.start + rows.step * (last[surface] + 1))
        room = _room_for(solids.numbers[surface], hull, flight, bend)
        part = solids.frame[surface]
        if blind[surface] < np.inf:
            low = max(low, blind[surface])
        else:
            low = _clear_from(moving, desks, part, gravity, flight, hull, solids.numbers[surface], room, low, high)
        if low >= high:
            continue
        speed = quickest + _fastest(rows, part, first[surface], last[surface], room.in_part)
        t, which = _first_touch(
            moving, desks, part, solids.numbers[surface], gravity, flight, hull, room, speed, low, high, found
        )  # fmt: skip
        if t < time:
            best, time, kind = surface, t, which
            feature[:] = found
    return best, time, kind, feature


@inner
def _bounds(hull: Hull, flight: Floats, gravity: Floats) -> tuple[float, float]:
    """On the acceleration of any corner in a flight [m/s²], and on how fast any of its points is [m/s]."""
    R, moments = flight[STATE_AT + ROTATION : STATE_AT + VELOCITY].reshape(3, 3), hull.inertia[1:]
    spin, arms, spins = np.empty(3), np.zeros(3), np.empty(3)
    momentum, energy, fall, speed = 0.0, 0.0, np.sqrt(dot(gravity, gravity)), 0.0
    for i in range(3):
        spin[i] = dot(R[:, i], flight[STATE_AT + SPIN : STATE_AT + STATE_SIZE])
        momentum, energy = momentum + (moments[i] * spin[i]) ** 2, energy + moments[i] * spin[i] ** 2
        speed += flight[STATE_AT + VELOCITY + i] ** 2
    for i in range(3):  # momentum and energy stay what they are
        spins[i] = min(np.sqrt(momentum) / moments[i], np.sqrt(energy / moments[i]))
        for k in range(len(hull.corners)):  # a turn about an axis moves a corner by its distance from that only
            corner = hull.corners[k]
            arms[i] = max(arms[i], dot(corner, corner) - corner[i] ** 2)
        arms[i] = np.sqrt(max(arms[i], 0.0))
    turning, quickening, around, swept = 0.0, 0.0, 0.0, 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        turning += (spins[i] * (arms[i] + hull.radius)) ** 2
        quickening += ((moments[j] - moments[k]) / moments[i] * spins[j] * spins[k] * arms[i]) ** 2
        around, swept = around + spins[i] ** 2, swept + (spins[i] * arms[i]) ** 2
    bend = fall + np.sqrt(quickening) + np.sqrt(around * swept)
    longest = max(abs(flight[UNTIL_AT] - flight[START_AT]), abs(flight[BEGIN_AT] - flight[START_AT]))
    return bend * (1.0 + 1e-9) + 1e-9, np.sqrt(speed) + fall * longest + np.sqrt(turning) + 1e-9


@inner
def _room_for(solid: Floats, hull: Hull, flight: Floats, bend: float) -> Room:
    low, high, count = np.empty(3), np.empty(3), 1
    for i in range(3):
        core, here = solid[CORE_AT + i], 0.0
        for j in range(3):
            here += solid[TURNED_AT + 3 * j + i] * (flight[STATE_AT + j] - solid[PLACE_AT + j])
        low[i], high[i] = (
            (-core, core) if core < PLANE_SIDE else (max(-core, here - PLANE_SIDE), min(core, here + PLANE_SIDE))
        )
        count *= 1 if core == 0.0 else 2
    own, in_part = np.empty((count, 3)), np.empty((count, 3))
    for k in range(count):
        bit = k
        for i in range(3):
            if solid[CORE_AT + i] == 0.0:
                own[k, i] = 0.0
            else:
                own[k, i] = high[i] if bit % 2 else low[i]
                bit //= 2
        for i in range(3):
            in_part[k, i] = solid[PLACE_AT + i] + dot(solid[TURNED_AT + 3 * i : TURNED_AT + 3 * i + 3], own[k])
    a, b = np.empty_like(hull.corners), np.empty_like(in_part)
    return Room(np.empty(STATE_SIZE), np.empty(FRAME_SIZE), a, b, in_part, own, bend)


@inner
def _fastest(rows: PoseRows, part: int, first: int, last: int, in_part: Floats) -> float:
    """A bound on how fast any corner of a part is between two rows [m/s]."""
    if part < 0:
        return 0.0
    most, here, before = 0.0, np.empty(3), np.empty(3)
    for k in range(len(in_part)):
        for row in range(max(first - 1, 0), min(last + 3, len(rows.pose))):
            square = 0.0
            for i in range(3):
                here[i] = rows.pose[row, part, i] + dot(rows.pose[row, part, 3 + 3 * i : 6 + 3 * i], in_part[k])
                square += (here[i] - before[i]) ** 2
                before[i] = here[i]
            if row > max(first - 1, 0):
                most = max(most, square)
    return MARGIN * np.sqrt(most) / rows.step + LOOSE


@inner
def _put(
    moving: Moving, desks: Desk, part: int, gravity: Floats, flight: Floats, hull: Hull, room: Room, t: float
) -> None:
    """Both hulls to where they are at a time."""
    fly_free(flight[STATE_AT : STATE_AT + STATE_SIZE], hull.inertia, gravity, t - flight[START_AT], room.state)
    motion_of(moving, desks, part, t, room.frame)
    placed(hull.corners, room.state, 1.0, room.a)
    placed(room.in_part, room.frame, 1.0, room.b)


@inner
def _gap(solid: Floats, room: Room, radius: float, n: Floats) -> float:
    """How far apart the hulls are, and along which direction: that of the shortest way, or, where this is nothing, that
    of a face of the surface. A distance beside a hull as large as the ground is less exact than what is on either side
    of a plane."""
    way = np.empty(3)
    way_between(room.a, room.b, OVERLAP, way)
    length = np.sqrt(dot(way, way))
    if length > 0.0:
        for i in range(3):
            n[i] = way[i] / length
        return max(length - radius, _height(room, radius, n))
    return _over_a_face(solid, room, radius, n)


@inner
def _axis_of(room: Room, solid: Floats, axis: int, out: Floats) -> None:
    """Fill in an axis of the surface, in the world."""
    for i in range(3):
        out[i] = 0.0
        for j in range(3):
            out[i] += room.frame[ROTATION + 3 * i + j] * solid[TURNED_AT + 3 * j + axis]


@inner
def _over_a_face(solid: Floats, room: Room, radius: float, n: Floats) -> float:
    """The height over the face that the other hull is the least behind; of things without faces nothing."""
    best, normal = -np.inf, np.empty(3)
    if len(room.own) < 4:
        return -radius
    for axis in range(3):
        for side in range(2):
            _axis_of(room, solid, axis, normal)
            for i in range(3):
                normal[i] *= 1.0 - 2.0 * side
            height = _height(room, radius, normal)
            if height > best:
                best = height
                for i in range(3):
                    n[i] = normal[i]
    return best


@inner
def _height(room: Room, radius: float, n: Floats) -> float:
    low, high = np.inf, -np.inf
    for k in range(len(room.a)):
        low = min(low, dot(room.a[k], n))
    for k in range(len(room.b)):
        high = max(high, dot(room.b[k], n))
    return low - high - radius


@inner
def _rate(pose: Floats, corner: Floats, n: Floats) -> float:
    """How fast a corner (3,) in the world moves along a direction."""
    rate = 0.0
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        turning = pose[SPIN + j] * (corner[k] - pose[k]) - pose[SPIN + k] * (corner[j] - pose[j])
        rate += n[i] * (pose[VELOCITY + i] + turning)
    return rate


@inner
def _safe(room: Room, radius: float, n: Floats, bend: float) -> float:
    """For how long no corner can have come down to the other hull along a direction."""
    least, high, quick = np.inf, -np.inf, np.empty(len(room.b))
    for j in range(len(room.b)):
        quick[j] = _rate(room.frame, room.b[j], n)
        high = max(high, dot(room.b[j], n))
    for i in range(len(room.a)):
        h_a, s_a = dot(room.a[i], n) - radius, _rate(room.state, room.a[i], n)
        if s_a > 0.0 and h_a - high > bend:  # not within a second
            continue
        for j in range(len(room.b)):
            height, speed = h_a - dot(room.b[j], n), s_a - quick[j]
            least = min(least, (speed + np.sqrt(max(speed * speed + 2.0 * bend * height, 0.0))) / bend)
    return max(least, 0.0)


@inner
def _bend_ahead(moving: Moving, desks: Desk, part: int, room: Room, t: float) -> float:
    """A bound on the acceleration of any corner of a part from now to a little later [m/s²]."""
    reach, most, frame = 0.0, 0.0, np.empty(FRAME_SIZE)
    for k in range(len(room.in_part)):
        reach = max(reach, dot(room.in_part[k], room.in_part[k]))
    reach = np.sqrt(reach)
    for k in range(3):
        motion_of(moving, desks, part, t + 0.5 * k * AHEAD, frame)
        straight, turning = frame[ACCEL:SPIN_ACCEL], frame[SPIN_ACCEL:]
        bends = np.sqrt(dot(straight, straight)) + reach * np.sqrt(dot(turning, turning))
        most = max(most, bends + reach * dot(frame[SPIN:ACCEL], frame[SPIN:ACCEL]))
    return MARGIN * most + LOOSE


@inner
def _clear_from(
    moving: Moving, desks: Desk, part: int, gravity: Floats, flight: Floats, hull: Hull, solid: Floats, room: Room,
    low: float, high: float,
) -> float:  # fmt: skip
    """When a pair that is not seen before it is clear is."""
    n = np.empty(3)
    for k in range(CLEAR_LOOKS + 1):
        t = low + (high - low) * k / CLEAR_LOOKS
        _put(moving, desks, part, gravity, flight, hull, room, t)
        if _gap(solid, room, hull.radius + solid[RADIUS_AT], n) > CLEAR:
            return t
    return high


@inner
def _first_touch(
    moving: Moving, desks: Desk, part: int, solid: Floats, gravity: Floats, flight: Floats, hull: Hull, room: Room,
    speed: float, low: float, high: float, feature: Floats,
) -> tuple[float, int]:  # fmt: skip
    """When they touch first, inf if they do not, and with what."""
    radius, n, before, now = hull.radius + solid[RADIUS_AT], np.empty(3), low, low
    for step in range(STEPS):
        _put(moving, desks, part, gravity, flight, hull, room, now)
        gap = _gap(solid, room, radius, n)
        if step == 0 and abs(gap) <= TOUCHING:
            leaves, kind = _begins_on(solid, hull, room, radius, n, feature)
            if not leaves:
                return now, kind
            gap = max(gap, 1e-300)
        if gap <= 0.0:
            if step == 0:
                return now, _feature_here(solid, hull, room, feature)
            return _polished(
                moving, desks, part, solid, gravity, flight, hull, room, before, now, feature
            )  # fmt: skip
        safe = gap / speed
        if part < 0:
            safe = max(safe, _safe(room, radius, n, room.bend))
        elif safe < 0.5 * AHEAD:
            bend = room.bend + _bend_ahead(moving, desks, part, room, now)
            safe = max(safe, min(_safe(room, radius, n, bend), AHEAD))
        # steps get ever shorter towards a touch: the last one goes a little beyond it
        beyond = FINEST / speed if gap < FINEST else 0.0
        before, now = now, now + max(FINEST / speed, safe + beyond)
        if now >= high:
            return np.inf, 0
    _put(moving, desks, part, gravity, flight, hull, room, before)
    return before, _feature_here(solid, hull, room, feature)


@inner
def _begins_on(solid: Floats, hull: Hull, room: Room, radius: float, n: Floats, feature: Floats) -> tuple[bool, int]:
    """Whether hulls that begin in touch part; if not, with what they touch. Corners on a face may do as they like: the
    one that goes in fastest is what touches."""
    fastest, corner, high, inside = -LEAVING, -1, -np.inf, 0
    if len(room.own) >= 4:
        _over_a_face(solid, room, radius, n)
    for j in range(len(room.b)):
        high = max(high, dot(room.b[j], n))
    top = -np.inf
    for j in range(len(room.b)):
        if dot(room.b[j], n) >= high - TOUCHING:
            top = max(top, _rate(room.frame, room.b[j], n))
    for i in range(len(room.a)):
        if dot(room.a[i], n) - high - radius > TOUCHING:
            continue
        inside += 1
        rate = _rate(room.state, room.a[i], n) - top
        if rate < fastest:
            fastest, corner = rate, i
    if corner < 0:
        return inside > 0, 0
    kind = _feature_here(solid, hull, room, feature)
    if kind == VERTEX_FACE and _is_over_solid(solid, room, corner):
        for k in range(3):
            for i in range(3):
                feature[0, k, i] = hull.corners[corner, i]
    return False, kind


@inner
def _is_over_solid(solid: Floats, room: Room, corner: int) -> bool:
    """Whether a corner of the thing is over the surface, and not beside it."""
    beside, local, own = 0, np.empty(3), np.empty(3)
    for i in range(3):
        local[i] = -solid[PLACE_AT + i]
        for j in range(3):
            local[i] += room.frame[ROTATION + 3 * j + i] * (room.a[corner, j] - room.frame[j])
    for i in range(3):
        own[i] = 0.0
        for j in range(3):
            own[i] += solid[TURNED_AT + 3 * j + i] * local[j]
        beside += abs(own[i]) > solid[CORE_AT + i]
    return beside <= 1


@inner
def _feature_here(solid: Floats, hull: Hull, room: Room, feature: Floats) -> int:
    """Fill in what of both is closest where they are now."""
    own, corners = 3 if len(room.own) >= 4 else 0, np.empty((2, 3), np.int64)
    normals = np.empty((len(hull.normals) + own, 3))
    for k in range(len(hull.normals)):
        for i in range(3):
            at = ROTATION + 3 * i
            normals[k, i] = dot(room.state[at : at + 3], hull.normals[k])
    for axis in range(own):
        _axis_of(room, solid, axis, normals[len(hull.normals) + axis])
    kind = meeting(room.a, room.b, normals, OVERLAP, corners)
    for k in range(3):
        for i in range(3):
            feature[0, k, i], feature[1, k, i] = hull.corners[corners[0, k], i], room.own[corners[1, k], i]
    return kind


@inner
def _gap_of(
    moving: Moving, desks: Desk, part: int, solid: Floats, gravity: Floats, flight: Floats, hull: Hull, room: Room,
    t: float, kind: int, feature: Floats,
) -> tuple[float, float]:  # fmt: skip
    """The signed gap of a feature at a time, and its rate."""
    A, B, dA, dB, out, local = (np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)),
                                 np.empty((4, 3)), np.empty((3, 3)))  # fmt: skip
    fly_free(flight[STATE_AT : STATE_AT + STATE_SIZE], hull.inertia, gravity, t - flight[START_AT], room.state)
    motion_of(moving, desks, part, t, room.frame)
    for k in range(3):
        for i in range(3):
            at = TURNED_AT + 3 * i
            local[k, i] = solid[PLACE_AT + i] + dot(solid[at : at + 3], feature[1, k])
    placed(feature[0], room.state, 1.0, A)
    placed(local, room.frame, 1.0, B)
    _sweep(room.state, A, dA)
    _sweep(room.frame, B, dB)
    return touching(kind, A, B, dA, dB, hull.radius, solid[RADIUS_AT], out[0], out[1], out[2], out[3])


@inner
def _sweep(pose: Floats, corners: Floats, out: Floats) -> None:
    """Fill in how fast corners in the world move."""
    arm = np.empty(3)
    for k in range(len(corners)):
        for i in range(3):
            arm[i], out[k, i] = corners[k, i] - pose[i], pose[VELOCITY + i]
        add_cross(out[k], pose[SPIN : SPIN + 3], arm, 1.0)


@inner
def _polished(
    moving: Moving, desks: Desk, part: int, solid: Floats, gravity: Floats, flight: Floats, hull: Hull, room: Room,
    before: float, after: float, feature: Floats,
) -> tuple[float, int]:  # fmt: skip
    """The time at which a feature's gap is zero. At the end of the bracket the hulls overlap, and it has a sign."""
    # distances lose half their digits close to zero, so that the root may be just outside the bracket
    slack = 4.0 * (after - before)
    for wider in range(2):
        low, high = before - wider * slack, after + wider * slack
        for end in range(2):
            _put(moving, desks, part, gravity, flight, hull, room, before if end == 0 else after)
            kind = _feature_here(solid, hull, room, feature)
            at_low, _ = _gap_of(moving, desks, part, solid, gravity, flight, hull, room, low, kind, feature)
            at_high, _ = _gap_of(moving, desks, part, solid, gravity, flight, hull, room, high, kind, feature)
            if at_low > 0.0 >= at_high:
                search, t, last = search_between(low, high), 0.5 * (low + high), np.inf
                for _ in range(MOST_LOOKS):
                    gap, rate = _gap_of(moving, desks, part, solid, gravity, flight, hull, room, t, kind, feature)
                    search, last = next_look(search, t, gap, rate)
                    if last == t:
                        break
                    t = last
                return t, kind
    # another feature is about to take over within nanometres: the gap is nothing, but not to round-off
    _put(moving, desks, part, gravity, flight, hull, room, before)
    return before, _feature_here(solid, hull, room, feature)
