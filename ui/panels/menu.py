"""The menu bar, which is data, and the menus of right clicks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from hoi_edit.scenes import SCENES
from ui.editor import Editor
from ui.keymap import BY_ID
from ui.offers import Entry
from ui.offers import palms as palms

# None is a line between entries; "recent" and "scenes" are menus of their own
BAR: tuple[tuple[str, tuple[str | None, ...]], ...] = (
    (
        "File",
        (
            "open",
            "recent",
            "scenes",
            None,
            "save",
            "save_as",
            "export",
            None,
            "import_clip",
            "add_ball",
            "add_box",
            "add_mesh",
            None,
            "quit",
        ),
    ),
    (
        "Edit",
        ("undo", "redo", None, "pin", "lock", "delete", "solve", None, "copy_python", None, "preferences", "bind_keys"),
    ),
    (
        "View",
        (
            "frame_selected",
            "frame_all",
            None,
            "front",
            "side",
            "top",
            "follow",
            None,
            "ghosts",
            "hand_paths",
            "curves",
            "before",
        ),
    ),
    (
        "Time",
        ("play", "loop", None, "next_event", "previous_event", None, "set_in", "set_out", "whole_range", "confine"),
    ),
    ("Help", ("keys",)),
)


class Menu:
    def __init__(
        self, editor: Editor, act: Callable[[str], None], open_scene: Callable[[str], None], parent: int | str
    ) -> None:
        self.editor, self.act, self._open = editor, act, open_scene
        self._recent_key: Any = None
        self._keymap = editor.keymap
        self.items: dict[str, int] = {}
        with dpg.menu_bar(parent=parent):
            for title, entries in BAR:
                with dpg.menu(label=title):
                    for entry in entries:
                        self._entry(entry)

    def _entry(self, entry: str | None) -> None:
        if entry is None:
            dpg.add_separator()
        elif entry == "recent":
            self.recent = dpg.add_menu(label="Open recent")
        elif entry == "scenes":
            with dpg.menu(label="Built-in scenes"):
                for name in SCENES:
                    dpg.add_menu_item(label=name, callback=lambda *_, name=name: self._open(name))
        else:
            self.items[entry] = int(
                dpg.add_menu_item(
                    label=BY_ID[entry].label, shortcut=self.editor.keymap.shown(entry),
                    callback=lambda *_, entry=entry: self.act(entry),
                )
            )  # fmt: skip

    def refresh(self) -> None:
        if self.editor.keymap is not self._keymap:
            self._keymap = self.editor.keymap
            for entry, item in self.items.items():
                dpg.configure_item(item, shortcut=self._keymap.shown(entry))
        recent = self.editor.preferences.recent
        if recent == self._recent_key:
            return
        self._recent_key = recent
        dpg.delete_item(self.recent, children_only=True)
        for path in recent:
            dpg.add_menu_item(label=Path(path).name, parent=self.recent, callback=lambda *_, p=path: self._open(p))
        if not recent:
            dpg.add_menu_item(label="nothing yet", parent=self.recent, enabled=False)


def show(title: str, entries: list[Entry]) -> int:
    """A menu at the pointer."""
    with dpg.window(popup=True, no_title_bar=True, no_move=True, autosize=True, min_size=(40, 20)) as window:
        dpg.add_text(title, color=(142, 148, 158, 255))
        dpg.add_separator()
        for own in entries:
            if own.do is None:
                dpg.add_menu_item(label=own.label, enabled=False)
            else:
                dpg.add_menu_item(label=own.label, callback=lambda *_, do=own.do, window=window: _chosen(window, do))
    return int(window)


def _chosen(window: int, do: Callable[[], None]) -> None:
    dpg.delete_item(window)
    do()
