"""What there is in the scene, with an eye to show it and a lock to keep edits off."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.panels.styles import Fonts, icon_button, load_icons
from ui.theme import Sizes
from ui.words import lock_labels
from ui.words.names import shortened

LETTERS, WIDER = 21, 18  # of a name that fit, and of one that is bold


class Outliner:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes, self.fonts = editor, sizes, fonts
        self._key: Any = None
        self.menu: Callable[[str], None] | None = None  # opens what a right click on a name offers
        self.names: dict[int, str] = {}  # by the widget of the row
        with dpg.item_handler_registry() as self._handlers:
            dpg.add_item_clicked_handler(button=1, callback=lambda _, clicked: self._offer(int(clicked[1])))
        self._flat = icon_button(sizes)
        self._icons = load_icons(sizes.px(15))
        self.window = dpg.add_child_window(parent=parent, border=False, always_use_window_padding=True)
        title = dpg.add_text("Scene", parent=self.window)
        dpg.bind_item_font(title, fonts.bold)
        self.rows = dpg.add_table(parent=self.window, header_row=False, policy=dpg.mvTable_SizingFixedFit)
        for width in (24, 14, 0, 52, 24):
            if width:
                dpg.add_table_column(parent=self.rows, width_fixed=True, init_width_or_weight=sizes.px(width))
            else:
                dpg.add_table_column(parent=self.rows, width_stretch=True)

    def wanted_height(self, rows: int) -> int:
        """[px] for that many rows; as high as those that are there, if any are."""
        px = self.sizes.px
        return px(52) + rows * (px(15) + 2 * px(3) + 2 * px(2) + px(2)) + px(8)

    def refresh(self) -> None:
        editor, shown = self.editor, self.editor.shown
        locks = () if shown is None else tuple(lock.name for lock in shown.document.freedom.locks)
        key = (None if shown is None else id(shown.document.scene), editor.selected, editor.hidden, locks)
        if key == self._key:
            return
        self._key = key
        dpg.delete_item(self.rows, children_only=True, slot=1)  # rows, not columns
        self.names = {}
        scene = editor.scene
        if scene is None:
            return
        for k, character in enumerate(scene.characters):
            self._row(character.name, theme.body_colour(k), "person")
        colours = theme.thing_colours([thing.name for thing in scene.things])
        for thing in scene.things:
            self._row(thing.name, colours[thing.name], _kind(len(thing.body.vertices)))
        for fixture in scene.fixtures:
            self._row(fixture.name, theme.FAINT, "fixed", lockable=False)

    def _row(self, name: str, colour: theme.Colour, kind: str, lockable: bool = True) -> None:
        editor = self.editor
        seen, locked = name not in editor.hidden, editor.is_locked(name)
        with dpg.table_row(parent=self.rows):
            self._icon(
                "eye" if seen else "no_eye", seen, "Hide it" if seen else "Show it", lambda: editor.toggle_hidden(name)
            )
            dpg.add_text("●", color=colour if seen else theme.faded(colour, 0.35))
            selected = editor.selected is not None and editor.selected.partition("/")[0] == name
            letters = WIDER if selected else LETTERS
            item = dpg.add_selectable(
                label=f"{shortened(name, letters)}##{name}",
                default_value=selected,
                callback=lambda *_: self._select(name),
            )
            self.names[int(item)] = name
            dpg.bind_item_handler_registry(item, self._handlers)
            if len(name) > letters:
                with dpg.tooltip(item, delay=0.5):
                    dpg.add_text(name)
            if selected:
                dpg.bind_item_font(item, self.fonts.bold)
            dpg.add_text(kind, color=theme.FAINT)
            if lockable:
                tip = "" if editor.scene is None else lock_labels.tip(editor.scene, name, locked)
                self._icon("lock" if locked else "open_lock", locked, tip, lambda: editor.toggle_lock(name))

    def _icon(self, icon: str, strong: bool, tip: str, do: Callable[[], None]) -> None:
        side = self.sizes.px(15)
        colour = theme.TEXT if strong else theme.faded(theme.FAINT, 0.55)
        button = dpg.add_image_button(
            self._icons[icon], width=side, height=side, tint_color=colour, callback=lambda *_: do()
        )
        dpg.bind_item_theme(button, self._flat)
        with dpg.tooltip(button, delay=0.5):
            dpg.add_text(tip)

    def _offer(self, item: int) -> None:
        if self.menu is not None and item in self.names:
            name = self.names[item]
            self._select(name)
            self.menu(name)

    def _select(self, name: str) -> None:
        self.editor.selected, self.editor.chosen = name, None
        self._key = None


def _kind(vertices: int) -> str:
    return "ball" if vertices == 1 else "rod" if vertices == 2 else "solid"
