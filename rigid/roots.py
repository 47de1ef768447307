"""When something falls to zero, to round-off: the two ways to such a root, and the only ones.

(Where a gap that does not get there is at its lowest, its search tells by the gap's rate: `closest`, of polishing.)
`root_between` looks at values alone and knows a bracket. `next_look` knows the rate as well: it is Newton's step, kept
within a bracket that need not have an end, one look at a time, so that whoever looks may be a loop in machine code;
`root_near` is that loop in Python. None is differentiated: `time_of_impact` says how a root depends on everything.
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from kinematics.compiled import inner

ROUND_OFF = 2e-15  # [m] of a gap between things that are a metre or two from the origin
MOST_LOOKS = 80  # Newton takes three to five; the rest is for halving, which only odd motions need


class Search(NamedTuple):
    """Where a root is looked for. At `low` the value was above zero, at `high` it was not."""

    low: float
    high: float  # inf: there is no end, and a value that does not fall has no root
    best: float  # of the times looked at, the one with the value closest to zero
    least: float  # that value's size


@inner
def search_between(low: float, high: float) -> Search:
    """Before the first look."""
    return Search(low, high, low, np.inf)


@inner
def next_look(search: Search, t: float, value: float, rate: float) -> tuple[Search, float]:
    """What is known after a look at time t, and when to look next: at t itself if that is the root.

    The last look of a search is at its root, so that whatever else a look tells is that of the root.
    """
    low, high, best, least = search.low, search.high, search.best, search.least
    if abs(value) <= ROUND_OFF:
        return Search(t, t, t, abs(value)), t
    if low == high:
        return search, t
    if abs(value) < least:
        best, least = t, abs(value)
    low, high = (t, high) if value > 0.0 else (low, t)
    trial = t - value / rate if rate < 0.0 else low - 1.0
    if high == np.inf:
        trial = trial if trial >= low else t
    elif not low <= trial <= high:
        trial = 0.5 * (low + high)
    # a step shorter than the grid of time itself cannot improve: once more at the best, and that is it
    if trial == t or (high < np.inf and high - low <= 2e-16 * abs(high)):
        return Search(best, best, best, least), best
    return Search(low, high, best, least), trial


def root_near(
    look: Callable[[float], tuple[float, float]], low: float, high: float, guess: float, near: float = np.inf
) -> float:
    """Where a value whose rate is known falls to zero, to round-off, starting from a guess; where it does not fall
    or is no longer near to zero, the best time that was looked at."""
    search, t = search_between(low, high), guess
    for _ in range(MOST_LOOKS):
        value, rate = look(t)
        if rate >= 0.0 or abs(value) > near:
            break
        search, then = next_look(search, t, value, rate)
        if then == t:
            break
        t = then
    return search.best if np.isfinite(search.least) else guess


def root_between(value: Callable[[float], float], before: float, after: float, at_after: float | None = None) -> float:
    """Where a function falls from above zero to below, to round-off, in some eight looks (`at_after` saves one).

    Chandrupatla's way (1997): inverse quadratic steps where they are safe, else halving. Where round-off hides one of
    the two signs, the root is where it was to be seen.
    """
    low, high = value(before), value(after) if at_after is None else at_after
    if not low > 0.0 >= high:  # nor where one of them is no number
        return after if low > 0.0 else before
    fine = float(np.spacing(max(abs(before), abs(after))))
    a, f_a, b, f_b = after, high, before, low  # the bracket: its newest end, and the other one
    share = high / (high - low)  # of the way from a to b
    while (t := a + share * (b - a)) not in (a, b):
        f_t = value(t)
        if (f_t > 0.0) == (f_a > 0.0):
            c, f_c = a, f_a
        else:
            c, f_c, b, f_b = b, f_b, a, f_a
        a, f_a = t, f_t
        if f_a == 0.0 or abs(b - a) <= fine:
            break
        across, rise = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
        share = 0.5
        if rise**2 < across and (1.0 - rise) ** 2 < 1.0 - across:
            share = f_a / (f_b - f_a) * f_c / (f_b - f_c) + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
        least = fine / abs(b - a)  # beyond a root that is found as well as it can be: the bracket closes from there
        share = min(max(share, least), 1.0 - least)
    return a if abs(f_a) <= abs(f_b) else b
