"""Local Jacobians of events of balls that feel the air, and of those that they meet.

Their flights are named by thirteen numbers: the last is when they start (see `links.air`).
"""

from functools import partial

import numpy as np

from hoi_edit.adjoint.event_rows import batched, link_row, meeting_row, touch_row
from hoi_edit.adjoint.linked_events import Local
from hoi_edit.simulate.events.ball_jacobians import held_and_released
from hoi_edit.simulate.frames import chunked
from hoi_edit.simulate.spans.flight_in_air import (
    START_TIME,
    air_flights,
    air_pair_links,
    arrival_links,
    at_fixed_time,
    before_by_start,
    rate_of,
    with_time,
)
from hoi_edit.simulate.trajectory import Event
from kinematics.rotation import Floats
from rigid.air_compiled import acceleration_in_air


def link_in_air(local: Local) -> None:
    """Events of balls that feel the air, and of those that they meet; see `links.air`."""
    own = [
        (name, k, event, kind)
        for name, chain in local.chains.items()
        for k, event in enumerate(chain.events)
        if local.feels_air(event)
        for kind in [batched(local, name, k, event)]
    ]
    ends = [(name, k) for name, k, event, _ in own if local.chains[name].spans[k].kind == "flight"]
    asked = [(local.chains[name].spans[k], local.chains[name].events[k].touched) for name, k in ends]
    local.arrivals = dict(zip(ends, air_flights(local.simulation, asked), strict=True))
    rows: dict[str, list[tuple[str, int, Floats]]] = {"release": [], "touch": [], "meeting": []}
    for name, k, event, kind in own:
        if kind == "release":
            rows["release"].append((name, k, link_row(local, name, k, event, kind, True)))
        elif kind == "meeting":
            twin = local.arrivals[local.twin(event)]
            rates = np.concatenate([-local.arrivals[name, k][:, START_TIME], -twin[:, START_TIME]])
            rows["meeting"].append((name, k, np.concatenate([meeting_row(local, name, k, event), rates])))
        elif kind is not None:
            touch = touch_row(local, local.chains[name].spans[k], event)
            rows["touch"].append((name, k, np.concatenate([touch, -local.arrivals[name, k][:, START_TIME]])))
    local.store(rows["release"], partial(held_and_released, local.simulation.gravity))
    local.store(rows["touch"], partial(chunked, arrival_links))
    local.store(rows["meeting"], partial(chunked, air_pair_links))
    for name, k, event, kind in own:
        if kind is not None:
            local.links[name, k] = _by_starts(local, name, k, event, kind)


def _by_starts(local: Local, name: str, k: int, event: Event, kind: str) -> Floats:
    """The link of an event by how flights set out; columns on when they did so are the last ones."""
    link, gravity = local.links[name, k], local.simulation.gravity
    if kind == "release":
        return with_time(link, rate_of(np.asarray(event.after), gravity), np.eye(19)[18])
    if kind == "meeting":
        if name not in local.airs:
            link = at_fixed_time(link, rate_of(np.asarray(event.after), gravity))
        first, since = before_by_start(link, local.arrivals[name, k], 0)
        second, other_since = before_by_start(link, local.arrivals[local.twin(event)], 12)
        return np.concatenate([first, second, link[:, 24:], since, other_since], axis=1)
    link = link[:13] if kind == "impact" else link[13:]
    before, since = before_by_start(link, local.arrivals[name, k], 0)
    return np.concatenate([before, link[:, 12:], since], axis=1)


def on_flight(local: Local, name: str, on: Floats, since: Floats) -> Floats:
    """Covectors on a flight, which in air is named by when it starts as well."""
    return np.concatenate([on, since], axis=1) if name in local.airs else on


def on_outcome(local: Local, name: str, k: int, on: Floats) -> Floats:
    """Covectors (R, 12) on the flight that an event gives, at the fixed time that names it."""
    event, after = local.chains[name].events[k], local.chains[name].spans[k + 1]
    if name not in local.airs or after.kind != "flight":
        return on
    if after.start != event.time:  # then the link is to that time already
        return np.column_stack([on, np.zeros(len(on))])
    state = np.asarray(event.after)
    rate = rate_of(state, acceleration_in_air(state, local.simulation.gravity, local.airs[name]))
    return np.column_stack([on, -on @ rate])
