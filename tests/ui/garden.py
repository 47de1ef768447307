"""A small scene for tests of the window: somebody stands there, one ball comes within reach, another hits the head."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.additions import clip_from
from hoi_edit.files import autosave
from hoi_edit.scenes.resources import clip_path
from hoi_edit.truth.truth_scenes import floor_bounce
from tests.ui.screen import HEIGHT, Hand, window_of, xdotool

CATCH, HIT = 0.6, 0.5  # [s]


def scene() -> hoi.Scene:
    mime = hoi.Character.of("mime", clip_from(clip_path("stand_mime"), trim=(0.0, 1.2)))
    still = hoi.EditSession(hoi.Scene([mime], end=1.0, name="still"))
    palm, head = (still.state(f"mime/{part}", CATCH).position for part in ("right_palm", "head"))
    things = [
        hoi.Thing("ball", hoi.ball(0.12, 0.035), flight(palm + [0.0, 0.45, 1.6], palm + [0.02, 0.12, 0.22], CATCH)),
        hoi.Thing("stray", hoi.ball(0.12, 0.035), flight(head + [0.3, 0.2, 1.4], head + [0.0, 0.05, 0.0], HIT)),
    ]
    return hoi.Scene([mime], things, [hoi.ground()], end=1.0, name="garden")


def flight(start: np.ndarray, goal: np.ndarray, lasts: float) -> hoi.Flying:
    return hoi.Flying(start, (goal - start) / lasts + [0.0, 0.5 * 9.81 * lasts, 0.0])


def saved(folder: Path, scene_to_save: hoi.Scene | None = None) -> Path:
    path = folder / "garden.hoi"
    hoi.EditSession(scene_to_save or scene()).save(path)
    return path


def left_behind(path: Path, monkeypatch: pytest.MonkeyPatch) -> hoi.EditSession:
    """A document, and beside it two edits of a program that died: they stay as long as somebody has its session."""
    with monkeypatch.context() as patched:
        patched.setattr(autosave, "_mark", lambda _: "another time")
        session = hoi.EditSession(floor_bounce(0.6, 0.4))
        session.save(path)
        session.lock("ball")
        session.window(0.2, 0.9)
        assert session._keeper is not None
        session._keeper.write()
        return session


@contextmanager
def in_window(folders: pytest.TempPathFactory, other_scene: hoi.Scene | None = None) -> Iterator[Hand]:
    """The saved garden, or another scene, in the real window."""
    with window_of(str(saved(folders.mktemp("garden"), other_scene)), folders) as hand:
        yield hand


@contextmanager
def anew(hand: Hand) -> Iterator[None]:
    """A test begins with the garden as it was opened, and leaves it so."""
    editor = hand.app.editor
    editor.playback, editor.selected, editor.following = editor.playback.at(0.4), None, False
    xdotool("mousemove", 5, HEIGHT - 5)
    hand.settle()
    camera = editor.camera
    yield
    hand.app.dialogs.close()
    hand.app._close_popup()
    hand.steps(4)
    editor.camera = camera
    editor.go_to(0)
    hand.settle()
