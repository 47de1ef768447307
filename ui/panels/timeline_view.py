"""The timeline in the window: scrubs, zooms, and drags marks in time and weights up and down. `timeline_drawing` draws
it, `timeline_drags` knows what is dragged."""

from __future__ import annotations

import time
from dataclasses import replace
from typing import Any, Literal

import dearpygui.dearpygui as dpg

from ui import theme
from ui.editor import Editor
from ui.panels import drag_drawing, timeline_drawing
from ui.panels.keyboard import modifiers
from ui.panels.mouse import pointer_in
from ui.panels.ruler import draw_flag
from ui.panels.styles import Fonts, bare_window
from ui.panels.timeline_drags import ClipDrag, Drag, EdgeDrag, HoldDrag, MarkDrag, NewHold, Pointer, WeightDrag
from ui.panels.timeline_drawing import Canvas
from ui.theme import Colour, Sizes
from ui.timeline.clip_bars import ClipHandle
from ui.timeline.lanes import EmptyHand, HoldEnd, LaneLayout, Mark, Needle
from ui.timeline.scales import Scale
from ui.timeline.weight_lanes import Grip, grip_at

Edge = Literal["start", "end"]
Pointed = Mark | HoldEnd | EmptyHand | ClipHandle | Grip | Needle | Edge | None  # what the pointer is on
WHILE_DRAGGING = 0.25  # [s] between two drawings of what an edit on its way changes: a hundred signs, by hand
FEW_LETTERS = 6  # on a flag
TOLD_AFTER = 0.35  # [s] for which the pointer rests


