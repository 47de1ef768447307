"""Draws the layout of `ui.timeline.lanes`: lanes and their names, bars, flights, marks, needles, weights, and the
window of edits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import dearpygui.dearpygui as dpg

from hoi_edit import Window
from ui import theme
from ui.panels.ruler import draw_ruler
from ui.panels.styles import Fonts, fitted, text_width
from ui.theme import Colour, Sizes
from ui.timeline import weight_lanes
from ui.timeline.blend_curves import WeightCurve
from ui.timeline.clip_bars import ClipBar, ClipGrip
from ui.timeline.lanes import Bar, BarGrip, Lane, LaneLayout, Mark, Needle
from ui.timeline.playback import Playback
from ui.timeline.scales import Axis, Scale
from ui.timeline.weight_lanes import Grip

NEEDLES: dict[str, Colour] = {"pin": theme.PLAYHEAD, "contact": theme.GOOD, "clear": theme.ACCENT}
NOTHING: Colour = (0, 0, 0, 0)


@dataclass(frozen=True)
class Canvas:
    """What is drawn where: times along a scale, lanes below a ruler, from the one at the top on."""

    layout: LaneLayout
    scale: Scale
    size: tuple[int, int]
    sizes: Sizes
    fonts: Fonts
    first: int = 0  # lane at the top, where there are too many

    @property
    def room(self) -> int:
        """How many rows there are."""
        return max(int((self.size[1] + 1 - self.sizes.ruler) // self.sizes.lane), 1)

    @property
    def origin(self) -> float:
        """Where the very first lane begins, perhaps out of sight."""
        return self.sizes.ruler - self.layout.rows[min(self.first, len(self.layout.lanes))] * self.sizes.lane

    def top(self, lane: int) -> float:
        return self.origin + self.layout.rows[lane] * self.sizes.lane

    def middle(self, lane: int) -> float:
        return self.top(lane) + self.sizes.lane * self.layout.lanes[lane].rows / 2

    def is_seen(self, lane: int) -> bool:
        return lane in self.layout.seen(self.first, self.room)

    def shows(self, t: float) -> bool:
        return self.scale.start - 1e-6 <= t <= self.scale.end + 1e-6

    def axis(self, lane: int) -> Axis:
        return weight_lanes.axis_of(self.layout, lane, self.origin, self.sizes.lane)


def draw_all(
    canvas: Canvas, layer: int, playback: Playback, selected: str | None, with_window: bool,
    chosen: tuple[str, str, float] | None = None,
) -> None:  # fmt: skip
    """Everything that stays as it is from frame to frame."""
    layout, (width, height) = canvas.layout, canvas.size
    _box(layer, 0, 0, width, height, theme.PANEL)
    _box(layer, 0, 0, width, canvas.sizes.ruler, theme.mixed(theme.PANEL, theme.RAISED, 0.55))
    seen = layout.seen(canvas.first, canvas.room)
    _draw_lanes(canvas, layer, seen, selected)
    draw_ruler(layer, canvas.scale, canvas.size, canvas.sizes, canvas.fonts)
    _draw_range(canvas, layer, playback)
    for k in seen:
        _draw_lane(canvas, layer, k)
    for bar in layout.bars:
        if chosen is not None and bar.lane in seen and (bar.contact, bar.object) == chosen[:2]:
            draw_chosen(canvas, layer, bar)
    if layout.window is not None and with_window:
        draw_window(canvas, layer, layout.window)
    for needle in layout.needles:
        if needle.lane in seen and canvas.shows(needle.time):
            _draw_needle(canvas, layer, needle)
    _draw_names(canvas, layer, seen, selected)


def _draw_lanes(canvas: Canvas, layer: int, seen: range, selected: str | None) -> None:
    width = canvas.size[0]
    for k in seen:
        lane = canvas.layout.lanes[k]
        top, low = canvas.top(k), canvas.top(k) + lane.rows * canvas.sizes.lane
        if k % 2 == 0:
            _box(layer, 0, top, width, low, (255, 255, 255, 5))
        if lane.name == selected:
            _box(layer, 0, top, width, low, theme.faded(theme.ACCENT, 0.13))


def _draw_lane(canvas: Canvas, layer: int, lane: int) -> None:
    """What is in a lane, from below to above."""
    layout = canvas.layout
    for clip in layout.clips:
        if clip.lane == lane:
            draw_clip(canvas, layer, clip)
    for bar in layout.bars:
        if bar.lane == lane:
            _draw_bar(canvas, layer, bar)
    if layout.lanes[lane].kind == "thing":
        _draw_flights(canvas, layer, lane)
    elif layout.lanes[lane].kind == "blend":
        _draw_weights(canvas, layer, lane)
    for mark in layout.marks:
        if mark.lane == lane and canvas.shows(mark.time):
            draw_mark(canvas, layer, mark, canvas.scale.x(mark.time))


def _draw_range(canvas: Canvas, layer: int, playback: Playback) -> None:
    """What is not played is darker."""
    scale = canvas.scale
    left, right = scale.left, scale.left + scale.width
    for low, high in ((scale.start, playback.low), (playback.high, scale.end)):
        a, b = max(left, scale.x(low)), min(right, scale.x(high))
        if b - a > 0.5:
            _box(layer, a, 0, b, canvas.size[1], (10, 11, 13, 130))


def draw_window(canvas: Canvas, layer: int, own: Window) -> None:
    """How much edits may change when: a band on the ruler that rises and falls with the fade, and has handles."""
    scale, px, low = canvas.scale, canvas.sizes.px, float(canvas.sizes.ruler)
    left, right, high = scale.left, scale.left + scale.width, low - px(7)
    xs = [scale.x(t) for t in (own.start, own.start + own.fade, own.end - own.fade, own.end)]
    a, b, c, d = (min(max(x, left), right) for x in xs)
    band = [[a, low], [b, high], [c, high], [d, low]]
    dpg.draw_polygon([*band, band[0]], color=theme.ACCENT, fill=theme.faded(theme.ACCENT, 0.35), parent=layer)
    height, veil, none = canvas.size[1], theme.faded(theme.WINDOW, 0.5), theme.faded(theme.WINDOW, 0.0)
    for outer, edge, inner in ((left, a, b), (right, d, c)):  # what edits leave alone lies under a veil
        _box(layer, min(outer, edge), low, max(outer, edge), height, veil)
        one, other = (veil, none) if edge < inner else (none, veil)  # left and right
        if abs(inner - edge) > 1.0:
            dpg.draw_rectangle(
                (min(edge, inner), low), (max(edge, inner), height), multicolor=True, color=NOTHING,
                corner_colors=[one, other, other, one], parent=layer,
            )  # fmt: skip
    for x in (xs[0], xs[3]):
        if left - 1 <= x <= right + 1:
            grip = ((x - px(2), high - px(2)), (x + px(2), low + px(2)))
            dpg.draw_rectangle(*grip, color=theme.WINDOW, fill=theme.ACCENT, rounding=px(2), parent=layer)


def _draw_bar(canvas: Canvas, layer: int, bar: Bar) -> None:
    corners = _corners(canvas, bar)
    colour = theme.thing_colour(bar.thing)
    strength = 0.62 if bar.kind == "held" else 0.28
    if corners is not None:
        dpg.draw_rectangle(
            *corners, color=theme.faded(colour, 0.85), rounding=canvas.sizes.px(3), parent=layer,
            fill=theme.faded(theme.mixed(colour, theme.PANEL, 1 - strength), 1.0),
        )  # fmt: skip


def _corners(canvas: Canvas, bar: Bar) -> tuple[tuple[float, float], tuple[float, float]] | None:
    """[px] of what can be seen of a bar."""
    scale, px = canvas.scale, canvas.sizes.px
    low, high = max(scale.left, scale.x(bar.start)), min(scale.left + scale.width, scale.x(bar.end))
    if high <= low:
        return None
    inset = px(4) if bar.slots == 1 else px(2)
    room = (canvas.sizes.lane - 2 * inset) / bar.slots
    top = canvas.top(bar.lane) + inset + bar.slot * room
    return (low, top), (high, top + room - (1 if bar.slots > 1 else 0))


def draw_clip(canvas: Canvas, layer: int, bar: ClipBar, bright: bool = False, grip: ClipGrip = "whole") -> None:
    """From when to when somebody's clip goes, with an edge at each end that is in sight."""
    px, scale = canvas.sizes.px, canvas.scale
    left, right = scale.left, scale.left + scale.width
    low, high = max(left, scale.x(bar.start)), min(right, scale.x(bar.end))
    if high <= low or not canvas.is_seen(bar.lane):
        return
    top, bottom = canvas.top(bar.lane) + px(5), canvas.top(bar.lane) + canvas.sizes.lane - px(5)
    colour = theme.body_colour(bar.number)
    dpg.draw_rectangle(
        (low, top), (high, bottom), color=theme.TEXT if bright else theme.faded(colour, 0.7), rounding=px(3),
        fill=theme.faded(colour, 0.5 if bright else 0.28), parent=layer,
    )  # fmt: skip
    for end, t in (("start", bar.start), ("end", bar.end)):
        x = scale.x(t)
        if left - 1 <= x <= right + 1:
            edge = theme.PLAYHEAD if grip == end else theme.faded(colour, 0.95)
            dpg.draw_rectangle((x - px(2), top - 1), (x + px(2), bottom + 1), color=theme.WINDOW, fill=edge,
                               rounding=px(2), parent=layer)  # fmt: skip


