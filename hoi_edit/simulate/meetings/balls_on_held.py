"""A ball touches a thing in a hand: that is one more surface on that hand's frame."""

from collections.abc import Sequence
from operator import is_not
from types import SimpleNamespace
from typing import Any

import numpy as np

from hoi_edit.scene import Thing
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.rolling_impact import Among, strike_of
from hoi_edit.simulate.events.support_push import Pusher, answered
from hoi_edit.simulate.kind_words import IMPACT
from hoi_edit.simulate.meetings.base import Entry, Meeting, free_spans
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search import STRUCK, first_touches, flights, solids
from hoi_edit.simulate.search.layouts import NEVER, UNTIL_CLEAR, UNTIL_OFF, Groups, PoseRows, Solids
from hoi_edit.simulate.search.rolling_pairs import AGAIN
from hoi_edit.simulate.trajectory import Event, Jam, Near, Patch, Span
from hoi_edit.simulate.world import PoseTable, Surfaces
from kinematics.rotation import Floats
from rigid.body import extents


def first_on_held(run: Run, cursors: list[Cursor], before: float) -> Meeting | None:
    """The earliest touch of a ball with a thing in a hand, flying or in contact, before a time."""
    balls = [entry for entry in free_spans(cursors) if entry[0].thing.shape.by_centre]
    flying = _first_flying(run, [entry for entry in balls if entry[1].flies], cursors)
    rolling = _first_rolling(run, [entry for entry in balls if entry[1].rolls], cursors)
    first = rolling if flying is None or (rolling is not None and rolling.time < flying.time) else flying
    return None if first is None or first.time >= before else first


def _first_flying(run: Run, flying: Sequence[Entry], cursors: list[Cursor]) -> Meeting | None:
    holds = _holds(cursors)
    if not holds or not flying:
        return None
    contacts = first_touches(
        run.context.moving, *_as_groups(run, holds), run.context.gravity,
        packed_spans(run, flying), _blind(run, flying, holds),
    )  # fmt: skip
    run.near.extend(
        Near(flying[int(k)][0].thing.name, holds[int(h)][0].thing.name, t, gap) for k, h, t, gap in contacts.near
    )
    time = np.where(contacts.surface >= 0, contacts.touch[:, 0], np.inf)
    k = int(np.argmin(time))
    if time[k] == np.inf:
        return None
    (cursor, span), (holder, hold) = flying[k], holds[contacts.surface[k]]
    surfaces = Surfaces.of([held_patch(holder.thing, hold)], [holder.thing.name])
    return Meeting([(cursor, span, _bounce_off(run, cursor, span, surfaces, contacts.touch[k]))])


def _bounce_off(run: Run, cursor: Cursor, span: Span, surfaces: Surfaces, touch: Floats) -> Event:
    """The bounce of a flight off a thing in a hand."""
    struck = STRUCK.unpack(touch)
    law = run.context.laws.of_touch(cursor.thing, run.plan_at(cursor, span), surfaces, 0, float(struck.time))
    return run.make_event(IMPACT, "impact", cursor, None, surfaces, 0, run.bounced(cursor.thing, struck, law))


def _holds(cursors: list[Cursor]) -> list[Entry]:
    """Things while they are in hands."""
    return [(c, span) for c in cursors for span in c.spans if span.in_hand and span.end > span.start]


def _first_rolling(run: Run, rides: Sequence[Entry], cursors: list[Cursor]) -> Meeting | None:
    """Each ride is looked at once."""
    holds = _holds(cursors)
    if not holds or not rides:
        return None
    best, surroundings = None, _as_groups(run, holds)
    for cursor, span in rides:
        key = id(span), hash(tuple(id(hold) for _, hold in holds))
        if key not in run.searched_pairs:
            hidden = np.array([cursor.thing is holder.thing for holder, _ in holds], np.int64)
            strike = strike_of(run, cursor, span, span.end - AGAIN, Among(*surroundings, hidden))
            # what is kept with the answer cannot lose its number to something else
            run.searched_pairs[key] = strike, span, holds
        strike = run.searched_pairs[key][0]
        if strike is not None and (best is None or strike[1].time < best[2][1].time):
            best = cursor, span, strike
    return None if best is None else _struck_by_held(run, *best, holds, surroundings[1])


