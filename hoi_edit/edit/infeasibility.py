"""What holds an edit back, in the order in which it matters.

Locks and windows come first: variables that they keep are in no row, so that no multiplier names them. They are named
where the same step without them would cost far less. Then whatever pulls hardest against what is wished for: where a
step can be foretold but not gone, as when a thing is pinned here and dragged there a moment later, no row is missed and
none contradicts another, but those two pull like nothing else.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from hoi_edit.constraints.lying import Lies
from hoi_edit.qp import Freedom, Lock, QuadraticProgram, solve

if TYPE_CHECKING:
    from hoi_edit.edit.sqp import Solver

MUCH = 0.5  # of the effort: what takes away more of it holds back
HARD = 0.25  # of the pull of what is wished for
MOST = 4  # names of rows


def held_back(solver: "Solver") -> tuple[str, ...]:
    """Names of what keeps an edit from getting any farther than where it is."""
    sets = solver.rowsets(solver.point)
    if not sets:
        return ()
    problem = solver.problem(sets, pull=0.0)
    return (*_restraints(solver, problem), *_against(problem)) or _supports(solver)


def _supports(solver: "Solver") -> tuple[str, ...]:
    """Where nothing pulls, as nothing that may change moves what is dragged: what it lies on."""
    dragged = {own.name for own in solver.pins}
    return tuple(own.label for own in solver.kept.contacts if isinstance(own, Lies) and own.thing in dragged)


def _restraints(solver: "Solver", problem: QuadraticProgram) -> list[str]:
    """Locks, and the window, without which it would be far easier; all of them where no single one would do."""
    freedom = solver.kept.freedom
    restraints = _named(freedom)
    if not restraints:
        return []
    least = MUCH * _effort(solver, problem, freedom)
    if not _effort(solver, problem, replace(freedom, locks=(), window=None)) < least:
        return []
    alone = [name for name, without in restraints if _effort(solver, problem, without) < least]
    return alone or [name for name, _ in restraints]


def _named(freedom: Freedom) -> list[tuple[str, Freedom]]:
    """What keeps variables as they are, and the same freedom without it."""
    found = []
    if freedom.window is not None:
        window = f"the window from {freedom.window.start:g} s to {freedom.window.end:g} s"
        found.append((window, replace(freedom, window=None)))
    for lock in freedom.locks:
        others = tuple(own for own in freedom.locks if own is not lock)
        found.append((_lock_name(lock), replace(freedom, locks=others)))
    return found


def _lock_name(lock: Lock) -> str:
    span = "" if lock.span is None else f" from {lock.span[0]:g} s to {lock.span[1]:g} s"
    return f"the lock of {lock.name}{span}"


def _effort(solver: "Solver", problem: QuadraticProgram, freedom: Freedom) -> float:
    """What the step would cost if this were free."""
    other = replace(problem, metric=solver.kept.metric_with(freedom))
    return solve(other).effort(other)


def _against(problem: QuadraticProgram) -> list[str]:
    """Owners of rows that pull hardest; not of what is wished for, which does not hold itself back."""
    soft = np.zeros(len(problem.lower), bool) if problem.soft is None else np.asarray(problem.soft, bool)
    found = solve(problem)
    pulls = np.abs(found.pulls)
    strongest = float(pulls[soft].max(initial=0.0)) if soft.any() else float(pulls.max(initial=0.0))
    return _strongest(problem.labels, np.where(soft, 0.0, pulls), HARD * strongest)


def _strongest(labels: Sequence[str], pulls: np.ndarray, least: float) -> list[str]:
    found: dict[str, float] = {}
    for row in np.flatnonzero((pulls > 0.0) & (pulls >= least)).tolist():
        found[labels[row]] = max(found.get(labels[row], 0.0), float(pulls[row]))
    return sorted(found, key=lambda label: -found[label])[:MOST]
