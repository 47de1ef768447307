"""Roots to round-off: by values alone, and by values and rates, in Python and in machine code."""

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from rigid.roots import MOST_LOOKS, ROUND_OFF, next_look, root_between, root_near, search_between
from tests.helpers import machine_code


@pytest.mark.parametrize("begin", [0.0, 30.0])
@pytest.mark.parametrize(
    ("falls", "root", "looks"),
    [
        (lambda s: 0.003 - s, 0.003, 4),
        (lambda s: np.cos(200.0 * s), np.pi / 400.0, 9),
        (lambda s: min(np.cos(200.0 * s), 0.005 - s), 0.005, 12),  # another margin takes over
        (lambda s: np.sqrt(0.0091 - s) - np.sqrt(0.0081), 0.001, 9),
        (lambda s: -((s - 0.002) ** 3), 0.002, 90),  # flat
        (lambda s: 1.0 if s < 0.0042 else -1e-6, 0.0042, 90),  # it leaps
    ],
)
def test_a_root_of_numbers_to_round_off_in_few_looks(begin: float, falls: Any, root: float, looks: int) -> None:
    """Begins are large and what is searched is short, as it is in a chunk of contact."""
    seen = list[float]()

    def value(t: float) -> float:
        seen.append(t)
        return float(falls(t - begin))

    t = root_between(value, begin, begin + 0.009)
    assert abs(t - begin - root) <= 2.0 * np.spacing(begin + 0.009) or falls(t - begin) == 0.0
    assert len(seen) <= looks and t in seen and begin <= min(seen) and max(seen) <= begin + 0.009
    saved, before = root_between(value, begin, begin + 0.009, float(falls(0.009))), len(seen)
    assert saved == t and len(seen) < 2 * before


def test_a_root_whose_signs_round_off_hides_is_at_that_end() -> None:
    assert root_between(lambda t: -t, 0.0, 1.0) == 0.0
    assert root_between(lambda t: 1e-17 - t, 1.0, 2.0) == 1.0
    assert root_between(lambda t: 3.0 - t, 1.0, 2.0) == 2.0
    assert root_between(lambda t: 2.0 - t, 1.0, 2.0, 0.0) == 2.0
    assert root_between(lambda t: np.nan if t > 1.0 else 1.0, 1.0, 2.0) == 2.0
    assert 1.0 <= root_between(lambda t: np.nan if 1.0 < t < 2.0 else 1.5 - t, 1.0, 2.0) <= 2.0


# a value and its rate, where its root is, and how many looks it may take from anywhere
FALLS: dict[str, tuple[Callable[[float], tuple[float, float]], float, int]] = {
    "a fall": (lambda s: (0.4 + 0.3 * s - 4.905 * s * s, 0.3 - 9.81 * s), (0.3 + np.sqrt(7.938)) / 9.81, 6),
    "a line": (lambda s: (0.25 - s, -1.0), 0.25, 2),
    "opens before it falls": (lambda s: (0.01 + s - 3.0 * s * s, 1.0 - 6.0 * s), (1.0 + np.sqrt(1.12)) / 6.0, 7),
    "flat": (lambda s: ((0.3 - s) ** 3, -3.0 * (0.3 - s) ** 2), 0.3, 26),
}


def look_for(looked: Callable[[float], tuple[float, float]], low: float, high: float, guess: float) -> list[float]:
    """All times that were looked at."""
    search, times = search_between(low, high), [guess]
    while len(times) < MOST_LOOKS + 1:
        search, then = next_look(search, times[-1], *looked(times[-1]))
        if then == times[-1]:
            break
        times.append(then)
    return times


@pytest.mark.parametrize("begin", [0.0, 30.0])
@pytest.mark.parametrize("guess", [0.0, 0.2, 0.6])
@pytest.mark.parametrize("name", FALLS)
def test_a_root_by_values_and_rates(name: str, guess: float, begin: float) -> None:
    falls, root, looks = FALLS[name]
    times = look_for(lambda t: falls(t - begin), begin, begin + 0.6, begin + guess)
    t = times[-1]
    around = [falls(x - begin)[0] for x in (t - np.spacing(t), t, t + np.spacing(t))]
    assert abs(t - begin - root) <= (ROUND_OFF + 2.0 * np.spacing(t) if name != "flat" else ROUND_OFF ** (1 / 3))
    assert abs(around[1]) <= ROUND_OFF or around[0] > 0.0 > around[2]
    assert len(times) <= looks and min(times) >= begin and max(times) <= begin + 0.6
    # the last look is the best one: what else it told is that of the root
    assert abs(around[1]) == min(abs(falls(x - begin)[0]) for x in times)


def test_what_leaps_over_zero_ends_as_near_to_it_as_it_comes() -> None:
    times = look_for(lambda t: (1.0 if t < 0.42 else -1e-6, 0.0), 0.0, 0.6, 0.2)
    assert len(times) < MOST_LOOKS and times[-1] >= 0.42 and abs(times[-2] - 0.42) < 1e-15


def test_without_an_end_what_opens_has_no_root() -> None:
    assert look_for(lambda t: (1.0 + t, 1.0), 0.0, np.inf, 0.5) == [0.5]
    assert look_for(lambda t: (1.0 / (1.0 + t), -1e-320), 0.0, np.inf, 0.5)[-1] >= 0.5
    assert look_for(lambda t: (3.0 - t, -1.0), 0.0, np.inf, 0.5)[-1] == 3.0
    assert look_for(lambda t: (3.0 - t, -1.0), 0.0, np.inf, 7.0)[-1] == 3.0


@pytest.mark.parametrize("guess", [0.05, 0.2, 0.6])
def test_near_a_guess_a_root_is_that_of_the_search(guess: float) -> None:
    falls, root, _ = FALLS["a fall"]
    assert root_near(falls, 0.0, np.inf, guess) == look_for(falls, 0.0, np.inf, guess)[-1]
    assert abs(root_near(falls, 0.0, 0.6, guess) - root) <= ROUND_OFF


def test_near_a_guess_there_may_be_no_root() -> None:
    assert root_near(lambda t: (1.0 + t, 1.0), 0.0, 1.0, 0.5) == 0.5
    assert root_near(lambda t: (1.0 + (t - 0.3) ** 2, 2.0 * (t - 0.3)), 0.0, 1.0, 0.2) == 0.2  # it opens before
    looked: list[float] = []

    def far(t: float) -> tuple[float, float]:
        looked.append(t)
        return 0.25 - t, -1.0

    assert root_near(far, 0.0, 1.0, 0.2, near=0.01) == 0.2 and looked == [0.2]
    assert root_near(far, 0.0, 1.0, 0.2, near=0.1) == 0.25


@machine_code
def by_machine(low: float, high: float, guess: float) -> Any:
    times = np.full(MOST_LOOKS + 1, np.nan)
    search, times[0] = search_between(low, high), guess
    for k in range(MOST_LOOKS):
        t = times[k]
        search, then = next_look(search, t, 0.4 + 0.3 * t - 4.905 * t * t, 0.3 - 9.81 * t)
        if then == t:
            break
        times[k + 1] = then
    return times


@pytest.mark.parametrize("high", [0.6, np.inf])
@pytest.mark.parametrize("guess", [0.0, 0.01, 0.3, 0.6])
def test_machine_code_looks_at_the_same_times(guess: float, high: float) -> None:
    times = by_machine(0.0, high, guess)
    np.testing.assert_allclose(times[~np.isnan(times)], look_for(FALLS["a fall"][0], 0.0, high, guess), atol=1e-16)