def _struck_by_held(run: Run, cursor: Cursor, span: Span, strike: Any, holds: Sequence[Entry], held: Solids) -> Meeting:
    (k, _, at_once), struck, _ = strike
    struck, (holder, hold) = SimpleNamespace(**vars(struck)), holds[k]
    patch, plan = held_patch(holder.thing, hold), run.plan_at(cursor, span)
    surfaces = Surfaces.of([patch], [holder.thing.name])
    law = run.context.laws.of_touch(cursor.thing, plan, surfaces, 0, float(struck.time))
    meant = run.context.laws.match(plan, holder.thing.name, float(struck.time)) is not None
    told = answered(run, cursor, span, Pusher(held, k, Jam(holder.thing.name, patch)), struck, law, meant, at_once)
    event = run.make_event(IMPACT, "rolling_impact", cursor, None, surfaces, 0, struck)._replace(**told)
    return Meeting([(cursor, span, event)])


def packed_spans(run: Run, flying: Sequence[Entry]) -> Floats:
    """Flights as the search takes them; of the same ones, as two searches ask for, only once."""
    spans = [span for _, span in flying]
    if run.packed is None or len(run.packed[0]) != len(spans) or any(map(is_not, run.packed[0], spans)):
        run.packed = spans, _packed(run, flying)
    return run.packed[1]


def _packed(run: Run, flying: Sequence[Entry]) -> Floats:
    start, end, radius = np.array([(span.start, span.end, c.thing.body.radius) for c, span in flying], float).T.copy()
    states = np.stack([np.asarray(span.state, float) for _, span in flying])
    # at its very end a flight has touched what ended it: that is known
    air = run.context.airs([c.thing.name for c, _ in flying])
    return flights(start, states, radius, start, end - AGAIN, air=air)


def _as_groups(run: Run, holds: Sequence[Entry]) -> tuple[PoseRows, Solids, Groups]:
    """Things in hands as surfaces while they are held; those of one hand are in the sphere about its own middle."""
    table: PoseTable = run.table
    frame = np.array([span.frame for _, span in holds], np.int64)
    place = np.array([span.position for _, span in holds])
    core = np.array([run.context.world.extents[c.thing.name] for c, _ in holds])
    begin, until, radius = np.array([(span.start, span.end - AGAIN, c.thing.body.radius) for c, span in holds]).T
    held = solids(frame, place, np.array([span.rotation for _, span in holds]), core, radius, begin, until)
    hands, hand_of, count = np.unique(frame, return_inverse=True, return_counts=True)
    reach = np.zeros(len(hands))
    away = np.linalg.norm(place - run.context.world.bounds[0][frame], axis=1)
    np.maximum.at(reach, hand_of, away + np.linalg.norm(core, axis=1) + radius)
    first = np.concatenate([[0], np.cumsum(count)])
    sphere = np.column_stack([reach, table.speed[hands]])
    groups = Groups(sphere, first, np.argsort(hand_of, kind="stable"), np.zeros(0, np.int64))
    return table.rows(np.ascontiguousarray(table.centre[:, hands])), held, groups


def _blind(run: Run, flying: Sequence[Entry], holds: Sequence[Entry]) -> Floats:
    """(flights, holds) A ball that has just left the same hand, or bounced off the held thing, is not seen at first."""
    things = {name: k for k, name in enumerate({cursor.thing.name: None for cursor, _ in (*flying, *holds)})}
    held = np.array([things[cursor.thing.name] for cursor, _ in holds])
    hand = np.array([span.frame for _, span in holds])
    left, hit = np.full((len(flying), 2), -2), np.full(len(flying), -2)
    row = {id(span): f for f, (_, span) in enumerate(flying)}
    for cursor in {id(cursor): cursor for cursor, _ in flying}.values():
        for event, before, span in zip(cursor.events, cursor.spans, cursor.spans[1:], strict=False):
            f = row.get(id(span))
            if f is not None:
                hit[f] = things.get(str(event.other), -2)
                if event.lets_go:
                    hands = (before.frame, *run.context.second_frame(event.contact))
                    left[f, : len(hands)] = hands
    blind = np.full((len(flying), len(holds)), -np.inf)
    # from a node a thing may be held, by name, before its flight has ended
    blind[np.array([things[cursor.thing.name] for cursor, _ in flying])[:, None] == held] = NEVER
    blind[hit[:, None] == held] = UNTIL_OFF
    blind[(left[:, :, None] == hand).any(axis=1)] = UNTIL_CLEAR
    return blind


def held_patch(thing: Thing, span: Span) -> Patch:
    """A thing in a hand as a surface on that hand's frame."""
    material = thing.material
    return Patch(
        span.frame, np.asarray(span.position), np.asarray(span.rotation), extents(thing.body),
        float(thing.body.radius), float(np.asarray(material.restitution)), float(np.asarray(material.friction)),
    )  # fmt: skip
