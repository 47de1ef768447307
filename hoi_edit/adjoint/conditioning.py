"""How far rows have grown on their way back, and from where on they mean little.

A touch with something round multiplies offsets by tens. After some of them a derivative is still right, to the digits
that are left, but it is one of a motion that no longer depends on its beginning in any way that can be used: where a
micrometre there is a metre here, a step of that row is true for no step at all. A row that has grown so far is in
doubt, and the doubt names the touches that did it.
"""

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from hoi_edit.adjoint.rows import Functional
from hoi_edit.reporting.findings import Amount, Doubt, Finding
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.trajectory import Event
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats

FARTHEST = 1e6  # in SI units: times what was asked for


class Growth:
    """Of all rows of one call."""

    def __init__(self, functionals: Sequence[Functional]) -> None:
        self.functionals = functionals
        self.passed: list[tuple[Event, Ints]] = []  # the latest first

    @cached_property
    def most(self) -> Floats:
        """(R,) what each row may grow to; once that has been told it is infinite: all farther back is as doubtful."""
        return FARTHEST * _asked(self.functionals)

    def through(self, event: Event, kind: EventKind, rows: Ints) -> None:
        """Rows go back through an event."""
        if kind.grows:
            self.passed.append((event, rows))

    def doubt(self, rows: Ints, on: Floats) -> Event | None:
        """The last event that rows came through, with a doubt, if they (R, 12) have grown too far by then."""
        if not self.passed:
            return None
        sizes = np.abs(on).max(axis=1)
        far = sizes > self.most[rows]
        if not far.any():
            return None
        share = FARTHEST * float((sizes / self.most[rows])[far].max())
        chain = [event for event, through in self.passed if np.isin(rows[far], through).any()]
        self.most[rows[far]] = np.inf
        return chain[-1]._replace(known_doubt=_grown(share, chain[::-1]))


def _asked(functionals: Sequence[Functional]) -> Floats:
    """(R,)."""
    sizes = np.zeros(sum(functional.count for functional in functionals))
    first = 0
    for functional in functionals:
        part = slice(first, first + functional.count)
        first += functional.count
        for on in (*(on for _, on in functional.things), *(on for *_, on in functional.outcomes)):
            sizes[part] = np.maximum(sizes[part], np.abs(on).max(axis=1))
    return sizes


def _grown(share: float, chain: Sequence[Event]) -> Doubt:
    touches = [Finding("met", event.object, str(event.other), event.time) for event in chain]
    return Doubt("grown", amounts=(Amount(share, "times"),), touches=tuple(touches))
