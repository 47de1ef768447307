"""Things that shall not touch stay apart, at the closest that they come.

The row is on the gap at the instant of closest approach, which by being closest does not change with its time. Where
the edit runs into something that nobody intended, such rows are made of what was hit: the watch list.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import ClassVar

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import Named, Rowset
from hoi_edit.constraints.hulls_apart import hulls_apart
from hoi_edit.constraints.keep_contact import time_variable
from hoi_edit.constraints.partner import partner
from hoi_edit.constraints.references import check_positive, check_span, check_time
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.checks.prescribed_collisions import Stray, begun
from hoi_edit.simulate.search import STRUCK, closest_approach, flights
from hoi_edit.simulate.trajectory import Span
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats

APART = 0.02  # [m]
LEAST, NONE = 1e-3, 1e-4  # [m]
SLOW = 1e-3  # [m/s] of a gap that is at its lowest
PARTING = 0.03  # [s] after which a thing is to be clear of what it has just left
ARRIVING = 0.01  # [s] before a contact from which on a thing is let come near
STEP = 1.0 / 240.0  # [s] between looks
LOOKS = 32  # around a time, at a thing that is not a ball


@dataclass(frozen=True, eq=False)
class KeepClear(Named):
    """Of two things, or a thing and a part, about a time."""

    around: ClassVar[float] = 0.25  # [s] to either side of its time

    thing: str
    other: str  # "ball2", "juggler/head", "ground"
    time: float
    distance: float = APART
    after: str | None = None  # the flight of the thing, as a drag is bound to one
    ends: str | None = None  # the contact that is to end that flight: what it would run into later does not count

    @property
    def about(self) -> Finding:
        return Finding("clear", self.thing, self.other, float(self.time))

    def check(self, seen: Rollout) -> None:
        scene = seen.model.scene
        scene.thing(self.thing)
        check_time(seen, f"{self.thing} clear of {self.other}", self.time)
        check_positive(self.label, "the distance", self.distance, zero=True)
        check_span(seen, self.thing, self.after)
        if self.other == self.thing:
            raise HoiError(f"{self.thing!r} cannot be kept clear of itself; name another thing, a fixture or a part")
        if self.other not in seen.trajectories.chains:
            self._check_part(seen)

    def _check_part(self, seen: Rollout) -> None:
        scene = seen.model.scene
        fixtures = [fixture.name for fixture in scene.fixtures]
        if "/" in self.other:
            scene.place(self.other)
        elif self.other not in fixtures:
            raise unknown(
                "thing, fixture or part", self.other, [*seen.trajectories.chains, *fixtures, "character/part"]
            )
        if not scene.thing(self.thing).shape.by_centre:
            raise HoiError(
                f"{self.thing!r} is no ball, so it cannot be kept clear of {self.other!r}; it can be of other things"
            )
        if not len(seen.model.world.surfaces_of(self.other)):
            raise HoiError(f"{self.other!r} has no surface to keep {self.thing!r} clear of; name a part that has one")
        if not self.rows(seen):
            raise HoiError(
                f"{self.thing!r} does not fly at {self.time:g} s, so there is nothing to keep clear of {self.other!r}; "
                "give a time at which it does"
            )

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        if self.other in seen.trajectories.chains:
            return self._of_things(seen)
        return self._of_part(seen)

    def _of_things(self, seen: Rollout) -> Sequence[Rowset]:
        scene = seen.model.scene
        low, high = max(self.time - self.around, scene.start), min(self.time + self.around, scene.end)
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
        flight = seen.trajectories.chains[self.thing].spans[span]
        if not _is_searched(flight):
            return []
        if not seen.model.scene.thing(self.thing).shape.by_centre:
            return self._of_hulls(seen, span)
        until = _end(seen, self.ends, self.other)
        row = closest(seen, self.thing, span, self.other, (self.time, self.around), until)
        if row is None:
            return []
        struck = STRUCK.unpack(row)
        arm = struck.before[:3] - struck.frame[:3]
        target = Target(self.thing, float(struck.time), span)
        part = partner(seen, self.other, float(struck.time))
        functional = part.apart(target, arm, struck.normal[None])
        if abs(struck.rate) > SLOW:
            functional = replace(functional, columns=_by_time(seen, self.thing, span, struck))
        return [self._rowset(functional, float(struck.gap))]

    def _of_hulls(self, seen: Rollout, span: int) -> Sequence[Rowset]:
        """Of a thing that is not a ball: at fixed times around, since no search finds its closest approach."""
        each = 2.0 * self.around / LOOKS
        until = _end(seen, self.ends, self.other)
        low, high = _between(seen, self.thing, span, self.other, (self.time, self.around), until)
        times = each * np.arange(np.ceil(low / each), np.floor(high / each) + 1)
        apart = np.full(len(times), self.distance)
        return list(hulls_apart(seen, self.about, (self.thing, span), self.other, times, apart))

    def _rowset(self, functional: Functional, gap: float) -> Rowset:
        return Rowset(self.about, functional, np.array([self.distance - gap]), np.array([np.inf]))


@dataclass(frozen=True, eq=False)
class Watched(KeepClear):
    """What an edit has run into. One flight may come close to one part twice, so it looks not as far around."""

    around: ClassVar[float] = 0.1


def closest(
    seen: Rollout, thing: str, span: int, other: str, about: tuple[float, float], until: float
) -> Floats | None:
    """STRUCK row of the closest that a flight, extended, comes to a part about a time, as far around as is said; None
    if it has no time to."""
    world, context, chain = seen.model.world, seen.context, seen.trajectories.chains[thing]
    low, high = _between(seen, thing, span, other, about, until)
    if high - low <= STEP:
        return None
    if chain.spans[span].rolls:
        flight, pull = _as_flight(seen, thing, chain.spans[span], low, high)
    else:
        flight, pull = context.packed_flight(thing, chain.spans[span], low, high), context.gravity
    surfaces = world.surfaces_of(other)
    return closest_approach(context.moving, world.solids, surfaces, pull, flight, STEP)


def _is_searched(span: Span) -> bool:
    """Whether the closest approach to a part can be found: of flights, and of balls on a flat face that stands still,
    which lie, roll or slide with one acceleration all along."""
    if not span.rolls:
        return span.flies
    return span.frame < 0 and np.count_nonzero(np.asarray(span.contacting.contact.feature)) == 1


def _as_flight(seen: Rollout, thing: str, span: Span, low: float, high: float) -> tuple[Floats, Floats]:
    """A ball on a flat face as the search takes flights, and what pulls it instead of gravity."""
    radius = float(seen.model.scene.thing(thing).body.radius)
    state, rates = seen.context.state_and_rates(span, span.start)
    start, size, since, until = (np.array([number]) for number in (span.start, radius, low, high))
    return flights(start, state[None], size, since, until)[0], rates[:3]


def _between(
    seen: Rollout, thing: str, span: int, other: str, about: tuple[float, float], until: float
) -> tuple[float, float]:
    """From when to when a flight is looked at, about a time; not at what it has just left."""
    (time, around), since = about, begun(seen, thing, span)
    if span > 0 and seen.trajectories.chains[thing].events[span - 1].other == other:
        since += PARTING
    return max(time - around, since), min(time + around, seen.model.scene.end, until)


def _by_time(seen: Rollout, thing: str, span: int, struck: SimpleNamespace) -> list[tuple[str, Floats]]:
    """Two that are still closing in, or part, when a flight ends or begins are closest then; so that time counts."""
    for event in seen.trajectories.chains[thing].events[max(span - 1, 0) : span + 1]:
        if not event.lets_go and abs(event.time - struck.time) < STEP:
            variable = time_variable(seen, event)
            if variable is not None:
                return [(variable, np.array([[struck.rate]]))]
    return []


def unwanted(
    strays: Sequence[Stray], seen: Rollout, origin: Rollout, watched: Sequence[Watched], closely: bool = False
) -> tuple[Watched, ...]:
    """What is run into, as far as it is not watched yet; `closely` lets things pass as close as can be."""
    added = []
    for stray in strays:
        chain = seen.trajectories.chains[stray.thing]
        after = seen.name_of_span(stray.thing, stray.span)
        known = [
            watch.time
            for watch in watched
            if (watch.thing, watch.other, watch.after) == (stray.thing, stray.other, after)
        ]
        if after is not None and all(abs(stray.time - time) > Watched.around for time in known):
            ends = chain.events[stray.span].contact if stray.span < len(chain.events) else None
            room = NONE if closely else _room(origin, stray, after, _end(origin, ends, stray.other))
            added.append(Watched(stray.thing, stray.other, stray.time, room, after, ends))
    return tuple(added)


def _end(seen: Rollout, contact: str | None, other: str) -> float:
    """When a contact is; if it is with that part itself, a little before: it must not be met before that."""
    if contact not in seen.happened:
        return np.inf
    thing, k = seen.happened[str(contact)]
    event = seen.trajectories.chains[thing].events[k]
    return event.time - (ARRIVING if event.other == other else 0.0)


def _joins(origin: Rollout, stray: Stray) -> bool:
    """Whether a thing comes to lie in the hand that holds the other one: there they are side by side."""
    ahead = [
        contact for contact in origin.model.scene.plan_of(stray.thing) if contact.time > stray.time - Watched.around
    ]
    held = origin.trajectories.chains[stray.other]
    span = held.spans[held.index_at(stray.time)]
    return bool(ahead) and span.is_held and origin.model.world.frame(ahead[0].carrier) == span.frame


def _leaves(origin: Rollout, stray: Stray) -> bool:
    """Whether a thing has just left the hand that held the other one as well, or still does: they were side by side."""
    frames = []
    for name in (stray.thing, stray.other):
        chain, since = origin.trajectories.chains[name], stray.time - Watched.around
        held = [span for span in chain.spans if span.is_held and span.start <= stray.time and span.end >= since]
        frames.append({span.frame for span in held})
    return bool(frames[0] & frames[1])


def _room(origin: Rollout, stray: Stray, after: str, until: float) -> float:
    """How far apart to keep two that have met: no more than they were at first. A shank is never far from a kick."""
    if stray.other in origin.trajectories.chains:
        return LEAST if _joins(origin, stray) or _leaves(origin, stray) else APART
    span = origin.span_index(stray.thing, stray.time, after)
    if span is None or not _is_searched(origin.trajectories.chains[stray.thing].spans[span]):
        return APART
    if not origin.model.scene.thing(stray.thing).shape.by_centre:
        return LEAST
    row = closest(origin, stray.thing, span, stray.other, (stray.time, Watched.around), until)
    return LEAST if row is None else float(np.clip(0.5 * STRUCK.unpack(row).gap, LEAST, APART))
