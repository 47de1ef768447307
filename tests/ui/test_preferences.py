"""Preferences come back, and whatever is wrong with the file is told and forgiven."""

import json
from pathlib import Path

from ui import preferences
from ui.preferences import Preferences


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
