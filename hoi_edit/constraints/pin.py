"""Drags and pins: a thing, or a point of a body, is to be somewhere, turned somehow or fast somehow at a time."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import ANGLE, METRE, SPEED, Named, Rowset, frozen
from hoi_edit.constraints.references import check_point, check_span, check_time
from hoi_edit.reporting.findings import Amount, Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene.arguments import is_number, is_rotation
from kinematics.errors import HoiError
from kinematics.rotation import Floats, rotation_between


def three(what: str, value: Any, name: str, t: float) -> Floats:
    """A place or a velocity that something is to have, as numbers."""
    try:
        numbers = frozen(value, float)
    except (TypeError, ValueError):  # words, or rows of different lengths
        numbers = frozen([])
    if numbers.shape != (3,) or np.any(np.isinf(numbers)):
        raise HoiError(
            f"the {what} that {name!r} is to have at {t:g} s is {value}; it must be three numbers, each finite or NaN, "
            "which leaves it open"
        )
    return numbers


@dataclass(frozen=True, eq=False)
class Pin(Named):
    """Stays in the document until it is taken out.

    `after` binds it to a flight or a hold, however long that lasts, by the event that begins it: "catch5:release" the
    flight after that throw, "catch5:grasp" the hold, "kick2:impact" the flight after that touch, "" the first of all.
    Of `position` and `velocity` entries that are NaN are left open.
    """

    name: str  # "ball1", "juggler/right_hand"
    t: float
    position: Any = None  # (3,) [m]
    rotation: Any = None  # (3, 3)
    velocity: Any = None  # (3,) [m/s]
    after: str | None = None

    def __post_init__(self) -> None:
        if not is_number(self.t):
            raise HoiError(f"the time at which {self.name!r} is to be somewhere is {self.t!r}; it must be in seconds")
        asks = self.rotation is not None
        for what in ("position", "velocity"):
            value = getattr(self, what)
            if value is not None:
                object.__setattr__(self, what, three(what, value, self.name, self.t))
                asks = asks or not np.all(np.isnan(getattr(self, what)))
        if self.rotation is not None:
            object.__setattr__(self, "rotation", self._rotation())
        if not asks:
            raise HoiError(f"a pin of {self.name!r} needs a position, a rotation or a velocity, not NaN alone")

    def _rotation(self) -> Floats:
        if not is_rotation(self.rotation):
            raise HoiError(
                f"the rotation that {self.name!r} is to have at {self.t:g} s is no rotation matrix; it must be three "
                "rows of three, each of length one and square to the others, right-handed"
            )
        return frozen(self.rotation, float)

    def check(self, seen: Rollout) -> None:
        check_point(seen, self.name)
        check_time(seen, self.label, self.t)
        check_span(seen, self.name, self.after)

    soft = False

    @property
    def about(self) -> Finding:
        return Finding("pin", self.name, time=float(self.t))

    @property
    def told_apart(self) -> Finding:
        """The same with what it asks for, beside another one of the same thing at the same time."""
        turn = None if self.rotation is None else rotation_between(self.rotation, np.eye(3))
        asked = ((turn, "rad"), (self.position, "m"), (self.velocity, "m/s"))
        amounts = [Amount(_numbers(value), unit) for value, unit in asked if value is not None]
        return replace(self.about, amounts=tuple(amounts))

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        span = seen.span_index(self.name, self.t, self.after)
        now = seen.state_in(self.name, self.t, span)
        target = Target(self.name, self.t, span)
        row_sets = []
        for first, value, is_, unit in (
            (0, self.position, now.position, METRE),
            (6, self.velocity, now.velocity, SPEED),
        ):
            if value is not None:
                axes = np.flatnonzero(np.isfinite(value))
                row_sets.append(self._rowset(target, first + axes, (value - is_)[axes], unit))
        if self.rotation is not None:
            row_sets.append(self._rowset(target, np.arange(3, 6), rotation_between(self.rotation, now.rotation), ANGLE))
        return row_sets

    def _rowset(self, target: Target, numbers: Any, change: Floats, unit: float) -> Rowset:
        functional = Functional(len(numbers), things=[(target, np.eye(12)[numbers])])
        return Rowset.equal(self.about, functional, change, unit, self.soft)


@dataclass(frozen=True, eq=False)
class Drag(Pin):
    """A pin while the mouse is down: it gives way where not everything can be met, and leaves nothing behind."""

    soft = True

    @property
    def about(self) -> Finding:
        return Finding("drag", self.name, time=float(self.t))


def _numbers(value: Floats) -> tuple[float, ...]:
    """Those of an array; what is open is always the same NaN, so that records of it are equal."""
    return tuple(math.nan if math.isnan(number) else float(number) for number in np.ravel(value))
