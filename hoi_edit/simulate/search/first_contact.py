"""The walk along a flight, from row to row of the table, which ends at its first touch."""

import numpy as np

from hoi_edit.motions.frame_motion import Desk, Moving, desk
from hoi_edit.simulate.packed_states import fly_turned
from hoi_edit.simulate.search.broad_phase import path_of, reach_at, span_of, step_on, surfaces_near, top_speed
from hoi_edit.simulate.search.cubic_brackets import brackets_in
from hoi_edit.simulate.search.layouts import (
    BALL_AT,
    BEFORE_AT,
    BEGIN_AT,
    BLUR,
    BOUNCED,
    CLEAR,
    DEEP,
    EXPECTED_AT,
    FINE,
    GAP,
    GONE_AT,
    NORMAL_AT,
    PULL,
    RATE,
    SHOWN_AT,
    START_AT,
    STATE_AT,
    STEPS_AT,
    TIME,
    TOUCH_WIDTH,
    TOUCHING,
    UNTIL_AT,
    UNTIL_CLEAR,
    UNTIL_OFF,
    FirstContacts,
    Groups,
    Ints,
    PoseRows,
    Solids,
)
from hoi_edit.simulate.search.narrow_phase import look_at
from hoi_edit.simulate.search.polishing import closest, polish, try_bracket
from kinematics.compiled import compiled, inner
from kinematics.rotation import Floats

SHORTEST = 1e-9  # [s] of a bounce that is looked for
MOST_NEAR = 8  # near misses that a flight tells of


@inner
def _first_of(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, brackets: Floats,
    before: float, near_misses: Floats, missed: int, out: Floats,
) -> tuple[float, int]:  # fmt: skip
    """When the first touch within brackets is, if before a given time, or inf; and how many near misses there are."""
    for b in range(len(brackets)):
        # where a ball grazes, cubics may be inside a step later than it is
        if 2.0 * brackets[b, 0] - brackets[b, 1] > before:
            break
        gap, t = try_bracket(moving, room, solids, surface, flight, gravity, brackets[b], out)
        if gap == 0.0:
            return (t if t <= before else np.inf), missed  # polishing may lead out of what is searched
        if gap < (np.inf if flight[STEPS_AT] == 0.0 else BLUR) and missed < len(near_misses):
            near_misses[missed, 1], near_misses[missed, 2], near_misses[missed, 3] = surface, t, gap
            missed += 1
    return np.inf, missed


@inner
def _begins_in_touch(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, inside: Floats,
    out: Floats,
) -> bool:  # fmt: skip
    """Contact at the start of a flight is decided by the gap's rate; without any, by what pulls."""
    look_at(moving, room, solids, surface, flight, gravity, flight[START_AT], out)
    if out[GAP] < -DEEP:
        inside[surface] = -out[GAP]
        return False
    closing = out[RATE] < -TOUCHING or (out[RATE] <= TOUCHING and out[PULL] < 0.0)
    return out[GAP] <= TOUCHING and closing


@inner
def _soon(
    moving: Moving, room: Desk, rows: PoseRows, solids: Solids, surface: int, flight: Floats, gravity: Floats,
    mark: float, near_misses: Floats, out: Floats,
) -> tuple[float, float]:  # fmt: skip
    """When a ball touches again what it has just left, or inf; else from when on it is so far off that it is searched
    for as everything else is. The true motion is looked at, as long as that takes.
    """
    solid = solids.numbers[surface]
    begin, end = max(flight[BEGIN_AT], solid[SHOWN_AT]), min(flight[UNTIL_AT], solid[GONE_AT])
    step, bracket = 0.125 * rows.step, np.empty((1, 3))
    if flight[EXPECTED_AT] == surface:
        for k in range(3):
            bracket[0, k] = flight[EXPECTED_AT + 1 + k]
        step = min(step, max(0.125 * (bracket[0, 2] - flight[START_AT]), SHORTEST))
        t, _ = _first_of(moving, room, solids, surface, flight, gravity, bracket, end, near_misses[:0], 0, out)
        if t < np.inf:
            return t, np.inf
    look_at(moving, room, solids, surface, flight, gravity, begin, out)
    on, rising, off, rate = abs(out[GAP]) <= TOUCHING, out[RATE] > TOUCHING, out[GAP] > TOUCHING, out[RATE]
    low = t = begin
    while t < end:
        before, t = t, min(t + step, end)
        look_at(moving, room, solids, surface, flight, gravity, t, out)
        gap, rate_before, rate = out[GAP], rate, out[RATE]
        if gap > 2.0 * BLUR:
            return np.inf, t
        high = t
        if gap > 0.0 and off and rate_before < 0.0 and rate > 0.0:
            high, gap = closest(moving, room, solids, surface, flight, gravity, before, t, out)
        if gap <= 0.0 and on and not off:  # up and down again within the very first step?
            short = t - begin
            while not off and short > SHORTEST:
                short *= 0.5
                look_at(moving, room, solids, surface, flight, gravity, begin + short, out)
                off, low = out[GAP] > 0.0, begin + short
            if not off and not rising and mark == BOUNCED:  # pressed together
                look_at(moving, room, solids, surface, flight, gravity, begin, out)
                return begin, np.inf
            on = False
        if (
            gap <= 0.0
            and off
            and polish(moving, room, solids, surface, flight, gravity, low, high, 0.5 * (low + high), out)
        ):
            return out[TIME], np.inf
        if gap > 0.0:
            low, off = t, True
        step = min(1.25 * step, 0.25 * rows.step)
    return np.inf, np.inf


