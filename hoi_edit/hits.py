"""Which of the possible touches is the first real one of each flight."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.exact import REAL, Exact
from hoi_edit.packing import Columns
from hoi_edit.rollout import Near
from hoi_edit.search import Brackets
from hoi_edit.touching import STRIKE, STRUCK
from hoi_edit.world import Ints, Surfaces
from kinematics.rotation import Floats

Items = Callable[[Ints, Ints, Floats, Floats, Floats], Floats]  # flight, surface, low, high, guess -> STRIKE rows
_AT: Columns = STRIKE


@dataclass(frozen=True, eq=False)
class Hit:
    surface: int
    row: Floats  # STRUCK


def first_hits(
    exact: Exact, surfaces: Surfaces, brackets: Brackets, items_of: Items, flights: int, near: list[tuple[int, Near]]
) -> dict[int, Hit]:
    """The first touch of each flight that has one. Ties go to the lower surface; near misses are noted in `near`.

    Brackets are tried in order of time, all flights at once; whatever begins before a bracket ends is tried with it.
    """
    hits: dict[int, Hit] = {}
    stops = np.searchsorted(brackets.flight, np.arange(flights + 1))
    pointer, last = stops[:-1].copy(), stops[1:]
    unsettled = [k for k in range(flights) if pointer[k] < last[k]]
    while unsettled:
        chosen: list[int] = []
        for k in unsettled:
            stop = _overlapping(brackets, int(pointer[k]), int(last[k]))
            chosen.extend(range(pointer[k], stop))
            pointer[k] = stop
        for j, row in zip(chosen, _struck(exact, surfaces, brackets, items_of, chosen, near), strict=True):
            k = int(brackets.flight[j])
            if row is not None and (k not in hits or row[0] < hits[k].row[0]):
                hits[k] = Hit(int(brackets.surface[j]), row)
        # a hit stands only if nothing untried begins before it
        unsettled = [
            k for k in unsettled if pointer[k] < last[k] and (k not in hits or brackets.low[pointer[k]] < hits[k].row[0])
        ]
    return hits


def _overlapping(brackets: Brackets, first: int, last: int) -> int:
    stop, high = first + 1, brackets.high[first]
    while stop < last and brackets.low[stop] < high:
        high = max(high, brackets.high[stop])
        stop += 1
    return stop


def _struck(
    exact: Exact, surfaces: Surfaces, brackets: Brackets, items_of: Items, chosen: Sequence[int],
    near: list[tuple[int, Near]],
) -> list[Floats | None]:  # fmt: skip
    at = np.asarray(chosen)
    surface = brackets.surface[at]
    items = items_of(brackets.flight[at], surface, brackets.low[at], brackets.high[at], brackets.guess[at])
    rows = exact.strike(surfaces, surface, items)
    good = is_touch(rows)
    return [
        rows[i] if good[i] else _grazed(exact, surfaces, int(surface[i]), items[i], int(brackets.flight[j]), near)
        for i, j in enumerate(chosen)
    ]


def is_touch(rows: Floats) -> np.ndarray:
    struck = STRUCK.unpack(rows)
    return np.asarray((np.abs(struck.gap) <= REAL) & (struck.rate < 0.0))


def _grazed(
    exact: Exact, surfaces: Surfaces, surface: int, item: Floats, flight: int, near: list[tuple[int, Near]]
) -> Floats | None:
    """A bracket without a clean root: the exact closest approach decides."""
    low, high, start = (float(item[_AT.slices[name]]) for name in ("low", "high", "start"))
    margin = high - low
    t, gap = exact.closest(surfaces, surface, item, max(low - margin, start), high + margin)
    if gap > 0.0:
        near.append((flight, Near("", surfaces.name[surface], t, gap)))
        return None
    again = item.copy()
    again[_AT.slices["low"]], again[_AT.slices["high"]] = min(low, t), t
    again[_AT.slices["guess"]] = 0.5 * (min(low, t) + t)
    row = exact.strike(surfaces, np.array([surface]), again[None])[0]
    return row if bool(is_touch(row)) else None
