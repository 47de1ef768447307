"""Menus, buttons that fix things, rings and keys: in the real window, on a small scene."""

import os
import threading
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.rollout import Rollout
from hoi_edit.truth.truth_scenes import floor_bounce
from tests.ui import garden, juggling, screen
from tests.ui.screen import Hand, click_entry, labelled, pixels, press, xdotool
from ui.panels.keyboard import is_rolled_down
from ui.panels.menu import steps_of
from ui.view.rotate_gizmo import PIECES
from ui.words.catch_candidates import palm
from ui.words.names import distance, in_words
from ui.words.problems import bent_in

pytestmark = screen.WINDOW
SHOWN = garden


def choose(hand: Hand, name: str, label: str) -> None:
    """An entry of the menu of a right click."""
    screen.choose_at(hand, hand.where(name, hand.app.editor.t), label)


def viewport_of(hand: Hand, shot: np.ndarray) -> np.ndarray:
    return juggling.viewport_of(hand, shot)


def grasps(rollout: Rollout) -> list[str]:
    return [event.object for event in rollout.events if event.kind == "grasp"]


def test_catch_here_is_chosen_from_the_menu_of_a_right_click(hand: Hand) -> None:
    editor = hand.app.editor
    editor.playback = editor.playback.at(0.55)
    hand.settle()
    assert grasps(editor.rollout) == []
    before = pixels()
    away = palm(editor.rollout, "mime/right_palm", "ball", 0.55).away
    choose(hand, "ball", f"Catch it with mime's right hand, {distance(away)} away")
    assert editor.shown.labels[-1].startswith("catch ball with mime/right_palm at 0.55 s")
    assert grasps(editor.rollout) == ["ball"]
    others = "ball no longer hits mime's right hand, ball no longer hits ground."
    assert editor.status == f"mime's right palm catches ball. Changed as well: {others}"
    hand.move(5, screen.HEIGHT - 5)
    hand.settle()
    assert np.abs(pixels() - before).max() > 60


def test_a_collision_is_a_problem_until_keep_clear_is_chosen(hand: Hand) -> None:
    editor, problems = hand.app.editor, hand.app.problems
    assert "Keep stray clear of mime's head" in problems.buttons
    choose(hand, "stray", "Keep clear of mime's head")
    kept = [own for own in editor.shown.document.constraints if isinstance(own, hoi.KeepClear)]
    assert [(own.thing, own.other) for own in kept] == [("stray", "mime/head")]
    assert not any(event.other == "mime/head" for event in editor.rollout.events)
    assert "Keep stray clear of mime's head" not in problems.buttons


def test_what_holds_a_drag_back_can_be_removed_by_its_button(hand: Hand) -> None:
    editor = hand.app.editor
    editor.pin("ball", 0.4)
    hand.settle()
    at = hand.where("ball", hand.app.editor.t)
    hand.drag(at, (0.0, -60.0))
    hand.settle()
    assert "as near as it can" in editor.status
    # nothing has moved, so there is nothing to undo
    assert [label.partition(" at ")[0] for label in hand.app.status.remedies.buttons][:1] == ["Remove the pin of ball"]
    press(hand, hand.app.status.remedies.buttons["Remove the pin of ball at 0.40 s"])
    hand.settle()
    assert editor.shown.document.constraints == () and hand.app.status.remedies.buttons == {}


def right_click_in_list(hand: Hand, name: str) -> None:
    import dearpygui.dearpygui as dpg

    row = next(item for item, own in hand.app.outliner.names.items() if own == name)
    (left, top), (_, bottom) = dpg.get_item_rect_min(row), dpg.get_item_rect_max(row)
    hand.click(left + 20, 0.5 * (top + bottom), button=3)
    hand.steps(4)


