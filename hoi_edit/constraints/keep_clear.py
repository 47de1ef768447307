"""Things that shall not touch stay apart, at the closest that they come.

The row is on the gap at the instant of closest approach, which by being closest does not change with its time. Where
the edit runs into something that nobody intended, such rows are made of what was hit: the watch list.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import Rowset
from hoi_edit.constraints.keep_contact import partner
from hoi_edit.laws import MATCH
from hoi_edit.linearise import Functional, Target
from hoi_edit.rollout import Event
from hoi_edit.search import STRUCK, closest_approach
from hoi_edit.simulation import Rollout
from kinematics.rotation import Floats

APART = 0.02  # [m]
LEAST = 1e-3  # [m]
AROUND = 0.25  # [s] to either side of where something was met
MOMENT = 0.01  # [s]
STEP = 1.0 / 240.0  # [s] between looks


@dataclass(frozen=True, eq=False)
class KeepClear:
    """Of two things, or a thing and a part, about a time."""

    thing: str
    other: str  # "ball2", "juggler/head", "ground"
    time: float
    distance: float = APART
    after: str | None = None  # the flight of the thing, as a drag is bound to one
    ends: str | None = None  # the contact that is to end that flight: what it would run into later does not count

    @property
    def label(self) -> str:
        return f"{self.thing} clear of {self.other} at {self.time:.2f} s"

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        if self.other in seen.trajectories.chains:
            return self._of_things(seen)
        return self._of_part(seen)

    def _of_things(self, seen: Rollout) -> Sequence[Rowset]:
        scene = seen.model.scene
        low, high = max(self.time - AROUND, scene.start), min(self.time + AROUND, scene.end)
        times = np.linspace(low, high, max(2, round((high - low) / STEP)))
        first, second = (seen.positions(name, times) for name in (self.thing, self.other))
        reach = scene.thing(self.thing).body.reach + scene.thing(self.other).body.reach
        away = first - second
        k = int(np.argmin((away**2).sum(axis=1)))
        distance = float(np.linalg.norm(away[k]))
        normal = away[k] / max(distance, 1e-9)
        on = np.concatenate([normal, np.zeros(9)])[None]
        targets = [(Target(self.thing, times[k]), on), (Target(self.other, times[k]), -on)]
        return [self._rowset(Functional(1, things=targets), distance - reach)]

    def _of_part(self, seen: Rollout) -> Sequence[Rowset]:
        span = seen.span_index(self.thing, self.time, self.after)
        assert span is not None
        own = seen.trajectories.chains[self.thing].spans[span]
        if own.kind != "flight" or len(seen.model.scene.thing(self.thing).body.vertices) > 1:
            return []
        until = _end(seen, self.ends)
        if min(self.time + AROUND, until) - max(self.time - AROUND, own.start) <= STEP:
            return []
        row = closest(seen, self.thing, span, self.other, self.time, until)
        struck = STRUCK.unpack(row)
        arm = struck.before[:3] - struck.frame[:3]
        target = Target(self.thing, float(struck.time), span)
        part = partner(seen, self.other, float(struck.time))
        return [self._rowset(part.apart(target, arm, struck.normal[None]), float(struck.gap))]

    def _rowset(self, functional: Functional, gap: float) -> Rowset:
        return Rowset(self.label, functional, np.array([self.distance - gap]), np.array([np.inf]))


Watched = KeepClear


def closest(seen: Rollout, thing: str, span: int, other: str, time: float, until: float = np.inf) -> Floats:
    """STRUCK row of the closest that a flight, extended, comes to a part about a time."""
    world, simulation = seen.model.world, seen.simulation
    own, scene = seen.trajectories.chains[thing].spans[span], seen.model.scene
    low, high = max(time - AROUND, own.start), min(time + AROUND, scene.end, until)
    flight = simulation.packed_flight(thing, own, low, high)
    return closest_approach(
        simulation.exact.moving, world.solids, world.surfaces_of(other), simulation.gravity, flight, STEP
    )


def unwanted(seen: Rollout, origin: Rollout, watched: Sequence[KeepClear]) -> tuple[KeepClear, ...]:
    """What a rollout runs into that its origin did not, and that is not watched yet: the first after each contact."""
    known = {(own.thing, own.other, own.after) for own in watched}
    was = {(event.object, event.other) for event in origin.events if not event.intended and event.kind == "impact"}
    found = []
    for name, chain in seen.trajectories.chains.items():
        first = True  # of what comes after something intended; what comes then would not, without it
        for k, event in enumerate(chain.events):
            if event.intended or event.kind == "jump":
                first = True
                continue
            if event.kind != "impact" or (name, event.other) in was or _is_declared(seen, event) or not first:
                continue
            first = False
            before = chain.events[k - 1].contact if k > 0 else ""
            after = None if before is None else ("" if k == 0 else f"{before}:{chain.events[k - 1].kind}")
            if after is not None and (name, event.other, after) not in known and _comes_before_a_contact(chain, k):
                ends = next((later.contact for later in chain.events[k:] if later.intended), None)
                room = _room(origin, name, str(event.other), event.time, after, _end(origin, ends))
                found.append(KeepClear(name, str(event.other), event.time, room, after, ends))
    return tuple(found)


def _is_declared(seen: Rollout, event: Event) -> bool:
    """Whether a touch is one that is declared, a moment before it was decreed."""
    laws = seen.simulation.laws
    return any(
        contact.declared and abs(contact.time - event.time) < MATCH and laws.is_target(contact, str(event.other))
        for contact in seen.model.scene.plan_of(event.object)
    )


def _end(seen: Rollout, contact: str | None) -> float:
    """A moment before a contact."""
    if contact not in seen.happened:
        return np.inf
    thing, k = seen.happened[str(contact)]
    return seen.trajectories.chains[thing].events[k].time - MOMENT


def _room(origin: Rollout, thing: str, other: str, time: float, after: str, until: float) -> float:
    """How far apart to keep two that have met: no more than they were at first. A shank is never far from a kick."""
    if other in origin.trajectories.chains:
        return APART
    span = origin.span_index(thing, time, after)
    if span is None or origin.trajectories.chains[thing].spans[span].kind != "flight":
        return APART
    if min(time + AROUND, until) - max(time - AROUND, origin.trajectories.chains[thing].spans[span].start) <= STEP:
        return LEAST
    gap = float(STRUCK.unpack(closest(origin, thing, span, other, time, until)).gap)
    return float(np.clip(0.5 * gap, LEAST, APART))


def _comes_before_a_contact(chain: object, k: int) -> bool:
    """Whether anything that was meant to happen, or a jump to where it should have, comes after an event."""
    return any(event.intended or event.kind == "jump" for event in chain.events[k + 1 :])  # type: ignore[attr-defined]
