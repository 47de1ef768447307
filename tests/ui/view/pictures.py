"""Small pictures for tests of the renderer, and what a pixel of them is."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace

import numpy as np
import pytest

from ui.view.camera import Camera
from ui.view.drawing import Drawing, Solid
from ui.view.renderer import Renderer, RendererUnavailable

WIDTH, HEIGHT = 320, 240
RED, GREEN, WHITE = (0.9, 0.1, 0.1), (0.1, 0.8, 0.2), (1.0, 1.0, 1.0)
CAMERA = Camera(target=(0.0, 1.0, 0.0), distance=4.0, azimuth=0.4, elevation=0.3)
LEVEL = Camera(target=(0.0, 1.0, 0.0), distance=4.0, azimuth=0.0, elevation=0.0)
BARE = Drawing(ground=False)


@contextmanager
def drawn() -> Iterator[Renderer]:
    """A renderer, if this computer can have one."""
    try:
        made = Renderer(WIDTH, HEIGHT)
    except RendererUnavailable as error:
        pytest.skip(str(error))
    with made:
        yield made


def ball(at: tuple[float, float, float], radius: float, colour: tuple[float, ...] = RED, alpha: float = 1.0) -> Solid:
    return Solid("sphere", at, np.eye(3), (radius, 0.0, 0.0), colour, alpha)


def pixel(picture: np.ndarray, camera: Camera, point: object) -> np.ndarray:
    x, y, _ = camera.project(point, WIDTH, HEIGHT)  # type: ignore[arg-type]
    return np.array(picture[int(y), int(x), :3], dtype=float)


def luminance(rgb: np.ndarray) -> float:
    return float(rgb[..., :3] @ [0.2126, 0.7152, 0.0722])


def covered(renderer: Renderer, camera: Camera, drawing: Drawing) -> np.ndarray:
    """Fraction of the way from the empty picture to pure white, per pixel: for white things on a black ground."""
    black = replace(drawing, ground=False, background_top=(0, 0, 0), background_horizon=(0, 0, 0))
    return renderer.render(camera, black)[..., :3].mean(axis=-1) / 255.0
