"""A soft catch: the hand goes along with the ball, so that they meet at no more than a given speed."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import SPEED, Named, Rowset
from hoi_edit.constraints.partner import partner_at
from hoi_edit.constraints.references import check_positive
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from kinematics.errors import HoiError
from kinematics.rotation import cross


@dataclass(frozen=True, eq=False)
class SoftCatch(Named):
    contact: str
    fastest: float = 1.0  # [m/s]

    @property
    def about(self) -> Finding:
        return Finding("soft catch", self.contact)

    def check(self, seen: Rollout) -> None:
        seen.model.scene.contact(self.contact)
        check_positive(self.label, "the fastest", self.fastest, zero=True)
        if self.contact not in seen.happened:
            raise HoiError(f"contact {self.contact!r} does not happen in this scene, so it cannot be made soft")

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        if self.contact not in seen.happened:
            return []
        thing, k = seen.happened[self.contact]
        event = seen.trajectories.chains[thing].events[k]
        hand = partner_at(seen, self.contact, event.time)
        state = seen.state_in(thing, event.time, k)
        arm = state.position - hand.position
        relative = state.velocity - hand.velocity - cross(hand.spin, arm)
        speed = float(np.linalg.norm(relative))
        along = (relative / max(speed, 1e-9))[None]
        zero = np.zeros((1, 3))
        ball = np.concatenate([zero, zero, along, zero], axis=1)
        part = np.concatenate([zero, zero, -along, -cross(arm, along)], axis=1)
        functional = Functional(
            1, things=[(Target(thing, event.time, k), ball)], frames=[(hand.frame, event.time, part)]
        )
        return [Rowset(self.about, functional, np.array([-np.inf]), np.array([self.fastest - speed]), SPEED)]
