"""Preferences, and keys that can be bound anew by pressing them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.keymap import ACTIONS, BY_ID, Keymap
from ui.panels.dialogs import Dialogs
from ui.preferences import Preferences, folder

SCALES = {"75 %": 0.75, "100 %": 1.0, "125 %": 1.25, "150 %": 1.5, "175 %": 1.75, "200 %": 2.0, "300 %": 3.0}
LATER = "from the next start on"
RATES = {"30 a second": 30, "60 a second": 60, "120 a second": 120}


class PreferencesView:
    def __init__(self, editor: Editor, dialogs: Dialogs) -> None:
        self.editor, self.dialogs = editor, dialogs
        self.waiting: str | None = None  # the action whose key is to be pressed
        self.buttons: dict[str, int] = {}

    # -- preferences --------------------------------------------------------------------------------------------------

    def ask(self) -> None:
        preferences, px = self.editor.preferences, self.dialogs.sizes.px
        window = self.dialogs.begin("Preferences", 620, 358)
        with dpg.table(parent=window, header_row=False):
            dpg.add_table_column(width_fixed=True, init_width_or_weight=px(210))
            dpg.add_table_column(width_stretch=True)
            self._choice("Size of everything", SCALES, preferences.scale, "scale", LATER)
            self._choice("Pictures, at most", RATES, preferences.frame_rate, "frame_rate")
            self._tick(
                "Smooth edges", preferences.smooth_edges, "smooth_edges", f"{LATER}; slower without a graphics card"
            )
            self._tick("Ghosts of flights", preferences.ghosts, "ghosts")
            self._tick("Paths of hands", preferences.hands, "hands")
            self._tick(
                "Snap to frames", preferences.snap, "snap", "while scrubbing, and for In and Out; Shift: any time"
            )
            self._tick("Begin with the last document", preferences.reopen, "reopen", "instead of juggle3")
        dpg.add_spacer(parent=window, height=px(4))
        words = (
            "All but what says so holds at once. Each edit is written to the disk at once, beside its document, "
            f"in case the program dies; nothing needs to be set for that. All of this is kept in {folder()}."
        )
        dpg.add_text(words, parent=window, color=theme.FAINT, wrap=px(596))
        dpg.add_spacer(parent=window, height=px(4))
        with dpg.group(horizontal=True, parent=window):
            done = dpg.add_button(label="Done", width=px(100), callback=lambda *_: self.dialogs.close())
            self.dialogs.default(done)
            dpg.add_button(label="Keys…", width=px(100), callback=lambda *_: self.ask_keys())
            dpg.add_button(label="Defaults", width=px(100), callback=lambda *_: self._defaults())

    def _choice(self, label: str, choices: dict[str, Any], value: Any, field: str, words: str = "") -> None:
        shown = min(choices, key=lambda words: abs(choices[words] - value))
        with dpg.table_row():
            dpg.add_text(label, color=theme.FAINT)
            with dpg.group(horizontal=True):
                dpg.add_combo(
                    list(choices), default_value=shown, width=self.dialogs.sizes.px(120),
                    callback=lambda _, words: self._set(field, choices[words]),
                )  # fmt: skip
                dpg.add_text(words, color=theme.FAINT)

    def _tick(self, label: str, value: bool, field: str, words: str = "") -> None:
        with dpg.table_row():
            dpg.add_text(label, color=theme.FAINT)
            dpg.add_checkbox(label=words, default_value=value, callback=lambda _, on: self._set(field, bool(on)))

    def _set(self, field: str, value: Any) -> None:
        self.editor.remember(replace(self.editor.preferences, **{field: value}))

    def _defaults(self) -> None:
        fresh, preferences = Preferences(), self.editor.preferences
        names = ("scale", "frame_rate", "smooth_edges", "ghosts", "hands", "snap", "reopen")
        self.editor.remember(replace(preferences, **{name: getattr(fresh, name) for name in names}))
        self.ask()

    # -- keys ---------------------------------------------------------------------------------------------------------

    def ask_keys(self) -> None:
        px = self.dialogs.sizes.px
        window = self.dialogs.begin("Keys", 560, 600)
        self.waiting, self.buttons = None, {}
        self._words = dpg.add_text("Click on keys, then press the new one. Escape leaves them as they are.",
                                   parent=window, color=theme.FAINT, wrap=px(536))  # fmt: skip
        high = min(px(488), dpg.get_viewport_client_height() - px(160))
        with dpg.child_window(parent=window, border=False, height=high), dpg.table(header_row=False):
            dpg.add_table_column(width_stretch=True)
            dpg.add_table_column(width_fixed=True, init_width_or_weight=px(230))
            group = ""
            for action in ACTIONS:
                if action.group != group:
                    group = action.group
                    with dpg.table_row():
                        dpg.bind_item_font(dpg.add_text(group), self.dialogs.fonts.bold)
                        dpg.add_text("")
                with dpg.table_row():
                    dpg.add_text(action.label.rstrip("…"))
                    self.buttons[action.id] = int(
                        dpg.add_button(
                            width=px(220), callback=lambda *_, action_id=action.id: self._wait_for(action_id)
                        )
                    )
        with dpg.group(horizontal=True, parent=window):
            done = dpg.add_button(label="Done", width=px(100), callback=lambda *_: self.dialogs.close())
            self.dialogs.default(done)
            dpg.add_button(label="Defaults", width=px(100), callback=lambda *_: self._rebind(Keymap({})))
        self._label()

    def _label(self) -> None:
        keys = self.editor.keymap
        for action, button in self.buttons.items():
            words = "press a key …" if action == self.waiting else keys.words(action) or "–"
            dpg.configure_item(button, label=words)

    def _wait_for(self, action: str) -> None:
        self.waiting = action
        self._label()

    def take(self, pressed: str) -> bool:
        """A key, if one is waited for."""
        if self.waiting is None or not self.dialogs.is_open:
            self.waiting = None
            return False
        action, self.waiting = self.waiting, None
        if pressed != "escape":
            other = self.editor.keymap.action(pressed)
            self._rebind(self.editor.keymap.rebound(action, pressed))
            taken = f" It was the key of “{BY_ID[other].label.rstrip('…')}”." if other not in (None, action) else ""
            dpg.set_value(self._words, f"“{BY_ID[action].label.rstrip('…')}” has a new key.{taken}")
        self._label()
        return True

    def _rebind(self, keys: Keymap) -> None:
        self.editor.keymap = keys
        self.editor.remember(replace(self.editor.preferences, keys=dict(keys.changed)))
        self._label()
