"""The file dialog: places at the left, a path that can be typed, columns to sort by, and a line for the name."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.panels import file_listing
from ui.panels.dialogs import Dialogs, tell
from ui.panels.file_listing import DOCUMENTS, Column, Item
from ui.panels.styles import centred_rows, flat_button
from ui.words.names import shortened

DOUBLE = 0.45  # [s] between the clicks of a double one
WIDTH, PLACES, HEIGHT = 720, 150, 290  # [pt] of the dialog, of the column of places, of the lists
COLUMNS: tuple[Column, ...] = ("name", "size", "modified")


class FileDialog:
    """One click selects, two or Enter open; typing finds. `suffixes` of nothing: a folder is chosen, not a file."""

    def __init__(
        self, dialogs: Dialogs, title: str, start: Path, saving: bool, chosen: Callable[[str], None],
        suffixes: tuple[str, ...] = DOCUMENTS, own: Path | None = None, recent: Sequence[Path] = (),
        cancelled: Callable[[], None] | None = None,
    ) -> None:  # fmt: skip
        self.dialogs, self.saving, self.chosen, self.suffixes, self.own = dialogs, saving, chosen, suffixes, own
        self.folder = (start if start.is_dir() else start.parent).resolve()
        self.items: list[Item] = []  # as they are listed
        self.selected: Item | None = None
        self._sorted: tuple[Column, bool] = ("name", False)
        self._rows: dict[Path, int] = {}
        self._clicked: tuple[float, Path | None] = (0.0, None)
        self._typed = "" if start.is_dir() else start.name
        self._replace: Path | None = None  # what somebody has said once may be replaced
        self._tall = dialogs.sizes.px(21)  # as high as words beside it
        self.window = dialogs.begin(title, WIDTH, 500, cancelled)
        self._build("" if start.is_dir() else start.name, recent)
        dialogs.want_keys(self.key)
        self._go(self.folder)

    @property
    def of_folders(self) -> bool:
        return not self.suffixes

    # -- building -----------------------------------------------------------------------------------------------------

    def _build(self, name: str, recent: Sequence[Path]) -> None:
        px, inner = self.dialogs.sizes.px, WIDTH - 20
        with dpg.group(horizontal=True, parent=self.window):
            self.up = dpg.add_button(label="Up", width=px(50), callback=lambda *_: self._go(self.folder.parent))
            self.path = dpg.add_input_text(
                width=px(inner - 50 - 110 - 16), on_enter=True, callback=lambda *_: self._typed_path()
            )
            self.new = dpg.add_button(label="New folder", width=px(110), callback=lambda *_: self._ask_folder())
        self.new_name = dpg.add_input_text(
            parent=self.window, width=px(inner), hint="name of the new folder, then Enter", show=False, on_enter=True,
            callback=lambda *_: self._make_folder(),
        )  # fmt: skip
        with dpg.group(horizontal=True, parent=self.window):
            with dpg.child_window(width=px(PLACES), height=px(HEIGHT), border=False, always_use_window_padding=True):
                self._build_places(recent)
            with dpg.child_window(width=px(inner - PLACES - 8), height=px(HEIGHT), border=False):
                self._build_table()
        if not self.of_folders:
            hint = f"name{self.suffixes[0]}" if self.saving else "type to find, or choose above"
            self.name = dpg.add_input_text(
                parent=self.window,
                width=px(inner),
                default_value=name,
                hint=hint,
                callback=lambda *_: self._typed_name(),
            )
            self.dialogs.focus(self.name)
        self.words = dpg.add_text("", parent=self.window, color=theme.WARNING, wrap=px(inner))
        with dpg.group(horizontal=True, parent=self.window):
            label = "Choose" if self.of_folders else "Save" if self.saving else "Open"
            self.button = dpg.add_button(label=label, width=px(100), callback=lambda *_: self.confirm())
            self.dialogs.default(self.button)
            dpg.add_button(label="Cancel", width=px(100), callback=lambda *_: self.dialogs.give_up())

    def _build_places(self, recent: Sequence[Path]) -> None:
        flat = flat_button()
        for label, path in file_listing.shortcuts(recent):
            place = dpg.add_button(label=shortened(label, 17), callback=lambda *_, path=path: self._go(path))
            dpg.bind_item_theme(place, flat)
            with dpg.tooltip(place, delay=0.5):
                dpg.add_text(str(path))

    def _build_table(self) -> None:
        px = self.dialogs.sizes.px
        self.table = dpg.add_table(
            header_row=True, sortable=True, scrollY=True, pad_outerX=True, freeze_rows=1,
            policy=dpg.mvTable_SizingFixedFit, height=px(HEIGHT), callback=lambda _, how: self._sort(how),
        )  # fmt: skip
        dpg.bind_item_theme(self.table, centred_rows(self.dialogs.sizes))
        self._columns = [
            dpg.add_table_column(parent=self.table, label="Name", width_stretch=True, default_sort=True),
            dpg.add_table_column(parent=self.table, label="Size", width_fixed=True, init_width_or_weight=px(80)),
            dpg.add_table_column(parent=self.table, label="Modified", width_fixed=True, init_width_or_weight=px(140)),
        ]

    # -- what is listed -----------------------------------------------------------------------------------------------

    def _go(self, folder: Path) -> None:
        self.folder, self.selected = folder, None
        dpg.set_value(self.path, str(folder))
        if not self.of_folders and not self.saving:
            dpg.set_value(self.name, "")
            self._typed = ""
        self._say("")
        self._fill()

    def _fill(self) -> None:
        items = file_listing.inside(self.folder, self.suffixes)
        if not self.of_folders and not self.saving and self.selected is None:
            items = file_listing.matching(items, dpg.get_value(self.name))
        self.items = file_listing.ordered(items, *self._sorted)
        dpg.delete_item(self.table, children_only=True, slot=1)
        self._rows = {}
        for item in self.items:
            with dpg.table_row(parent=self.table):
                label = f"▸ {item.name}" if item.is_folder else item.name
                self._rows[item.path] = int(
                    dpg.add_selectable(
                        label=label,
                        height=self._tall,
                        span_columns=True,
                        callback=lambda *_, item=item: self._click(item),
                    )
                )
                dpg.add_text(item.size_words, color=theme.FAINT)
                dpg.add_text(item.modified_words, color=theme.FAINT)
        self._mark()

    def _sort(self, how: Any) -> None:
        if how:
            column, direction = how[0]
            self._sorted = (COLUMNS[self._columns.index(column)], direction < 0)
            self._fill()

    def _mark(self) -> None:
        for path, row in self._rows.items():
            dpg.set_value(row, self.selected is not None and path == self.selected.path)

    def _say(self, words: str) -> None:
        tell(self.words, words)

    # -- what somebody does -------------------------------------------------------------------------------------------

    def _click(self, item: Item) -> None:
        now, (then, last) = time.monotonic(), self._clicked
        self._clicked = (now, item.path)
        self.select(item)
        if last == item.path and now - then < DOUBLE:
            self._clicked = (0.0, None)
            self.confirm()

    def select(self, item: Item) -> None:
        self.selected = item
        if not item.is_folder:
            dpg.set_value(self.name, item.name)
        self._mark()

    def key(self, pressed: str) -> bool:
        """Arrows choose, Enter opens."""
        if pressed in ("up", "down") and self.items:
            here = next(
                (k for k, item in enumerate(self.items) if self.selected == item), -1 if pressed == "down" else 1
            )
            self.select(self.items[min(max(here + (1 if pressed == "down" else -1), 0), len(self.items) - 1)])
            return True
        if pressed == "enter":
            if not any(
                dpg.is_item_active(field) or dpg.is_item_deactivated(field) for field in (self.path, self.new_name)
            ):
                self.confirm()
            return True
        return False

    def confirm(self) -> None:
        """Enter the folder that is selected, or take the file whose name is in the line."""
        if not self.dialogs.is_open or self.dialogs.window != self.window:
            return
        if self.of_folders:
            self._end(self.selected.path if self.selected is not None else self.folder)
            return
        if self.selected is not None and self.selected.is_folder:
            self._go(self.selected.path)
            return
        name = dpg.get_value(self.name) if self.selected is None else self.selected.name
        if not self.saving and self.selected is None and len(self.items) == 1:  # what was typed fits nothing else
            name = self.items[0].name
            if self.items[0].is_folder:
                self._go(self.items[0].path)
                return
        path, problem = file_listing.resolved(self.folder, name, self.saving, self.suffixes)
        if problem is None and self.saving and path.exists() and path not in (self.own, self._replace):
            self._replace = path
            problem = f"{shortened(path.name, 40)} is there already; press again to replace it."
            dpg.configure_item(self.button, label="Replace")
        if problem is not None:
            self._say(problem)
            return
        self._end(path)

    def _end(self, path: Path) -> None:
        self.dialogs.close()
        self.chosen(str(path))

    def _typed_name(self) -> None:
        typed = dpg.get_value(self.name)
        if (
            typed == self._typed
        ):  # a field that is being typed into takes no other words, and says so as if it were typed
            return
        self._typed, self.selected = typed, None
        if self.saving:
            dpg.configure_item(self.button, label="Save")
            self._replace = None
            self._mark()
        else:
            self._fill()
        self._say("")

    def _typed_path(self) -> None:
        typed = dpg.get_value(self.path)
        folder, problem = file_listing.went_to(self.folder, typed)
        if folder is None:
            self._say(problem or "")
            return
        self._go(folder)
        item = next((item for item in self.items if item.name == Path(typed.strip()).name and not item.is_folder), None)
        if item is not None:
            self.select(item)

    def _ask_folder(self) -> None:
        dpg.configure_item(self.new_name, show=True)
        dpg.set_value(self.new_name, "")
        dpg.focus_item(self.new_name)

    def _make_folder(self) -> None:
        made, problem = file_listing.new_folder(self.folder, dpg.get_value(self.new_name))
        self._say(problem or "")
        if made is not None:
            dpg.configure_item(self.new_name, show=False)
            self._go(made)
