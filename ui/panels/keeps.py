"""What edits keep and what they may change: constraints with their residuals, locks, weights and the window."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np

from hoi_edit.constraints import Constraint
from ui import theme
from ui.editor import Editor
from ui.look import Fonts, flat_button
from ui.theme import Sizes
from ui.timeline import plain

MET = 1e-5  # [m] below which a constraint is met, to the eye of anybody


class Keeps:
    """The constraints of the document."""

    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes = editor, sizes
        self._key: Any = None
        self._flat = flat_button()
        self._residuals: list[int] = []
        self.boxes: dict[str, int] = {}  # by label
        self.rows = dpg.add_group(parent=parent)

    def refresh(self) -> None:
        shown = self.editor.shown
        if shown is None:
            return
        asleep = self.editor.asleep()
        key = (id(shown.document), len(shown.document.constraints), tuple(id(own) for own in asleep))
        if key != self._key:
            self._key = key
            contacts, loose = [own.id for own in shown.document.scene.contacts], shown.document.loose
            self._build(shown.document.constraints, asleep, len(contacts), sum(own in loose for own in contacts))
        live = self.editor.worker.live
        values = shown.residuals if live is None else live.residuals
        for item, value in zip(self._residuals, values, strict=False):
            met = value < MET
            dpg.set_value(item, "met" if met else "?" if np.isnan(value) else f"{1000 * value:.1f} mm off")
            dpg.configure_item(item, color=theme.GOOD if met else theme.WARNING)

    def _build(
        self, constraints: Sequence[Constraint], asleep: Sequence[Constraint], contacts: int, loose: int
    ) -> None:
        dpg.delete_item(self.rows, children_only=True)
        self._residuals = []
        count = contacts - loose
        kept = f"{count} intended contact{' is' if count == 1 else 's are'} kept"
        kept += f", {loose} let go." if loose else "."
        dpg.add_text(kept, parent=self.rows, wrap=self.sizes.px(290))
        if not constraints and not asleep:
            words = "Double-click something to pin it where it is; right-click for more."
            dpg.add_text(words, parent=self.rows, color=theme.FAINT, wrap=self.sizes.px(290))
        for own in constraints:
            self._row(own, on=True)
        for own in asleep:
            self._row(own, on=False)

    def _row(self, own: Constraint, on: bool) -> None:
        """A box to switch it on and off, how far off it is, what it is, and a cross."""
        switch, drop = (
            (self.editor.switch_off, self.editor.remove) if on else (self.editor.switch_on, self.editor.forget)
        )
        with dpg.group(horizontal=True, parent=self.rows):
            box = dpg.add_checkbox(default_value=on, callback=lambda *_: self._switch(switch, own))
            with dpg.tooltip(box, delay=0.5):
                dpg.add_text("Edits keep it" if on else "Edits need not keep it")
            button = dpg.add_button(label="✕", callback=lambda *_: drop(own))
            dpg.bind_item_theme(button, self._flat)
            self.boxes[own.label] = int(box)
            state = dpg.add_text("" if on else "off", color=theme.FAINT)
            if on:
                self._residuals.append(int(state))
            words, ink = _plain_label(own.label), theme.TEXT if on else theme.FAINT
            dpg.add_text(
                words, color=ink, wrap=self.sizes.side - self.sizes.px(22)
            )  # [px] in the panel, not in the row

    def _switch(self, switch: Callable[[Constraint], None], own: Constraint) -> None:
        switch(own)
        self._key = None  # the box shows what is so, which may not be what was asked for


class Freedoms:
    """What may change, and at what price."""

    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes = editor, sizes
        self._key: Any = None
        self._flat = flat_button()
        self.rows = dpg.add_group(parent=parent)

    def refresh(self) -> None:
        shown = self.editor.shown
        if shown is None or self._key == id(shown.document):
            return
        self._key = id(shown.document)
        dpg.delete_item(self.rows, children_only=True)
        freedom, scene = shown.document.freedom, shown.document.scene
        dpg.add_text("What a change costs", parent=self.rows, color=theme.FAINT)
        self._slider("things", freedom.things, self._set_things)
        for character in scene.characters:
            scale = float(freedom.scales.get(character.name, 1.0))
            self._slider(character.name, scale, lambda value, own=character.name: self._set_scale(own, value))
        dpg.add_text("When", parent=self.rows, color=theme.FAINT)
        self._window_row(freedom.window)
        self._list("Locked", [lock.name for lock in freedom.locks], self.editor.toggle_lock)
        self._list("Laws that may bend", list(freedom.opened), self.editor.toggle_bending)

    def _list(self, title: str, names: list[str], drop: Callable[[str], None]) -> None:
        if names:
            dpg.add_text(title, parent=self.rows, color=theme.FAINT)
        for name in names:
            with dpg.group(horizontal=True, parent=self.rows):
                button = dpg.add_button(label="✕", callback=lambda *_, name=name: drop(name))
                dpg.bind_item_theme(button, self._flat)
                dpg.add_text(plain(name))

    def _slider(self, label: str, value: float, change: Any) -> None:
        """Of the price: a tenth to ten times; the edit is made when it is let go."""
        item = dpg.add_slider_float(
            label=f"{value:.2g}×  {label}", parent=self.rows, default_value=float(np.log10(value)), min_value=-2.0,
            max_value=2.0, width=self.sizes.px(110), format=" ",
            callback=lambda sender, log: dpg.configure_item(sender, label=f"{10**log:.2g}×  {label}"),
        )  # fmt: skip
        with dpg.item_handler_registry() as handlers:
            dpg.add_item_deactivated_after_edit_handler(callback=lambda *_: change(10 ** dpg.get_value(item)))
        dpg.bind_item_handler_registry(item, handlers)

    def _window_row(self, window: Any) -> None:
        words = "any time" if window is None else f"{window.start:.2f} to {window.end:.2f} s"
        with dpg.group(horizontal=True, parent=self.rows):
            dpg.add_text(words)
            if window is None:
                button = dpg.add_button(label="only from In to Out", callback=lambda *_: self.editor.confine())
                with dpg.tooltip(button, delay=0.5):
                    dpg.add_text("Edits change nothing outside the range of the timeline")
            else:
                dpg.add_button(label="any time", callback=lambda *_: self.editor.free_time())

    def _set_things(self, value: float) -> None:
        self.editor.edit("Weighing", lambda s, tell: s.free(things=value))

    def _set_scale(self, name: str, value: float) -> None:
        def change(session: Any, tell: Any) -> None:
            session.free(scales={**session.document.freedom.scales, name: value})

        self.editor.edit("Weighing", change)


def _plain_label(label: str) -> str:
    words = [plain(word) if "/" in word else word for word in label.split(" ")]
    return " ".join(words)
