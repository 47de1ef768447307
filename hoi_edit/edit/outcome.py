"""What has become of an edit, from where its solver has come to: what is met, what is not, and why."""

from collections.abc import Sequence

import numpy as np

from hoi_edit.constraints.base import Constraint, about
from hoi_edit.constraints.pin import Pin
from hoi_edit.edit.infeasibility import held_back
from hoi_edit.edit.line_search import residual_of
from hoi_edit.edit.report import Report, changes
from hoi_edit.edit.sqp import Solver
from hoi_edit.reporting.findings import Amount, Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.checks.prescribed_collisions import Stray, begun_inside, cut_short, really_hit
from hoi_edit.simulate.run import Overwhelmed

MET = 1e-6  # [m], [m/s], [rad] or [s]: what is off by no more counts as met


def report_of(solver: Solver, closely: bool = True) -> Report:
    """Rows first, then what really happens where nobody leads. What holds an edit back is looked into, or, where that
    must not take long, what the last step said of it."""
    sets = solver.rowsets(solver.iterate)
    try:
        real = solver.real(solver.iterate).rollout
    except Overwhelmed as overwhelmed:
        why = tossed_about(overwhelmed)
        return Report(False, np.inf, solver.iterations, (why,), missed={why: np.inf})
    missed: dict[Finding, float] = {}
    for rows in sets:
        worst = float(rows.miss.max(initial=0.0))
        if worst > MET:
            missed[rows.owner] = max(missed.get(rows.owner, 0.0), worst)
    wishes = frozenset(rows.owner for rows in sets if rows.soft)
    residual = residual_of(sets)
    if residual > MET:
        binding = held_back(solver) if closely else _said_by_last_step(solver, wishes)
    else:
        missed, binding = _not_there(solver, real)
        residual = max([residual, *missed.values()])
    return Report(
        converged=residual <= MET,
        residual=residual,
        iterations=solver.iterations,
        binding=_apart(binding, solver.constraints),
        events_changed=changes(solver.kept.origin.rollout, real),
        missed=missed,
        wishes=wishes,
    )


def tossed_about(overwhelmed: Overwhelmed) -> Finding:
    """What a thing would be tossed about by."""
    return Finding("crushed", overwhelmed.thing, overwhelmed.partner, float(overwhelmed.time))


def _apart(why: tuple[Finding, ...], constraints: Sequence[Constraint]) -> tuple[Finding, ...]:
    """The same, where several constraints are called alike with each of them by what tells it from the others."""
    labels = [constraint.label for constraint in constraints]
    apart: list[Finding] = []
    for finding in why:
        alike = [told_apart(constraint) for constraint in constraints if about(constraint) == finding]
        apart += alike if labels.count(str(finding)) > 1 and alike else [finding]
    return tuple(apart)


def told_apart(constraint: Constraint) -> Finding:
    """The record of a constraint beside another one of the same label: of a pin with what it asks for."""
    return constraint.told_apart if isinstance(constraint, Pin) else about(constraint)


def _said_by_last_step(solver: Solver, wishes: frozenset[Finding]) -> tuple[Finding, ...]:
    """What its rows pulled against, and which of them contradict each other."""
    if solver.solution is None:
        return ()
    named = dict.fromkeys((*(bound.label for bound in solver.solution.binding), *solver.solution.inconsistent))
    return tuple(owner for owner in named if owner not in wishes)


def _not_there(solver: Solver, real: Rollout) -> tuple[dict[Finding, float], tuple[Finding, ...]]:
    """Where all rows hold: what does not, if nobody leads, and what is in its way.

    Something else may be touched before, or the same part in another place; flights may end too early, things begin
    inside others, and bodies go too far, which no row is about. What an unsolved plan runs into is looked at later.
    """
    missed, ways = dict[Finding, float](), dict[Finding, None]()
    if not solver.kept.declared:
        lost = solver.lost(real)
        missed |= {Finding("contact", contact): np.inf for contact in lost}
        for stray in really_hit(solver.iterate.rollout, real, lost):
            ways[_met(stray)] = None
        for name, other, depth in begun_inside(real):
            missed[Finding("start", name)] = depth
            ways[Finding("inside", name, other, amounts=(Amount(float(depth), "m"),))] = None
        for constraint in solver.overdone():
            missed[about(constraint)] = residual_of(constraint.rows(solver.iterate.rollout))
            ways[about(constraint)] = None
    for pin in solver.pins:
        for stray in cut_short(real, [(pin.name, pin.t, pin.after)]):
            missed[pin.about] = _away(real, pin)
            ways[_met(stray)] = None
    return missed, tuple(ways) or tuple(missed)


def _met(stray: Stray) -> Finding:
    """What is in the way, and when."""
    return Finding("met", stray.thing, stray.other, float(stray.time))


def _away(seen: Rollout, pin: Pin) -> float:
    """How far a thing really is from the place that it is to be at [m]; where that is not about its place, infinite."""
    if pin.position is None:
        return np.inf
    return float(np.linalg.norm(np.nan_to_num(seen.state(pin.name, pin.t).position - pin.position)))
