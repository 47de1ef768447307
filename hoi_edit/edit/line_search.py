"""How far to go along a step: what is amiss as one number, and the longest share of a step that makes it smaller."""

from collections.abc import Callable, Sequence

import numpy as np

from hoi_edit.constraints.base import Rowset
from hoi_edit.edit.iterate import Iterate
from kinematics.rotation import Floats

SHORTEST = 1.0 / 64.0  # of a step
CLEAR = "carried clear"


def residual_of(sets: Sequence[Rowset]) -> float:
    """The worst miss of any row."""
    return max((float(row_set.miss.max(initial=0.0)) for row_set in sets), default=0.0)


def merit(sets: Sequence[Rowset], given: Sequence[Floats] = ()) -> float:
    """How much is amiss: misses in units of each row, all in one number that a step of Newton's makes smaller.

    `given`: what rows that give way are to be off by, as far as can be foretold, since not everything can be met. That
    counts as met: else what is kept would be traded for them.
    """
    if not given:
        return float(np.sqrt(sum(row_set.amiss for row_set in sets)))
    yielding = [row_set for row_set in sets if may_be_missed(row_set)]
    off = [(outside(rows) - gives) / rows.unit for rows, gives in zip(yielding, given, strict=True)]
    return float(
        np.sqrt(sum(row_set.amiss for row_set in sets if not may_be_missed(row_set)) + sum(x @ x for x in off))
    )


def may_be_missed(row_set: Rowset) -> bool:
    """Whether it is of what is asked for, and may be missed. So may what keeps things clear that are carried, but that
    has other rows at each iterate, of which nothing can be foretold."""
    return row_set.soft and row_set.owner.kind != CLEAR


def outside(rows: Rowset) -> Floats:
    """(k,) how far each number is above its bounds, or below them."""
    return np.asarray(-np.clip(0.0, rows.lower, rows.upper))


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
