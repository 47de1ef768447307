"""The real window on a virtual screen, drawn as well as it can be: what films and pictures of it are taken from."""

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

from tests.ui import screen
from tests.ui.screen import Hand, virtual_screen

PICTURES = Path(__file__).resolve().parent / "pictures"


@contextmanager
def editor_window(width: int, height: int, moment: float) -> Iterator[Hand]:
    """With `juggle3` open at a moment; needs Xvfb, xdotool and ImageMagick."""
    screen.WIDTH, screen.HEIGHT = width, height
    with virtual_screen(), tempfile.TemporaryDirectory() as folder:
        os.environ["HOI_EDIT_CONFIG"] = folder
        from ui.app import App

        app: Any = App("juggle3", width, height)
        hand, view = Hand(app), app.editor.view
        # pictures that move are drawn roughly without a GPU; here there is time to draw them well
        app.editor.view = lambda *how: None if (own := view(*how)) is None else replace(own, moving=False)
        hand.until(lambda: app.editor.shown is not None, "the scene is open")
        hand.settle()
        app.editor.playback = app.editor.playback.at(moment)
        yield hand
        app.close()
