"""Hands do not pass through a thing that they close on with each other, nor after they have let it go.

A thing that comes into two hands does not see the second one (`flight_span`): which it touches first would be a
matter of round-off. So nothing but these rows keeps that hand out of it. Shortly before a catch, and shortly after a
release, the hand and the thing are at least `OUT` apart, as hulls: a palm that is tilted against a side would have its
fingers in there long before its middle gets to it. The first hand touches at the catch, and not before. That is for
things with sides; around a handle hands reach.

The looks are at fixed times, multiples of `STEP`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import Named, Rowset
from hoi_edit.constraints.hulls_apart import hulls_apart
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Held
from hoi_edit.simulate.trajectory import Chain
from kinematics.errors import HoiError
from kinematics.rotation import Floats

OUT = 5e-4  # [m]: between two looks a hand that closes strays by less
STEP = 0.005  # [s] between looks
AROUND = 0.1  # [s] before a catch and after a release
EARLY = 0.01  # [s] before a catch the first hand is that far out, too
PUSHED = 5e-4  # [m] by which the first one may go on after what it has let go


@dataclass(frozen=True, eq=False)
class ClosingHand(Named):
    """Of the flights into a hold of two hands and out of it."""

    hold: str  # id of the grasp; of a thing that starts in two hands its name
    thing: str
    site: str  # "thrower/left_palm"
    carries: bool  # whether it is the first hand's

    @property
    def about(self) -> Finding:
        return Finding("closing hand", self.thing, self.site)

    @staticmethod
    def of(seen: Rollout, hold: str) -> "tuple[ClosingHand, ClosingHand]":
        """Of both hands."""
        scene = seen.model.scene
        second = scene.second_hand(hold)
        if second is None:
            raise HoiError(f"{hold!r} has no second hand; name two sites where it is held")
        start = next((thing.start for thing in scene.things if thing.name == hold), None)
        thing = hold if start is not None else scene.contact(hold).object
        first = start.carrier if isinstance(start, Held) else scene.contact(hold).carrier
        return ClosingHand(hold, thing, first, True), ClosingHand(hold, thing, second, False)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        row_sets: list[Rowset] = []
        for span, times, apart in self._looks(seen):
            row_sets += hulls_apart(seen, self.about, (self.thing, span), self.site, times, apart)
        return row_sets

    def _looks(self, seen: Rollout) -> Iterator[tuple[int, Floats, Floats]]:
        """Flights, times in them and how far apart the two are then: before the catch and after the release."""
        chain = seen.trajectories.chains[self.thing]
        for k, event in enumerate(chain.events):
            if event.contact != self.hold:
                continue
            if event.lets_go:
                times = _grid(event.time, min(event.time + AROUND, _end(seen, chain, k + 1)))
                yield k + 1, times, np.full(len(times), -PUSHED if self.carries else OUT)
            elif chain.spans[k].flies:
                begun = chain.events[k - 1].time if k > 0 else seen.model.scene.start
                times = _grid(max(event.time - AROUND, begun), event.time)
                share = np.minimum((event.time - times) / EARLY, 1.0) if self.carries else np.ones(len(times))
                yield k, times, OUT * share


def _grid(begin: float, end: float) -> Floats:
    """The multiples of `STEP` between two times."""
    first, last = int(np.ceil(begin / STEP)), int(np.floor(end / STEP))
    return np.arange(first, last + 1, dtype=float) * STEP


def _end(seen: Rollout, chain: Chain, span: int) -> float:
    return chain.events[span].time if span < len(chain.events) else seen.model.scene.end
