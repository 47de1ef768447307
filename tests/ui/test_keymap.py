"""Keys: what each does, and that each can be bound anew."""

import pytest

from ui.keymap import ACTIONS, Keymap, chord, normal


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
