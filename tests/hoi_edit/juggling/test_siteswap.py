"""Siteswap: what is read, what is refused and why, and when which ball is where."""

from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hoi_edit.juggling.siteswap import LEFT, RIGHT, Pattern, Toss, parse
from hoi_edit.juggling.timing import Schedule, easiest_start, first_tosses, flight_time, schedule
from kinematics.errors import HoiError

BALLS = {
    "3": 3, "5": 5, "7": 7, "1": 1, "441": 3, "531": 3, "51": 3, "423": 3, "450": 3, "97531": 5, "744": 5, "b1": 6,
    "db97531": 7, "75751": 5, "40": 2, "60": 3, "(4,4)": 4, "(6x,4)(4,6x)": 5, "(6x,4)*": 5, "(4x,2x)": 3,
    "(4,2x)(2x,4)": 3, "(6,6)": 6, "[43]1": 4, "24[54]": 5, "[33]33": 4, "([44],4)": 6, "<3p|3p>": 6,
    "<3p 3|3p 3>": 6, "<4p 3|3 4p>": 7, "<3p2 3|3p3 3|3p1 3>": 9, "<3|3>": 6, "<(4xp,4x)|(4xp,4x)>": 8,
}  # fmt: skip

REFUSED = {
    "321": "the throws at beats 0, 1 and 2 all land at beat 3",
    "5 4 3": "the throws at beats 0, 1 and 2 all land at beat 5",
    "5443": "the throws at beats 0 and 1 both land at beat 5 in the left hand",
    "32": "2.5 high on average",
    "45": "4.5 high on average",
    "(4,4": "the pattern ends where the pair opened at character 1 wants ')'",
    "(4 4)": "there is '4' where the pair opened at character 1 wants ','",
    "[43": "where the bracket opened at character 1 wants ']'",
    "4]": "character 2: ']' stands where a throw should",
    "(3,3)": "character 2: a 3 is thrown by both hands at once; heights in pairs are even",
    "(4,5)": "character 4: a 5",
    "(4x,4)": "2 balls land at beat 4 in the right hand, which throws 1 then",
    "<3p3|3p3>": "the pass goes to juggler 3, but there are 2",
    "<3p1|3p>": "passes to himself",
    "<3p 3|3 3p>": "2 balls land at beat 3 in the left hand of juggler 2",
    "<3|3": "the list of jugglers opened at character 1 wants '>'",
    "<3|3>3": "something follows '>'",
    "3<3|3>": "something stands before '<'",
    "<3||3>": "there is no throw",
    "": "there is no throw",
    "0": "nothing is thrown",
    "5!": "character 2: '!' stands where a throw should",
    "3*": "'*' repeats pairs",
    "(4,4)*(4,4)": "'*' ends a pattern",
    "3(4,4)": "a pair begins at an odd beat",
    "(x,4)": "'x' stands alone",
    "é": "stands where a throw should",
}


@pytest.mark.parametrize("text", BALLS)
def test_patterns_that_jugglers_know_are_read(text: str) -> None:
    pattern = parse(text)
    assert pattern.balls == BALLS[text]
    assert len(first_tosses(pattern)) == BALLS[text]
    assert text in repr(pattern)


@pytest.mark.parametrize("text", REFUSED)
def test_what_cannot_be_juggled_is_explained(text: str) -> None:
    with pytest.raises(HoiError) as caught:
        parse(text)
    assert REFUSED[text] in str(caught.value)
    assert repr(text) in str(caught.value)
    assert "\n" not in str(caught.value)


def test_hands_take_turns_and_odd_throws_cross() -> None:
    assert parse("531").tosses[:3] == (
        Toss(0, 0, RIGHT, 5, 0, LEFT), Toss(1, 0, LEFT, 3, 0, RIGHT), Toss(2, 0, RIGHT, 1, 0, LEFT),
    )  # fmt: skip
    assert all(toss.hand == toss.to_hand for toss in parse("4").tosses)


