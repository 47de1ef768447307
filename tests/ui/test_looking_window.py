"""Looking around, locks while dragging, numbers and chords that are typed, and leaving: in the real window."""

from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from tests.ui import garden, screen
from tests.ui.screen import Hand, labelled, pixels, press, xdotool
from ui.view import framing

pytestmark = screen.WINDOW
SHOWN = garden


def corner(hand: Hand) -> tuple[float, float]:
    """A place of the viewport with nothing in it, on the screen."""
    import dearpygui.dearpygui as dpg

    left, top = dpg.get_item_rect_min(hand.app.viewport.drawlist)
    return float(left + 60), float(top + 80)


def in_sight(hand: Hand, points: np.ndarray) -> bool:
    width, height = hand.app.viewport.size
    x, y, depth = hand.app.editor.camera.project(points, width, height).T
    return bool(np.all((depth > 0) & (x > 0) & (x < width) & (y > 0) & (y < height)))


def test_shift_and_the_middle_button_move_the_picture_with_the_pointer_and_the_wheel_zooms(hand: Hand) -> None:
    editor, start = hand.app.editor, pixels()
    at = hand.where("mime/head", 0.4)
    xdotool("keydown", "shift")
    hand.steps(2)
    hand.drag(corner(hand), (70.0, 30.0), button=2)
    xdotool("keyup", "shift")
    hand.settle()
    distance = np.linalg.norm(editor.camera.eye - editor.rollout.state("mime/head", 0.4).position)
    moved = np.subtract(hand.where("mime/head", 0.4), at) * distance / editor.camera.distance  # at the target's depth
    assert moved == pytest.approx([70.0, 30.0], abs=12.0)
    assert np.abs(pixels() - start).max() > 60
    before = editor.camera
    xdotool("click", 4)
    hand.arrives(lambda: editor.camera.distance < before.distance, "the wheel turned")
    xdotool("click", 5)
    hand.arrives(lambda: editor.camera.distance > 0.999 * before.distance, "the wheel turned back")
    assert editor.camera.target == before.target


