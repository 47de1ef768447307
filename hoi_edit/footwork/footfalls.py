"""Where feet fall so that a body gets somewhere: which foot first, how many steps, how long, and when.

Feet have stances already: those of somebody who walks alternate, those of somebody who stands last. A step there is to
be goes into a swing that there is, or into a new one, for which both feet have to stand. All that is chosen is discrete
(foot, number, pattern), so every choice is looked at, and of those with which no leg crosses the other and no step is
too long the one with fewest steps is taken. A place that is too far is gone towards, as far as there is time for.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np

from kinematics.rotation import Floats

SWING, BOTH = 0.45, 0.12  # [s] that a foot is in the air, and that both stand before the next one
LONGEST = 0.8  # [s] of a swing that there is in which a foot gets elsewhere: one that hangs in the air goes along
EDGE = 0.05  # [s] before and after a new swing in which its foot has to stand
STEP, SPREAD = 0.6, 0.8  # [m] of one foot ahead of the other, and between the two
LONGER = 0.15  # [m] by which a step may be longer than it was, where it is that long
STRIDE = 1.1  # [m] from a foot's place to its next one
NARROW, BESIDE = 0.12, 0.1  # [m] at least between the lines on which both feet stand, and while one passes the other
MOST = 12  # steps in a row
SHARES = (1.0, 0.9, 0.8, 0.7, 0.6, 0.5, 0.4, 0.3, 0.2, 0.1)  # of a way that is too far


@dataclass(frozen=True)
class Swing:
    """One foot (0: left, 1: right) in the air."""

    foot: int
    lift: float  # [s]
    land: float
    new: bool  # it stood all this time before


@dataclass(frozen=True)
class Footfall:
    """A swing, and the shares of the whole way by which its foot is away from where it was before and after."""

    swing: Swing
    before: float
    after: float


@dataclass(frozen=True, eq=False)
class TwoFeet:
    """Two feet all along a scene, as they were, looked at `times`."""

    times: Floats  # (T,) [s]
    places: Floats  # (2, T, 3) of the middle of each foot: left, right
    down: np.ndarray  # (2, T) whether it stands
    left: Floats  # (T, 3) level, from the right hip to the left one

    def stances(self, foot: int) -> list[tuple[float, float]]:
        """First and last time of each stance; of one at an end of the scene, that is before or after all time."""
        edges = np.flatnonzero(np.diff(np.concatenate([[False], self.down[foot], [False]]).astype(int)))
        spans = [(int(a), int(b) - 1) for a, b in zip(edges[::2], edges[1::2], strict=True)]
        last = len(self.times) - 1
        return [
            (-np.inf if a == 0 else float(self.times[a]), np.inf if b == last else float(self.times[b]))
            for a, b in spans
        ]

    def reversed(self) -> "TwoFeet":
        """The same, seen backwards in time."""
        flipped = -self.times[::-1], self.places[:, ::-1], self.down[:, ::-1], self.left[::-1]
        return TwoFeet(*flipped)

    def at(self, time: float) -> tuple[Floats, Floats]:
        """Places (2, 3) of the feet, and the way to the left (3,)."""
        row = int(np.argmin(np.abs(self.times - time)))
        return self.places[:, row], self.left[row]


def steps_there(standing: TwoFeet, way: Floats, by: float, since: float) -> tuple[float, tuple[Footfall, ...]]:
    """Steps that shift both feet along a level way (3,) by a time, and not before another; with the share of it that
    they get to. None of them, and zero, where no step fits in."""
    for share in SHARES:
        found = [
            falls
            for last in (0, 1)
            for falls in _choices(swings_before(standing, by, since, last))
            if _walks(standing, falls, share * way)
        ]
        if found:
            return share, min(found, key=lambda falls: (len(falls), _longest(standing, falls, share * way)))
    return 0.0, ()


def steps_back(standing: TwoFeet, way: Floats, start: float, until: float) -> tuple[Footfall, ...]:
    """Steps that bring feet back that are shifted along a way, between two times: steps there, seen backwards."""
    share, falls = steps_there(standing.reversed(), way, -start, -until)
    return tuple(_backwards(fall) for fall in reversed(falls)) if share == 1.0 else ()


def _backwards(fall: Footfall) -> Footfall:
    swing = replace(fall.swing, lift=-fall.swing.land, land=-fall.swing.lift)
    return Footfall(swing, fall.after, fall.before)


def swings_before(standing: TwoFeet, by: float, since: float, last: int) -> list[Swing]:
    """Swings in order of time, the last one over by a time, none begun before another; feet in turn, and if there is a
    choice the last one by `last`."""
    stances = [standing.stances(foot) for foot in (0, 1)]
    there_are = [swing for foot in (0, 1) for swing in _in_the_air(foot, stances[foot])]
    found: list[Swing] = []
    end, foot = by, last
    while len(found) < MOST:
        new = Swing(foot, end - SWING, end, True)
        if not all(_stands(stances[k], new.lift - EDGE, new.land + EDGE) for k in (0, 1)):
            open_ones = [swing for swing in there_are if swing.lift < end - EDGE]
            if not open_ones:
                break
            latest = max(open_ones, key=lambda swing: swing.land)
            there_are.remove(latest)
            new = _shorter(latest, end)
        if new.lift < since:
            break
        found.insert(0, new)
        end, foot = (new.lift - BOTH if new.new else new.lift), 1 - new.foot
    return found


def _in_the_air(foot: int, stances: Sequence[tuple[float, float]]) -> Iterator[Swing]:
    """All of a foot's swings, those at the ends of the scene included."""
    ends = [-np.inf, *(time for stance in stances for time in stance), np.inf]
    yield from (Swing(foot, a, b, False) for a, b in zip(ends[::2], ends[1::2], strict=True) if a < b)


