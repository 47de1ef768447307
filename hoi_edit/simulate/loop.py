"""The run itself: all things are advanced, one event a round, and then cut where they meet."""

from collections.abc import Mapping

import numpy as np

from hoi_edit.simulate.cursor import TIE, Cursor, joined, with_both_halves, with_starts, with_ties
from hoi_edit.simulate.events.ball_pair import Meeting
from hoi_edit.simulate.events.hull_impact import APART
from hoi_edit.simulate.events.hull_pair import check_apart, next_meeting, taken_off
from hoi_edit.simulate.events.push_and_jam import jam
from hoi_edit.simulate.events.rolling_impact import pushed
from hoi_edit.simulate.prescribed import goes_straight, lead, lead_bulky
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.segments import segments_of
from hoi_edit.simulate.spans.flight import fly, fly_bulky
from hoi_edit.simulate.spans.held import release
from hoi_edit.simulate.spans.rolling import ride_on
from hoi_edit.simulate.trajectory import Chain, Near, Span, Trajectories
from kinematics.errors import HoiError
from rigid.body import is_ball

CROWD, INSTANT = 100, 1e-6  # so many meetings within so many seconds, and things are being crushed


def run(simulation: Discovery) -> Trajectories:
    segments = simulation.segments = {thing.name: segments_of(simulation, thing) for thing in simulation.scene.things}
    cursors = simulation.own()
    if simulation.strict:
        check_apart(simulation.scene, cursors)
    advance(simulation, cursors)
    crowd, since = 0, -np.inf
    for meeting in iter(lambda: next_meeting(simulation, cursors), None):
        crowd, since = (crowd + 1, since) if meeting.time < since + INSTANT else (0, meeting.time)
        if crowd > CROWD:
            name = meeting.events[0][0].thing.name
            raise HoiError(
                f"thing {name!r} is crushed between others at {meeting.time:.4f} s: more than {CROWD} touches "
                "in a microsecond; give it more room, or a higher restitution"
            )
        go_on_from(simulation, meeting)
    around = {} if simulation.past is None else simulation.past.around
    chains = with_both_halves({name: joined(own, around.get(name)) for name, own in segments.items()})
    chains = with_starts(with_ties(chains))
    happened = {event.contact for chain in chains.values() for event in chain.events if event.kind != "release"}
    missed = tuple(contact.id for contact in simulation.scene.contacts if contact.id not in happened)
    return Trajectories(chains, near_misses(simulation.near, chains), missed)


def advance(simulation: Discovery, cursors: list[Cursor]) -> None:
    """All cursors to their limits."""
    active = [cursor for cursor in cursors if not cursor.done]
    while active:
        release(simulation, [cursor for cursor in active if cursor.hold is not None])
        flying = [cursor for cursor in active if cursor.state is not None and not cursor.done]
        led = [cursor for cursor in flying if goes_straight(simulation, cursor)]
        lead(simulation, [cursor for cursor in led if is_ball(cursor.thing.body)])
        for cursor in led:
            if not is_ball(cursor.thing.body):
                lead_bulky(simulation, cursor, cursor.plan[-1], *simulation.guide[cursor.plan[-1].id])
        flying = [cursor for cursor in flying if cursor not in led]
        fly(simulation, [cursor for cursor in flying if is_ball(cursor.thing.body)])
        for cursor in flying:
            if not is_ball(cursor.thing.body):
                fly_bulky(simulation, cursor)
        for cursor in active:
            if cursor.riding is not None and not cursor.done:
                ride_on(simulation, cursor)
        active = [cursor for cursor in active if not cursor.done]


def go_on_from(simulation: Discovery, meeting: Meeting) -> None:
    """Cut the chains where things met, and go on from there."""
    for cursor, span, event in meeting.events:
        _cut(simulation, cursor, span)
        contact = simulation.take_contact(cursor, str(event.other), event.time)
        own = taken_off(cursor, span, event)._replace(contact=contact.id if contact else None)
        if own.jam is not None:
            jam(simulation, cursor, span, own, None)
            continue
        simulation.append(cursor, span, own)
        if cursor.done:
            continue
        if span.kind == "contact":
            pushed(simulation, cursor, span, np.asarray(own.after), own.contact is not None)
        else:
            simulation.take_off(cursor, np.asarray(own.after))
            cursor.searched += APART if span.kind == "held" else 0.0
    advance(simulation, [cursor for cursor, _, _ in meeting.events])


def _cut(simulation: Discovery, cursor: Cursor, span: Span) -> None:
    """Back into a span, as if what ended it had not been."""
    k = next(k for k, own in enumerate(cursor.spans) if own is span)
    del cursor.spans[k:], cursor.events[k:]
    cursor.plan = simulation.plan_at(cursor, span)
    cursor.time, cursor.state = span.start, span.state
    cursor.hold = cursor.riding = None
    cursor.done = False


def near_misses(seen: list[Near], chains: Mapping[str, Chain]) -> tuple[Near, ...]:
    """Those of flights that came to be, in order; a dip at the seam of two windows is seen in both of them."""
    found: list[Near] = []
    last: dict[tuple[str, str], float] = {}
    for near in sorted(seen, key=lambda near: near.time):
        pair = near.object, near.other
        if chains[near.object].span_at(near.time).kind == "flight" and near.time - last.get(pair, -np.inf) > TIE:
            found.append(near)
            last[pair] = near.time
    return tuple(found)
