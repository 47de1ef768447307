"""The line below: what goes on, what has come of it, and buttons for what may be done about that."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.look import Fonts
from ui.panels.problems_view import Remedies
from ui.reporting import far
from ui.theme import Sizes
from ui.timeline import shortened

LIGHTS = {"warning": theme.WARNING, "error": theme.BAD}
LETTER = 0.54  # of the height of the font, on average
ROOM = 190  # [px] for a button


class StatusLine:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes = editor, sizes
        with dpg.group(horizontal=True, parent=parent) as line:
            self.light = dpg.add_text("●", color=theme.GOOD)
            self.words = dpg.add_text("")
            with dpg.tooltip(self.words, delay=0.5, show=False) as self._whole:
                self._all_words = dpg.add_text("", wrap=sizes.px(700))
            self.remedies = Remedies(editor, fonts, line)

    def refresh(self) -> None:
        self.remedies.refresh()
        words = self._said()
        dpg.configure_item(self.light, color=self._colour(words))
        room = dpg.get_viewport_client_width() - self.sizes.px(60 + ROOM * len(self.remedies.buttons))
        fits = shortened(words, max(int(room / (LETTER * self.sizes.font)), 30))
        dpg.set_value(self.words, fits)
        dpg.set_value(self._all_words, words)
        dpg.configure_item(self._whole, show=fits != words)  # what does not fit is there under the pointer

    def _said(self) -> str:
        editor, worker = self.editor, self.editor.worker
        busy, progress = worker.busy, worker.progress
        if busy is not None:
            return f"{busy} …" + (f" step {progress.step}" if progress is not None else "")
        if worker.is_slow:
            return "Solving … this takes a moment; Esc gives it up."
        if editor.drag is not None and editor.drag.begun and worker.live is not None:
            report = worker.live.report
            words = "Everything is met." if report.converged else f"{far(report.residual, editor.drag.name)} to go."
            return words + (f" Held back by {', '.join(report.binding[:2])}." if report.binding else "")
        return editor.status

    def _colour(self, words: str) -> theme.Colour:
        editor = self.editor
        if editor.worker.busy is not None or editor.drag is not None or editor.worker.is_slow:
            return theme.ACCENT
        last = editor.messages[-1] if editor.messages and editor.messages[-1].text == words else None
        return theme.GOOD if last is None or last.level in ("good", "info") else LIGHTS[last.level]