def test_what_is_framed_is_in_the_middle_and_in_sight_from_every_view(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, view = hand.app.editor, hand.app.viewport
    hand.key("7")
    hand.key("a")
    joints = framing.points_of_body(editor.scene.characters[0], editor.rollout, editor.t)
    for key, back in (("1", [0.0, 0.0, 1.0]), ("3", [1.0, 0.0, 0.0]), ("7", [0.0, 1.0, 0.0])):
        hand.key(key)
        assert editor.camera.axes[2] == pytest.approx(back, abs=1e-9) and in_sight(hand, joints)
    editor.selected = "ball"
    hand.key("1")
    hand.key("f")
    left, top = dpg.get_item_rect_min(view.drawlist)
    assert hand.where("ball", 0.4) == pytest.approx((left + view.size[0] / 2, top + view.size[1] / 2), abs=1.0)
    editor.selected = "mime"
    hand.key("f")
    assert in_sight(hand, joints)


def test_the_camera_follows_the_selection(hand: Hand) -> None:
    editor = hand.app.editor
    editor.selected = "ball"
    hand.key("shift+v")
    at = hand.where("ball", 0.4)
    editor.playback = editor.playback.at(0.2)
    hand.steps(3)
    assert editor.following and hand.where("ball", 0.2) == pytest.approx(at, abs=0.1)
    hand.key("shift+v")
    editor.playback = editor.playback.at(0.4)
    hand.steps(3)
    assert not editor.following and hand.where("ball", 0.4) != pytest.approx(at, abs=5.0)


@pytest.mark.parametrize(
    ("held", "tapped", "by", "lock", "still"),
    [
        ("shift", None, (4.0, -30.0), "y", [0, 2]),
        ("shift", None, (30.0, -4.0), "x", [1, 2]),
        ("ctrl", None, (20.0, 6.0), "xz", [1]),
        (None, "x", (20.0, -20.0), "x", [1, 2]),
        (None, "shift+z", (20.0, -20.0), "xy", [2]),
    ],
)
def test_a_drag_is_kept_on_an_axis_or_a_plane(
    hand: Hand, held: str | None, tapped: str | None, by: tuple[float, float], lock: str, still: list[int]
) -> None:
    editor = hand.app.editor
    hand.key("1")
    hand.settle()
    was, at = editor.rollout.state("ball", 0.4).position, hand.where("ball", 0.4)
    hand.move(*at)
    hand.press()
    hand.move(at[0] + by[0] / 2, at[1] + by[1] / 2)
    if held is not None:
        xdotool("keydown", held)
        hand.steps(2)
    if tapped is not None:
        hand.key(tapped)
    hand.move(at[0] + by[0], at[1] + by[1])
    hand.steps(2)
    along = editor.drag.along
    hand.release()
    if held is not None:
        xdotool("keyup", held)
    hand.settle()
    moved = editor.rollout.state("ball", 0.4).position - was
    assert along == lock and np.abs(moved[still]).max() < 1e-5 and np.linalg.norm(moved) > 0.02
    assert editor.shown.labels[-1].startswith("drag ball at 0.40")


def test_a_chord_counts_even_if_its_modifier_is_up_again_before_the_next_frame(hand: Hand) -> None:
    xdotool("keydown", "ctrl")
    hand.steps(3)
    frame = hand.app.editor.playback.frame
    xdotool("keydown", "comma", "keyup", "ctrl")
    hand.steps(3)
    xdotool("keyup", "comma")
    hand.steps(3)
    assert hand.app.dialogs.is_open and hand.app.editor.playback.frame == frame  # preferences, not a frame back
    hand.app.dialogs.close()
    hand.steps(3)
    hand.key("comma")
    assert not hand.app.dialogs.is_open and hand.app.editor.playback.frame == frame - 1


def test_frames_and_speed_are_chosen_with_the_mouse(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    transport, editor = hand.app.transport, hand.app.editor
    for combo, value in ((transport.fps, "24 fps"), (transport.speed, "0.25×")):
        press(hand, combo)
        hand.steps(4)
        entries = dpg.get_item_configuration(combo)["items"]
        left, top = dpg.get_item_rect_min(combo)
        row = dpg.get_text_size("Ay", font=0)
        height = (row[1] if row else 16.0) + 4.0
        hand.click(left + 20, top + 16 + height * (entries.index(value) + 0.5))
        hand.steps(4)
    assert editor.playback.rate in (24.0, 25.0) and editor.playback.speed < 1.0 and editor.t == pytest.approx(0.4)
    assert dpg.get_value(transport.fps) == f"{editor.playback.rate:g} fps"
    hand.key("space")
    t = editor.t
    hand.steps(6)
    assert editor.t - t == pytest.approx(6 / 60 * editor.playback.speed, rel=1e-6)
    hand.key("space")
    editor.set_fps(60)
    editor.playback = type(editor.playback)(editor.playback.start, editor.playback.end, 0.4)
    hand.steps(2)
    assert dpg.get_value(transport.fps) == "60 fps" and dpg.get_value(transport.speed) == "1×"


def test_the_clipboard_runs_and_gives_the_same_scene(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    hand.drag(hand.where("ball", 0.4), (15.0, -20.0))
    hand.settle()
    hand.key("ctrl+shift+c")
    names: dict[str, hoi.EditSession] = {}
    exec(dpg.get_clipboard_text(), names)
    there = hand.app.editor.rollout.state("ball", 0.4).position
    assert names["session"].state("ball", 0.4).position == pytest.approx(there, abs=1e-9)
    names["session"].close()


def type_into(hand: Hand, name: str, text: str) -> None:
    item = hand.app.properties.field(name)
    press(hand, item)
    hand.key("ctrl+a")
    hand.write(text)
    hand.key("Return")
    hand.settle()


def test_numbers_of_a_thing_are_typed_undone_and_put_back_where_refused(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, fields = hand.app.editor, hand.app.properties
    editor.selected = "ball"
    hand.settle()
    camera = editor.camera
    assert dpg.get_value(fields.field("mass")) == "120"
    type_into(hand, "mass", "137")
    assert editor.camera == camera  # 1, 3 and 7 are views elsewhere
    assert float(editor.scene.thing("ball").body.mass) == pytest.approx(0.137)
    assert editor.shown.labels[-1] == "change ball: mass 0.137" and editor.selected == "ball"
    assert "session.change_thing(name='ball', mass=0.137)" in editor.shown.script
    type_into(hand, "restitution", "3")
    assert "must be from 0 to 1" in editor.status and editor.shown.now == 1
    assert dpg.get_value(fields.field("restitution")) == "1"
    hand.key("ctrl+z")
    hand.settle()
    assert dpg.get_value(fields.field("mass")) == "120"


def test_what_is_no_number_is_said_and_the_old_one_comes_back(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, fields = hand.app.editor, hand.app.properties
    editor.selected = "ball"
    hand.settle()
    type_into(hand, "mass", "abc")
    assert editor.status == "'abc' is no number: the mass of ball stays 120 g." and editor.shown.now == 0
    assert editor.messages[-1].level == "warning"
    assert dpg.get_value(fields.field("mass")) == "120"
    type_into(hand, "mass", "0,2 kg")
    assert float(editor.scene.thing("ball").body.mass) == pytest.approx(0.2)


def test_the_place_of_a_thing_is_typed(hand: Hand) -> None:
    editor = hand.app.editor
    editor.selected = "ball"
    hand.settle()
    start, shot = editor.rollout.state("ball", editor.t).position, pixels()
    type_into(hand, "y", f"{start[1] + 0.05:.4f}")
    there = editor.rollout.state("ball", editor.t).position
    assert there == pytest.approx(start + [0.0, 0.05, 0.0], abs=2e-4) and editor.shown.now == 1
    assert np.abs(pixels() - shot).max() > 60 and editor.before is not None


def test_the_ground_and_people_have_fields_for_their_material(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    editor, fields = hand.app.editor, hand.app.properties
    editor.selected = "mime"
    hand.settle()
    assert dpg.get_value(fields.field("friction")) == "0.6"
    editor.selected = "ground"
    hand.settle()
    type_into(hand, "restitution", "0.5")
    assert float(editor.scene.fixtures[0].material.restitution) == 0.5
    assert "session.change_material(name='ground', restitution=0.5)" in editor.shown.script
    assert editor.status.startswith("The restitution of ground is 0.5 now.")


def test_nobody_leaves_before_what_was_to_be_saved_is_saved(hand: Hand, monkeypatch: pytest.MonkeyPatch) -> None:
    app, editor = hand.app, hand.app.editor
    left: list[bool] = []
    monkeypatch.setattr(app.questions, "stop", lambda: left.append(editor.shown.unsaved))
    editor.pin("ball", 0.4)
    hand.settle()
    before = editor.shown.file.read_bytes()

    def refused(*_: object) -> None:
        raise hoi.HoiError("garden.hoi: cannot be written: permission denied")

    with monkeypatch.context() as patched:
        patched.setattr(hoi.EditSession, "save", refused)
        hand.key("ctrl+q")
        hand.steps(6)
        press(hand, labelled(app.dialogs.window, "Save"))
        hand.settle()
    assert left == [] and "permission denied" in editor.status and editor.shown.unsaved
    hand.key("ctrl+q")
    hand.steps(6)
    press(hand, labelled(app.dialogs.window, "Save"))
    hand.settle()
    assert left == [False] and editor.shown.file.read_bytes() != before


def test_a_cancelled_export_leaves_nothing_behind(hand: Hand, tmp_path: Path) -> None:
    import dearpygui.dearpygui as dpg

    app = hand.app
    app.act("export")
    hand.steps(6)
    dpg.set_value(app.export._folder, str(tmp_path))
    for suffix, box in app.export._formats.items():
        dpg.set_value(box, suffix == ".gif")
    press(hand, app.export._go)
    hand.until(lambda: app.export.job is not None and app.export.job.rows[0].share > 0.0, "it is being written")
    hand.steps(2)
    assert 0.0 < dpg.get_value(app.export._rows[0][1]) < 1.0  # the bar shows how far it is
    press(hand, app.export._stop)
    hand.until(lambda: app.export.job is None, "it has stopped")
    assert list(tmp_path.iterdir()) == [] and "cancelled" in app.editor.status
    assert not dpg.does_item_exist(app.export._tip)  # that it goes on would not be true
    hand.key("Return")  # presses Close
    assert not app.dialogs.is_open


def test_a_collision_that_nobody_intended_is_red_in_the_picture_and_on_the_timeline(hand: Hand) -> None:
    import dearpygui.dearpygui as dpg

    view, editor = hand.app.timeline, hand.app.editor
    mark = next(own for own in editor.layout.marks if "stray" in own.words and "head" in own.words)
    left, top = dpg.get_item_rect_min(view.drawlist)
    on_lane = (left + view.scale.x(mark.time), top + view.lane_top(mark.lane) + view.sizes.lane / 2)
    for x, y in (on_lane, hand.where("stray", mark.time)):
        around = pixels()[round(y) - 8 : round(y) + 9, round(x) - 8 : round(x) + 9].reshape(-1, 3)
        red = (around[:, 0] > 200) & (around[:, 1] < 110) & (around[:, 2] < 110)
        assert red.sum() >= 10


def test_a_file_that_is_missing_is_said_and_is_not_remembered(hand: Hand, tmp_path: Path) -> None:
    editor = hand.app.editor
    was, recent = editor.shown, editor.preferences.recent
    for name in ("gone.hoi", "gone.bvh"):
        editor.open(str(tmp_path / name))  # whatever is unsaved by now
        hand.settle()
        assert name in editor.status and "no such file" in editor.status
    assert editor.shown is was and editor.preferences.recent == recent


def test_a_long_field_is_framed_anew_from_above_unless_the_camera_was_moved(hand: Hand) -> None:
    editor = hand.app.editor
    field = np.array([[0.0, 0.0, -6.0], [0.0, 1.8, 6.0], [1.0, 0.0, 0.0]])
    hand.key("3")
    editor.frame(field)
    near = editor.camera.distance
    hand.key("7")
    assert in_sight(hand, field) and editor.camera.distance > 1.2 * near
    hand.key("3")
    assert editor.camera.distance == pytest.approx(near)
    editor.camera = editor.camera.dolly(0.9)
    hand.key("7")
    assert editor.camera.distance == pytest.approx(0.9 * near)
