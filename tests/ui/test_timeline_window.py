"""Timeline, curves and lists in the real window: each test looks at the document and at the pixels."""

from dataclasses import replace

import numpy as np
import pytest

from hoi_edit.rollout import Rollout
from tests.ui import juggling, screen
from tests.ui.juggling import is_orange, look_away, viewport_of
from tests.ui.screen import Hand, pixels
from ui.timeline.lanes import CLOSEST, Mark

pytestmark = screen.WINDOW
SHOWN = juggling


def test_scrubbing_in_the_timeline(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    view, editor = hand.app.timeline, hand.app.editor
    before = viewport_of(hand, pixels())
    left, top = dpg.get_item_rect_min(view.drawlist)
    y, goal = top + 8, left + view.scale.x(4.0)
    hand.drag((left + view.scale.x(3.0), y), (goal - left - view.scale.x(3.0), 0))
    assert editor.t == pytest.approx(4.0, abs=0.02)
    assert editor.t * editor.playback.rate == pytest.approx(editor.playback.frame, abs=1e-6)
    hand.settle()
    shot = pixels()
    assert np.abs(viewport_of(hand, shot) - before).max() > 60
    assert is_orange(shot, hand.where("ball1", editor.t))


def mark_at(hand: Hand, retimes: str) -> tuple[Mark, tuple[float, float]]:
    """A mark in the lane of its thing, and where it is on the screen."""
    import dearpygui.dearpygui as dpg

    layout, view = hand.app.editor.layout, hand.app.timeline
    mark = next(own for own in layout.marks if own.retimes == retimes and layout.lanes[own.lane].kind == "thing")
    left, top = dpg.get_item_rect_min(view.drawlist)
    return mark, (left + view.scale.x(mark.time), top + view.lane_top(mark.lane) + view.sizes.lane / 2)


def time_of(rollout: Rollout, contact: str) -> float:
    return next(event.time for event in rollout.events if event.contact == contact and event.kind == "grasp")


def _differs(hand: Hand, start: np.ndarray) -> bool:
    return bool(np.abs(viewport_of(hand, pixels()) - viewport_of(hand, start)).max() > 60)


def test_a_mark_is_dragged_in_time_and_the_scene_follows(hand: Hand) -> None:
    editor, view = hand.app.editor, hand.app.timeline
    assert editor.shown is not None
    mark, at = mark_at(hand, "catch1")
    start, wide = pixels(), view.scale.x(0.06) - view.scale.x(0.0)
    hand.move(*at)
    hand.press()
    for k in range(1, 5):
        hand.move(at[0] + wide * k / 4, at[1])
    hand.until(lambda: abs(time_of(editor.rollout, "catch1") - mark.time - 0.06) < 0.02, "the scene has followed")
    hand.until(lambda: _differs(hand, start), "the picture has followed")
    assert editor.shown.now == 0 and editor.t == juggling.MOMENT  # nothing is done yet, and the playhead stays
    assert hand.app.status.whole.startswith("ball1 is caught by juggler's right hand: 1.39 → 1.4")
    hand.release()
    hand.settle()
    assert editor.shown.now == 1 and "retime catch1" in editor.shown.labels[1]
    assert time_of(editor.shown.rollout, "catch1") == pytest.approx(mark.time + 0.06, abs=0.02)
    assert editor.before is not None and time_of(editor.before, "catch1") == mark.time
    assert "catch1" not in editor.status and "was at 1.39 s" in editor.status
    lane = slice(round(at[1] - 10), round(at[1] + 10))
    assert np.abs(pixels()[lane] - start[lane]).max() > 60


def test_a_mark_stops_at_its_neighbours_and_escape_gives_it_up(hand: Hand) -> None:
    editor, view = hand.app.editor, hand.app.timeline
    assert editor.shown is not None
    mark, at = mark_at(hand, "catch1")
    throw, _ = mark_at(hand, "catch1:release")
    far = view.scale.x(throw.time + 1.0) - view.scale.x(mark.time)
    hand.move(*at)
    hand.press()
    hand.move(at[0] + far / 2, at[1])
    hand.move(at[0] + far, at[1])
    assert editor.drag is not None and editor.drag.t == throw.time - CLOSEST
    assert "as late as it can be" in hand.app.status.whole
    hand.key("Escape")
    hand.release()
    hand.settle()
    assert editor.drag is None and editor.shown.now == 0 and time_of(editor.rollout, "catch1") == mark.time


def test_a_constraint_is_switched_off_and_on(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, keeps = hand.app.editor, hand.app.keeps
    assert editor.shown is not None
    editor.pin("ball1", 1.05)
    hand.settle()
    (pin,) = editor.shown.document.constraints
    on = pixels()

    def click_box() -> None:
        (left, top), (right, bottom) = (
            f(keeps.boxes[pin.label]) for f in (dpg.get_item_rect_min, dpg.get_item_rect_max)
        )
        hand.click(0.5 * (left + right), 0.5 * (top + bottom))
        hand.settle()

    click_box()
    assert editor.shown.document.constraints == () and editor.shown.document.switched_off == (pin,)
    off = pixels()
    assert np.abs(viewport_of(hand, off) - viewport_of(hand, on)).max() > 60  # the ring is gone
    click_box()
    assert editor.shown.document.constraints == (pin,) and editor.shown.document.switched_off == ()
    look_away(hand)
    hand.key("ctrl+z")
    hand.settle()
    assert editor.shown.document.switched_off == (pin,)


def test_the_window_of_edits_is_set_and_its_end_dragged(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, view = hand.app.editor, hand.app.timeline
    assert editor.shown is not None
    editor.playback = editor.playback.ranged(first=0.6, last=3.0)
    hand.settle()
    start = pixels()
    hand.key("shift+e")
    hand.settle()
    own = editor.shown.document.freedom.window
    assert own is not None and (own.start, own.end) == (0.6, 3.0)
    left, top = (round(v) for v in dpg.get_item_rect_min(view.drawlist))
    band = slice(top + view.sizes.ruler - 6, top + view.sizes.ruler)
    middle = round(left + view.scale.x(1.8))
    blue = pixels()[band, middle - 3 : middle + 4].reshape(-1, 3).mean(axis=0)
    assert blue[2] > blue[0] + 25 and blue[2] > start[band, middle - 3 : middle + 4, 2].mean() + 20
    wide = view.scale.x(4.0) - view.scale.x(3.0)
    hand.drag((left + view.scale.x(3.0), top + view.sizes.ruler - 4), (wide, 0.0))
    hand.settle()
    now = editor.shown.document.freedom.window
    assert now is not None and now.start == 0.6 and now.end == pytest.approx(4.0, abs=0.03)
    beyond = round(left + view.scale.x(3.4))
    assert pixels()[band, beyond - 3 : beyond + 4, 2].mean() > start[band, beyond - 3 : beyond + 4, 2].mean() + 20
    editor.playback = editor.playback.whole()


def test_what_is_hidden_in_the_outliner_is_gone_from_the_picture(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, rows = hand.app.editor, hand.app.outliner.rows
    at = hand.where("ball1", 1.05)
    assert is_orange(pixels(), at)
    eye = dpg.get_item_children(dpg.get_item_children(rows, 1)[1], 1)[0]
    (left, top), (right, bottom) = dpg.get_item_rect_min(eye), dpg.get_item_rect_max(eye)
    hand.click(0.5 * (left + right), 0.5 * (top + bottom))
    hand.settle()
    assert editor.hidden == {"ball1"} and not is_orange(pixels(), at)
    hand.click(0.5 * (left + right), 0.5 * (top + bottom))
    hand.settle()
    assert editor.hidden == frozenset() and editor.shown is not None and editor.shown.now == 0
    look_away(hand)
    assert is_orange(pixels(), at)


def test_a_curve_of_a_ball_is_dragged_between_its_points(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, view = hand.app.editor, hand.app.curves
    assert editor.shown is not None
    editor.selected, editor.curves = "ball1", True
    hand.app.timeline.zoom(hand.app.timeline.scale.x(1.05), 6)
    hand.settle()
    plot, scale = view.plots[0], hand.app.timeline.scale
    height, t = plot.curves[1], 1.15
    assert height.points is not None and np.abs(height.points - t).min() > 0.04
    left, top = dpg.get_item_rect_min(view.drawlist)
    start, was = pixels(), height.at(t)
    hand.drag((left + scale.x(t), top + plot.axis.y(was)), (0.0, -14.0))
    hand.settle()
    wanted = plot.axis.value(plot.axis.y(was) - 14.0)
    assert editor.shown.now == 1 and editor.shown.labels[1].startswith("drag ball1 at 1.1")
    assert editor.shown.rollout.state("ball1", t).position[1] == pytest.approx(wanted, abs=0.03) and wanted > was + 0.02
    assert not editor.shown.rollout.missed
    panel = slice(round(top), round(top) + view.size[1])
    assert np.abs(pixels()[panel] - start[panel]).max() > 60
    editor.curves = False
    hand.app.timeline.zoom(hand.app.timeline.scale.x(1.05), -12)
    hand.steps(4)


def test_points_of_curves_are_dragged(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, view = hand.app.editor, hand.app.curves
    editor.selected = "juggler/right_forearm"
    hand.key("c")
    hand.settle()
    plot = view.plots[0]
    elbow, scale = plot.curves[0], hand.app.timeline.scale
    assert elbow.points is not None
    t = float(elbow.points[np.argmin(np.abs(elbow.points - 2.0))])
    left, top = dpg.get_item_rect_min(view.drawlist)
    at = (left + scale.x(t), top + plot.axis.y(elbow.at(t)))
    red = pixels()[round(at[1]) - 4 : round(at[1]) + 5, round(at[0]) - 4 : round(at[0]) + 5].reshape(-1, 3)
    assert np.any((red[:, 0] > 150) & (red[:, 1] < 140))  # the curve is where it says
    was = elbow.at(t)
    hand.drag(at, (0.0, -16.0))
    hand.settle()
    wanted = plot.axis.value(plot.axis.y(was) - 16.0)
    assert editor.shown is not None and editor.shown.labels[1].startswith("bend juggler/right_forearm.Xrotation")
    assert view.plots[0].curves[0].at(t) == pytest.approx(wanted, abs=0.02 * (plot.axis.high - plot.axis.low))
    assert not editor.shown.rollout.missed
    hand.key("ctrl+z")
    hand.settle()
    assert editor.shown.now == 0 and view.plots[0].curves[0].at(t) == pytest.approx(was, abs=1e-6)
    hand.key("c")
    assert not editor.curves


def test_words_about_a_mark_go_when_the_pointer_leaves_it(hand: Hand) -> None:
    editor = hand.app.editor
    editor.say("info", "What was said before.")
    mark, at = mark_at(hand, "catch4")
    hand.move(*at)
    assert editor.status.startswith(mark.words)
    hand.move(5, screen.HEIGHT - 5)
    assert editor.status == "What was said before."


def test_a_hand_is_taken_just_after_it_has_thrown_and_the_flight_above_it(hand: Hand) -> None:
    editor, view = hand.app.editor, hand.app.viewport
    thrown = next(own for own in editor.rollout.events if own.object == "ball2" and own.kind == "release")
    editor.playback = editor.playback.at(thrown.time + 0.12)
    hand.settle()
    frame = editor.viewport.frame
    assert frame is not None and thrown.other is not None
    palm = editor.rollout.state(thrown.other, editor.t).position
    x, y, _ = editor.camera.project(palm, *view.size)
    assert view._under(frame, float(x), float(y)) == ("juggler/right_hand", None)
    editor.hidden = frozenset({"ball1", "ball3"})  # which are in the way of it here
    hand.settle()
    frame, found = editor.viewport.frame, []
    editor.hidden = frozenset()
    assert frame is not None
    for later in np.arange(0.2, 0.6, 0.04):
        x, y, _ = editor.camera.project(editor.rollout.state("ball2", thrown.time + later).position, *view.size)
        name, when = view._under(frame, float(x), float(y))
        found.append(name == "ball2" and when is not None and abs(when - thrown.time - later) < 0.02)
    assert all(found)


def test_all_properties_of_a_ball_are_in_sight(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    hand.app.editor.selected = "ball1"
    hand.steps(6)
    assert dpg.get_y_scroll_max(hand.app.properties.window) == 0.0


def test_the_hint_is_closed_by_its_cross_and_that_is_remembered(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    from ui import preferences

    app, editor = hand.app, hand.app.editor
    editor.remember(replace(editor.preferences, seen_hint=False))
    editor.hint = True
    hand.steps(3)
    left, top = dpg.get_item_rect_min(app.viewport.drawlist)
    box = app.viewport.hint.box
    assert box is not None
    hand.click(left + box[0] + 30, top + box[3] - 8)
    assert editor.hint and editor.drag is None  # only its cross closes it
    hand.click(left + app.viewport.hint.cross[0], top + app.viewport.hint.cross[1])
    assert not editor.hint and preferences.load()[0].seen_hint
