"""Siteswap: what is thrown when, by which hand and how high, as jugglers write it.

    531, 97531, b1      one throw a beat, hands in turn; the number is after how many beats the ball is thrown again
    (4,4), (6x,4)*      both hands at once, left first, each two beats; x crosses; * once more with the hands exchanged
    24[54]              several balls from one hand
    <3p 3|3p 3>         jugglers beside each other in the text; p passes, p2 to the second juggler

A pattern that cannot be juggled is a `HoiError` whose sentence says where and why.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import lcm

from kinematics.errors import HoiError

RIGHT, LEFT = 0, 1
HANDS = ("right", "left")


@dataclass(frozen=True)
class Toss:
    """One ball that leaves a hand at a beat; `height` beats later it leaves the hand that it goes to."""

    beat: int
    juggler: int
    hand: int
    height: int
    to_juggler: int
    to_hand: int
    copy: int = 0  # which one of several that are alike

    @property
    def lands(self) -> int:
        return self.beat + self.height

    @property
    def is_pass(self) -> bool:
        return self.to_juggler != self.juggler


@dataclass(frozen=True)
class Pattern:
    """A pattern that can be juggled: its tosses (none of height 0) over a period, after which it goes on the same."""

    text: str
    jugglers: int
    period: int  # [beats], with every hand in its turn again
    tosses: tuple[Toss, ...]

    @property
    def balls(self) -> int:
        return sum(toss.height for toss in self.tosses) // self.period

    @property
    def highest(self) -> int:
        return max((toss.height for toss in self.tosses), default=0)

    def at(self, beat: int) -> list[Toss]:
        """What leaves hands at any beat, before 0 as well."""
        first = beat - beat % self.period
        return [_later(toss, first) for toss in self.tosses if first + toss.beat == beat]

    def shifted(self, beats: int) -> "Pattern":
        """The same pattern, begun some beats later. After an odd number the hands exchange their roles."""
        swap = beats % 2
        moved = [
            replace(toss, beat=(toss.beat - beats) % self.period, hand=toss.hand ^ swap, to_hand=toss.to_hand ^ swap)
            for toss in self.tosses
        ]
        return Pattern(self.text, self.jugglers, self.period, tuple(sorted(moved, key=_order)))

    def __repr__(self) -> str:
        whom = "" if self.jugglers == 1 else f", {self.jugglers} jugglers"
        rows = [f"<{self.text}: {self.balls} ball{'' if self.balls == 1 else 's'}{whom}, period {self.period}"]
        rows += [f"  beat {beat}: {', '.join(self._words(t) for t in self.at(beat))}" for beat in self._beats()]
        return "\n".join(rows) + ">"

    def _beats(self) -> list[int]:
        return sorted({toss.beat for toss in self.tosses})

    def _words(self, toss: Toss) -> str:
        thrower = "" if self.jugglers == 1 else f"{toss.juggler + 1} "
        catcher = "" if self.jugglers == 1 else f"{toss.to_juggler + 1} "
        return f"{thrower}{HANDS[toss.hand]} {toss.height} to {catcher}{HANDS[toss.to_hand]}"


def _order(toss: Toss) -> tuple[int, ...]:
    return toss.beat, toss.juggler, toss.hand, -toss.height, toss.copy


def _later(toss: Toss, beats: int) -> Toss:
    return replace(toss, beat=toss.beat + beats)


# -- reading ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Written:
    """A throw as it is written: its height, whether it crosses, and the juggler that it is passed to."""

    height: int
    crosses: bool
    to: int | None  # None: to oneself
    where: int  # place in the text


class _PatternReader:
    """The text, read from left to right."""

    def __init__(self, text: str) -> None:
        self.text, self.at = text, 0
        self.has_passes, self.has_pairs = "<" in text, "(" in text

    def fail(self, what: str, where: int | None = None) -> HoiError:
        place = self.at if where is None else where
        return HoiError(f"pattern {self.text!r}, character {place + 1}: {what}")

    def peek(self) -> str:
        while self.at < len(self.text) and self.text[self.at].isspace():
            self.at += 1
        return self.text[self.at] if self.at < len(self.text) else ""

    def take(self, wanted: str, opened: int, inside: str) -> None:
        if self.peek() != wanted:
            instead = "the pattern ends" if not self.peek() else f"there is {self.peek()!r}"
            raise self.fail(f"{instead} where {inside} opened at character {opened + 1} wants {wanted!r}")
        self.at += 1

    def throw(self) -> _Written:
        letter = self.peek()
        where = self.at  # behind spaces
        if not (letter.isascii() and letter.isalnum()):
            instead = "nothing" if not letter else repr(letter)
            raise self.fail(f"{instead} stands where a throw should: a digit, or a letter from a (10) to z (35)")
        if (letter == "p" and self.has_passes) or (letter == "x" and self.has_pairs):
            raise self.fail(f"{letter!r} stands alone; it belongs behind the height of a throw")
        self.at += 1
        height, crosses, to = int(letter.lower(), 36), False, None
        while self._ahead("x") and self.has_pairs:
            crosses, self.at = True, self.at + 1
        if self._ahead("p") and self.has_passes:
            self.at += 1
            digits = ""
            while self.at < len(self.text) and self.text[self.at].isdigit():
                digits += self.text[self.at]
                self.at += 1
            to = int(digits) - 1 if digits else -1  # -1: the next juggler
        return _Written(height, crosses, to, where)

    def _ahead(self, letter: str) -> bool:
        """Directly behind what was read, without a space in between."""
        return self.text[self.at : self.at + 1] == letter

    def hand(self) -> list[_Written]:
        """What leaves one hand: a throw, or several in brackets."""
        if self.peek() != "[":
            return [self.throw()]
        opened = self.at
        self.at += 1
        throws = [self.throw()]
        while self.peek() not in ("]", ""):
            throws.append(self.throw())
        self.take("]", opened, "the bracket")
        return throws

    def pair(self) -> tuple[list[_Written], list[_Written]]:
        opened = self.at
        self.at += 1
        left = self.hand()
        self.take(",", opened, "the pair")
        right = self.hand()
        self.take(")", opened, "the pair")
        for throw in (*left, *right):
            if throw.height % 2:
                raise self.fail(
                    f"a {throw.height} is thrown by both hands at once; heights in pairs are even", throw.where
                )
        return left, right


_Slot = tuple[int, int, list[_Written]]  # beat, hand, what leaves it


def _part(reader: _PatternReader, ends: str) -> tuple[int, list[_Slot]]:
    """One juggler's throws: how many beats they take, and what leaves which hand when."""
    slots: list[_Slot] = []
    beat, begun = 0, reader.at
    while reader.peek() not in ("", *ends):
        if reader.peek() == "*":
            reader.at += 1
            if not slots or beat % 2 or not reader.has_pairs:
                raise reader.fail("'*' repeats pairs with the hands exchanged, and there are none", reader.at - 1)
            if reader.peek() not in ("", *ends):
                raise reader.fail("'*' ends a pattern, and something follows it", reader.at)
            slots += [(beat + when, 1 - hand, throws) for when, hand, throws in slots]
            return 2 * beat, slots
        if reader.peek() == "(":
            if beat % 2:
                raise reader.fail("a pair begins at an odd beat, when one hand is in its turn")
            left, right = reader.pair()
            slots += [(beat, LEFT, left), (beat, RIGHT, right)]
            beat += 2
        else:
            slots.append((beat, beat % 2, reader.hand()))
            beat += 1
    if not slots:
        raise reader.fail("there is no throw", begun)
    return beat, slots


