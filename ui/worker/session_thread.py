"""The thread that owns the session: the window asks, and looks at what is there; it never waits.

Commands are carried out in order, on one thread. While a drag goes on only its latest target counts. A drag that came
only near is refined afterwards, for as long as nobody asks for anything. What crosses over to the window is immutable:
rollouts, documents, timelines and messages.
"""

from __future__ import annotations

import sys
import threading
import time
import traceback
import warnings
from collections import deque
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import hoi_edit as hoi
from hoi_edit.compiling.runtime import ready
from hoi_edit.edit.gesture import Gesture
from hoi_edit.edit.report import Report
from hoi_edit.files import Recoverable
from hoi_edit.rollout import Rollout
from ui.timeline.lanes import lay_out
from ui.words.edit_report import residuals, told
from ui.words.fixes import Fix
from ui.words.history_labels import label_of, labels_of
from ui.words.messages import Level, Message
from ui.words.names import in_words, plain, sentence
from ui.words.problems import bent_in_words, fixes_of
from ui.worker.doubts import doubts_heard
from ui.worker.snapshots import Live, Shown
from ui.worker.trials import Trial

SLOW = 0.8  # [s] of one step of a drag, or of an edit, after which somebody may want it to stop
REFINEMENTS = 12  # more moves towards a target that stays where it is
GIVES_WAY = 0.3  # [s] after which a move to another time makes way for a newer one
PAUSE = 0.05  # [s] after which refining looks whether it may go on


Edit = Callable[[hoi.EditSession, hoi.Listener], Any]


