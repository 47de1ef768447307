"""A thing that is to be hit and what it is hit with come together: at a place of the latter, and fast enough.

That is for the way to a hit that is not there yet. Once it happens, its contact is kept as any other.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.constraints.base import METRE, SPEED, Named, Rowset, freeze
from hoi_edit.constraints.partner import closing, partner
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class BroughtToClub(Named):
    """Of a ball with something in a hand."""

    contact: str  # the id of the hit that is to be
    thing: str
    club: str
    time: float
    place: Floats  # (3,) of the ball's centre, in the club's own frame
    normal: Floats  # (3,) out of the club there, in that frame
    approach: float  # [m/s] at which they meet at least

    def __post_init__(self) -> None:
        freeze(self, "place", "normal")

    @property
    def about(self) -> Finding:
        return Finding("contact", self.contact)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        span = seen.flight_before(self.thing, self.time)  # whatever it hits by chance on the way
        now, club = seen.state_in(self.thing, self.time, span), partner(seen, self.club, self.time)
        arm, target = now.position - club.position, Target(self.thing, self.time, span)
        functional = club.apart(target, arm, np.eye(3))
        row_sets = [Rowset.equal(self.about, functional, club.rotation @ self.place - arm, METRE)]
        normal = club.rotation @ self.normal
        relative = now.velocity - club.velocity - np.cross(club.spin, arm)
        rate = float(normal @ relative)
        if rate > -2.0 * self.approach:
            leaving = club.functional(target, *closing(arm, relative, normal, club.spin))
            row_sets.append(Rowset(self.about, leaving, np.array([-np.inf]), np.array([-self.approach - rate]), SPEED))
        return row_sets
