"""The borders between the viewport and its neighbours, which can be dragged; a double click puts them back."""

from __future__ import annotations

from dataclasses import replace
from typing import Literal

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.panels.window_layout import GAP, NARROWEST, WIDEST, Places, lower_of
from ui.preferences import Preferences
from ui.theme import Sizes

Border = Literal["side", "lower"]


class Splitters:
    """`places` and `corner` are where things are now; the window keeps them up to date."""

    def __init__(self, editor: Editor, sizes: Sizes) -> None:
        self.editor, self.sizes = editor, sizes
        self.places: Places | None = None
        self.corner = (0, 0)  # [px] of the viewport in the window
        self.dragged: Border | None = None
        self._lit: Border | None = None
        self._layer = dpg.add_viewport_drawlist(front=True)

    def input(self, free: bool) -> bool:
        """Once a frame; whether the mouse is theirs."""
        pointer = dpg.get_mouse_pos(local=False)
        if self.dragged is not None:
            self._go_on(*pointer)
        elif free:
            self._lit = self.border_at(*pointer)
            if self._lit is not None and dpg.is_mouse_button_double_clicked(0):
                self._put_back(self._lit)
            elif self._lit is not None and dpg.is_mouse_button_clicked(0):
                self.dragged = self._lit
        else:
            self._lit = None
        self._draw()
        return self.dragged is not None or self._lit is not None

    def border_at(self, x: float, y: float) -> Border | None:
        places, (left, top), px = self.places, self.corner, self.sizes.px
        if places is None:
            return None
        right, low = left + places.left, top + places.picture
        if right <= x <= right + px(8) and top <= y:
            return "side"
        return "lower" if left <= x <= right and low <= y <= low + px(GAP + 4) else None

    def _go_on(self, x: float, y: float) -> None:
        places, sizes = self.places, self.sizes
        if places is None or not dpg.is_mouse_button_down(0):
            self.dragged = None
            return
        if self.dragged == "side":
            whole = places.side + places.left
            side = (whole - (x - sizes.px(4) - self.corner[0])) / sizes.scale
            self._set(side=round(min(max(side, NARROWEST), WIDEST)))
        else:
            self._set(lower=round(lower_of(places, round(y - sizes.px(4) - self.corner[1]), sizes)))

    def _put_back(self, border: Border) -> None:
        fresh = Preferences()
        self._set(**({"side": fresh.side} if border == "side" else {"lower": fresh.lower}))

    def _set(self, **changes: int) -> None:
        self.editor.remember(replace(self.editor.preferences, **changes))  # type: ignore[arg-type]

    def _draw(self) -> None:
        dpg.delete_item(self._layer, children_only=True)
        lit, places, (left, top), px = self.dragged or self._lit, self.places, self.corner, self.sizes.px
        if lit is None or places is None:
            return
        colour = theme.ACCENT if self.dragged else theme.faded(theme.ACCENT, 0.6)
        if lit == "side":
            x, low = left + places.left + px(4), top + places.outliner + places.properties + places.tabs + 2 * px(GAP)
            dpg.draw_line((x, top), (x, low), color=colour, thickness=px(2), parent=self._layer)
        else:
            y = top + places.picture + px(GAP) / 2
            dpg.draw_line((left, y), (left + places.left, y), color=colour, thickness=px(2), parent=self._layer)
