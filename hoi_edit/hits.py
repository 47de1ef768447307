"""Which of the possible touches is the first real one of each flight."""

from collections.abc import Callable
from dataclasses import dataclass
from types import SimpleNamespace

import numpy as np

from hoi_edit.exact import REAL, Exact
from hoi_edit.rollout import Near
from hoi_edit.search import Brackets
from hoi_edit.touching import STRIKE, STRUCK
from hoi_edit.world import Ints, Surfaces
from kinematics.rotation import Floats

Items = Callable[[Ints, Ints, Floats, Floats, Floats], Floats]  # flight, surface, low, high, guess -> STRIKE rows
TOUCHING = 1e-9  # [m] as close as this a flight begins in touch
SEAM = 1e-6  # [s] within which two near misses are one
DEEP = 1e-6  # [m] deeper than this it begins inside


@dataclass(frozen=True, eq=False)
class Hit:
    surface: int
    row: Floats  # STRUCK


@dataclass(frozen=True, eq=False)
class Found:
    hits: dict[int, Hit]  # the first touch of each flight that has one
    inside: dict[tuple[int, int], float]  # (flight, surface) that begin inside each other, and how deep
    near: list[tuple[int, Near]]  # (flight, near miss)


def first_hits(exact: Exact, surfaces: Surfaces, brackets: Brackets, items_of: Items, flights: int) -> Found:
    """Brackets are tried in order of time, all flights at once; whatever begins before one ends is tried with it.

    Of touches at the same instant the lower surface comes first; the other one follows at once, in the flight after.
    """
    found = Found({}, {}, [])
    stops = np.searchsorted(brackets.flight, np.arange(flights + 1))
    pointer, last = stops[:-1].copy(), stops[1:]
    unsettled = [k for k in range(flights) if pointer[k] < last[k]]
    while unsettled:
        chosen: list[int] = []
        for k in unsettled:
            stop = _overlapping(brackets, int(pointer[k]), int(last[k]))
            chosen.extend(range(pointer[k], stop))
            pointer[k] = stop
        _try(exact, surfaces, brackets, items_of, np.array(chosen), found)
        # a hit stands only if nothing untried begins before it
        unsettled = [
            k
            for k in unsettled
            if pointer[k] < last[k] and (k not in found.hits or brackets.low[pointer[k]] < found.hits[k].row[0])
        ]
    return found


def _overlapping(brackets: Brackets, first: int, last: int) -> int:
    stop, high = first + 1, brackets.high[first]
    while stop < last and brackets.low[stop] <= high:
        high = max(high, brackets.high[stop])
        stop += 1
    return stop


def _try(exact: Exact, surfaces: Surfaces, brackets: Brackets, items_of: Items, chosen: Ints, found: Found) -> None:
    surface = brackets.surface[chosen]
    items = items_of(
        brackets.flight[chosen], surface, brackets.low[chosen], brackets.high[chosen], brackets.guess[chosen]
    )
    rows = exact.strike(surfaces, surface, items)
    clean = is_touch(rows)
    for i, j in enumerate(chosen):
        k, s, row = int(brackets.flight[j]), int(surface[i]), rows[i]
        if brackets.start[j]:
            struck = STRUCK.unpack(row)
            if struck.gap < -DEEP:
                found.inside[k, s] = -float(struck.gap)
            touches = -DEEP <= struck.gap <= TOUCHING and _closing(struck)
        else:
            touches = bool(clean[i])
            if not touches:
                row, touches = _grazed(exact, surfaces, s, items[i], k, found)
        if touches and (k not in found.hits or row[0] < found.hits[k].row[0]):
            found.hits[k] = Hit(s, row)


def _closing(struck: SimpleNamespace) -> bool:
    """Contact at the start of a flight is decided by the gap's rate; without any, by what pulls."""
    return bool(struck.rate < -TOUCHING or (struck.rate <= TOUCHING and struck.pull < 0.0))


def is_touch(rows: Floats) -> np.ndarray:
    struck = STRUCK.unpack(rows)
    return np.asarray((np.abs(struck.gap) <= REAL) & (struck.rate < 0.0))


def _grazed(
    exact: Exact, surfaces: Surfaces, surface: int, item: Floats, flight: int, found: Found
) -> tuple[Floats, bool]:
    """A bracket without a clean root: the exact closest approach decides."""
    low, high, start = (float(item[STRIKE.slices[name]]) for name in ("low", "high", "start"))
    margin = high - low
    t, gap = exact.closest(surfaces, surface, item, max(low - margin, start), high + margin)
    if gap > 0.0:
        _note_near(found, flight, Near("", surfaces.name[surface], t, gap))
        return item, False
    again = item.copy()
    again[STRIKE.slices["guess"]] = low
    if exact.gap_and_rate(surfaces, np.array([surface]), again[None])[0, 0] <= 0.0:
        low = max(low - margin, start)  # what the search took for clear was not quite: the touch was before
    again[STRIKE.slices["low"]], again[STRIKE.slices["high"]] = min(low, t), t
    again[STRIKE.slices["guess"]] = 0.5 * (min(low, t) + t)
    row = exact.strike(surfaces, np.array([surface]), again[None])[0]
    return row, bool(is_touch(row))


def _note_near(found: Found, flight: int, near: Near) -> None:
    """A dip at the seam of two brackets is found in both of them, and is one near miss."""
    if not any(k == flight and n.other == near.other and abs(n.time - near.time) <= SEAM for k, n in found.near):
        found.near.append((flight, near))
