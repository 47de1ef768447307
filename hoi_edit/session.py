"""`EditSession`: one document, its history, and everything a user does to it. Editor, notebook and command line are
doors to this."""

from collections.abc import Sequence
from dataclasses import fields, replace
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from hoi_edit import html
from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.bend import is_degree_of_freedom
from hoi_edit.constraints.checks import check
from hoi_edit.constraints.pin import Drag
from hoi_edit.constraints.standing_foot import asked_of_feet, is_foot
from hoi_edit.constraints.weigh import Weigh
from hoi_edit.controls import Layout
from hoi_edit.editing import placing, plan, staging
from hoi_edit.editing.bending import Bending
from hoi_edit.editing.compare import Comparison, compared
from hoi_edit.editing.document import Call, Document, Step, copied, written
from hoi_edit.editing.gesture import Gesture
from hoi_edit.editing.kept import Kept, in_two_hands
from hoi_edit.editing.point import Point
from hoi_edit.editing.progress import Listener, Progress, tell
from hoi_edit.editing.report import Report, changes
from hoi_edit.editing.solve import Solver
from hoi_edit.editing.whole_plan import solved_plan
from hoi_edit.linearise import Target
from hoi_edit.motions.base import bake, clip_of
from hoi_edit.scene import Character, Scene, Thing, named
from hoi_edit.simulation import POSITION_AND_VELOCITY, BodyState, Model, Rollout
from hoi_edit.solver import Freedom, Lock, Window
from kinematics.clip import Clip
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats

if TYPE_CHECKING:
    from hoi_edit.editing.keeping import Keeper
    from hoi_edit.export import Exported


