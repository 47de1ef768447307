"""Flights as the paths of hands see them: from where to where, and where the ball lies in either hand."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.juggling.siteswap import LEFT, Toss
from hoi_edit.juggling.timing import LONGEST_STAGGER, Dwell, Flight, Schedule
from hoi_edit.scene.controls import BESIDE, side_by_side
from kinematics.rotation import Floats

RADIUS = 0.035  # [m] of a ball
MIDDLE = np.zeros(2)  # of a hand
HOME = np.array([0.21, 1.18, 0.34])  # [m] of a ball in the left hand, seen from between the feet, facing +Z
INSIDE, OUTSIDE, NEAR = 0.10, 0.32, 0.12  # [m] from the middle: where throws leave, are caught, and quick ones go over
BEHIND = -0.05  # [m] from where they would both go
FARTHER = 0.05  # [m] ahead that what goes straight over does, past what goes up
TOGETHER = 0.08  # [s] from one catch of a hand to another one that are made in about the same place
PASSING = np.array([0.24, 1.22, 0.37])
# [m] across and along the hand: where balls wait in it that are thrown one after the other, if they are three or four
PLACES = (
    ((0.0, 0.077), (0.039, 0.002), (-0.039, 0.002)),
    ((0.039, 0.077), (-0.039, 0.077), (0.039, -0.003), (-0.039, -0.003)),
)
# the same of four of which the first two are thrown together: these are one behind the other, as where they are caught
PAIRS = ((0.039, 0.077), (0.039, -0.003), (-0.039, 0.077), (-0.039, -0.003))
MOST = 4  # balls that a hand begins with


@dataclass(frozen=True, eq=False)
class Stand:
    """Where a juggler stands: the turn about the vertical [rad] and the place on the ground."""

    turn: float
    place: Floats  # (3,)

    def world(self, local: Floats) -> Floats:
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.asarray(local @ np.array([[c, 0.0, -s], [0.0, 1.0, 0.0], [s, 0.0, c]]) + self.place)

    def along(self, local: Floats) -> Floats:
        """A direction."""
        return self.world(local) - self.place


# Of a hand at a time: where (across, along) on it lies from its middle, and how it moves beside the middle
Turned = Callable[[int, float, Floats], tuple[Floats, Floats]]


@dataclass(frozen=True, eq=False)
class Throw:
    """A flight from one hand's path to another's."""

    release: float
    catch: float
    thrower: int
    catcher: int
    leaves: Floats  # (3,) where it would best leave, and be caught
    lands: Floats
    off: Floats  # (3,) where the ball lies in the hand that lets it go, off the middle
    on: Floats  # (3,) and in the hand that catches it
    swing: Floats  # (3,) [m/s] that a turning hand adds to it
    joins: bool  # the hand that catches it holds others as well
    is_low: bool  # it goes straight over

    @property
    def lasts(self) -> float:
        return self.catch - self.release


def stands(jugglers: int, apart: float) -> list[Stand]:
    """Alone; or on a circle, each facing its middle, neighbours (of two: each other) `apart`."""
    if jugglers == 1:
        return [Stand(0.0, np.zeros(3))]
    radius = apart / (2.0 * np.sin(np.pi / jugglers))
    turns = 2.0 * np.pi * np.arange(jugglers) / jugglers
    return [Stand(float(turn), -radius * np.array([np.sin(turn), 0.0, np.cos(turn)])) for turn in turns]


def side(hand: int) -> Floats:
    return np.array([-1.0 if hand == 0 else 1.0, 1.0, 1.0])


def level(where: Sequence[Stand]) -> Turned:
    """Hands that look up, fingers ahead."""
    return lambda hand, _, place: (where[hand // 2].along(np.array([-place[0], 0.0, place[1]])), np.zeros(3))


def throws(plan: Schedule, longer: Schedule, where: Sequence[Stand], turned: Turned) -> list[Throw]:
    """All flights of a plan and of how it goes on."""
    lying = lying_of(longer) | lying_of(plan)  # what comes after the end moves nothing aside before it
    shared = shared_holds(longer)
    flown, thrown = [], dict.fromkeys(range(len(plan.holds)), 0)
    for flight in sorted(longer.flights, key=lambda flight: flight.release):
        k = thrown[flight.ball]
        thrown[flight.ball] += 1
        toss = flight.toss
        thrower, catcher = 2 * toss.juggler + toss.hand, 2 * toss.to_juggler + toss.to_hand
        off, swing = turned(thrower, flight.release, lying.get((flight.ball, k), MIDDLE))
        on, _ = turned(catcher, flight.catch, lying.get((flight.ball, k + 1), MIDDLE))
        leaves, lands = (place + _passing_by(longer, flight) for place in _places(flight, longer))
        flown.append(
            Throw(
                flight.release, flight.catch, thrower, catcher,
                where[toss.juggler].world(leaves * side(toss.hand)),
                where[toss.to_juggler].world(lands * side(toss.to_hand)),
                off, on, swing, (flight.ball, k + 1) in shared, _is_low(toss),
            )
        )  # fmt: skip
    return flown


def _places(flight: Flight, plan: Schedule) -> tuple[Floats, Floats]:
    """Where a left hand throws and catches: from the inside to the outside; what is quick goes straight over,
    unless the hand that it goes to catches another one at the outside then."""
    if flight.toss.is_pass:
        return PASSING, PASSING
    if _is_low(flight.toss):
        low = np.array([NEAR, HOME[1], HOME[2] + FARTHER])
        return low, np.array([OUTSIDE, *HOME[1:]]) if _with_another(flight, plan) else low
    return np.array([INSIDE, *HOME[1:]]), np.array([OUTSIDE, *HOME[1:]])


def _passing_by(plan: Schedule, flight: Flight) -> Floats:
    """Of two balls that hands throw to each other at once, the left one's goes behind the right one's."""
    toss = flight.toss
    if toss.is_pass or toss.to_hand == toss.hand:
        return np.zeros(3)
    others = [
        other for other in plan.pattern.at(toss.beat) if (other.juggler, other.height) == (toss.juggler, toss.height)
    ]
    meet = any(not other.is_pass and other.to_hand == toss.hand != other.hand for other in others)
    return np.array([0.0, 0.0, (BEHIND if toss.hand == LEFT else -BEHIND) if meet else 0.0])


def _with_another(flight: Flight, plan: Schedule) -> bool:
    to = (flight.toss.to_juggler, flight.toss.to_hand)
    near = [other for other in plan.flights if abs(other.catch - flight.catch) < TOGETHER and other is not flight]
    return any((other.toss.to_juggler, other.toss.to_hand) == to and not _is_low(other.toss) for other in near)


def _is_low(toss: Toss) -> bool:
    return not toss.is_pass and (toss.height < 2 or (toss.height == 2 and toss.to_hand != toss.hand))


def lying_of(plan: Schedule) -> dict[tuple[int, int], Floats]:
    """Across and along the hand, where each ball lies in each of its holds."""
    lying: dict[tuple[int, int], Floats] = {}
    for held in in_hands(plan):
        along = side_by_side([(hold.catch or 0.0, until(hold)) for hold in held.values()])
        lying |= {key: np.array([0.0, by * (2.0 * RADIUS + BESIDE)]) for key, by in zip(held, along, strict=True)}
        waiting = sorted((key for key in held if held[key].catch is None), key=lambda key: until(held[key]))
        if 2 < len(waiting) <= MOST:
            places = PLACES[len(waiting) - 3]
            if len(waiting) == MOST and until(held[waiting[1]]) - until(held[waiting[0]]) <= LONGEST_STAGGER:
                places = PAIRS
            lying |= {key: np.array(place) for key, place in zip(waiting, places, strict=True)}
    return lying


def shared_holds(plan: Schedule) -> set[tuple[int, int]]:
    """Of balls that are caught, those of their holds during which the hand holds others as well."""
    return {
        key
        for held in in_hands(plan)
        for key, hold in held.items()
        if key[1] > 0 and any(other is not hold and _at_once(hold, other) for other in held.values())
    }


def _at_once(first: Dwell, second: Dwell) -> bool:
    return (first.catch or 0.0) <= until(second) and (second.catch or 0.0) <= until(first)


def in_hands(plan: Schedule) -> list[dict[tuple[int, int], Dwell]]:
    """What each hand holds, in order of catches, and first what it begins with, the last to be thrown ahead: by the
    ball, and which of its holds it is."""
    by_hand: dict[tuple[int, int], dict[tuple[int, int], Dwell]] = {}
    rows = [((ball, k), hold) for ball, course in enumerate(plan.holds) for k, hold in enumerate(course)]
    for key, hold in sorted(rows, key=lambda row: (row[1].catch or 0.0, -until(row[1]))):
        by_hand.setdefault((hold.juggler, hold.hand), {})[key] = hold
    return [by_hand[hand] for hand in sorted(by_hand)]


def until(hold: Dwell) -> float:
    return np.inf if hold.release is None else hold.release
