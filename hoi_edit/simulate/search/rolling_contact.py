"""What a ball touches while it rests, slides or rolls on something: found so that nothing is missed.

Its way is known at the edges of the contact's steps; between them it is a cubic with the same places and velocities,
which on a flat face that stands still is exact. Seen from a surface the ball moves no farther in a while than its speed
there and its acceleration allow, so a stretch whose ends are farther away than that holds no touch; what cannot be
ruled out is halved, the earlier half first. The caller polishes the instant on the true way.
"""

from typing import NamedTuple

import numpy as np

from hoi_edit.motions.frame_motion import Desk, Moving, desk
from hoi_edit.simulate.search.layouts import (
    BALL_AT,
    CLEAR,
    CORE_AT,
    DEEP,
    FLIGHT_WIDTH,
    FRAME_AT,
    GAP,
    GONE_AT,
    LOOSE,
    PULL,
    RADIUS_AT,
    RATE,
    SHOWN_AT,
    SPEED,
    START_AT,
    STATE_AT,
    TOUCH_WIDTH,
    TOUCHING,
    VELOCITY_AT,
    Groups,
    PoseRows,
    Solids,
    in_shape,
)
from hoi_edit.simulate.search.narrow_phase import look_at
from kinematics.compiled import compiled, inner
from kinematics.packed_motion import ACCEL, SPIN, SPIN_ACCEL
from kinematics.rotation import Floats
from rigid.distance_compiled import box_gap
from rigid.roots import MOST_LOOKS, next_look, search_between

Ints = np.ndarray
FINEST = 1e-6  # [s] a dip that is shorter than this is not looked for
LEANING = 1e-6  # [m/s²] with which a ball has to be pressed against what it touches, to count as pressed
MARGIN, EXTRA = 2.0, 20.0  # by which accelerations may be greater within a stretch than at its ends [1], [m/s²]
ONE = 5  # numbers of a look
MOST = 256  # stretches that are open at once; halving a second down to `FINEST` takes 20


class Strike(NamedTuple):
    surface: int  # -1: none
    time: float
    at_once: bool  # it is in touch from the beginning, and pressed on


class Way(NamedTuple):
    """A ball on its way: times, places and velocities (K, 7), and its radius."""

    nodes: Floats
    radius: float


@inner
def place_at(nodes: Floats, k: int, t: float, flight: Floats, accel: Floats) -> None:
    """State at time t on the cubic after node k, as a flight that begins then, and its acceleration."""
    begin, h = nodes[k, 0], nodes[k + 1, 0] - nodes[k, 0]
    s = (t - begin) / h
    flight[START_AT] = t
    for i in range(3):
        a, b, u, v = nodes[k, 1 + i], nodes[k + 1, 1 + i], h * nodes[k, 4 + i], h * nodes[k + 1, 4 + i]
        square, cube = 3.0 * (b - a) - 2.0 * u - v, 2.0 * (a - b) + u + v
        flight[STATE_AT + i] = a + s * (u + s * (square + s * cube))
        flight[VELOCITY_AT + i] = (u + s * (2.0 * square + 3.0 * s * cube)) / h
        accel[i] = (2.0 * square + 6.0 * s * cube) / (h * h)


@inner
def _look(
    moving: Moving, room: Desk, solids: Solids, surface: int, nodes: Floats, k: int, t: float, flight: Floats,
    accel: Floats, out: Floats,
) -> float:  # fmt: skip
    """All about the ball and a surface at time t; returned is a bound on its acceleration as seen from there."""
    place_at(nodes, k, t, flight, accel)
    look_at(moving, room, solids, surface, flight, accel, t, out)
    frame, of_ball, of_frame, arm, spin, turning = out[FRAME_AT:], 0.0, 0.0, 0.0, 0.0, 0.0  # their squares
    for i in range(3):
        of_ball += accel[i] ** 2
        of_frame += frame[ACCEL + i] ** 2
        arm += (flight[STATE_AT + i] - frame[i]) ** 2
        spin += frame[SPIN + i] ** 2
        turning += frame[SPIN_ACCEL + i] ** 2
    if solids.frame[surface] < 0:
        return MARGIN * np.sqrt(of_ball) + 1e-3
    relative = np.sqrt(of_ball) + np.sqrt(of_frame) + np.sqrt(arm) * (np.sqrt(turning) + spin)
    return MARGIN * (relative + 2.0 * np.sqrt(spin) * out[SPEED]) + EXTRA


