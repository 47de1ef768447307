"""Files that come and go, and a program that dies: in the real window, on a small scene."""

import os
import shutil
import signal
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.files import autosave
from hoi_edit.scenes.resources import clip_path
from hoi_edit.truth.truth_scenes import floor_bounce
from tests.kinematics.io.samples import HIP_HEIGHT, person_bvh, standing, written
from tests.ui import garden, screen
from tests.ui.screen import Hand, choose_file, click_entry, labelled, pixels, press, virtual_screen, xdotool
from ui.panels.file_dialog import FileDialog
from ui.panels.import_view import CUT

REPOSITORY = Path(__file__).resolve().parents[2]

pytestmark = screen.WINDOW
SHOWN = garden


def test_export_by_the_menu(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    app, folder = hand.app, hand.app.editor.shown.file.parent
    hand.click(24, 12)  # "File"
    hand.steps(3)
    click_entry(hand, [8, app.sizes.menu - 4], app.menu.items["export"])
    hand.steps(6)
    assert app.dialogs.is_open and dpg.get_value(app.export._folder) == str(folder)
    press(hand, app.export._formats[".csv"])
    press(hand, app.export._go)
    hand.until(lambda: (folder / "garden.csv").exists() and app.export.job is None, "it is exported")
    hand.steps(6)
    said = [dpg.get_value(words) for _, _, words in app.export._rows]
    assert len(said) == 2 and all("kB" in words for words in said) and "2 things" in said[0]
    assert app.editor.status == "Exported garden.glb, garden.csv." and (folder / "garden.glb").stat().st_size > 10_000
    assert dpg.is_item_visible(app.dialogs.window)
    press(hand, app.export._stop)  # it says "Close" by now
    assert not app.dialogs.is_open and not app.editor.shown.unsaved


def test_a_ball_is_added_by_its_dialog(hand: Hand) -> None:
    app = hand.app
    app.act("add_ball")
    hand.steps(6)
    press(hand, app.imports.accept_button)
    hand.settle()
    assert [own.name for own in app.editor.scene.things] == ["ball", "stray", "ball2"]
    assert app.editor.shown.labels[-1] == "add ball2" and "Added ball2" in app.editor.status


def test_a_clip_is_imported_by_its_dialog(hand: Hand, tmp_path: Path) -> None:
    app, editor = hand.app, hand.app.editor
    shutil.copy(clip_path("stand_mime"), tmp_path / "guest.bvh")
    start = pixels()
    choose_file(hand, "import_clip", "guest.bvh", tmp_path)
    hand.until(lambda: "trim" in app.imports._fields, "the clip is read")
    hand.steps(6)
    assert "as" in app.imports._fields and app.dialogs.is_open
    import dearpygui.dearpygui as dpg

    dpg.set_value(app.imports._fields["move"], [1.0, 0.0, 0.0, 0.0])
    press(hand, app.imports.accept_button)
    hand.until(lambda: len(editor.scene.characters) == 2, "there is another person")
    hand.settle()
    first, guest = editor.scene.characters
    apart = [editor.rollout.state(f"{own.name}/{own.skeleton.names[0]}", 0.4).position for own in (first, guest)]
    assert apart[1][0] - apart[0][0] == pytest.approx(1.0, abs=0.2)
    assert editor.shown.labels[-1].startswith("import") and "Imported guest.bvh" in editor.status
    assert np.abs(pixels() - start).max() > 60


def test_what_reading_a_clip_could_not_know_is_said_in_its_dialog(hand: Hand, tmp_path: Path) -> None:
    import dearpygui.dearpygui as dpg

    app, editor = hand.app, hand.app.editor
    rows = standing(90) + [{**row, "place": (6.0, HIP_HEIGHT, 0.0)} for row in standing(30)]
    written(tmp_path, person_bvh(rows).replace("RightHand", "Grip_b"), "rig.bvh")
    choose_file(hand, "import_clip", "rig.bvh", tmp_path)
    hand.until(lambda: "trim" in app.imports._fields, "the clip is read")
    hand.steps(6)
    fields = app.imports._fields
    assert {"units", "up", "right_hand", "cut"} <= set(fields) and "left_hand" not in fields
    dpg.set_value(fields["right_hand"], "Grip_b")
    dpg.set_value(fields["cut"], CUT)
    dpg.set_value(fields["move"], [1.5, 0.0, 0.0, 0.0])
    press(hand, app.imports.accept_button)
    hand.until(lambda: len(editor.scene.characters) == 2, "there is another person")
    hand.settle()
    guest = editor.scene.characters[-1]
    assert "right_palm" in [site.name for site in guest.skeleton.sites]
    assert float(guest.motion.end) == pytest.approx(89 / 120)


CUBE = """
v -0.2 -0.1 -0.1\nv 0.2 -0.1 -0.1\nv 0.2 0.1 -0.1\nv -0.2 0.1 -0.1
v -0.2 -0.1 0.1\nv 0.2 -0.1 0.1\nv 0.2 0.1 0.1\nv -0.2 0.1 0.1
f 1 4 3 2\nf 5 6 7 8\nf 1 2 6 5\nf 2 3 7 6\nf 3 4 8 7\nf 4 1 5 8
"""


def test_a_mesh_is_added_by_its_dialog(hand: Hand, tmp_path: Path) -> None:
    app, editor = hand.app, hand.app.editor
    (tmp_path / "crate.obj").write_text(CUBE)
    start = pixels()
    choose_file(hand, "add_mesh", "crate.obj", tmp_path)
    assert app.dialogs.is_open
    press(hand, app.imports.accept_button)
    hand.settle()
    assert [own.name for own in editor.scene.things] == ["ball", "stray", "crate"]
    assert editor.shown.labels[-1] == "add crate"
    x, y = (round(v) for v in hand.where("crate", hand.app.editor.t))
    assert np.abs(pixels()[y - 5 : y + 5, x - 5 : x + 5] - start[y - 5 : y + 5, x - 5 : x + 5]).mean() > 8


def test_unsaved_edits_are_asked_about(hand: Hand, tmp_path: Path) -> None:
    editor, app = hand.app.editor, hand.app
    first, other = editor.shown.file, garden.saved(tmp_path)
    editor.pin("ball", 0.4)
    hand.settle()
    assert editor.shown.unsaved
    for answer in ("Cancel", "Save"):
        app.open(str(other))
        hand.steps(6)
        assert app.dialogs.is_open and editor.shown.file == first
        if answer == "Save":
            hand.key("Return")  # presses the blue button
        else:
            press(hand, labelled(app.dialogs.window, answer))
        hand.settle()
    hand.until(lambda: editor.shown.file == other, "the other file is open")
    assert len(hoi.EditSession.saved(first).document.constraints) == 1
    garden.saved(first.parent)
    app.open(str(first))
    hand.until(lambda: editor.shown.file == first, "the first file is open again")


PROGRAM = """
import sys, time
import dearpygui.dearpygui as dpg
from ui.app import App
app = App(sys.argv[1], 1200, 800)
editor, told, pointer = app.editor, None, None
while True:
    began = time.monotonic()
    app.step()
    shown = editor.shown
    now = (*map(round, dpg.get_mouse_pos(local=False)), editor.hovered, editor.drag is not None)
    if now != pointer:
        pointer = now
        print("pointer", *now, flush=True)
    if editor.worker.live is not None:
        print("live", flush=True)
    elif shown is not None and editor.worker.idle and editor.viewport.is_up_to_date and shown.serial != told:
        if told is None:
            editor.playback = editor.playback.at(0.3)
        told = shown.serial
        position = shown.rollout.state("ball", 0.3).position
        x, y, _ = editor.camera.project(position, *app.viewport.size)
        print("at", shown.now, x, y, *position, flush=True)
    app.rest(began)
"""


def test_a_program_that_is_killed_in_a_drag_comes_back_to_the_last_commit(hand: Hand, tmp_path: Path) -> None:
    path, editor = garden.saved(tmp_path), hand.app.editor
    environment = {**os.environ, "HOI_EDIT_CONFIG": str(tmp_path), "PYTHONPATH": str(REPOSITORY)}
    with virtual_screen() as display:
        command = [sys.executable, "-c", PROGRAM, str(path)]
        program = subprocess.Popen(command, env={**environment, "DISPLAY": display}, stdout=subprocess.PIPE, text=True)
        try:
            x, y = (float(word) for word in heard(program, "at 0")[2:4])
            x, y = x + 10.0, y + hand.app.sizes.menu + 8.0  # the viewport's corner
            drag(program, x, y, lets_go=True)
            committed = heard(program, "at 1")
            x, y = float(committed[2]) + 10.0, float(committed[3]) + hand.app.sizes.menu + 8.0
            left = path.with_name(".garden.hoi.autosave")
            end = time.monotonic() + screen.PATIENCE
            while not left.exists() and time.monotonic() < end:
                time.sleep(0.1)
            assert left.exists()
            drag(program, x, y, lets_go=False)
            heard(program, "live")
            program.send_signal(signal.SIGKILL)
        finally:
            program.kill()
            program.wait()
    hand.app.open(str(path))
    hand.until(lambda: hand.app.dialogs.is_open, "it asks whether to recover")
    hand.steps(6)
    press(hand, labelled(hand.app.dialogs.window, "Recover them"))
    hand.until(lambda: editor.shown.file == path, "it is recovered")
    hand.settle()
    assert editor.shown.now == 1 and len(editor.shown.labels) == 2 and editor.shown.unsaved
    assert np.array_equal(editor.rollout.state("ball", 0.3).position, [float(word) for word in committed[4:7]])


def test_a_file_is_replaced_only_when_somebody_says_so_twice(hand: Hand, tmp_path: Path) -> None:
    dialogs, there, chosen = hand.app.dialogs, tmp_path / "there.hoi", list[str]()
    there.write_bytes(b"somebody's work")
    FileDialog(dialogs, "Save as", there, True, chosen.append)
    hand.steps(4)
    press(hand, labelled(dialogs.window, "Save"))
    hand.steps(3)
    assert chosen == [] and dialogs.is_open
    press(hand, labelled(dialogs.window, "Replace"))
    hand.steps(3)
    assert chosen == [str(there)] and not dialogs.is_open
    FileDialog(dialogs, "Save as", there, True, chosen.append, own=there)  # the document's own file is no surprise
    hand.steps(6)
    press(hand, labelled(dialogs.window, "Save"))
    hand.steps(3)
    assert len(chosen) == 2


def test_edits_that_were_in_no_file_are_offered_after_a_crash(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    app, editor = hand.app, hand.app.editor
    garden_file = editor.shown.file
    with monkeypatch.context() as patched:
        patched.setattr(autosave, "_mark", lambda _: "another time")  # of a program that died since
        session = hoi.EditSession(floor_bounce(0.6, 0.4))
        session.keep()
        session.lock("ball")
        assert session._keeper is not None
        session._keeper.write()
    app.questions.ask_about_untitled()
    hand.steps(6)
    press(hand, labelled(app.dialogs.window, "Recover them"))
    hand.until(lambda: editor.shown.file is None, "they are open")
    hand.settle()
    assert editor.shown.unsaved and editor.is_locked("ball")
    app.questions.ask_about_untitled()
    assert not app.dialogs.is_open  # they are at work now, and not left behind
    editor.open(str(garden_file))
    hand.until(lambda: editor.shown.file == garden_file, "the garden is open again")


def test_no_answer_about_newer_edits_leaves_what_is_open_and_enter_recovers_them(
    hand: Hand, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    app, editor, path = hand.app, hand.app.editor, tmp_path / "bounce.hoi"
    open_now, died = editor.shown.file, garden.left_behind(path, monkeypatch)
    editor.open(str(path))
    hand.until(lambda: app.dialogs.is_open, "it asks whether to recover")
    hand.steps(6)
    hand.key("Escape")
    hand.settle()
    assert not app.dialogs.is_open and editor.shown.file == open_now
    assert editor.status == "bounce.hoi was not opened; its newer edits are still there."
    with monkeypatch.context() as patched:  # and where nothing is open, the picture does not say that it will be
        patched.setattr(editor.worker, "shown", None)
        app.questions._not_opened(str(path))
        assert app.viewport._waiting()[0] == "Nothing is open."
    hand.steps(2)
    press(hand, app.status.remedies.buttons["Ask again"])
    hand.until(lambda: app.dialogs.is_open, "it asks again")
    hand.steps(6)
    hand.key("Return")
    hand.until(lambda: editor.shown.file == path, "it is recovered")
    hand.settle()
    assert editor.status.startswith("Recovered bounce.hoi: 2 edits, the last: ")
    editor.open(str(open_now))
    hand.until(lambda: editor.shown.file == open_now, "the garden is open again")
    died.close()


def heard(program: "subprocess.Popen[str]", words: str) -> list[str]:
    """What the program says, when it begins so."""
    assert program.stdout is not None
    for line in program.stdout:
        if line.startswith(words):
            return line.split()
    raise AssertionError(f"it ended before it said {words!r}")


def drag(program: "subprocess.Popen[str]", x: float, y: float, lets_go: bool) -> None:
    """By a mouse that waits until the program has seen where it is."""
    at = round(x), round(y)
    xdotool("mousemove", 5, screen.HEIGHT - 5)
    heard(program, f"pointer 5 {screen.HEIGHT - 5} None")
    xdotool("mousemove", *at)
    heard(program, f"pointer {at[0]} {at[1]} ball False")
    xdotool("mousedown", 1)
    heard(program, f"pointer {at[0]} {at[1]} ball True")
    for k in range(1, 6):
        xdotool("mousemove", at[0] + 4 * k, at[1] - 8 * k)
        heard(program, f"pointer {at[0] + 4 * k} {at[1] - 8 * k}")
    if lets_go:
        xdotool("mouseup", 1)


def test_a_file_is_found_by_arrows_by_typing_its_name_or_its_path(hand: Hand, tmp_path: Path) -> None:
    import dearpygui.dearpygui as dpg

    dialogs, chosen = hand.app.dialogs, list[str]()
    (tmp_path / "deep").mkdir()
    for name in ("one.hoi", "two.hoi", "deep/three.hoi", "no.txt"):
        (tmp_path / name).write_bytes(b"something")

    def opened() -> FileDialog:
        hand.steps(6)
        own = FileDialog(dialogs, "Open", tmp_path, False, chosen.append)
        hand.steps(6)
        return own

    own = opened()
    assert [item.name for item in own.items] == ["deep", "one.hoi", "two.hoi"]
    start = pixels()
    hand.key("Down")
    hand.key("Down")
    assert own.selected is not None and own.selected.name == "one.hoi" and np.abs(pixels() - start).max() > 20
    hand.key("Return")
    assert chosen == [str(tmp_path / "one.hoi")] and not dialogs.is_open
    own = opened()
    hand.write("tw")
    assert [item.name for item in own.items] == ["two.hoi"]
    hand.key("Return")
    assert chosen[1:] == [str(tmp_path / "two.hoi")]
    own = opened()
    press(hand, own._rows[tmp_path / "deep"])
    hand.steps(2)
    assert own.selected is not None and own.folder == tmp_path
    own._click(own.items[0])
    own._click(own.items[0])  # as fast as no test can click
    hand.steps(4)
    assert own.folder == tmp_path / "deep" and [item.name for item in own.items] == ["three.hoi"]
    press(hand, own.up)
    hand.steps(3)
    assert own.folder == tmp_path
    dpg.set_value(own.path, str(tmp_path / "deep" / "three.hoi"))
    own._typed_path()
    assert [own.selected] == [item for item in own.items if item.name == "three.hoi"]
    hand.key("Escape")
    assert not dialogs.is_open and len(chosen) == 2
