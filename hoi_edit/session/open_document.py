"""`OpenDocument`: one document that is looked at, walked through in its history, and kept in files; edits are
`EditSession`'s."""

import warnings
import weakref
from collections.abc import Mapping, Sequence
from numbers import Real
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from hoi_edit import notebook_html as html
from hoi_edit.adjoint import Target
from hoi_edit.edit.comparison import Comparison, compared
from hoi_edit.edit.document import OPEN, Call, Document, Step, written
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.progress import Listener, Progress, tell
from hoi_edit.motions.base import bake, clip_of
from hoi_edit.rollout import POSITION_AND_VELOCITY, BodyState, Model, Rollout
from hoi_edit.scene import Scene
from hoi_edit.scene.bent_laws import Bent, bent_laws
from hoi_edit.scene.controls import Layout
from hoi_edit.scene.plausibility import check_sense
from hoi_edit.words import count_of, not_happening, unsolved
from kinematics.clip import Clip
from kinematics.errors import DoubtfulDerivative, HoiError
from kinematics.rotation import Floats

if TYPE_CHECKING:
    from hoi_edit.export import Exported
    from hoi_edit.files import Recoverable
    from hoi_edit.session.autosaver import Keeper

MODELS = 8  # that are kept of scenes of the history; others are made again when it is walked through


