"""Local Jacobians of all events: rows of a kind go through one kernel together (`links`, `touches.bulky`), and
what comes out is named by how flights start."""

from collections.abc import Sequence
from functools import partial
from typing import Any

import numpy as np

from hoi_edit.adjoint.event_rows import batched, link_row
from hoi_edit.adjoint.in_air import link_in_air
from hoi_edit.adjoint.linked_events import Local
from hoi_edit.simulate.events.ball_jacobians import ball_flights, ball_touches, held_and_released
from hoi_edit.simulate.events.hull_impact import bulky_grasp_links, bulky_impact_links
from hoi_edit.simulate.events.local_jacobians import FLY, TOUCH, flight_links, impact_links, pair_links
from hoi_edit.simulate.frames import chunked
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.spans.flight_in_air import air_flights
from hoi_edit.simulate.trajectory import Chain
from kinematics.rotation import Floats
from rigid.body import is_ball


def linked(simulation: Discovery, chains: dict[str, Chain]) -> Local:
    """All events that are of this run; those that were taken over from an earlier one are linked when asked for."""
    local, past = Local(simulation, chains, link), simulation.past
    link(local, *((-np.inf, np.inf) if past is None else (past.start, past.end)))
    return local


def link(local: Local, begin: float = -np.inf, end: float = np.inf) -> None:
    """Local Jacobians of all events at the ends of spans within a stretch of time, as far as there are none yet."""
    gravity, done = local.simulation.gravity, set(local.links)
    balls: dict[str, list[tuple[str, int, Floats]]] = {"impact": [], "grasp": [], "release": [], "meeting": []}
    for name, chain in local.chains.items():
        ball = is_ball(local.scene.thing(name).body)
        own: dict[str, list[tuple[str, int, Floats]]] = balls if ball else {kind: [] for kind in balls}
        for k in _at_ends(chain, begin, end):
            if (name, k) in done:
                continue
            event = chain.events[k]
            kind = batched(local, name, k, event)
            if kind is not None and not local.feels_air(event):
                own[kind].append((name, k, link_row(local, name, k, event, kind, ball)))
        if not ball:
            local.store(own["impact"], partial(chunked, partial(bulky_impact_links, gravity)))
            local.store(own["grasp"], partial(chunked, partial(bulky_grasp_links, gravity)))
            local.store(own["release"], partial(held_and_released, gravity))
            _from_starts(local, name, own["impact"] + own["grasp"])
    local.store(balls["impact"], partial(ball_impacts, gravity))
    local.store(balls["grasp"], lambda items: ball_touches(gravity, items, True))
    local.store(balls["release"], partial(held_and_released, gravity))
    local.store(balls["meeting"], partial(chunked, partial(pair_links, gravity)))
    if local.airs and not local.arrivals:
        link_in_air(local)
    for name, chain in local.chains.items():
        new = [k for k in _at_ends(chain, begin, end) if (name, k) in local.links and (name, k) not in done]
        _to_nodes(local, name, new)


def _at_ends(chain: Chain, begin: float, end: float) -> range:
    """Which events begin or end spans that have something in common with a stretch of time."""
    own = chain.within(begin, end)
    return range(max(own.start - 1, 0), min(own.stop, len(chain.events)))


def _to_nodes(local: Local, name: str, new: Sequence[int]) -> None:
    """A flight from a node is named by the node's time, which is fixed, and not by when its touch is by now."""
    chain = local.chains[name]
    ended = [(k, chain.events[k], chain.spans[k + 1]) for k in new]
    late = [own for own in ended if own[2].kind == "flight" and own[2].start != own[1].time]
    if late and name in local.airs:
        again = [(after._replace(state=event.after, start=event.time), after.start) for _, event, after in late]
        for (k, _, _), flight in zip(late, air_flights(local.simulation, again), strict=True):
            local.links[name, k] = np.concatenate([flight @ local.links[name, k], 0.0 * local.links[name, k][:1]])
    elif late:
        flights = flights_of(local, name, [(e.after, after.start - e.time) for _, e, after in late])
        for (k, _, _), flight in zip(late, flights, strict=True):
            local.links[name, k] = flight @ local.links[name, k]


def flights_of(local: Local, name: str, asked: list[tuple[Any, float]]) -> Floats:
    """(B, 12, 12) states of a thing so long after the given ones, by these."""
    items = np.concatenate([FLY.pack(1, state=state, duration=duration) for state, duration in asked])
    thing = local.scene.thing(name)
    if is_ball(thing.body):
        return ball_flights(items)
    return chunked(partial(flight_links, local.simulation.gravity, local.simulation.inertia(thing)), items)


def _from_starts(local: Local, name: str, touches: list[tuple[str, int, Floats]]) -> None:
    """Links of things that are not balls are by the state just before; flights are named by how they start."""
    spans = [(k, local.chains[name].spans[k]) for _, k, _ in touches]
    if spans:
        flights = flights_of(local, name, [(span.state, span.end - span.start) for _, span in spans])
        for (k, _), flight in zip(spans, flights, strict=True):
            link = local.links[name, k]
            local.links[name, k] = np.concatenate([link[:, :12] @ flight, link[:, 12:]], axis=1)


def ball_impacts(gravity: Floats, items: Floats) -> Floats:
    """Links of a ball's impacts. Restitution above 1, which only an edit that bends physics asks for, is up against
    the law's limit of energy, and that is differentiated."""
    found, beyond = ball_touches(gravity, items, False), TOUCH.unpack(items).restitution > 1.0
    if beyond.any():
        found[beyond] = chunked(partial(impact_links, gravity), items[beyond])
    return found
