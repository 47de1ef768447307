"""The curves in the window: draws those of `motion_curves`, and drags their points; the time axis is the timeline's."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import dearpygui.dearpygui as dpg
import numpy as np

from ui import theme
from ui.editor import Editor
from ui.panels.keyboard import modifiers
from ui.panels.mouse import pointer_in
from ui.panels.ruler import draw_flag, draw_ruler
from ui.panels.styles import Fonts, bare_window, text_width
from ui.panels.timeline_view import TimelineView
from ui.theme import Colour, Sizes
from ui.timeline.motion_curves import Curve, Plot, PlotHit, curves_of, hit_at, lay_out_plots, title_of, with_axes_of
from ui.timeline.scales import Scale

COLOURS: tuple[Colour, ...] = tuple(theme.AXES.values())
NOTHING = "Select a ball, a limb or a person to see how it moves."
CHANGED = 1e-4  # of the height of a plot, below which a curve is as it was
THRESHOLD = 3.0  # [px] before a press becomes a drag


@dataclass
class PointDrag:
    hit: PlotHit
    started: float  # [px]
    value: float


class CurvesView:
    def __init__(self, editor: Editor, sizes: Sizes, fonts: Fonts, parent: int | str, timeline: TimelineView) -> None:
        self.editor, self.sizes, self.fonts, self.timeline = editor, sizes, fonts, timeline
        self.size = (64, 64)
        self.shown = False
        self.plots: list[Plot] = []
        self.hovered: PlotHit | None = None
        self.drag: PointDrag | None = None
        self._scrubbing = False
        self._static_key: Any = None
        self._moving_key: Any = None
        self.window = dpg.add_child_window(
            parent=parent, no_scrollbar=True, no_scroll_with_mouse=True, border=False, show=False
        )
        dpg.bind_item_theme(self.window, bare_window())
        self.drawlist = dpg.add_drawlist(64, 64, parent=self.window)
        dpg.bind_item_font(self.drawlist, fonts.small)
        self._static = dpg.add_draw_layer(parent=self.drawlist)
        self._moving = dpg.add_draw_layer(parent=self.drawlist)

    def show(self, shown: bool) -> None:
        self.shown = shown
        dpg.configure_item(self.window, show=shown)

    def resize(self, width: int, height: int) -> None:
        self.size = (max(width, 200), max(height, 80))
        dpg.configure_item(self.window, width=self.size[0], height=self.size[1])
        dpg.configure_item(self.drawlist, width=self.size[0], height=self.size[1])
        self._static_key = None

    # -- drawing ------------------------------------------------------------------------------------------------------

    def refresh(self) -> None:
        """Draw again what has changed; what nobody sees costs nothing."""
        editor = self.editor
        if not self.shown:
            return
        rollout, before, scale = editor.rollout, editor.before, self.timeline.scale
        key = (id(rollout), id(before), scale, self.size, editor.selected)
        if key != self._static_key:
            self._static_key, self._moving_key = key, None
            curves = [] if rollout is None else curves_of(rollout, editor.selected, scale, before)
            px, top = self.sizes.px, self.sizes.ruler + self.sizes.px(8)
            plots = lay_out_plots(curves, top, self.size[1] - top - px(10), px(12))
            self.plots = with_axes_of(plots, self.plots) if self.drag is not None else plots
            dpg.delete_item(self._static, children_only=True)
            self._draw_static(scale, "" if rollout is None else title_of(rollout, editor.selected))
        drag = None if self.drag is None else (self.drag.value, self.drag.hit.t)
        hit = None if self.hovered is None else (self.hovered.curve.name, self.hovered.curve.label, self.hovered.t)
        moving = (editor.t, drag, hit)
        if moving != self._moving_key:
            self._moving_key = moving
            dpg.delete_item(self._moving, children_only=True)
            self._draw_moving(scale)

    def _draw_static(self, scale: Scale, title: str) -> None:
        (width, height), sizes, px = self.size, self.sizes, self.sizes.px
        self._box(0, 0, width, height, theme.PANEL)
        self._box(0, 0, width, sizes.ruler, theme.mixed(theme.PANEL, theme.RAISED, 0.55))
        draw_ruler(self._static, scale, self.size, sizes, self.fonts)
        for plot in self.plots:
            self._draw_plot(plot, scale)
        # names cover what runs out of the plots on the left
        self._box(0, sizes.ruler, sizes.gutter - px(8), height, theme.PANEL)
        if not self.plots:
            wide = text_width(NOTHING, self.fonts.small, sizes.small_font)
            self._text((width - wide) / 2, (height + sizes.ruler) / 2 - px(8), NOTHING, theme.FAINT)
        self._text(px(10), px(3), title, theme.TEXT)
        for plot in self.plots:
            self._draw_ticks(plot)

    def _draw_plot(self, plot: Plot, scale: Scale) -> None:
        axis, left, right = plot.axis, self.sizes.gutter - self.sizes.px(8), self.size[0]
        self._box(left, axis.top, right, axis.top + axis.height, (255, 255, 255, 5))
        for value in axis.ticks()[0]:
            strong = 34 if value == 0.0 else 12
            y = axis.y(value)
            dpg.draw_line((left, y), (right, y), color=(255, 255, 255, strong), parent=self._static)
        for curve in plot.curves:
            if curve.before is not None and self._has_changed(plot, curve):
                self._line(plot, scale, curve.times, curve.before, theme.faded(colour_of(curve), 0.30), 1.2)
        for curve in plot.curves:
            self._line(plot, scale, curve.times, curve.values, colour_of(curve), 1.8)
            self._draw_points(plot, curve, scale)

    def _has_changed(self, plot: Plot, curve: Curve) -> bool:
        assert curve.before is not None
        return float(np.abs(curve.before - curve.values).max()) > CHANGED * (plot.axis.high - plot.axis.low)

    def _line(self, plot: Plot, scale: Scale, times: Any, values: Any, colour: Colour, width: float) -> None:
        xs = scale.left + (times - scale.start) / (scale.end - scale.start) * scale.width
        ys = np.clip(plot.axis.y(values), self.sizes.ruler, self.size[1])  # what is dragged far stays in the panel
        points = np.column_stack([xs, ys]).tolist()
        dpg.draw_polyline(points, color=colour, thickness=width * self.sizes.scale, parent=self._static)

    def _draw_points(self, plot: Plot, curve: Curve, scale: Scale) -> None:
        if curve.points is None:
            return
        r, colour = 0.5 * self.sizes.px(5), colour_of(curve)
        top, low = plot.axis.top - r, plot.axis.top + plot.axis.height + r
        for t in curve.points:
            at = (scale.x(float(t)), float(plot.axis.y(curve.at(float(t)))))
            if not top <= at[1] <= low:
                continue  # what is dragged far would be drawn over the ruler
            dpg.draw_circle(
                at, r, color=colour, fill=theme.PANEL, thickness=1.2 * self.sizes.scale, parent=self._static
            )

    def _draw_ticks(self, plot: Plot) -> None:
        axis, sizes, px = plot.axis, self.sizes, self.sizes.px
        ticks, digits = axis.ticks()
        named = [self._legend_reach(curve) for curve in plot.curves]
        for value in ticks:
            words = f"{value:.{digits}f}".replace("-", "–")
            x = sizes.gutter - px(14) - text_width(words, self.fonts.small, sizes.small_font)
            y = float(axis.y(value)) - sizes.small_font / 2 - 1
            beside = (
                right < x or abs(y - self._legend_top(plot, k)) > sizes.small_font + px(1)
                for k, right in enumerate(named)
            )  # fmt: skip
            if y >= sizes.ruler and all(beside):  # names come first
                self._text(x, y, words, theme.FAINT)

    def _legend_top(self, plot: Plot, k: int) -> float:
        return plot.axis.top + self.sizes.px(2) + k * (self.sizes.small_font + self.sizes.px(4))

    def _legend_reach(self, curve: Curve) -> float:
        """How far to the right a name goes, with the longest of its values."""
        longest = max((curve.said(float(value)) for value in (curve.values.min(), curve.values.max())), key=len)
        return self.sizes.px(27) + text_width(f"{curve.label} {longest}", self.fonts.small, self.sizes.small_font)

    def _draw_moving(self, scale: Scale) -> None:
        """The playhead with the values there, and the point under the pointer."""
        t, px, height = self.editor.t, self.sizes.px, self.size[1]
        if scale.start - 1e-9 <= t <= scale.end + 1e-9:
            x = scale.x(t)
            dpg.draw_line(
                (x, px(10)), (x, height), color=theme.PLAYHEAD, thickness=1.5 * self.sizes.scale, parent=self._moving
            )
            self._flag(x, f"{t:.2f}", theme.PLAYHEAD, theme.WINDOW)
        for plot in self.plots:
            for k, curve in enumerate(plot.curves):
                self._legend(curve, self._legend_top(plot, k), curve.at(t))
        hit = self.drag.hit if self.drag is not None else self.hovered
        if hit is not None:
            value = hit.value if self.drag is None else self.drag.value
            axis = hit.plot.axis
            x, y = scale.x(hit.t), min(max(float(axis.y(value)), axis.top), axis.top + axis.height)
            colour = colour_of(hit.curve)
            dpg.draw_line((x, self.sizes.ruler), (x, height), color=(255, 255, 255, 50), parent=self._moving)
            dpg.draw_circle((x, y), px(5), color=theme.WINDOW, fill=colour, parent=self._moving)
            dpg.draw_circle((x, y), px(7), color=theme.TEXT, thickness=1.2 * self.sizes.scale, parent=self._moving)
            self._beside(x, y, f"{hit.curve.label}  {hit.curve.said(value)}  {hit.t:.2f} s")

    def _legend(self, curve: Curve, y: float, value: float) -> None:
        px, colour = self.sizes.px, colour_of(curve)
        middle = y + self.sizes.small_font / 2 + 1
        dpg.draw_line(
            (px(10), middle), (px(20), middle), color=colour, thickness=2.5 * self.sizes.scale, parent=self._moving
        )
        words = f"{curve.label} {curve.said(value)}".replace("-", "–")
        dpg.draw_text((px(25), y), words, size=self.sizes.small_font, color=theme.TEXT, parent=self._moving)

    def _beside(self, x: float, y: float, words: str) -> None:
        px, high = self.sizes.px, self.sizes.small_font + self.sizes.px(9)
        wide = text_width(words, self.fonts.small, self.sizes.small_font) + px(14)
        left = x + px(12) if x + px(12) + wide < self.size[0] else x - px(12) - wide
        top = min(max(y - high - px(6), self.sizes.ruler + px(2)), self.size[1] - high - px(2))
        dpg.draw_rectangle((left, top), (left + wide, top + high), color=(255, 255, 255, 22), fill=(18, 20, 24, 225),
                           rounding=px(5), parent=self._moving)  # fmt: skip
        at = (left + px(7), top + px(4))
        dpg.draw_text(at, words, size=self.sizes.small_font, color=theme.TEXT, parent=self._moving)

    def _flag(self, x: float, text: str, fill: Colour, ink: Colour) -> None:
        draw_flag(self._moving, x, text, fill, ink, self.size[0], self.sizes, self.fonts)

    def _box(self, x0: float, y0: float, x1: float, y1: float, fill: Colour) -> None:
        dpg.draw_rectangle((x0, y0), (x1, y1), color=(0, 0, 0, 0), fill=fill, parent=self._static)

    def _text(self, x: float, y: float, words: str, colour: Colour) -> None:
        dpg.draw_text((x, y), words, size=self.sizes.small_font, color=colour, parent=self._static)

    # -- the mouse ----------------------------------------------------------------------------------------------------

    def pointer(self) -> tuple[float, float]:
        return pointer_in(self.drawlist)

    def input(self, free: bool) -> None:
        if not self.shown:
            return
        x, y = self.pointer()
        if self.drag is not None:
            self._go_on(y)
        elif self._scrubbing:
            self._scrub(x)
        elif free and dpg.is_item_hovered(self.drawlist):
            self.hovered = hit_at(self.plots, self.timeline.scale, x, y) if y > self.sizes.ruler else None
            if dpg.is_mouse_button_clicked(0):
                self._press(x, y)
        else:
            self.hovered = None

    def wheel(self, notches: float) -> None:
        if self.shown and dpg.is_item_hovered(self.drawlist):
            self.timeline.zoom(self.pointer()[0], notches)

    def _press(self, x: float, y: float) -> None:
        self.editor.playback = replace(self.editor.playback, playing=False)
        if self.hovered is None:
            self._scrubbing = x >= self.sizes.gutter - self.sizes.px(8)
        else:
            self.editor.take(self.hovered.curve.name, self.hovered.t)
            self.drag = PointDrag(self.hovered, y, self.hovered.value)

    def _scrub(self, x: float) -> None:
        self.editor.moving = self._scrubbing = dpg.is_mouse_button_down(0)
        if self._scrubbing:
            self.editor.scrub(self.timeline.scale.t(x), modifiers().shift)

    def _go_on(self, y: float) -> None:
        drag, edit_drag = self.drag, self.editor.drag
        if drag is None or edit_drag is None:  # it was aborted
            self.drag = None
            return
        if not dpg.is_mouse_button_down(0):
            if not edit_drag.begun:
                self.editor.playback = self.editor.playback.at(drag.hit.t)
            self.editor.drop()
            self.drag, self.hovered = None, None
            self._static_key = None
            return
        if edit_drag.begun or abs(y - drag.started) > THRESHOLD:
            axis, hit = drag.hit.plot.axis, drag.hit
            value = hit.value + axis.value(y) - axis.value(drag.started)
            if value != drag.value or not edit_drag.begun:
                drag.value = value
                self.editor.shape(hit.curve.target(value))


def colour_of(curve: Curve) -> Colour:
    return theme.WARNING if curve.axis is None else COLOURS[curve.axis]
