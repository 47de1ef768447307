"""The timeline shows what happens: each hold a bar on the lane of the thing and of the hand, each event a mark."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.simulate.kind_words import GRASP, RELEASE
from hoi_edit.truth.truth_scenes import head_on
from tests.clips import swinging_human
from ui.timeline.lanes import CLOSEST, Bar, LaneLayout, Mark, beside_each_other, lay_out
from ui.timeline.scales import Scale
from ui.words.names import shortened
from ui.words.thing_status import doing


@pytest.fixture(scope="module")
def juggling() -> hoi.EditSession:
    return hoi.open("juggle3")


@pytest.fixture(scope="module")
def layout(juggling: hoi.EditSession) -> LaneLayout:
    pin = hoi.Pin("ball2", 3.5, position=np.zeros(3))
    return lay_out(juggling.rollout, [pin], hoi.Window(1.0, 4.0))


def test_there_is_a_lane_for_each_thing_and_hand(layout: LaneLayout) -> None:
    assert [lane.label for lane in layout.lanes] == ["ball1", "ball2", "ball3", "left hand", "right hand"]
    assert [(pin.lane, pin.time) for pin in layout.needles] == [(1, 3.5)]
    assert layout.window is not None and layout.window.start == 1.0


def test_holds_are_on_both_lanes_and_never_overlap_in_a_ball(layout: LaneLayout, juggling: hoi.EditSession) -> None:
    catches = [contact for contact in juggling.scene.contacts if contact.kind == "grasp"]
    assert sum(bar.lane < 3 for bar in layout.bars) == len(catches) + 3  # and what starts in a hand
    assert sum(bar.lane >= 3 for bar in layout.bars) == len(catches) + 3
    for lane in range(3):
        bars = sorted((bar for bar in layout.bars if bar.lane == lane), key=lambda bar: bar.start)
        assert all(a.end <= b.start for a, b in pairwise(bars))


def test_marks_know_what_moves_them(layout: LaneLayout, juggling: hoi.EditSession) -> None:
    catch = next(mark for mark in layout.marks if mark.retimes == "catch1")
    throw = next(mark for mark in layout.marks if mark.retimes == "catch1:release")
    assert (catch.kind, throw.kind) == ("catch", "throw") and catch.intended
    times = {event.kind: event.time for event in juggling.rollout.events if event.contact == "catch1"}
    assert (catch.time, throw.time) == (times[GRASP], times[RELEASE])
    assert f"caught by juggler's right hand at {catch.time:.2f} s" in catch.words


def test_a_pass_is_a_mark_between_two_bars_and_can_be_moved() -> None:
    people = [hoi.Character.of(name, swinging_human(1.0, seed=k)) for k, name in enumerate(("ann", "bob"))]
    ball = hoi.Thing("ball", hoi.ball(0.2, 0.05), hoi.Held("ann/right_palm"), hoi.Material(0.5, 0.5))
    handed = hoi.Contact("pass1", "ball", "bob/left_palm", 0.5, kind="pass")
    session = hoi.EditSession(hoi.Scene(people, [ball], [], [handed], end=1.0))
    layout = lay_out(session.rollout)
    (mark,) = {mark.words: mark for mark in layout.marks}.values()
    assert (mark.kind, mark.retimes, mark.time) == ("pass", "pass1", 0.5)
    assert mark.words == "ball is passed to bob's left hand at 0.50 s"
    assert [(bar.start, bar.end) for bar in layout.bars if bar.lane == 0] == [(0.0, 0.5), (0.5, 1.0)]
    assert [doing(session.rollout, "ball", t).hold for t in (0.2, 0.8)] == ["ball", "pass1"]


def test_what_nobody_intended_is_told_but_not_that_things_bounce() -> None:
    start = hoi.Flying(np.array([0.0, 1.0, 0.0]))
    thing = hoi.Thing("ball", hoi.ball(0.4, 0.1), start, hoi.Material(0.5, 0.3))
    bounce = lay_out(hoi.EditSession(hoi.Scene(things=[thing], fixtures=[hoi.ground()], end=0.8)).rollout).marks[0]
    assert not bounce.intended and bounce.retimes is None and not bounce.unwanted
    assert bounce.words == "ball touches ground at 0.43 s"
    hit = lay_out(hoi.EditSession(head_on()).rollout).marks[0]
    assert hit.unwanted and "nobody intended" in hit.words


def test_long_names_keep_both_ends() -> None:
    assert shortened("ball1", 13) == "ball1"
    assert shortened("a_very_long_name_12", 13) == "a_very_l…e_12" and len(shortened("x" * 40, 13)) == 13


def test_marks_are_found_under_the_pointer(layout: LaneLayout) -> None:
    scale, top, height = Scale(0.0, 10.0, 100.0, 1000.0), 24.0, 22.0
    mark = layout.mark_at(scale, scale.x(1.39) + 3, top + 5, top, height)
    assert mark is not None and mark.retimes == "catch1"
    assert layout.mark_at(scale, scale.x(1.39) + 30, top + 5, top, height) is None
    assert layout.lane_at(top + 4.5 * height, top, height) == 4
    assert layout.lane_at(top + 5.5 * height, top, height) is None and layout.lane_at(3.0, top, height) is None


def test_pixels_and_times_are_inverse_and_zoom_keeps_the_pointer() -> None:
    scale = Scale(2.0, 7.0, 120.0, 800.0)
    assert scale.t(scale.x(3.3)) == pytest.approx(3.3)
    closer = scale.zoomed(3.3, 0.5, 0.0, 10.0)
    assert closer.x(3.3) == pytest.approx(scale.x(3.3)) and closer.end - closer.start == pytest.approx(2.5)
    whole = scale.zoomed(3.3, 100.0, 0.0, 10.0)
    assert (whole.start, whole.end) == (0.0, 10.0)
    assert scale.panned(80.0, 0.0, 10.0).x(3.3) == pytest.approx(scale.x(3.3) + 80.0)
    assert scale.panned(1e6, 0.0, 10.0).start == 0.0


def test_ticks_are_round_and_not_too_close() -> None:
    for length in (0.3, 2.0, 10.0, 100.0):
        scale = Scale(0.37, 0.37 + length, 0.0, 900.0)
        ticks, step = scale.ticks()
        assert len(ticks) >= 2 and all(scale.start <= t <= scale.end + 1e-9 for t in ticks)
        assert scale.x(ticks[1]) - scale.x(ticks[0]) >= 64.0
        assert all(abs(t / step - round(t / step)) < 1e-9 for t in ticks)


def test_constraints_have_needles_where_they_hold(juggling: hoi.EditSession) -> None:
    rollout = juggling.rollout
    kept = hoi.KeepContact.of(rollout, "catch1", True)
    found = lay_out(rollout, [kept, hoi.KeepClear("ball3", "juggler/head", 2.5)], hoi.Window(1.0, 4.0)).needles
    assert [(own.lane, own.kind) for own in found] == [(0, "contact"), (2, "clear")]
    assert found[0].time == kept.time and found[1].time == 2.5


def test_the_ends_of_the_window_of_edits_can_be_taken(layout: LaneLayout) -> None:
    scale = Scale(0.0, 10.0, 100.0, 900.0)
    assert layout.edge_at(scale, scale.x(1.0) + 3.0) == "start" and layout.edge_at(scale, scale.x(4.0) - 3.0) == "end"
    assert layout.edge_at(scale, scale.x(2.5)) is None and LaneLayout().edge_at(scale, scale.x(1.0)) is None


def mark_of(layout: LaneLayout, retimes: str) -> Mark:
    return next(mark for mark in layout.marks if mark.retimes == retimes and layout.lanes[mark.lane].kind == "thing")


def test_a_mark_stops_at_its_neighbours(layout: LaneLayout) -> None:
    thrown, caught = mark_of(layout, "ball1:release"), mark_of(layout, "catch1")
    again = mark_of(layout, "catch1:release")
    assert layout.room_of(caught, 0.0, 10.0) == (thrown.time + CLOSEST, again.time - CLOSEST)
    assert layout.room_of(thrown, 0.0, 10.0) == (0.0, caught.time - CLOSEST)
    assert layout.room_of(again, 0.0, 10.0)[1] == mark_of(layout, "catch4").time - CLOSEST
    last = max((mark for mark in layout.marks if mark.object == "ball1"), key=lambda mark: mark.time)
    assert layout.room_of(last, 0.0, 99.0)[1] == 99.0


def test_a_mark_that_is_near_its_neighbour_already_may_stay(layout: LaneLayout) -> None:
    caught = mark_of(layout, "catch1")
    close = replace(caught, time=caught.time + 0.01, retimes="other")
    assert replace(layout, marks=(caught, close)).room_of(caught, 0.0, 10.0) == (0.0, caught.time)


def test_a_mark_on_its_way_says_from_when_to_when(layout: LaneLayout) -> None:
    mark = mark_of(layout, "catch1")
    words = "ball1 is caught by juggler's right hand: 1.39 → "
    assert mark.moved_words(1.45, (0.7, 1.7)) == f"{words}1.45 s"
    assert mark.moved_words(1.7, (0.7, 1.7)) == f"{words}1.70 s, as late as it can be"
    assert mark.moved_words(0.7, (0.7, 1.7)) == f"{words}0.70 s, as early as it can be"


def test_a_hand_that_holds_two_things_shows_both(juggling: hoi.EditSession, layout: LaneLayout) -> None:
    lane = next(k for k, own in enumerate(layout.lanes) if own.name == "juggler/left_hand")
    first, second, *others = sorted((bar for bar in layout.bars if bar.lane == lane), key=lambda bar: bar.start)
    assert {first.thing, second.thing} == {0, 2} and second.start < first.end
    assert sorted((bar.slot, bar.slots) for bar in (first, second)) == [(0, 2), (1, 2)]
    assert all((bar.slot, bar.slots) == (0, 1) for bar in others)


def test_bars_that_follow_each_other_use_their_rooms_again() -> None:
    spans = [(0.0, 2.0), (1.0, 3.0), (2.5, 4.0), (5.0, 6.0)]
    bars = beside_each_other([Bar(0, start, end, 0, "held", None) for start, end in spans])
    assert [(bar.slot, bar.slots) for bar in bars] == [(0, 2), (1, 2), (0, 2), (0, 1)]
