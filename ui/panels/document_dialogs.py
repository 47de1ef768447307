"""What is asked before anything is lost: unsaved edits, files to choose, and edits that a program left when it
died."""

from __future__ import annotations

import time
from collections.abc import Callable
from pathlib import Path

import hoi_edit as hoi
from hoi_edit.files import Recoverable, recoverable_untitled
from ui.editor import Editor
from ui.panels.dialogs import Dialogs
from ui.panels.file_dialog import FileDialog
from ui.panels.file_listing import DOCUMENTS
from ui.words.fixes import Fix, Open
from ui.words.messages import Level, Message
from ui.worker.import_job import CLIPS


class Questions:
    """Opens, saves and leaves documents; `stop` ends the program."""

    def __init__(self, editor: Editor, dialogs: Dialogs, stop: Callable[[], None]) -> None:
        self.editor, self.dialogs, self.stop = editor, dialogs, stop
        self._after_saving: Callable[[], None] | None = None

    def open(self, scene: str) -> None:
        """Another scene or document; what is not saved is asked about first."""
        self.leave(lambda: self.editor.open(scene))

    def leave(self, go: Callable[[], None]) -> None:
        shown = self.editor.shown
        if shown is None or not shown.unsaved:
            go()
            return
        words = f"{shown.title} has edits that are not saved."
        self.dialogs.ask("Unsaved edits", words, [
            ("Save", lambda: self._save_and(go)),
            ("Don't save", go),
            ("Cancel", lambda: None),
        ])  # fmt: skip

    def _save_and(self, go: Callable[[], None]) -> None:
        shown = self.editor.shown
        if shown is not None and shown.file is None:
            self.choose_file("Save as", saving=True, then=go)
        else:
            self.editor.save()
            self._after_saving = go

    def go_on_when_saved(self) -> None:
        """What was to be saved first must be in its file before anything is left: else nothing is, and the line below
        says why."""
        go, shown = self._after_saving, self.editor.shown
        if go is not None and self.editor.worker.idle:
            self._after_saving = None
            if shown is not None and not shown.unsaved:
                go()

    def choose_file(self, title: str, saving: bool, then: Callable[[], None] | None = None) -> None:
        shown = self.editor.shown
        recent = self.editor.preferences.recent
        start = Path(recent[0]).parent if recent else Path.cwd()
        if shown is not None and shown.file is not None:
            start = shown.file.resolve() if saving else shown.file.resolve().parent
        elif shown is not None and saving:
            start = start / f"{shown.title.partition(':')[0]}.hoi"

        def chosen(path: str) -> None:
            if saving:
                self.editor.save(path)
                self._after_saving = then
            else:
                self.open(path)

        folders = [Path(path).parent for path in recent]
        file = None if shown is None or shown.file is None else shown.file.resolve()
        kinds = DOCUMENTS if saving else (*DOCUMENTS, *CLIPS)  # a clip opens as a scene of its own
        FileDialog(self.dialogs, title, start, saving, chosen, kinds, own=file, recent=folders)

    def ask_to_quit(self) -> None:
        self.leave(self.stop)

    def ask_about_recovery(self) -> None:
        """A file beside which a program that died has left newer edits."""
        if not self.editor.messages or self.editor.messages[-1].unsaved is None:
            return
        choice = self.editor.messages[-1].unsaved
        self.editor.messages = self.editor.messages[:-1]
        path = str(choice.path)
        words = f"The last time, {choice.path.name} was not closed properly. There are newer edits of it."
        if choice.left.problem is not None:
            words += f" They cannot be read: {choice.left.problem}."
        answers = [
            ("Recover them", lambda: self.editor.open(path, recover=True)),
            ("Open it as saved", lambda: self.editor.open(path, recover=False)),
            ("Cancel", lambda: self._not_opened(path)),
        ]
        if choice.left.problem is not None:
            answers = answers[1:]
        self.dialogs.ask("Recover edits", words, answers, given_up=lambda: self._not_opened(path))

    def _not_opened(self, path: str) -> None:
        """Nobody chose: what was open stays, and the newer edits are where they were."""
        words = f"{Path(path).name} was not opened; its newer edits are still there."
        again = Fix("Ask again", Open(path))
        # with nothing else open, the picture points at this line
        level: Level = "info" if self.editor.shown is not None else "error"
        self.editor.hear(Message(level, words, fixes=(again,)))

    def ask_about_untitled(self) -> None:
        """Edits of a document without a file, left by a program that died; the latest, if there are several."""
        left = next((autosave for autosave in recoverable_untitled() if autosave.problem is None), None)
        if left is None:
            return
        when = time.strftime("%d %B, %H:%M", time.localtime(left.written))
        words = f"The program did not end properly. Edits that were in no file yet are still there, of {when}."
        self.dialogs.ask("Recover edits", words, [
            ("Recover them", lambda: self.editor.worker.recover(left)),
            ("Ask again later", lambda: None),
            ("Throw them away…", lambda: self._ask_once_more(left)),
        ])  # fmt: skip

    def _ask_once_more(self, left: Recoverable) -> None:
        words = "These edits are in no file. Once they are thrown away, nobody can bring them back."
        self.dialogs.ask("Throw edits away", words, [
            ("Keep them", self.ask_about_untitled),
            ("Throw them away", lambda: self._throw_away(left)),
        ])  # fmt: skip

    def _throw_away(self, left: Recoverable) -> None:
        try:
            left.discard()
        except hoi.HoiError as error:
            self.editor.say("warning", f"{error}.")
