"""A drag with the mouse: begun, moved many times, and then one step of the history, or none."""

from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.lasting import Lasting
from hoi_edit.constraints.pin import Drag, three
from hoi_edit.constraints.standing_foot import asked_of_feet
from hoi_edit.edit.document import Call
from hoi_edit.edit.dragged_span import leaves_support, sent_on
from hoi_edit.edit.failed_trials import answered
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.line_search import residual_of
from hoi_edit.edit.outcome import report_of
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.reach import FAR, NEAR, reach
from hoi_edit.edit.report import Report
from hoi_edit.edit.sqp import Solver
from hoi_edit.edit.stepping import feet_that_step, is_strained, needs, stepped_problem, steppings, stretch_of
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from kinematics.errors import HoiError
from kinematics.rotation import rotation_between, rotation_exp

if TYPE_CHECKING:
    from hoi_edit.session import EditSession

STEPS_A_MOVE = 2  # between two frames
MENDS = 3  # steps more, where a picture would show feet that slide
DIRECT = 30  # steps towards a target
NEARER = 0.9  # of what was left, where people have stepped for it
PIECE, SMALLEST = 0.25, 1.0 / 64.0  # of the way
QUICKLY = 56  # steps after which no further piece is begun, where nobody has the time for more
ALIKE = 0.005  # [m] by which a pose may differ from the one that was shown
AT_ONCE = 12  # steps, then, after which a piece has to have come close


