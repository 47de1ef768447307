"""What has become of an edit, from where its solver has come to: what is met, what is not, and why."""

from collections.abc import Sequence

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.pin import Pin
from hoi_edit.edit.infeasibility import held_back
from hoi_edit.edit.report import Report, changes
from hoi_edit.edit.sqp import Solver, residual_of
from hoi_edit.rollout import Rollout
from hoi_edit.scene import in_words
from hoi_edit.simulate.checks.prescribed_collisions import begun_inside, cut_short, really_hit

MET = 1e-6  # [m], [m/s], [rad] or [s]: what is off by no more counts as met


def report_of(solver: Solver, closely: bool = True) -> Report:
    """Rows first, then what really happens where nobody leads. What holds an edit back is looked into, or, where that
    must not take long, what the last step said of it."""
    sets, real = solver.rowsets(solver.point), solver.real(solver.point).rollout
    missed: dict[str, float] = {}
    for own in sets:
        worst = float(own.miss.max(initial=0.0))
        if worst > MET:
            missed[own.owner] = max(missed.get(own.owner, 0.0), worst)
    wishes = frozenset(own.owner for own in sets if own.soft)
    residual, why = residual_of(sets), tuple[str, ...]()
    if residual > MET:
        why = held_back(solver) if closely else _said_by_last_step(solver, wishes)
    else:
        missed, why = _not_there(solver, real)
        residual = max([residual, *missed.values()])
    return Report(
        converged=residual <= MET,
        residual=residual,
        iterations=solver.iterations,
        binding=_apart(why, solver.constraints),
        events_changed=changes(solver.kept.origin.rollout, real),
        missed=missed,
        wishes=wishes,
    )


def _apart(why: tuple[str, ...], constraints: Sequence[Constraint]) -> tuple[str, ...]:
    """The same, where several constraints are called alike with each of them by what tells it from the others."""
    labels = [own.label for own in constraints]
    several = {label: [told_apart(own) for own in constraints if own.label == label] for label in why}
    return tuple(name for label in why for name in (several[label] if labels.count(label) > 1 else [label]))


def told_apart(own: Constraint) -> str:
    """What a constraint is called beside another one of the same label: a pin by what it asks for."""
    if not isinstance(own, Pin):
        return own.label
    words = ["turned"] if own.rotation is not None else []
    for value, unit in ((own.position, "m"), (own.velocity, "m/s")):
        words += [] if value is None else [f"{in_words(value)} {unit}"]
    return f"{own.label}, {', '.join(words)}"


def _said_by_last_step(solver: Solver, wishes: frozenset[str]) -> tuple[str, ...]:
    """What its rows pulled against, and which of them contradict each other."""
    if solver.solution is None:
        return ()
    named = dict.fromkeys((*(own.label for own in solver.solution.binding), *solver.solution.inconsistent))
    return tuple(label for label in named if label not in wishes)


def _not_there(solver: Solver, real: Rollout) -> tuple[dict[str, float], tuple[str, ...]]:
    """Where all rows hold: what does not, if nobody leads, and what is in its way.

    Something else may be touched before, or the same part in another place; flights may end too early, things begin
    inside others, and bodies go too far, which no row is about. What an unsolved plan runs into is looked at later.
    """
    missed, ways = dict[str, float](), dict[str, None]()
    if not solver.kept.declared:
        lost = solver.lost(real)
        missed |= {f"contact {contact}": np.inf for contact in lost}
        for stray in really_hit(solver.point.rollout, real, lost):
            ways[f"{stray.other} at {stray.time:.2f} s"] = None
        for name, other, depth in begun_inside(real):
            missed[f"start of {name}"] = depth
            ways[f"{other}, which {name} would start {1e3 * depth:.3g} mm inside"] = None
        for own in solver.overdone():
            missed[own.label] = residual_of(own.rows(solver.point.rollout))
            ways[own.label] = None
    for own in solver.pins:
        for stray in cut_short(real, [(own.name, own.t, own.after)]):
            missed[own.label] = _away(real, own)
            ways[f"{stray.other} at {stray.time:.2f} s"] = None
    return missed, tuple(ways) or tuple(missed)


def _away(seen: Rollout, pin: Pin) -> float:
    """How far a thing really is from the place that it is to be at [m]; where that is not about its place, infinite."""
    if pin.position is None:
        return np.inf
    return float(np.linalg.norm(np.nan_to_num(seen.state(pin.name, pin.t).position - pin.position)))
