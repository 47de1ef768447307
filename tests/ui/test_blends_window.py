"""Weights of a blend in the real window: by slider, and up and down on the timeline."""

from collections.abc import Iterator

import numpy as np
import pytest

import hoi_edit as hoi
from tests.clips import HUMAN, swinging_human
from tests.ui import garden, screen
from tests.ui.screen import Hand, pixels, xdotool
from ui.timeline.blend_curves import weights_of
from ui.timeline.weight_lanes import Grip

pytestmark = screen.WINDOW
KEY = 0.8  # [s] a keyframe within the interval


@pytest.fixture(scope="module")
def hand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hand]:
    clips = [swinging_human(1.6, seed=k, lean=0.2 * k) for k in range(2)]
    motion = hoi.Blend.of(clips, [[0.2, KEY, 1.4]] * 2, intervals=[(0.5, 1.1)], alpha=[[0.2]], ramp=0.1)
    scene = hoi.Scene([hoi.Character("bob", HUMAN, motion)], [], [hoi.ground()], end=1.6, name="blend")
    with garden.in_window(tmp_path_factory, scene) as own:
        yield own


@pytest.fixture(autouse=True)
def _begins_anew(hand: Hand) -> Iterator[None]:
    xdotool("mousemove", 5, screen.HEIGHT - 5)
    hand.settle()
    yield
    hand.app.editor.selected = None
    hand.app.editor.go_to(0)
    hand.settle()


def on_curve(hand: Hand, t: float, value: float) -> tuple[float, float]:
    """A place in the lane of the blend, on the screen."""
    import dearpygui.dearpygui as dpg

    canvas = hand.app.timeline.canvas
    left, top = dpg.get_item_rect_min(hand.app.timeline.drawlist)
    return float(left + canvas.scale.x(t)), float(top + canvas.axis(0).y(value))


def is_filled(hand: Hand, value: float) -> bool:
    """Whether the curve is above a value while the weight holds; where it does not, nothing is filled."""
    (x, y), (aside, _) = on_curve(hand, 0.6, value), on_curve(hand, 0.15, value)
    seen = pixels()[round(y)]
    return bool(seen[round(x), 2] > seen[round(aside), 2] + 12)


def test_a_weight_of_a_blend_is_dragged_by_its_slider(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, app = hand.app.editor, hand.app
    dpg.set_value(app.tab_bar, app.tab_items["Freedom"])
    hand.settle()
    slider = dpg.get_item_children(app.blends.rows, 1)[1]
    left, top = dpg.get_item_rect_min(slider)
    height = dpg.get_item_rect_size(slider)[1]
    start = pixels()
    hand.drag((left + 0.2 * app.sizes.px(96), top + height / 2), (0.5 * app.sizes.px(96), 0.0))
    hand.settle()
    (weight,) = weights_of(editor.rollout)
    assert 0.6 < weight.value < 0.9 and "swing1 counts" in editor.status
    assert editor.shown.now == 1 and "session.weigh(character='bob'" in editor.shown.script
    assert np.abs(pixels() - start).max() > 60
    hand.key("ctrl+z")
    hand.settle()
    assert weights_of(editor.rollout)[0].value == pytest.approx(0.2)


def test_a_keyframe_is_dragged_up_and_the_curve_is_filled_up_to_it(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, view = hand.app.editor, hand.app.timeline
    start = on_curve(hand, KEY, 0.2)
    assert not is_filled(hand, 0.5) and is_filled(hand, 0.1)
    hand.move(*start)
    assert isinstance(view.hovered, Grip) and view.hovered.keyframe is not None
    assert "swing1 at 0.80 s counts 20 %" in dpg.get_value(view.tip_words) and "Keyframe of bob" in editor.status
    end = on_curve(hand, KEY, 0.7)
    hand.drag(start, (0.0, end[1] - start[1]))
    hand.settle()
    (weight,) = weights_of(editor.rollout)
    assert weight.value == pytest.approx(0.7, abs=0.03) and "swing1 counts 7" in editor.status  # not the pointer
    assert editor.shown.now == 1 and editor.shown.script.count("session.weigh(") == 1
    assert is_filled(hand, 0.5) and not is_filled(hand, 0.9) and editor.selected == "bob"
    hand.key("ctrl+z")
    hand.settle()
    assert weights_of(editor.rollout)[0].value == pytest.approx(0.2) and not is_filled(hand, 0.5)


def test_escape_gives_the_drag_of_a_weight_up(hand: Hand) -> None:
    editor, start = hand.app.editor, on_curve(hand, KEY, 0.2)
    hand.move(*start)
    hand.press()
    hand.move(start[0], start[1] - 20)
    hand.key("Escape")
    hand.release()
    hand.settle()
    assert editor.shown.now == 0 and weights_of(editor.rollout)[0].value == pytest.approx(0.2)


def test_a_click_on_a_keyframe_goes_there_and_keys_jump_from_one_to_the_next(hand: Hand) -> None:
    editor = hand.app.editor
    hand.click(*on_curve(hand, KEY, 0.2))
    assert editor.t == KEY and editor.shown.now == 0
    hand.key("ctrl+Right")
    assert editor.t == 1.4
    hand.key("ctrl+Left")
    hand.key("ctrl+Left")
    assert editor.t == 0.2
