"""What a beginner is told, over the picture: three lines with a cross, out of the way of who stands there."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.panels.styles import Fonts, text_width
from ui.theme import Sizes

HINT = (
    "Drag a ball, any point of its flight, or a hand: all else follows.",
    "Space plays.  Alt and the mouse turn the camera; the wheel zooms.",
    "Ctrl+Z takes an edit back.  Right-click for more.  F1 lists the keys.",
)
LEFT, TOP, TOP_BELOW = 14, 34, 74  # [pt]: under the name of the view, or under what is said there already


def has_room(right: float, width: float) -> bool:
    """Whether what ends there leaves the middle of a view free, where people stand; else one line at its foot does."""
    return right < 0.45 * width


class HintView:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts) -> None:
        self.editor, self.sizes, self.fonts = editor, sizes, fonts
        self.box: tuple[float, float, float, float] | None = None  # left, top, right, bottom, while it is shown

    @property
    def cross(self) -> tuple[float, float]:
        """The middle of what closes it."""
        assert self.box is not None
        return self.box[2] - self.sizes.px(13), self.box[1] + self.sizes.px(13)

    def draw(self, layer: int | str, view: tuple[int, int], below: bool) -> None:
        """Into a view of some size, `below` something else in that corner."""
        px, size = self.sizes.px, self.sizes.small_font
        line = size + px(5)
        whole = max(text_width(hint, self.fonts.small, size) for hint in HINT) + px(10) + px(30)
        lines = HINT if has_room(px(LEFT) + whole, view[0]) else HINT[:1]
        tall = len(lines) * line + px(11)
        left, top = px(LEFT), px(TOP_BELOW if below else TOP) if len(lines) > 1 else view[1] - tall - px(4)
        self.box = (left, top, left + whole, top + tall)
        dpg.draw_rectangle(self.box[:2], self.box[2:], color=(255, 255, 255, 22), fill=(18, 20, 24, 205),
                           rounding=px(6), parent=layer)  # fmt: skip
        for k, words in enumerate(lines):
            dpg.draw_text((left + px(10), top + px(7) + k * line), words, size=size, color=theme.TEXT, parent=layer)
        (x, y), r = self.cross, px(4)
        for a, b in (((x - r, y - r), (x + r, y + r)), ((x - r, y + r), (x + r, y - r))):
            dpg.draw_line(a, b, color=theme.FAINT, thickness=1.6 * self.sizes.scale, parent=layer)

    def click(self, x: float, y: float) -> bool:
        """Whether a press was on it; one on the cross closes it."""
        if not self.is_at(x, y):
            return False
        if max(abs(x - self.cross[0]), abs(y - self.cross[1])) <= self.sizes.px(11):
            self.editor.take_hint()
        return True

    def is_at(self, x: float, y: float) -> bool:
        box = self.box
        return self.editor.hint and box is not None and box[0] <= x <= box[2] and box[1] <= y <= box[3]