def draw_hold(canvas: Canvas, layer: int, bar: Bar, grip: BarGrip) -> None:
    """A hold that is under the pointer, or dragged: its outline, and the end that would be dragged."""
    corners = _corners(canvas, bar) if canvas.is_seen(bar.lane) else None
    if corners is None:
        return
    (low, top), (high, bottom) = corners
    px, rounding = canvas.sizes.px, canvas.sizes.px(3)
    fill = theme.faded(theme.thing_colour(bar.thing), 0.35)
    dpg.draw_rectangle((low, top), (high, bottom), color=theme.TEXT, fill=fill, rounding=rounding, parent=layer)
    if grip == "end":
        dpg.draw_rectangle((high - px(4), top - 1), (high, bottom + 1), color=theme.WINDOW, fill=theme.PLAYHEAD,
                           rounding=px(2), parent=layer)  # fmt: skip


def draw_chosen(canvas: Canvas, layer: int, bar: Bar) -> None:
    """The hold that was clicked on."""
    corners = _corners(canvas, bar)
    if corners is not None:
        dpg.draw_rectangle(*corners, color=theme.PLAYHEAD, thickness=1.5, rounding=canvas.sizes.px(3), parent=layer)


def draw_new_hold(canvas: Canvas, layer: int, lane: int, start: float, end: float) -> None:
    """A hold that is being drawn."""
    px, top, scale = canvas.sizes.px, canvas.top(lane), canvas.scale
    left, right = scale.left, scale.left + scale.width
    low, high = (min(max(scale.x(t), left), right) for t in (start, end))
    dpg.draw_rectangle(
        (low, top + px(4)), (high, top + canvas.sizes.lane - px(4)), color=theme.ACCENT, rounding=px(3), parent=layer,
        fill=theme.faded(theme.ACCENT, 0.35), thickness=1.5,
    )  # fmt: skip


