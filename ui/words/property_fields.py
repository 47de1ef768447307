"""Numbers of a thing, a person or a fixture that can be typed anew, in the units that people use for them. No widgets
here."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from hoi_edit.edit.thing_changes import Owner, values_of

ORDER = ("mass", "radius", "restitution", "friction")
AXES = ("x", "y", "z")  # of a place
GRAMS_BELOW = 1.0  # [kg]
UNITS = {"g": 1e-3, "kg": 1.0, "mm": 1e-3, "cm": 1e-2, "m": 1.0}  # that may be typed behind a number
KINDS = ({"g", "kg"}, {"mm", "cm", "m"})  # those of one kind can stand for each other
_NUMBER = re.compile(r"([-+]?(?:\d+[.,]?\d*|[.,]\d+)(?:[eE][-+]?\d+)?)\s*([a-z]*)")


@dataclass(frozen=True)
class Field:
    name: str  # as `EditSession.change_thing` and `change_material` call it
    shown: float
    unit: str = ""
    scale: float = 1.0  # of what is shown to SI

    @property
    def text(self) -> str:
        return f"{self.shown:.4g}"

    @property
    def words(self) -> str:
        """With its unit."""
        return f"{self.text} {self.unit}".rstrip()

    def read(self, typed: str) -> float | None:
        """A number, perhaps with a unit of its own ("0.2 kg" where grams are shown); None if it is none."""
        match = _NUMBER.fullmatch(typed.strip())
        if match is None:
            return None
        number, unit = float(match[1].replace(",", ".")), match[2] or self.unit
        if unit == self.unit:
            return number
        alike = any({unit, self.unit} <= kind for kind in KINDS)
        return number * UNITS[unit] / UNITS[self.unit] if alike else None

    def differs(self, typed: float) -> bool:
        """Whether somebody wants another number, or has only looked at this one, which is rounded."""
        return f"{typed:.4g}" != f"{self.shown:.4g}"

    def value(self, typed: float) -> float:
        """What was typed, in SI, without the noise of a field that knows seven digits."""
        return float(f"{typed:.6g}") * self.scale


def place_fields(position: NDArray[np.float64]) -> list[Field]:
    """Where a thing is, to be typed: centimetres are what people look at, millimetres what they see."""
    return [Field(axis, round(float(value), 4) + 0.0, "m") for axis, value in zip(AXES, position, strict=True)]


def fields_of(owner: Owner) -> list[Field]:
    return [
        field_of(name, value) for name, value in sorted(values_of(owner).items(), key=lambda pair: ORDER.index(pair[0]))
    ]


def field_of(name: str, value: float) -> Field:
    """A value in SI, in the unit that fits it."""
    if name == "mass" and value < GRAMS_BELOW:
        return Field(name, 1e3 * value, "g", 1e-3)
    if name == "radius":
        return Field(name, 1e3 * value, "mm", 1e-3)
    return Field(name, value, "kg" if name == "mass" else "")
