"""One thing on its way through time."""

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from hoi_edit.scene import Contact, Thing
from hoi_edit.simulate.kind_words import FLIGHT
from hoi_edit.simulate.trajectory import Event, Span

TIE = 1e-6  # [s] within which two touches of a thing are one instant: a small change may swap them
_NONE = Span(FLIGHT, "", -np.inf, -np.inf)


@dataclass(eq=False)
class Cursor:
    """One thing on its way through time: what is known, and where to look next."""

    thing: Thing
    plan: list[Contact]
    time: float
    limit: float  # it goes no further
    span: Span = _NONE  # what it is doing, from `time` on
    release: float = np.inf  # of what is held
    release_id: str | None = None
    jam: int = -1  # the surface on which it goes on when what jams it has left; `release` is when that is
    searched: float = -np.inf
    blind: dict[int, float] = field(default_factory=dict)
    whole: bool = False  # this flight is to be searched in one go, and not window by window
    expected: tuple[int, float, float, float] | None = None  # surface, low, high, guess of the next small bounce
    goal: str | None = None  # the intended contact at which its part of the chain is over
    led: bool = False  # to its goal by decree, whatever is in the way
    lies: bool = False  # on something that stands still, at its start: it is led along that, not through the air
    spans: list[Span] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    done: bool = False
    began: float = field(init=False)  # where it started; `time` moves on
    meant: tuple[Contact, ...] = field(init=False)  # all that it was to touch when it started; `plan` becomes shorter

    def __post_init__(self) -> None:
        self.began, self.meant = self.time, tuple(self.plan)


def by_search(cursors: Sequence[Cursor]) -> tuple[list[Cursor], list[Cursor]]:
    """Those whose touches one compiled search finds all at once, and those that are looked at one by one."""
    groups: tuple[list[Cursor], list[Cursor]] = ([], [])
    for cursor in cursors:
        groups[0 if cursor.thing.shape.by_centre else 1].append(cursor)
    return groups


def tied(events: Sequence[Event], time: float) -> str | None:
    """What a thing touched just before, if that was at the same instant.

    Events may be those of a chain that is about to be cut at this time: what comes after it will not be.
    """
    for event in reversed(events):
        if time - event.time > TIE:
            break
        if event.bounces and event.time <= time:
            return event.other
    return None