class OpenDocument:
    """What is shown is `rollout`: every stretch between intended contacts, simulated from its node."""

    def __init__(self, scene: Scene, source: str | None = None, reading: Mapping[str, Any] | None = None) -> None:
        self._begin([], 0)
        check_sense(scene)
        model = self._model_of(scene)
        start = model.simulate(model.start, strict=True)
        document = Document(scene, model.start, start.nodes)
        self._steps.append(Step(OPEN, Call(OPEN, {"scene": source, **(reading or {})}), document))
        self._opened_missed: tuple[str, ...] = tuple(start.missed)  # of the scene as opened
        self._saved: Document | None = document

    def _begin(self, steps: list[Step], now: int) -> None:
        self._steps, self._now = steps, now
        self._opened_missed = ()
        self._models: dict[int, Model] = {}
        self._point: tuple[Document, Iterate] | None = None  # the last one that was asked for
        self._source: Rollout | None = None
        self._keeper: Keeper | None = None
        self._ending: weakref.finalize[[], Any] | None = None
        self._saved = steps[now].document if steps else None
        self._muted = False

    def __repr__(self) -> str:
        """One line: what there is, and what still has to be done about it. Nothing is simulated for it."""
        scene = self.scene
        who = ", ".join(person.name for person in scene.characters) or "nobody"
        counted = {"thing": len(scene.things), "intended contact": len(scene.contacts), "edit": self._now}
        facts = [f"session on {scene.name}: {who}", *(count_of(number, what) for what, number in counted.items())]
        facts += [f"{scene.start:g} to {scene.end:g} s", *(["shown without its edits"] if self._muted else [])]
        return f"<{'; '.join([', '.join(facts), *not_happening(self.known_missed), *unsolved(scene)])}>"

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
        known = self._models.get(id(scene))  # which is never taken out to be put back: threads may ask at once
        if known is None:
            self._learn(known := Model.of(scene))
        return known

    def _learn(self, model: Model) -> None:
        """Remember a model, which holds on to its scene, so that its id stays its own; without those of scenes that no
        step has any more."""
        used = {id(step.document.scene) for step in self._steps}
        kept = [known for known in self._models.values() if id(known.scene) in used and known.scene is not model.scene]
        self._models = {id(known.scene): known for known in (*kept[-MODELS + 1 :], model)}

    @property
    def point(self) -> Iterate:
        """Where the document stands."""
        document = self.document
        if self._point is None or self._point[0] is not document:
            model = self._model_of(document.scene)
            # what follows a contact that edits need not keep is as that gives it: a node would be left behind
            nodes = {name: node for name, node in document.nodes.items() if name not in document.loose}
            self._point = document, Iterate.at(model, document.u, nodes, {}).timed()
        return self._point[1]

    @property
    def known_missed(self) -> tuple[str, ...]:
        """Intended contacts that do not happen, as far as that is known by now: nothing is simulated to find out."""
        if self._point is not None and self._point[0] is self.document:
            return tuple(self._point[1].rollout.missed)
        return self._opened_missed if self._now == 0 else ()

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

    @property
    def bent(self) -> tuple[Bent, ...]:
        """Laws of impacts that edits have bent, where `free(opened=…)` let them, and by how much; muted or not."""
        return bent_laws(self.scene, self.layout.unflatten(self.document.u))

    def compare(self) -> Comparison:
        """The edited scene against its source: which joints, things and contacts moved most, and when."""
        return compared(self.source, self.point.rollout)

    def bake(self, character: str | None = None, clip: Clip | None = None) -> Clip:
        """A character's edited motion as a clip of its own, muted or not; neither the scene nor its clips change.

        With the clip that the scene was made of, which a character may know by its recording, the result has its name,
        rows and file behind it, to be written back in that file's own form.
        """
        names = [person.name for person in self.scene.characters]
        if character is None and len(names) != 1:
            raise HoiError(f"say whose motion to bake: {', '.join(names) or 'there is no character in this scene'}")
        person = self.scene.character(names[0] if character is None else character)
        parameters = self.layout.unflatten(self.document.u).motions[person.name]
        if clip is None:
            return clip_of(person.motion, parameters, person.skeleton, person.name, recording=person.recording)
        if clip.skeleton.topology != person.skeleton.topology:
            raise HoiError(
                f"clip {clip.name!r} has other joints than {person.name!r}; bake with the one it was made of"
            )
        return bake(person.motion, parameters, clip)

    # -- what a user asks ---------------------------------------------------------------------------------------------

    def state(self, name: str, t: float) -> BodyState:
        """Of a thing ("ball1") or a point of a body ("juggler/right_hand") at time t [s]."""
        return self.rollout.state(name, t)

    def simulate(self, u: Floats) -> Rollout:
        """A full, fresh simulation of any control vector, from the start of the scene."""
        return self.model.simulate(u)

    def linearise(self, name: str | Sequence[tuple[str, float]], t: float | None = None) -> tuple[Floats, Floats]:
        """x = [position, velocity] (6,) of a thing or a point of a body at time t, and J = dx/du (6, n).

        A list of (name, t) pairs stacks its rows. What follows an event follows its time as well. Where an event, or a
        touch that was missed by less than a micrometre, makes the derivative one-sided, or where it is so large that it
        is of no use, a `DoubtfulDerivative` is warned of.
        """
        targets = _targets(name, t)
        rollout = self.rollout
        states = [rollout.state(target.name, target.time) for target in targets]
        x = np.concatenate([np.concatenate([state.position, state.velocity]) for state in states])
        rows = rollout.rows(targets, POSITION_AND_VELOCITY)
        for event in rows.doubts:
            warnings.warn(f"{event!r}: {event.doubt}", DoubtfulDerivative, stacklevel=2)
        for miss in rollout.misses_on_the_way(targets, rows):
            warnings.warn(f"{miss!r}: {miss.doubt}", DoubtfulDerivative, stacklevel=2)
        return x, rollout.dense(rows)

    # -- history ------------------------------------------------------------------------------------------------------

    def _done(self, label: str, call: Call, document: Document, point: Iterate | None = None) -> None:
        # an interrupt between the two assignments leaves a whole history, with the new step still to be redone
        self._steps = [*self._steps[: self._now + 1], Step(label, call, document)]
        self._now += 1
        if point is not None:
            self._point = document, point
            if point.rollout.model.scene is document.scene:
                self._learn(point.rollout.model)
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
        """The edits so far, as Python that runs by itself once the session has a file, or began with a name."""
        said = dict(self._steps[0].call.arguments)
        source = said.pop("scene")
        lines = ["import hoi_edit as hoi", ""]
        if source is not None:
            options = "".join(f", {name}={written(value)}" for name, value in said.items())
            lines.append(f"session = hoi.open({written(source)}{options})")
        else:
            lines += [self._own_scene(), "session = hoi.open(scene)"]
        lines += [str(step.call) for step in self._steps[1 : self._now + 1]]
        return "\n".join(lines) + "\n"

    def _own_scene(self) -> str:
        """What `scene` is in a script, where it was made and not named."""
        if self.file is None:
            name = self._steps[0].document.scene.name
            return f"# scene has to be the hoi.Scene {name!r} that was opened; once it is saved, its file is named here"
        opened = f"hoi.EditSession.saved({written(str(self.file))})"
        return f"scene = {opened}.history[0].document.scene  # as it was before the edits"

    # -- files --------------------------------------------------------------------------------------------------------

    def save(self, path: str | PathLike[str] | None = None) -> None:
        """Write the document with its whole history, to its own file if no other is given; the old file stays as it is
        if anything goes wrong, or if somebody else has saved there since. A path that is given is replaced whatever is
        there. From then on edits are autosaved beside it."""
        from hoi_edit.session.autosaver import NO_FILE, Keeper

        if path is None and self.file is None:
            raise HoiError(NO_FILE)
        if path is not None and not str(path).endswith(".hoi"):
            raise HoiError(f"{path}: expected a name ending in .hoi; what is to be read by others is exported")
        keeper = self._keeper
        if keeper is None or (path is not None and Path(path).absolute() != keeper.path):
            keeper = Keeper(str(path))
        keeper.save(self._steps, self._now, over_others=path is not None)
        if self._keeper is not None and self._keeper is not keeper:
            self._keeper.close()
        self._keep_with(keeper)
        self._saved = self.document

    def _keep_with(self, keeper: "Keeper | None") -> None:
        if self._ending is not None:
            self._ending.detach()
        self._keeper = keeper
        self._ending = None if keeper is None else weakref.finalize(self, keeper.forgotten)

    def keep(self) -> None:
        """Autosave the edits of a session without a file, in the user's cache: `hoi_edit.files.recoverable_untitled`
        finds what a program that died has left there. A session with a file does so by itself."""
        from hoi_edit.session.autosaver import Keeper

        if self._keeper is None:
            self._keeper = Keeper(None)

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
        """Why edits could be written neither beside the file nor in the user's cache; None if all is well."""
        return None if self._keeper is None else self._keeper.problem

    def close(self, keep: bool = False) -> None:
        """Give up what was not saved, or `keep` it for the next start: later edits are not written any more.

        A session that nobody has any more, and one that is left open when its program ends as it should, is closed by
        itself; so is one that was opened in a `with`.
        """
        if self._keeper is not None:
            if keep:
                self._keeper.leave()
            else:
                self._keeper.close()
            self._keep_with(None)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, *_: object) -> None:
        if kind is None:  # else whether the program dies of it is seen when it ends
            self.close()

    @classmethod
    def load(cls, path: str | PathLike[str], recover: bool | None = None, progress: Listener | None = None) -> Self:
        """The session in a file; one that is listened to is simulated at once, else when it is first asked.

        If a program that died has left newer edits beside it, `recover` says whether to open these (True) or to give
        them up (False); None raises `Unsaved`, which tells of them.
        """
        from hoi_edit.files import recoverable
        from hoi_edit.session.autosaver import Keeper, Unsaved
        from hoi_edit.session.stored_history import load, steps_of

        left = recoverable(path)
        if left is not None and (recover is None or (recover and left.problem is not None)):
            raise Unsaved(path, left)
        steps, now = steps_of(left.read(), left.file) if left is not None and recover else load(path)
        session = cls._of(steps, now)
        if left is not None and recover:
            session._saved = None  # what was recovered is in no file yet
        if progress is not None:
            stages = (lambda: None, lambda: session.model, lambda: session.point)
            for k, stage in enumerate(stages, start=1):  # read, packed, simulated
                stage()
                tell(progress, Progress(f"open {path}", k, len(stages), float("nan")))
        if left is not None and not recover:
            left.discard()
        session._keep_with(Keeper(path, recovered=left if recover else None))
        return session

    @classmethod
    def recovered(cls, left: "Recoverable") -> Self:
        """The session that a program that died has left in the user's cache; it is kept there again at once."""
        from hoi_edit.session.stored_history import steps_of

        session = cls._of(*steps_of(left.read(), left.file))
        session._saved = None  # it is in no file yet
        session.keep()
        session._autosave()
        if session._keeper is not None:
            session._keeper.write()
            if session._keeper.problem is None:
                left.discard()
        return session

    def copy(self) -> Self:
        """The same document and history, with no file: to export or to try something while this one goes on."""
        other = self._of(list(self._steps), self._now)
        other._models, other._point, other._source = dict(self._models), self._point, self._source
        other._opened_missed = self._opened_missed
        return other

    @classmethod
    def saved(cls, path: str | PathLike[str]) -> Self:
        """The session in a file as it was saved, whatever lies beside it, to look at: it is not autosaved."""
        from hoi_edit.session.stored_history import load

        return cls._of(*load(path))

    @classmethod
    def _of(cls, steps: list[Step], now: int) -> Self:
        session = cls.__new__(cls)
        session._begin(steps, now)
        return session


def _targets(name: Any, t: Any) -> list[Target]:
    """What `linearise` is asked about: a name and a time, or a list of such pairs."""
    pairs = [(name, t)] if isinstance(name, str) else name
    if not isinstance(pairs, Sequence) or not pairs or not all(_is_pair(pair) for pair in pairs):
        raise HoiError("linearise wants a name and a time, or a list of such pairs: linearise('ball1', t=1.2)")
    return [Target(who, float(when)) for who, when in pairs]


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, Sequence) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], Real)
