"""What the window knows without a window: keys, preferences, the time that is shown."""

import json
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from ui import preferences
from ui.editor import Editor
from ui.keymap import ACTIONS, Keymap, chord, normal
from ui.preferences import Preferences
from ui.timeline.playback import Playback
from ui.words.property_fields import Field, fields_of


def test_no_two_actions_have_one_key() -> None:
    chords = [own for action in ACTIONS for own in action.chords]
    assert len(chords) == len(set(chords))
    assert all(own == normal(own) for own in chords)


def test_keys_are_found_and_can_be_bound_anew() -> None:
    keys = Keymap.of({})
    assert keys.action(chord("z", ctrl=True)) == "undo" and keys.action("ctrl+alt+z") is None
    assert keys.shown("redo") == "Ctrl+Shift+Z"
    other = keys.rebound("frame_all", "Shift+Ctrl+F", "f")
    assert other.action("f") == "frame_all" and other.chords("frame_selected") == ()
    assert other.action("ctrl+shift+f") == "frame_all" and other.action("a") is None
    assert Keymap.of(dict(other.changed)).action("f") == "frame_all"
    assert Keymap.of({"fly": ("f",), "undo": ("ctrl+ctrl+z",)}).action("ctrl+z") == "undo"
    with pytest.raises(ValueError, match="such as"):
        keys.rebound("undo", "ctrl+")
    assert any(row[2] == "Undo" and "Ctrl+Z" in row[1] for row in keys.table())


def test_a_modifier_that_is_let_go_in_the_same_frame_still_counts() -> None:
    import dearpygui.dearpygui as dpg

    from ui.panels.keyboard import Chords
    from ui.view.navigation import Modifiers

    ctrl, none = Modifiers(ctrl=True), Modifiers()
    states = iter([ctrl, none, none])
    chords = Chords(lambda: next(states))
    said = []
    for _ in range(3):
        chords.frame_ended()
        said.append(chords.pressed(dpg.mvKey_Comma))
    assert said == ["ctrl+,", "ctrl+,", ","] and chords.pressed(-1) is None


def test_numbers_are_typed_in_the_units_that_people_use() -> None:
    light, heavy = (hoi.Thing("thing", body, hoi.Flying(np.zeros(3))) for body in
                    (hoi.ball(0.12, 0.035), hoi.box(2.5, [0.1, 0.1, 0.1])))  # fmt: skip
    assert [(own.name, round(own.shown, 9), own.unit) for own in fields_of(light)] == [
        ("mass", 120.0, "g"), ("radius", 35.0, "mm"), ("restitution", 1.0, ""), ("friction", 0.0, ""),
    ]  # fmt: skip
    assert [own.words for own in fields_of(light)] == ["120 g", "35 mm", "1", "0"]
    box = fields_of(heavy)[0]
    assert (box.name, box.shown, box.unit) == ("mass", 2.5, "kg")
    mass = fields_of(light)[0]
    assert mass.value(float(np.float32(137.3))) == 0.1373 and not mass.differs(float(np.float32(120.0)))
    assert mass.differs(121.0)
    assert [(own.name, own.shown) for own in fields_of(hoi.ground())] == [("restitution", 1.0), ("friction", 1.0)]


def test_preferences_come_back(tmp_path: Path) -> None:
    mine = Preferences(scale=1.5, keys={"undo": ("u",)}).opened(tmp_path / "a.hoi").opened(tmp_path / "b.hoi")
    mine = mine.opened(tmp_path / "a.hoi")
    assert [Path(name).name for name in mine.recent] == ["a.hoi", "b.hoi"]
    assert preferences.save(mine, tmp_path / "deep" / "er") is None
    assert preferences.load(tmp_path / "deep" / "er") == (mine, None)
    assert [path.name for path in (tmp_path / "deep" / "er").iterdir()] == ["preferences.json"]


def test_preferences_that_make_no_sense_are_forgiven(tmp_path: Path) -> None:
    assert preferences.load(tmp_path) == (Preferences(), None)
    file = tmp_path / "preferences.json"
    for text in ("", "{", "[1]", '"x"', "\x00\xff"):
        file.write_text(text)
        found, problem = preferences.load(tmp_path)
        assert found == Preferences() and problem is not None and str(file) in problem
    file.write_text(json.dumps({"scale": "huge", "window_width": -4, "recent": [1], "ghosts": False, "new thing": 1}))
    found, problem = preferences.load(tmp_path)
    assert found == Preferences(ghosts=False)
    assert problem is not None and "scale" in problem and "window_width" in problem and "new thing" not in problem