class Worker:
    """Everything public may be called by the window's thread; attributes are replaced, never changed."""

    def __init__(self) -> None:
        self.shown: Shown | None = None
        self.live: Live | None = None
        self.finishing = False  # a drag was let go, and its end is not there yet
        self.refining = False  # the last edit came only near, and a nearer way is looked for
        self.pausing = False  # the window is busy: refining waits, so as not to take from it
        self.busy: str | None = None
        self.progress: hoi.Progress | None = None
        self.solves = 0  # moves of drags that were solved, ever
        self._session: hoi.EditSession | None = None
        self._opened = 0
        self._prepared: frozenset[str] = frozenset()  # kinds of solids whose functions are compiled
        self._gesture: Gesture | Trial | None = None
        self._since: float | None = None  # [s] when what goes on began
        self._held = 0  # the number of its drag
        self._jobs: deque[tuple[str, Callable[[], None], bool]] = deque()
        self._listens = False  # whether what goes on can be stopped
        self._messages: deque[Message] = deque()
        self._drag = 0  # which drag is the latest
        self._target: tuple[int, Any] | None = None  # of which drag, and where to
        self._refined = 0
        self._cancelled = False
        self._refined_as: tuple[str | None, str, bool] = (None, "", False)  # how the last edit is told
        self._over = False
        self._wake = threading.Condition()
        self._thread = threading.Thread(target=self._run, name="solver", daemon=True)
        self._thread.start()

    # -- what the window asks -----------------------------------------------------------------------------------------

    def open(self, scene: str, recover: bool | None = None) -> None:
        name = Path(scene).name
        self._post(f"Opening {name}", lambda: self._open_file(scene, recover))

    def stage(self, name: str, scene: Callable[[], hoi.Scene]) -> None:
        """Open a scene of one's own, which is made here."""
        self._post(f"Importing {name}", lambda: self._open(lambda: hoi.open(scene()), name))

    def recover(self, left: Recoverable) -> None:
        """Open what a program that died has left of a document without a file."""
        session = partial(hoi.EditSession.recovered, left)
        self._post("Recovering edits", lambda: self._open(session, "what was in no file", recovered=True))

    def do(self, words: str, edit: Edit, done: str | None = None, compare: bool = False) -> None:
        """Have the session do something; what comes back, a report or a message perhaps, is told. What there was before
        can be shown beside what there is then, to compare them."""
        self._post(words, lambda: self._edit(edit, done, compare), listens=True)

    def begin(self, name: str, t: float) -> None:
        self._drag += 1
        number = self._drag
        self._post(f"Taking hold of {plain(name)}", lambda: self._begin(number, self._required().begin(name, t)))

    def begin_trial(self, trial: Callable[[hoi.EditSession], Trial]) -> None:
        """Begin an edit that is tried with each `move`: where a time [s] or a place is dragged, and no body."""
        self._drag += 1
        number = self._drag
        self._post("Taking hold of it", lambda: self._begin(number, trial(self._required())))

    def move(self, target: Any, rotation: Any = None) -> None:
        """Where the drag is to go, and how it is to be turned there; whatever was asked before and is not solved yet is
        forgotten."""
        with self._wake:
            self._target, self._refined = (self._drag, (np.asarray(target, float), rotation)), 0
            self._wake.notify()

    def commit(self) -> None:
        wanted = self._target
        self.finishing = True
        self._post("Finishing the drag", lambda: self._commit(wanted), listens=True)

    def abort(self) -> None:
        with self._wake:
            self._cancelled, self._target = True, None
        self._post("Aborting the drag", self._abort)

    def cancel(self) -> None:
        """Stop what is going on, if it can be stopped."""
        self._cancelled = True

    def messages(self) -> list[Message]:
        """What there is to say since the last time."""
        messages = []
        while self._messages:
            messages.append(self._messages.popleft())
        return messages

    @property
    def autosave_problem(self) -> str | None:
        """Why edits are not written beside their file."""
        session = self._session
        return None if session is None else session.autosave_problem

    @property
    def is_slow(self) -> bool:
        """Whether one step of a drag has been going on for so long that somebody may wonder."""
        since = self._since
        return self.busy is None and self._gesture is not None and since is not None and time.monotonic() - since > SLOW

    @property
    def can_stop(self) -> bool:
        """Whether something goes on that listens, and has taken so long that somebody may want to stop it."""
        since, listens = self._since, self.busy is not None and self._listens
        return listens and since is not None and time.monotonic() - since > SLOW and not self._cancelled

    @property
    def stopping(self) -> bool:
        """Somebody wants it to stop; it does after the step that it is at."""
        return self.busy is not None and self._listens and self._cancelled

    @property
    def idle(self) -> bool:
        return self.busy is None and not self._jobs

    def close(self, keep: bool = False) -> None:
        """Let the thread end. What was not saved is given up, unless it is to be kept for the next start."""
        with self._wake:
            self._over, self._cancelled = True, True
            self._wake.notify()
        self._thread.join(timeout=20.0)
        if self._session is not None:
            self._session.close(keep)

    # -- the thread ---------------------------------------------------------------------------------------------------

    def _post(self, words: str, job: Callable[[], None], listens: bool = False) -> None:
        """`listens`: it looks now and then whether it is to stop."""
        with self._wake:
            self._jobs.append((words, job, listens))
            self._wake.notify()

    def _run(self) -> None:
        while True:
            with self._wake:
                while not (self._over or self._jobs or self._has_to_move() or self.refining):
                    self._wake.wait()
                if self._over:
                    return
                # commands before moves: whoever lets go says where with it
                job = self._jobs.popleft() if self._jobs else ("", self._next_to_do(), False)
                if job[1] != self._refine:
                    self.refining = False
                self._listens, self._since = job[2], time.monotonic()
                self.busy = job[0] or None
            self._carefully(job[1])
            self.busy, self.progress, self._since = None, None, None

    def _next_to_do(self) -> Callable[[], None]:
        """Where nothing is asked for."""
        return self._move if self._has_to_move() else self._refine

    def _has_to_move(self) -> bool:
        return self._aim() is not None and self._refined < REFINEMENTS

    def _aim(self) -> Any:
        """The latest target, if it is of the drag that goes on."""
        if self._gesture is None or self._target is None or self._target[0] != self._held:
            return None
        return self._target[1]

    def _carefully(self, job: Callable[[], None]) -> None:
        """Mistakes become messages; the session is as it was before."""
        try:
            job()
        except hoi.Cancelled:
            self._say("info", "Stopped; nothing has changed.")
        except hoi.HoiError as error:
            self._say("error", sentence(self._in_words(str(error))))
        except Exception as error:  # a mistake of ours must not take an animator's work along
            traceback.print_exc(file=sys.stderr)
            self._say(
                "error", f"That failed inside the program ({type(error).__name__}: {error}). Nothing has changed."
            )

    def _say(self, level: Level, text: str, fixes: tuple[Fix, ...] = ()) -> None:
        self._messages.append(Message(level, text, fixes=fixes))

    def _in_words(self, text: str) -> str:
        """As the timeline says it, if there is one."""
        return in_words(text, None if self._session is None else self._session.rollout)

    def _report(
        self, report: Report, done: str | None, dragged: str = "", turned: bool = False, begin: str = ""
    ) -> None:
        session = self._required()
        level, words = told(report, done, dragged, session.rollout, turned)
        words = begin + words
        if report.holds and session.bent:
            laws = ", ".join(bent_in_words(bent, session.rollout) for bent in session.bent[:2])
            words += f" Physics is bent: {laws}."
        by_steps = report.approached and session.may_step
        self._say(level, words, fixes_of(report, session.rollout, session.document, by_steps))

    def _listen(self, progress: hoi.Progress) -> bool:
        self.progress = progress
        return not self._cancelled

    def _open_file(self, scene: str, recover: bool | None) -> None:
        """A file beside which a program that died has left newer edits is somebody's choice."""
        name = Path(scene).name
        try:
            self._open(lambda: hoi.open(scene, recover), name, recovered=recover is True)
        except hoi.Unsaved as choice:
            words = f"{name} was not closed properly: there are newer edits beside it."
            self._messages.append(Message("warning", words, choice))

    def _open(self, make: Callable[[], hoi.EditSession], name: str, recovered: bool = False) -> None:
        with doubts_heard() as doubts:
            session = make()
        session.iterate  # noqa: B018  simulated here, not when the window first looks
        session.keep()  # whatever happens to the program, though there may be no file yet
        if self._session is not None:
            self._session.close()
        self._session = session
        self._opened += 1
        self._show()
        words = _recovered(session, name) if recovered else f"Opened {name}."
        self._say("warning" if doubts else "info", " ".join([words, *doubts]))
        if ready().exists():  # while functions run as Python it would take too long
            self._post("", self._rehearse)
        self._prepare_solids()

    def _rehearse(self) -> None:
        """Do once what the first drag needs, so that it finds everything traced and loaded."""
        session = self._session
        if session is None or self._jobs:
            return
        flights = [
            span
            for chain in session.rollout.trajectories.chains.values()
            for span in chain.spans
            if span.flies and span.end - span.start > 0.05
        ]
        if flights and not self._jobs:
            span = flights[0]
            gesture = session.begin(span.object, 0.5 * (span.start + span.end))
            if not self._jobs:
                gesture.move(gesture.start.position + np.array([0.0, 1e-3, 0.0]), steps=1)
            gesture.abort()

    def _prepare_solids(self) -> None:
        """Boxes and meshes have functions of their own, which take half a minute to compile, once on a machine. That is
        done as soon as one is in the scene, and said, not when somebody takes hold of it."""
        for thing in self._required().scene.things:
            kind = kind_of(thing.body)
            if kind != "ball" and kind not in self._prepared:
                self._prepared |= {kind}
                self._post(f"Getting ready for {thing.name}", partial(self._prepare, thing.name))

    def _prepare(self, name: str) -> None:
        """Differentiate it in flight and after a touch, if there is one; nothing is simulated again."""
        session = self._required()
        chain = session.rollout.trajectories.chains.get(name)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", hoi.DoubtfulDerivative)  # nobody looks at its numbers
            for span in [] if chain is None else chain.spans[:2]:
                session.linearise(name, 0.5 * (span.start + span.end))

    def _edit(self, edit: Edit, done: str | None, compare: bool) -> None:
        self._cancelled = False
        session = self._required()
        before = session.rollout
        with doubts_heard() as doubts:
            result = edit(session, self._listen)
        self._show(before if compare and isinstance(result, Report) and result.holds else None)
        self._prepare_solids()
        if isinstance(result, Report):
            self._report(result, done)
            self._wants_refining(result, done)
        elif isinstance(result, Message):
            self._messages.append(result)
        elif done or isinstance(result, str):  # an edit may have words of its own
            self._say("good", done or str(result))
        if doubts:
            self._say("warning", " ".join(doubts))

    def _begin(self, number: int, gesture: Gesture | Trial) -> None:
        self._cancelled = False
        self._gesture, self._held = gesture, number
        self._refined = 0

    def _move(self) -> None:
        gesture, target = self._gesture, self._aim()
        if gesture is None or target is None:
            return
        if isinstance(gesture, Trial):
            try:
                report = gesture.move(target[0], partial(self._goes_on, target, time.monotonic()))
            except hoi.Cancelled:  # a newer time has come, or nobody wants any
                return
        else:
            report = gesture.move(target[0], rotation=target[1])
        self.solves += 1
        with self._wake:
            same, final = target is self._aim(), report.converged or isinstance(gesture, Trial)
            self._refined = (REFINEMENTS if final else self._refined + 1) if same else 0
        rollout = gesture.iterate.rollout
        document = self._required().document
        layout = lay_out(rollout, document.constraints, document.freedom.window)
        moves = (self.live.moves if self.live is not None else 0) + 1
        problem = gesture.problem if isinstance(gesture, Trial) else ""
        self.live = Live(rollout, layout, report, gesture.origin.rollout, residuals(rollout, document), moves, problem)

    def _goes_on(self, target: Any, began: float, progress: hoi.Progress) -> bool:
        """Whether a move to another time is worth its end. A short one is, though the pointer has gone on: or nothing
        would be seen as long as it moves."""
        newer = target is not self._aim() and time.monotonic() - began > GIVES_WAY
        return not (self._cancelled or newer or self._jobs)

    def _commit(self, wanted: tuple[int, Any] | None) -> None:
        try:
            self._finish(wanted)
        finally:
            self._gesture, self.live, self.finishing = None, None, False

    def _finish(self, wanted: tuple[int, Any] | None) -> None:
        gesture = self._gesture
        if gesture is None:
            return
        target = wanted[1] if wanted is not None and wanted[0] == self._held else None
        before = gesture.origin.rollout
        if target is None:
            gesture.abort()
            return
        gesture.aim(target[0], rotation=target[1])
        report = gesture.commit(self._listen)
        self._show(before if report.holds else None)
        if isinstance(gesture, Trial):
            self._report(report, gesture.done)
        else:
            turned = target[1] is not None
            done = f"{'Turned' if turned else 'Moved'} {plain(gesture.name)} at {gesture.t:.2f} s."
            self._report(report, done, gesture.name, turned)
            if "/" not in gesture.name:  # a body stays as it was shown, as near as it came
                self._wants_refining(report, done, gesture.name, turned)

    def _wants_refining(self, report: Report, done: str | None, dragged: str = "", turned: bool = False) -> None:
        came_near = report.holds and not (report.converged or report.unchanged)
        self._refined_as = done, dragged, turned
        self.refining = came_near and self._required().refinable

    def _refine(self) -> None:
        """Try every way of the last edit. Nobody waits for it, and whatever is asked for next ends it."""
        self._cancelled = False
        try:
            report = self._required().refine(self._goes_on_refining)
            if not report.unchanged:
                self._show(None if self.shown is None else self.shown.before)
                self._report(report, *self._refined_as, begin="Refined. ")
        except hoi.Cancelled:
            pass  # nothing has changed, and there is nothing to say
        finally:
            self.refining = False

    def _goes_on_refining(self, progress: hoi.Progress) -> bool:
        while self.pausing and not (self._cancelled or self._jobs):
            time.sleep(PAUSE)
        return not (self._cancelled or self._jobs)

    def _abort(self) -> None:
        if self._gesture is not None:
            self._gesture.abort()
            self._say("info", "The drag was aborted; nothing has changed.")
        self._gesture, self.live = None, None
        self._cancelled = False

    def _required(self) -> hoi.EditSession:
        if self._session is None:
            raise hoi.HoiError("no scene is open; open one first")
        return self._session

    def _show(self, before: Rollout | None = None) -> None:
        session = self._required()
        rollout, document = session.rollout, session.document
        layout = lay_out(rollout, document.constraints, document.freedom.window)
        serial = self.shown.serial + 1 if self.shown is not None else 0
        title = session.file.name if session.file is not None else document.scene.name
        self.shown = Shown(
            rollout, layout, document, labels_of(session.history, rollout), session.now, session.file,
            session.unsaved, session.muted, title, session.script(), before, residuals(rollout, document), self._opened,
            serial,
        )  # fmt: skip


def _recovered(session: hoi.EditSession, name: str) -> str:
    """How much came back, and up to where."""
    steps = session.history[1 : session.now + 1]
    if not steps:
        return f"Recovered {name}, which has no edits."
    many = f"{len(steps)} edits, the last" if len(steps) > 1 else "1 edit"
    last = in_words(label_of(session.history, session.now, session.rollout), session.rollout)
    return f"Recovered {name}: {many}: {last}."


def kind_of(body: hoi.Body) -> str:
    """What is compiled for a thing hangs on whether its turning has a closed form, not on its shape."""
    if len(body.vertices) == 1:
        return "ball"
    low, middle, high = np.sort(np.asarray(body.moments, float))
    return "top" if np.isclose(low, middle) or np.isclose(middle, high) else "tumbling"
