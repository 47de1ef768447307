"""What there is in the scene, with boxes to show and buttons to lock."""

from __future__ import annotations

from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.look import Fonts, flat_button
from ui.theme import Sizes


class Outliner:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes, self.fonts = editor, sizes, fonts
        self._key: Any = None
        self._flat = flat_button()
        self.window = dpg.add_child_window(parent=parent, border=False, always_use_window_padding=True)
        title = dpg.add_text("Scene", parent=self.window)
        dpg.bind_item_font(title, fonts.bold)
        self.rows = dpg.add_table(parent=self.window, header_row=False, policy=dpg.mvTable_SizingFixedFit)
        for width in (24, 14, 0, 52, 28):
            if width:
                dpg.add_table_column(parent=self.rows, width_fixed=True, init_width_or_weight=sizes.px(width))
            else:
                dpg.add_table_column(parent=self.rows, width_stretch=True)

    def refresh(self) -> None:
        editor, shown = self.editor, self.editor.shown
        locks = () if shown is None else tuple(lock.name for lock in shown.document.freedom.locks)
        key = (None if shown is None else id(shown.document.scene), editor.selected, editor.hidden, locks)
        if key == self._key:
            return
        self._key = key
        dpg.delete_item(self.rows, children_only=True, slot=1)  # rows, not columns
        scene = editor.scene
        if scene is None:
            return
        for k, character in enumerate(scene.characters):
            self._row(character.name, theme.body_colour(k), "person")
        for k, thing in enumerate(scene.things):
            self._row(thing.name, theme.thing_colour(k), _kind(len(thing.body.vertices)))
        for fixture in scene.fixtures:
            self._row(fixture.name, theme.FAINT, "fixed", lockable=False)

    def _row(self, name: str, colour: theme.Colour, kind: str, lockable: bool = True) -> None:
        editor, px = self.editor, self.sizes.px
        with dpg.table_row(parent=self.rows):
            box = dpg.add_checkbox(default_value=name not in editor.hidden, callback=lambda *_: self._toggle(name))
            with dpg.tooltip(box, delay=0.5):
                dpg.add_text("Show it")
            dpg.add_text("●", color=colour)
            own = editor.selected is not None and editor.selected.partition("/")[0] == name
            item = dpg.add_selectable(label=name, default_value=own, callback=lambda *_: self._select(name))
            if own:
                dpg.bind_item_font(item, self.fonts.bold)
            dpg.add_text(kind, color=theme.FAINT)
            if lockable:
                locked = editor.is_locked(name)
                button = dpg.add_button(
                    label="■" if locked else "□", width=px(26), callback=lambda *_: editor.toggle_lock(name)
                )
                dpg.bind_item_theme(button, self._flat)
                with dpg.tooltip(button, delay=0.5):
                    dpg.add_text("Locked: edits leave it as it is" if locked else "Lock it")

    def _toggle(self, name: str) -> None:
        self.editor.hidden = self.editor.hidden ^ {name}

    def _select(self, name: str) -> None:
        self.editor.selected = name
        self._key = None


def _kind(vertices: int) -> str:
    return "ball" if vertices == 1 else "rod" if vertices == 2 else "solid"
