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
from hoi_edit.reporting.findings import Finding

if TYPE_CHECKING:
    from hoi_edit.edit.sqp import Solver

MUCH = 0.5  # of the effort: what takes away more of it holds back
HARD = 0.25  # of the pull of what is wished for
MOST = 4  # names of rows


def held_back(solver: "Solver") -> tuple[Finding, ...]:
    """What keeps an edit from getting any farther than where it is."""
    sets = solver.rowsets(solver.iterate)
    if not sets:
        return ()
    problem = replace(solver.problem(sets, pull=0.0), soft_price=np.inf)
    return (*_restraints(solver, problem), *_against(problem)) or _supports(solver)


def _supports(solver: "Solver") -> tuple[Finding, ...]:
    """Where nothing pulls, as nothing that may change moves what is dragged: what it lies on."""
    dragged = {pin.name for pin in solver.pins}
    return tuple(kept.about for kept in solver.kept.contacts if isinstance(kept, Lies) and kept.thing in dragged)


def _restraints(solver: "Solver", problem: QuadraticProgram) -> list[Finding]:
    """Locks, and the window, without which it would be far easier; all of them where no single one would do."""
    freedom = solver.kept.freedom
    restraints = _named(freedom)
    if not restraints:
        return []
    least = MUCH * _effort(solver, problem, freedom)
    if not _effort(solver, problem, replace(freedom, locks=(), window=None)) < least:
        return []
    alone = [restraint for restraint, without in restraints if _effort(solver, problem, without) < least]
    return alone or [restraint for restraint, _ in restraints]


def _named(freedom: Freedom) -> list[tuple[Finding, Freedom]]:
    """What keeps variables as they are, and the same freedom without it."""
    restraints = []
    if freedom.window is not None:
        window = Finding("window", time=float(freedom.window.start), until=float(freedom.window.end))
        restraints.append((window, replace(freedom, window=None)))
    for lock in freedom.locks:
        others = tuple(other for other in freedom.locks if other is not lock)
        restraints.append((_of_lock(lock), replace(freedom, locks=others)))
    return restraints


def _of_lock(lock: Lock) -> Finding:
    start, end = (None, None) if lock.span is None else (float(lock.span[0]), float(lock.span[1]))
    return Finding("lock", lock.name, time=start, until=end)


def _effort(solver: "Solver", problem: QuadraticProgram, freedom: Freedom) -> float:
    """What the step would cost if this were free."""
    other = replace(problem, metric=solver.kept.metric_with(freedom))
    return solve(other).effort(other)


def _against(problem: QuadraticProgram) -> list[Finding]:
    """Owners of rows that pull hardest; not of what is wished for, which does not hold itself back."""
    soft = np.zeros(len(problem.lower), bool) if problem.soft is None else np.asarray(problem.soft, bool)
    solution = solve(problem)
    pulls = np.abs(solution.pulls)
    strongest = float(pulls[soft].max(initial=0.0)) if soft.any() else float(pulls.max(initial=0.0))
    return _strongest(problem.labels, np.where(soft, 0.0, pulls), HARD * strongest)


def _strongest(owners: Sequence[Finding], pulls: np.ndarray, least: float) -> list[Finding]:
    pull_of: dict[Finding, float] = {}
    for row in np.flatnonzero((pulls > 0.0) & (pulls >= least)).tolist():
        pull_of[owners[row]] = max(pull_of.get(owners[row], 0.0), float(pulls[row]))
    return sorted(pull_of, key=lambda owner: -pull_of[owner])[:MOST]