def test_both_hands_at_once_cross_where_it_says_so() -> None:
    pattern = parse("(6x,4)*")
    assert {(t.beat, t.hand, t.height, t.to_hand) for t in pattern.tosses} == {
        (0, LEFT, 6, RIGHT), (0, RIGHT, 4, RIGHT), (2, RIGHT, 6, LEFT), (2, LEFT, 4, LEFT),
    }  # fmt: skip
    assert set(pattern.tosses) == set(parse("(6x,4)(4,6x)").tosses)


def test_letters_are_heights_unless_they_are_marks() -> None:
    assert parse("x").highest == 33
    assert parse("p").highest == 25
    assert not any(toss.is_pass for toss in parse("3p3p3p").tosses)
    assert parse("<4p|4p>").highest == 4


def test_a_pattern_for_one_is_juggled_by_several() -> None:
    assert parse("3", jugglers=2).balls == 6
    with pytest.raises(HoiError, match="is for 2 jugglers, not 3"):
        parse("<3p|3p>", jugglers=3)


def _is_valid(heights: list[int]) -> bool:
    """The theorem that everyone knows: all landings are different, modulo the period."""
    return len({(k + height) % len(heights) for k, height in enumerate(heights)}) == len(heights)


@given(st.lists(st.integers(0, 12), min_size=1, max_size=7).filter(any))
def test_a_row_of_heights_is_read_just_if_no_two_land_together(heights: list[int]) -> None:
    text = "".join("0123456789abc"[height] for height in heights)
    if _is_valid(heights):
        assert parse(text).balls * len(heights) == sum(heights)
    else:
        with pytest.raises(HoiError):
            parse(text)


@st.composite
def valid(draw: st.DrawFn) -> list[int]:
    """Any valid row: where throws land is a permutation."""
    order = draw(st.permutations(range(draw(st.integers(1, 6)))))
    rounds = [draw(st.integers(1, 2)) for _ in order]
    n = len(order)
    return [(landing - k) % n + n * more for k, (landing, more) in enumerate(zip(order, rounds, strict=True))]


def _state(pattern: Pattern, beat: int) -> set[tuple[int, int, int]]:
    """When balls that are on their way at a beat land, counted from it, and where."""
    thrown = [toss for b in range(beat - pattern.highest, beat) for toss in pattern.at(b)]
    return {(toss.lands - beat, toss.to_juggler, toss.to_hand) for toss in thrown if toss.lands >= beat}


@given(valid(), st.integers(0, 20))
def test_states_return_after_a_period_and_count_the_balls(heights: list[int], beat: int) -> None:
    pattern = parse("".join("0123456789abcdefghijklmnopqrstuvwxyz"[height] for height in heights))
    assert len(_state(pattern, beat)) == pattern.balls
    assert _state(pattern, beat) == _state(pattern, beat + pattern.period)


@given(valid(), st.integers(0, 5))
def test_any_beat_may_be_the_first(heights: list[int], by: int) -> None:
    digits = "0123456789abcdefghijklmnopqrstuvwxyz"
    turned = heights[by % len(heights) :] + heights[: by % len(heights)]
    pattern = parse("".join(digits[height] for height in turned))
    assert pattern.balls == parse("".join(digits[height] for height in heights)).balls
    again = pattern.shifted(by)
    assert {(t.height, t.hand, t.to_hand) for t in again.at(0)} == {
        (t.height, t.hand ^ by % 2, t.to_hand ^ by % 2) for t in pattern.at(by)
    }


# -- when what happens ------------------------------------------------------------------------------------------------

TIMED = (
    "3",
    "441",
    "531",
    "51",
    "423",
    "40",
    "(4,4)",
    "(6x,4)*",
    "5",
    "7",
    "24[54]",
    "[33]33",
    "<3p 3|3p 3>",
    "<4p 3|3 4p>",
)


@pytest.fixture(scope="module", params=TIMED)
def plan(request: pytest.FixtureRequest) -> Schedule:
    return schedule(parse(request.param))