@inner
def _close(rows: PoseRows, solids: Solids, groups: Groups, nodes: Floats, k: int, radius: float, out: Ints) -> int:
    """Surfaces that a ball may touch between two nodes."""
    span, count = nodes[k + 1, 0] - nodes[k, 0], 0
    middle, way, before, after = np.empty(3), 0.0, 0.0, 0.0
    for i in range(3):
        middle[i] = 0.5 * (nodes[k, 1 + i] + nodes[k + 1, 1 + i])
        way += (nodes[k + 1, 1 + i] - nodes[k, 1 + i]) ** 2
        before += nodes[k, 4 + i] ** 2
        after += nodes[k + 1, 4 + i] ** 2
    reach = radius + 0.75 * (np.sqrt(way) + span * max(np.sqrt(before), np.sqrt(after))) + LOOSE
    row = int(np.floor((nodes[k, 0] + 0.5 * span - rows.start) / rows.step + 0.5))
    row = min(max(row, 0), len(rows.pose) - 1)
    for g in range(len(groups.sphere)):
        far = reach + groups.sphere[g, 0] + (0.6 * span + rows.step) * groups.sphere[g, 1]
        away = 0.0
        for i in range(3):
            away += (middle[i] - rows.centre[row, g, i]) ** 2
        if far > 0.0 and away < far * far:
            for at in range(groups.first[g], groups.first[g + 1]):
                out[count] = groups.surface[at]
                count += 1
    for at in range(len(groups.still)):
        solid = solids.numbers[groups.still[at]]
        x, y, z = in_shape(solid, middle[0], middle[1], middle[2])
        if box_gap(solid[CORE_AT:RADIUS_AT], solid[RADIUS_AT], x, y, z) < reach:
            out[count] = groups.still[at]
            count += 1
    return count


@inner
def _seen_from(
    moving: Moving, room: Desk, solids: Solids, surface: int, nodes: Floats, flight: Floats, accel: Floats, out: Floats
) -> tuple[float, float]:
    """When a surface is seen at first, and how far off it has to be then: -1 if it is pressed on from the beginning.

    One that the ball begins inside of is not seen before it is clear, one that it leaves, not before it is off.
    """
    begin = nodes[0, 0]
    _look(moving, room, solids, surface, nodes, 0, begin, flight, accel, out)
    if out[GAP] > TOUCHING:
        return begin, 0.0
    if out[GAP] < -DEEP:
        return begin, CLEAR
    if out[RATE] < -TOUCHING:
        return -1.0, 0.0
    if out[PULL] > -LEANING:
        return begin, 2.0 * TOUCHING
    # it comes back after 2 rate / pull; lower than round-off it has never been away
    if out[RATE] ** 2 < -2.0 * TOUCHING * out[PULL]:
        return -1.0, 0.0
    return begin - 0.5 * out[RATE] / out[PULL], 0.0


@inner
def is_clear(low: Floats, high: Floats, length: float) -> bool:
    """Whether nothing can be touched between two looks: time, gap, its rate, speed and a bound on the acceleration.

    The distance from something convex is convex in space, so along the way its rate falls no faster than the ball is
    accelerated: each end speaks for the half that is next to it.
    """
    bound, half = max(low[4], high[4]), 0.5 * length
    if low[1] + high[1] > (max(low[3], high[3]) + bound * length) * length:
        return True
    dip = 0.5 * bound * half * half
    return low[1] + low[2] * half > dip and high[1] - high[2] * half > dip and low[1] > 0.0


