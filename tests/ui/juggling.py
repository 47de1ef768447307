"""Three balls in the air, for tests of the window: what is orange is the first of them."""

from collections.abc import Iterator
from contextlib import contextmanager

import numpy as np
import pytest

import hoi_edit as hoi
from tests.ui import screen
from tests.ui.screen import Hand, window_of, xdotool

MOMENT = 1.05  # [s] at which the first ball is high in the air


def compiled() -> None:
    """Make the machine code that opening and dragging need, should it not be there: that is not what is timed here."""
    gesture = hoi.open("juggle3").begin("ball1", 1.05)
    for way in (0.01, 0.06, 0.11, 0.16):
        gesture.move(gesture.start.position + [0.0, way, 0.0])
    gesture.abort()


@contextmanager
def in_window(folders: pytest.TempPathFactory) -> Iterator[Hand]:
    """The scene in the real window."""
    compiled()
    with window_of("juggle3", folders) as hand:
        hand.app.editor.camera = hand.app.editor.camera.dolly(1.6)  # room for drags
        yield hand


@contextmanager
def anew(hand: Hand) -> Iterator[None]:
    """Every test starts from the scene as opened, at the same time."""
    editor = hand.app.editor
    editor.playback = editor.playback.at(MOMENT)
    editor.selected = None
    xdotool("mousemove", 5, screen.HEIGHT - 5)
    hand.settle()
    yield
    editor.go_to(0)
    hand.settle()


def look_away(hand: Hand) -> None:
    """What is under the pointer, or selected, is drawn otherwise: with a ring, a label, brighter."""
    hand.move(5, screen.HEIGHT - 5)
    hand.app.editor.selected = None
    hand.settle()


def is_orange(shot: np.ndarray, at: tuple[float, float]) -> bool:
    """Whether the first ball, or its path, is to be seen there."""
    x, y = round(at[0]), round(at[1])
    r, g, b = shot[y - 1 : y + 2, x - 1 : x + 2].reshape(-1, 3).mean(axis=0)
    return bool(r > g + 25 and g > b)


def viewport_of(hand: Hand, shot: np.ndarray) -> np.ndarray:
    import dearpygui.dearpygui as dpg

    left, top = (round(v) for v in dpg.get_item_rect_min(hand.app.viewport.drawlist))
    width, height = hand.app.viewport.size
    return shot[top : top + height, left : left + width]
