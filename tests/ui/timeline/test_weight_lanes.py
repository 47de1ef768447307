"""A blend has a lane of its own: keyframes and curves are found under the pointer, and a drag moves a weight."""

from itertools import pairwise

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.rollout import Rollout
from tests.clips import HUMAN, swinging_human
from ui.timeline.lanes import BLEND_ROWS, Lane, LaneLayout, lay_out, stops_of
from ui.timeline.scales import Scale
from ui.timeline.weight_lanes import axis_of, columns, grip_at, line_of, risen, rounded

TOP, ROW = 24.0, 20.0  # [px]
SCALE = Scale(0.0, 1.6, 100.0, 800.0)


def session() -> hoi.EditSession:
    """Bob is blended, and has a ball in his hand until he lets it go."""
    clips = [swinging_human(1.6, seed=k, lean=0.2 * k) for k in range(2)]
    motion = hoi.Blend.of(clips, [[0.2, 0.8, 1.4]] * 2, intervals=[(0.5, 1.1)], alpha=[[0.4]], ramp=0.2)
    ball = hoi.Thing("ball", hoi.ball(0.1, 0.03), hoi.Held("bob/right_palm", release=1.0))
    return hoi.EditSession(hoi.Scene([hoi.Character("bob", HUMAN, motion)], [ball], [hoi.ground()], end=1.6))


@pytest.fixture(scope="module")
def rollout() -> Rollout:
    return session().rollout


@pytest.fixture(scope="module")
def layout(rollout: Rollout) -> LaneLayout:
    return lay_out(rollout)


def test_the_lane_of_a_blend_is_above_those_of_the_persons_hands_and_higher(layout: LaneLayout) -> None:
    assert [(own.name, own.kind, own.rows) for own in layout.lanes] == [
        ("ball", "thing", 1),
        ("bob", "blend", BLEND_ROWS),
        ("bob/left_hand", "part", 1),
        ("bob/right_hand", "part", 1),
    ]
    assert layout.rows == (0, 1, 1 + BLEND_ROWS, 2 + BLEND_ROWS, 3 + BLEND_ROWS)
    lanes = [layout.lane_at(TOP + (row + 0.5) * ROW, TOP, ROW) for row in range(7)]
    assert lanes == [0, 1, 1, 1, 2, 3, None]


def test_lanes_that_do_not_fit_come_into_sight_by_and_by() -> None:
    lanes = tuple(Lane(f"lane{k}", "", "blend" if k == 2 else "part", 0, 3 if k == 2 else 1) for k in range(5))
    own = LaneLayout(lanes)
    assert own.seen(0, 100) == range(5) and own.seen(0, 4) == range(2) and own.seen(2, 4) == range(2, 4)
    assert own.first_of_last(100) == 0 and own.first_of_last(4) == 3 and own.first_of_last(5) == 2
    assert own.seen(2, 1) == range(2, 3)  # better cut off than never seen
    assert LaneLayout().seen(0, 4) == range(0) and LaneLayout().first_of_last(3) == 0


def test_a_keyframe_is_found_on_its_curve_and_says_what_it_is(layout: LaneLayout) -> None:
    axis = axis_of(layout, 1, TOP, ROW)
    assert TOP + ROW < axis.y(1.0) < axis.y(0.0) < TOP + (1 + BLEND_ROWS) * ROW
    grip = grip_at(layout, SCALE, SCALE.x(0.8) + 4, axis.y(0.4) - 4, TOP, ROW)
    assert grip is not None and grip.keyframe is not None and grip.t == 0.8
    assert grip.weight is not None and grip.weight.interval == 0 and grip.weight.value == pytest.approx(0.4)
    assert "swing1 at 0.80 s counts 40 %" in grip.words and "Drag it up or down" in grip.words


def test_the_curve_can_be_taken_where_a_weight_holds_and_keyframes_outside_only_show_their_time(
    layout: LaneLayout,
) -> None:
    axis = axis_of(layout, 1, TOP, ROW)
    place = grip_at(layout, SCALE, SCALE.x(1.0), axis.y(0.4) + 3, TOP, ROW)
    assert place is not None and place.keyframe is None and place.weight is not None
    assert "swing1 counts 40 %" in place.words
    first = grip_at(layout, SCALE, SCALE.x(0.2), axis.y(0.0), TOP, ROW)
    assert first is not None and first.weight is None and "Drag" not in first.words
    assert grip_at(layout, SCALE, SCALE.x(0.4), axis.y(layout.weights[0].at(0.4)), TOP, ROW) is None  # on its way
    assert grip_at(layout, SCALE, SCALE.x(0.8), axis.y(0.9), TOP, ROW) is None
    assert grip_at(layout, SCALE, SCALE.x(0.8), TOP + 5, TOP, ROW) is None  # the lane of the ball


def test_a_drag_to_the_top_of_the_lane_makes_it_one(layout: LaneLayout) -> None:
    axis = axis_of(layout, 1, TOP, ROW)
    assert rounded(0.4 + risen(axis, axis.y(0.4) - axis.y(1.0), fine=False)) == 1.0
    assert risen(axis, 10.0, fine=True) == pytest.approx(0.1 * risen(axis, 10.0, fine=False))
    assert rounded(1.3) == 1.0 and rounded(-0.2) == 0.0 and rounded(0.51237) == 0.512


def test_what_is_filled_follows_the_curve_without_gaps_or_overlaps(layout: LaneLayout) -> None:
    (curve,) = layout.weights
    filled = columns(curve, SCALE)
    assert (filled[0][0], filled[-1][1]) == (SCALE.x(0.0), SCALE.x(1.6))
    assert all(a[1] == pytest.approx(b[0]) for a, b in pairwise(filled))
    for left, right, value in filled:
        assert value == pytest.approx(curve.at(SCALE.t(0.5 * (left + right))), abs=1e-9)
    closer = Scale(0.6, 1.0, 100.0, 800.0)
    assert np.array(columns(curve, closer)) == pytest.approx(np.array([[100.0, 900.0, 0.4]]))


def test_the_line_of_a_curve_is_cut_off_where_the_panel_ends(layout: LaneLayout) -> None:
    (curve,), axis = layout.weights, axis_of(layout, 1, TOP, ROW)
    closer = Scale(0.4, 1.0, 100.0, 800.0)
    line = np.array(line_of(curve, curve.values, closer, axis))
    assert (line[0, 0], line[-1, 0]) == (100.0, 900.0) and np.all(np.diff(line[:, 0]) > 0)
    assert line[0, 1] == pytest.approx(axis.y(curve.at(0.4))) and line[-1, 1] == pytest.approx(axis.y(0.4))


def test_keyframes_are_among_the_times_to_jump_to_of_whom_they_move(rollout: Rollout) -> None:
    (let_go,) = [event.time for event in rollout.events if event.kind == "release"]
    assert let_go in stops_of(rollout, "bob") and {0.2, 0.8, 1.4} < set(stops_of(rollout, "bob"))
    assert stops_of(rollout, "bob/head") == [0.2, 0.8, 1.4]
    assert not {0.2, 0.8, 1.4} & set(stops_of(rollout, "ball")) and not {0.2} & set(stops_of(rollout, None))
    assert stops_of(rollout, "bob") == sorted(stops_of(rollout, "bob"))