class TimelineView:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes, self.fonts = editor, sizes, fonts
        self.size = (64, 64)
        self.shown = True
        self.drag: Drag | None = None
        self.hovered: Pointed = None
        self.menu: Any = None  # opens the menu of a mark
        self.menu_of_lane: Any = None  # of what a lane is about, at a time
        self._asked: tuple[WeightDrag, int] | None = None  # a weight on its way, and the state that it was asked of
        self._scale: Scale | None = None
        self._scene = (0.0, 0.0)  # from when to when the scale was made for
        self._scrubbing = False
        self._panning = False
        self._last = (0.0, 0.0)  # where the pointer was
        self._on_screen: tuple[float, ...] = ()  # the same on the screen
        self._first = 0  # lane at the top, where there are too many
        self._selected: str | None = None  # what was brought into sight last
        self._static_key: Any = None
        self._drawn = 0.0  # [s] when that was
        self._moving_key: Any = None
        self.window = dpg.add_child_window(parent=parent, no_scrollbar=True, no_scroll_with_mouse=True, border=False)
        dpg.bind_item_theme(self.window, bare_window())
        self.drawlist = dpg.add_drawlist(64, 64, parent=self.window)
        dpg.bind_item_font(self.drawlist, fonts.small)
        self._static = int(dpg.add_draw_layer(parent=self.drawlist))
        self._moving = int(dpg.add_draw_layer(parent=self.drawlist))
        with dpg.tooltip(self.window, delay=TOLD_AFTER, show=False) as self.tip:
            self.tip_words = dpg.add_text("")

    def wanted_height(self) -> int:
        return self.sizes.ruler + max(self.editor.layout.rows[-1], 3) * self.sizes.lane + self.sizes.px(6)

    def show(self, shown: bool) -> None:
        self.shown = shown
        dpg.configure_item(self.window, show=shown)

    def resize(self, width: int, height: int) -> None:
        self.size = (max(width, 200), max(height, 40))
        dpg.configure_item(self.window, width=self.size[0], height=self.size[1])
        dpg.configure_item(self.drawlist, width=self.size[0], height=self.size[1])
        self._static_key = None

    @property
    def scale(self) -> Scale:
        playback, left = self.editor.playback, float(self.sizes.gutter)
        width = self.size[0] - left - self.sizes.px(14)
        scale = self._scale
        if scale is None or self._scene != (playback.start, playback.end):
            scale = Scale(playback.start, playback.end, left, width)
            self._scene = (playback.start, playback.end)
        self._scale = replace(scale, left=left, width=width)
        return self._scale

    @property
    def canvas(self) -> Canvas:
        return Canvas(self.editor.layout, self.scale, self.size, self.sizes, self.fonts, self._first)

    def lane_top(self, lane: int) -> float:
        return self.canvas.top(lane)

    # -- drawing ------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        editor = self.editor
        self._tell()
        if not self.shown:
            return
        self._bring_into_sight()
        self._forget_what_was_asked()
        canvas, playback = self.canvas, editor.playback
        still = not isinstance(self.drag, EdgeDrag)
        ends = playback.first, playback.last
        chosen = editor.chosen if editor.chosen is not None and editor.chosen[1] == editor.selected else None
        key = (id(canvas.layout), canvas.scale, self.size, editor.selected, ends, self._first, still, chosen)
        if key != self._static_key and not self._may_wait(key):
            self._static_key, self._moving_key, self._drawn = key, None, time.monotonic()
            dpg.delete_item(self._static, children_only=True)
            timeline_drawing.draw_all(canvas, self._static, playback, editor.selected, still, chosen)
        drag = None if self.drag is None else self.drag.state
        moving = (playback.t, self.hovered, drag, editor.hovered_time, self._asked is None)
        if moving != self._moving_key:
            self._moving_key = moving
            dpg.delete_item(self._moving, children_only=True)
            self._draw_moving(canvas)

    def _may_wait(self, key: Any) -> bool:
        """While something is dragged marks follow a few times a second: drawing them takes from the picture."""
        only_marks = self._static_key is not None and key[1:] == self._static_key[1:]
        return only_marks and self.editor.drag is not None and time.monotonic() - self._drawn < WHILE_DRAGGING

    def _forget_what_was_asked(self) -> None:
        """A weight that was let go is seen where it was left until the edit is done."""
        shown = self.editor.shown
        if self._asked is not None and (self.editor.worker.idle or shown is None or shown.serial != self._asked[1]):
            self._asked = None

    def _draw_moving(self, canvas: Canvas) -> None:
        """What changes from frame to frame: the playhead, what is under the pointer, and what is dragged."""
        if self._asked is not None:
            drag_drawing.draw_weight(canvas, self._moving, self._asked[0])
        if not isinstance(self.drag, EdgeDrag):
            self._draw_playhead(canvas)
        if self.drag is None:
            drag_drawing.draw_hovered(canvas, self._moving, self.hovered)
            return
        drag_drawing.draw_drag(canvas, self._moving, self.drag)
        if self.drag.flag is not None:
            t, words = self.drag.flag
            self._flag(canvas.scale.x(t), words, theme.ACCENT_DIM, theme.TEXT)

    def _draw_playhead(self, canvas: Canvas) -> None:
        scale, height, t = canvas.scale, self.size[1], self.editor.t
        if self.editor.hovered_time is not None:
            x = scale.x(self.editor.hovered_time)
            dpg.draw_line((x, self.sizes.ruler), (x, height), color=(255, 255, 255, 70), parent=self._moving)
        if scale.start - 1e-9 <= t <= scale.end + 1e-9:
            x = scale.x(t)
            dpg.draw_line((x, self.sizes.px(10)), (x, height), color=theme.PLAYHEAD, thickness=1.5, parent=self._moving)
            if not self._is_covered(x):
                self._flag(x, f"{t:.2f}", theme.PLAYHEAD, theme.WINDOW)

    def _is_covered(self, x: float) -> bool:
        """Whether what is dragged has a flag of its own that would lie over the playhead's."""
        flag = None if self.drag is None else self.drag.flag
        if flag is None:
            return False
        return abs(self.scale.x(flag[0]) - x) < self.sizes.px(42 if len(flag[1]) <= FEW_LETTERS else 78)

    def _flag(self, x: float, text: str, fill: Colour, ink: Colour) -> None:
        draw_flag(self._moving, x, text, fill, ink, self.size[0], self.sizes, self.fonts)

    def _tell(self) -> None:
        """The words of what is under the pointer, beside it."""
        quiet = not self.shown or self.drag is not None or isinstance(self.hovered, EmptyHand)  # the line below says it
        words = "" if quiet else told(self.hovered)
        dpg.configure_item(self.tip, show=bool(words))
        dpg.set_value(self.tip_words, words)

    # -- the mouse ----------------------------------------------------------------------------------------------------

    def pointer(self) -> tuple[float, float]:
        return pointer_in(self.drawlist)

    def input(self, free: bool) -> None:
        if not self.shown:
            return
        x, y = self.pointer()
        if self.drag is not None:
            self._go_on(self.drag, Pointer(x, y, modifiers().shift, self.scale, self.editor.playback))
        elif self._scrubbing:
            self._scrub(x)
        elif self._panning:
            self._pan(x)
        elif free and dpg.is_item_hovered(self.drawlist):
            self._hover(x, y)
            self._press(x, y)
        elif self.hovered is not None:
            self.hovered = None
            self.editor.hush()
        self._last, self._on_screen = (x, y), tuple(dpg.get_mouse_pos(local=False))

    def wheel(self, notches: float) -> None:
        if dpg.is_item_hovered(self.drawlist):
            if self.pointer()[0] < self.sizes.gutter:  # over the names
                self.scroll(-1 if notches > 0 else 1)
            else:
                self.zoom(self.pointer()[0], notches)

    def scroll(self, lanes: int) -> None:
        """Where there are more lanes than room, others come into sight."""
        most = self.editor.layout.first_of_last(self.canvas.room)
        self._first = min(max(self._first + lanes, 0), most)

    def _bring_into_sight(self) -> None:
        """The lane of what has just been selected."""
        self.scroll(0)  # there may be fewer lanes, or more room, than there was
        if self.editor.selected == self._selected:
            return
        self._selected = self.editor.selected
        lane = next(
            (k for k, candidate in enumerate(self.editor.layout.lanes) if candidate.name == self._selected), None
        )
        if lane is not None:
            self._first = min(self._first, lane)
            while not self.canvas.is_seen(lane):
                self._first += 1

    def zoom(self, x: float, notches: float) -> None:
        """Times about a pixel grow or shrink."""
        playback = self.editor.playback
        self._scale = self.scale.zoomed(self.scale.t(x), 0.8**notches, playback.start, playback.end)

    def _hover(self, x: float, y: float) -> None:
        """What is under the pointer is told, if it is the pointer that has moved: what an edit brings there must not
        take the place of the words about the edit."""
        hit, moved = self._under(x, y), tuple(dpg.get_mouse_pos(local=False)) != self._on_screen  # panels move too
        if hit != self.hovered:
            self.hovered = hit
            if hit is None:
                self.editor.hush()
            elif moved:
                self.editor.whisper(told(hit).replace("\n", "; "))

    def _under(self, x: float, y: float) -> Pointed:
        """What the pointer is on."""
        layout, scale, low = self.editor.layout, self.scale, self.sizes.ruler
        if low - self.sizes.px(11) <= y <= low + self.sizes.px(3):
            edge = layout.edge_at(scale, x)
            if edge is not None:
                return edge
        lanes = (scale, x, y, self.canvas.origin, self.sizes.lane)
        return self._on_lanes(layout, lanes) if y > low else None

    @staticmethod
    def _on_lanes(layout: LaneLayout, at: tuple[Scale, float, float, float, float]) -> Pointed:
        mark = layout.mark_at(*at) or grip_at(layout, *at) or layout.needle_at(*at)
        return mark or layout.hold_at(*at) or layout.clip_at(*at) or layout.empty_at(*at)

    def _press(self, x: float, y: float) -> None:
        if dpg.is_mouse_button_clicked(2):
            self._panning = True
        elif dpg.is_mouse_button_clicked(1) and isinstance(self.hovered, Mark) and self.menu is not None:
            self.menu(self.hovered)
        elif dpg.is_mouse_button_clicked(1):
            self._open_menu(x, y)
        elif dpg.is_mouse_button_clicked(0):
            self.editor.playback = replace(self.editor.playback, playing=False)
            self.drag = self._taken(x, y)
            if self.drag is not None:
                return
            if x < self.sizes.gutter - self.sizes.px(8):
                lane = self._lane(y)
                self.editor.selected = None if lane is None else self.editor.layout.lanes[lane].name
                self.editor.chosen = None
            else:
                self._scrubbing = True
                self._scrub(x)

    def _taken(self, x: float, y: float) -> Drag | None:
        """The drag that begins with a press on what is under the pointer; what it is about is selected."""
        hovered, window = self.hovered, self.editor.layout.window
        if isinstance(hovered, Mark):
            self.editor.selected = hovered.object
            playback = self.editor.playback
            return MarkDrag(hovered, self.editor.layout.room_of(hovered, playback.start, playback.end), x, hovered.time)
        if isinstance(hovered, Grip):
            self.editor.selected = hovered.curve.character
            return WeightDrag.of(hovered, self.canvas.axis(hovered.lane), y)
        if isinstance(hovered, HoldEnd):
            return HoldDrag.of(hovered, self.editor.layout, x, self.scale, self.editor.playback)
        if isinstance(hovered, ClipHandle):
            self.editor.selected, self.editor.chosen = hovered.bar.character, None
            return ClipDrag(hovered, x, self.scale.t(x), hovered.bar)
        if isinstance(hovered, str):
            return None if window is None else EdgeDrag(hovered, window)
        lane = self._lane(y) if x >= self.sizes.gutter - self.sizes.px(8) else None
        if lane is None or not self.editor.layout.lanes[lane].is_hand:
            return None
        return NewHold.of(lane, self.editor.layout, x, self.scale, self.editor.playback)

    def _lane(self, y: float) -> int | None:
        return None if y <= self.sizes.ruler else self.editor.layout.lane_at(y, self.canvas.origin, self.sizes.lane)

    def _open_menu(self, x: float, y: float) -> None:
        """What can be done about the thing or the hand of a lane, at the time that is pointed at."""
        lane = self._lane(y)
        if lane is None or self.menu_of_lane is None or self.editor.layout.lanes[lane].kind == "blend":
            return
        on_name, playback = x < self.sizes.gutter - self.sizes.px(8), self.editor.playback
        t = self.editor.t if on_name else playback.snapped(playback.at(self.scale.t(x)).t)
        self.editor.selected = self.editor.layout.lanes[lane].name
        self.menu_of_lane(self.editor.selected, t)

    def _go_on(self, drag: Drag, pointer: Pointer) -> None:
        if dpg.is_mouse_button_down(0):
            drag.move(pointer)
            if isinstance(drag, MarkDrag | HoldDrag | ClipDrag) and drag.begun:
                drag.follow(self.editor)
            return
        self.drag = None
        drag.drop(self.editor)
        if isinstance(drag, WeightDrag) and drag.begun and self.editor.shown is not None:
            self._asked = drag, self.editor.shown.serial

    def _scrub(self, x: float) -> None:
        if not dpg.is_mouse_button_down(0):
            self._scrubbing, self.editor.moving = False, False
            return
        self.editor.moving = True
        self.editor.scrub(self.scale.t(x), modifiers().shift)

    def _pan(self, x: float) -> None:
        if not dpg.is_mouse_button_down(2):
            self._panning = False
            return
        playback = self.editor.playback
        self._scale = self.scale.panned(x - self._last[0], playback.start, playback.end)

    def abort(self) -> bool:
        """Give a drag up; whether there was one."""
        drag, self.drag = self.drag, None
        if isinstance(drag, MarkDrag | HoldDrag | ClipDrag) and drag.begun:
            self.editor.abort()
        return drag is not None


def told(own: Pointed) -> str:
    """What there is to say about what is under the pointer."""
    if isinstance(own, Mark):
        return own.words + ("; drag it in time" if own.retimes is not None else "")
    if isinstance(own, ClipHandle):
        return own.told
    if isinstance(own, Grip | HoldEnd | EmptyHand):
        return own.words
    if isinstance(own, Needle):
        return f"{own.label[:1].upper()}{own.label[1:]}"
    return "" if own is None else "Edits change nothing outside of this window; drag its ends"
