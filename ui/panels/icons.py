"""Small pictures for buttons, which the font does not have: white on nothing, buttons give them their colour."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray
from PIL import Image, ImageDraw

FINE = 8  # times finer than they are shown, and then smoothed
Pen = Callable[[ImageDraw.ImageDraw, float], None]


def _eye(draw: ImageDraw.ImageDraw, n: float) -> None:
    """Two arcs and a pupil; `n` is how many pixels the side of the picture has."""
    wide = max(1, round(0.085 * n))
    draw.arc((0.02 * n, 0.20 * n, 0.98 * n, 1.16 * n), 208, 332, 255, wide)
    draw.arc((0.02 * n, -0.16 * n, 0.98 * n, 0.80 * n), 28, 152, 255, wide)
    draw.ellipse((0.36 * n, 0.34 * n, 0.64 * n, 0.62 * n), 255)


def _no_eye(draw: ImageDraw.ImageDraw, n: float) -> None:
    draw.arc((0.02 * n, -0.16 * n, 0.98 * n, 0.80 * n), 28, 152, 255, max(1, round(0.085 * n)))


def _body_of_lock(draw: ImageDraw.ImageDraw, n: float) -> None:
    draw.rounded_rectangle((0.18 * n, 0.46 * n, 0.82 * n, 0.92 * n), 0.08 * n, 255)


def _lock(draw: ImageDraw.ImageDraw, n: float) -> None:
    wide = max(1, round(0.1 * n))
    draw.arc((0.28 * n, 0.08 * n, 0.72 * n, 0.60 * n), 180, 360, 255, wide)
    for x in (0.28, 0.72 - 0.1):
        draw.rectangle((x * n, 0.33 * n, (x + 0.1) * n, 0.50 * n), 255)
    _body_of_lock(draw, n)


def _open_lock(draw: ImageDraw.ImageDraw, n: float) -> None:
    wide = max(1, round(0.085 * n))
    draw.arc((0.50 * n, 0.08 * n, 0.94 * n, 0.56 * n), 180, 360, 255, wide)
    draw.rectangle((0.50 * n, 0.31 * n, 0.585 * n, 0.50 * n), 255)
    draw.rounded_rectangle((0.10 * n, 0.46 * n, 0.74 * n, 0.92 * n), 0.08 * n, None, 255, wide)


ICONS: dict[str, Pen] = {"eye": _eye, "no_eye": _no_eye, "lock": _lock, "open_lock": _open_lock}


def picture(name: str, pixels: int) -> NDArray[np.float32]:
    """(pixels, pixels, 4) in 0..1."""
    large = Image.new("L", (FINE * pixels, FINE * pixels))
    ICONS[name](ImageDraw.Draw(large), FINE * pixels)
    alpha = np.asarray(large.resize((pixels, pixels), Image.Resampling.BOX), dtype=np.float32) / 255.0
    return np.concatenate([np.ones((pixels, pixels, 3), np.float32), alpha[..., None]], axis=2)
