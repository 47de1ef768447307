"""Where two balls meet of which at least one rests, slides or rolls.

Each is on a way of cubics; seen from one the other moves on a cubic too, whose acceleration is greatest at one of its
ends, so that what is ruled out is ruled out for certain. Two that lean on each other would touch for ever:
they part with at least `HOP`, or as they came, and while they are in touch they are seen again when they have come to
approach each other by as much.
"""

import numpy as np

from hoi_edit.simulate.search.layouts import CLEAR, FLIGHT_WIDTH, STATE_AT, TOUCHING, VELOCITY_AT
from hoi_edit.simulate.search.rolling_contact import FINEST, ONE, is_clear, place_at
from kinematics.compiled import compiled, inner
from kinematics.rotation import Floats

HOP = 0.05  # [m/s]
OFF = 1e-6  # [m] as far apart as this, two that leaned do not lean any more
DEEP = 0.2  # share of both radii by which two may overlap when they begin, to be driven apart; deeper is inside
MOST = 64  # stretches that are open at once
AGAIN = 1e-9  # [s] two touches of the same two things that are closer than this are one


@inner
def _apart(a: Floats, i: int, b: Floats, j: int, t: float, reach: float, desk: Floats, out: Floats) -> None:
    """Time, gap, rate, speed and a bound on the acceleration of two balls at a time, into `out` (5,)."""
    place_at(a, i, t, desk[0], desk[2])
    place_at(b, j, t, desk[1], desk[3])
    square, along, speed, pull = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        x = desk[0, STATE_AT + k] - desk[1, STATE_AT + k]
        v = desk[0, VELOCITY_AT + k] - desk[1, VELOCITY_AT + k]
        square += x * x
        along += x * v
        speed += v * v
        pull += (desk[2, k] - desk[3, k]) ** 2
    distance = np.sqrt(square)
    out[0], out[1], out[2] = t, distance - reach, along / max(distance, 1e-300)
    out[3], out[4] = np.sqrt(speed), np.sqrt(pull)


@inner
def _meet_within(
    a: Floats, i: int, b: Floats, j: int, begin: float, until: float, reach: float, desk: Floats, stack: Floats
) -> float:
    """When two balls that are apart at `begin` first touch between two times, or inf."""
    _apart(a, i, b, j, begin, reach, desk, stack[0, :ONE])
    _apart(a, i, b, j, until, reach, desk, stack[0, ONE:])
    count = 1
    while count > 0:
        count -= 1
        low, high = stack[count, :ONE].copy(), stack[count, ONE:].copy()
        length = high[0] - low[0]
        if high[1] > 0.0 and is_clear(low, high, length):
            continue
        if length <= FINEST or count + 2 > MOST:
            if high[1] <= 0.0:
                return high[0]
            continue
        middle = np.empty(ONE)
        _apart(a, i, b, j, 0.5 * (low[0] + high[0]), reach, desk, middle)
        if middle[1] > 0.0:  # the later half waits below the earlier one
            stack[count, :ONE], stack[count, ONE:] = middle, high
            count += 1
        stack[count, :ONE], stack[count, ONE:] = low, middle
        count += 1
    return np.inf


@compiled
def first_meeting_of(a: Floats, b: Floats, begin: float, until: float, reach: float) -> float:
    """When two balls on their ways (K, 7) first touch between two times, or inf."""
    desk, stack, look = np.zeros((4, FLIGHT_WIDTH)), np.empty((MOST + 2, 2 * ONE)), np.empty(ONE)
    i, j, t, enough, first = 0, 0, begin, 0.0, True
    while t < until:
        while i < len(a) - 2 and a[i + 1, 0] <= t:
            i += 1
        while j < len(b) - 2 and b[j + 1, 0] <= t:
            j += 1
        end = until
        for edge in (a[i + 1, 0], b[j + 1, 0]):
            end = edge if t < edge < end else end
        if first:
            _apart(a, i, b, j, t, reach, desk, look)
            enough = 0.0 if look[1] > TOUCHING else (CLEAR if look[1] < -DEEP * reach else OFF)
            if enough == OFF and look[2] < -HOP:
                return t
            first = False
        start = t
        if enough > 0.0:
            for k in range(17):
                start = t + (end - t) * k / 16.0
                _apart(a, i, b, j, start, reach, desk, look)
                if enough == OFF and look[1] <= OFF and look[2] < -HOP:
                    return start
                if look[1] > enough:
                    enough = 0.0
                    break
        if enough == 0.0 and start < end:
            touched = _meet_within(a, i, b, j, start, end, reach, desk, stack)
            if touched < np.inf:
                return touched
        t = end
    return np.inf
