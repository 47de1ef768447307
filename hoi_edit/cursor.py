"""One thing on its way through time, and the chain that becomes of it."""

from dataclasses import dataclass, field
from itertools import pairwise

import numpy as np

from hoi_edit.rollout import Chain, Event, Span
from hoi_edit.scene import Contact, Thing
from kinematics.rotation import Floats

TIE = 1e-6  # [s] within which two touches of a thing are one instant: a small change may swap them


@dataclass(eq=False)
class Cursor:
    """One thing on its way through time: what is known, and where to look next."""

    thing: Thing
    plan: list[Contact]
    time: float
    limit: float  # it goes no further
    state: Floats | None = None  # (18,) at `time`, in flight
    hold: Span | None = None
    release: float = np.inf
    release_id: str | None = None
    riding: Span | None = None
    searched: float = -np.inf
    blind: dict[int, float] = field(default_factory=dict)
    expected: tuple[int, float, float, float] | None = None  # surface, low, high, guess of the next small bounce
    goal: str | None = None  # the intended contact at which its part of the chain is over
    led: bool = False  # to its goal by decree, whatever is in the way
    spans: list[Span] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    done: bool = False
    began: float = field(init=False)  # where it started; `time` moves on

    def __post_init__(self) -> None:
        self.began = self.time


def joined(segments: list[Cursor]) -> Chain:
    """The parts of a thing's chain as one; where a part did not reach the next one's node, a jump is between them."""
    spans, events = list(segments[0].spans), list(segments[0].events)
    for before, after in pairwise(segments):
        first = after.spans[0]
        if not before.events or before.events[-1].contact != before.goal or len(before.spans) > len(before.events):
            time = min(before.limit, first.start)
            while events and events[-1].time >= time:  # what it would have done afterwards never was
                events.pop()
                spans.pop()
            spans[-1] = spans[-1].until(time)
            events.append(Event("jump", before.thing.name, time, contact=None, after=first.state))
        begun = events[-1].time
        spans.append(first if first.kind == "flight" else first.between(begun, first.end))
        spans.extend(after.spans[1:])
        events.extend(after.events)
    return Chain(tuple(spans), tuple(events))


def tied(events: list[Event], time: float) -> str | None:
    """What a thing touched just before, if that was at the same instant."""
    last = events[-1] if events else None
    return last.other if last is not None and last.kind == "impact" and time - last.time <= TIE else None
