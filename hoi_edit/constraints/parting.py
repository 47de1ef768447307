"""A hand does not go on into a ball that it has let go: so long after the release it is in it no deeper than before.

Gap and rate are both zero at a release, so no search sees the two before they are clear; `simulate.checks` measures it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.constraints.base import Named, Rowset
from hoi_edit.constraints.partner import partner
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.search import STRUCK, touches_at
from kinematics.rotation import Floats

FARTHER = 0.5  # of the depth at which a hand is noticed: rows are at some times, and it may be deeper between them


@dataclass(frozen=True, eq=False)
class Parting(Named):
    """Of a ball and the hand that let it go."""

    thing: str
    hand: str  # "juggler/right_hand"
    after: str  # the release: "catch5:release"
    wait: float  # [s] since then
    depth: float  # [m] that it may be deeper than at the release

    @property
    def about(self) -> Finding:
        return Finding("parting", self.thing, self.hand)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        chain = seen.trajectories.chains[self.thing]
        span = seen.span_index(self.thing, seen.model.scene.end, self.after)
        if span is None or span == 0 or not chain.spans[span].flies:
            return []
        release = chain.events[span - 1].time
        time = release + self.wait
        if span < len(chain.events) and chain.events[span].time < time:
            return []
        surfaces = seen.model.world.surfaces_of(self.hand)
        held, now = (self._touches(seen, span, surfaces, t) for t in (release, time))
        deepest = int(np.argmin(STRUCK.unpack(now).gap))
        least = min(float(STRUCK.unpack(held[deepest]).gap), 0.0) - FARTHER * self.depth
        struck = STRUCK.unpack(now[deepest])
        arm = struck.before[:3] - struck.frame[:3]
        functional = partner(seen, self.hand, time).apart(Target(self.thing, time, span), arm, struck.normal[None])
        variable = f"{self.after.rpartition(':')[0]}.release"  # with which the time of this look goes
        functional = replace(functional, columns=[(variable, np.array([[struck.rate]]))])
        return [Rowset(self.about, functional, np.array([least - struck.gap]), np.array([np.inf]))]

    def _touches(self, seen: Rollout, span: int, surfaces: Floats, time: float) -> Floats:
        """(S, STRUCK) of the ball and each surface of the hand."""
        flown = seen.trajectories.chains[self.thing].spans[span]
        flight = seen.context.packed_flight(self.thing, flown, time, time)
        flights, times = np.repeat(flight[None], len(surfaces), axis=0), np.full(len(surfaces), time)
        solids, gravity = seen.model.world.solids, seen.context.gravity
        return np.asarray(touches_at(seen.context.moving, solids, surfaces, gravity, flights, times))