def _parts(reader: _PatternReader) -> list[tuple[int, list[_Slot]]]:
    if not reader.has_passes:
        parts = [_part(reader, "")]
    else:
        if reader.peek() != "<":
            raise reader.fail("something stands before '<', which begins the first juggler")
        opened = reader.at
        reader.at += 1
        parts = [_part(reader, "|>")]
        while reader.peek() == "|":
            reader.at += 1
            parts.append(_part(reader, "|>"))
        reader.take(">", opened, "the list of jugglers")
        if reader.peek():
            raise reader.fail("something follows '>', which ends the last juggler")
    return parts


def parse(text: str, jugglers: int | None = None) -> Pattern:
    """The pattern that a text stands for; `jugglers`, if given, each juggle a pattern that is written for one."""
    reader = _PatternReader(text)
    parts = _parts(reader)
    if jugglers is not None and jugglers != len(parts):
        if len(parts) > 1 or jugglers < 1:
            raise HoiError(f"pattern {text!r} is for {len(parts)} jugglers, not {jugglers}")
        parts = parts * jugglers
    # with an odd number of beats each hand has the other's turn the second time
    length = lcm(*(beats if beats % 2 == 0 else 2 * beats for beats, _ in parts))
    tosses = [
        toss
        for juggler, (beats, slots) in enumerate(parts)
        for first in range(0, length, beats)
        for toss in _tosses(reader, slots, juggler, len(parts), first)
    ]
    _check_average(reader, tosses, length)
    _check_landings(reader, tosses, length, len(parts))
    told_apart = [replace(toss, copy=tosses[:k].count(toss)) for k, toss in enumerate(tosses)]
    return Pattern(text.strip(), len(parts), length, tuple(sorted(told_apart, key=_order)))


