"""The second hand on a thing does not pass through it on its way there, nor after it has let go.

A thing that comes into two hands does not see the second one (`discover`): which of them it touches first would be a
matter of round-off. So nothing but these rows keeps that hand out of it. Shortly before a catch, and shortly after a
release, the hand and the thing are at least `OUT` apart, as hulls: a palm that is tilted against a side would have its
fingers in there long before its middle gets to it.

The looks are at fixed times, multiples of `STEP`: the catch is an implicit event, and rows that moved with it would lack
how it depends on everything else.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import Rowset
from hoi_edit.constraints.hulls_apart import hulls_apart
from hoi_edit.rollout import Chain
from hoi_edit.simulation import Rollout
from kinematics.errors import HoiError
from kinematics.rotation import Floats

OUT = 5e-4  # [m]: between two looks a hand that closes strays by less
STEP = 0.005  # [s] between looks
AROUND = 0.1  # [s] before a catch and after a release


@dataclass(frozen=True, eq=False)
class ClosingHand:
    """Of the flights into a hold of two hands and out of it."""

    hold: str  # id of the grasp; of a thing that starts in two hands its name
    thing: str
    site: str  # "thrower/left_palm": the second hand's

    @property
    def label(self) -> str:
        return f"{self.site} clear of {self.thing}"

    @staticmethod
    def of(seen: Rollout, hold: str) -> "ClosingHand":
        scene = seen.model.scene
        site = scene.second_hand(hold)
        if site is None:
            raise HoiError(f"{hold!r} has no second hand; name two sites where it is held")
        starts = any(thing.name == hold for thing in scene.things)
        return ClosingHand(hold, hold if starts else scene.contact(hold).object, site)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        found: list[Rowset] = []
        for span, times in self._looks(seen):
            found += hulls_apart(seen, self.label, (self.thing, span), self.site, times, OUT)
        return found

    def _looks(self, seen: Rollout) -> Iterator[tuple[int, Floats]]:
        """Flights and times in them: before the catch and after the release."""
        chain = seen.trajectories.chains[self.thing]
        for k, event in enumerate(chain.events):
            if event.contact != self.hold:
                continue
            if event.kind == "release":
                yield k + 1, _grid(event.time, min(event.time + AROUND, _end(seen, chain, k + 1)))
            elif chain.spans[k].kind == "flight":
                begun = chain.events[k - 1].time if k > 0 else seen.model.scene.start
                yield k, _grid(max(event.time - AROUND, begun), event.time)


def _grid(begin: float, end: float) -> Floats:
    """The multiples of `STEP` between two times."""
    first, last = int(np.ceil(begin / STEP)), int(np.floor(end / STEP))
    return STEP * np.arange(first, last + 1)


def _end(seen: Rollout, chain: Chain, span: int) -> float:
    return chain.events[span].time if span < len(chain.events) else seen.model.scene.end
