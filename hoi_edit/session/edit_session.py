"""`EditSession`: one document, its history, and everything a user does to it. Editor, notebook and command line are
doors to this."""

from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import Any

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.bend import is_degree_of_freedom
from hoi_edit.constraints.pin import three
from hoi_edit.constraints.references import check
from hoi_edit.constraints.standing_foot import asked_of_feet, is_foot
from hoi_edit.constraints.weigh import Weigh
from hoi_edit.edit import contact_edits as plan
from hoi_edit.edit import placement as placing
from hoi_edit.edit import throw_to_site as throws
from hoi_edit.edit.document import Call, copied
from hoi_edit.edit.failed_trials import answered
from hoi_edit.edit.gesture import Gesture
from hoi_edit.edit.hold_moves import retiming_of
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.joint_drag import Bending
from hoi_edit.edit.outcome import MET, report_of
from hoi_edit.edit.plan_solver import solved_plan
from hoi_edit.edit.problem import EditProblem, in_two_hands
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.reach import asked_times, reach
from hoi_edit.edit.report import NOTHING, Report
from hoi_edit.edit.sqp import Solver
from hoi_edit.edit.throw import Throwing
from hoi_edit.qp import Freedom, Lock, Window, within
from hoi_edit.scene.arguments import are_numbers, is_number, is_text
from hoi_edit.scene.plausibility import warn_of_lifting
from hoi_edit.session.gate import beside, objections, stopped_by
from hoi_edit.session.hold_edits import check_seconds, check_steps, check_text
from hoi_edit.session.pick_and_place_edits import PickAndPlaceEdits
from hoi_edit.session.scene_edits import check_turn
from kinematics.errors import HoiError, unknown

NEARER = 0.99  # of what is left: less is no gain
APPROACHES = {"drag": "_dragging", "bend": "_bending", "throw": "_throwing"}  # edits that come near, and their gestures


