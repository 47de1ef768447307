"""The parts of a thing's life, each run from a node, joined to one chain; and what can only be said of whole chains."""

from bisect import bisect_left
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.reporting.findings import Doubt
from hoi_edit.simulate.cursor import TIE, Cursor
from hoi_edit.simulate.kind_words import JUMP
from hoi_edit.simulate.trajectory import Chain, Event, Span


@dataclass(frozen=True, eq=False)
class Around:
    """What stays the same of a thing's chain, joined: the parts before those that change, and the parts after them."""

    first: int
    head: Chain | None
    after: int
    tail: Chain | None

    @staticmethod
    def of(segments: Sequence[Cursor], changed: Sequence[int]) -> "Around":
        first, after = (changed[0], changed[-1] + 1) if changed else (len(segments), len(segments))
        head, tail = (joined(part) if part else None for part in (segments[:first], segments[after:]))
        return Around(first, head, after, tail)


def joined(segments: Sequence[Cursor], around: Around | None = None) -> Chain:
    """The parts of a thing's chain as one; where a part did not reach the next one's node, a jump is between them. Of a
    long chain most is the same as ever, and need not be joined again."""
    around = around or Around(0, None, len(segments), None)
    spans, events = list[Span](), list[Event]()
    if around.head is not None:
        spans, events = list(around.head.spans), list(around.head.events)
    for k in range(around.first, around.after):
        part = segments[k]
        spans.append(_first_of(segments[k - 1], part.spans[0], spans, events) if k > 0 else part.spans[0])
        begun = events[-1].time if events else -np.inf
        spans.extend(part.spans[1:])
        events.extend(part.events)
        _not_before(begun, len(part.events), spans, events)
    if around.tail is not None:
        first, k = around.tail.spans[0], around.after
        spans.append(_first_of(segments[k - 1], first, spans, events) if k > 0 else first)
        spans.extend(around.tail.spans[1:])
        events.extend(around.tail.events)
    return Chain(tuple(spans), tuple(events))


def _not_before(begun: float, count: int, spans: list[Span], events: list[Event]) -> None:
    """The last events, none of them before a time: a node is a name for a flight, whose time may be a little early, and
    a ball that is kicked along the ground touches that at once."""
    for k in range(len(events) - count, len(events)):
        if events[k].time >= begun:
            return
        events[k] = events[k]._replace(time=begun)
        spans[k] = spans[k].until(begun)
        # a flight is named by its state when it starts; after the last event of a part there is the next part's
        if k + 1 < len(spans) and not spans[k + 1].flies:
            spans[k + 1] = spans[k + 1].between(begun, spans[k + 1].end)


def _first_of(before: Cursor, first: Span, spans: list[Span], events: list[Event]) -> Span:
    """The first span of a part, from when the part before it has ended; that one may have to be cut short."""
    if not before.events or before.events[-1].contact != before.goal or len(before.spans) > len(before.events):
        time = min(before.limit, first.start)
        while events and events[-1].time >= time:  # what it would have done afterwards never was
            events.pop()
            spans.pop()
        spans[-1] = spans[-1].until(time)
        events.append(Event(JUMP, before.thing.name, time, after=first.state, mechanism="jump"))
    begun = events[-1].time
    return first if first.flies or first.start == begun else first.between(begun, first.end)


def with_both_halves(chains: dict[str, Chain]) -> dict[str, Chain]:
    """The same, where a meeting whose other half never was, because that thing's chain was cut before it, is a jump."""
    if not any(event.leaps for chain in chains.values() for event in chain.events):
        return chains
    met = {(e.object, e.other, e.time) for chain in chains.values() for e in chain.events if e.twin is not None}

    def whole(event: Event) -> Event:
        if event.twin is None or (event.other, event.object, event.time) in met:
            return event
        return Event(JUMP, event.object, event.time, after=event.after, mechanism="jump")

    return {name: Chain(chain.spans, tuple(map(whole, chain.events))) for name, chain in chains.items()}


def with_ties(chains: dict[str, Chain]) -> dict[str, Chain]:
    """The same, where two things that met say what else either of them touched at that instant, before or after.

    Between two touches of a thing with surfaces it is the second that says so, as all that follows has come through it.
    What followed the first of two meetings, for the partner that had no second one, has not: so both are told.
    """
    return {
        name: Chain(chain.spans, tuple(_tied_meeting(chains, event) for event in chain.events))
        if any(event.twin is not None for event in chain.events)
        else chain
        for name, chain in chains.items()
    }


def with_starts(chains: dict[str, Chain]) -> dict[str, Chain]:
    """The same, where a touch at the very start says that it is one: who starts any deeper is inside."""
    return {
        name: replace(chain, events=(_at_start(chain.events[0]), *chain.events[1:]))
        if _starts_in_touch(chain)
        else chain
        for name, chain in chains.items()
    }


def _starts_in_touch(chain: Chain) -> bool:
    begins = chain.spans[0]
    if not chain.events or not begins.flies:
        return False
    first = chain.events[0]
    return first.touches and not first.declared and first.touched <= begins.start


def _at_start(event: Event) -> Event:
    return event if event.doubt else event._replace(known_doubt=Doubt("starts in touch", str(event.other)))


def _tied_meeting(chains: Mapping[str, Chain], event: Event) -> Event:
    """A meeting, with another touch of either thing at the same instant, if there is one."""
    if event.twin is None or event.tied is not None:
        return event
    both = (event.object, str(event.other))
    for name in both:
        events = chains[name].events
        for touch in events[bisect_left(events, event.time - TIE, key=lambda e: e.time) :]:
            if touch.time > event.time + TIE:
                break
            if touch.touches and touch.other not in both:
                return event._replace(tied=touch.other if name == event.object else f"{touch.other} by {name}")
    return event
