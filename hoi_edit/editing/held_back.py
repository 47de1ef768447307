"""What holds an edit back, beside the rows of its steps: locks. A variable that is locked is in no row, so that no
multiplier names it; but what is wished for would move with it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.editing.report import Report
from hoi_edit.simulation import Rollout
from hoi_edit.solver import Freedom, metric_of


def told(report: Report, wishes: Sequence[Constraint], seen: Rollout, freedom: Freedom) -> Report:
    """A report that names locks which keep what is wished for from moving, before all else; a wish that gives way does
    not hold itself back."""
    if report.converged:
        return report
    soft = {rows.owner for wish in wishes for rows in wish.rows(seen) if rows.soft}
    others = tuple(own for own in report.binding if own not in soft)
    return replace(report, binding=(*_locks(wishes, seen, freedom), *others))


def _locks(wishes: Sequence[Constraint], seen: Rollout, freedom: Freedom) -> list[str]:
    """Locks without which something that is wished for could move."""
    functionals = [rows.functional for wish in wishes for rows in wish.rows(seen)]
    if not freedom.locks or not functionals:
        return []
    moves = np.any(seen.dense(seen.linearisation.of(functionals)) != 0.0, axis=0)  # (n,) with which entries of u
    unlocked = replace(freedom, locks=())
    matter = moves & _free(seen, unlocked)
    return [
        f"the lock of {lock.name}" + ("" if lock.span is None else f" from {lock.span[0]:g} s to {lock.span[1]:g} s")
        for lock in freedom.locks
        if np.any(matter & ~_free(seen, replace(unlocked, locks=(lock,))))
    ]


def _free(seen: Rollout, freedom: Freedom) -> np.ndarray:
    """(n,) which entries of u may change."""
    return metric_of(seen.model, freedom, u=seen.u).free[: seen.model.layout.size]
