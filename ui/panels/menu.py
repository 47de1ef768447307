"""The menu bar, which is data, and the menus of right clicks."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from hoi_edit.scenes import SCENES
from ui.editor import Editor
from ui.keymap import BY_ID
from ui.menus.context_menu import palms as palms
from ui.menus.menu_entry import MenuEntry
from ui.words.history_labels import abridged
from ui.words.names import in_words

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
            "add_bat",
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
            "orthographic",
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
    ("Help", ("keys", "about")),
)
# entries that are on or off
TICKED: dict[str, Callable[[Editor], bool]] = {
    "orthographic": lambda editor: editor.camera.orthographic,
    "follow": lambda editor: editor.following,
    "ghosts": lambda editor: editor.preferences.ghosts,
    "hand_paths": lambda editor: editor.preferences.hands,
    "curves": lambda editor: editor.curves,
    "before": lambda editor: editor.shown is not None and editor.shown.muted,
    "loop": lambda editor: editor.playback.loop,
    "confine": lambda editor: editor.shown is not None and editor.shown.document.freedom.window is not None,
}
LETTERS = 34  # of a step of the history


class Menu:
    def __init__(
        self, editor: Editor, act: Callable[[str], None], open_scene: Callable[[str], None], parent: int | str
    ) -> None:
        self.editor, self.act, self._open = editor, act, open_scene
        self._recent_key: Any = None
        self._keymap = editor.keymap
        self._ticks: Any = None
        self._steps: Any = None
        self.items: dict[str, int] = {}
        self.menus: list[int] = []
        with dpg.menu_bar(parent=parent):
            for title, entries in BAR:
                with dpg.menu(label=title) as menu:
                    self.menus.append(int(menu))
                    for entry in entries:
                        self._entry(entry)

    @property
    def is_open(self) -> bool:
        """Whether one has rolled down: only then does it have a size."""
        return any(dpg.get_item_rect_size(menu)[1] > 0 for menu in self.menus)

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
                    label=BY_ID[entry].label, shortcut=self.editor.keymap.shown(entry), check=entry in TICKED,
                    callback=lambda *_, entry=entry: self.act(entry),
                )
            )  # fmt: skip

    def refresh(self) -> None:
        if self.editor.keymap is not self._keymap:
            self._keymap = self.editor.keymap
            for entry, item in self.items.items():
                dpg.configure_item(item, shortcut=self._keymap.shown(entry))
        self._refresh_ticks()
        self._refresh_steps()
        recent = self.editor.preferences.recent
        if recent == self._recent_key:
            return
        self._recent_key = recent
        dpg.delete_item(self.recent, children_only=True)
        for path in recent:
            dpg.add_menu_item(label=Path(path).name, parent=self.recent, callback=lambda *_, p=path: self._open(p))
        if not recent:
            dpg.add_menu_item(label="nothing yet", parent=self.recent, enabled=False)

    def _refresh_ticks(self) -> None:
        ticks = {entry: bool(is_on(self.editor)) for entry, is_on in TICKED.items()}
        # a click turns the tick by itself, before what it asks for is done, or refused
        if ticks != self._ticks or self.is_open:
            self._ticks = ticks
            for entry, on in ticks.items():
                dpg.set_value(self.items[entry], on)

    def _refresh_steps(self) -> None:
        """Undo and Redo say what they would do, and are grey where there is nothing."""
        steps = steps_of(self.editor)
        if steps != self._steps:
            self._steps = steps
            for entry, step in zip(("undo", "redo"), steps, strict=True):
                words = BY_ID[entry].label + (
                    "" if step is None else f" {abridged(in_words(step, self.editor.rollout), LETTERS)}"
                )
                dpg.configure_item(self.items[entry], label=words, enabled=step is not None)


def steps_of(editor: Editor) -> tuple[str | None, str | None]:
    """What Undo would take back and Redo would do again."""
    shown = editor.shown
    if shown is None:
        return None, None
    back = shown.labels[shown.now] if shown.now > 0 else None
    return back, shown.labels[shown.now + 1] if shown.now + 1 < len(shown.labels) else None


def show(title: str, entries: list[MenuEntry]) -> int:
    """A menu at the pointer."""
    with dpg.window(popup=True, no_title_bar=True, no_move=True, autosize=True, min_size=(40, 20)) as window:
        dpg.add_text(title, color=(142, 148, 158, 255))
        dpg.add_separator()
        for entry in entries:
            if entry.apart:
                dpg.add_separator()
            if entry.do is None:
                dpg.add_menu_item(label=entry.label, enabled=False)
            else:
                dpg.add_menu_item(
                    label=entry.label, callback=lambda *_, do=entry.do, window=window: _chosen(window, do)
                )
    return int(window)


def _chosen(window: int, do: Callable[[], None]) -> None:
    dpg.delete_item(window)
    do()