def test_each_ball_goes_from_hand_to_hand(plan: Schedule) -> None:
    assert len(plan.holds) == plan.pattern.balls
    for ball, course in enumerate(plan.holds):
        flights = sorted((f for f in plan.flights if f.ball == ball), key=lambda f: f.release)
        assert course[0].catch is None
        assert [hold.release for hold in course if hold.release is not None] == [f.release for f in flights]
        assert [hold.catch for hold in course[1:]] == [f.catch for f in flights if f.caught]
        for hold, flight in zip(course, flights, strict=False):
            assert (hold.juggler, hold.hand) == (flight.toss.juggler, flight.toss.hand)
        for hold, flight in zip(course[1:], flights, strict=False):
            assert (hold.juggler, hold.hand) == (flight.toss.to_juggler, flight.toss.to_hand)


def test_hands_have_time(plan: Schedule) -> None:
    """Holds and flights last, and a hand catches nothing before it has thrown what it held."""
    for course in plan.holds:
        assert all(h.release is None or h.catch is None or h.release - h.catch > 0.3 * plan.beat for h in course)
    assert all(flight.lasts > 0.4 * plan.beat for flight in plan.flights)
    if "[" in plan.pattern.text:
        return
    hands: dict[tuple[int, int], list[tuple[float, float]]] = {}
    for course in plan.holds:
        for hold in course[1:]:
            until = plan.end if hold.release is None else hold.release
            hands.setdefault((hold.juggler, hold.hand), []).append((float(hold.catch or 0.0), until))
    for holds in hands.values():
        holds.sort()
        assert all(before[1] < after[0] for before, after in pairwise(holds))


def test_throws_are_on_the_beat_and_as_many_as_the_pattern_says(plan: Schedule) -> None:
    for flight in plan.flights:
        several = [
            t
            for t in plan.pattern.at(flight.toss.beat)
            if (t.juggler, t.hand) == (flight.toss.juggler, flight.toss.hand)
        ]
        late = 0.05 if len(several) > 1 else 1e-9
        assert -1e-9 <= flight.release - plan.time(flight.toss.beat) <= late
    beats = {flight.toss.beat for flight in plan.flights}
    thrown = [t for b in range(max(beats) + 1) for t in plan.pattern.at(b)]
    held = [t for t in thrown if t.height == 2 and t.hand == t.to_hand and not t.is_pass]
    assert len(plan.flights) == len(thrown) - len(held)


def test_a_two_is_held_and_a_one_is_quick() -> None:
    plan = schedule(parse("423"))
    assert 2 not in {flight.toss.height for flight in plan.flights}
    assert flight_time(1, 1.2, 0.25) == pytest.approx(0.45 * 0.25)
    assert flight_time(5, 1.2, 0.25) == pytest.approx(3.8 * 0.25)


def test_a_pattern_begins_where_it_is_easiest() -> None:
    assert [toss.beat for toss in first_tosses(easiest_start(parse("315")))] == [0, 1, 2]
    assert [toss.beat for toss in first_tosses(parse("51"))] == [0, 1, 3]


def test_the_highest_throw_stays_comfortable() -> None:
    for text in ("5", "7", "9", "b", "f"):
        plan = schedule(parse(text))
        assert plan.height(plan.pattern.highest) < 2.2
    assert schedule(parse("3")).beat > schedule(parse("7")).beat


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"dwell": 2.5}, "a dwell of 2.5 beats"),
        ({"beat": 0.0}, "a beat of 0 s"),
        ({"rounds": 2, "seconds": 3.0}, "not both"),
        ({"rounds": 0}, "0 rounds"),
        ({"seconds": 0.1}, "one round takes"),
    ],
)
def test_times_that_cannot_be_are_refused(options: dict[str, float], said: str) -> None:
    with pytest.raises(HoiError, match=said):
        schedule(parse("531"), **options)  # type: ignore[arg-type]


def test_options_are_kept() -> None:
    plan = schedule(parse("3"), beat=0.3, dwell=0.9, rounds=4)
    assert (plan.beat, plan.dwell) == (0.3, 0.9)
    assert len(plan.flights) == 4 * plan.pattern.period
    assert np.isclose(max(f.lasts for f in plan.flights), 2.1 * 0.3)
