"""What the timeline and the curves have in common: seconds along the top, and the flag of a time."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from ui import theme
from ui.panels.styles import Fonts, text_width
from ui.theme import Colour, Sizes
from ui.timeline.scales import Scale


def draw_ruler(parent: int, scale: Scale, size: tuple[int, int], sizes: Sizes, fonts: Fonts) -> None:
    ticks, step = scale.ticks()
    digits = 2 if step < 0.1 else 1 if step < 1.0 else 0
    px = sizes.px
    for t in ticks:
        x = scale.x(t)
        dpg.draw_line((x, sizes.ruler), (x, size[1]), color=(255, 255, 255, 12), parent=parent)
        dpg.draw_line((x, sizes.ruler - px(6)), (x, sizes.ruler), color=theme.FAINT, parent=parent)
        words = f"{t:.{digits}f}"
        wide = text_width(words, fonts.small, sizes.small_font)  # in the middle, as flags are, so that these cover it
        at = (min(max(x - wide / 2, sizes.gutter - px(4)), size[0] - wide - px(2)), px(3))
        dpg.draw_text(at, words, size=sizes.small_font, color=theme.FAINT, parent=parent)


def draw_flag(
    parent: int, x: float, text: str, fill: Colour, ink: Colour, width: int, sizes: Sizes, fonts: Fonts
) -> None:
    """A time, or a value, on the ruler of a panel of some width."""
    px = sizes.px
    wide = text_width(text, fonts.small, sizes.small_font) + px(10)
    left = min(max(x - wide / 2, sizes.gutter - px(8)), width - wide)
    low, high = (left, px(2)), (left + wide, sizes.ruler - px(4))
    dpg.draw_rectangle(low, high, color=fill, fill=fill, rounding=px(3), parent=parent)
    dpg.draw_text((left + px(5), px(3)), text, size=sizes.small_font, color=ink, parent=parent)
