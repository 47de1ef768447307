"""The run itself: all things are advanced, one event a round, and then cut where they meet."""

from collections.abc import Mapping, Sequence

import numpy as np

from hoi_edit.simulate.chain_assembly import joined, with_both_halves, with_starts, with_ties
from hoi_edit.simulate.cursor import TIE, Cursor
from hoi_edit.simulate.events.jam import jam
from hoi_edit.simulate.families import MeetingSearch
from hoi_edit.simulate.meetings.base import Meeting
from hoi_edit.simulate.meetings.hulls import check_apart
from hoi_edit.simulate.run import INSTANT, Overwhelmed, Run
from hoi_edit.simulate.segments import segments_of
from hoi_edit.simulate.trajectory import Chain, Near, Span, Trajectories

CROWD = 100  # meetings at one instant: things are being crushed


def simulate(run: Run) -> Trajectories:
    segments = run.segments = {thing.name: segments_of(run, thing) for thing in run.scene.things}
    cursors = run.fresh()
    check_apart(run.scene, cursors, run.strict)
    advance(run, cursors)
    crowd, since = 0, -np.inf
    for meeting in iter(lambda: next_meeting(run, cursors, run.context.families.meetings), None):
        crowd, since = (crowd + 1, since) if meeting.time < since + INSTANT else (0, meeting.time)
        if crowd > CROWD:
            name, partner = meeting.events[0][0].thing.name, str(meeting.events[0][2].other)
            raise Overwhelmed(
                f"thing {name!r} is crushed between others at {meeting.time:.4f} s: more than {CROWD} touches "
                "in a microsecond; give it more room, or a higher restitution", name, partner, meeting.time,
            )  # fmt: skip
        go_on_from(run, meeting)
    around = {} if run.past is None else run.past.around
    chains = with_both_halves({name: joined(cursors, around.get(name)) for name, cursors in segments.items()})
    chains = with_starts(with_ties(chains))
    happened = {event.contact for chain in chains.values() for event in chain.events if not event.lets_go}
    missed = tuple(contact.id for contact in run.scene.contacts if contact.id not in happened)
    return Trajectories(chains, near_misses(run.near, chains), missed)


def advance(run: Run, cursors: list[Cursor]) -> None:
    """All cursors to their limits."""
    active = [cursor for cursor in cursors if not cursor.done]
    while active:
        for name, kind in run.context.spans.items():
            of_kind = [cursor for cursor in active if cursor.span.kind == name and not cursor.done]
            if of_kind:
                kind.advance(run, of_kind)
        active = [cursor for cursor in active if not cursor.done]


def next_meeting(run: Run, cursors: list[Cursor], meetings: Sequence[MeetingSearch]) -> Meeting | None:
    """The earliest touch of any two things that has not been dealt with."""
    first: Meeting | None = None
    for search in meetings:
        first = search(run, cursors, np.inf if first is None else first.time) or first
    return first


def go_on_from(run: Run, meeting: Meeting) -> None:
    """Cut the chains where things met, and go on from there."""
    for cursor, span, event in meeting.events:
        _cut(run, cursor, span)
        kind, contact = run.context.spans[span.kind], run.take_contact(cursor, str(event.other), event.time)
        event = kind.leaving(cursor, span, event)._replace(contact=contact.id if contact else None)
        if event.jam is not None:
            jam(run, cursor, span, event, None)
            continue
        run.append(cursor, span, event)
        if not cursor.done:
            kind.go_on(run, cursor, span, np.asarray(event.after), contact is not None)
    advance(run, [cursor for cursor, _, _ in meeting.events])


def _cut(run: Run, cursor: Cursor, span: Span) -> None:
    """Back into a span, as if what ended it had not been."""
    k = next(k for k, past in enumerate(cursor.spans) if past is span)
    del cursor.spans[k:], cursor.events[k:]
    cursor.plan = run.plan_at(cursor, span)
    cursor.time, cursor.span, cursor.done = span.start, span, False


def near_misses(seen: list[Near], chains: Mapping[str, Chain]) -> tuple[Near, ...]:
    """Those of flights that came to be, in order; a dip at the seam of two windows is seen in both of them."""
    kept: list[Near] = []
    last: dict[tuple[str, str], float] = {}
    for near in sorted(seen, key=lambda near: near.time):
        pair = near.object, near.other
        if chains[near.object].span_at(near.time).flies and near.time - last.get(pair, -np.inf) > TIE:
            kept.append(near)
            last[pair] = near.time
    return tuple(kept)
