"""Which times and values are where in a panel: the only ones that know pixels."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

SECONDS = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 30.0, 60.0)  # between ticks
VALUES = (0.01, 0.02, 0.05, 0.1, 0.2, 0.5, 1.0, 2.0, 5.0, 10.0, 20.0, 45.0, 90.0, 180.0)
CLOSEST_SECONDS, CLOSEST_VALUES = 64.0, 20.0  # [px] between ticks


@dataclass(frozen=True)
class Scale:
    """Which times are where: start..end across `width` pixels from `left`."""

    start: float
    end: float
    left: float
    width: float

    def x(self, t: float) -> float:
        return self.left + (t - self.start) / (self.end - self.start) * self.width

    def t(self, x: float) -> float:
        return self.start + (x - self.left) / self.width * (self.end - self.start)

    def zoomed(self, about: float, factor: float, low: float, high: float) -> Scale:
        """The times `factor` times as long, with the pixel of `about` kept, within low..high."""
        length = min(max((self.end - self.start) * factor, 0.2), high - low)
        share = (about - self.start) / (self.end - self.start)
        start = min(max(about - share * length, low), high - length)
        return replace(self, start=start, end=start + length)

    def panned(self, pixels: float, low: float, high: float) -> Scale:
        length = self.end - self.start
        start = min(max(self.start - pixels / self.width * length, low), high - length)
        return replace(self, start=start, end=start + length)

    def ticks(self) -> tuple[list[float], float]:
        """Round times that are not too close, and the step between them."""
        per_second = self.width / (self.end - self.start)
        step = next((step for step in SECONDS if step * per_second >= CLOSEST_SECONDS), SECONDS[-1])
        first = int(-(-self.start // step))
        last = int((self.end + 1e-9) // step)
        return [k * step for k in range(first, last + 1)], step


@dataclass(frozen=True)
class Axis:
    """Which values are where: low at the bottom, high at the top."""

    low: float
    high: float
    top: float
    height: float

    def y(self, value: Any) -> Any:
        return self.top + (self.high - value) / (self.high - self.low) * self.height

    def value(self, y: float) -> float:
        return self.high - (y - self.top) / self.height * (self.high - self.low)

    def ticks(self) -> tuple[list[float], int]:
        """Round values that are not too close, and how many digits they need."""
        per_unit = self.height / (self.high - self.low)
        step = next((step for step in VALUES if step * per_unit >= CLOSEST_VALUES), VALUES[-1])
        first, last = int(np.ceil(self.low / step - 1e-9)), int(np.floor(self.high / step + 1e-9))
        return [k * step for k in range(first, last + 1)], 2 if step < 0.1 else 1 if step < 1.0 else 0
