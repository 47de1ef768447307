"""Menus, dialogs, buttons that fix things, and a program that dies: in the real window, on a small scene."""

import os
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.files import autosave
from hoi_edit.resources import clip_path
from hoi_edit.simulation import Rollout
from hoi_edit.truth.scenes import floor_bounce
from tests.ui import garden, screen
from tests.ui.screen import Hand, pixels, virtual_screen, xdotool
from ui.problems import bent_in
from ui.turning import PIECES

REPOSITORY = Path(__file__).resolve().parents[2]
pytestmark = screen.WINDOW


@pytest.fixture(scope="module")
def hand(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Hand]:
    with garden.in_window(tmp_path_factory) as own:
        yield own


@pytest.fixture(autouse=True)
def _begins_anew(hand: Hand) -> Iterator[None]:
    editor = hand.app.editor
    editor.playback, editor.selected = editor.playback.at(0.4), None
    xdotool("mousemove", 5, screen.HEIGHT - 5)
    hand.settle()
    yield
    hand.app.dialogs.close()
    hand.app._close_popup()
    hand.steps(4)
    editor.go_to(0)
    hand.settle()


def place(hand: Hand, name: str) -> tuple[float, float]:
    import dearpygui.dearpygui as dpg

    editor, view = hand.app.editor, hand.app.viewport
    x, y, _ = editor.camera.project(editor.rollout.state(name, editor.t).position, *view.size)
    left, top = dpg.get_item_rect_min(view.drawlist)
    return float(x + left), float(y + top)


def press(hand: Hand, item: int | str) -> None:
    """Click into the middle of a widget."""
    import dearpygui.dearpygui as dpg

    (left, top), (right, bottom) = dpg.get_item_rect_min(item), dpg.get_item_rect_max(item)
    hand.click(0.5 * (left + right), 0.5 * (top + bottom))


def labelled(parent: int | str, label: str) -> int:
    """The widget with these words on it."""
    import dearpygui.dearpygui as dpg

    inside = [parent]
    while inside:
        item = inside.pop()
        if dpg.get_item_label(item) == label:
            return int(item)
        inside += [child for slot in dpg.get_item_children(item).values() for child in slot]
    raise AssertionError(f"there is no {label!r}")


def click_entry(hand: Hand, corner: list[int], item: int) -> None:
    """Entries of menus know only where they are in their own window."""
    import dearpygui.dearpygui as dpg

    x, y = dpg.get_item_pos(item)
    hand.click(corner[0] + x + 20, corner[1] + y + 8)
    hand.steps(3)


def choose(hand: Hand, name: str, label: str) -> None:
    """An entry of the menu of a right click."""
    import dearpygui.dearpygui as dpg

    hand.click(*place(hand, name), button=3)
    hand.steps(4)
    assert hand.app._has_popup()
    click_entry(hand, dpg.get_item_pos(hand.app._popup), labelled(hand.app._popup, label))
    hand.settle()


def grasps(rollout: Rollout) -> list[str]:
    return [event.object for event in rollout.events if event.kind == "grasp"]


def test_catch_here_is_chosen_from_the_menu_of_a_right_click(hand: Hand) -> None:
    editor = hand.app.editor
    editor.playback = editor.playback.at(0.55)
    hand.settle()
    assert grasps(editor.rollout) == []
    before = pixels()
    choose(hand, "ball", "Catch here with mime's right palm")
    assert editor.shown.labels[-1].startswith("catch ball with mime/right_palm at 0.55 s")
    assert grasps(editor.rollout) == ["ball"] and editor.status == "mime's right palm catches ball."
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
    at = place(hand, "ball")
    hand.drag(at, (0.0, -60.0))
    hand.settle()
    assert "as near as it can" in editor.status
    # nothing has moved, so there is nothing to undo
    assert [label.partition(" at ")[0] for label in hand.app.remedies.buttons][:1] == ["Remove the pin of ball"]
    press(hand, hand.app.remedies.buttons["Remove the pin of ball at 0.40 s"])
    hand.settle()
    assert editor.shown.document.constraints == () and hand.app.remedies.buttons == {}


def test_f1_lists_the_keys_even_over_a_menu(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    hand.click(*place(hand, "ball"), button=3)
    hand.steps(4)
    before = pixels()
    hand.key("F1")
    hand.steps(6)
    assert hand.app.dialogs.is_open and dpg.is_item_visible(hand.app.dialogs.window)
    assert np.abs(pixels() - before)[:, : screen.WIDTH // 4].mean() > 10  # what is behind it has become darker


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


def choose_file(hand: Hand, action: str, name: str, folder: Path) -> None:
    """By its dialog, which begins where the last file was."""
    app = hand.app
    app.editor.remember(app.editor.preferences.opened(folder / "before.hoi"))
    app.act(action)
    hand.steps(6)
    press(hand, labelled(app.dialogs.window, name))
    hand.steps(4)


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
    x, y = (round(v) for v in place(hand, "crate"))
    assert np.abs(pixels()[y - 5 : y + 5, x - 5 : x + 5] - start[y - 5 : y + 5, x - 5 : x + 5]).mean() > 8


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
    assert editor.shown.now == 1 and "bat" in editor.shown.labels[-1]
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
    dialogs.file("Save as", there, True, chosen.append)
    hand.steps(4)
    press(hand, labelled(dialogs.window, "Save"))
    hand.steps(3)
    assert chosen == [] and dialogs.is_open
    press(hand, labelled(dialogs.window, "Replace"))
    hand.steps(3)
    assert chosen == [str(there)] and not dialogs.is_open
    dialogs.file("Save as", there, True, chosen.append, own=there)  # the document's own file is no surprise
    hand.steps(6)
    press(hand, labelled(dialogs.window, "Save"))
    hand.steps(3)
    assert len(chosen) == 2


def test_laws_bend_where_they_are_opened_and_by_how_much_is_told(hand: Hand, tmp_path: Path) -> None:
    import dearpygui.dearpygui as dpg

    app, editor = hand.app, hand.app.editor
    garden_file, session = editor.shown.file, hoi.EditSession(floor_bounce(0.6, 0.4))
    session.lock("ball")  # so that only the law can bring it elsewhere
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
    hand.drag(place(hand, "ball"), (0.0, -24.0))
    hand.settle()
    (bent,) = bent_in(editor.rollout)
    assert bent.contact == "floor" and not bent.is_none
    assert f"Physics is bent: {bent}." in editor.status
    assert dpg.get_item_label(app.tab_items["Log"]) == "Log (1)"
    assert np.abs(pixels() - start).max() > 60
    hand.key("ctrl+z")
    hand.settle()
    assert bent_in(editor.rollout) == () and editor.status.startswith("Undone: drag ball at 0.80 s")
    editor.open(str(garden_file))
    hand.until(lambda: editor.shown.file == garden_file, "the garden is open again")


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
    app._ask_about_untitled()
    hand.steps(6)
    press(hand, labelled(app.dialogs.window, "Recover them"))
    hand.until(lambda: editor.shown.file is None, "they are open")
    hand.settle()
    assert editor.shown.unsaved and editor.is_locked("ball")
    app._ask_about_untitled()
    assert not app.dialogs.is_open  # they are at work now, and not left behind
    editor.open(str(garden_file))
    hand.until(lambda: editor.shown.file == garden_file, "the garden is open again")


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
