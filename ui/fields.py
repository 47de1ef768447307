"""Numbers of a thing, a person or a fixture that can be typed anew, in the units that people use for them. No widgets
here."""

from __future__ import annotations

from dataclasses import dataclass

from hoi_edit.editing.changing import Owner, values_of

ORDER = ("mass", "radius", "restitution", "friction")
GRAMS_BELOW = 1.0  # [kg]


@dataclass(frozen=True)
class Field:
    name: str  # as `EditSession.change_thing` and `change_material` call it
    shown: float
    unit: str = ""
    scale: float = 1.0  # of what is shown to SI

    def differs(self, typed: float) -> bool:
        """Whether somebody wants another number, or has only looked at this one, which is rounded."""
        return f"{typed:.4g}" != f"{self.shown:.4g}"

    def value(self, typed: float) -> float:
        """What was typed, in SI, without the noise of a field that knows seven digits."""
        return float(f"{typed:.6g}") * self.scale


def fields_of(owner: Owner) -> list[Field]:
    found = []
    for name, value in sorted(values_of(owner).items(), key=lambda own: ORDER.index(own[0])):
        if name == "mass" and value < GRAMS_BELOW:
            found.append(Field(name, 1e3 * value, "g", 1e-3))
        elif name == "radius":
            found.append(Field(name, 1e3 * value, "mm", 1e-3))
        else:
            found.append(Field(name, value, "kg" if name == "mass" else ""))
    return found