def _draw_flights(canvas: Canvas, layer: int, lane: int) -> None:
    """Where a thing is in the air its lane is a thin line."""
    layout, scale, middle = canvas.layout, canvas.scale, canvas.middle(lane)
    colour = theme.faded(theme.thing_colour(layout.lanes[lane].owner), 0.45)
    bars = sorted((bar for bar in layout.bars if bar.lane == lane), key=lambda bar: bar.start)
    t = scale.start
    for start, end in [*((bar.start, bar.end) for bar in bars), (scale.end, scale.end)]:
        a, b = scale.x(max(t, scale.start)), scale.x(min(start, scale.end))
        if b > a:
            dpg.draw_line((a, middle), (b, middle), color=colour, thickness=1.5, parent=layer)
        t = max(t, end)


def _draw_weights(canvas: Canvas, layer: int, lane: int) -> None:
    """The weights of a blend, filled below, and its keyframes."""
    axis, scale = canvas.axis(lane), canvas.scale
    for value in (0.0, 1.0):
        y = axis.y(value)
        dpg.draw_line((scale.left, y), (scale.left + scale.width, y), color=(255, 255, 255, 20), parent=layer)
    for curve in weight_lanes.curves_in(canvas.layout, lane):
        fill = theme.faded(theme.clip_colour(curve.clip), 0.24)
        for left, right, value in weight_lanes.columns(curve, scale):
            if value > 0.0:
                _box(layer, left, axis.y(value), right, axis.y(0.0), fill)
        draw_weight(canvas, layer, lane, curve, curve.values)
    for grip in weight_lanes.grips_in(canvas.layout, lane):
        if canvas.shows(grip.t):
            draw_grip(canvas, layer, grip, grip.value)


