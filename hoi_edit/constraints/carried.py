"""What was taken up from where it lay, with both hands, is carried as people do: level, and in front of the body.

Nothing in a clip of somebody without a box says so: the hand that carries turns as it did, and the box with it, through
the legs. Level: a row at each of some times of the hold, where the thing is tilted by nearly as much as it may be; its
turn about the vertical is free. In front: hulls apart, of the thing and all of the body but the arms.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import ANGLE, Named, Rowset, freeze
from hoi_edit.constraints.hulls_apart import hulls_apart
from hoi_edit.constraints.taking_hand import turn_to
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import named
from hoi_edit.scene.arms import arm_of
from hoi_edit.simulate.trajectory import Span
from kinematics.rotation import Floats

MOST = 0.2  # [rad]
NEARLY = 0.1  # [rad] below that: there is a row already
EACH = 0.1  # [s] between looks
OFTEN = 0.05  # [s] between looks at what it may go through
LEAST = 1e-6  # [rad] a smaller tilt has no direction
ALWAYS = (-np.inf, np.inf)  # [s]


@dataclass(frozen=True, eq=False)
class CarriedLevel(Named):
    """Of one hold."""

    contact: str  # id of the grasp
    thing: str
    up: Floats  # (3,) what of the thing was up where it lay, in its own frame
    vertical: Floats  # (3,)
    looked_at: tuple[float, float] = ALWAYS  # [s]

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
        for time in _looks(span, self.looked_at, EACH):
            way = turn_to(seen.state_in(self.thing, float(time), k).rotation @ self.up, self.vertical)
            tilt = float(np.linalg.norm(way))
            if tilt > max(MOST - NEARLY, LEAST):
                on = np.zeros((1, 12))
                on[0, 3:6] = way / tilt
                functional = Functional(1, things=[(Target(self.thing, float(time), k), on)])
                row_sets.append(Rowset(self.about, functional, np.array([tilt - MOST]), np.array([np.inf]), ANGLE))
        return row_sets


@dataclass(frozen=True, eq=False)
class CarriedClear(Named):
    """Of one hold, and of who holds."""

    contact: str  # id of the grasp
    thing: str
    parts: tuple[str, ...]  # "ann/left_thigh", …
    looked_at: tuple[float, float] = ALWAYS  # [s]

    @property
    def about(self) -> Finding:
        return Finding("carried clear", self.thing, self.parts[0].partition("/")[0])

    @staticmethod
    def of(seen: Rollout, contact: str) -> "CarriedClear":
        """Of all of the body but the arms that hold."""
        scene = seen.model.scene
        meant = scene.contact(contact)
        character, _, _ = scene.place(meant.carrier)
        skeleton, arms = character.skeleton, set[int]()
        for site in named(meant.other):
            owner, segment, _ = scene.place(site)
            arms |= set(arm_of(skeleton, segment)) if owner is character else set()
        return CarriedClear(
            contact, meant.object,
            tuple(f"{character.name}/{name}" for k, name in enumerate(skeleton.names) if k not in arms),
        )  # fmt: skip

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        if self.contact not in seen.happened:
            return []
        k = seen.happened[self.contact][1] + 1
        span = seen.trajectories.chains[self.thing].spans[k]
        times = _looks(span, self.looked_at, OFTEN)
        row_sets: list[Rowset] = []
        for part in self.parts:
            row_sets += hulls_apart(seen, self.about, (self.thing, k), part, times, np.zeros(len(times)))
        return row_sets


def _looks(hold: Span, between: tuple[float, float], each: float) -> Floats:
    """The multiples of a step in a hold and between two times."""
    start, end = max(hold.start, between[0]), min(hold.end, between[1])
    return np.arange(np.ceil(start / each), np.floor(end / each) + 1) * each
