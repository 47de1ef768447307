"""A joint is to stand at an angle at a time: what a drag of a point of its curve asks for."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import ANGLE, METRE, Named, Rowset
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Character, Scene
from kinematics.errors import HoiError, unknown


@dataclass(frozen=True, eq=False)
class Bend(Named):
    """One degree of freedom of a body, "juggler/right_forearm.Xrotation", as its clip names it.

    As a drag it gives way where not everything can be met, and leaves nothing behind.
    """

    name: str
    t: float
    to: float  # [rad]; of a position [m]

    def __post_init__(self) -> None:
        if not np.isfinite(self.to):
            raise HoiError(f"the value that {self.name!r} is to have at {self.t:g} s must be a number")

    @property
    def about(self) -> Finding:
        return Finding("bend", self.name, time=float(self.t))

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        character, dof = degree_of_freedom(seen.model.scene, self.name)
        now = value_of(seen, self.name, self.t)
        on = np.zeros((1, character.skeleton.n_dofs))
        on[0, dof] = 1.0
        functional = Functional(1, poses=[(character.name, self.t, on, np.zeros_like(on))])
        unit = ANGLE if turns(character, dof) else METRE
        return [Rowset.equal(self.about, functional, np.array([self.to - now]), unit, soft=True)]


def is_degree_of_freedom(name: str) -> bool:
    """Whether a name speaks of one: points of bodies have no dot in theirs."""
    return "." in name.partition("/")[2]


def degree_of_freedom(scene: Scene, name: str) -> tuple[Character, int]:
    """Whose it is, and which of its numbers."""
    owner, _, dof = name.partition("/")
    character = scene.character(owner)
    names = character.skeleton.topology.dof_names
    if dof not in names:
        raise unknown(f"degree of freedom of {owner!r}", dof, names)
    return character, names.index(dof)


def turns(character: Character, dof: int) -> bool:
    """Whether it is an angle, and not a place."""
    return character.skeleton.topology.dof_kinds[dof] == "rotation"


def value_of(seen: Rollout, name: str, t: float) -> float:
    """What a degree of freedom is at a time [rad] or [m]."""
    character, dof = degree_of_freedom(seen.model.scene, name)
    return float(seen.poses(character.name, np.array([t]))[0, dof])