class Gesture:
    """Everything that is kept is worked out once, when it begins; distances are from there, so that moving back undoes
    moving away."""

    def __init__(self, session: "EditSession", name: str, t: float) -> None:
        self._session = session
        self.name, self.t = name, float(t)
        self.origin = session.iterate
        self.target: Any = None
        self._sent: str | None = None  # the flight that is dragged where the span that is picked leads nowhere
        self._take_hold()
        self._near = self._keeps(stretch=self._stretch())
        self._solver = Solver(self._near, (), self.origin, what=self.label)
        self.report = Report(True, 0.0, 0)
        self._taken = 0  # steps in all
        self._moves: list[dict[str, Any]] = []  # arguments of each `move`
        self._via: tuple[dict[str, Any], ...] = ()  # those of the moves without which it would not arrive
        self._thorough = False  # whether every way was tried
        self._steps: bool | str = False  # whether, and how, people may step
        self.over = False
        self._document = session.document

    def _take_hold(self) -> None:
        self.after = self.origin.rollout.span_name(self.name, self.t)
        self._sent = sent_on(self.origin.rollout, self.name, self.t)
        self.start = self.origin.rollout.state(self.name, self.t)
        self.target, self._more = self.start.position, dict[str, Any]()

    @property
    def iterate(self) -> Iterate:
        """What the scene looks like by now."""
        return self._solver.iterate

    def aim(self, to: Any, rotation: Any = None, velocity: Any = None) -> None:
        """Where it is to go; NaN leaves an axis open."""
        self._check()
        aims = self._aimed(to, rotation=rotation, velocity=velocity)
        self._solver = self._solver.towards((*aims, *self._session.document.constraints))

    def _aimed(self, to: Any, **more: Any) -> tuple[Constraint, ...]:
        self.target = three("position", to, self.name, self.t)
        leaves = self._sent is not None and leaves_support(self.origin.rollout, self.name, self.t, self.target)
        after = self._sent if leaves else self.after
        drag = Drag(self.name, self.t, self.target, after=after, **more)
        self._more = {name: getattr(drag, name) for name, value in more.items() if value is not None}
        return (drag,) if after is None else (drag, Lasting(self.name, self.t, after))

    @property
    def label(self) -> str:
        return f"drag {self.name} at {self.t:.2f} s"

    @property
    def call(self) -> Call:
        """The edit that it becomes."""
        return Call("drag", {"name": self.name, "t": self.t, "to": self.target, **self._more, **self._way})

    @property
    def _way(self) -> dict[str, Any]:
        how: dict[str, Any] = {"via": self._via} if self._via else {}
        how |= {"steps": self._steps} if self._steps else {}
        return {**how, "thorough": True} if self._thorough else how

    @property
    def wishes(self) -> tuple[Constraint, ...]:
        """What is asked for, beside what the document keeps."""
        return self._solver.constraints[: -len(self._session.document.constraints) or None]

    def off(self, seen: Rollout) -> float:
        """How far what is asked for is from being so [m], [m/s] or [rad]."""
        return residual_of([rows for wish in self.wishes for rows in wish.rows(seen)])

    @answered
    def move(self, to: Any, steps: int = STEPS_A_MOVE, **more: Any) -> Report:
        """Some steps towards a new target; the scene follows in `iterate`."""
        self.aim(to, **more)
        self._moves.append({"to": self.target, "steps": steps, **more})
        self._taken += sum(1 for _ in self._solver.run(steps))
        self._taken += self._solver.mend_bodies(MENDS) if self._of_body else 0
        report = report_of(self._solver, closely=False)
        # how far there is to go is told of what is shown, whatever else is still on its way
        off = report.residual if report.converged else self.off(self.iterate.rollout)
        self.report = replace(report, residual=off, iterations=self._taken, goes_on=True)
        return self.report

    def _run(self, solver: Solver, steps: int = DIRECT, soon: int | None = None) -> Report:
        """With `soon`, what crawls is given up, and so is what has not come close after so many steps."""
        for _ in solver.run(steps):
            self._taken += 1
            if soon is not None and (solver.crawls or (len(solver.trail) >= soon and not solver.came_close)):
                break
        solver.settle()
        return replace(report_of(solver, closely=False), iterations=self._taken)

    def finish(self, thorough: bool = False, steps: bool | str = False) -> Report:
        """All steps that it takes, from where it began, so that the way of the mouse leaves no trace: there and back is
        back, and a script that knows only the target gets there too. Only a target that the mouse has led to, and that
        cannot be got at straight, is left as the mouse left it, and its way remembered.

        At first only what is near its time changes. A thing that does something by chance then, as a kicked ball that
        has bounced, may also be sent there by what was meant before. Where that is not enough, or somebody is bent for
        it, people may take `steps`. What is not reached so is approached as far as a few steps of the solver lead; a
        `thorough` search tries every way that there is, and takes tens of times as long. How much is tried is counted
        in steps: a clock would have the same call end elsewhere on another day.
        """
        moved, shown, self._via = self._solver, self.iterate.rollout, ()
        soon = None if thorough else DIRECT
        reached = self._reaches(self._near, soon)
        if reached and steps and self._is_strained() and self._steps_there(steps):
            return self.report
        if reached and (not self._moves or self._is_like(shown)):
            return self.report
        direct, report = self._solver, self.report
        if self._of_body and not (report.converged or thorough):
            moved.rest()  # what is shown is as near as it came
        if self._moves and not steps and (self._arrives(moved, soon) or self._is_near(thorough)):
            self._via = tuple(self._moves)
            return self.report
        self._solver, self.report = direct, replace(report, iterations=self._taken)
        if report.converged or (not steps and self._is_near(thorough)):
            return self.report
        if self._is_sent_there(direct, soon) or (steps and (self._steps_there(steps) or self._steps_towards(steps))):
            return self.report
        if steps and self._is_near(thorough):
            return self.report
        if thorough:
            self._try_every_way()
        else:
            self._come_near(direct)
            self.report = replace(self.report, approached=not self.report.converged)
        return self.report

    @property
    def _of_body(self) -> bool:
        """Whether a point of a body is dragged, or a joint: it stretches, where a thing arrives or does not."""
        return "/" in self.name

    def _is_like(self, shown: Rollout) -> bool:
        """Whether the body that is dragged is as it was shown. Things are seen to follow, wherever they come to be."""
        if not self._of_body:
            return True
        owner = self.name.partition("/")[0]
        now, joints = self.iterate.rollout, shown.model.scene.character(owner).skeleton.names
        apart = [
            now.state(name, self.t).position - shown.state(name, self.t).position
            for name in (f"{owner}/{joint}" for joint in joints)
        ]
        return bool(np.linalg.norm(apart, axis=1).max() < ALIKE)

    def _is_near(self, thorough: bool) -> bool:
        """Whether a body has come as near as it can, and all that is kept holds: that is what was asked for, unless
        every way is to be tried."""
        if thorough or not (self._of_body and self._solver.settled and self.report.holds):
            return False
        if not self.report.converged:
            self.report = replace(report_of(self._solver), iterations=self._taken, approached=True)
        return True

    def _is_strained(self) -> bool:
        """Whether somebody bends, or hangs in the air, for it."""
        before, after = self.origin.rollout, self.iterate.rollout
        people = [need.character for need in needs(before, self.name, self.t, self.after)]
        return any(is_strained(before, after, who, self.t) for who in people)

    def _steps_there(self, how: bool | str) -> bool:
        """Whether it is reached by people who step; if not, all is as it was."""
        before, stepping = (self._solver, self.report), self._stepping(how)
        if stepping is not None and self._arrives(self._afresh(stepping, self._solver.constraints)):
            return True
        self._solver, self.report = before
        return False

    def _steps_towards(self, how: bool | str) -> bool:
        """Whether people who step get nearer to it, from where that has led; if not, all is as it was."""
        before, stepping = (self._solver, self.report), self._stepping(how)
        if stepping is not None:
            self._creep(stepping, hasty=True)
            if self.report.holds and self.off(self.iterate.rollout) < NEARER * self.off(self.origin.rollout):
                self.report = replace(self.report, approached=True)
                return True
        self._solver, self.report = before
        return False

    def _stepping(self, how: bool | str) -> EditProblem | None:
        """The same edit from where people have stepped; None if nobody can."""
        seen, document = self.origin.rollout, self._session.document
        way = np.asarray(self.target, float) - self.start.position
        steps = steppings(seen, needs(seen, self.name, self.t, self.after), way, document.freedom, how == "stay")
        if not steps:
            return None
        stretch = stretch_of(seen, steps, self.t, NEAR)
        return stepped_problem(self._keeps(stretch=stretch, starts=True, feet=feet_that_step(seen, steps)), steps)

    def _is_sent_there(self, direct: Solver, soon: int | None) -> bool:
        """Whether what was meant before sends it there, if what it does by chance does not lead there."""
        drags = [aim for aim in self.wishes if isinstance(aim, Drag)]
        if self._sent is None or not drags or drags[0].after == self._sent:
            return False
        sent = (replace(drags[0], after=self._sent), Lasting(self.name, self.t, self._sent))
        if self._arrives(self._afresh(self._near, (*sent, *self._session.document.constraints)), soon):
            return True
        self._solver = direct
        return False

    def _try_every_way(self) -> None:
        """With all that it reaches, then with freer contacts; and a target that is too far for one go is approached by
        and by."""
        if self._near.past is not None and self._reaches(self._far()):
            return
        eased = self._far(eased=True)
        if not self._reaches(eased):
            self._creep(eased)

    def _come_near(self, direct: Solver) -> None:
        """With all that it reaches and freer contacts, if only something was in the way; what stayed far from there is
        only approached, near its time."""
        if not (direct.came_close and self._reaches(self._far(eased=True), DIRECT)):
            self._creep(self._keeps(stretch=self._stretch()), hasty=True)

    def _keeps(self, feet: Sequence[tuple[str, None]] = (), **how: Any) -> EditProblem:
        """`feet` are those that step."""
        document = self._session.document
        asked = [(self.name, self.t), *feet, *asked_of_feet(document.constraints, self.origin.rollout)]
        how.setdefault("elastic", self._of_body)
        return EditProblem.of(self._session.model, self.origin, document.freedom, document.loose, asked=asked, **how)

    def _far(self, **how: Any) -> EditProblem:
        return self._keeps(stretch=self._stretch(FAR), starts=True, **how)

    def _stretch(self, around: float = NEAR) -> tuple[float, float] | None:
        """The time to which an edit is confined; None if that is all there is."""
        scene, freedom = self._session.scene, self._session.document.freedom
        planned = around == NEAR and any(contact.declared for contact in scene.contacts)
        return None if planned else reach(scene, freedom, [self.t], around)

    def _reaches(self, kept: EditProblem, soon: int | None = None) -> bool:
        """Whether it is reached from where it began in another way."""
        return self._arrives(self._afresh(kept, self._solver.constraints), soon)

    def _arrives(self, solver: Solver, soon: int | None = None) -> bool:
        self._solver, self.report = solver, self._run(solver, soon=soon)
        return self.report.converged

    def _afresh(self, kept: EditProblem, aims: tuple[Constraint, ...]) -> Solver:
        """From where it began, with nothing known of what earlier ways have run into."""
        return Solver(kept, aims, kept.start, what=self._solver.what, listener=self._solver.listener)

    def _creep(self, kept: EditProblem, hasty: bool = False) -> None:
        """Towards the target in pieces, each solved before the next: as far as it goes; a `hasty` one as far as a few
        steps lead."""
        aims, good = self._solver.constraints, self._afresh(kept, self._session.document.constraints)
        if good.kept.origin is not self.origin:  # that is elsewhere by then
            self._run(good, DIRECT)
        start = good.iterate.rollout
        share, piece, failed, end = 0.0, PIECE, self.report, self._taken + QUICKLY
        while share < 1.0 and piece >= SMALLEST and not (hasty and self._taken >= end):
            next_share = min(share + piece, 1.0)
            trial = good.towards(tuple(self._part_of(aim, next_share, start) for aim in aims))
            trial.hasty = hasty
            steps = min(end + AT_ONCE - self._taken, DIRECT) if hasty else DIRECT
            report = self._run(trial, steps, soon=AT_ONCE if hasty else None)
            if report.converged:
                good, share, piece = trial, next_share, (1.0 if hasty else 1.5) * piece
            else:
                piece, failed = 0.5 * piece, report
        self._solver = good.towards(aims)
        self.report = replace(report_of(self._solver), iterations=self._taken)
        if not self.report.converged and not self.report.binding:
            named = failed.binding or tuple(owner for owner in failed.missed if owner not in failed.wishes)
            self.report = replace(self.report, binding=named or self._support())

    def _support(self) -> tuple[Finding, ...]:
        """What a thing lies on that is to be elsewhere: no edit lifts it."""
        chains = self.origin.rollout.trajectories.chains
        span = chains[self.name].span_at(self.t) if self.name in chains else None
        if span is None or not span.rolls:
            return ()
        surface = self.origin.rollout.model.world.surfaces.name[span.surface]
        return (Finding("lies on", self.name, surface),)

    def _part_of(self, aim: Constraint, share: float, seen: Rollout) -> Constraint:
        """A drag that goes only a part of its way from where things are in a rollout."""
        if not isinstance(aim, Drag):
            return aim
        start = seen.state_in(self.name, self.t, seen.span_index(self.name, self.t, aim.after))
        position = None if aim.position is None else start.position + share * (aim.position - start.position)
        velocity = None if aim.velocity is None else start.velocity + share * (aim.velocity - start.velocity)
        rotation = aim.rotation
        if rotation is not None:
            turn = rotation_exp(share * rotation_between(rotation, start.rotation))
            rotation = np.asarray(turn) @ start.rotation
        return replace(aim, position=position, velocity=velocity, rotation=rotation)

    @answered
    def commit(self, progress: Listener | None = None, thorough: bool = False, steps: bool | str = False) -> Report:
        """One step of the history; a result in which something that is kept does not hold changes nothing. A target
        that cannot be reached is approached, as far as a few steps lead or, if it is `thorough`, as far as it goes.

        A listener may cancel it; the gesture then goes on from where it was, to be moved, committed or aborted.
        """
        self._check()
        before = self._solver
        self._solver = replace(before, listener=progress)  # a copy, to go back from
        try:
            self.finish(thorough, steps)
        except BaseException:
            self._solver = before
            raise
        self._thorough, self._steps = thorough, steps
        self.over = True
        self._solver.iterate = self._solver.iterate.with_turns(self._document.loose).timed()
        self._session._dragged(self)
        return self.report

    def abort(self) -> None:
        self.over = True

    def _check(self) -> None:
        if self.over:
            raise HoiError(f"the drag of {self.name!r} is over; begin another one")
        if self._session.document is not self._document:
            raise HoiError(f"the document has changed since the drag of {self.name!r} began; begin another one")