@inner
def _fly(
    moving: Moving, rows: PoseRows, solids: Solids, groups: Groups, gravity: Floats, flight: Floats, blind: Floats,
    room: Desk, inside: Floats, near_misses: Floats, touches: Floats,
) -> tuple[int, int]:  # fmt: skip
    """The surface that a flight touches first, or -1, and how many near misses came before it.

    All about the touch is then in the first row of `touches` (2, STRUCK). Of touches at the same instant the lower
    surface comes first; the other one follows at once, in the flight after.
    """
    begin, until, best, best_time, missed = flight[BEGIN_AT], flight[UNTIL_AT], -1, np.inf, 0
    first, last = span_of(rows, begin, until)
    reach, near = np.empty((2, 4)), np.empty((2, len(groups.sphere)), np.int64)
    close, clear = np.empty(len(solids.frame), np.int64), np.full(len(solids.frame), np.inf)
    brackets, since = np.empty((4 * FINE, 3)), np.full(len(solids.frame), begin)
    for surface in range(len(solids.frame)):
        if blind[surface] == UNTIL_OFF or blind[surface] == BOUNCED:
            t, since[surface] = _soon(
                moving, room, rows, solids, surface, flight, gravity, blind[surface], near_misses, touches[1]
            )
            if t < best_time:
                best, best_time = surface, t
                touches[0] = touches[1]
        elif blind[surface] < UNTIL_OFF:
            since[surface] = max(begin, blind[surface])
    path = path_of(rows, flight, gravity, first, last)
    fastest, asleep = top_speed(flight, gravity), np.zeros(len(groups.sphere), np.int64)
    reach_at(rows, groups, first, flight, gravity, path, fastest, reach[1], near[1], asleep)
    for row in range(first, last):
        if best_time <= rows.start + rows.step * row:
            break
        step_on(rows, groups, row + 1, flight, gravity, path, fastest, reach, near, asleep)
        for i in range(surfaces_near(solids, groups, reach, near, close)):
            surface, t = close[i], np.inf
            solid, seen = solids.numbers[surface], blind[surface]
            t0 = max(since[surface], rows.start + rows.step * row, solid[SHOWN_AT])
            end = min(until, solid[GONE_AT])
            t1 = min(end, rows.start + rows.step * (row + 1))
            if t0 >= t1 or t0 > best_time:
                continue
            enough = CLEAR if seen == UNTIL_CLEAR else 0.0
            count, at_begin = brackets_in(
                rows, solids, surface, flight, gravity, path, row, t0, t1, end, clear, enough, brackets
            )
            if t0 == flight[START_AT] and seen == -np.inf and at_begin <= BLUR:
                touching = _begins_in_touch(moving, room, solids, surface, flight, gravity, inside, touches[1])
                t = t0 if touching else np.inf
            if t == np.inf:
                t, missed = _first_of(
                    moving, room, solids, surface, flight, gravity, brackets[:count], min(end, best_time), near_misses,
                    missed, touches[1],
                )  # fmt: skip
            if t < best_time:
                best, best_time = surface, t
                touches[0] = touches[1]
    return best, missed


@compiled
def _search(
    moving: Moving, rows: PoseRows, solids: Solids, groups: Groups, gravity: Floats, flights: Floats, blind: Floats
) -> tuple[Ints, Floats, Floats, Floats]:
    count, missed = len(flights), 0
    surface, touch = np.empty(count, np.int64), np.empty((count, TOUCH_WIDTH))
    inside, near = np.zeros((count, len(solids.frame))), np.empty((MOST_NEAR * count, 4))
    room, touches = desk(moving), np.empty((2, TOUCH_WIDTH))
    for n in range(count):
        surface[n], more = _fly(
            moving, rows, solids, groups, gravity, flights[n], blind[n], room, inside[n],
            near[missed : missed + MOST_NEAR], touches,
        )  # fmt: skip
        for k in range(TOUCH_WIDTH):
            touch[n, k] = touches[0, k]
        for k in range(missed, missed + more):
            near[k, 0] = n
        missed += more
        if surface[n] >= 0:
            duration = touch[n, TIME] - flights[n, START_AT]
            fly_turned(flights[n, STATE_AT:BALL_AT], duration, touch[n, BEFORE_AT:NORMAL_AT])
    return surface, touch, inside, near[:missed]


def first_touches(
    moving: Moving, rows: PoseRows, solids: Solids, groups: Groups, gravity: Floats, flights: Floats, blind: Floats
) -> FirstContacts:
    """The first touch of each flight.

    `blind` (flights, surfaces) says from when on a pair is seen: -inf always, inf not before it is clear.
    """
    return FirstContacts(*_search(moving, rows, solids, groups, gravity, flights, blind))
