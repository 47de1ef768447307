"""What a simulation finds: every thing's spans between events, and the events themselves. Frozen records."""

from bisect import bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from hoi_edit.reporting.findings import Amount, Doubt
from hoi_edit.simulate.kind_words import EventWord, SpanWord
from kinematics.rotation import Floats

CLOSE = 1e-6  # [m] a miss that is closer puts a derivative in doubt: what a tie, a microsecond, is at a metre a second
GRAZING = 0.1  # of the relative speed along the normal: below, a derivative's range is too small to trust

AT_ONCE = 1e-6  # [s] within which what touches comes to rest, if it lies there


@dataclass(frozen=True, eq=False)
class Patch:
    """The surface of a touch: a rounded box and its place on a frame (-1: the world)."""

    frame: int
    place: Floats  # (3,)
    turned: Floats  # (3, 3)
    core: Floats  # (3,)
    radius: float
    restitution: float  # its own, to be multiplied by the thing's
    friction: float


class Jam(NamedTuple):
    """What presses a ball where there is no way out."""

    by: str
    patch: Patch


NOWHERE = np.zeros(3)
NOWHERE.flags.writeable = False


class Event(NamedTuple):  # hundreds are made in a simulation: a frozen dataclass takes four times as long
    """Something that happened to a thing. Numbers that replay must not decide again are data here.

    One record for all kinds: what touched, where, with which normal, and the states around it are asked of every touch
    by constraints, checker, drawing and files, be it in flight or in contact, of balls or of hulls, one that bounces,
    holds or rests; with a record a kind each of them would ask for the kind first. What only some have is None, or
    False, in all others.
    """

    kind: EventWord  # as users know it: impact, grasp, release, rest, slide, roll, edge, leave, goes on, jump
    object: str
    time: float
    other: str | None = None  # "juggler/right_hand", "ground", "ball2"
    contact: str | None = None  # id of the intended contact that this is
    patch: Patch | None = None  # what was touched; None where two flying things met
    rate: float = 0.0  # [m/s] of the gap: how fast they met
    gap: float = 0.0  # [m] what polishing left of it
    feature: Any = None  # (3,) of a ball's touch with a rounded box; rigid.convex.Feature of others
    stick: float = 1.0
    ratio: float = 0.0  # |J_t| needed to stick over what friction can give
    normal: Floats = NOWHERE
    frame: Floats | None = None  # (24,) packed motion of the part's frame
    before: Floats | None = None  # (18,) packed state just before
    after: Floats | None = None  # (18,) just after
    declared: bool = False
    restitution: float | None = None  # where it was another than the law's: of hops that stand for lasting contact
    twin: Floats | None = None  # (18,) the other thing's state just before, when two things meet
    settling: Any = None  # (rigid.settling.Settling, time of the touch), of bounces that were summed up
    speed: float = 0.0  # [m/s] of the thing relative to what it met
    tied: str | None = None  # what it touched just before, at the same instant
    hop: bool = False  # it stands for contact that lasts
    clamped: bool = False  # a release that was to be before its catch
    known_doubt: Doubt | None = None  # by whoever made it; else it follows from the numbers here
    push: tuple[float, float] | None = (
        None  # of `rigid.push`: leaving speed [m/s], negative if by the law; pressed or not
    )
    jam: Jam | None = None  # it stays where it is, as there is no way out, until what presses it has left
    moments: Floats | None = None  # (3,) that an impulse on a thing found, where it was on the whole of one that stands
    mechanism: str = ""  # in `tables.EVENTS`: what made it, and carries derivatives back through it

    @property
    def doubt(self) -> Doubt | None:
        """Why the derivative through this event is one-sided, or not to be trusted."""
        if self.known_doubt is not None:
            return self.known_doubt
        if self.jam is not None:
            return Doubt("jammed", self.jam.by)
        if self.leaps:
            return Doubt("jump")
        if self.clamped:
            return Doubt("released before its catch")
        if self.hop:
            return Doubt("hop")
        if self.touches and -self.rate < GRAZING * self.speed:
            return Doubt("grazes", amounts=(Amount(-self.rate, "m/s"), Amount(self.speed, "m/s")))
        if self.tied is not None:
            return Doubt("tied", self.tied)
        if self.bounces and 0.99 < self.ratio < 1.01:
            return Doubt("sticks or slides")
        return None

    @property
    def touched(self) -> float:
        """When the touch was [s]: of bounces that were summed up, the first one's."""
        return self.time if self.settling is None else float(self.settling[1])

    @property
    def intended(self) -> bool:
        return self.contact is not None

    # what its word says of it

    @property
    def bounces(self) -> bool:
        return self.kind.bounces

    @property
    def catches(self) -> bool:
        return self.kind.catches

    @property
    def passes_on(self) -> bool:
        return self.kind.passes_on

    @property
    def rests(self) -> bool:
        return self.kind.rests

    @property
    def lets_go(self) -> bool:
        return self.kind.lets_go

    @property
    def leaps(self) -> bool:
        return self.kind.leaps

    @property
    def is_seam(self) -> bool:
        return self.kind.is_seam

    @property
    def touches(self) -> bool:
        return self.kind.touches

    @property
    def rides(self) -> bool:
        return self.kind.rides

    @property
    def holds(self) -> bool:
        return self.kind.holds

    @property
    def is_met(self) -> bool:
        return self.kind.is_met

    @property
    def fulfils(self) -> bool:
        return self.kind.fulfils

    @property
    def hits_by_chance(self) -> bool:
        """Whether it is an impact that nobody meant."""
        return self.kind.bounces and self.contact is None

    def __repr__(self) -> str:
        other = f" with {self.other}" if self.other else ""
        meant = f" ({self.contact})" if self.contact else ", not intended"
        return f"<{self.kind} of {self.object}{other} at {self.time:.4f} s{meant}>"


