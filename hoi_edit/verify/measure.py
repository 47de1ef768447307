"""What was measured: a claim, where and when, by how much it is off, and how much is allowed."""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Measure:
    kind: str  # the class it belongs to in the summary: "flight", "gap", "pin", …
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
        off, allowed = _number(self.off, self.unit), f"allowed {_number(self.allowed, self.unit)}"
        if not self.is_off:
            return f"{self.what}{when}: off by {off}, {allowed}"
        if self.broken is None:
            return f"not so: {self.what}{when}; off by {off}, {allowed}"
        return f"{self.broken}{when}, by {off}; {allowed}"


def _number(value: float, unit: str) -> str:
    return f"{value:.2g}{' ' if unit else ''}{unit}"


def worst(measures: Iterable[Measure]) -> dict[tuple[str, str], Measure]:
    """The worst of each class and unit, relative to what it may be; numbers that are none before all others."""
    worst_of_class: dict[tuple[str, str], Measure] = {}
    for measure in measures:
        known = worst_of_class.get((measure.kind, measure.unit))
        if known is None or _badness(measure) > _badness(known):
            worst_of_class[measure.kind, measure.unit] = measure
    return worst_of_class


def _badness(measure: Measure) -> tuple[float, float]:
    off = np.inf if np.isnan(measure.off) else measure.off
    return (off / measure.allowed if measure.allowed > 0.0 else (np.inf if off > 0.0 else 0.0)), off


def summary(measures: Iterable[Measure]) -> str:
    """One line: the worst figure of each class."""
    figures = [f"{measure.kind} {_number(measure.off, measure.unit)}" for measure in worst(measures).values()]
    return ", ".join(figures)