def test_things_are_deleted_from_the_list_or_by_a_key_and_come_back(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    app, editor = hand.app, hand.app.editor
    before = pixels()
    right_click_in_list(hand, "stray")
    assert [editor.selected] == ["stray"]
    click_entry(hand, dpg.get_item_pos(app._popup), labelled(app._popup, "Delete stray"))
    hand.settle()
    assert [own.name for own in editor.scene.things] == ["ball"] and [editor.selected] == [None]
    assert editor.status.startswith("Deleted stray.") and editor.messages[-1].level == "good"
    hand.move(5, screen.HEIGHT - 5)
    hand.settle()
    assert np.abs(viewport_of(hand, pixels()) - viewport_of(hand, before)).max() > 60
    hand.key("ctrl+z")
    hand.settle()
    assert editor.selected == "stray" and editor.exists("stray")  # what comes back is selected, as what is added
    hand.key("Delete")
    hand.settle()
    assert [own.name for own in editor.scene.things] == ["ball"]


def test_what_cannot_be_deleted_is_said(hand: Hand) -> None:
    editor = hand.app.editor
    for selected, words in (
        (None, "Select what"),
        ("ground", "people stand"),
        ("mime/head", "select mime in the list"),
    ):
        editor.selected = selected
        hand.key("Delete")
        hand.settle()
        assert words in editor.status and editor.messages[-1].level == "warning" and editor.shown.now == 0


def test_the_line_below_keeps_all_words_and_its_colour_says_what_they_are(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    app, editor = hand.app, hand.app.editor
    words = "A long story " + "of what has happened and of what has not " * 8
    editor.say("warning", words)
    hand.steps(4)
    line = dpg.get_value(app.status.words)
    assert line.startswith("A long story of what") and line.endswith(" …") and app.status.whole == words
    assert dpg.get_item_rect_max(app.status.words)[0] < screen.WIDTH
    press(hand, app.status.words)
    hand.steps(4)
    assert dpg.get_value(app.tab_bar) == app.tab_items["Log"]
    app.act("undo")
    hand.settle()
    assert editor.status == "There is nothing to undo." and editor.messages[-1].level == "info"
    left, top = (round(v) for v in dpg.get_item_rect_min(app.status.light))
    dot = pixels()[top : top + 18, left : left + 12].reshape(-1, 3)
    brightest = dot[dot.sum(axis=1).argmax()]
    assert brightest.max() - brightest.min() < 40  # grey: neither done nor failed


def test_f1_lists_the_keys_even_over_a_menu(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    hand.click(*hand.where("ball", hand.app.editor.t), button=3)
    hand.steps(4)
    before = pixels()
    hand.key("F1")
    hand.steps(6)
    assert hand.app.dialogs.is_open and dpg.is_item_visible(hand.app.dialogs.window)
    assert np.abs(pixels() - before)[:, : screen.WIDTH // 4].mean() > 10  # what is behind it has become darker


def test_a_bat_is_turned_about_y_by_a_ring(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    app, editor, view, t = hand.app, hand.app.editor, hand.app.viewport, 1.0
    garden_file = editor.shown.file
    app.open("baseball")
    hand.until(lambda: editor.shown.title == "baseball", "it is open")
    hand.settle()
    editor.playback, editor.selected = editor.playback.at(t), "bat"
    editor.frame_selected()
    hand.settle()
    before, was = pixels(), editor.rollout.state("bat", t).rotation
    rings = {ring.name: ring for ring in view._rings()}
    others = [ring for name, ring in rings.items() if name != "y"]
    free = [
        k
        for k in range(PIECES - 2)
        if rings["y"].faces[k : k + 3].all() and all(ring.distance(*rings["y"].points[k]) > 12.0 for ring in others)
    ]
    begin, end = (rings["y"].points[free[len(free) // 2] + k] for k in (0, 2))
    left, top = dpg.get_item_rect_min(view.drawlist)
    hand.drag((left + begin[0], top + begin[1]), tuple(end - begin))
    hand.settle()
    turn = editor.rollout.state("bat", t).rotation @ was.T
    assert editor.shown.now == 1 and editor.shown.labels[-1].startswith("turn bat at 1.00 s")
    assert editor.status.startswith(("Turned bat at 1.00 s.", "It came as near"))
    np.testing.assert_allclose(turn[1], [0.0, 1.0, 0.0], atol=1e-3)  # about Y, and the way that it was pulled
    assert np.arctan2(turn[0, 2], turn[0, 0]) == pytest.approx(2 * 2 * np.pi / PIECES, abs=0.06)
    assert np.abs(pixels() - before).max() > 60
    editor.go_to(0)
    editor.open(str(garden_file))
    hand.until(lambda: editor.shown.file == garden_file, "the garden is open again")


def test_a_key_is_bound_anew_by_pressing_it(hand: Hand) -> None:
    app = hand.app
    app.act("bind_keys")
    hand.steps(6)
    press(hand, app.settings.buttons["save_as"])
    hand.key("ctrl+alt+k")
    assert app.editor.keymap.action("ctrl+alt+k") == "save_as" and app.editor.keymap.action("ctrl+shift+s") is None
    assert "ctrl+alt+k" in (Path(os.environ["HOI_EDIT_CONFIG"]) / "preferences.json").read_text()
    press(hand, labelled(app.dialogs.window, "Defaults"))
    assert app.editor.keymap.action("ctrl+shift+s") == "save_as"


def test_laws_bend_where_they_are_opened_and_by_how_much_is_told(hand: Hand, tmp_path: Path) -> None:
    import dearpygui.dearpygui as dpg

    app, editor = hand.app, hand.app.editor
    garden_file, session = editor.shown.file, hoi.EditSession(floor_bounce(0.6, 0.4))
    for part in ("position", "velocity"):  # so that only the law can bring it elsewhere
        session.lock(f"ball.{part}")
    session.save(tmp_path / "bounce.hoi")
    session.close()
    editor.open(str(tmp_path / "bounce.hoi"))  # whatever is unsaved by now
    hand.until(lambda: editor.shown.title == "bounce.hoi", "it is open")
    hand.settle()
    app._menu_of_mark(next(own for own in editor.layout.marks if own.retimes == "floor"))
    hand.steps(4)
    entry = labelled(app._popup, "Let edits bend how it bounces and rubs")
    click_entry(hand, dpg.get_item_pos(app._popup), entry)
    hand.settle()
    assert editor.shown.document.freedom.opened == ("floor",)
    editor.playback = editor.playback.at(0.8)
    hand.settle()
    start = pixels()
    hand.drag(hand.where("ball", hand.app.editor.t), (0.0, -24.0))
    hand.settle()
    (bent,) = bent_in(editor.rollout)
    assert bent.contact == "floor" and not bent.is_none
    assert f"Physics is bent: {in_words(str(bent), editor.rollout)}." in editor.status
    assert dpg.get_item_label(app.tab_items["Log"]) == "Log (1)"
    assert np.abs(pixels() - start).max() > 60
    hand.key("ctrl+z")
    hand.settle()
    assert bent_in(editor.rollout) == () and editor.status.startswith("Undone: drag ball at 0.80 s")
    editor.open(str(garden_file))
    hand.until(lambda: editor.shown.file == garden_file, "the garden is open again")


def test_a_ball_that_is_locked_is_not_dragged_until_it_is_unlocked(hand: Hand) -> None:
    app, editor = hand.app, hand.app.editor
    editor.playback = editor.playback.at(0.3)
    editor.toggle_lock("ball")
    hand.settle()
    assert editor.status.startswith("The start of ball stays as it is")
    was = editor.rollout.state("ball", 0.3).position
    hand.drag(hand.where("ball", 0.3), (30.0, -30.0))
    hand.settle()
    assert editor.status == "ball is locked, so it is not dragged." and editor.shown.labels[-1] == "lock ball"
    assert np.array_equal(editor.rollout.state("ball", 0.3).position, was)
    press(hand, app.status.remedies.buttons["Unlock"])
    hand.settle()
    assert not editor.is_locked("ball")
    hand.drag(hand.where("ball", 0.3), (30.0, -30.0))
    hand.settle()
    assert editor.shown.labels[-1].startswith("drag ball")


def test_what_takes_long_has_a_button_that_stops_it(hand: Hand) -> None:
    app, editor, go_on = hand.app, hand.app.editor, threading.Event()

    def long(session: hoi.EditSession, tell: hoi.Listener) -> None:
        go_on.wait()
        assert not tell(hoi.Progress("solving", 1, 9, 0.1))
        raise hoi.Cancelled("stopped")

    editor.edit("Solving the plan", long)
    hand.until(lambda: "Stop" in app.status.remedies.buttons, "it can be stopped")
    hand.steps(2)
    assert app.status.whole == "Solving the plan … (Esc stops it)"
    press(hand, app.status.remedies.buttons["Stop"])
    hand.steps(2)
    assert app.status.whole.startswith("Stopping … solving the plan") and app.status.remedies.buttons == {}
    go_on.set()
    hand.settle()
    assert editor.status == "Stopped; nothing has changed."


def menu_at(hand: Hand, label: str) -> tuple[float, float]:
    """Where the word of a menu of the bar is."""
    import dearpygui.dearpygui as dpg

    x, y = dpg.get_item_pos(next(own for own in hand.app.menu.menus if dpg.get_item_label(own) == label))
    return x + 16.0, y + 12.0


def test_escape_closes_a_menu_and_nothing_else(hand: Hand) -> None:
    app, editor = hand.app, hand.app.editor
    editor.selected = "ball"
    hand.settle()
    before = pixels()
    hand.click(*menu_at(hand, "Edit"))
    hand.steps(4)
    assert app.menu.is_open and np.abs(pixels() - before).max() > 60
    hand.key("Escape")
    assert not app.menu.is_open and editor.selected == "ball"
    hand.click(*hand.where("ball", editor.t), button=3)
    hand.steps(4)
    hand.key("Escape")
    assert not app._has_popup() and editor.selected == "ball"
    hand.key("Escape")
    assert editor.selected is None


def test_escape_closes_the_choices_of_a_field_before_the_dialog(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    app = hand.app
    app.act("preferences")
    hand.steps(6)
    inside, combo = [app.dialogs.window], None
    while combo is None:
        item = inside.pop(0)
        combo = item if dpg.get_item_type(item) == "mvAppItemType::mvCombo" else None
        inside += [child for slot in dpg.get_item_children(item).values() for child in slot]
    press(hand, combo)
    hand.steps(4)
    assert is_rolled_down(app.dialogs.window)
    hand.key("Escape")
    assert app.dialogs.is_open and not is_rolled_down(app.dialogs.window)
    hand.key("Escape")
    assert not app.dialogs.is_open


def test_menus_tick_what_is_on_and_name_the_step_that_undo_takes_back(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    app, editor = hand.app, hand.app.editor
    undo, redo = (app.menu.items[name] for name in ("undo", "redo"))
    assert steps_of(editor)[0] is None and not dpg.get_item_configuration(undo)["enabled"]
    editor.pin("ball", 0.4)
    hand.settle()
    assert dpg.get_item_label(undo).startswith("Undo add pin of ball") and dpg.get_item_configuration(undo)["enabled"]
    hand.key("ctrl+z")
    hand.settle()
    assert dpg.get_item_label(redo).startswith("Redo add pin of ball") and dpg.get_item_label(undo) == "Undo"
    for action in ("ghosts", "loop", "orthographic", "curves"):
        was = dpg.get_value(app.menu.items[action])
        app.act(action)
        hand.steps(3)
        assert dpg.get_value(app.menu.items[action]) is not was
        app.act(action)
        hand.steps(3)
        assert dpg.get_value(app.menu.items[action]) is was


def test_borders_of_the_viewport_are_dragged_and_a_double_click_puts_them_back(hand: Hand) -> None:
    app, editor = hand.app, hand.app.editor
    was, start, camera = app.splitters.places, pixels(), editor.camera
    left, top = app.splitters.corner
    hand.drag((left + was.left + 4, top + 200), (-80.0, 0.0))
    hand.settle()
    now = app.splitters.places
    assert now.side == was.side + 80 and app.viewport.size[0] == was.left - 80
    hand.drag((left + 200, top + now.picture + 3), (0.0, -60.0))
    hand.settle()
    assert app.splitters.places.picture == pytest.approx(was.picture - 60, abs=2)
    assert np.abs(pixels() - start).max() > 60 and editor.camera == camera and editor.shown.now == 0
    kept = (Path(os.environ["HOI_EDIT_CONFIG"]) / "preferences.json").read_text()
    assert f'"side": {editor.preferences.side}' in kept and f'"lower": {editor.preferences.lower}' in kept
    for at in ((left + app.splitters.places.left + 4, top + 200), (left + 200, top + app.splitters.places.picture + 3)):
        hand.move(*at)
        xdotool("click", "--repeat", 2, "--delay", 60, 1)
        hand.steps(6)
        if editor.preferences.side != 330 and editor.preferences.lower:  # on a slow machine they are two clicks
            app.splitters._put_back("side")
    app.splitters._put_back("lower")
    app.splitters._put_back("side")
    hand.settle()
    assert app.splitters.places == was


def test_curves_are_below_the_timeline_and_the_camera_stays(hand: Hand) -> None:
    app, editor = hand.app, hand.app.editor
    editor.selected, camera, start = "ball", editor.camera, pixels()
    hand.key("c")
    hand.settle()
    assert app.timeline.shown and app.curves.shown and editor.camera == camera and app.curves.plots
    assert np.abs(pixels() - start).max() > 60
    hand.key("c")
    hand.settle()
    assert app.timeline.shown and not app.curves.shown
