"""From a pattern to a session in which every catch happens; or to a sentence that says what a body cannot do."""

import re
from dataclasses import dataclass
from functools import cached_property

import numpy as np

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

BETWEEN = 0.94  # of that, as the constraint looks at it: peaks between its looks are a little higher
TRUE = 1e-6  # [m]
MEETING = re.compile(r"(ball\d+) (?:clear of|hits) (ball\d+) at ([\d.]+) s")


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
            quiet = HandAcceleration(f"{character.name}/{side}_palm", BETWEEN * most)
            _check(plan, session.add(quiet, progress))
    done = Performance(session, plan, report)
    _check_true(done)
    return done


def _check_true(done: Performance) -> None:
    """What holds as the solver sees it must be what happens: in flights that nothing ends it sees no collisions."""
    rollout, words = done.session.rollout, f"pattern {done.plan.pattern.text!r} with a beat of {done.plan.beat:.3g} s"
    for event in rollout.events:
        if not event.intended and event.kind not in ("release", "grasp"):
            raise HoiError(f"{words} was not solved: {event.object} and {event.other} meet at {event.time:.2f} s")
    for contact, leap in rollout.continuity.items():
        off = float(np.linalg.norm(leap[:3]))
        if off > TRUE:
            raise HoiError(f"{words} was not solved: at {contact} a ball is {1e3 * off:.0f} mm from where it is to lie")


def usual_acceleration(plan: Schedule) -> float:
    return GENTLE if plan.pattern.balls <= 5 * plan.pattern.jugglers else QUICK


def _check(plan: Schedule, report: Report) -> None:
    if report.converged:
        return
    held = ", ".join(report.binding[:3]) or ", ".join(list(report.missed)[:3])
    met = in_the_air(report)
    why = f"it is held back by {held}" if met is None else f"{met}, and nothing that the hands can do keeps them apart"
    raise HoiError(f"pattern {plan.pattern.text!r} with a beat of {plan.beat:.3g} s cannot be juggled so: {why}")


def in_the_air(report: Report) -> str | None:
    """Which two balls run into each other, and when, if that is what holds an edit back."""
    said = (*report.binding, *report.missed, *report.events_changed)
    for first, second, time in (found.groups() for own in said if (found := MEETING.fullmatch(own))):
        return f"{first} and {second} meet in the air at {time} s"
    return None
