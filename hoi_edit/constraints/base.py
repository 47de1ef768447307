"""What a constraint is: numbers of a replayed scene that are to lie between bounds.

A constraint says which numbers (`Functional`: linear in states of things, frames and poses near the present scene) and
by how much they may or must change. Derivatives are `hoi_edit.adjoint`'s, so no constraint brings a Jacobian.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from kinematics.rotation import Floats

METRE, SPEED, ANGLE, SPIN, TIME = 0.05, 0.5, 0.1, 5.0, 0.02  # what counts as one: 5 cm, 0.5 m/s, ...


def frozen(values: Any, dtype: Any = None) -> np.ndarray:
    """A read-only copy: who made a constraint of an array may go on to change that array."""
    array = np.array(values, dtype)
    array.flags.writeable = False
    return array


def freeze(owner: Any, *names: str) -> None:
    """Numbers of a frozen dataclass as arrays of its own."""
    for name in names:
        object.__setattr__(owner, name, frozen(getattr(owner, name), float))


@dataclass(frozen=True, eq=False)
class Rowset:
    """Rows of one owner: its numbers shall change by something between `lower` and `upper`."""

    owner: Finding  # what wants them; of a constraint that has but a label, that may be given instead
    functional: Functional
    lower: Floats  # (k,)
    upper: Floats  # (k,)
    unit: float | Floats = METRE  # what counts as one, of all or of each
    soft: bool = False  # gives way when not everything can be met

    def __post_init__(self) -> None:
        if isinstance(self.owner, str):
            object.__setattr__(self, "owner", Finding("constraint", self.owner))

    @staticmethod
    def equal(
        owner: Finding, functional: Functional, change: Floats, unit: float | Floats = METRE, soft: bool = False
    ) -> "Rowset":
        change = np.asarray(change, float)
        return Rowset(owner, functional, change, change, unit, soft)

    @property
    def miss(self) -> Floats:
        """(k,) how far each number is outside its bounds as things are."""
        return np.maximum(self.lower, 0.0) + np.maximum(-self.upper, 0.0)

    @cached_property
    def amiss(self) -> float:
        """How far they are outside in all: the square of the misses, each in its unit."""
        miss = self.miss / self.unit
        return float(miss @ miss)


class Constraint(Protocol):
    """Frozen data, so that it can be stored; `rows` reads the scene as it is.

    One that has a method `check(seen)` is asked before it is added, and raises if it makes no sense in that scene.
    """

    @property
    def label(self) -> str:
        """A name for people."""
        ...

    def rows(self, seen: Rollout) -> Sequence[Rowset]: ...


class Named:
    """What a constraint is called is said of the record of what it is about, as everything that reports tell."""

    @property
    def about(self) -> Finding:
        raise NotImplementedError

    @property
    def label(self) -> str:
        return str(self.about)


def about(constraint: Constraint) -> Finding:
    """The record of a constraint, which of somebody else's may be nothing but a name."""
    return constraint.about if isinstance(constraint, Named) else Finding("constraint", constraint.label)
