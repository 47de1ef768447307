"""Signs over the picture: pins, the point that is grabbed, and where it is to go.

They are drawn in front of everything, so around a ball they are rings wider than it: what is dragged has to be seen.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoi_edit import Pin
from hoi_edit.rollout import Rollout
from ui import theme
from ui.view.camera import Camera
from ui.view.drawing import Marker

Array = NDArray[np.float64]
Place = tuple[float, float, float]
# Diameters in points; around a ball, by how much more than it. A ring has 2 points, and a dark edge on either side.
GRABBED, TARGET, PINNED, PIN_POINT = 13.0, 18.0, 15.0, 5.0
AROUND_GRABBED, AROUND_TARGET, AROUND_PINNED = 9.0, 18.0, 9.0
NOW = 1e-6  # [s] that nobody sees


@dataclass(frozen=True)
class PinSign:
    """Where and when something is pinned: its own place, whatever is shown there."""

    name: str
    t: float
    place: Place


def place_of_pin(pin: Pin, rollout: Rollout) -> Place:
    """Its own, also where the scene is shown without its edits. What a pin leaves open is where the thing is."""
    place = np.full(3, np.nan) if pin.position is None else np.asarray(pin.position, float)
    if np.isnan(place).any():
        place = np.where(np.isnan(place), rollout.state(pin.name, pin.t).position, place)
    return float(place[0]), float(place[1]), float(place[2])


def outline(camera: Camera, size: tuple[int, int], place: Array, radius: float) -> float:
    """[px] of the radius that a ball has in the picture; 0 behind the eye."""
    depth = float(camera.project(place, *size)[2])
    if camera.orthographic:
        return radius / camera.metres_per_pixel(size[1])
    if depth <= 0.0:
        return 0.0
    # The line of sight that touches a ball passes it before its middle: near the eye a ball looks larger.
    return radius / camera.metres_per_pixel(size[1], float(np.sqrt(max(depth**2 - radius**2, (0.1 * depth) ** 2))))


def signs(
    rollout: Rollout, t: float, camera: Camera, size: tuple[int, int], scale: float,
    pins: Sequence[PinSign], grabbed: tuple[str, float] | None, target: Place | None,
) -> list[Marker]:  # fmt: skip
    """`scale` is that of the screen: diameters are in points."""

    def around(name: str, place: Array, plain: float, more: float) -> float:
        radius = ball_radius(rollout, name)
        return plain if radius is None else max(plain, 2.0 * outline(camera, size, place, radius) / scale + more)

    markers = []
    for pin in pins:
        place, in_place = np.array(pin.place), abs(pin.t - t) < NOW
        wide = around(pin.name, place, PINNED, AROUND_PINNED) if in_place else PINNED
        markers.append(_ring(place, theme.PLAYHEAD, wide))
        if not (in_place and ball_radius(rollout, pin.name)):
            markers.append(Marker(place, theme.unit(theme.PLAYHEAD), PIN_POINT, "disc", 0.9, on_top=True))
    if grabbed is not None:
        place = rollout.state(*grabbed).position
        # on a flight, at another time, no ball is there to be hidden, and a small ring is exact
        in_place = target is not None or abs(grabbed[1] - t) < NOW
        wide = around(grabbed[0], place, GRABBED, AROUND_GRABBED) if in_place else GRABBED
        markers.append(_ring(place, theme.TEXT, wide))
    if target is not None:
        name = "" if grabbed is None else grabbed[0]
        markers.append(_ring(np.array(target), theme.ACCENT, around(name, np.array(target), TARGET, AROUND_TARGET)))
    return markers


def ball_radius(rollout: Rollout, name: str) -> float | None:
    """[m] of a thing that is a ball; None of all else, which rings do not hide."""
    thing = next((thing for thing in rollout.model.scene.things if thing.name == name), None)
    return float(thing.body.radius) if thing is not None and thing.shape.by_centre else None


def _ring(place: Array, colour: theme.Colour, diameter: float) -> Marker:
    return Marker(place, theme.unit(colour), diameter, "ring", 0.9, on_top=True)
