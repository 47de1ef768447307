"""The line below: what goes on, what has come of it, and buttons for what may be done about that.

What does not fit is there under the pointer, and a click opens the log, which has all of it."""

from __future__ import annotations

from collections.abc import Callable
from time import monotonic

import dearpygui.dearpygui as dpg

from hoi_edit.compiling.runtime import compiling
from ui import theme
from ui.editor import Editor
from ui.panels.problems_view import Remedies
from ui.panels.styles import Fonts, text_width
from ui.theme import Sizes
from ui.words.compiling import Countdown
from ui.words.edit_report import fitted, listed, to_go
from ui.words.messages import Message
from ui.words.names import in_words, lower

LIGHTS = {"info": theme.FAINT, "good": theme.GOOD, "warning": theme.WARNING, "error": theme.BAD}
BUTTON = 26  # [px] that a button has around its words
LEAST = 160  # [px] of words
BETWEEN = "   ·   "  # what is said and what is compiled
LOOK = 0.5  # [s] between looks at how far the compiler is


class StatusLine:
    def __init__(
        self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str, open_log: Callable[[], None]
    ) -> None:
        self.editor, self.sizes, self.fonts = editor, sizes, fonts
        self.whole = ""  # what is said, though it may not fit
        self._fitted: tuple[str, int] = ("", 0)
        self._left, self._look_again, self._countdown = "", 0.0, Countdown()  # to compile
        with dpg.group(horizontal=True, parent=parent) as line:
            self.light = dpg.add_text("●", color=theme.FAINT)
            self.words = dpg.add_text("")
            with dpg.tooltip(self.words, delay=0.5, show=False) as self._tip:
                self._all_words = dpg.add_text("", wrap=sizes.px(700))
            self.remedies = Remedies(editor, fonts, line)
        with dpg.item_handler_registry() as handlers:
            dpg.add_item_clicked_handler(callback=lambda *_: open_log())
        dpg.bind_item_handler_registry(self.words, handlers)

    def refresh(self) -> None:
        self.remedies.refresh()
        said, compiles = self._said(), self._compiles()
        dpg.configure_item(self.light, color=self._colour())
        self.whole = BETWEEN.join(filter(None, (said, compiles)))
        room = self._room()
        if self._fitted == (self.whole, room):
            return
        self._fitted = (self.whole, room)
        fits = fitted(self.whole, room, lambda words: text_width(words, self.fonts.normal, self.sizes.font))
        dpg.set_value(self.words, fits)
        dpg.set_value(self._all_words, self.whole)
        dpg.configure_item(self._tip, show=fits != self.whole)

    def _room(self) -> int:
        """[px] that buttons leave for words."""
        px, small = self.sizes.px, self.sizes.small_font
        taken = sum(text_width(label, self.fonts.small, small) + px(BUTTON) for label in self.remedies.buttons)
        return max(int(dpg.get_viewport_client_width() - px(48) - taken), px(LEAST))

    def _said(self) -> str:
        editor, worker = self.editor, self.editor.worker
        busy, progress, drag = worker.busy, worker.progress, self.editor.drag
        if drag is not None and drag.begun and drag.trial is not None:
            return self._retiming(drag.words)
        if busy is not None:
            if worker.stopping:
                return f"Stopping … {lower(busy)}: the step that it is at has to end first."
            at = f" step {progress.step}" if progress is not None else ""
            return f"{busy} …{at}" + (" (Esc stops it)" if worker.can_stop else "")
        if worker.is_slow:
            return "Solving … this takes a moment; Esc gives it up."
        if drag is not None and drag.begun and worker.live is not None:
            report, rollout = worker.live.report, worker.live.rollout
            held = f" Held back by {listed(report.binding[:2], rollout)}." if report.binding else ""
            return to_go(report, drag.name, drag.ring is not None) + held
        if worker.refining and self._last() is not None:
            return f"A nearer way is looked for (Esc stops it). {editor.status}"
        return editor.status

    def _compiles(self) -> str:
        """What is left to compile, while anything is; looked at now and then, since that reads a file."""
        if monotonic() >= self._look_again:
            self._look_again = monotonic() + LOOK
            self._left = self._countdown.words(compiling())
        return self._left

    def _retiming(self, words: str) -> str:
        """Of a mark on its way: from when to when, and whether that can be."""
        live = self.editor.worker.live
        if live is None:
            return f"{words} …"
        if live.problem:
            return f"{words}. That cannot be: {in_words(live.problem, live.rollout)}."
        if live.report.converged:
            return f"{words}. Everything else is kept."
        held = listed((live.report.binding or tuple(live.report.missed))[:2], live.rollout)
        return f"{words}. That cannot be yet" + (f", because of {held}." if held else ".")

    def _last(self) -> Message | None:
        """The last message, if it is what is said."""
        messages = self.editor.messages
        return messages[-1] if messages and messages[-1].text == self.editor.status else None

    def _colour(self) -> theme.Colour:
        """Of the last message; what is told about something under the pointer has none of its own."""
        editor = self.editor
        if editor.worker.busy is not None or editor.drag is not None or editor.worker.is_slow:
            return theme.ACCENT
        last = self._last()
        return theme.FAINT if last is None else LIGHTS[last.level]
