"""When what happens: from a pattern to holds and flights of single balls, in seconds.

A ball that is thrown at a beat with height h leaves the hand that it goes to h beats later; it is caught a dwell before
that. A 2 to the same hand is a hold. What is so low that it would have to be caught before it is thrown (a 1, or a 2
that crosses) flies for nearly half of the time until it is thrown again.

A hand has one velocity at a time, so of several balls that it throws at a beat the highest leaves first, and each next
one a moment later, when the hand has slowed down to what that one wants. Those that are to be equally high would not
get apart so: the later one is caught the earlier, by as much as it takes.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.juggling.siteswap import Pattern, Toss
from kinematics.errors import HoiError

GRAVITY = 9.81  # [m/s²]
COMFORTABLE = 2.1  # [m] above the hands that the highest throw goes at most, if nobody says otherwise
SLOWEST = ((3, 0.26), (5, 0.21), (7, 0.175))  # [s] a beat, by the highest throw: so long as people take
SLOWER = (1.1, 1.2)  # of that, where hands would have to be too quick
SLOWEST_PASSING = 0.36  # [s]
QUICKEST_PASS = 0.62  # [s] that a pass flies at least
DWELL = ((3, 1.2), (5, 1.1), (7, 1.0))  # [beats] that a ball stays in the hand, by the highest throw
MIXED, HIGH = 1.3, 6  # the same where lower throws among high ones leave time, and from what height on
LOW = 0.45  # of the time between two throws of a ball, that it flies at least
STAGGER, LONGEST_STAGGER = 0.02, 0.05  # [s] from one of several balls that leave a hand to the next
SLOWING, BRAKING = 22.0, 35.0  # [m/s²] that a hand slows down by in between: at least (twice gravity), and as it likes
BEFORE = 0.7  # [s] before the first throw
AFTER = 0.25  # [beats] after the last throw that is begun
LEAST_SECONDS = 4.5  # [s] of pattern, unless someone says how long
LONGEST = 120.0  # [s]


@dataclass(frozen=True)
class Dwell:
    """A ball in a hand: from a catch (None: from the start) to a throw (None: to the end)."""

    juggler: int
    hand: int
    catch: float | None
    release: float | None


@dataclass(frozen=True)
class Flight:
    """A ball from one hand to the next; where the scene ends before the catch, `caught` is False."""

    ball: int
    toss: Toss
    release: float
    catch: float
    caught: bool

    @property
    def lasts(self) -> float:
        return self.catch - self.release


@dataclass(frozen=True)
class Schedule:
    """Holds of each ball in order, and the flights between them."""

    pattern: Pattern
    beat: float  # [s]
    dwell: float  # [beats]
    first: float  # [s] of beat 0
    end: float  # [s]
    holds: tuple[tuple[Dwell, ...], ...]
    flights: tuple[Flight, ...]

    @property
    def catches(self) -> int:
        return sum(flight.caught for flight in self.flights)

    def time(self, beat: float) -> float:
        return self.first + beat * self.beat

    def height(self, height: int) -> float:
        """[m] above the hands that a throw of a height goes."""
        return GRAVITY * flight_time(height, self.dwell, self.beat) ** 2 / 8.0


def flight_time(height: int, dwell: float, beat: float) -> float:
    return max(height - dwell, LOW * height) * beat


def times_of(pattern: Pattern, beat: float, dwell: float, toss: Toss) -> tuple[float, float]:
    """[s] from beat 0: when a throw leaves its hand, and when it is caught."""
    if _is_hold(toss):
        return toss.beat * beat, toss.lands * beat
    thrown = [other for other in pattern.at(toss.beat) if (other.juggler, other.hand) == (toss.juggler, toss.hand)]
    flying = sorted(
        (other for other in thrown if not _is_hold(other)),
        key=lambda other: (-other.height, other.copy),
    )
    usual = [flight_time(other.height, dwell, beat) for other in flying]
    late, lasts = _one_after_the_other(usual, 0.0)
    # so that none is caught much too early, the first flies longer
    early = max(alone - wait - flies for alone, wait, flies in zip(usual, late, lasts, strict=True))
    late, lasts = _one_after_the_other(usual, 0.5 * early)
    k = flying.index(toss)
    return toss.beat * beat + late[k], toss.beat * beat + late[k] + max(lasts[k], LOW * toss.height * beat)


def _one_after_the_other(usual: Sequence[float], longer: float) -> tuple[list[float], list[float]]:
    """[s] When balls leave a hand that slows down meanwhile, and how long they fly; by how long they would alone, and
    by how much longer the first is to fly."""
    late, lasts = [0.0], [usual[0] + longer]
    for flies in usual[1:]:
        lower = 0.5 * GRAVITY * (lasts[-1] - (flies - late[-1])) / (BRAKING - 0.5 * GRAVITY)
        pause = float(np.clip(lower, STAGGER, LONGEST_STAGGER))
        late.append(late[-1] + pause)
        lasts.append(min(flies - late[-1], lasts[-1] - 2.0 * SLOWING * pause / GRAVITY))
    return late, lasts


def schedule(
    pattern: Pattern,
    beat: float | None = None,
    dwell: float | None = None,
    rounds: int | None = None,
    seconds: float | None = None,
) -> Schedule:
    """`beat` in seconds, `dwell` in beats; the pattern goes on for so many `rounds` or `seconds`, and what is in the
    air then stays there: nobody collects."""
    dwell = usual_dwell(pattern) if dwell is None else float(dwell)
    if not 0.1 <= dwell <= 1.8:
        raise HoiError(
            f"a dwell of {dwell:g} beats was asked for; a hand throws every second beat, so 0.1 to 1.8 can be"
        )
    beat = usual_beat(pattern, dwell) if beat is None else float(beat)
    if not 0.05 <= beat <= 2.0:
        raise HoiError(f"a beat of {beat:g} s was asked for; it must be between 0.05 and 2 s")
    pattern = easiest_start(pattern)
    beats = _beats(pattern, beat, rounds, seconds)
    return _scheduled(pattern, beat, dwell, BEFORE + (beats - 1 + AFTER) * beat)


def prolonged(plan: Schedule, seconds: float) -> Schedule:
    """The same plan, going on for longer."""
    return _scheduled(plan.pattern, plan.beat, plan.dwell, plan.end + seconds)


def slower(plan: Schedule) -> list[Schedule]:
    """The same plan with longer beats, as long as the highest throw stays comfortable; none where someone has chosen
    the beat."""
    if plan.beat != usual_beat(plan.pattern, plan.dwell):
        return []
    plans = [_scheduled(plan.pattern, round(share * plan.beat, 3), plan.dwell, plan.end) for share in SLOWER]
    return [slowed for slowed in plans if slowed.height(slowed.pattern.highest) <= COMFORTABLE]


def _scheduled(pattern: Pattern, beat: float, dwell: float, end: float) -> Schedule:
    holds, flights = [], []
    for ball, first in enumerate(first_tosses(pattern)):
        own_holds, own_flights = _course(pattern, ball, first, beat, dwell, end)
        holds.append(tuple(own_holds))
        flights += own_flights
    return Schedule(
        pattern, beat, dwell, BEFORE, end, tuple(holds), tuple(sorted(flights, key=lambda f: (f.catch, f.ball)))
    )


def usual_dwell(pattern: Pattern) -> float:
    mixed = pattern.highest >= HIGH and any(toss.height < pattern.highest for toss in pattern.tosses)
    return MIXED if mixed else _between(DWELL, pattern.highest)


def _between(table: Sequence[tuple[int, float]], height: int) -> float:
    """A value from a table by heights."""
    return float(np.interp(height, [listed for listed, _ in table], [value for _, value in table]))


def usual_beat(pattern: Pattern, dwell: float) -> float:
    """As long as the highest throw stays comfortable, but no longer than people take for low ones."""
    passes = [toss.height for toss in pattern.tosses if toss.is_pass]
    slowest = SLOWEST_PASSING if passes else _between(SLOWEST, pattern.highest)
    highest = np.sqrt(8.0 * COMFORTABLE / GRAVITY) / flight_time(pattern.highest, dwell, 1.0)
    beat = min(slowest, float(highest))
    if passes:  # lower passes may want a slower beat than is comfortable for the highest throw
        beat = max(beat, QUICKEST_PASS / flight_time(min(passes), dwell, 1.0))
    return round(beat, 3)


def _beats(pattern: Pattern, beat: float, rounds: int | None, seconds: float | None) -> int:
    if rounds is not None and seconds is not None:
        raise HoiError("say how many rounds or how many seconds, not both")
    if rounds is not None and not 1 <= rounds * pattern.period * beat <= LONGEST:
        lasts = pattern.period * beat
        raise HoiError(f"{rounds} rounds of {lasts:.2f} s were asked for; together they must last 1 to {LONGEST:g} s")
    if seconds is not None and not pattern.period * beat <= seconds <= LONGEST:
        raise HoiError(
            f"{seconds:g} s were asked for; one round takes {pattern.period * beat:.2f} s, and the most is {LONGEST:g}"
        )
    if rounds is not None:
        return rounds * pattern.period
    wanted = LEAST_SECONDS if seconds is None else seconds
    return max(pattern.highest + 1, int(np.ceil(wanted / beat)))


def first_tosses(pattern: Pattern) -> list[Toss]:
    """The first throw of each ball: those that no throw at beat 0 or later led to, in order."""
    return [
        toss
        for beat in range(pattern.highest)
        for toss in pattern.at(beat)
        if _through(pattern, beat, (toss.juggler, toss.hand))[1][toss].beat < 0
    ]


def _through(pattern: Pattern, beat: int, place: tuple[int, int]) -> tuple[dict[Toss, Toss], dict[Toss, Toss]]:
    """As what balls leave a hand again that come to it for a beat, and the other way round.

    Of several the one that is caught last lies at the fingers, and leaves first.
    """
    landing = [
        toss
        for before in range(beat - pattern.highest, beat)
        for toss in pattern.at(before)
        if toss.lands == beat and (toss.to_juggler, toss.to_hand) == place
    ]
    landing.sort(key=lambda toss: (not _is_hold(toss), toss.height < 2, -toss.copy))
    leaving = [toss for toss in pattern.at(beat) if (toss.juggler, toss.hand) == place]
    pairs = list(zip(reversed(landing), leaving, strict=True))
    return dict(pairs), {after: before for before, after in pairs}


def easiest_start(pattern: Pattern) -> Pattern:
    """Of all beats to begin with the one after which all balls are soonest on their way, and the earliest of those."""
    paired = any(len({t.hand for t in pattern.at(b) if t.juggler == 0}) > 1 for b in range(pattern.period))
    choices = [pattern.shifted(k) for k in range(0, pattern.period, 2 if paired else 1)]
    return min(choices, key=lambda choice: [toss.beat for toss in first_tosses(choice)][::-1])


def _course(
    pattern: Pattern, ball: int, first: Toss, beat: float, dwell: float, end: float
) -> tuple[list[Dwell], list[Flight]]:
    holds: list[Dwell] = []
    flights: list[Flight] = []
    toss, since = first, None
    while True:
        release, catch = (BEFORE + time for time in times_of(pattern, beat, dwell, toss))
        if release >= end:
            holds.append(Dwell(toss.juggler, toss.hand, since, None))
            return holds, flights
        if not _is_hold(toss):
            holds.append(Dwell(toss.juggler, toss.hand, since, release))
            flights.append(Flight(ball, toss, release, catch, catch < end))
            if catch >= end:
                return holds, flights
            since = catch
        toss = _through(pattern, toss.lands, (toss.to_juggler, toss.to_hand))[0][toss]


def _is_hold(toss: Toss) -> bool:
    return toss.height == 2 and not toss.is_pass and toss.to_hand == toss.hand
