"""Where feet fall: legs that do not cross, steps that are not too long, in turn, in time; and there and back again."""

from itertools import pairwise

import numpy as np
import pytest

from hoi_edit.footwork.footfalls import (
    BESIDE,
    BOTH,
    NARROW,
    SPREAD,
    STEP,
    SWING,
    Footfall,
    TwoFeet,
    steps_back,
    steps_there,
    swings_before,
)
from kinematics.rotation import Floats

LEFT = np.array([1.0, 0.0, 0.0])
TIMES = np.arange(0.0, 10.0, 1.0 / 60.0)


def stands(down: tuple[tuple[tuple[float, float], ...], ...] = ((), ())) -> TwoFeet:
    """Somebody whose feet are 24 cm apart, each in the air at some times."""
    places = np.zeros((2, len(TIMES), 3))
    places[0, :, 0], places[1, :, 0] = 0.12, -0.12
    on = np.ones((2, len(TIMES)), bool)
    for foot, swings in enumerate(down):
        for lift, land in swings:
            on[foot, (lift < TIMES) & (land > TIMES)] = False
    return TwoFeet(TIMES, places, on, np.tile(LEFT, (len(TIMES), 1)))


def placed(falls: tuple[Footfall, ...], way: Floats) -> list[Floats]:
    """Both feet (2, 3) after each fall."""
    at, feet = np.array([0.0, 0.0]), []
    for fall in falls:
        assert at[fall.swing.foot] == pytest.approx(fall.before)
        at[fall.swing.foot] = fall.after
        feet.append(stands().places[:, 0] + np.outer(at, way))
    return feet


WAYS = [(0.5, 0.0), (-0.5, 0.0), (1.0, 0.0), (2.0, 0.0), (0.0, 1.0), (0.0, -1.0), (0.0, 2.0), (1.0, 1.0), (-0.7, 0.9)]


@pytest.mark.parametrize("ahead", WAYS)
def test_nobody_stumbles_on_the_way_there_or_back(ahead: tuple[float, float]) -> None:
    way = np.array([ahead[0], 0.0, ahead[1]])
    share, there = steps_there(stands(), way, by=5.0, since=0.0)
    assert share == 1.0 and there[-1].swing.land == pytest.approx(5.0)
    back = steps_back(stands(), way, start=5.2, until=10.0)
    assert back[0].swing.lift == pytest.approx(5.2) and len(back) == len(there)
    for falls, end in ((there, 1.0), (back, 0.0)):
        feet = {fall.swing.foot: fall.after for fall in falls}
        assert feet == {0: end, 1: end}  # both are there, and both are back
        for one, other in pairwise(falls):
            assert one.swing.foot != other.swing.foot
            assert other.swing.lift - one.swing.land == pytest.approx(BOTH)
        assert all(fall.swing.land - fall.swing.lift == pytest.approx(SWING) for fall in falls)
    for left, right in placed(there, way):
        assert (left - right) @ LEFT >= NARROW - 1e-9
        assert abs((left - right)[2]) <= STEP + 1e-9 and np.linalg.norm(left - right) <= SPREAD + 1e-9


def test_aside_the_foot_on_that_side_goes_first() -> None:
    for side, foot in ((1.0, 0), (-1.0, 1)):
        _, falls = steps_there(stands(), 0.5 * side * LEFT, by=5.0, since=0.0)
        assert [fall.swing.foot for fall in falls] == [foot, 1 - foot]


def test_ahead_a_foot_passes_the_other_and_fewer_steps_are_enough() -> None:
    _, aside = steps_there(stands(), 1.5 * LEFT, by=5.0, since=0.0)
    _, ahead = steps_there(stands(), np.array([0.0, 0.0, 1.5]), by=5.0, since=0.0)
    assert len(ahead) < len(aside)
    assert BESIDE <= 0.24  # feet that stand so far apart pass each other


def test_where_there_is_no_time_it_goes_as_far_as_there_is() -> None:
    way = 2.0 * LEFT
    share, falls = steps_there(stands(), way, by=2.2, since=0.0)
    assert 0.0 < share < 1.0 and falls[0].swing.lift >= 0.0
    assert steps_there(stands(), way, by=0.8, since=0.0) == (0.0, ())
    assert steps_back(stands(), way, start=8.0, until=10.0) == ()  # it would not be all the way


def test_steps_go_into_swings_that_there_are() -> None:
    """Of somebody who walks: each foot in turn is in the air for 0.4 s."""
    left = tuple((0.5 + k, 0.9 + k) for k in range(8))
    right = tuple((1.0 + k, 1.4 + k) for k in range(8))
    swings = swings_before(stands((left, right)), by=5.0, since=1.2, last=0)
    assert not any(swing.new for swing in swings)
    assert [swing.foot for swing in swings] == [0, 1, 0, 1, 0, 1, 0]
    assert all(swing.lift >= 1.2 for swing in swings)


def test_a_foot_is_not_lifted_while_the_other_one_is_in_the_air() -> None:
    swings = swings_before(stands(((), ((3.0, 4.5),))), by=5.0, since=0.0, last=0)
    new = [swing for swing in swings if swing.new]
    assert new and all(swing.land <= 3.0 or swing.lift >= 4.5 for swing in new)
    there_is = [swing for swing in swings if not swing.new]
    assert [swing.foot for swing in there_is] == [1] and 4.3 < there_is[0].land < 4.52
