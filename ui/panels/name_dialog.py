"""The dialog that asks for another name of somebody or something."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from ui.editor import Editor
from ui.panels.dialogs import Dialogs

WIDTH, HEIGHT, BUTTON = 360, 130, 100  # [pt]


class NameDialog:
    def __init__(self, editor: Editor, dialogs: Dialogs) -> None:
        self.editor, self.dialogs = editor, dialogs
        self.field = self.accept_button = 0

    def ask(self, name: str) -> None:
        px = self.dialogs.sizes.px
        window = self.dialogs.begin(f"Rename {name}", WIDTH, HEIGHT)
        self.field = int(dpg.add_input_text(parent=window, default_value=name, width=-1, auto_select_all=True))
        dpg.add_spacer(parent=window, height=px(4))
        with dpg.group(horizontal=True, parent=window):
            self.accept_button = int(
                dpg.add_button(label="Rename", width=px(BUTTON), callback=lambda *_: self._accept(name))
            )
            self.dialogs.default(self.accept_button)
            dpg.add_button(label="Cancel", width=px(BUTTON), callback=lambda *_: self.dialogs.close())
        self.dialogs.focus(self.field)

    def _accept(self, name: str) -> None:
        wanted = str(dpg.get_value(self.field)).strip()
        self.dialogs.close()
        if wanted != name:
            self.editor.rename(name, wanted)
