"""Play, step, loop, speed and range: one row above the timeline."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.look import Fonts, accent_button
from ui.playback import FRAMES, SPEEDS
from ui.theme import Sizes

WIDE, NARROW, TINY = 800, 690, 590  # [px] at a scale of one, below which some things go


class Transport:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str, act: Any) -> None:
        self.editor = editor
        self._key: Any = None
        self._accent = accent_button()
        px = sizes.px
        self.window = dpg.add_child_window(
            parent=parent, height=sizes.transport, no_scrollbar=True, border=False, always_use_window_padding=True
        )
        gaps: list[int] = []
        with dpg.group(horizontal=True, parent=self.window):
            to_start = self._button("|◀", px(36), lambda: act("to_start"), "To the start of the range")
            self._button("◀", px(30), lambda: act("previous_frame"), "Previous frame")
            self.play = self._button("▶", px(48), lambda: act("play"), "Play or pause")
            self._button("▶", px(30), lambda: act("next_frame"), "Next frame")
            to_end = self._button("▶|", px(36), lambda: act("to_end"), "To the end of the range")
            self.loop = self._button("↻", px(34), lambda: act("loop"), "Loop")
            gaps.append(int(dpg.add_spacer(width=px(6))))
            self.time = dpg.add_text("0.00 s")
            dpg.bind_item_font(self.time, fonts.bold)
            self.frame = dpg.add_text("frame 0", color=theme.FAINT)
            self.fps = dpg.add_combo(
                [_fps(own) for own in FRAMES], default_value=_fps(editor.playback.rate), width=px(64),
                callback=lambda _, value: editor.set_fps(int(value.split()[0])), no_arrow_button=True,
            )  # fmt: skip
            with dpg.tooltip(self.fps, delay=0.5):
                dpg.add_text("Frames in a second, to count and to step by")
            self.speed = dpg.add_combo(
                [_speed(own) for own in SPEEDS],
                default_value=_speed(1.0),
                width=px(52),
                callback=self._set_speed,
                no_arrow_button=True,
            )
            with dpg.tooltip(self.speed, delay=0.5):
                dpg.add_text("Speed of playing")
            gaps.append(int(dpg.add_spacer(width=px(6))))
            self._button("In", px(34), lambda: act("set_in"), "The range begins here (I)")
            self._button("Out", px(42), lambda: act("set_out"), "The range ends here (O)")
            self.whole = self._button("All", px(38), lambda: act("whole_range"), "The range is all of the scene")
            gaps.append(int(dpg.add_spacer(width=px(6))))
            self.curves = self._button("Curves", px(66), lambda: act("curves"), "Curves of the selection (C)")
        # what goes first where there is no room for all; each has its key as well
        self._spare = [(WIDE, [*gaps, int(self.frame)]), (NARROW, [to_start, to_end]), (TINY, [self.loop])]
        self._scale = sizes.scale

    def fit(self, width: int) -> None:
        """In a narrow window less is shown, so that what is most used is always there."""
        dpg.configure_item(self.window, width=width)
        for least, items in self._spare:
            for item in items:
                dpg.configure_item(item, show=width >= least * self._scale)

    def _button(self, label: str, width: int, callback: Any, tip: str) -> int:
        item = dpg.add_button(label=label, width=width, callback=lambda *_: callback())
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
        ranged = playback.first is not None or playback.last is not None
        dpg.bind_item_theme(self.whole, self._accent if ranged else 0)
        dpg.bind_item_theme(self.curves, self._accent if self.editor.curves else 0)
        dpg.set_value(self.time, f"{playback.t:6.2f} s")
        dpg.set_value(self.frame, f"frame {playback.frame} of {playback.frames}")
        dpg.set_value(self.fps, _fps(playback.rate))
        dpg.set_value(self.speed, _speed(playback.speed))


def _speed(value: float) -> str:
    return f"{value:g}×"


def _fps(value: float) -> str:
    return f"{value:g} fps"
