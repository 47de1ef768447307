"""A drag of a joint's angle, or of a body's place: as a drag of a point, with one number for a target."""

from typing import Any

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.bend import Bend, degree_of_freedom, turns, value_of
from hoi_edit.constraints.references import check_time
from hoi_edit.edit.document import Call
from hoi_edit.edit.gesture import Gesture
from hoi_edit.rollout import Rollout
from hoi_edit.scene.arguments import check_radians, is_number
from kinematics.errors import HoiError


class Bending(Gesture):
    """Of a degree of freedom, "juggler/right_forearm.Xrotation". Its `value` is where it began [rad] or [m]."""

    def _take_hold(self) -> None:
        check_time(self.origin.rollout, self.label, self.t)
        self.value = value_of(self.origin.rollout, self.name, self.t)
        self.target = self.value

    def _aimed(self, to: Any, **_: Any) -> tuple[Constraint, ...]:
        to = to.item() if isinstance(to, np.ndarray) and to.ndim == 0 else to  # a number all the same
        if not is_number(to):
            raise HoiError(f"the value that {self.name!r} is to have at {self.t:g} s is {to}; it must be one number")
        if turns(*degree_of_freedom(self.origin.rollout.model.scene, self.name)):
            check_radians(f"a turn of {self.name} to", float(to), self.value)
        self.target = float(to)
        return (Bend(self.name, self.t, self.target),)

    def _part_of(self, aim: Constraint, share: float, seen: Rollout) -> Constraint:
        if not isinstance(aim, Bend):
            return aim
        return Bend(aim.name, aim.t, self.value + share * (aim.to - self.value))

    @property
    def label(self) -> str:
        return f"bend {self.name} at {self.t:.2f} s"

    @property
    def call(self) -> Call:
        return Call("bend", {"name": self.name, "t": self.t, "to": self.target, **self._way})