class EditSession:
    """What is shown is `rollout`: every stretch between intended contacts, simulated from its node."""

    def __init__(self, scene: Scene, source: str | None = None) -> None:
        self._begin([], 0)
        model = self._model_of(scene)
        start = model.simulate(model.start, strict=True)
        document = Document(scene, model.start, start.nodes)
        self._steps.append(Step("open", Call("open", {"scene": source}), document))
        self._saved: Document | None = document

    def _begin(self, steps: list[Step], now: int) -> None:
        self._steps, self._now = steps, now
        self._models: dict[int, Model] = {}
        self._point: tuple[Document, Point] | None = None  # the last one that was asked for
        self._source: Rollout | None = None
        self._keeper: Keeper | None = None
        self._saved = steps[now].document if steps else None
        self._muted = False

    def _repr_html_(self) -> str:
        return html.session_table(self)

    # -- the document -------------------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        return self._steps[self._now].document

    @property
    def scene(self) -> Scene:
        return self.document.scene

    @property
    def model(self) -> Model:
        return self._model_of(self.scene)

    def _model_of(self, scene: Scene) -> Model:
        if id(scene) not in self._models:
            self._models[id(scene)] = Model.of(scene)  # which holds on to the scene, so that its id stays its own
        return self._models[id(scene)]

    @property
    def point(self) -> Point:
        """Where the document stands."""
        document = self.document
        if self._point is None or self._point[0] is not document:
            model = self._model_of(document.scene)
            self._point = document, Point.at(model, document.u, document.nodes, {}).timed()
        return self._point[1]

    @property
    def u(self) -> Floats:
        """The control vector (n,); a copy."""
        return self.document.u.copy()

    @property
    def layout(self) -> Layout:
        """Which stretch of `u` is what: `layout["ball1.velocity"].indices`."""
        return self.model.layout

    @property
    def rollout(self) -> Rollout:
        return self.source if self._muted else self.point.rollout

    @property
    def source(self) -> Rollout:
        """The scene as it was opened, without the edits."""
        if self._source is None:
            first = self._steps[0].document
            self._source = self._model_of(first.scene).simulate(first.u, first.nodes)
        return self._source

    def mute(self, muted: bool = True) -> None:
        """Show the scene without its edits, to compare; nothing is changed. The next edit shows them again."""
        self._muted = muted

    @property
    def muted(self) -> bool:
        return self._muted

    def compare(self) -> Comparison:
        """The edited scene against its source: which joints, things and contacts moved most, and when."""
        return compared(self.source, self.point.rollout)

    def bake(self, character: str | None = None, clip: Clip | None = None) -> Clip:
        """A character's edited motion as a clip of its own, muted or not; neither the scene nor its clips change.

        With the clip that the scene was made of, which a character may know by its recording, the result has its name,
        rows and file behind it, to be written back in that file's own form.
        """
        names = [own.name for own in self.scene.characters]
        if character is None and len(names) != 1:
            raise HoiError(f"say whose motion to bake: {', '.join(names) or 'there is no character in this scene'}")
        own = self.scene.character(names[0] if character is None else character)
        parameters = self.layout.unflatten(self.document.u).motions[own.name]
        if clip is None:
            return clip_of(own.motion, parameters, own.skeleton, own.name, recording=own.recording)
        if clip.skeleton.topology != own.skeleton.topology:
            raise HoiError(f"clip {clip.name!r} has other joints than {own.name!r}; bake with the one it was made of")
        return bake(own.motion, parameters, clip)

    # -- what a user asks ---------------------------------------------------------------------------------------------

    def state(self, name: str, t: float) -> BodyState:
        """Of a thing ("ball1") or a point of a body ("juggler/right_hand") at time t [s]."""
        return self.rollout.state(name, t)

    def simulate(self, u: Floats) -> Rollout:
        """A full, fresh simulation of any control vector, from the start of the scene."""
        return self.model.simulate(np.asarray(u, float))

    def linearise(self, name: str | Sequence[tuple[str, float]], t: float | None = None) -> tuple[Floats, Floats]:
        """x = [position, velocity] (6,) of a thing or a point of a body at time t, and J = dx/du (6, n).

        A list of (name, t) pairs stacks its rows. What follows an event follows its time as well.
        """
        pairs = [(name, t)] if isinstance(name, str) else [tuple(pair) for pair in name]
        if not pairs or any(len(pair) != 2 or not isinstance(pair[1], Real) for pair in pairs):
            raise HoiError("linearise wants a name and a time, or a list of such pairs: linearise('ball1', t=1.2)")
        targets = [Target(str(who), float(when)) for who, when in pairs]  # type: ignore[arg-type]
        rollout = self.rollout
        states = [rollout.state(target.name, target.time) for target in targets]
        x = np.concatenate([np.concatenate([state.position, state.velocity]) for state in states])
        return x, rollout.dense(rollout.rows(targets, POSITION_AND_VELOCITY))

    # -- edits --------------------------------------------------------------------------------------------------------

    def begin(self, name: str, t: float) -> Gesture:
        """A drag with the mouse, of a thing, a point of a body or a degree of freedom ("juggler/head.Xrotation"):
        `move` it as often as you like, then `commit` or `abort`."""
        return Bending(self, name, t) if is_degree_of_freedom(name) else Gesture(self, name, t)

    def drag(
        self,
        name: str,
        t: float,
        to: Any,
        rotation: Any = None,
        velocity: Any = None,
        progress: Listener | None = None,
    ) -> Report:
        """Bring a thing, or a point of a body, to a place at a time; everything else follows as little as it can.

        Entries of `to` that are NaN are left open. `progress`, here and in all edits, is told each step as a
        `Progress`; if it returns False the edit raises `Cancelled` and nothing has changed.
        """
        gesture = self.begin(name, t)
        gesture.aim(to, rotation, velocity)
        return gesture.commit(progress)

    def bend(self, name: str, t: float, to: float, progress: Listener | None = None) -> Report:
        """Bring a degree of freedom, "juggler/right_forearm.Xrotation", to an angle [rad] (of a position, metres) at a
        time. Everything that is kept stays kept: the rest of the body, and what it throws, follows."""
        gesture = Bending(self, name, t)
        gesture.aim(to)
        return gesture.commit(progress)

    def weigh(self, character: str, interval: int, clip: int, to: float, progress: Listener | None = None) -> Report:
        """How much clip number `clip` counts in an interval of a character's blend, from 0 to 1; what is kept stays."""
        own = Weigh(character, interval, clip, to)
        report, point = self._solved((own, *self.document.constraints), own.label, progress)
        document = replace(self.document, u=point.u, nodes=dict(point.nodes))
        call = Call("weigh", {"character": character, "interval": interval, "clip": clip, "to": to})
        return self._planned((report, document, point), f"{own.label}: {to:.2f}", call)

    def _dragged(self, gesture: Gesture) -> None:
        if not gesture.report.holds:
            return
        point = gesture.point
        document = replace(self.document, u=point.u, nodes=dict(point.nodes))
        self._done(gesture.label, gesture.call, document, point)

    def add(self, constraint: Constraint, progress: Listener | None = None) -> Report:
        """Put a constraint into the document, and make it true."""
        check(constraint, self.point.rollout)
        constraints = (*self.document.constraints, constraint)
        report, point = self._solved(constraints, f"add {constraint.label}", progress)
        if report.holds:
            document = replace(self.document, u=point.u, nodes=dict(point.nodes), constraints=constraints)
            self._done(f"add {constraint.label}", Call("add", {"constraint": constraint}), document, point)
        return report

    def remove(self, constraint: Constraint | str | int) -> None:
        """Take a constraint out again: itself, by its label, or by its number in `document.constraints`."""
        own = self.document.constraints
        k = self.document.which(constraint)
        label = own[k].label
        alone = sum(other.label == label for other in own) == 1
        call = Call("remove", {"constraint": label if alone else k})
        self._done(f"remove {label}", call, replace(self.document, constraints=own[:k] + own[k + 1 :]))

    def _solved(
        self, constraints: tuple[Constraint, ...], what: str, progress: Listener | None
    ) -> tuple[Report, Point]:
        asked = asked_of_feet(constraints, self.point.rollout)
        kept = Kept.of(self.model, self.point, self.document.freedom, self.document.loose, asked=asked)
        solver = Solver(kept, constraints, self.point, what=what, listener=progress)
        for _ in solver.run():
            pass
        return solver.report(), solver.point.with_turns().timed()

    # -- the plan -----------------------------------------------------------------------------------------------------

    def grasp(
        self,
        name: str,
        site: str | tuple[str, ...],
        t: float,
        release: float | None = None,
        id: str | None = None,  # noqa: A002
        progress: Listener | None = None,
    ) -> Report:
        """Catch here: bring this thing and this site ("juggler/right_palm"), or two, together at a time, and hold it.

        Of two sites the first carries, and the second stays where it touches the thing first.
        """
        if id in [own.id for own in self.scene.contacts]:
            raise HoiError(f"there is a contact {id!r} already; give another id, or none to have one made up")
        contact = plan.new_contact(self.scene, name, site, t, release, id)
        found = plan.caught(self.model, self.document, self.point, contact, progress)
        arguments = {"name": name, "site": site, "t": t, "release": release, "id": contact.id}
        label = f"catch {name} with {' and '.join(named(site))} at {t:.2f} s"
        return self._planned(found, label, Call("grasp", arguments))

    def solve(self, progress: Listener | None = None) -> Report:
        """Make a plan of declared contacts come true, all of it at once."""
        found = solved_plan(self.model, self.document, self.point, progress=progress)
        return self._planned(found, "solve the plan", Call("solve"))

    def throw(self, contact: str, t: float, to: Any, progress: Listener | None = None) -> Report:
        """Throw there: let what this contact holds go so that it is at a place at a time."""
        own = self.scene.contact(contact)
        if own.kind != "grasp" or own.release is None:
            thrown = [other.id for other in self.scene.contacts if other.release is not None]
            what = "held to the end" if own.kind == "grasp" else "an impact"
            raise HoiError(f"contact {contact!r} is {what}, not thrown; choose from: {', '.join(thrown) or 'none'}")
        where = Drag(own.object, t, to, after=f"{contact}:release")
        where.check(self.point.rollout)
        report, point = self._solved((where, *self.document.constraints), f"throw after {contact}", progress)
        document = replace(self.document, u=point.u, nodes=dict(point.nodes))
        call = Call("throw", {"contact": contact, "t": t, "to": np.asarray(to, float)})
        return self._planned((report, document, point), f"throw after {contact}", call)

    def retime(self, contact: str, t: float, progress: Listener | None = None) -> Report:
        """Another time for a contact ("catch3") or a release ("catch3:release"); space follows."""
        name, colon, end = contact.partition(":")
        if colon and end != "release":
            raise HoiError(f"{contact!r} is no contact; {name!r} is, and '{name}:release' its release")
        change = plan.released_at if colon else plan.retimed
        found = change(self.model, self.document, self.point, name, t, progress)
        return self._planned(found, f"retime {contact} to {t:.2f} s", Call("retime", {"contact": contact, "t": t}))

    def place(
        self, name: str, by: Any = (0.0, 0.0, 0.0), turn: float = 0.0, progress: Listener | None = None
    ) -> Report:
        """Let a character stand elsewhere: its whole clip is turned [rad] about where it starts, and moved [m].

        What is kept is kept: others and what they throw follow. It goes all the way, or nothing changes.
        """
        move = np.asarray(by, float)
        if move.shape != (3,) or not (np.all(np.isfinite(move)) and np.isfinite(turn)):
            raise HoiError(f"{name!r} is to be placed by {by}, turned by {turn}; give three numbers [m] and one [rad]")
        found = placing.placed(self.model, self.document, self.point, name, move, float(turn), progress)
        call = Call("place", {"name": name, "by": move, "turn": float(turn)})
        return self._planned(found, f"place {name}", call)

    def _planned(self, found: tuple[Report, Document, Point], label: str, call: Call) -> Report:
        report, document, point = found
        if report.holds:
            self._done(label, call, document, point)
        return report

    # -- the scene ----------------------------------------------------------------------------------------------------

    def add_thing(self, thing: Thing) -> tuple[str, ...]:
        """Put another thing into the scene; in words, what that changes about contacts."""
        found = staging.with_thing(self.model, self.document, self.point, thing)
        return self._staged(found, f"add {thing.name}", Call("add_thing", {"thing": thing}))

    def import_clip(
        self,
        path: str | PathLike[str],
        onto: str | None = None,
        name: str | None = None,
        trim: tuple[float, float] | None = None,
        at: float | None = None,
        move: tuple[float, float] = (0.0, 0.0),
        turn: float = 0.0,
    ) -> tuple[str, ...]:
        """A recorded motion for somebody of the scene, or somebody new who moves so; in words, what that changes.

        A stretch of the clip can be taken (`trim` [s]), begin at another time (`at` [s]), be moved on the ground
        (`move`, x and z [m]) and turned there (`turn` [rad]). What the person was meant to catch is declared: `solve`
        brings it about with the new motion.
        """
        clip = staging.clip_from(path, trim, at, move, turn)
        if onto is not None:
            found = staging.with_motion(self.model, self.document, self.point, onto, clip)
        else:
            name = name or staging.free_name(Path(path).stem, staging.names_in(self.scene))
            found = staging.with_character(self.model, self.document, self.point, Character.of(name, clip))
        arguments = {"path": str(path), "onto": onto, "name": name, "trim": trim, "at": at, "move": move, "turn": turn}
        given = {key: value for key, value in arguments.items() if value is not None}
        return self._staged(found, f"import {Path(path).name}", Call("import_clip", given))

    def _staged(self, found: tuple[Document, Point], label: str, call: Call) -> tuple[str, ...]:
        document, point = found
        different = changes(self.point.rollout, point.rollout)
        self._done(label, call, document, point)
        return different

    # -- what may change ----------------------------------------------------------------------------------------------

    def free(self, **changes: Any) -> None:
        """Change what edits may change: `locks`, `opened`, `scales`, `things`, `window` (see `Freedom`)."""
        known = [own.name for own in fields(Freedom)]
        for name in changes:
            if name not in known:
                raise unknown("kind of freedom", name, known)
        changes = copied(changes)
        freedom = replace(self.document.freedom, **changes)
        Kept.of(self.model, self.point, freedom)  # names that are wrong are told now
        self._done("what may change", Call("free", changes), replace(self.document, freedom=freedom))

    def lock(self, name: str, span: tuple[float, float] | None = None) -> None:
        """Keep what edits may change of a character, a joint, a thing or a contact; of bodies perhaps for a while only.

        A character or a joint ("juggler/pelvis") does not move against what carries it. A thing ("ball2") keeps its
        start: place, turn, velocity and spin, or how it lies in a hand and when it is first let go; where it is later
        still follows from hands and touches. A contact ("catch5") keeps the time of its release; when and where it
        happens may still follow. What is to stay in place at a time is pinned.
        """
        self.free(locks=(*self.document.freedom.locks, Lock(name, span)))

    def unlock(self, name: str) -> None:
        locks = tuple(lock for lock in self.document.freedom.locks if lock.name != name)
        if len(locks) == len(self.document.freedom.locks):
            raise HoiError(f"{name!r} is not locked")
        self.free(locks=locks)

    def window(self, start: float | None = None, end: float | None = None, fade: float = 0.3) -> None:
        """Edits change nothing outside start..end from now on; without arguments they may change everything again.

        Bodies do not move outside of it. Releases outside keep their times, and a start is kept unless the window
        begins with the scene. Where a thing is after the window still follows from what changed in it.
        """
        whole = start is None and end is None
        scene = self.scene
        first, last = scene.start if start is None else start, scene.end if end is None else end
        self.free(window=None if whole else Window(first, last, fade))

    def let_go(self, *contacts: str) -> None:
        """What edits need not keep from now on: intended contacts; of a thing that starts in two hands, the second;
        and feet where they stand: "player/left_foot", or "player" for both."""
        for contact in contacts:
            if contact not in in_two_hands(self.scene) and not is_foot(self.scene, contact):
                self.scene.contact(contact)
        loose = tuple(dict.fromkeys((*self.document.loose, *contacts)))
        call = Call("let_go", {"*contacts": contacts})
        self._done(f"let go of {', '.join(contacts)}", call, replace(self.document, loose=loose))

    # -- history ------------------------------------------------------------------------------------------------------

    def _done(self, label: str, call: Call, document: Document, point: Point | None = None) -> None:
        # an interrupt between the two assignments leaves a whole history, with the new step still to be redone
        self._steps = [*self._steps[: self._now + 1], Step(label, call, document)]
        self._now += 1
        if point is not None:
            self._point = document, point
        self._muted = False  # or an edit would not be seen
        self._autosave()

    def _autosave(self) -> None:
        if self._keeper is not None:
            self._keeper.edited(self._steps, self._now)

    @property
    def history(self) -> Sequence[Step]:
        """All steps, oldest first, those that were undone included; `now` says which one is shown."""
        return tuple(self._steps)

    @property
    def now(self) -> int:
        return self._now

    def undo(self) -> bool:
        """One step back; True if there was one."""
        if self._now == 0:
            return False
        self._now -= 1
        self._autosave()
        return True

    def redo(self) -> bool:
        """One step forward again; True if there was one."""
        if self._now + 1 == len(self._steps):
            return False
        self._now += 1
        self._autosave()
        return True

    def script(self) -> str:
        """The edits so far, as Python."""
        source = self._steps[0].call.arguments["scene"]
        opened = "scene" if source is None else written(source)  # a scene of one's own is made before
        lines = ["import hoi_edit as hoi", "", f"session = hoi.open({opened})"]
        lines += [str(step.call) for step in self._steps[1 : self._now + 1]]
        return "\n".join(lines) + "\n"

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str] | None = None) -> None:
        """Write the document with its whole history, to its own file if no other is given; the old file stays as it is
        if anything goes wrong. From then on edits are autosaved beside it."""
        from hoi_edit.editing.keeping import Keeper

        if path is None and self._keeper is None:
            raise HoiError("this session has no file yet; give one a name: session.save('a.hoi')")
        if path is not None and not str(path).endswith(".hoi"):
            raise HoiError(f"{path}: expected a name ending in .hoi; what is to be read by others is exported")
        keeper = self._keeper
        if keeper is None or (path is not None and Path(path) != keeper.path):
            keeper = Keeper(str(path))
        keeper.save(self._steps, self._now)
        if self._keeper is not None and self._keeper is not keeper:
            self._keeper.close()
        self._keeper, self._saved = keeper, self.document

    @property
    def unsaved(self) -> bool:
        """Whether the document is another than the one that was opened, or last saved."""
        return self.document is not self._saved

    def export(
        self, path: str | PathLike[str], progress: Listener | None = None, **options: Any
    ) -> "tuple[Exported, ...]":
        """Write the scene as .bvh, .csv, .npz, .json, .glb, .png, .gif or .mp4, edits included, muted or not.

        Options: `rate`, `start`, `end`, `edited=False` for the scene before the edits, and the format's own
        (docs/EXPORT.md). Each file is read again and compared with the scene before it takes its place.
        """
        from hoi_edit.export import export

        return export(self, path, progress, **options)

    @property
    def file(self) -> Path | None:
        """Where the session was saved to, or opened from."""
        return None if self._keeper is None else self._keeper.path

    @property
    def autosave_problem(self) -> str | None:
        """Why edits could not be written beside the file; None if all is well."""
        return None if self._keeper is None else self._keeper.problem

    def close(self) -> None:
        """Give up what was not saved: the autosave is removed, and later edits are not written any more."""
        if self._keeper is not None:
            self._keeper.close()
            self._keeper = None

    @staticmethod
    def load(path: str | PathLike[str], recover: bool | None = None, progress: Listener | None = None) -> "EditSession":
        """The session in a file; one that is listened to is simulated at once, else when it is first asked.

        If a program that died has left newer edits beside it, `recover` says whether to open these (True) or to give
        them up (False); None raises `Unsaved`, which tells of them.
        """
        from hoi_edit.editing.keeping import Keeper, Unsaved
        from hoi_edit.editing.stored import load, steps_of
        from hoi_edit.files import recoverable

        left = recoverable(path)
        if left is not None and (recover is None or (recover and left.problem is not None)):
            raise Unsaved(path, left)
        steps, now = steps_of(left.read(), left.file) if left is not None and recover else load(path)
        session = EditSession._of(steps, now)
        if left is not None and recover:
            session._saved = None  # what was recovered is in no file yet
        if progress is not None:
            stages = (lambda: None, lambda: session.model, lambda: session.point)
            for k, stage in enumerate(stages, start=1):  # read, packed, simulated
                stage()
                tell(progress, Progress(f"open {path}", k, len(stages), float("nan")))
        if left is not None and not recover:
            left.discard()
        session._keeper = Keeper(path, recovered=left is not None and bool(recover))
        return session

    def copy(self) -> "EditSession":
        """The same document and history, with no file: to export or to try something while this one goes on."""
        other = EditSession._of(list(self._steps), self._now)
        other._models, other._point, other._source = dict(self._models), self._point, self._source
        return other

    @staticmethod
    def saved(path: str | PathLike[str]) -> "EditSession":
        """The session in a file as it was saved, whatever lies beside it, to look at: it is not autosaved."""
        from hoi_edit.editing.stored import load

        return EditSession._of(*load(path))

    @staticmethod
    def _of(steps: list[Step], now: int) -> "EditSession":
        session = EditSession.__new__(EditSession)
        session._begin(steps, now)
        return session
