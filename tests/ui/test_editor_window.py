"""The real window on a virtual screen, driven with the mouse: each test looks at the document and at the pixels."""

import os
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.gesture import Gesture
from tests.ui import juggling, screen
from tests.ui.juggling import is_orange, look_away, viewport_of
from tests.ui.screen import Hand, close_window, pixels, xdotool

REPOSITORY = Path(__file__).resolve().parents[2]

pytestmark = screen.WINDOW
SHOWN = juggling


def test_opens_with_the_scene_in_view(hand: Hand) -> None:
    editor = hand.app.editor
    assert editor.shown is not None and editor.shown.title == "juggle3" and not editor.shown.unsaved
    assert [lane.label for lane in editor.layout.lanes][:3] == ["ball1", "ball2", "ball3"]
    shot = pixels()
    assert is_orange(shot, hand.where("ball1", editor.t))
    assert viewport_of(hand, shot).std() > 10  # there is a picture
    assert shot.shape == (screen.HEIGHT, screen.WIDTH, 3)


def test_keys_play_step_and_look(hand: Hand) -> None:
    editor = hand.app.editor
    hand.key("space")
    assert editor.playback.playing and editor.t > 1.05
    hand.key("space")
    frame = editor.playback.stepped(1).frame
    hand.key("Right")
    assert not editor.playback.playing and editor.playback.frame == frame
    camera = editor.camera
    hand.key("7")
    assert editor.camera.elevation == pytest.approx(np.pi / 2)
    editor.camera = camera


def test_a_ball_is_dragged_the_hand_follows_and_it_is_undone(hand: Hand) -> None:
    editor, t = hand.app.editor, 1.05
    assert editor.shown is not None
    was, at = editor.shown.rollout, hand.where("ball1", t)
    first = editor.shown.document
    start = pixels()
    there = (at[0] + 60.0, at[1] - 104.0)  # 120 pixels
    hand.drag(at, (60.0, -104.0))
    hand.settle()

    now = editor.shown.rollout
    assert editor.shown.now == 1 and "drag ball1" in editor.shown.labels[1]
    assert np.allclose(hand.where("ball1", t), there, atol=2.0)
    assert np.linalg.norm(now.state("ball1", t).position - was.state("ball1", t).position) > 0.2
    catch = next(event for event in now.events if event.contact == "catch1")  # it is still caught, elsewhere
    palm = now.state("juggler/right_palm", catch.time).position
    assert np.linalg.norm(palm - was.state("juggler/right_palm", catch.time).position) > 0.01
    look_away(hand)
    assert is_orange(pixels(), there) and not is_orange(start, there)

    hand.key("ctrl+z")
    hand.settle()
    assert editor.shown.now == 0 and editor.shown.document is first
    assert np.abs(viewport_of(hand, pixels()) - viewport_of(hand, start)).mean() < 1.0


def test_escape_aborts_a_drag(hand: Hand) -> None:
    editor = hand.app.editor
    assert editor.shown is not None
    at, steps = hand.where("ball1", 1.05), editor.shown.labels
    hand.move(*at)
    hand.press()
    hand.move(at[0] + 30, at[1] - 30)
    hand.until(lambda: editor.worker.live is not None, "the drag is solved once")
    hand.key("ctrl+o")  # other keys wait until the hand is free
    assert not hand.app.dialogs.is_open and editor.drag is not None
    hand.key("Escape")
    hand.release()
    hand.settle()
    assert editor.shown.now == 0 and editor.shown.labels == steps and editor.worker.live is None
    assert is_orange(pixels(), at)


