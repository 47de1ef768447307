"""One simulation as its derivative sees it: what happened, and the local Jacobian of each event, made once."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.trajectory import Chain, Event
from kinematics.rotation import Floats
from rigid.body import is_ball


class Links(dict[tuple[str, int], Floats]):
    """Of events; those that nobody thought of are all made when the first of them is asked for."""

    def __init__(self, make_all: Callable[[], None]) -> None:
        self.make_all = make_all

    def __missing__(self, event: tuple[str, int]) -> Floats:
        self.make_all()
        if event not in self:
            raise KeyError(event)
        return self[event]


class Local:
    """Chains of events, and how each event depends on what was before it."""

    def __init__(self, simulation: Discovery, chains: dict[str, Chain], link_all: Callable[["Local"], None]) -> None:
        self.simulation, self.chains = simulation, chains
        self.world, self.scene = simulation.world, simulation.scene
        self.links = Links(partial(link_all, self))
        self.airs = self.world.airs
        # (12, 13) of balls that feel the air: how they arrive at an event, by how they set out and when
        self.arrivals: dict[tuple[str, int], Floats] = {}

    def store(self, found: list[tuple[str, int, Floats]], kernel: Any) -> None:
        """Links of some events, by a kernel over the rows of all of them."""
        if found:
            values = kernel(np.stack([row for _, _, row in found]))
            for (name, k, _), value in zip(found, values, strict=True):
                self.links[name, k] = value

    def feels_air(self, event: Event) -> bool:
        return event.object in self.airs or (event.twin is not None and event.other in self.airs)

    def both_flew(self, name: str, k: int) -> bool:
        """Whether two things that met were balls in flight."""
        other, j = self.twin(self.chains[name].events[k])
        both = ((name, k), (other, j))
        return all(is_ball(self.scene.thing(n).body) and self.chains[n].spans[i].kind == "flight" for n, i in both)

    def twin(self, event: Event) -> tuple[str, int]:
        """The other thing of a meeting, and which of its events that is."""
        other = str(event.other)
        events = self.chains[other].events
        return other, next(j for j, e in enumerate(events) if e.time == event.time and e.other == event.object)
