"""What the editor says and when, without a window."""

from pathlib import Path

import pytest

from ui import preferences
from ui.editor import Editor
from ui.keymap import Keymap
from ui.preferences import Preferences


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