def test_no_frame_waits_for_a_solve(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    editor, move, asleep = hand.app.editor, Gesture.move, 1.5

    def slow(*arguments: Any, **options: Any) -> Any:
        time.sleep(asleep)
        return move(*arguments, **options)

    monkeypatch.setattr(Gesture, "move", slow)
    at = hand.where("ball1", 1.05)
    start = pixels()
    hand.move(*at)
    hand.press()
    hand.move(at[0] + 10, at[1])
    hand.arrives(lambda: editor.drag is not None and editor.drag.begun, "a drag has begun")
    gaps: list[float] = []
    last, end = time.monotonic(), time.monotonic() + 0.8 * asleep
    while last < end:
        xdotool("mousemove", round(at[0]) + 10 + len(gaps), round(at[1]))
        hand.steps(1)
        gaps.append(time.monotonic() - last)
        last += gaps[-1]
    assert editor.worker.live is None and len(gaps) >= 4 and max(gaps) < 0.5 * asleep  # nothing solved, and it goes on
    hand.until(lambda: editor.worker.live is not None, "it is solved at last")
    hand.steps(4)
    assert np.abs(viewport_of(hand, pixels()) - viewport_of(hand, start)).max() > 60
    hand.key("Escape")
    hand.release()
    hand.settle()
    assert editor.shown is not None and editor.shown.now == 0


def test_a_hand_is_dragged(hand: Hand) -> None:
    editor, t = hand.app.editor, 1.05
    assert editor.shown is not None
    was, at = editor.shown.rollout, hand.where("juggler/right_forearm", t)  # the elbow: nothing flies in front of it
    start = pixels()
    hand.drag(at, (-45.0, -10.0))
    hand.settle()
    assert editor.shown.now == 1 and "juggler/" in editor.shown.labels[1]
    name = editor.shown.labels[1].split()[1]
    moved = editor.shown.rollout.state(name, t).position - was.state(name, t).position
    assert np.linalg.norm(moved) > 0.05
    assert np.abs(viewport_of(hand, pixels()) - viewport_of(hand, start)).max() > 60
    kept = {event.contact for event in editor.shown.rollout.events}
    assert kept == {event.contact for event in was.events}  # every catch still happens


def test_a_point_of_a_flight_is_dragged_at_its_own_time(hand: Hand) -> None:
    editor, t = hand.app.editor, 1.25
    assert editor.shown is not None
    was, at = editor.shown.rollout, hand.where("ball1", t)
    hand.drag(at, (25.0, -40.0))
    hand.settle()
    label = editor.shown.labels[-1]
    assert label.startswith("drag ball1 at 1.2")
    assert editor.t == pytest.approx(1.05)  # the time that is shown stays
    picked = float(label.split()[3])  # the time of the nearest point of the path, which is not quite the one aimed at
    assert np.allclose(hand.where("ball1", picked), np.add(at, [25.0, -40.0]), atol=6.0)
    assert np.linalg.norm(editor.shown.rollout.state("ball1", t).position - was.state("ball1", t).position) > 0.05
    look_away(hand)
    assert is_orange(pixels(), hand.where("ball1", t))  # its path is there


def test_a_right_click_offers_what_can_be_done_and_a_double_click_pins(hand: Hand) -> None:
    editor = hand.app.editor
    assert editor.shown is not None
    at = hand.where("ball1", 1.05)
    start = pixels()
    hand.click(*at, button=3)
    hand.steps(4)
    assert hand.app._has_popup()
    x, y = round(at[0]) + 8, round(at[1]) + 8
    assert np.abs(pixels()[y : y + 60, x : x + 100] - start[y : y + 60, x : x + 100]).mean() > 5
    hand.key("Escape")
    hand.steps(3)
    hand.move(*at)
    for _ in range(2):
        hand.press()
        hand.release()
    hand.settle()
    pins = [own for own in editor.shown.document.constraints if isinstance(own, hoi.Pin)]
    assert [(pin.name, pin.t) for pin in pins] == [("ball1", 1.05)]


def test_saved_and_opened_again(hand: Hand, tmp_path: Path) -> None:
    editor = hand.app.editor
    at = hand.where("ball1", 1.05)
    hand.drag(at, (30.0, -30.0))
    hand.settle()
    assert editor.shown is not None and editor.shown.unsaved
    moved = editor.shown.rollout.state("ball1", 1.05).position
    editor.remember(editor.preferences.opened(tmp_path / "before.hoi"))  # the dialog begins where the last file was
    hand.key("ctrl+shift+s")
    hand.steps(4)
    assert hand.app.dialogs.is_open
    hand.key("ctrl+a")
    hand.write("mine.hoi")
    hand.key("Return")
    hand.until(lambda: editor.shown is not None and editor.shown.file is not None, "it is saved")
    hand.settle()
    assert (tmp_path / "mine.hoi").exists() and not editor.shown.unsaved
    again = hoi.EditSession.saved(tmp_path / "mine.hoi")
    assert np.allclose(again.state("ball1", 1.05).position, moved)

    hand.app.open("juggle3")
    hand.until(lambda: editor.shown is not None and editor.shown.file is None, "the scene is open again")
    hand.app.open(str(tmp_path / "mine.hoi"))
    hand.until(lambda: editor.shown is not None and editor.shown.file is not None, "the file is open")
    editor.playback = editor.playback.at(1.05)
    hand.settle()
    assert editor.shown is not None and editor.shown.now == 1
    assert is_orange(pixels(), hand.where("ball1", 1.05))
    hand.app.open("juggle3")
    hand.until(lambda: editor.shown is not None and editor.shown.file is None, "the scene is open again")
    hand.settle()


def test_the_command_opens_a_window_that_quits_with_status_0(hand: Hand, tmp_path: Path) -> None:
    environment = {**os.environ, "HOI_EDIT_CONFIG": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    program = [sys.executable, "-c", "import sys; from hoi_edit.cli import main; sys.exit(main(['soccer']))"]
    editor = subprocess.Popen(program, env=environment, stderr=subprocess.PIPE, text=True)
    try:
        end = time.monotonic() + screen.PATIENCE
        window = ""
        while not window and time.monotonic() < end and editor.poll() is None:
            found = subprocess.run(["xdotool", "search", "--name", "soccer"], capture_output=True, text=True)
            window = found.stdout.split("\n")[0]
            time.sleep(0.3)
        assert window, f"no window came: {editor.communicate()[1] if editor.poll() is not None else 'still waiting'}"
        time.sleep(1.0)
        close_window(int(window))
        _, errors = editor.communicate(timeout=screen.PATIENCE)
    finally:
        editor.kill()
    assert editor.returncode == 0 and "Traceback" not in errors
    assert (tmp_path / "preferences.json").exists()


def test_a_click_on_the_axes_in_the_corner_looks_from_there(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, view = hand.app.editor, hand.app.viewport
    camera, start = editor.camera, pixels()
    left, top = dpg.get_item_rect_min(view.drawlist)
    x, y = next(tip.at for tip in view.compass.tips if tip.view == "right")
    red = start[round(top + y) - 4 : round(top + y) + 5, round(left + x) - 7 : round(left + x) - 4].reshape(-1, 3)
    assert red[:, 0].mean() > red[:, 2].mean() + 40  # the end of X is red
    hand.click(left + x, top + y)
    hand.settle()
    assert editor.camera.axes[2] == pytest.approx([1.0, 0.0, 0.0], abs=1e-9) and editor.drag is None
    assert editor.camera.distance == camera.distance
    assert np.abs(viewport_of(hand, pixels()) - viewport_of(hand, start)).max() > 60
    editor.camera = camera
    hand.settle()
