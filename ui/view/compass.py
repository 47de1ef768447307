"""The little axes in the corner of the viewport: where X, Y and Z point for the eye, and what a click on one shows."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from ui.view.camera import Camera
from ui.view.navigation import named

# axis and sign, and the view that looks at that side
SIDES = (
    ("x", 1, "right"),
    ("x", -1, "left"),
    ("y", 1, "top"),
    ("y", -1, "bottom"),
    ("z", 1, "front"),
    ("z", -1, "back"),
)


@dataclass(frozen=True)
class Tip:
    """An end of an axis."""

    axis: str
    positive: bool
    view: str  # of navigation.VIEWS
    at: tuple[float, float]  # [px]
    nearness: float  # -1: points away from the eye, 1: at it


def tips(camera: Camera, centre: tuple[float, float], radius: float) -> list[Tip]:
    """The six ends, the furthest first: so they are drawn."""
    right, up, back = camera.axes
    ends = []
    for axis, sign, view in SIDES:
        way = sign * np.eye(3)["xyz".index(axis)]
        at = (centre[0] + radius * float(right @ way), centre[1] - radius * float(up @ way))
        ends.append(Tip(axis, sign > 0, view, at, float(back @ way)))
    return sorted(ends, key=lambda tip: tip.nearness)


def tip_at(found: list[Tip], x: float, y: float, reach: float) -> Tip | None:
    """The one under the pointer; of several the nearest to the eye."""
    near = [tip for tip in found if np.hypot(tip.at[0] - x, tip.at[1] - y) <= reach]
    return max(near, key=lambda tip: tip.nearness, default=None)


def name_of(camera: Camera) -> str:
    """What a view is called: "Front", "Front · perspective", "Perspective", "Orthographic"."""
    view = named(camera)
    if view is None:
        return "Orthographic" if camera.orthographic else "Perspective"
    return view.capitalize() if camera.orthographic else f"{view.capitalize()} · perspective"
