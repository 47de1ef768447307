"""Draws what is under the pointer on the timeline, and what is dragged there."""

from __future__ import annotations

import dearpygui.dearpygui as dpg

from ui import theme
from ui.panels import timeline_drawing as drawing
from ui.panels.timeline_drags import ClipDrag, Drag, EdgeDrag, HoldDrag, MarkDrag, NewHold, WeightDrag
from ui.panels.timeline_drawing import Canvas
from ui.timeline.clip_bars import ClipHandle
from ui.timeline.lanes import HoldEnd, Mark
from ui.timeline.weight_lanes import Grip


def draw_hovered(canvas: Canvas, layer: int, pointed: object) -> None:
    if isinstance(pointed, Mark):
        drawing.draw_mark(canvas, layer, pointed, canvas.scale.x(pointed.time), True)
    elif isinstance(pointed, ClipHandle):
        drawing.draw_clip(canvas, layer, pointed.bar, True, pointed.grip)
    elif isinstance(pointed, HoldEnd):
        drawing.draw_hold(canvas, layer, pointed.bar, pointed.grip)
    elif isinstance(pointed, Grip):
        drawing.draw_grip(canvas, layer, pointed, pointed.value, True)


def draw_drag(canvas: Canvas, layer: int, drag: Drag) -> None:
    """Where it has come to, once it has begun."""
    if isinstance(drag, EdgeDrag):
        drawing.draw_window(canvas, layer, drag.window)
    elif isinstance(drag, WeightDrag):
        draw_weight(canvas, layer, drag)
    elif not drag.begun:
        draw_hovered(canvas, layer, drag.mark if isinstance(drag, MarkDrag) else None)
    elif isinstance(drag, MarkDrag):
        _draw_mark(canvas, layer, drag)
    elif isinstance(drag, HoldDrag):
        drawing.draw_hold(canvas, layer, drag.bar, drag.hold.grip)
    elif isinstance(drag, ClipDrag):
        drawing.draw_clip(canvas, layer, drag.bar, True, drag.handle.grip)
    elif isinstance(drag, NewHold):
        drawing.draw_new_hold(canvas, layer, drag.lane, *drag.span)


def _draw_mark(canvas: Canvas, layer: int, drag: MarkDrag) -> None:
    x = canvas.scale.x(drag.t)
    dpg.draw_line((x, 0), (x, canvas.size[1]), color=theme.faded(theme.ACCENT, 0.8), parent=layer)
    drawing.draw_mark(canvas, layer, drag.mark, x, bright=True)


def draw_weight(canvas: Canvas, layer: int, drag: WeightDrag) -> None:
    grip, weight = drag.grip, drag.grip.weight
    if weight is not None and canvas.is_seen(grip.lane):
        values = grip.curve.with_weight(weight, drag.to)
        drawing.draw_weight(canvas, layer, grip.lane, grip.curve, values, 0.7)
        drawing.draw_grip(canvas, layer, grip, drag.to, bright=True)
