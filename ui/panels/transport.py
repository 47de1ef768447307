"""Play, step, loop, speed and range: one row above the timeline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.panels.styles import Fonts, accent_button
from ui.panels.window_layout import fitting
from ui.theme import Sizes
from ui.timeline.playback import FRAMES, SPEEDS

SPACE = 8  # [pt] between things in the row
TIME, FRAME = 70, 78  # [pt] for words that change


class Transport:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str, act: Any) -> None:
        self.editor = editor
        self._key: Any = None
        self._accent = accent_button()
        self._px = px = sizes.px
        self.window = dpg.add_child_window(
            parent=parent, height=sizes.transport, no_scrollbar=True, border=False, always_use_window_padding=True
        )
        self._row: list[
            tuple[int, int, int]
        ] = []  # item, width [px], rank: where there is no room, high ranks go first
        with dpg.group(horizontal=True, parent=self.window):
            self._button("|◀", 36, 8, lambda: act("to_start"), "To the start of the range")
            self._button("◀", 30, 2, lambda: act("previous_frame"), "Previous frame")
            self.play = self._button("▶", 48, 0, lambda: act("play"), "Play or pause")
            self._button("▶", 30, 2, lambda: act("next_frame"), "Next frame")
            self._button("▶|", 36, 8, lambda: act("to_end"), "To the end of the range")
            self.loop = self._button("↻", 34, 5, lambda: act("loop"), "Loop")
            self._place(dpg.add_spacer(width=px(6)), 6, 10)
            self.time = self._place(dpg.add_text("0.00 s"), TIME, 1)
            dpg.bind_item_font(self.time, fonts.bold)
            self.frame = self._place(dpg.add_text("frame 0", color=theme.FAINT), FRAME, 9)
            self.fps = dpg.add_combo(
                [_fps(rate) for rate in FRAMES], default_value=_fps(editor.playback.rate), width=px(64),
                callback=lambda _, value: editor.set_fps(int(value.split()[0])), no_arrow_button=True,
            )  # fmt: skip
            self._place(self.fps, 64, 7)
            with dpg.tooltip(self.fps, delay=0.5):
                dpg.add_text("Frames in a second, to count and to step by")
            self.speed = dpg.add_combo(
                [_speed(speed) for speed in SPEEDS],
                default_value=_speed(1.0),
                width=px(52),
                callback=self._set_speed,
                no_arrow_button=True,
            )
            self._place(self.speed, 52, 4)
            with dpg.tooltip(self.speed, delay=0.5):
                dpg.add_text("Speed of playing")
            self._place(dpg.add_spacer(width=px(6)), 6, 10)
            self.first = self._button("In", 34, 6, lambda: act("set_in"), "The range begins here (I)")
            self.last = self._button("Out", 42, 6, lambda: act("set_out"), "The range ends here (O)")
            self.whole = self._button("All", 38, 6, lambda: act("whole_range"), "The range is all of the scene")
            self._place(dpg.add_spacer(width=px(6)), 6, 10)
            self.curves = self._button("Curves", 66, 3, lambda: act("curves"), "Curves of the selection (C)")

    def _place(self, item: int | str, width: int, rank: int) -> int:
        self._row.append((int(item), self._px(width), rank))
        return int(item)

    def fit(self, width: int) -> None:
        """In a narrow window less is shown, so that what is most used is always there."""
        dpg.configure_item(self.window, width=width)
        items, widths, ranks = zip(*self._row, strict=True)
        shown = fitting(widths, ranks, width - 2 * self._px(10), self._px(SPACE))
        for item, kept in zip(items, shown, strict=True):
            dpg.configure_item(item, show=kept)

    def _button(self, label: str, width: int, rank: int, callback: Any, tip: str) -> int:
        item = dpg.add_button(label=label, width=self._px(width), callback=lambda *_: callback())
        self._place(item, width, rank)
        with dpg.tooltip(item, delay=0.5):
            dpg.add_text(tip)
        return int(item)

    def _set_speed(self, _sender: Any, value: str) -> None:
        self.editor.playback = replace(self.editor.playback, speed=float(value.rstrip("×")))

    def refresh(self) -> None:
        playback = self.editor.playback
        key = (playback, self.editor.curves)
        if key == self._key:
            return
        self._key = key
        dpg.configure_item(self.play, label="❚❚" if playback.playing else "▶")
        dpg.bind_item_theme(self.play, self._accent if playback.playing else 0)
        dpg.bind_item_theme(self.loop, self._accent if playback.loop else 0)
        dpg.bind_item_theme(self.first, self._accent if playback.first is not None else 0)
        dpg.bind_item_theme(self.last, self._accent if playback.last is not None else 0)
        dpg.bind_item_theme(self.curves, self._accent if self.editor.curves else 0)
        dpg.set_value(self.time, f"{playback.t:6.2f} s")
        dpg.set_value(self.frame, f"frame {playback.frame} of {playback.frames}")
        dpg.set_value(self.fps, _fps(playback.rate))
        dpg.set_value(self.speed, _speed(playback.speed))


def _speed(value: float) -> str:
    return f"{value:g}×"


def _fps(value: float) -> str:
    return f"{value:g} fps"
