"""Drags and pins: a thing, or a point of a body, is to be somewhere, turned somehow or fast somehow at a time."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hoi_edit.constraints.base import ANGLE, METRE, SPEED, Rowset
from hoi_edit.linearise import Functional, Target
from hoi_edit.simulation import Rollout
from kinematics.errors import HoiError
from kinematics.rotation import Floats, rotation_between


@dataclass(frozen=True, eq=False)
class Pin:
    """Stays in the document until it is taken out.

    `after` binds it to a flight: the one that the contact of this id begins ("" the first), however long it lasts.
    Of `position` and `velocity` entries that are NaN are left open.
    """

    name: str  # "ball1", "juggler/right_hand"
    t: float
    position: Any = None  # (3,) [m]
    rotation: Any = None  # (3, 3)
    velocity: Any = None  # (3,) [m/s]
    after: str | None = None

    def __post_init__(self) -> None:
        for what in ("position", "velocity"):
            value = getattr(self, what)
            if value is not None:
                if np.shape(value) != (3,) or np.any(np.isinf(np.asarray(value, float))):
                    raise HoiError(f"the {what} that {self.name!r} is to have at {self.t:g} s must be three numbers")
                object.__setattr__(self, what, np.asarray(value, float))
        if self.position is None and self.velocity is None and self.rotation is None:
            raise HoiError(f"a pin of {self.name!r} needs a position, a rotation or a velocity")

    soft = False

    @property
    def label(self) -> str:
        return f"pin of {self.name} at {self.t:.2f} s"

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        span = seen.span_index(self.name, self.t, self.after)
        now = seen.state_in(self.name, self.t, span)
        target = Target(self.name, self.t, span)
        found = []
        for first, value, is_, unit in (
            (0, self.position, now.position, METRE),
            (6, self.velocity, now.velocity, SPEED),
        ):
            if value is not None:
                axes = np.flatnonzero(np.isfinite(value))
                found.append(self._rowset(target, first + axes, (value - is_)[axes], unit))
        if self.rotation is not None:
            found.append(self._rowset(target, np.arange(3, 6), rotation_between(self.rotation, now.rotation), ANGLE))
        return found

    def _rowset(self, target: Target, numbers: Any, change: Floats, unit: float) -> Rowset:
        functional = Functional(len(numbers), things=[(target, np.eye(12)[numbers])])
        return Rowset.equal(self.label, functional, change, unit, self.soft)


@dataclass(frozen=True, eq=False)
class Drag(Pin):
    """A pin while the mouse is down: it gives way where not everything can be met, and leaves nothing behind."""

    soft = True

    @property
    def label(self) -> str:
        return f"drag of {self.name} at {self.t:.2f} s"
