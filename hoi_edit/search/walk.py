"""The walk along a flight, from row to row of the table, which ends at its first touch."""

import numpy as np

from hoi_edit.moving import Desk, Moving, desk
from hoi_edit.packed import fly_turned
from hoi_edit.search.cubics import brackets_in
from hoi_edit.search.nearby import path_of, reach_at, span_of, step_on, surfaces_near, top_speed
from hoi_edit.search.pair import look_at
from hoi_edit.search.polishing import try_bracket
from hoi_edit.search.records import (
    BALL_AT,
    BEFORE_AT,
    BEGIN_AT,
    BLUR,
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
    Found,
    Groups,
    Ints,
    Rows,
    Solids,
)
from kinematics.compiled import compiled, inner
from kinematics.rotation import Floats

MOST_NEAR = 8  # near misses that a flight tells of


@inner
def _first_of(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, brackets: Floats,
    before: float, near_misses: Floats, missed: int, out: Floats,
) -> tuple[float, int]:  # fmt: skip
    """When the first touch within brackets is, if before a given time, or inf; and how many near misses there are."""
    for b in range(len(brackets)):
        if brackets[b, 0] > before:
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
def _fly(
    moving: Moving, rows: Rows, solids: Solids, groups: Groups, gravity: Floats, flight: Floats, blind: Floats,
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
    brackets = np.empty((4 * FINE, 3))
    path = path_of(rows, flight, gravity, first, last)
    fastest, asleep = top_speed(flight, gravity), np.zeros(len(groups.sphere), np.int64)
    reach_at(rows, groups, first, flight, gravity, path, fastest, reach[1], near[1], asleep)
    for row in range(first - 1, last):
        # the expected bounce is looked at first, as if it were in a row before all others
        expected, candidates = row < first, 1 if flight[EXPECTED_AT] >= 0 else 0
        if not expected:
            step_on(rows, groups, row + 1, flight, gravity, path, fastest, reach, near, asleep)
            candidates = surfaces_near(solids, groups, reach, near, close)
        for i in range(candidates):
            surface, count, end, t = close[i], 1, until, np.inf
            if expected:
                surface = int(flight[EXPECTED_AT])
                for k in range(3):
                    brackets[0, k] = flight[EXPECTED_AT + 1 + k]
            else:
                solid, seen = solids.numbers[surface], blind[surface]
                t0 = max(begin, rows.start + rows.step * row, solid[SHOWN_AT])
                t0 = t0 if abs(seen) >= UNTIL_OFF else max(t0, seen)
                end = min(until, solid[GONE_AT])
                t1 = min(end, rows.start + rows.step * (row + 1))
                if t0 >= t1 or t0 > best_time:
                    continue
                enough = 0.0 if seen < UNTIL_OFF else (CLEAR if seen == UNTIL_CLEAR else BLUR)
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
                for k in range(TOUCH_WIDTH):
                    touches[0, k] = touches[1, k]
        if best_time <= rows.start + rows.step * (row + 1) and not expected:
            break
    return best, missed


@compiled
def _search(
    moving: Moving, rows: Rows, solids: Solids, groups: Groups, gravity: Floats, flights: Floats, blind: Floats
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
    moving: Moving, rows: Rows, solids: Solids, groups: Groups, gravity: Floats, flights: Floats, blind: Floats
) -> Found:
    """The first touch of each flight.

    `blind` (flights, surfaces) says from when on a pair is seen: -inf always, inf not before it is clear.
    """
    return Found(*_search(moving, rows, solids, groups, gravity, flights, blind))
