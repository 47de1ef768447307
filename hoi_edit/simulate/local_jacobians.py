"""Chains of events with the local Jacobian of each, made once: how every event depends on what was before it."""

from collections.abc import Callable, Sequence

import numpy as np

from hoi_edit.simulate.context import Context
from hoi_edit.simulate.dynamics.flight_laws import flight_jacobians
from hoi_edit.simulate.trajectory import Chain, Event, Span
from kinematics.rotation import Floats


class _MadeWhenAsked(dict[tuple[str, int], Floats]):
    """Of events; those that nobody thought of are all made when the first of them is asked for."""

    def __init__(self, make_all: Callable[[], None]) -> None:
        self.make_all = make_all

    def __missing__(self, event: tuple[str, int]) -> Floats:
        self.make_all()
        if event not in self:
            raise KeyError(event)
        return self[event]


class LocalJacobians:
    """Local Jacobians are named by thing and number of the event; those of a kind are made in one batched call."""

    def __init__(self, context: Context, chains: dict[str, Chain]) -> None:
        self.context, self.chains = context, chains
        self.airs = context.world.airs
        self.of = _MadeWhenAsked(self.link)

    def event(self, name: str, k: int) -> Event:
        return self.chains[name].events[k]

    def link(self, begin: float = -np.inf, end: float = np.inf) -> None:
        """Local Jacobians of all events at the ends of spans within a stretch of time, as far as there are none yet."""
        asked: dict[str, list[tuple[str, int]]] = {}
        for name, chain in self.chains.items():
            for k in _at_ends(chain, begin, end):
                if (name, k) not in self.of:
                    asked.setdefault(chain.events[k].mechanism, []).append((name, k))
        for mechanism, events in asked.items():
            made = self.context.events[mechanism].local_jacobians(self, events)
            self.of.update(made)
            for name in {name: None for name, _ in made}:
                self._rename_flights(name, [k for other, k in made if other == name])

    def _rename_flights(self, name: str, new: Sequence[int]) -> None:
        """A flight from a node is named by the node's time, which is fixed, and not by when its touch is by now."""
        chain = self.chains[name]
        ended = [(k, chain.events[k], chain.spans[k + 1]) for k in new]
        late = [entry for entry in ended if entry[2].flies and entry[2].start != entry[1].time]
        if not late:
            return
        extended = [(after._replace(state=event.after, start=event.time), after.start) for _, event, after in late]
        for (k, _, _), flight in zip(late, self.flights(extended), strict=True):
            jacobian = flight @ self.of[name, k]
            time_row = 0.0 * self.of[name, k][:1] if name in self.airs else jacobian[:0]  # a node's time is fixed
            self.of[name, k] = np.concatenate([jacobian, time_row])

    def flights(self, asked: Sequence[tuple[Span, float]]) -> list[Floats]:
        """(12, 12), in air (12, 13), each: the state of a flight at a time, by what names the flight."""
        return flight_jacobians(self.context, asked)

    def twin(self, event: Event) -> tuple[str, int]:
        """The other thing of a meeting, and which of its events that is; two that meet twice at one instant are told
        apart by the state that they met in."""
        other = str(event.other)
        events = self.chains[other].events
        met = [j for j, e in enumerate(events) if e.time == event.time and e.other == event.object]
        return other, next(
            (j for j in met if np.array_equal(np.asarray(events[j].before), np.asarray(event.twin))), met[0]
        )


def _at_ends(chain: Chain, begin: float, end: float) -> range:
    """Which events begin or end spans that have something in common with a stretch of time."""
    within = chain.within(begin, end)
    return range(max(within.start - 1, 0), min(within.stop, len(chain.events)))
