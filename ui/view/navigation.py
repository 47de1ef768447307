"""How the mouse moves the camera: the habits of Maya (alt and a button), and the middle button alone as in Blender."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from ui.view.camera import HALF_PI, LARGEST_DISTANCE, Camera

Move = Literal["orbit", "pan", "zoom"]
Button = Literal["left", "middle", "right"]

TURN = 0.0065  # [rad] per pixel
ZOOM = 0.006  # natural logarithm of the distance per pixel
NOTCH = 0.88  # of the distance per notch of the wheel
MARGIN = 1.15  # of what is framed to what is seen
AROUND = 8  # directions on the level from which all of it is seen
NEAREST = 0.5  # [m] for one point
CLOSE = 1e-3  # [rad] to a named view

# azimuth, elevation; in front of a person that looks along +Z
VIEWS: Mapping[str, tuple[float, float]] = {
    "front": (0.0, 0.0),
    "back": (float(np.pi), 0.0),
    "right": (HALF_PI, 0.0),
    "left": (-HALF_PI, 0.0),
    "top": (0.0, HALF_PI),
    "bottom": (0.0, -HALF_PI),
}


@dataclass(frozen=True)
class Modifiers:
    alt: bool = False
    shift: bool = False
    ctrl: bool = False


def move_of(button: Button, keys: Modifiers) -> Move | None:
    """What a drag with this button does to the camera; None: it is not the camera's."""
    if keys.alt:
        moves: dict[Button, Move] = {"left": "orbit", "middle": "pan", "right": "zoom"}
        return moves[button]
    if button != "middle":
        return None
    return "pan" if keys.shift else "zoom" if keys.ctrl else "orbit"


def moved(camera: Camera, move: Move, dx: float, dy: float, height: int) -> Camera:
    """The camera after the pointer went dx, dy pixels, in a picture of this height."""
    if move == "orbit":
        # as in Blender: whoever turns away from the front, side or top sees in perspective again
        flat = camera.orthographic and named(camera) is None
        return replace(camera.orbit(-TURN * dx, TURN * dy), orthographic=flat)
    if move == "pan":
        scale = camera.metres_per_pixel(height)
        return camera.pan(-scale * dx, scale * dy)
    return camera.dolly(float(np.exp(-ZOOM * (dx - dy))))


def wheeled(camera: Camera, notches: float) -> Camera:
    return camera.dolly(NOTCH**notches)


def looking(camera: Camera, view: str, orthographic: bool = True) -> Camera:
    """From one of the VIEWS, at the same target and distance."""
    azimuth, elevation = VIEWS[view]
    return replace(camera, azimuth=float(azimuth % (2 * np.pi)), elevation=elevation, orthographic=orthographic)


def named(camera: Camera) -> str | None:
    """Which of the VIEWS it is, if it is one."""
    for name, (azimuth, elevation) in VIEWS.items():
        turn = (camera.azimuth - azimuth + np.pi) % (2 * np.pi) - np.pi
        if abs(turn) < CLOSE and abs(camera.elevation - elevation) < CLOSE:
            return name
    return None


def flattened(camera: Camera) -> Camera:
    """With perspective, or without."""
    return replace(camera, orthographic=not camera.orthographic)


def framed(camera: Camera, points: ArrayLike, aspect: float, margin: float = MARGIN) -> Camera:
    """From the same direction, but so that all points are seen from there and while walking around them: whoever frames
    a person from above and then looks from the front is not to see the belt only."""
    p = np.asarray(points, dtype=float).reshape(-1, 3)
    if len(p) == 0:
        return camera
    middle = (p.min(axis=0) + p.max(axis=0)) / 2.0
    around = [(azimuth, 0.0) for azimuth in np.arange(AROUND) * 2.0 * np.pi / AROUND]
    looks = [camera, *(replace(camera, azimuth=a, elevation=e) for a, e in around)]
    tan = np.tan(camera.fov_y / 2.0) / margin
    distance = 0.0
    for look in looks:
        right, up, towards = ((p - middle) @ look.axes.T).T
        # also where there is no perspective: whoever turns the camera has it again, and is to see all of it then
        distance = max(distance, float(np.max(towards + np.maximum(np.abs(right) / aspect, np.abs(up)) / tan)))
    distance = float(np.clip(distance, NEAREST, LARGEST_DISTANCE))
    return replace(camera, target=middle, distance=distance, far=max(camera.far, 3.0 * distance))


def following(camera: Camera, before: ArrayLike, now: ArrayLike) -> Camera:
    """Moved along with what is followed, which has moved from one place to another."""
    return replace(camera, target=np.asarray(camera.target) + np.asarray(now, float) - np.asarray(before, float))
