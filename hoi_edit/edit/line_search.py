"""How far to go along a step: what is amiss as one number, and the longest share of a step that makes it smaller."""

from collections.abc import Callable, Sequence

import numpy as np

from hoi_edit.constraints.base import Rowset
from hoi_edit.edit.iterate import Iterate

SHORTEST = 1.0 / 64.0  # of a step


def residual_of(sets: Sequence[Rowset]) -> float:
    """The worst miss of any row."""
    return max((float(row_set.miss.max(initial=0.0)) for row_set in sets), default=0.0)


def merit(sets: Sequence[Rowset]) -> float:
    """How much is amiss: misses in units of each row, all in one number that a step of Newton's makes smaller."""
    return float(np.sqrt(sum(row_set.amiss for row_set in sets)))


def backtracked(
    at: Callable[[float], Iterate | None],
    is_better: Callable[[Iterate | None, float], bool],
    iterate: Iterate | None,
    share: float,
) -> tuple[Iterate | None, bool]:
    """The longest share of a step that makes things better, and whether there is one; `iterate` is at a share that does
    not."""
    while share > SHORTEST:
        share *= 0.5
        iterate = at(share)
        if is_better(iterate, share):
            return iterate, True
    return iterate, False
