"""What balls that are led to their contacts would run into on the way, were they not."""

from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hoi_edit.simulate.checks.release_penetration import gaps_of
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.loop import next_meeting
from hoi_edit.simulate.meetings.balls import first_of_balls
from hoi_edit.simulate.meetings.balls_on_held import first_on_held
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search import first_touches, flights, touches_at
from hoi_edit.simulate.search.layouts import GAP, NEVER, UNTIL_CLEAR
from hoi_edit.simulate.search.rolling_pairs import AGAIN
from hoi_edit.simulate.trajectory import Chain, Span

if TYPE_CHECKING:
    from hoi_edit.rollout import Rollout

AFTER = tuple(np.arange(30, 101, 5) / 1e3)  # [s] after a release at which a hand is looked at
FOLLOWS = 2e-4  # [m]: a hand that comes after a ball so closely at a look may be in it between two
THROUGH = 1e-4  # [m]


class Stray(NamedTuple):
    """A touch that nobody intended."""

    thing: str
    span: int  # the flight that it is on
    other: str
    time: float


def strays(seen: "Rollout") -> list[Stray]:
    """The first touch of each led flight with a part or a fixture, and the first of all with another thing."""
    led = [
        (name, k)
        for name, chain in seen.trajectories.chains.items()
        for k in _may_be_new(seen, chain)
        if k < len(chain.events) and chain.events[k].declared and chain.spans[k].flies
    ]
    # what is not a ball is not looked for here: it takes as long as the simulation that tells what really happens
    balls = [(name, k) for name, k in led if seen.model.scene.thing(name).shape.by_centre]
    found = [*_with_parts(seen, balls), *_with_hands(seen, balls)] if balls else []
    return [*found, *_with_things(seen, set(led))] if led else []


def begun(seen: "Rollout", thing: str, span: int) -> float:
    """When a span really begins; a flight from a node has another start, which only names it."""
    chain = seen.trajectories.chains[thing]
    return chain.spans[span].start if span == 0 else chain.events[span - 1].time


def _with_parts(seen: "Rollout", led: list[tuple[str, int]]) -> list[Stray]:
    context, world = seen.context, seen.model.world
    chains, scene = seen.trajectories.chains, seen.model.scene
    blind = np.full((len(led), len(world.surfaces)), -np.inf)
    numbers, states = np.empty((len(led), 4)), np.empty((len(led), 18))
    for row, (name, k) in enumerate(led):
        chain, event = chains[name], chains[name].events[k]
        if k > 0 and "/" in str(chain.events[k - 1].other):  # what it has just left
            before = chain.events[k - 1]
            for part in (str(before.other), *_second_hand(seen, before.contact)):
                blind[row, world.surfaces_of(part)] = UNTIL_CLEAR
        for part in (str(event.other), *_second_hand(seen, event.contact)):
            blind[row, world.surfaces_of(part)] = NEVER
        since, until = begun(seen, name, k), event.time - AGAIN
        numbers[row] = chain.spans[k].start, scene.thing(name).body.radius, since, max(until, since)
        states[row] = chain.spans[k].state
    air = context.airs([name for name, _ in led])
    packed = flights(numbers[:, 0], states, numbers[:, 1], numbers[:, 2], numbers[:, 3], air=air)
    table = seen.table
    found = first_touches(context.moving, table.rows(), world.solids, table.groups, context.gravity, packed, blind)
    return [
        Stray(name, k, world.surfaces.name[int(surface)], float(touch[0]))
        for (name, k), surface, touch in zip(led, found.surface, found.touch, strict=True)
        if surface >= 0
    ]


def _second_hand(seen: "Rollout", contact: str | None) -> tuple[str, ...]:
    """Of what is held by two."""
    second = None if contact is None else seen.model.scene.second_hand(contact)
    return () if second is None else (second,)


def _with_hands(seen: "Rollout", led: list[tuple[str, int]]) -> list[Stray]:
    """Hands that follow what they have let go into it, or nearly so: a search looks away until the two are clear."""
    world, chains = seen.model.world, seen.trajectories.chains
    asked: list[tuple[int, int, float]] = []  # which of those that are led, surface, time
    for row, (name, k) in enumerate(led):
        chain, end = chains[name], chains[name].events[k].time
        if k > 0 and chain.events[k - 1].lets_go:
            release, hand = chain.events[k - 1].time, str(chain.events[k - 1].other)
            looks = [release + after for after in AFTER if release + after < end]
            asked += [(row, s, t) for t in looks for s in world.surfaces_of(hand).tolist()]
    if not asked:
        return []
    which, surfaces, times = (np.array(column) for column in zip(*asked, strict=True))
    through = {}
    for look in np.flatnonzero(gaps_of(seen, led, which, surfaces, times) < FOLLOWS).tolist():
        name, k = led[asked[look][0]]
        through[name, k] = Stray(name, k, str(chains[name].events[k - 1].other), asked[look][2])
    return list(through.values())


