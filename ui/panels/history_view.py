"""The history, to walk through, and the messages."""

from __future__ import annotations

from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.panels.styles import Fonts
from ui.theme import Sizes
from ui.words.history_labels import abridged
from ui.words.names import in_words

LETTERS = 39  # of a step that fit, in bold
COLOURS = {"info": theme.FAINT, "good": theme.GOOD, "warning": theme.WARNING, "error": theme.BAD}


class HistoryView:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes, self.fonts = editor, sizes, fonts
        self._key: Any = None
        with dpg.group(horizontal=True, parent=parent):
            dpg.add_button(label="↶ Undo", callback=lambda *_: editor.undo())
            dpg.add_button(label="↷ Redo", callback=lambda *_: editor.redo())
            dpg.add_button(label="Copy as Python", callback=lambda *_: editor.dialogs["copy_python"]())
        self.rows = dpg.add_group(parent=parent)

    def refresh(self) -> None:
        shown = self.editor.shown
        key = None if shown is None else (shown.labels, shown.now)
        if shown is None or key == self._key:
            return
        self._key = key
        dpg.delete_item(self.rows, children_only=True)
        for k in reversed(range(len(shown.labels))):
            words = in_words(shown.labels[k], shown.rollout) if k else "opened"
            item = dpg.add_selectable(
                label=f"{abridged(words, LETTERS)}##{k}", parent=self.rows, default_value=k == shown.now,
                callback=lambda *_, k=k: self.editor.go_to(k),
            )  # fmt: skip
            if k == shown.now:
                dpg.bind_item_font(item, self.fonts.bold)
            if len(words) > LETTERS:
                with dpg.tooltip(item, delay=0.5):
                    dpg.add_text(words)


class Messages:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes = editor, sizes
        self._key: Any = None
        self.rows = dpg.add_group(parent=parent)

    def refresh(self) -> None:
        messages = self.editor.messages
        if messages is self._key:
            return
        self._key = messages
        dpg.delete_item(self.rows, children_only=True)
        for message in reversed(messages):
            dpg.add_text(message.text, parent=self.rows, color=COLOURS[message.level], wrap=self.sizes.px(300))
