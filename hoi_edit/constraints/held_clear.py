"""What is carried, or lies, keeps clear of the ground, of tables and of people: hull against hull, where an edit has
seen it go through one of them."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.constraints.base import Named, Rowset, freeze
from hoi_edit.constraints.hulls_apart import hulls_apart
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.checks.held_inside import DEEP, HeldInside, gaps_held, held_inside

AROUND = 0.1  # [s] to either side of where it is inside: there it must not get any deeper, either
CLOSER = 5e-4  # [m] that it is kept farther out than it needs to be


@dataclass(frozen=True, eq=False)
class HeldClear(Named):
    """Of one hold and one surface."""

    thing: str
    after: str  # what begins the hold
    surface: int
    other: str  # "ann/left_thigh", or a fixture
    times: np.ndarray  # (N,) [s]
    apart: np.ndarray  # (N,) [m], less than none where it was inside before the edit

    def __post_init__(self) -> None:
        freeze(self, "times", "apart")

    @property
    def about(self) -> Finding:
        return Finding("carried clear", self.thing, self.other)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        k = seen.span_index(self.thing, float(np.mean(self.times)), self.after)
        span = None if k is None else seen.trajectories.chains[self.thing].spans[k]
        if k is None or span is None or not span.is_held:
            return []
        looks = np.flatnonzero((self.times > span.start) & (self.times < span.end))
        row_sets = hulls_apart(
            seen, self.about, (self.thing, k), self.other, self.times[looks], self.apart[looks], self.surface
        )
        return [replace(row_set, soft=True) for row_set in row_sets]


def depth_in_all(seen: Rollout, begin: float, end: float) -> float:
    """How deep things are carried through others between two times, over all looks [m]."""
    return sum(-float(np.minimum(found.gaps, 0.0).sum()) for found in held_inside(seen, begin, end))


def carried_through(
    seen: Rollout, before: Rollout | None, begin: float, end: float, known: Sequence[object]
) -> Iterator[HeldClear]:
    """What is to be kept clear of what it goes through between two times, by more than it did `before`, and is not
    yet."""
    for found in held_inside(seen, begin, end):
        after = seen.name_of_span(found.thing, found.span)
        if after is None:
            continue
        floor = _floor(before, found)
        deep = found.times[found.gaps < floor - DEEP]
        minded = [
            clear.times
            for clear in known
            if isinstance(clear, HeldClear)
            and (clear.thing, clear.after, clear.surface) == (found.thing, after, found.surface)
        ]
        new = ~np.isin(deep, np.concatenate([np.zeros(0), *minded]))
        if new.any():
            near = np.abs(found.times[:, None] - deep).min(axis=1) <= AROUND
            other = seen.model.world.surfaces.name[found.surface]
            yield HeldClear(found.thing, after, found.surface, other, found.times[near], floor[near] + CLOSER)


def _floor(before: Rollout | None, found: HeldInside) -> np.ndarray:
    """(N,) how far apart the two have to be at each look: no farther than before, where they were inside each other."""
    floor = np.zeros(len(found.times))
    if before is None:
        return floor
    chain = before.trajectories.chains[found.thing]
    numbers = np.array([chain.index_at(float(time)) for time in found.times])
    for k in np.unique(numbers).tolist():
        span, looks = chain.spans[k], numbers == k
        if span.is_held:
            floor[looks] = np.minimum(gaps_held(before, span, found.surface, found.times[looks]), 0.0)
    return floor
