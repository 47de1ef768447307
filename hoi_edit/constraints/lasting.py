"""A flight or a hold that was taken hold of at a time is still on then.

Rows of a drag are about the span that was picked, however long it lasts. Without this one, a ball could pass the place
that it is dragged to only in a flight that a touch has ended before.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import TIME, Named, Rowset
from hoi_edit.constraints.keep_contact import time_variable
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout

NEAR = 0.15  # [s] from the time at which a span is picked: what begins it longer before, or ends it later, is no matter


@dataclass(frozen=True, eq=False)
class Lasting(Named):
    """The span of a thing that something begins (see `Pin.after`) has begun by a time, and has not ended."""

    name: str
    t: float
    after: str

    @property
    def about(self) -> Finding:
        return Finding("span picked", self.name, time=float(self.t))

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        return [
            Rowset(
                self.about,
                Functional(1, columns=[(variable, np.ones((1, 1)))]),
                np.array([self.t - time if ends else -np.inf]),
                np.array([np.inf if ends else self.t - time]),
                TIME,
                soft=True,
            )
            for variable, time, ends in self._bounds(seen)
            if (time - self.t if ends else self.t - time) < NEAR
        ]

    def _bounds(self, seen: Rollout) -> Iterator[tuple[str, float, bool]]:
        """The variables that say when the span begins and ends, these times, and which it is."""
        chain = seen.trajectories.chains[self.name]
        k = seen.span_index(self.name, self.t, self.after)
        assert k is not None
        for number, ends in ((k - 1, False), (k, True)):
            if 0 <= number < len(chain.events):
                variable = time_variable(seen, chain.events[number])
                if variable is not None:
                    yield variable, chain.events[number].time, ends
