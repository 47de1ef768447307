"""`ShownDocument`: one document that is looked at, and walked through in its history. Files are `OpenDocument`'s, edits
`EditSession`'s."""

import warnings
from collections.abc import Mapping, Sequence
from numbers import Real
from typing import Any, Self

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.edit.comparison import Comparison, compared
from hoi_edit.edit.document import Call, Document, Step
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.report import Report
from hoi_edit.motions.base import bake, clip_of
from hoi_edit.reporting.words import count_of, not_happening, unsolved
from hoi_edit.rollout import POSITION_AND_VELOCITY, BodyState, Model, Rollout
from hoi_edit.scene import Scene
from hoi_edit.scene.bent_laws import Bent, bent_laws
from hoi_edit.scene.controls import Layout
from hoi_edit.scene.plausibility import check_sense
from hoi_edit.session.history import History
from kinematics.clip import Clip
from kinematics.errors import DoubtfulDerivative, HoiError
from kinematics.rotation import Floats

MODELS = 8  # that are kept of scenes of the history; others are made again when it is walked through


class ShownDocument:
    """What is shown is `rollout`: every stretch between intended contacts, simulated from its node."""

    def __init__(self, scene: Scene, source: str | None = None, reading: Mapping[str, Any] | None = None) -> None:
        check_sense(scene)
        model = Model.of(scene)
        start = model.simulate(model.start, strict=True)
        opened = History.opened(Document(scene, model.start, start.nodes), source, reading)
        self._begin(opened, tuple(start.missed))
        self._learn(model)

    def _begin(self, history: History, missed: tuple[str, ...] = ()) -> None:
        self._history = history
        self._opened_missed: tuple[str, ...] = missed  # by the scene as opened
        self._models: dict[int, Model] = {}
        self._iterate: tuple[Document, Iterate] | None = None  # the last one that was asked for
        self._source: Rollout | None = None
        self._muted = False
        self._dragged_last: tuple[Document, str, Report] | None = None  # what became of it, and where that led

    @classmethod
    def _of(cls, history: History, missed: tuple[str, ...] = ()) -> Self:
        session = cls.__new__(cls)
        session._begin(history, missed)
        return session

    def copy(self) -> Self:
        """The same document and history, with no file: to export or to try something while this one goes on."""
        other = self._of(self._history, self._opened_missed)
        other._models, other._iterate, other._source = dict(self._models), self._iterate, self._source
        return other

    def __repr__(self) -> str:
        """One line: what there is, and what still has to be done about it. Nothing is simulated for it."""
        scene = self.scene
        who = ", ".join(person.name for person in scene.characters) or "nobody"
        counted = {"thing": len(scene.things), "intended contact": len(scene.contacts), "edit": self.now}
        facts = [f"session on {scene.name}: {who}", *(count_of(number, what) for what, number in counted.items())]
        facts += [f"{scene.start:g} to {scene.end:g} s", *(["shown without its edits"] if self._muted else [])]
        undone = [*not_happening(self.known_missed), *unsolved(scene), *self.not_reached]
        return f"<{'; '.join([', '.join(facts), *undone])}>"

    @property
    def not_reached(self) -> tuple[str, ...]:
        """One clause about a drag that was the last thing done and missed its aim; none if there was none."""
        if self._dragged_last is None or self._dragged_last[0] is not self.document:
            return ()
        _, label, report = self._dragged_last
        return () if report.converged else (f"{label}: {report.in_words}",)

    # -- the document -------------------------------------------------------------------------------------------------

    @property
    def document(self) -> Document:
        return self._history.document

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
        used = {id(step.document.scene) for step in self.history}
        kept = [known for known in self._models.values() if id(known.scene) in used and known.scene is not model.scene]
        self._models = {id(known.scene): known for known in (*kept[-MODELS + 1 :], model)}

    @property
    def iterate(self) -> Iterate:
        """Where the document stands."""
        document = self.document
        if self._iterate is None or self._iterate[0] is not document:
            model = self._model_of(document.scene)
            # what follows a contact that edits need not keep is as that gives it: a node would be left behind
            nodes = {name: node for name, node in document.nodes.items() if name not in document.loose}
            self._iterate = document, Iterate.at(model, document.u, nodes, {}).timed()
        return self._iterate[1]

    @property
    def known_missed(self) -> tuple[str, ...]:
        """Intended contacts that do not happen, as far as that is known by now: nothing is simulated to find out."""
        if self._iterate is not None and self._iterate[0] is self.document:
            return tuple(self._iterate[1].rollout.missed)
        return self._opened_missed if self.now == 0 else ()

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
        return self.source if self._muted else self.iterate.rollout

    @property
    def source(self) -> Rollout:
        """The scene as it was opened, without the edits."""
        if self._source is None:
            first = self.history[0].document
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
        return compared(self.source, self.iterate.rollout)

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

    def _done(self, label: str, call: Call, document: Document, iterate: Iterate | None = None) -> None:
        # an interrupt after the first assignment leaves a whole history; where its document stands is then found again
        self._history = self._history.done(Step(label, call, document))
        if iterate is not None:
            self._iterate = document, iterate
            if iterate.rollout.model.scene is document.scene:
                self._learn(iterate.rollout.model)
        self._shown_again()

    def _shown_again(self) -> None:
        """After an edit, which would else not be seen."""
        self._muted = False
        self._autosave()

    def _autosave(self) -> None:
        """The history is another one: for whoever keeps it in a file."""

    @property
    def history(self) -> Sequence[Step]:
        """All steps, oldest first, those that were undone included; `now` says which one is shown."""
        return self._history.steps

    @property
    def now(self) -> int:
        return self._history.now

    def undo(self) -> bool:
        """One step back; True if there was one."""
        return self._went(self._history.undone())

    def redo(self) -> bool:
        """One step forward again; True if there was one."""
        return self._went(self._history.redone())

    def _went(self, history: History | None) -> bool:
        if history is None:
            return False
        self._history = history
        self._autosave()
        return True


def _targets(name: Any, t: Any) -> list[Target]:
    """What `linearise` is asked about: a name and a time, or a list of such pairs."""
    pairs = [(name, t)] if isinstance(name, str) else name
    if not isinstance(pairs, Sequence) or not pairs or not all(_is_pair(pair) for pair in pairs):
        raise HoiError("linearise wants a name and a time, or a list of such pairs: linearise('ball1', t=1.2)")
    return [Target(who, float(when)) for who, when in pairs]


def _is_pair(pair: Any) -> bool:
    return isinstance(pair, Sequence) and len(pair) == 2 and isinstance(pair[0], str) and isinstance(pair[1], Real)