class Span(NamedTuple):
    """A stretch of one thing's life between two events."""

    kind: SpanWord  # in `tables.SPANS`: flight, held, contact
    object: str
    start: float
    end: float
    state: Floats | None = None  # (18,) at `start`, of a flight
    frame: int = -1  # that carries it, when held
    position: Floats | None = None  # relative to that frame
    rotation: Floats | None = None
    surface: int = -1  # that it lies on, when in contact
    contacting: Any = None  # rigid.rolling_ends.ContactSpan
    ending: Any = None  # rigid.rolling_ends.End
    way: Floats | None = None  # (K, 7) times, places and velocities, when in contact
    ridden: Any = None  # dynamics.rolling_motion.Ridden: the steps of that contact

    # what its word says of it

    @property
    def flies(self) -> bool:
        return self.kind.flies

    @property
    def is_held(self) -> bool:
        return self.kind.is_held

    @property
    def rolls(self) -> bool:
        return self.kind.rolls

    @property
    def in_hand(self) -> bool:
        """Whether it is held by what moves."""
        return self.kind.is_held and self.frame >= 0

    @property
    def lies_still(self) -> bool:
        """Whether it is held where it is in the world."""
        return self.kind.is_held and self.frame < 0

    def between(self, start: float, end: float) -> "Span":
        """The same at other times; written out, since `_replace` costs more than all else about a span."""
        return Span(
            self.kind, self.object, start, end, self.state, self.frame, self.position, self.rotation, self.surface,
            self.contacting, self.ending, self.way, self.ridden,
        )  # fmt: skip

    def until(self, end: float) -> "Span":
        return self.between(self.start, end)


@dataclass(frozen=True, eq=False)
class Node:
    """What follows an intended contact, as a variable of its own: a flight, or a pose in the hand."""

    time: float  # at which the flight has `state`; a fixed name for it, not the contact's time
    state: Floats | None = None  # (18,)
    position: Floats | None = None  # of a hold, relative to the hand
    rotation: Floats | None = None


@dataclass(frozen=True, eq=False)
class Near:
    """A near miss: so close that a small edit would make it a touch."""

    object: str
    other: str
    time: float
    gap: float  # [m]

    @property
    def doubt(self) -> Doubt | None:
        """Why a derivative past it is one-sided."""
        return Doubt("passes close", amounts=(Amount(self.gap, "m"),)) if self.gap < CLOSE else None

    def __repr__(self) -> str:
        return f"<near miss of {self.object} with {self.other} at {self.time:.4f} s>"


def _time(event: Event) -> float:
    return event.time


@dataclass(frozen=True, eq=False)
class Chain:
    """All that happened to one thing, in order: events[k] ends spans[k] and begins spans[k + 1]."""

    spans: Sequence[Span]
    events: Sequence[Event]

    @property
    def first(self) -> int:
        """The span that a thing starts with. One that lies there touches what it lies on at the very start: before that
        there is a flight that has no duration."""
        if not self.events or self.spans[1].flies:
            return 0
        event, start = self.events[0], self.spans[0].start
        return 1 if event.rests and event.time - start <= AT_ONCE else 0

    def index_at(self, t: float) -> int:
        """Of the span that holds at time t; at an event, of the one that begins there."""
        return bisect_right(self.events, t, key=_time)

    def within(self, start: float, end: float) -> range:
        """Which spans have something in common with a stretch of time."""
        first = self.index_at(start)
        last = first
        while last < len(self.events) and (self.events[last].time < end or self.spans[last + 1].start < end):
            last += 1
        return range(first, last + 1)

    def settles_at(self, k: int, t: float) -> bool:
        """Whether span k, at time t, is already in the bounces that were summed up at its end."""
        settling = self.events[k].settling if k < len(self.events) else None
        return settling is not None and t > settling[1]

    def span_at(self, t: float) -> Span:
        return self.spans[self.index_at(t)]


@dataclass(frozen=True, eq=False)
class Trajectories:
    chains: Mapping[str, Chain]
    near: Sequence[Near] = ()
    missed: Sequence[str] = ()  # ids of intended contacts that did not happen