def draw_weight(canvas: Canvas, layer: int, lane: int, curve: WeightCurve, values: Any, strength: float = 1.0) -> None:
    line = weight_lanes.line_of(curve, values, canvas.scale, canvas.axis(lane))
    colour = theme.faded(theme.clip_colour(curve.clip), strength)
    dpg.draw_polyline(line, color=colour, thickness=1.6, parent=layer)


def draw_grip(canvas: Canvas, layer: int, grip: Grip, value: float, bright: bool = False) -> None:
    """A keyframe is a square; another place on a curve, if it is under the pointer, a disc."""
    x, y = canvas.scale.x(grip.t), canvas.axis(grip.lane).y(value)
    r = canvas.sizes.px(4) + (1 if bright else 0)
    colour = theme.PLAYHEAD if bright else theme.TEXT if grip.weight is not None else theme.FAINT
    if grip.keyframe is None:
        dpg.draw_circle((x, y), r, color=theme.WINDOW, fill=colour, parent=layer)
    else:
        dpg.draw_rectangle((x - r, y - r), (x + r, y + r), color=theme.WINDOW, fill=colour, parent=layer)


def draw_mark(canvas: Canvas, layer: int, mark: Mark, x: float, bright: bool = False) -> None:
    y, dark = canvas.middle(mark.lane), theme.WINDOW
    r = canvas.sizes.px(5) + (1 if bright else 0)
    colour: Colour = theme.BAD if mark.unwanted else theme.TEXT if mark.intended else theme.FAINT
    if bright:
        colour = theme.PLAYHEAD
    if mark.kind == "catch":
        dpg.draw_circle((x, y), r, color=dark, fill=colour, parent=layer)
    elif mark.kind == "throw":
        dpg.draw_triangle((x - r, y - r), (x + r, y), (x - r, y + r), color=dark, fill=colour, parent=layer)
    else:
        dpg.draw_quad([x - r, y], [x, y - r], [x + r, y], [x, y + r], color=dark, fill=colour, parent=layer)


def _draw_needle(canvas: Canvas, layer: int, needle: Needle) -> None:
    x, top = canvas.scale.x(needle.time), canvas.top(needle.lane)
    r, colour = canvas.sizes.px(4), NEEDLES[needle.kind]
    dpg.draw_line((x, top + 2), (x, top + canvas.sizes.lane - 2), color=colour, thickness=1.5, parent=layer)
    dpg.draw_circle((x, top + r), r, color=theme.WINDOW, fill=colour, parent=layer)


