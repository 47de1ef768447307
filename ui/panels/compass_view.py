"""The axes in the corner of the viewport, drawn when the camera has moved; a click on an end looks from there."""

from __future__ import annotations

from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.theme import Sizes
from ui.view.compass import Tip, name_of, tip_at, tips
from ui.words.names import plain

REACH = 10.0  # [pt] around an end


class CompassView:
    def __init__(self, editor: Editor, sizes: Sizes, drawlist: int | str) -> None:
        self.editor, self.sizes = editor, sizes
        self.tips: list[Tip] = []
        self._key: Any = None
        self._layer = dpg.add_draw_layer(parent=drawlist)

    def refresh(self, size: tuple[int, int], pointer: tuple[float, float]) -> None:
        editor, px = self.editor, self.sizes.px
        lit = self.at(*pointer) if editor.drag is None else None
        followed = editor.selected if editor.following else None
        key = (editor.camera, size, None if lit is None else lit.view, followed)
        if key == self._key:
            return
        self._key = key
        dpg.delete_item(self._layer, children_only=True)
        self.tips = tips(editor.camera, (size[0] - px(52), px(52)), px(30))
        for tip in self.tips:
            self._draw(tip, (size[0] - px(52), px(52)), lit is not None and lit.view == tip.view)
        words = name_of(editor.camera) + (f", follows {plain(followed)}" if followed else "")
        dpg.draw_text((px(14), px(10)), words, size=self.sizes.small_font, color=theme.faded(theme.TEXT, 0.55),
                      parent=self._layer)  # fmt: skip

    def _draw(self, tip: Tip, centre: tuple[float, float], lit: bool) -> None:
        px, near = self.sizes.px, 0.5 + 0.5 * tip.nearness
        colour = theme.mixed(theme.faded(theme.WINDOW, 1.0), theme.AXES[tip.axis], 0.55 + 0.45 * near)
        r = px(8) + (1 if lit else 0)
        if tip.positive:
            dpg.draw_line(centre, tip.at, color=colour, thickness=px(2), parent=self._layer)
            dpg.draw_circle(tip.at, r, color=theme.TEXT if lit else colour, fill=colour, parent=self._layer)
            size = self.sizes.small_font - px(1)
            at = (tip.at[0] - 0.32 * size, tip.at[1] - 0.56 * size)
            dpg.draw_text(at, tip.axis.upper(), size=size, color=theme.WINDOW, parent=self._layer)
        else:
            fill = theme.faded(colour, 0.75 if lit else 0.22)
            dpg.draw_circle(tip.at, r - px(2), color=theme.TEXT if lit else theme.faded(colour, 0.8), fill=fill,
                            parent=self._layer)  # fmt: skip

    def at(self, x: float, y: float) -> Tip | None:
        return tip_at(self.tips, x, y, self.sizes.px(REACH))

    def click(self, x: float, y: float) -> bool:
        """Look from the end that was clicked on; whether there was one."""
        tip = self.at(x, y)
        if tip is not None:
            self.editor.look(tip.view)
        return tip is not None
