"""From a pattern to a session in which every catch happens; or to a sentence that says what a body cannot do."""

from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hoi_edit.compiling.runtime import prepare
from hoi_edit.constraints import HandAcceleration, JointLimits, KeepClear, OpenHands
from hoi_edit.constraints.hand_acceleration import RATE, palm_accelerations
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import Report
from hoi_edit.juggling.failure_reasons import missed_throw, reason
from hoi_edit.juggling.feasibility import TooQuick
from hoi_edit.juggling.pattern_figures import Figures, figures, uncalled_for
from hoi_edit.juggling.pattern_scene import APART, draft
from hoi_edit.juggling.performer import names
from hoi_edit.juggling.siteswap import HANDS, Pattern, parse
from hoi_edit.juggling.timing import Schedule, schedule, slower
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene
from hoi_edit.session import EditSession
from hoi_edit.verify.measure import Measure
from hoi_edit.verify.penetration_checks import penetration
from hoi_edit.verify.performance import PerformanceRecord
from kinematics.errors import HoiError

GENTLE, QUICK = 60.0, 90.0  # [m/s²] that hands may accelerate by: up to five balls of a juggler, and with more
BETWEEN = (0.94, 0.85, 0.75)  # of that, as the constraint looks at it
TRUE = 1e-6  # [m]
PUSHES = 6
LAST_MEETINGS, LEAST_GAP = 6, 0.005  # of balls that nobody catches any more, and the room [m] that these are given


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
    parsed = parse(pattern, jugglers) if isinstance(pattern, str) else pattern
    return performance(
        schedule(parsed, beat, dwell, rounds, seconds), apart, acceleration=acceleration, progress=progress
    ).session


def performance(
    plan: Schedule, apart: float = APART, acceleration: float | None = None, progress: Listener | None = None
) -> Performance:
    """A plan that is performed."""
    most = usual_acceleration(plan) if acceleration is None else float(acceleration)
    prepare()
    plan, drawn = _drafted(plan, apart, most)
    session = EditSession(drawn)
    report = session.solve(progress)
    _check(plan, session, report, most)
    for character in session.scene.characters:
        limits = JointLimits.of(session.source, character.name)
        _check(plan, session, session.add(limits, progress), most)
        for hand, side in enumerate(HANDS):
            _calm(plan, session, (character.name, hand, side), most, progress)
    _keep_apart(plan, session, most, progress)
    _let_go(session, progress)
    _check_true(plan, session.rollout, most)
    return Performance(session, plan, report)


def _drafted(plan: Schedule, apart: float, most: float) -> tuple[Schedule, Scene]:
    """A plan and its scene; where hands would have to be too quick for it, with a slower beat."""
    try:
        return plan, draft(plan, apart, most)
    except TooQuick:
        for slow in slower(plan):
            with suppress(TooQuick):  # slower still; if none is slow enough, the first complaint stands
                return slow, draft(slow, apart, most)
        raise


def _calm(
    plan: Schedule, session: EditSession, whose: tuple[str, int, str], most: float, progress: Listener | None
) -> None:
    """A limit to a hand's acceleration. It is kept at sixty looks a second; in between a peak may be higher, and then a
    lower limit is tried."""
    name, hand, side = whose
    for share in BETWEEN:
        quiet = HandAcceleration(f"{name}/{side}_palm", share * most)
        _check(plan, session, session.add(quiet, progress), most)
        if share == BETWEEN[-1] or palm_accelerations(session.rollout, name)[hand].max() <= most:
            return
        session.remove(quiet.label)


def _keep_apart(plan: Schedule, session: EditSession, most: float, progress: Listener | None) -> None:
    """The solver looks at flights that end in a catch. In those that the scene's end cuts off balls may still meet."""
    for _ in range(LAST_MEETINGS):
        strays = uncalled_for(session.rollout)
        if not strays:
            return
        event = strays[0]
        clear = KeepClear(event.object, str(event.other), event.time, LEAST_GAP)
        _check(plan, session, session.add(clear, progress), most)


def _let_go(session: EditSession, progress: Listener | None) -> None:
    """Hands that go on after what they have let go, which mending other things may bring about, are kept off it."""
    for _ in range(PUSHES):
        rollout = session.rollout
        pushed = [(measure.thing, measure.time) for measure in _inside(rollout) if measure.thing is not None]
        if not pushed:
            return
        ball, time = pushed[0]
        released = [event for event in rollout.trajectories.chains[ball].events if event.lets_go]
        hold = max((event for event in released if event.time <= (time or 0.0)), key=lambda event: event.time).contact
        if hold is None or not session.add(OpenHands((hold,)), progress).converged:
            return


def _inside(rollout: Rollout) -> list[Measure]:
    """What is inside something else, as the verifier sees it."""
    return [measure for measure in penetration(PerformanceRecord.of(rollout)) if measure.is_off]


def _check_true(plan: Schedule, rollout: Rollout, most: float) -> None:
    """What holds as the solver sees it must be what happens."""
    for event in uncalled_for(rollout):
        raise _failed(plan, f"{event.object} and {event.other} meet at {event.time:.2f} s")
    for contact, leap in rollout.continuity.items():
        off = float(np.linalg.norm(leap[:3]))
        if off > TRUE:
            missed = missed_throw(plan, rollout.model.scene, contact)
            raise _failed(plan, f"{missed}, by {1e3 * off:.0f} mm")
    for measure in _inside(rollout):
        raise _failed(plan, f"it is not so that {measure}")
    for k, character in enumerate(rollout.model.scene.characters):
        accel = palm_accelerations(rollout, character.name)
        hand, at = np.unravel_index(int(np.argmax(accel)), accel.shape)
        if accel[hand, at] > most:
            whose = f"{HANDS[int(hand)]} hand of {names(plan.pattern.jugglers)[k]}"
            quick = f"accelerates by {accel[hand, at]:.1f} m/s² at {at / RATE:.2f} s, and {most:.4g} m/s² is the most"
            raise _failed(plan, f"the {whose} {quick}")


def usual_acceleration(plan: Schedule) -> float:
    return GENTLE if plan.pattern.balls <= 5 * plan.pattern.jugglers else QUICK


def _check(plan: Schedule, session: EditSession, report: Report, most: float) -> None:
    if not report.converged:
        raise _failed(plan, reason(plan, session.scene, report, most))


def _failed(plan: Schedule, why: str) -> HoiError:
    return HoiError(f"pattern {plan.pattern.text!r} with a beat of {plan.beat:.3g} s cannot be juggled so: {why}")