class EditSession(PickAndPlaceEdits):
    """An open document, and everything that can be done to it."""

    # -- edits --------------------------------------------------------------------------------------------------------

    def begin(self, name: str, t: float) -> Gesture:
        """A drag with the mouse, of a thing, a point of a body or a degree of freedom ("juggler/head.Xrotation"):
        `move` it as often as you like, then `commit` or `abort`."""
        check_text("what is dragged", name)
        check_seconds(f"the time at which {name!r} is dragged", t)
        return Bending(self, name, t) if is_degree_of_freedom(name) else Gesture(self, name, t)

    @answered
    def drag(
        self,
        name: str,
        t: float,
        to: Any,
        rotation: Any = None,
        velocity: Any = None,
        via: Sequence[Mapping[str, Any]] = (),
        progress: Listener | None = None,
        thorough: bool = False,
        steps: bool | str = False,
    ) -> Report:
        """Bring a thing, or a point of a body, to a place at a time; everything else follows as little as it can.

        Entries of `to` that are NaN are left open. `via` are the moves of a mouse, as arguments of `Gesture.move`, that
        has led to where it could not have got straight. `progress`, here and in all edits, is told each step as a
        `Progress`; if it returns False the edit raises `Cancelled` and nothing has changed.

        A place out of reach is approached as far as some tens of steps lead. A `thorough` drag tries every way that
        there is, with hundreds of steps, and gets nearer, or there after all; so does `refine` afterwards.
        """
        check_steps(steps)
        return self._dragging(name, t, to, rotation, velocity, via).commit(progress, thorough, steps)

    def _dragging(
        self, name: str, t: float, to: Any, rotation: Any = None, velocity: Any = None,
        via: Sequence[Mapping[str, Any]] = (),
    ) -> Gesture:  # fmt: skip
        gesture = self.begin(name, t)
        for move in via:
            gesture.move(**move)
        gesture.aim(to, rotation, velocity)
        return gesture

    @answered
    def bend(
        self,
        name: str,
        t: float,
        to: float,
        via: Sequence[Mapping[str, Any]] = (),
        progress: Listener | None = None,
        thorough: bool = False,
    ) -> Report:
        """Bring a degree of freedom, "juggler/right_forearm.Xrotation", to an angle [rad] (of a position, metres) at a
        time. Everything that is kept stays kept: the rest of the body, and what it throws, follows. What is out of
        reach is approached, and more `thorough`ly so, as by `drag`."""
        return self._bending(name, t, to, via).commit(progress, thorough)

    def _bending(self, name: str, t: float, to: float, via: Sequence[Mapping[str, Any]] = ()) -> Gesture:
        check_text("what is bent", name)
        check_seconds(f"the time at which {name!r} is bent", t)
        gesture = Bending(self, name, t)
        for move in via:
            gesture.move(**move)
        gesture.aim(to)
        return gesture

    @property
    def refinable(self) -> bool:
        """Whether the last edit is one that may only have come near, and that `refine` can try more ways of."""
        call = self._history.step.call
        return self._history.is_newest and _is_approach(call) and not call.arguments.get("thorough", False)

    @property
    def may_step(self) -> bool:
        """Whether the last edit is a drag for which nobody has been asked to step."""
        call = self._history.step.call
        return self._history.is_newest and call.method == "drag" and not call.arguments.get("steps", False)

    @answered
    def refine(self, progress: Listener | None = None, steps: bool | str = False) -> Report:
        """Try every way of the last edit, a drag, a bend or a throw that came only near. What gets nearer takes the
        place of its step of the history, as if it had been asked for `thorough`ly; else nothing changes. With `steps`
        of a drag it is that people may step, as by `drag`, which is tried instead."""
        check_steps(steps)
        step = self._history.step
        if not _is_approach(step.call):
            raise HoiError(f"the last edit is {step.label!r}; only a drag, a bend or a throw can be refined")
        if not self._history.is_newest:
            raise HoiError("what was undone would be lost; redo it, or make another edit, and refine that")
        if steps and step.call.method != "drag":
            raise HoiError(f"the last edit is {step.label!r}; people step for a drag only")
        asked = dict(step.call.arguments)
        tried, stepped = asked.pop("thorough", False), asked.pop("steps", False)
        trial = self.copy()
        trial.undo()
        gesture = getattr(trial, APPROACHES[step.call.method])(**asked)
        off = gesture.off(self.iterate.rollout)
        if off <= MET:
            return NOTHING
        if stepped if steps else tried:  # nothing nearer was found then
            return Report(False, off, 0, unchanged=True)
        report = gesture.commit(progress, thorough=tried or not steps, steps=steps or stepped)
        if report.unchanged or gesture.off(trial.iterate.rollout) > NEARER * off:
            self._nothing_nearer()
            return report.refused
        self._history = self._history.instead(trial._history.step)
        self._iterate = self.document, trial.iterate
        self._shown_again()
        self._dragged_last = self.document, step.label, report
        return report

    def _nothing_nearer(self) -> None:
        """What is printed about the last drag promises no more than there is."""
        if self._dragged_last is not None:
            document, label, report = self._dragged_last
            self._dragged_last = document, label, replace(report, approached=False)

    @answered
    def weigh(self, character: str, interval: int, clip: int, to: float, progress: Listener | None = None) -> Report:
        """How much clip number `clip` counts in an interval of a character's blend, from 0 to 1; what is kept stays."""
        weighing = Weigh(character, interval, clip, to)
        report, iterate = self._solved((weighing, *self.document.constraints), weighing.label, progress)
        document = replace(self.document, u=iterate.u, nodes=dict(iterate.nodes))
        call = Call("weigh", {"character": character, "interval": interval, "clip": clip, "to": to})
        return self._planned((report, document, iterate), f"{weighing.label}: {to:.2f}", call)

    def _dragged(self, gesture: Gesture) -> None:
        before, iterate = self.iterate, gesture.iterate
        if not gesture.report.holds or np.array_equal(iterate.u, self.document.u):
            gesture.report = gesture.report.refused
        elif wrong := objections(before, iterate):
            gesture.report = stopped_by(gesture.report, wrong)
        else:
            more = beside(before.rollout, iterate.rollout)
            gesture.report = replace(gesture.report, events_changed=(*more, *gesture.report.events_changed))
            document = replace(self.document, u=iterate.u, nodes=dict(iterate.nodes))
            self._done(gesture.label, gesture.call, document, iterate)
        self._dragged_last = self.document, gesture.label, gesture.report

    @answered
    def add(self, constraint: Constraint, progress: Listener | None = None) -> Report:
        """Put a constraint into the document, and make it true."""
        check(constraint, self.iterate.rollout)
        constraints = (*self.document.constraints, constraint)
        report, iterate = self._solved(constraints, f"add {constraint.label}", progress)
        document = replace(self.document, u=iterate.u, nodes=dict(iterate.nodes), constraints=constraints)
        call = Call("add", {"constraint": constraint})
        return self._planned((report, document, iterate), f"add {constraint.label}", call)

    def remove(self, constraint: Constraint | str | int) -> None:
        """Take a constraint out again: itself, by its label, or by its number in `document.constraints`. One that is
        switched off goes by itself or by its label."""
        document = self.document
        if document.is_off(constraint):
            off = document.switched_off
            k = document.which_off(constraint)
            call = Call("remove", {"constraint": off[k].label})
            self._done(f"remove {off[k].label}", call, replace(document, switched_off=_without(off, k)))
            return
        constraints = document.constraints
        k = document.which(constraint)
        call = Call("remove", {"constraint": _meant(constraints, k)})
        self._done(f"remove {constraints[k].label}", call, replace(document, constraints=_without(constraints, k)))

    def switch_off(self, constraint: Constraint | str | int) -> None:
        """Edits need not keep this constraint for now; it stays in the document, to be switched on again."""
        document = self.document
        constraints = document.constraints
        k = document.which(constraint)
        call = Call("switch_off", {"constraint": _meant(constraints, k)})
        changed = replace(
            document, constraints=_without(constraints, k), switched_off=(*document.switched_off, constraints[k])
        )
        self._done(f"switch off {constraints[k].label}", call, changed)

    @answered
    def switch_on(self, constraint: Constraint | str | int, progress: Listener | None = None) -> Report:
        """Keep a constraint again that was switched off, and make it true; by itself, by its label, or by its number
        in `document.switched_off`."""
        off = self.document.switched_off
        k = self.document.which_off(constraint)
        check(off[k], self.iterate.rollout)
        constraints = (*self.document.constraints, off[k])
        what = f"switch on {off[k].label}"
        report, iterate = self._solved(constraints, what, progress)
        document = replace(
            self.document,
            u=iterate.u,
            nodes=dict(iterate.nodes),
            constraints=constraints,
            switched_off=_without(off, k),
        )
        return self._planned((report, document, iterate), what, Call("switch_on", {"constraint": _meant(off, k)}))

    def _solved(
        self, constraints: tuple[Constraint, ...], what: str, progress: Listener | None
    ) -> tuple[Report, Iterate]:
        asked = asked_of_feet(constraints, self.iterate.rollout)
        freedom, loose = self.document.freedom, self.document.loose
        stretch = reach(self.scene, freedom, asked_times(constraints, self.iterate.rollout))
        kept = EditProblem.of(self.model, self.iterate, freedom, loose, stretch=stretch, asked=asked, starts=True)
        solver = Solver(kept, constraints, self.iterate, what=what, listener=progress)
        for _ in solver.run():
            pass
        return report_of(solver), solver.iterate.with_turns(self.document.loose).timed()

    # -- the plan -----------------------------------------------------------------------------------------------------

    @answered
    def solve(self, progress: Listener | None = None) -> Report:
        """Make a plan of declared contacts come true, all of it at once."""
        solved = solved_plan(self.model, self.document, self.iterate, progress=progress)
        return self._planned(solved, "solve the plan", Call("solve"))

    @answered
    def throw(
        self, contact: str, t: float, to: Any, progress: Listener | None = None, thorough: bool = False,
        release: float | None = None, id: str | None = None, declared: bool = False,  # noqa: A002
        steps: bool | str = False,
    ) -> Report:  # fmt: skip
        """Throw there: let what this contact holds go so that it is at a place at a time, or as near as it gets, and
        more `thorough`ly so as by `drag`. Of a thing that starts in a hand its own name is that of the hold.

        To a site ("bob/left_palm"), or two, it is thrown and caught there at that time, by anybody; a thing's name then
        means whatever holds it last before that. What was held to the end is let go when it has to be to get there, or
        when `release` says. A catch that is `declared` is only planned, and `solve` makes it come true. For a throw to
        a place people may take `steps`, as for a `drag`.
        """
        check_steps(steps)
        check_text("what is thrown", contact)
        check_seconds(f"the time at which {contact!r} is somewhere", t)
        if release is not None:
            check_seconds(f"the time at which {contact!r} is let go", release)
        if is_text(to) or (isinstance(to, tuple | list) and all(map(is_text, to))):
            return self.thrown_to(contact, to, float(t), release, id, declared, progress)
        if declared or id is not None:
            raise HoiError("only a catch has an id and can be declared; give the site that it is thrown to")
        hold = self.held_on(contact)
        if hold is None:
            if release is not None:
                raise HoiError(f"{contact!r} is let go already; retime '{contact}:release' moves that")
            return self._throwing(contact, t, to).commit(progress, thorough, steps)
        when = throws.release_for(self.iterate.rollout, hold, float(t), three("position", to, hold.thing, t))
        trial = self.copy()
        report = trial.release(hold.thing, when if release is None else release, progress)
        if not report.holds:
            return report.refused
        report = trial.throw(contact, t, to, progress, thorough, steps=steps)
        said = {"contact": contact, "t": t, "to": to, "release": release, "thorough": thorough}
        call = Call("throw", said | ({"steps": steps} if steps else {}))
        return self._planned((report, trial.document, trial.iterate), f"throw {hold.thing} at {t:.2f} s", call)

    def _throwing(self, contact: str, t: float, to: Any) -> Gesture:
        thing, caught = plan.thrown_from(self.iterate.rollout, contact)
        if t <= caught:
            raise HoiError(
                f"{contact!r} holds it from {caught:.2f} s on, so what it throws cannot be anywhere at {t:g} s; "
                "give a later time"
            )
        gesture = Throwing(self, contact, thing, t)
        gesture.aim(to)
        return gesture

    @answered
    def retime(self, contact: str, t: float, progress: Listener | None = None) -> Report:
        """Another time for a contact ("catch3") or a release ("catch3:release"); space follows.

        The time of a contact that is out of reach is approached as far as it goes.
        """
        check_text("the contact", contact)
        name, colon, end = contact.partition(":")
        if colon and end != "release":
            raise HoiError(f"{contact!r} is no contact; {name!r} is, and '{name}:release' its release")
        check_seconds(f"the time of {contact!r}", t)
        if self._is_at(contact, t):
            return NOTHING
        released = None if colon else self._released(self.scene.contact(name).id)
        if released is not None and self.scene.start <= t <= self.scene.end and t >= released:
            raise HoiError(
                f"contact {name!r} is released at {released:.2f} s, so it cannot be at {t:g} s; give an earlier time, "
                f"or retime '{name}:release' first"
            )
        change = plan.released_at if colon else retiming_of(self.scene.contact(name))
        solved = change(self.model, self.document, self.iterate, name, t, progress)
        return self._planned(solved, f"retime {contact} to {t:.2f} s", Call("retime", {"contact": contact, "t": t}))

    def _is_at(self, contact: str, t: float) -> bool:
        """Whether a contact or a release is at this time already."""
        name, colon, _ = contact.partition(":")
        happened = self.iterate.rollout.happened
        if colon:
            now = self._released(name)
        elif name in happened and not self.scene.contact(name).declared:
            thing, k = happened[name]
            now = self.iterate.rollout.trajectories.chains[thing].events[k].time
        else:
            return False
        return now is not None and abs(now - t) <= plan.SAME_TIME

    def _released(self, contact: str) -> float | None:
        """When what a contact holds is let go, as it is by now; None if it is not."""
        block = f"{contact}.release"
        return float(self.document.u[self.layout[block].indices][0]) if block in self.layout else None

    @answered
    def place(
        self, name: str, by: Any = (0.0, 0.0, 0.0), turn: float = 0.0, progress: Listener | None = None,
        t: float | None = None,
    ) -> Report:  # fmt: skip
        """Let a character stand elsewhere: its whole clip is turned [rad] about where it is at a time (else where it
        starts), and moved [m].

        What is kept is kept: others and what they throw follow. It goes all the way, or nothing changes.
        """
        if not (are_numbers(by, (3,)) and is_number(turn)):
            raise HoiError(f"{name!r} is to be placed by {by}, turned by {turn}; give three numbers [m] and one [rad]")
        move = np.asarray(by, float)
        check_turn(turn)
        self.scene.character(name)
        if not move.any() and turn == 0.0:
            return NOTHING
        warn_of_lifting(name, float(move[1]))
        if t is not None:
            check_seconds(f"the time about whose place {name!r} is turned", t)
        solved = placing.placed(self.model, self.document, self.iterate, name, move, float(turn), progress, t)
        about = {} if t is None else {"t": float(t)}
        call = Call("place", {"name": name, "by": move, "turn": float(turn), **about})
        return self._planned(solved, f"place {name}", call)

    # -- what may change ----------------------------------------------------------------------------------------------

    def free(self, **changes: Any) -> None:
        """Change what edits may change: `locks`, `opened`, `scales`, `things`, `window` (see `Freedom`)."""
        known = [field.name for field in fields(Freedom)]
        for name in changes:
            if name not in known:
                raise unknown("kind of freedom", name, known)
        changes = copied(changes)
        freedom = replace(self.document.freedom, **changes)
        EditProblem.of(self.model, self.iterate, freedom)  # names that are wrong are told now
        if freedom == self.document.freedom:
            return
        self._done("what may change", Call("free", changes), replace(self.document, freedom=freedom))

    def lock(self, name: str, span: tuple[float, float] | None = None) -> None:
        """Keep what edits may change of a character, a joint, a thing or a contact; of bodies perhaps for a while only.

        A character or a joint ("juggler/pelvis") does not move against what carries it. A thing ("ball2") keeps its
        start: place, turn, velocity and spin, or how it lies in a hand and when it is first let go; where it is later
        still follows from hands and touches. A contact ("catch5") keeps the time of its release; when and where it
        happens may still follow. What is to stay in place at a time is pinned.
        """
        lock, locks = Lock(name, span), self.document.freedom.locks
        self.free(locks=locks if lock in locks else (*locks, lock))

    def unlock(self, name: str) -> None:
        locks = tuple(lock for lock in self.document.freedom.locks if lock.name != name)
        if len(locks) == len(self.document.freedom.locks):
            raise HoiError(f"{name!r} is not locked")
        self.free(locks=locks)

    def window(self, start: float | None = None, end: float | None = None, fade: float = 0.3) -> None:
        """Edits change nothing outside start..end from now on; without arguments they may change everything again.

        Bodies do not move outside of it. Releases outside keep their times, and a start is kept unless the window
        begins with the scene. Where a thing is after the window still follows from what changed in it. What of a window
        lies before the scene or after it is cut off; it is an error if nothing is left.
        """
        whole = start is None and end is None
        scene = self.scene
        first, last = scene.start if start is None else start, scene.end if end is None else end
        self.free(window=None if whole else within(scene, Window(first, last, fade)))

    def let_go(self, *contacts: str) -> None:
        """What edits need not keep from now on: intended contacts; of a thing that starts in two hands, the second;
        and feet where they stand: "player/left_foot", or "player" for both."""
        if not contacts:
            raise HoiError("let_go wants names: of contacts, of things in two hands, or of feet ('player/left_foot')")
        for contact in contacts:
            check_text("what is let go of", contact)
            if contact not in in_two_hands(self.scene) and not is_foot(self.scene, contact):
                self.scene.contact(contact)
        loose = tuple(dict.fromkeys((*self.document.loose, *contacts)))
        if loose == self.document.loose:
            return
        call = Call("let_go", {"*contacts": contacts})
        self._done(f"let go of {', '.join(contacts)}", call, replace(self.document, loose=loose))


def _is_approach(call: Call) -> bool:
    """Whether an edit is one that may only have come near; a throw that lets go first is two in one."""
    return call.method in APPROACHES and "release" not in call.arguments


def _without(constraints: tuple[Constraint, ...], k: int) -> tuple[Constraint, ...]:
    return constraints[:k] + constraints[k + 1 :]


def _meant(constraints: tuple[Constraint, ...], k: int) -> str | int:
    """A constraint as a script says it: by its label, or by its number where several are called the same."""
    label = constraints[k].label
    return label if sum(other.label == label for other in constraints) == 1 else k
