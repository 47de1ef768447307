"""What was measured: a claim, where and when, by how much it is off, and how much is allowed."""

from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Measure:
    kind: str  # the class it belongs to in the report: "flight", "gap", "pin", …
    what: str  # the claim, as the beginning of a sentence
    time: float | None  # [s]
    off: float
    allowed: float
    unit: str = "m"
    broken: str | None = None  # what is so instead, where that can be said: by `off`
    thing: str | None = None  # that a hand has let go, of "let go"

    @property
    def is_off(self) -> bool:
        """A number that is none is off as well."""
        return not self.off <= self.allowed

    def __str__(self) -> str:
        """A claim that does not hold must not read as if it did."""
        when = "" if self.time is None else f" at {self.time:.4f} s"
        off, allowed = number(self.off, self.unit), f"allowed {number(self.allowed, self.unit)}"
        if not self.is_off:
            return f"{self.what}{when}: off by {off}, {allowed}"
        if self.broken is None:
            return f"not so: {self.what}{when}; off by {off}, {allowed}"
        return f"{self.broken}{when}, by {off}; {allowed}"


def number(value: float, unit: str) -> str:
    return f"{value:.2g}{' ' if unit else ''}{unit}"


def badness(measure: Measure) -> tuple[float, float]:
    """Relative to what is allowed; numbers that are none before all others."""
    off = np.inf if np.isnan(measure.off) else measure.off
    return (off / measure.allowed if measure.allowed > 0.0 else (np.inf if off > 0.0 else 0.0)), off