def _tosses(reader: _PatternReader, slots: Sequence[_Slot], juggler: int, jugglers: int, first: int) -> Iterator[Toss]:
    paired = {beat for beat, hand, _ in slots if sum(when == beat for when, _, _ in slots) > 1}
    for beat, slot_hand, throws in slots:
        hand = slot_hand if beat in paired else (first + beat) % 2
        for throw in throws:
            if throw.height == 0:
                continue
            to = juggler if throw.to is None else (juggler + 1) % jugglers if throw.to == -1 else throw.to
            if throw.to is not None and (to == juggler or not 0 <= to < jugglers):
                raise reader.fail(_no_such(to, juggler, jugglers), throw.where)
            to_hand = hand ^ throw.crosses if beat in paired else (hand + throw.height) % 2
            yield Toss(first + beat, juggler, hand, throw.height, to, to_hand)


def _no_such(to: int, juggler: int, jugglers: int) -> str:
    if to == juggler:
        return f"juggler {juggler + 1} passes to himself; write the throw without p"
    how_many = "is 1" if jugglers == 1 else f"are {jugglers}"
    return f"the pass goes to juggler {to + 1}, but there {how_many}; a space ends a pass before the next throw"


# -- what cannot be juggled -------------------------------------------------------------------------------------------


def _check_average(reader: _PatternReader, tosses: Sequence[Toss], length: int) -> None:
    average = Fraction(sum(toss.height for toss in tosses), length)
    if average.denominator != 1:
        raise HoiError(
            f"pattern {reader.text!r}: its throws are {float(average):.4g} high on average, which would be the number "
            "of balls and is not whole"
        )
    if average == 0:
        raise HoiError(f"pattern {reader.text!r}: nothing is thrown; at least one height must not be 0")


def _check_landings(reader: _PatternReader, tosses: Sequence[Toss], length: int, jugglers: int) -> None:
    """As many balls come to each hand at each beat as it throws then."""
    thrown = Counter((toss.juggler, toss.hand, toss.beat) for toss in tosses)
    landing: dict[tuple[int, int, int], list[Toss]] = {}
    for toss in sorted(tosses, key=_order):
        landing.setdefault((toss.to_juggler, toss.to_hand, toss.lands % length), []).append(toss)
    crowded = [(place, landed) for place, landed in landing.items() if len(landed) > thrown[place]]
    if not crowded:
        return
    # the one that is told begins earliest
    place, landed = min(crowded, key=lambda item: [toss.beat for toss in item[1]])
    raise HoiError(f"pattern {reader.text!r}: {_collision(place, landed, thrown[place], length, jugglers)}")


def _collision(place: tuple[int, int, int], tosses: Sequence[Toss], room: int, length: int, jugglers: int) -> str:
    juggler, hand, _ = place
    last = max(toss.lands for toss in tosses)
    beats = sorted(toss.beat + (last - toss.lands) // length * length for toss in tosses)
    whose = f" in the {HANDS[hand]} hand" + (f" of juggler {juggler + 1}" if jugglers > 1 else "")
    if room == 1 and len(set(beats)) == len(beats) > 1 and jugglers == 1:
        said = f"{', '.join(str(beat) for beat in beats[:-1])} and {beats[-1]}"
        return f"the throws at beats {said} {'both' if len(beats) == 2 else 'all'} land at beat {last}{whose}"
    said = ", ".join(str(beat) for beat in dict.fromkeys(beats))
    turn = "which throws none then" if room == 0 else f"which throws {room} then"
    balls = "a ball lands" if len(tosses) == 1 else f"{len(tosses)} balls land"
    many = "s" if len(set(beats)) > 1 else ""
    return f"{balls} at beat {last}{whose}, {turn}; thrown at beat{many} {said}"