def _draw_names(canvas: Canvas, layer: int, seen: range, selected: str | None) -> None:
    sizes, px, lanes = canvas.sizes, canvas.sizes.px, canvas.layout.lanes
    right = sizes.gutter - px(8)
    _box(layer, 0, sizes.ruler, right, canvas.size[1], theme.PANEL)
    if len(seen) < len(lanes):
        _words(canvas, layer, px(10), px(5), f"{seen.start + 1}–{seen.stop} of {len(lanes)}", theme.FAINT)
    for k in seen:
        top = canvas.top(k)
        if lanes[k].name == selected:
            _box(layer, 0, top, right, top + lanes[k].rows * sizes.lane, theme.faded(theme.ACCENT, 0.2))
        _draw_name(canvas, layer, lanes[k], top + sizes.lane / 2)
        if lanes[k].kind == "blend":
            _draw_clips(canvas, layer, k)


def _draw_name(canvas: Canvas, layer: int, lane: Lane, middle: float) -> None:
    px = canvas.sizes.px
    if lane.kind == "thing":
        colour = theme.thing_colour(lane.owner)
        dpg.draw_circle((px(15), middle), px(5), color=colour, fill=colour, parent=layer)
    else:
        colour = theme.body_colour(lane.owner)
        dpg.draw_circle((px(15), middle), px(4), color=colour, thickness=1.5, parent=layer)
    top = middle - canvas.sizes.small_font / 2 - 1
    whose, _, part = lane.label.partition(" ") if lane.kind == "part" else (lane.label, "", "")
    _words(canvas, layer, px(28), top, _in_gutter(canvas, whose, part=part), theme.TEXT)


def _draw_clips(canvas: Canvas, layer: int, lane: int) -> None:
    """Below the name of whom a blend moves: which clips the curves are of, and the ends of their axis."""
    sizes, px, axis = canvas.sizes, canvas.sizes.px, canvas.axis(lane)
    for k, curve in enumerate(weight_lanes.curves_in(canvas.layout, lane)[: canvas.layout.lanes[lane].rows - 1], 1):
        top = canvas.top(lane) + (k + 0.5) * sizes.lane - sizes.small_font / 2 - px(4)
        ink = theme.mixed(theme.clip_colour(curve.clip), theme.TEXT, 0.6)  # the curve's own is dark for thin letters
        _words(canvas, layer, px(28), top, _in_gutter(canvas, curve.name.replace("_", " "), px(16)), ink)
    for words, value in (("1", 1.0), ("0", 0.0)):
        x = sizes.gutter - px(12) - text_width(words, canvas.fonts.small, sizes.small_font)
        _words(canvas, layer, x, axis.y(value) - sizes.small_font / 2 - 1, words, theme.FAINT)


def _in_gutter(canvas: Canvas, name: str, taken: int = 0, part: str = "") -> str:
    """As much of a name as there is room for left of its lane, where something else takes some of that [px]; all of
    what the part of a body is called, by which lanes of one owner differ."""
    sizes, font = canvas.sizes, canvas.fonts.small
    tail = f" {part}" if part else ""
    room = sizes.gutter - sizes.px(28 + 12) - taken - text_width(tail, font, sizes.small_font)
    return fitted(name, room, font, sizes.small_font) + tail


def _words(canvas: Canvas, layer: int, x: float, y: float, words: str, colour: Colour) -> None:
    dpg.draw_text((x, y), words, size=canvas.sizes.small_font, color=colour, parent=layer)


def _box(layer: int, x0: float, y0: float, x1: float, y1: float, fill: Colour) -> None:
    dpg.draw_rectangle((x0, y0), (x1, y1), color=NOTHING, fill=fill, parent=layer)
