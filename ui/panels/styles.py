"""The theme and the fonts, given to Dear PyGui."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import dearpygui.dearpygui as dpg
import matplotlib

from ui import theme
from ui.panels import icons
from ui.theme import Sizes
from ui.words.names import shortened

FEWEST = 4  # letters of a name that are shown, whatever the room


@dataclass(frozen=True)
class Fonts:
    normal: int
    bold: int
    small: int


def load_fonts(sizes: Sizes) -> Fonts:
    """DejaVu Sans, which comes with matplotlib: the same letters on every system."""
    folder = Path(matplotlib.get_data_path()) / "fonts" / "ttf"
    with dpg.font_registry():
        normal = dpg.add_font(str(folder / "DejaVuSans.ttf"), sizes.font)
        bold = dpg.add_font(str(folder / "DejaVuSans-Bold.ttf"), sizes.font)
        small = dpg.add_font(str(folder / "DejaVuSans.ttf"), sizes.small_font)
    dpg.bind_font(normal)
    return Fonts(normal, bold, small)


def text_width(text: str, font: int, size: int) -> float:
    """[px]; before the first frame nobody knows, and it is guessed."""
    known = dpg.get_text_size(text, font=font)
    return float(known[0]) if known is not None else 0.58 * size * len(text)


def fitted(words: str, room: float, font: int, size: int) -> str:
    """As much of some words as there is room for [px], the middle left out."""
    most = len(words)
    while most > FEWEST and text_width(shortened(words, most), font, size) > room:
        most -= 1
    return shortened(words, most)


def load_icons(pixels: int) -> dict[str, int]:
    """The pictures of `ui.panels.icons`, for buttons."""
    with dpg.texture_registry():
        return {
            name: int(dpg.add_static_texture(pixels, pixels, icons.picture(name, pixels).reshape(-1).tolist()))
            for name in icons.ICONS
        }


def bind_theme(sizes: Sizes) -> None:
    with dpg.theme() as theme_item:
        with dpg.theme_component(dpg.mvAll):
            for target, colour in _COLOURS.items():
                dpg.add_theme_color(target, colour)
            for target, values in _styles(sizes).items():
                dpg.add_theme_style(target, *values)
        for kind in (dpg.mvButton, dpg.mvCheckbox, dpg.mvInputText, dpg.mvInputFloat, dpg.mvCombo, dpg.mvSliderFloat):
            _disabled(kind)
    dpg.bind_theme(theme_item)


_FACES = (
    dpg.mvThemeCol_Button,
    dpg.mvThemeCol_ButtonHovered,
    dpg.mvThemeCol_ButtonActive,
    dpg.mvThemeCol_FrameBg,
    dpg.mvThemeCol_FrameBgHovered,
    dpg.mvThemeCol_FrameBgActive,
)


def _disabled(kind: int) -> None:
    """What cannot be used looks so: faint words on what is hardly a field, also under the pointer."""
    with dpg.theme_component(kind, enabled_state=False):
        for target in _FACES:
            dpg.add_theme_color(target, theme.faded(theme.HOVERED, 0.45))
        for target in (dpg.mvThemeCol_Text, dpg.mvThemeCol_CheckMark, dpg.mvThemeCol_SliderGrab):
            dpg.add_theme_color(target, theme.DISABLED)


def flat_button() -> int:
    """A theme for buttons that look like words until the pointer is on them."""
    with dpg.theme() as theme_item, dpg.theme_component(dpg.mvButton):
        _flat()
    return int(theme_item)


def icon_button(sizes: Sizes) -> int:
    """The same for buttons that are a small picture."""
    with dpg.theme() as theme_item, dpg.theme_component(dpg.mvImageButton):
        _flat()
        dpg.add_theme_style(dpg.mvStyleVar_FramePadding, sizes.px(3), sizes.px(3))
    return int(theme_item)


def _flat() -> None:
    dpg.add_theme_color(dpg.mvThemeCol_Button, (0, 0, 0, 0))
    dpg.add_theme_color(dpg.mvThemeCol_ButtonHovered, theme.HOVERED)
    dpg.add_theme_color(dpg.mvThemeCol_ButtonActive, theme.PRESSED)


def accent_button() -> int:
    with dpg.theme() as theme_item:
        with dpg.theme_component(dpg.mvButton):
            dpg.add_theme_color(dpg.mvThemeCol_Button, theme.ACCENT_DIM)
            dpg.add_theme_color(dpg.mvThemeCol_ButtonHovered, theme.mixed(theme.ACCENT_DIM, theme.ACCENT, 0.4))
            dpg.add_theme_color(dpg.mvThemeCol_ButtonActive, theme.ACCENT)
        _disabled(dpg.mvButton)
    return int(theme_item)


def dialog() -> int:
    """For windows above others: what can be pressed stands out from them."""
    with dpg.theme() as theme_item:
        with dpg.theme_component(dpg.mvButton):
            dpg.add_theme_color(dpg.mvThemeCol_Button, theme.HOVERED)
            dpg.add_theme_color(dpg.mvThemeCol_ButtonHovered, theme.PRESSED)
            dpg.add_theme_color(dpg.mvThemeCol_ButtonActive, theme.PRESSED)
        _disabled(dpg.mvButton)
    return int(theme_item)


@cache
def narrow_window(sizes: Sizes) -> int:
    with dpg.theme() as theme_item, dpg.theme_component(dpg.mvChildWindow):
        dpg.add_theme_style(dpg.mvStyleVar_WindowPadding, sizes.px(3), sizes.px(8))
        dpg.add_theme_style(dpg.mvStyleVar_FramePadding, sizes.px(2), sizes.px(4))
    return int(theme_item)


@cache
def centred_rows(sizes: Sizes) -> int:
    """For rows of a table that can be selected, with other words beside."""
    with dpg.theme() as theme_item, dpg.theme_component(dpg.mvAll):
        dpg.add_theme_style(dpg.mvStyleVar_SelectableTextAlign, 0.0, 0.5)
        dpg.add_theme_style(dpg.mvStyleVar_CellPadding, sizes.px(8), sizes.px(2))
        dpg.add_theme_color(dpg.mvThemeCol_Header, theme.ACCENT_DIM)  # on a dialog RAISED would not be seen
        dpg.add_theme_color(dpg.mvThemeCol_TableHeaderBg, theme.PANEL)
    return int(theme_item)


def bare_window() -> int:
    """For children that are all picture: no padding, no border, nothing painted beneath it."""
    with dpg.theme() as theme_item, dpg.theme_component(dpg.mvAll):
        dpg.add_theme_color(dpg.mvThemeCol_ChildBg, (0, 0, 0, 0))
        dpg.add_theme_style(dpg.mvStyleVar_WindowPadding, 0, 0)
        dpg.add_theme_style(dpg.mvStyleVar_ItemSpacing, 0, 0)
        dpg.add_theme_style(dpg.mvStyleVar_ChildBorderSize, 0)
    return int(theme_item)


_COLOURS = {
    dpg.mvThemeCol_WindowBg: theme.WINDOW,
    dpg.mvThemeCol_ChildBg: theme.PANEL,
    dpg.mvThemeCol_PopupBg: theme.RAISED,
    dpg.mvThemeCol_MenuBarBg: theme.WINDOW,
    dpg.mvThemeCol_Border: theme.LINE,
    dpg.mvThemeCol_FrameBg: theme.FIELD,
    dpg.mvThemeCol_FrameBgHovered: theme.HOVERED,  # neither a panel's colour nor a dialog's
    dpg.mvThemeCol_FrameBgActive: theme.PRESSED,
    dpg.mvThemeCol_TitleBg: theme.RAISED,
    dpg.mvThemeCol_TitleBgActive: theme.RAISED,
    dpg.mvThemeCol_Text: theme.TEXT,
    dpg.mvThemeCol_TextDisabled: theme.FAINT,
    dpg.mvThemeCol_Button: theme.RAISED,
    dpg.mvThemeCol_ButtonHovered: theme.HOVERED,
    dpg.mvThemeCol_ButtonActive: theme.PRESSED,
    dpg.mvThemeCol_Header: theme.RAISED,
    dpg.mvThemeCol_HeaderHovered: theme.HOVERED,
    dpg.mvThemeCol_HeaderActive: theme.PRESSED,
    dpg.mvThemeCol_CheckMark: theme.ACCENT,
    dpg.mvThemeCol_SliderGrab: theme.ACCENT,
    dpg.mvThemeCol_SliderGrabActive: theme.ACCENT,
    dpg.mvThemeCol_Separator: theme.LINE,
    dpg.mvThemeCol_Tab: theme.PANEL,
    dpg.mvThemeCol_TabHovered: theme.HOVERED,
    dpg.mvThemeCol_TabActive: theme.RAISED,
    dpg.mvThemeCol_ScrollbarBg: (0, 0, 0, 0),
    dpg.mvThemeCol_ScrollbarGrab: theme.HOVERED,
    dpg.mvThemeCol_ScrollbarGrabHovered: theme.PRESSED,
    dpg.mvThemeCol_ScrollbarGrabActive: theme.PRESSED,
    dpg.mvThemeCol_TextSelectedBg: theme.ACCENT_DIM,
    dpg.mvThemeCol_ModalWindowDimBg: (8, 9, 11, 150),
    dpg.mvThemeCol_TableRowBgAlt: (255, 255, 255, 6),
}


def _styles(sizes: Sizes) -> dict[int, tuple[float, ...]]:
    px = sizes.px
    return {
        dpg.mvStyleVar_WindowPadding: (px(10), px(8)),
        dpg.mvStyleVar_FramePadding: (px(8), px(4)),
        dpg.mvStyleVar_ItemSpacing: (px(8), px(5)),
        dpg.mvStyleVar_ItemInnerSpacing: (px(6), px(4)),
        dpg.mvStyleVar_CellPadding: (px(4), px(2)),
        dpg.mvStyleVar_ScrollbarSize: (px(10),),
        dpg.mvStyleVar_ScrollbarRounding: (px(5),),
        dpg.mvStyleVar_FrameRounding: (px(4),),
        dpg.mvStyleVar_ChildRounding: (px(5),),
        dpg.mvStyleVar_PopupRounding: (px(5),),
        dpg.mvStyleVar_WindowRounding: (px(6),),
        dpg.mvStyleVar_GrabRounding: (px(4),),
        dpg.mvStyleVar_TabRounding: (px(4),),
        dpg.mvStyleVar_WindowBorderSize: (0,),
        dpg.mvStyleVar_ChildBorderSize: (0,),
        dpg.mvStyleVar_PopupBorderSize: (1,),
        dpg.mvStyleVar_FrameBorderSize: (0,),
        dpg.mvStyleVar_IndentSpacing: (px(16),),
    }
