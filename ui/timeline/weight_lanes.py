"""The lanes of blends: where a weight is in its lane, what of it is under the pointer, and what a drag makes of it."""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ui.timeline.blend_curves import Keyframe, Weight, WeightCurve
from ui.timeline.lanes import REACH, LaneLayout
from ui.timeline.scales import Axis, Scale

INSET = 0.3  # rows above a weight of one, and below one of zero
NEAR_CURVE = 5.0  # [px] to the pointer
COLUMN = 2.0  # [px] of what is filled under a curve
FINE = 0.1  # of the way, for drags that are to be exact
Column = tuple[float, float, float]  # from x to x [px], and the weight there


@dataclass(frozen=True)
class Grip:
    """A keyframe, or any place on the curve of a weight, under the pointer."""

    lane: int
    curve: WeightCurve
    t: float
    keyframe: Keyframe | None = None

    @property
    def weight(self) -> Weight | None:
        """What is dragged up and down; None where one clip is alone, or on a way there."""
        return self.curve.holding(self.t)

    @property
    def value(self) -> float:
        return self.curve.at(self.t)

    @property
    def words(self) -> str:
        sentence = f"{self.curve.name} counts {100 * self.value:.0f} % at {self.t:.2f} s"
        words = sentence if self.keyframe is None else self.keyframe.words
        return words if self.weight is None else f"{words}\nDrag it up or down; Shift is finer"


def axis_of(layout: LaneLayout, lane: int, top: float, height: float) -> Axis:
    """From a weight of zero to one, in a lane; the first lane begins at `top`, and a row is so high."""
    inside = layout.lanes[lane].rows - 2 * INSET
    return Axis(0.0, 1.0, top + (layout.rows[lane] + INSET) * height, inside * height)


def curves_in(layout: LaneLayout, lane: int) -> list[WeightCurve]:
    shown_lane = layout.lanes[lane]
    return [curve for curve in layout.weights if shown_lane.kind == "blend" and curve.character == shown_lane.name]


def grips_in(layout: LaneLayout, lane: int) -> list[Grip]:
    """The keyframes of a lane, each on every curve."""
    return [
        Grip(lane, curve, key.time, key)
        for curve in curves_in(layout, lane)
        for key in layout.keyframes
        if key.character == curve.character
    ]


def grip_at(layout: LaneLayout, scale: Scale, x: float, y: float, top: float, height: float) -> Grip | None:
    """What is under the pointer: a keyframe if one is near, else the curve where it can be dragged."""
    lane = layout.lane_at(y, top, height)
    if lane is None or layout.lanes[lane].kind != "blend":
        return None
    axis = axis_of(layout, lane, top, height)

    def away(grip: Grip) -> float:
        return float(np.hypot(scale.x(grip.t) - x, axis.y(grip.value) - y))

    keys = [grip for grip in grips_in(layout, lane) if away(grip) <= REACH]
    t = scale.t(x)
    places = [Grip(lane, curve, t) for curve in curves_in(layout, lane) if curve.holding(t) is not None]
    near = [grip for grip in places if away(grip) <= NEAR_CURVE]
    return min(keys or near, key=away, default=None)


def risen(axis: Axis, pixels: float, fine: bool) -> float:
    """By how much a weight grows when a pointer goes up by so many pixels."""
    return pixels / axis.height * (FINE if fine else 1.0)


def rounded(weight: float) -> float:
    """As a weight can be, and without digits that nobody has meant."""
    return round(min(max(weight, 0.0), 1.0), 3)


def columns(curve: WeightCurve, scale: Scale) -> list[Column]:
    """What is filled under a curve: narrow columns where it changes, one for each stretch where it does not."""
    left, right = scale.left, scale.left + scale.width
    filled: list[Column] = []
    for k in range(len(curve.times) - 1):
        a, b = max(left, scale.x(curve.times[k])), min(right, scale.x(curve.times[k + 1]))
        if b <= a:
            continue
        flat = curve.values[k] == curve.values[k + 1]
        edges = np.array([a, b]) if flat else np.linspace(a, b, max(2, round((b - a) / COLUMN) + 1))
        for low, high in pairwise(edges):
            filled.append((float(low), float(high), curve.at(scale.t(0.5 * (low + high)))))
    return filled


def line_of(curve: WeightCurve, values: NDArray[np.float64], scale: Scale, axis: Axis) -> list[list[float]]:
    """A curve as points of a panel, cut off where the scale ends."""
    inside = (curve.times > scale.start) & (curve.times < scale.end)
    times = np.concatenate([[scale.start], curve.times[inside], [scale.end]])
    times = times[(times >= curve.times[0] - 1e-9) & (times <= curve.times[-1] + 1e-9)]
    return [[scale.x(t), float(axis.y(np.interp(t, curve.times, values)))] for t in times]
