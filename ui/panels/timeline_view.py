"""The timeline in the window: draws the layout of `ui.timeline`, scrubs, and drags marks in time."""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from typing import Any, Literal

import dearpygui.dearpygui as dpg

from hoi_edit import Window
from ui import theme
from ui.editor import Editor
from ui.look import Fonts, bare_window
from ui.panels.ruler import draw_flag, draw_ruler
from ui.theme import Colour, Sizes
from ui.timeline import Bar, Layout, Mark, Needle, Scale, shortened

NEEDLES: dict[str, Colour] = {"pin": theme.PLAYHEAD, "contact": theme.GOOD, "clear": theme.ACCENT}
SHORTEST = 0.1  # [s] that a window of edits may be
LETTERS = 14  # of a name that fit left of its lane
WHILE_DRAGGING = 0.25  # [s] between two drawings of what an edit on its way changes: a hundred signs, by hand


@dataclass
class MarkDrag:
    mark: Mark
    started: float  # [px]
    t: float
    begun: bool = False


@dataclass
class EdgeDrag:
    """An end of the window of edits."""

    edge: Literal["start", "end"]
    window: Window  # as it would be


class TimelineView:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str) -> None:
        self.editor, self.sizes, self.fonts = editor, sizes, fonts
        self.size = (64, 64)
        self.drag: MarkDrag | None = None
        self.edge: EdgeDrag | None = None
        self.hovered: Mark | None = None
        self._told: Any = None  # the needle or the edge that the line below speaks of
        self.menu: Any = None  # opens the menu of a mark
        self._scale: Scale | None = None
        self._scene = (0.0, 0.0)  # from when to when the scale was made for
        self._scrubbing = False
        self._panning = False
        self._last_x = 0.0
        self._first = 0  # lane at the top, where there are too many
        self._selected: str | None = None  # what was brought into sight last
        self._static_key: Any = None
        self._drawn = 0.0  # [s] when that was
        self._moving_key: Any = None
        self.window = dpg.add_child_window(parent=parent, no_scrollbar=True, no_scroll_with_mouse=True, border=False)
        dpg.bind_item_theme(self.window, bare_window())
        self.drawlist = dpg.add_drawlist(64, 64, parent=self.window)
        dpg.bind_item_font(self.drawlist, fonts.small)
        self._static = dpg.add_draw_layer(parent=self.drawlist)
        self._moving = dpg.add_draw_layer(parent=self.drawlist)

    def wanted_height(self, lanes: int) -> int:
        return self.sizes.ruler + max(lanes, 3) * self.sizes.lane + self.sizes.px(6)

    def resize(self, width: int, height: int) -> None:
        self.size = (max(width, 200), max(height, 40))
        dpg.configure_item(self.window, width=self.size[0], height=self.size[1])
        dpg.configure_item(self.drawlist, width=self.size[0], height=self.size[1])
        self._static_key = None

    @property
    def scale(self) -> Scale:
        playback, left = self.editor.playback, float(self.sizes.gutter)
        width = self.size[0] - left - self.sizes.px(14)
        own = self._scale
        if own is None or self._scene != (playback.start, playback.end):
            own = Scale(playback.start, playback.end, left, width)
            self._scene = (playback.start, playback.end)
        self._scale = replace(own, left=left, width=width)
        return self._scale

    def _lane_top(self, lane: int) -> float:
        return self.sizes.ruler + (lane - self._first) * self.sizes.lane

    # -- drawing ------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        editor, layout, scale = self.editor, self.editor.layout, self.scale
        if editor.curves:  # nobody sees it
            return
        self._bring_into_sight()
        playback = editor.playback
        ends = playback.first, playback.last
        key = (id(layout), scale, self.size, editor.selected, ends, self._first, self.edge is None)
        if key != self._static_key and not self._may_wait(key):
            self._static_key, self._moving_key, self._drawn = key, None, time.monotonic()
            dpg.delete_item(self._static, children_only=True)
            self._draw_static(layout, scale)
        drag = self.drag
        window = None if self.edge is None else self.edge.window
        moving = (playback.t, self.hovered, None if drag is None else (drag.t, drag.begun), editor.hovered_time, window)
        if moving != self._moving_key:
            self._moving_key = moving
            dpg.delete_item(self._moving, children_only=True)
            self._draw_moving(scale)

    def _may_wait(self, key: Any) -> bool:
        """While something is dragged marks follow a few times a second: drawing them takes from the picture."""
        only_marks = self._static_key is not None and key[1:] == self._static_key[1:]
        return only_marks and self.editor.drag is not None and time.monotonic() - self._drawn < WHILE_DRAGGING

    def _draw_static(self, layout: Layout, scale: Scale) -> None:
        width, height = self.size
        self._rectangle(0, 0, width, height, theme.PANEL)
        self._rectangle(0, 0, width, self.sizes.ruler, theme.mixed(theme.PANEL, theme.RAISED, 0.55))
        self._draw_lanes(layout, width)
        draw_ruler(self._static, scale, self.size, self.sizes, self.fonts)
        self._draw_range(scale, height)
        for bar in layout.bars:
            self._draw_bar(bar, scale, layout)
        for k, lane in enumerate(layout.lanes):
            if self._is_seen(k) and lane.kind == "thing":
                self._draw_flight_line(k, layout, scale)
        for mark in layout.marks:
            if self._is_seen(mark.lane) and scale.start - 1e-6 <= mark.time <= scale.end + 1e-6:
                self._draw_mark(mark, scale.x(mark.time), self._static)
        if layout.window is not None and self.edge is None:
            self._draw_window(layout.window, scale, self._static)
        for needle in layout.needles:
            if self._is_seen(needle.lane) and scale.start - 1e-6 <= needle.time <= scale.end + 1e-6:
                self._draw_needle(needle, scale.x(needle.time), self._lane_top(needle.lane))
        self._draw_names(layout)

    def _draw_lanes(self, layout: Layout, width: float) -> None:
        for k, lane in enumerate(layout.lanes):
            top = self._lane_top(k)
            if self._is_seen(k) and k % 2 == 0:
                self._rectangle(0, top, width, top + self.sizes.lane, (255, 255, 255, 5))
            if self._is_seen(k) and lane.name == self.editor.selected:
                self._rectangle(0, top, width, top + self.sizes.lane, theme.faded(theme.ACCENT, 0.13))

    def _is_seen(self, lane: int) -> bool:
        return lane >= self._first and self._lane_top(lane) + self.sizes.lane <= self.size[1] + 1

    def _draw_range(self, scale: Scale, height: float) -> None:
        """What is not played is darker."""
        playback = self.editor.playback
        left, right = scale.left, scale.left + scale.width
        for low, high in ((scale.start, playback.low), (playback.high, scale.end)):
            a, b = max(left, scale.x(low)), min(right, scale.x(high))
            if b - a > 0.5:
                self._rectangle(a, 0, b, height, (10, 11, 13, 130))

    def _draw_window(self, own: Window, scale: Scale, parent: int) -> None:
        """How much edits may change when: a band on the ruler that rises and falls with the fade, and has handles."""
        px, low = self.sizes.px, float(self.sizes.ruler)
        left, right, high = scale.left, scale.left + scale.width, low - px(7)
        xs = [scale.x(t) for t in (own.start, own.start + own.fade, own.end - own.fade, own.end)]
        a, b, c, d = (min(max(x, left), right) for x in xs)
        band = [[a, low], [b, high], [c, high], [d, low]]
        dpg.draw_polygon([*band, band[0]], color=theme.ACCENT, fill=theme.faded(theme.ACCENT, 0.35), parent=parent)
        height, veil, none = self.size[1], theme.faded(theme.WINDOW, 0.5), theme.faded(theme.WINDOW, 0.0)
        for outer, edge, inner in ((left, a, b), (right, d, c)):  # what edits leave alone lies under a veil
            dpg.draw_rectangle((min(outer, edge), low), (max(outer, edge), height), color=(0, 0, 0, 0), fill=veil,
                               parent=parent)  # fmt: skip
            one, other = (veil, none) if edge < inner else (none, veil)  # left and right
            if abs(inner - edge) > 1.0:
                dpg.draw_rectangle(
                    (min(edge, inner), low), (max(edge, inner), height), multicolor=True, color=(0, 0, 0, 0),
                    corner_colors=[one, other, other, one], parent=parent,
                )  # fmt: skip
        for x in (xs[0], xs[3]):
            if left - 1 <= x <= right + 1:
                grip = ((x - px(2), high - px(2)), (x + px(2), low + px(2)))
                dpg.draw_rectangle(*grip, color=theme.WINDOW, fill=theme.ACCENT, rounding=px(2), parent=parent)

    def _draw_bar(self, bar: Bar, scale: Scale, layout: Layout) -> None:
        low, high = max(scale.left, scale.x(bar.start)), min(scale.left + scale.width, scale.x(bar.end))
        if high <= low or not self._is_seen(bar.lane):
            return
        top, inset = self._lane_top(bar.lane), self.sizes.px(4)
        colour = theme.thing_colour(bar.thing)
        strength = 0.62 if bar.kind == "held" else 0.28
        dpg.draw_rectangle(
            (low, top + inset), (high, top + self.sizes.lane - inset), color=theme.faded(colour, 0.85),
            fill=theme.faded(theme.mixed(colour, theme.PANEL, 1 - strength), 1.0), rounding=self.sizes.px(3),
            parent=self._static,
        )  # fmt: skip

    def _draw_flight_line(self, lane: int, layout: Layout, scale: Scale) -> None:
        """Where a thing is in the air its lane is a thin line."""
        middle = self._lane_top(lane) + self.sizes.lane / 2
        colour = theme.faded(theme.thing_colour(layout.lanes[lane].owner), 0.45)
        bars = sorted((bar for bar in layout.bars if bar.lane == lane), key=lambda bar: bar.start)
        t = scale.start
        for start, end in [*((bar.start, bar.end) for bar in bars), (scale.end, scale.end)]:
            a, b = scale.x(max(t, scale.start)), scale.x(min(start, scale.end))
            if b > a:
                dpg.draw_line((a, middle), (b, middle), color=colour, thickness=1.5, parent=self._static)
            t = max(t, end)

    def _draw_mark(self, mark: Mark, x: float, parent: int, bright: bool = False) -> None:
        y = self._lane_top(mark.lane) + self.sizes.lane / 2
        r = self.sizes.px(5) + (1 if bright else 0)
        colour: Colour = theme.BAD if mark.unwanted else theme.TEXT if mark.intended else theme.FAINT
        if bright:
            colour = theme.PLAYHEAD
        dark = theme.WINDOW
        if mark.kind == "catch":
            dpg.draw_circle((x, y), r, color=dark, fill=colour, parent=parent)
        elif mark.kind == "throw":
            points = ((x - r, y - r), (x + r, y), (x - r, y + r))
            dpg.draw_triangle(*points, color=dark, fill=colour, parent=parent)
        else:
            points4 = [[x - r, y], [x, y - r], [x + r, y], [x, y + r]]
            dpg.draw_quad(*points4, color=dark, fill=colour, parent=parent)

    def _draw_needle(self, needle: Needle, x: float, top: float) -> None:
        r, colour = self.sizes.px(4), NEEDLES[needle.kind]
        dpg.draw_line((x, top + 2), (x, top + self.sizes.lane - 2), color=colour, thickness=1.5, parent=self._static)
        dpg.draw_circle((x, top + r), r, color=theme.WINDOW, fill=colour, parent=self._static)

    def _draw_names(self, layout: Layout) -> None:
        px, gutter = self.sizes.px, self.sizes.gutter
        self._rectangle(0, self.sizes.ruler, gutter - px(8), self.size[1], theme.faded(theme.PANEL, 1.0))
        if len(layout.lanes) > self._room:
            words = f"{self._first + 1}–{self._first + self._room} of {len(layout.lanes)}"
            size = self.sizes.small_font
            dpg.draw_text((px(10), px(5)), words, size=size, color=theme.FAINT, parent=self._static)
        for k, lane in enumerate(layout.lanes):
            if not self._is_seen(k):
                continue
            top = self._lane_top(k)
            colour = theme.thing_colour(lane.owner) if lane.kind == "thing" else theme.body_colour(lane.owner)
            if lane.name == self.editor.selected:
                self._rectangle(0, top, gutter - px(8), top + self.sizes.lane, theme.faded(theme.ACCENT, 0.2))
            middle = top + self.sizes.lane / 2
            if lane.kind == "thing":
                dpg.draw_circle((px(15), middle), px(5), color=colour, fill=colour, parent=self._static)
            else:
                dpg.draw_circle((px(15), middle), px(4), color=colour, thickness=1.5, parent=self._static)
            dpg.draw_text(
                (px(28), middle - self.sizes.small_font / 2 - 1), shortened(lane.label, LETTERS),
                size=self.sizes.small_font, color=theme.TEXT, parent=self._static,
            )  # fmt: skip

    def _draw_moving(self, scale: Scale) -> None:
        """What changes from frame to frame: the playhead, and the mark under the pointer."""
        height, px = self.size[1], self.sizes.px
        t = self.editor.t
        if self.hovered is not None and self.drag is None:
            self._draw_mark(self.hovered, scale.x(self.hovered.time), self._moving, bright=True)
        if self.drag is not None and self.drag.begun:
            x = scale.x(self.drag.t)
            dpg.draw_line((x, 0), (x, height), color=theme.faded(theme.ACCENT, 0.8), parent=self._moving)
            self._draw_mark(self.drag.mark, x, self._moving, bright=True)
            self._flag(x, f"{self.drag.t:.2f} s", theme.ACCENT_DIM, theme.TEXT)
            return
        if self.edge is not None:
            own = self.edge.window
            self._draw_window(own, scale, self._moving)
            t = own.start if self.edge.edge == "start" else own.end
            self._flag(scale.x(t), f"{t:.2f} s", theme.ACCENT_DIM, theme.TEXT)
            return
        if self.editor.hovered_time is not None:
            x = scale.x(self.editor.hovered_time)
            dpg.draw_line((x, self.sizes.ruler), (x, height), color=(255, 255, 255, 70), parent=self._moving)
        if scale.start - 1e-9 <= t <= scale.end + 1e-9:
            x = scale.x(t)
            dpg.draw_line((x, px(10)), (x, height), color=theme.PLAYHEAD, thickness=1.5, parent=self._moving)
            self._flag(x, f"{t:.2f}", theme.PLAYHEAD, theme.WINDOW)

    def _flag(self, x: float, text: str, fill: Colour, ink: Colour) -> None:
        draw_flag(self._moving, x, text, fill, ink, self.size[0], self.sizes, self.fonts)

    def _rectangle(self, x0: float, y0: float, x1: float, y1: float, fill: Colour) -> None:
        dpg.draw_rectangle((x0, y0), (x1, y1), color=(0, 0, 0, 0), fill=fill, parent=self._static)

    # -- the mouse ----------------------------------------------------------------------------------------------------

    def pointer(self) -> tuple[float, float]:
        x, y = dpg.get_mouse_pos(local=False)
        left, top = dpg.get_item_rect_min(self.drawlist)
        return float(x - left), float(y - top)

    def input(self, free: bool) -> None:
        if self.editor.curves:
            return
        x, y = self.pointer()
        inside = free and dpg.is_item_hovered(self.drawlist)
        if self.drag is not None:
            self._drag_mark(x)
        elif self.edge is not None:
            self._drag_edge(x)
        elif self._scrubbing:
            self._scrub(x)
        elif self._panning:
            self._pan(x)
        elif inside:
            self._hover(x, y)
            self._press(x, y)
        else:
            self.hovered = None
        self._last_x = x

    def wheel(self, notches: float) -> None:
        if dpg.is_item_hovered(self.drawlist):
            if self.pointer()[0] < self.sizes.gutter:  # over the names
                self.scroll(-1 if notches > 0 else 1)
            else:
                self.zoom(self.pointer()[0], notches)

    @property
    def _room(self) -> int:
        """How many lanes can be seen at once."""
        return max(int((self.size[1] + 1 - self.sizes.ruler) // self.sizes.lane), 1)

    def scroll(self, lanes: int) -> None:
        """Where there are more lanes than room, others come into sight."""
        most = max(len(self.editor.layout.lanes) - self._room, 0)
        self._first = min(max(self._first + lanes, 0), most)

    def _bring_into_sight(self) -> None:
        """The lane of what has just been selected."""
        self.scroll(0)  # there may be fewer lanes, or more room, than there was
        if self.editor.selected == self._selected:
            return
        self._selected = self.editor.selected
        for k, lane in enumerate(self.editor.layout.lanes):
            if lane.name == self._selected and not self._is_seen(k):
                self.scroll(k - self._first if k < self._first else k - self._first - self._room + 1)

    def zoom(self, x: float, notches: float) -> None:
        """Times about a pixel grow or shrink."""
        playback = self.editor.playback
        self._scale = self.scale.zoomed(self.scale.t(x), 0.8**notches, playback.start, playback.end)

    def _hover(self, x: float, y: float) -> None:
        top = self.sizes.ruler - self._first * self.sizes.lane
        found = self.editor.layout.mark_at(self.scale, x, y, top, self.sizes.lane) if y > self.sizes.ruler else None
        if found is not self.hovered:
            self.hovered = found
            if found is not None:
                more = "; drag it in time" if found.retimes is not None else ""
                self.editor.status = f"{found.words}{more}"
        beside = self._edge_at(x, y) or self._needle_at(x, y)
        if beside != self._told:
            self._told = beside
            if isinstance(beside, Needle) and found is None:
                self.editor.status = f"{beside.label[:1].upper()}{beside.label[1:]}"
            elif isinstance(beside, str):
                self.editor.status = "Edits change nothing outside of this window; drag its ends"

    def _edge_at(self, x: float, y: float) -> Literal["start", "end"] | None:
        low = self.sizes.ruler
        near = low - self.sizes.px(11) <= y <= low + self.sizes.px(3)
        return self.editor.layout.edge_at(self.scale, x) if near else None

    def _needle_at(self, x: float, y: float) -> Needle | None:
        top = self.sizes.ruler - self._first * self.sizes.lane
        return self.editor.layout.needle_at(self.scale, x, y, top, self.sizes.lane) if y > self.sizes.ruler else None

    def _press(self, x: float, y: float) -> None:
        if dpg.is_mouse_button_clicked(2):
            self._panning = True
        elif dpg.is_mouse_button_clicked(1) and self.hovered is not None and self.menu is not None:
            self.menu(self.hovered)
        elif dpg.is_mouse_button_clicked(0):
            self.editor.playback = replace(self.editor.playback, playing=False)
            lane = self.editor.layout.lane_at(y, self.sizes.ruler - self._first * self.sizes.lane, self.sizes.lane)
            edge, window = self._edge_at(x, y), self.editor.layout.window
            if edge is not None and window is not None:
                self.edge = EdgeDrag(edge, window)
            elif self.hovered is not None:
                self.editor.selected = self.hovered.object
                self.drag = MarkDrag(self.hovered, x, self.hovered.time)
            elif x < self.sizes.gutter - self.sizes.px(8):
                self.editor.selected = None if lane is None else self.editor.layout.lanes[lane].name
            else:
                self._scrubbing = True
                self._scrub(x)

    def _drag_edge(self, x: float) -> None:
        drag, playback = self.edge, self.editor.playback
        assert drag is not None
        own = drag.window
        if not dpg.is_mouse_button_down(0):
            self.edge = None
            if own != self.editor.layout.window:
                self.editor.set_window(own.start, own.end, own.fade)
            return
        t = round(self.scale.t(x), 3)
        if drag.edge == "start":
            drag.window = replace(own, start=min(max(t, playback.start), own.end - SHORTEST))
        else:
            drag.window = replace(own, end=max(min(t, playback.end), own.start + SHORTEST))

    def _scrub(self, x: float) -> None:
        if not dpg.is_mouse_button_down(0):
            self._scrubbing, self.editor.moving = False, False
            return
        self.editor.moving = True
        self.editor.playback = self.editor.playback.at(self.scale.t(x))

    def _pan(self, x: float) -> None:
        if not dpg.is_mouse_button_down(2):
            self._panning = False
            return
        playback = self.editor.playback
        self._scale = self.scale.panned(x - self._last_x, playback.start, playback.end)

    def _drag_mark(self, x: float) -> None:
        drag = self.drag
        assert drag is not None
        if not dpg.is_mouse_button_down(0):
            self.drag = None
            if not drag.begun:
                self.editor.playback = self.editor.playback.at(drag.mark.time)
            elif drag.mark.retimes is not None:
                self.editor.retime(drag.mark.retimes, drag.t)
            return
        if drag.mark.retimes is None:
            return
        drag.begun = drag.begun or abs(x - drag.started) > 3.0
        playback = self.editor.playback
        drag.t = min(max(self.scale.t(x), playback.start), playback.end)

    def abort(self) -> bool:
        """Give a drag of a mark or of an end up; whether there was one."""
        had, self.drag, self.edge = self.drag is not None or self.edge is not None, None, None
        return had