def _shorter(swing: Swing, end: float) -> Swing:
    """The part of a swing, not over before a time if it goes on then, in which its foot gets elsewhere."""
    lift = max(swing.lift, min(swing.land, end) - LONGEST)
    return replace(swing, lift=lift, land=min(swing.land, max(end, lift + SWING)))


def _stands(stances: Sequence[tuple[float, float]], start: float, end: float) -> bool:
    return any(a <= start and end <= b for a, b in stances)


def _choices(swings: Sequence[Swing]) -> Iterator[tuple[Footfall, ...]]:
    """Ways to share out the way among the last so many swings: a foot passes the other, or comes up to it."""
    for count in range(2, len(swings) + 1):
        chosen = swings[len(swings) - count :]
        passing = [min(1.0, (k + 1) / (count - 1)) for k in range(count)]
        joining = [(k // 2 + 1) / ((count + 1) // 2) for k in range(count)]
        for shares in (passing, joining):
            at, falls = [0.0, 0.0], []
            for swing, share in zip(chosen, shares, strict=True):
                falls.append(Footfall(swing, at[swing.foot], share))
                at[swing.foot] = share
            if at == [1.0, 1.0]:
                yield tuple(falls)


def _walks(standing: TwoFeet, falls: Sequence[Footfall], way: Floats) -> bool:
    """Whether nobody stumbles over these: no leg crosses the other, and no step is too long, or longer than it was."""
    at = [0.0, 0.0]
    for fall in falls:
        foot, length = fall.swing.foot, float(np.linalg.norm(way))
        if (fall.after - fall.before) * length > STRIDE:
            return False
        for time, share in (
            (0.5 * (fall.swing.lift + fall.swing.land), 0.5 * (fall.before + fall.after)),
            (fall.swing.land, fall.after),
        ):
            is_down = time == fall.swing.land
            at[foot] = share
            was, left = standing.at(time)
            if not _is_apart(was, was + np.outer(at, way), left, is_down):
                return False
    return True


def _is_apart(was: Floats, now: Floats, left: Floats, is_down: bool) -> bool:
    """Whether two feet (2, 3) are beside each other as they may be, or no worse than they were."""
    aside, before = float((now[0] - now[1]) @ left), float((was[0] - was[1]) @ left)
    if aside < min(NARROW if is_down else BESIDE, before - 0.01):
        return False
    if not is_down:
        return True
    limits = ((STEP, left), (SPREAD, np.zeros(3)))
    return all(_apart(now, but) <= max(most, _apart(was, but) + LONGER) for most, but in limits)


def _apart(feet: Floats, but: Floats) -> float:
    """How far two feet (2, 3) are from each other on the ground, one direction (none, if it is zero) not counted."""
    between = _level(feet[0] - feet[1])
    return float(np.linalg.norm(between - (between @ but) * but))


def _longest(standing: TwoFeet, falls: Sequence[Footfall], way: Floats) -> float:
    """The farthest that feet are from each other where one of them has fallen [m]."""
    at, longest = [0.0, 0.0], 0.0
    for fall in falls:
        at[fall.swing.foot] = fall.after
        places = standing.at(fall.swing.land)[0] + np.outer(at, way)
        longest = max(longest, _apart(places, np.zeros(3)))
    return longest


def _level(vector: Floats) -> Floats:
    return vector * np.array([1.0, 0.0, 1.0])
