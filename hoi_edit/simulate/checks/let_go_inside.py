"""Balls that are let go inside somebody or something: nothing stops them before they are out, and no event tells."""

from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hoi_edit.simulate.search.clear_places import ROOM, gaps_at
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.world import Ints

if TYPE_CHECKING:
    from hoi_edit.rollout import Rollout

DEEP = 1e-4  # [m]
AROUND, EACH = 1.0, 1.0 / 60.0  # [s] before and after a release at which it might be let go, and between looks


class LetGoInside(NamedTuple):
    """A release inside something that is not the hand."""

    thing: str
    hold: str  # by its id
    other: str
    time: float  # [s]
    depth: float  # [m]
    clear: float | None  # [s]: the nearest time at which it is in nothing; None if there is none near


def let_go_inside(seen: "Rollout") -> list[LetGoInside]:
    """All of them, in the order of things."""
    found = []
    for name, chain in seen.trajectories.chains.items():
        thing = seen.model.scene.thing(name)
        if not thing.shape.by_centre:
            continue
        for k, event in enumerate(chain.events):
            if event.lets_go:
                span = chain.spans[k]
                surfaces = _others(seen, span, str(event.contact))
                times = np.array([event.time])
                gap, nearest = _gaps(seen, span, surfaces, times)
                if gap[0] < -DEEP:
                    other = seen.model.world.surfaces.name[int(nearest[0])]
                    clear = _clear_time(seen, span, surfaces, event.time)
                    found.append(LetGoInside(name, str(event.contact), other, event.time, -float(gap[0]), clear))
    return found


def _others(seen: "Rollout", span: Span, hold: str) -> Ints:
    """Surfaces of everything but the hands that hold it."""
    hands = [span.frame, *seen.context.second_frame(hold)]
    return np.flatnonzero(~np.isin(seen.model.world.surfaces.frame, hands))


def _gaps(seen: "Rollout", span: Span, surfaces: Ints, times: np.ndarray) -> tuple[np.ndarray, Ints]:
    context = seen.context
    places = np.array([context.state_in(span, float(t))[:3] for t in times])
    radius = float(seen.model.scene.thing(span.object).body.radius)
    return gaps_at(context.moving, seen.model.world.solids, surfaces, places, times, radius)


def _clear_time(seen: "Rollout", span: Span, surfaces: Ints, time: float) -> float | None:
    """When, as the hand moves, it is out of everything; the nearest to when it is let go."""
    begin, end = max(span.start + EACH, time - AROUND), min(seen.model.scene.end, time + AROUND)
    times = np.arange(begin, end, EACH)
    if not len(times):
        return None
    clear = times[_gaps(seen, span, surfaces, times)[0] > ROOM]
    return float(clear[np.argmin(np.abs(clear - time))]) if len(clear) else None
