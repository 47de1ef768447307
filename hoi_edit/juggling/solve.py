"""From a pattern to a session in which every catch happens; or to a sentence that says what a body cannot do."""

from dataclasses import dataclass
from functools import cached_property

from hoi_edit.constraints import HandAcceleration, JointLimits
from hoi_edit.editing.progress import Listener
from hoi_edit.editing.report import Report
from hoi_edit.juggling.figures import Figures, figures
from hoi_edit.juggling.notation import Pattern, parse
from hoi_edit.juggling.scene import APART, draft
from hoi_edit.juggling.timing import Schedule, schedule
from hoi_edit.runtime import prepare
from hoi_edit.session import EditSession
from kinematics.errors import HoiError

GENTLE, QUICK = 60.0, 90.0  # [m/s²] that hands may accelerate by: up to five balls of a juggler, and with more


@dataclass(frozen=True, eq=False)
class Performance:
    """A pattern that is juggled: the session, and what was planned."""

    session: EditSession
    plan: Schedule
    report: Report

    @cached_property
    def figures(self) -> Figures:
        return figures(self.plan, self.session.rollout)


def juggle(
    pattern: str | Pattern,
    jugglers: int | None = None,
    *,
    beat: float | None = None,
    dwell: float | None = None,
    rounds: int | None = None,
    seconds: float | None = None,
    apart: float = APART,
    acceleration: float | None = None,
    progress: Listener | None = None,
) -> EditSession:
    """A session in which the pattern is juggled, to be edited like any other.

    `beat` [s] is from throw to throw and `dwell` [beats] how long a ball stays in a hand, else both are chosen;
    `rounds` or `seconds` say how long it goes on, `apart` [m] how far jugglers stand from each other, and
    `acceleration` [m/s²] is the most of a hand. What a body cannot do is a `HoiError` that says what holds it back.
    """
    own = parse(pattern, jugglers) if isinstance(pattern, str) else pattern
    return performance(
        schedule(own, beat, dwell, rounds, seconds), apart, acceleration=acceleration, progress=progress
    ).session


def performance(
    plan: Schedule, apart: float = APART, acceleration: float | None = None, progress: Listener | None = None
) -> Performance:
    """A plan that is performed."""
    most = usual_acceleration(plan) if acceleration is None else float(acceleration)
    prepare()
    session = EditSession(draft(plan, apart, most))
    report = session.solve(progress)
    _check(plan, report)
    for character in session.scene.characters:
        limits = JointLimits.of(session.source, character.name)
        _check(plan, session.add(limits, progress))
        for side in ("right", "left"):
            quiet = HandAcceleration(f"{character.name}/{side}_palm", most)
            _check(plan, session.add(quiet, progress))
    return Performance(session, plan, report)


def usual_acceleration(plan: Schedule) -> float:
    return GENTLE if plan.pattern.balls <= 5 * plan.pattern.jugglers else QUICK


def _check(plan: Schedule, report: Report) -> None:
    if not report.converged:
        held = ", ".join(report.binding[:3]) or ", ".join(list(report.missed)[:3])
        raise HoiError(
            f"pattern {plan.pattern.text!r} with a beat of {plan.beat:.3g} s cannot be juggled so: "
            f"it is held back by {held}"
        )