@inner
def _within(
    moving: Moving, room: Desk, solids: Solids, surface: int, nodes: Floats, k: int, begin: float, until: float,
    stack: Floats, flight: Floats, accel: Floats, out: Floats,
) -> float:  # fmt: skip
    """When the ball first touches a surface between two times on one cubic, or inf. At `begin` it does not."""
    for end in range(2):
        t, at = (begin, 0) if end == 0 else (until, ONE)
        bound = _look(moving, room, solids, surface, nodes, k, t, flight, accel, out)
        stack[0, at], stack[0, at + 1], stack[0, at + 2] = t, out[GAP], out[RATE]
        stack[0, at + 3], stack[0, at + 4] = out[SPEED], bound
    count = 1
    while count > 0:
        count -= 1
        low, high = stack[count, :ONE].copy(), stack[count, ONE:].copy()
        length = high[0] - low[0]
        if high[1] > 0.0 and is_clear(low, high, length):
            continue
        if length <= FINEST or count + 2 > MOST:
            if high[1] <= 0.0:
                return _root(moving, room, solids, surface, nodes, k, low[0], high[0], flight, accel, out)
            continue
        t = 0.5 * (low[0] + high[0])
        bound = _look(moving, room, solids, surface, nodes, k, t, flight, accel, out)
        for part in range(2 if out[GAP] > 0.0 else 1):
            at = 0 if part == 0 and out[GAP] > 0.0 else ONE  # the later half waits below the earlier one
            for i in range(ONE):
                stack[count, i], stack[count, ONE + i] = low[i], high[i]
            stack[count, at], stack[count, at + 1], stack[count, at + 2] = t, out[GAP], out[RATE]
            stack[count, at + 3], stack[count, at + 4] = out[SPEED], bound
            count += 1
    return np.inf


@inner
def _root(
    moving: Moving, room: Desk, solids: Solids, surface: int, nodes: Floats, k: int, low: float, high: float,
    flight: Floats, accel: Floats, out: Floats,
) -> float:  # fmt: skip
    """Where the gap is zero between two times."""
    search, t = search_between(low, high), 0.5 * (low + high)
    for _ in range(MOST_LOOKS):
        _look(moving, room, solids, surface, nodes, k, t, flight, accel, out)
        search, then = next_look(search, t, out[GAP], out[RATE])
        if then == t:
            break
        t = then
    return t


@compiled
def first_strike(moving: Moving, rows: PoseRows, solids: Solids, groups: Groups, way: Way, hidden: Ints) -> Strike:
    """The first touch of a ball on its way with any surface but those that are hidden: the one that it lies on."""
    nodes, room = way.nodes, desk(moving)
    close, stack, out = np.empty(len(solids.frame), np.int64), np.empty((MOST + 2, 2 * ONE)), np.empty(TOUCH_WIDTH)
    flight, accel = np.zeros(FLIGHT_WIDTH), np.empty(3)
    flight[BALL_AT] = way.radius
    known = np.zeros(len(solids.frame), np.int64)
    since, enough = np.full(len(solids.frame), -np.inf), np.zeros(len(solids.frame))
    for k in range(len(nodes) - 1):
        best, best_time = -1, np.inf
        for i in range(_close(rows, solids, groups, nodes, k, way.radius, close)):
            surface = close[i]
            begin = max(nodes[k, 0], solids.numbers[surface, SHOWN_AT])
            until = min(nodes[k + 1, 0], solids.numbers[surface, GONE_AT])
            if hidden[surface] == 1 or begin >= until:
                continue
            if k == 0 and known[surface] == 0 and begin == nodes[0, 0]:
                since[surface], enough[surface] = _seen_from(moving, room, solids, surface, nodes, flight, accel, out)
                if since[surface] < nodes[0, 0]:
                    return Strike(surface, nodes[0, 0], True)
            known[surface] = 1
            begin = max(begin, since[surface])
            if enough[surface] > 0.0:
                begin = _off(moving, room, solids, surface, nodes, k, begin, until, enough, flight, accel, out)
            if begin < until:
                t = _within(moving, room, solids, surface, nodes, k, begin, until, stack, flight, accel, out)
                if t < best_time:
                    best, best_time = surface, t
        if best >= 0:
            return Strike(best, best_time, False)
    return Strike(-1, np.inf, False)


@inner
def _off(
    moving: Moving, room: Desk, solids: Solids, surface: int, nodes: Floats, k: int, begin: float, until: float,
    enough: Floats, flight: Floats, accel: Floats, out: Floats,
) -> float:  # fmt: skip
    """When, on one cubic, a surface is so far off that it is seen again; `until` if it is not."""
    for i in range(17):
        t = begin + (until - begin) * i / 16.0
        _look(moving, room, solids, surface, nodes, k, t, flight, accel, out)
        if out[GAP] > enough[surface]:
            enough[surface] = 0.0
            return t
    return until
