"""A touch to round-off: from a bracket of time to the instant at which the gap to the *true* motion is zero, or to the
closest approach that shows there is none."""

import numpy as np

from hoi_edit.motions.frame_motion import Desk, Moving, desk
from hoi_edit.simulate.search.layouts import (
    BEGIN_AT,
    FINE,
    GAP,
    RATE,
    REAL,
    START_AT,
    TIME,
    TOUCH_WIDTH,
    UNTIL_AT,
    Ints,
    Solids,
)
from hoi_edit.simulate.search.narrow_phase import look_at
from kinematics.compiled import compiled, inner
from kinematics.rotation import Floats
from rigid.roots import MOST_LOOKS, next_look, search_between

STILL = 1e-12  # [m/s] of a gap that is at its lowest
FARTHER = 8  # times that it is looked at twice as far


@inner
def polish(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, low: float, high: float,
    guess: float, out: Floats,
) -> bool:  # fmt: skip
    """The instant of a touch between two times, to round-off, and all about it in `out`."""
    search, t = search_between(low, high), guess
    for _ in range(MOST_LOOKS):
        look_at(moving, room, solids, surface, flight, gravity, t, out)
        search, then = next_look(search, t, out[GAP], out[RATE])
        if then == t:
            break
        t = then
    return abs(out[GAP]) <= REAL and out[RATE] < 0.0


@inner
def closest(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, low: float, high: float,
    out: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Time and size of the lowest gap between two times: by samples, then where the gap's rate changes its sign.

    That is found by false position, an end that stays counting half the second time; without rates at both ends, by
    bisection.
    """
    best, lowest, samples = low, np.inf, 4 * FINE
    step, a, b, rate_a, rate_b, stays = (high - low) / samples, low, high, -np.inf, np.inf, 0
    for k in range(samples + 50):
        t = low + k * step
        if k > samples:
            t = (a * rate_b - b * rate_a) / (rate_b - rate_a)
            t = t if a < t < b else 0.5 * (a + b)
        look_at(moving, room, solids, surface, flight, gravity, t, out)
        rate = out[RATE]
        if out[GAP] < lowest:
            best, lowest = t, out[GAP]
        if k == samples:
            a, b = max(best - step, low), min(best + step, high)
        elif k > samples:
            if rate > 0:
                b, rate_b, rate_a, stays = t, rate, rate_a * (0.5 if stays == -1 else 1.0), -1
            else:
                a, rate_a, rate_b, stays = t, rate, rate_b * (0.5 if stays == 1 else 1.0), 1
            if abs(rate) <= STILL or b - a <= 1e-12 * max(abs(a), abs(b), 1.0):
                break
    return best, lowest


@inner
def _lowest_about(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, low: float, high: float,
    out: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Time and size of the lowest gap about two times, or of one that is not positive. As long as it is lowest at an
    end of what is looked at, that is not where it turns: then it is looked at farther on."""
    t, gap = low, np.inf
    for _ in range(FARTHER):
        t, gap = closest(moving, room, solids, surface, flight, gravity, low, high, out)
        if gap <= 0.0:
            break
        look_at(moving, room, solids, surface, flight, gravity, t, out)
        span = high - low
        if t >= high - 1e-6 * span and out[RATE] < 0.0:
            low, high = high, high + 2.0 * span
        elif t <= low + 1e-6 * span and out[RATE] > 0.0 and low > flight[START_AT]:
            low, high = max(low - 2.0 * span, flight[START_AT]), low
        else:
            break
    return t, gap


@inner
def try_bracket(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, bracket: Floats,
    out: Floats,
) -> tuple[float, float]:  # fmt: skip
    """The gap that is left in a bracket (low, high, guess), and when: zero if there is a touch, then all about it in
    `out`; positive if the pair only came close; infinite where no touch can be made out."""
    low, high = bracket[0], bracket[1]
    margin = 0.0
    for attempt in range(2):
        guess = bracket[2] if attempt == 0 else 0.5 * (low + high)
        if polish(moving, room, solids, surface, flight, gravity, low, high, guess, out):
            return 0.0, out[TIME]
        if attempt == 0:
            margin, start = high - low, flight[START_AT]
            t, gap = _lowest_about(
                moving, room, solids, surface, flight, gravity, max(low - margin, start), high + margin, out
            )
            if gap > 0.0:
                return gap, t
            low, high = min(low, t), t
            for _ in range(FARTHER):  # what the search took for clear may not have been: the touch was before
                look_at(moving, room, solids, surface, flight, gravity, low, out)
                if out[GAP] > 0.0 or low <= start:
                    break
                low, margin = max(low - margin, start), 2.0 * margin
    return np.inf, high


@compiled
def closest_approach(
    moving: Moving, solids: Solids, surfaces: Ints, gravity: Floats, flight: Floats, step: float
) -> Floats:
    """All about a ball and the one of some surfaces that it comes closest to between begin and until (STRUCK)."""
    out, best, room = np.empty(TOUCH_WIDTH), np.empty(TOUCH_WIDTH), desk(moving)
    best[GAP] = np.inf
    count = max(2, int(np.ceil((flight[UNTIL_AT] - flight[BEGIN_AT]) / step)))
    span = (flight[UNTIL_AT] - flight[BEGIN_AT]) / count
    for at in range(len(surfaces)):
        lowest, low = np.inf, flight[BEGIN_AT]
        for k in range(count + 1):
            look_at(moving, room, solids, surfaces[at], flight, gravity, flight[BEGIN_AT] + k * span, out)
            if out[GAP] < lowest:
                lowest, low = out[GAP], flight[BEGIN_AT] + (k - 1) * span
        low = max(low, flight[BEGIN_AT])
        closest(moving, room, solids, surfaces[at], flight, gravity, low, min(low + 2 * span, flight[UNTIL_AT]), out)
        if out[GAP] < best[GAP]:
            for k in range(TOUCH_WIDTH):
                best[k] = out[k]
    return best