def _with_things(seen: "Rollout", led: set[tuple[str, int]]) -> list[Stray]:
    """Things that are led see each other again, as cursors with their whole chain."""
    scene = seen.model.scene
    cursors: list[Cursor] = []
    for name, chain in seen.trajectories.chains.items():
        spans = [
            _since(seen, name, k) if chain.spans[k].flies and scene.thing(name).shape.by_centre else chain.spans[k]
            for k in _may_be_new(seen, chain)
        ]
        plan, events = scene.plan_of(name), list(chain.events)
        cursors.append(Cursor(scene.thing(name), plan, scene.start, scene.end, spans=spans, events=events))
    meeting = next_meeting(Run(seen.context, table=seen.table), cursors, (first_of_balls, first_on_held))
    if meeting is None:
        return []
    for cursor, _, event in meeting.events:
        k = seen.trajectories.chains[cursor.thing.name].index_at(event.time)
        if (cursor.thing.name, k) in led:
            return [Stray(cursor.thing.name, k, str(event.other), event.time)]
    return []


def really_hit(seen: "Rollout", real: "Rollout", lost: Sequence[str]) -> list[Stray]:
    """What things hit on their way to contacts that were led to and do not happen, where nobody leads them. Who was not
    even on the way to one is not looked at."""
    found = []
    for contact in lost:
        if contact not in seen.happened:
            continue
        name, k = seen.happened[contact]
        begin, end = begun(seen, name, k), seen.trajectories.chains[name].events[k].time
        for event in real.trajectories.chains[name].events:
            hit = event.hits_by_chance
            # by an edge of the hand, on the way to the palm
            caught = event.catches and event.contact == contact
            if begin < event.time < end and (hit or caught):
                found.append(Stray(name, k, str(event.other), event.time))
                break
    return found


def cut_short(real: "Rollout", asked: Iterable[tuple[str, float, str | None]]) -> list[Stray]:
    """What ends flights before the time at which their thing is asked for: (name, time, what begins the flight). Rows
    are about flights however long they last, so none of them notices."""
    found = []
    for name, t, after in asked:
        k = None if after is None else real.span_index(name, t, after)
        if k is None or k >= len(real.trajectories.chains[name].events):
            continue
        event = real.trajectories.chains[name].events[k]
        if event.time < t and not event.intended and event.other is not None:
            found.append(Stray(name, k, event.other, event.time))
    return found


def begun_inside(real: "Rollout") -> list[tuple[str, str, float]]:
    """Balls that begin in the air and inside something: which, in what, and how deep [m]."""
    scene, world, context = real.model.scene, real.model.world, real.context
    balls = [thing for thing in scene.things if thing.shape.by_centre]
    flying = [thing.name for thing in balls if real.trajectories.chains[thing.name].spans[0].flies]
    if not flying or not len(world.surfaces):
        return []
    start, surfaces = scene.start, np.arange(len(world.surfaces))
    found = []
    for name in flying:
        packed = context.packed_flight(name, real.trajectories.chains[name].spans[0], start, start)
        flight, times = np.repeat(packed[None], len(surfaces), axis=0), np.full(len(surfaces), start)
        gap = touches_at(context.moving, world.solids, surfaces, context.gravity, flight, times)[:, GAP]
        k = int(np.argmin(gap))
        if gap[k] < -THROUGH:
            found.append((name, world.surfaces.name[k], -float(gap[k])))
    return found


def _may_be_new(seen: "Rollout", chain: Chain) -> range:
    """Which spans are not merely taken over."""
    return range(len(chain.spans)) if seen.stretch is None else chain.within(*seen.stretch)


def _since(seen: "Rollout", thing: str, k: int) -> Span:
    """A flight from where it really begins."""
    span, since = seen.trajectories.chains[thing].spans[k], begun(seen, thing, k)
    return span if since == span.start else span._replace(start=since, state=seen.context.state_in(span, since))