def test_preferences_that_cannot_be_written_are_told(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    problem = preferences.save(Preferences(), tmp_path / "file")
    assert problem is not None and "cannot be kept" in problem


def test_time_goes_on_loops_and_stops() -> None:
    time = Playback(0.0, 2.0, t=1.9).toggled()
    assert time.advanced(0.05).t == pytest.approx(1.95)
    assert time.advanced(0.3).t == pytest.approx(0.2)
    stops = Playback(0.0, 2.0, t=1.9, loop=False).toggled().advanced(0.3)
    assert stops.t == 2.0 and not stops.playing
    assert stops.toggled().t == 0.0
    slow = Playback(0.0, 2.0, speed=0.25, playing=True).advanced(0.4)
    assert slow.t == pytest.approx(0.1)
    ranged = Playback(0.0, 2.0, t=0.9, playing=True).ranged(0.5, 1.0)
    assert ranged.advanced(0.2).t == pytest.approx(0.6)
    assert ranged.ranged(first=1.0) == ranged and ranged.whole().high == 2.0


def test_steps_go_to_whole_frames() -> None:
    time = Playback(0.0, 2.0, t=0.5042, rate=60.0)
    assert time.stepped(1).t == pytest.approx(31 / 60)
    assert time.stepped(-1).t == pytest.approx(30 / 60)
    assert time.stepped(1).stepped(1).frame == 32
    assert Playback(0.0, 2.0).stepped(-1).t == 0.0


def test_scrubbing_stops_at_frames_unless_any_time_is_asked_for() -> None:
    time = Playback(0.5, 2.0, rate=24.0)
    for t in (0.5, 0.73, 1.2106, 1.99):
        frames = (time.scrubbed(t).t - 0.5) * 24.0
        assert abs(frames - round(frames)) < 1e-9 and abs(time.scrubbed(t).t - t) <= 0.5 / 24.0 + 1e-9
        assert time.scrubbed(t, free=True).t == t
    assert time.scrubbed(9.0).t == 2.0 and time.scrubbed(-1.0).t == 0.5
    uneven = Playback(0.0, 1.01, rate=10.0)
    assert uneven.scrubbed(1.009).t == 1.01 and uneven.scrubbed(0.98).t == 1.0  # the end can be reached
    assert Playback(0.0, 2.0, playing=True).advanced(0.0123).t == 0.0123  # playing does not stop at them


def test_words_about_what_is_under_the_pointer_go_with_it() -> None:
    editor = Editor(None, None, Preferences(), Keymap.of({}))  # type: ignore[arg-type]
    editor.say("info", "Opened box.")
    editor.whisper("ball2 is caught")
    assert editor.status == "ball2 is caught"
    editor.hush()
    assert editor.status == "Opened box."
    editor.whisper("ball2 is caught")
    editor.say("good", "Moved ball1.")
    editor.hush()
    assert editor.status == "Moved ball1."  # what was said meanwhile stays


def test_the_hint_goes_for_good_at_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOI_EDIT_CONFIG", str(tmp_path))
    editor = Editor(None, None, Preferences(), Keymap.of({}))  # type: ignore[arg-type]
    editor.take_hint()
    assert preferences.load()[0] == Preferences()  # nothing was shown, nothing is written
    editor.hint = True
    editor.take_hint()
    assert not editor.hint and preferences.load()[0].seen_hint


def test_without_a_screen_one_line_says_so(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    from hoi_edit.cli import main

    monkeypatch.delenv("DISPLAY", raising=False)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    assert main(["juggle3"]) == 2
    said = capsys.readouterr().err
    assert said.count("\n") == 1 and "screen" in said
    assert main(["nothing.hoi"]) == 2
    assert "no such file" in capsys.readouterr().err


def test_the_size_of_everything_is_what_the_desktop_says() -> None:
    from ui.command import scale_of

    said = {None: 1.0, b"96": 1.0, b"192": 2.0, b"144": 1.5, b"120.5": 1.25, b"900": 3.0, b"nonsense": 1.0}
    assert {own: scale_of(own) for own in said} == said


def test_numbers_are_read_as_people_type_them() -> None:
    mass, place, bounce = Field("mass", 120.0, "g", 1e-3), Field("x", 0.5, "m"), Field("restitution", 0.8)
    assert [mass.read(own) for own in ("137", " 137 g ", "0.2 kg", "0,2kg", "1e2")] == [
        137.0,
        137.0,
        200.0,
        200.0,
        100.0,
    ]
    assert place.read("-25 cm") == -0.25 and bounce.read(".5") == 0.5
    assert [mass.read(own) for own in ("", "abc", "1 m", "1.2.3", "12 stones")] == [None] * 5
    assert bounce.read("1 kg") is None
