"""What was taken up from where it lay, with both hands, is carried about as it lay: nobody tips a box on the way.

A row at each of some times of the hold, where the thing is tilted by nearly as much as it may be. Its turn about the
vertical is free.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import ANGLE, Named, Rowset, freeze
from hoi_edit.constraints.grip import turn_to
from hoi_edit.findings import Finding
from hoi_edit.rollout import Rollout
from kinematics.rotation import Floats

MOST = 0.2  # [rad]
NEARLY = 0.1  # [rad] below that: there is a row already
EACH = 0.1  # [s] between looks
LEAST = 1e-6  # [rad] a smaller tilt has no direction


@dataclass(frozen=True, eq=False)
class CarriedLevel(Named):
    """Of one hold."""

    contact: str  # id of the grasp
    thing: str
    up: Floats  # (3,) what of the thing was up where it lay, in its own frame
    vertical: Floats  # (3,)

    def __post_init__(self) -> None:
        freeze(self, "up", "vertical")

    @property
    def about(self) -> Finding:
        return Finding("level", self.thing)

    @staticmethod
    def of(seen: Rollout, contact: str) -> "CarriedLevel":
        """As it lies until it is taken."""
        scene = seen.model.scene
        thing, k = seen.happened[contact]
        lies = seen.state_in(thing, scene.contact(contact).time, k)
        vertical = -np.asarray(scene.gravity, float) / np.linalg.norm(scene.gravity)
        return CarriedLevel(contact, thing, lies.rotation.T @ vertical, vertical)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        if self.contact not in seen.happened:
            return []
        k = seen.happened[self.contact][1] + 1
        span = seen.trajectories.chains[self.thing].spans[k]
        row_sets = []
        for time in np.arange(np.ceil(span.start / EACH), np.floor(span.end / EACH) + 1) * EACH:
            way = turn_to(seen.state_in(self.thing, float(time), k).rotation @ self.up, self.vertical)
            tilt = float(np.linalg.norm(way))
            if tilt > max(MOST - NEARLY, LEAST):
                on = np.zeros((1, 12))
                on[0, 3:6] = way / tilt
                functional = Functional(1, things=[(Target(self.thing, float(time), k), on)])
                row_sets.append(Rowset(self.about, functional, np.array([tilt - MOST]), np.array([np.inf]), ANGLE))
        return row_sets
