"""How much each clip of a blend counts, as sliders; hidden where nobody is moved by a blend."""

from __future__ import annotations

from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.panels.styles import Fonts
from ui.theme import Sizes
from ui.timeline.blend_curves import Weight, weights_of


class Blends:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes = editor, sizes
        self._key: Any = None
        self.rows = dpg.add_group(parent=parent, show=False)

    def refresh(self) -> None:
        shown = self.editor.shown
        if shown is None or self._key == id(shown.rollout):
            return
        self._key = id(shown.rollout)
        weights = weights_of(shown.rollout)
        dpg.delete_item(self.rows, children_only=True)
        dpg.configure_item(self.rows, show=bool(weights))
        for name in dict.fromkeys(weight.character for weight in weights):
            dpg.add_text(f"Blend of {name}", parent=self.rows, color=theme.FAINT)
            for weight in weights:
                if weight.character == name:
                    self._slider(weight)

    def _slider(self, weight: Weight) -> None:
        """The edit is made when it is let go."""
        item = dpg.add_slider_float(
            label=weight.words, parent=self.rows, default_value=weight.value, min_value=0.0, max_value=1.0,
            width=self.sizes.px(96), format="%.2f", clamped=True,
        )  # fmt: skip
        with dpg.item_handler_registry() as handlers:
            dpg.add_item_deactivated_after_edit_handler(callback=lambda *_: self._change(weight, dpg.get_value(item)))
        dpg.bind_item_handler_registry(item, handlers)

    def _change(self, weight: Weight, value: float) -> None:
        self.editor.weigh(weight, round(float(value), 4))
