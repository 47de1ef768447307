"""What edits keep and what they may change: constraints with their residuals, locks, weights and the window."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Callable, Sequence
from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np

from hoi_edit.constraints import Constraint
from hoi_edit.edit.document import Document
from ui import theme
from ui.editor import Editor
from ui.panels.styles import Fonts, flat_button
from ui.theme import Sizes
from ui.words.problems import bent_in, bent_in_words

LINE = 30  # letters beside the box and the cross
MET = 1e-5  # [m] below which a constraint is met, to the eye of anybody


class Keeps:
    """The constraints of the document."""

    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes = editor, sizes
        self._key: Any = None
        self._flat = flat_button()
        self._residuals: dict[int, int] = {}  # by the constraint's identity
        self._order: list[Constraint] = []  # as they were first seen: switching one does not move its row
        self.boxes: dict[str, int] = {}  # by label
        self.rows = dpg.add_group(parent=parent)

    def refresh(self) -> None:
        shown = self.editor.shown
        if shown is None:
            return
        document = shown.document
        if document is not self._key:
            self._key = document
            self._build(document)
        live = self.editor.worker.live
        values = shown.residuals if live is None else live.residuals
        for constraint, value in zip(document.constraints, values, strict=False):
            item = self._residuals[id(constraint)]
            met = value < MET
            dpg.set_value(item, "met" if met else "?" if np.isnan(value) else f"{1000 * value:.1f} mm off")
            dpg.configure_item(item, color=theme.GOOD if met else theme.WARNING)

    def _build(self, document: Document) -> None:
        dpg.delete_item(self.rows, children_only=True)
        self._residuals, self.boxes = {}, {}
        constraints, switched_off = document.constraints, document.switched_off
        loose = sum(contact.id in document.loose for contact in document.scene.contacts)
        count = len(document.scene.contacts) - loose
        kept = f"{count} intended contact{' is' if count == 1 else 's are'} kept" if count else "No contact is kept"
        kept += f", {loose} let go." if loose else "."
        dpg.add_text(kept, parent=self.rows, wrap=0)
        if not constraints and not switched_off:
            words = "Double-click something to pin it where it is; right-click for more."
            dpg.add_text(words, parent=self.rows, color=theme.FAINT, wrap=0)
        self._order = in_order((*constraints, *switched_off), self._order)
        for constraint in self._order:
            self._row(constraint, on=any(constraint is other for other in constraints))

    def _row(self, constraint: Constraint, on: bool) -> None:
        """A box to switch it on and off, how far off it is, what it is, and a cross."""
        switch = self.editor.switch_off if on else self.editor.switch_on
        with dpg.group(horizontal=True, parent=self.rows):
            box = dpg.add_checkbox(default_value=on, callback=lambda *_: self._switch(switch, constraint))
            with dpg.tooltip(box, delay=0.5):
                dpg.add_text("Edits keep it" if on else "Edits need not keep it")
            button = dpg.add_button(label="✕", callback=lambda *_: self.editor.remove(constraint))
            with dpg.tooltip(button, delay=0.5):
                dpg.add_text("Take it out")
            dpg.bind_item_theme(button, self._flat)
            self.boxes[constraint.label] = int(box)
            state = dpg.add_text("" if on else "off", color=theme.FAINT)
            if on:
                self._residuals[id(constraint)] = int(state)
            words, ink = in_lines(self.editor.labelled(constraint)), theme.TEXT if on else theme.FAINT
            dpg.add_text(words, color=ink, wrap=0)

    def _switch(self, switch: Callable[[Constraint], None], constraint: Constraint) -> None:
        switch(constraint)
        self._key = None  # the box shows what is so, which may not be what was asked for


def in_lines(words: str) -> str:
    """Broken between words, and not between a number and its unit: left to itself, the window breaks after any dot."""
    tied = re.sub(r"(?<=\d) (?=(?:s|m|cm|mm)\b)", "\u00a0", words)
    return "\n".join(textwrap.wrap(tied, LINE, break_long_words=False, break_on_hyphens=False))


def in_order(there: Sequence[Constraint], before: Sequence[Constraint]) -> list[Constraint]:
    """Constraints in the order in which they were shown before, and new ones after them."""
    place = {id(constraint): k for k, constraint in enumerate(before)}
    return sorted(there, key=lambda constraint: place.get(id(constraint), len(place)))


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
            self._slider(character.name, scale, lambda value, name=character.name: self._set_scale(name, value))
        dpg.add_text("When", parent=self.rows, color=theme.FAINT)
        self._window_row(freedom.window)
        self._list("Locked", [lock.name for lock in freedom.locks], self.editor.toggle_lock)
        self._list("Laws that may bend", list(freedom.opened), self.editor.toggle_bending)
        bent = bent_in(shown.rollout)
        if bent:
            dpg.add_text("Physics is bent", parent=self.rows, color=theme.FAINT)
        for law in bent:
            dpg.add_text(f"{bent_in_words(law, shown.rollout)}.", parent=self.rows, color=theme.WARNING, wrap=0)

    def _list(self, title: str, names: list[str], drop: Callable[[str], None]) -> None:
        if names:
            dpg.add_text(title, parent=self.rows, color=theme.FAINT)
        for name in names:
            with dpg.group(horizontal=True, parent=self.rows):
                button = dpg.add_button(label="✕", callback=lambda *_, name=name: drop(name))
                dpg.bind_item_theme(button, self._flat)
                dpg.add_text(self.editor.called(name), wrap=self.sizes.px(270))

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
