"""Problems with their buttons: beside the line below, and above the messages."""

from __future__ import annotations

from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.panels.styles import Fonts
from ui.theme import Sizes
from ui.words import problems
from ui.words.fixes import SAVE_AS, STOP
from ui.words.problems import Problem

MOST = 8  # problems in the panel


class Remedies:
    """Buttons at the end of the line below, for what it says."""

    def __init__(self, editor: Editor, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.fonts = editor, fonts
        self._key: Any = None
        self.row = dpg.add_group(horizontal=True, parent=parent)
        dpg.bind_item_font(self.row, fonts.small)
        self.buttons: dict[str, int] = {}

    def refresh(self) -> None:
        editor = self.editor
        last = editor.messages[-1] if editor.messages else None
        quiet = editor.worker.idle and editor.drag is None
        fixes = last.fixes if last is not None and quiet and editor.status == last.text else ()
        if editor.worker.can_stop:
            fixes = (STOP,)
        if fixes == self._key:
            return
        self._key = fixes
        dpg.delete_item(self.row, children_only=True)
        self.buttons = {}
        for fix in fixes:
            self.buttons[fix.label] = int(
                dpg.add_button(label=fix.label, parent=self.row, callback=lambda *_, fix=fix: fix.do(editor))
            )


class Problems:
    """What is amiss in the scene now."""

    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str, tab: int | str) -> None:
        self.editor, self.sizes, self.fonts, self.tab = editor, sizes, fonts, tab
        self._key: Any = None
        self.rows = dpg.add_group(parent=parent)
        self.buttons: dict[str, int] = {}

    def refresh(self) -> None:
        shown = self.editor.shown
        if shown is None:
            return
        autosave = self.editor.worker.autosave_problem
        key = (shown.serial, autosave)
        if key == self._key:
            return
        self._key = key
        all_problems = problems.in_scene(shown.rollout, shown.document)
        if autosave is not None:
            all_problems = (Problem(f"Edits are not kept beside the file: {autosave}.", (SAVE_AS,)), *all_problems)
        self._build(all_problems)

    def _build(self, all_problems: tuple[Problem, ...]) -> None:
        dpg.delete_item(self.rows, children_only=True)
        self.buttons = {}
        dpg.configure_item(self.tab, label=f"Log ({len(all_problems)})" if all_problems else "Log")
        wrap = self.sizes.px(300)
        for problem in all_problems[:MOST]:
            dpg.add_text(problem.text, parent=self.rows, color=theme.WARNING, wrap=wrap)
            with dpg.group(horizontal=True, parent=self.rows) as row:
                for fix in problem.fixes:
                    self.buttons[fix.label] = int(
                        dpg.add_button(label=fix.label, callback=lambda *_, fix=fix: fix.do(self.editor))
                    )
            dpg.bind_item_font(row, self.fonts.small)
        if len(all_problems) > MOST:
            dpg.add_text(f"… and {len(all_problems) - MOST} more", parent=self.rows, color=theme.FAINT)
        if all_problems:
            dpg.add_separator(parent=self.rows)
