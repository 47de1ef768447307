"""The real window on a busy machine: whatever it shows at any moment is one picture, whole and in its own size.

Each picture that is drawn gets nine signs, at its corners, the middles of its edges and its centre, in a colour of its
own. A screen that shows a part of one picture in another, or one picture in the size of another, has signs in wrong
places or of several colours.
"""

import subprocess
import sys
from collections import deque
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from tests.ui import juggling, screen
from tests.ui.screen import Eye, Hand, xdotool
from ui.view.drawing import Marker
from ui.view.scene_drawing import Stage
from ui.view.scene_view import View

pytestmark = screen.WINDOW

COLOURS = np.array([(255, 0, 255), (0, 255, 255), (255, 255, 0), (0, 255, 0), (255, 0, 0), (60, 60, 255)], float)
SIGN = 17.0  # [px]
ALIKE = 70.0  # of 255, in red, green and blue together
AGO = 12  # frames for which a size of the viewport may still be that of the picture on show
# of its width and height; not where words and axes lie over the picture
PLACES = np.array(
    [
        *((0.03, 0.12), (0.45, 0.03), (0.97, 0.25)),
        *((0.03, 0.5), (0.45, 0.45), (0.97, 0.6)),
        *((0.03, 0.97), (0.45, 0.97), (0.97, 0.97)),
    ]
)


def signs(view: View, number: int) -> tuple[Marker, ...]:
    """In the colour of a picture, in front of everything."""
    width, height = view.size
    colour = COLOURS[number % len(COLOURS)] / 255.0
    rays = [view.camera.ray(x * width, y * height, width, height) for x, y in PLACES]
    return tuple(Marker(eye + 2.0 * way, colour, SIGN, on_top=True) for eye, way in rays)


class Watcher:
    """Looks at the screen after every frame of the window, and remembers what was no picture."""

    def __init__(self, hand: Hand, eye: Eye) -> None:
        self.hand, self._eye = hand, eye
        self.looks, self.torn = 0, list[str]()
        self.numbers: set[int] = set()  # of pictures that were seen
        self.window = (screen.WIDTH, screen.HEIGHT)  # [px], as it is on the screen: Dear PyGui hears of it later
        self._sizes: deque[tuple[int, int]] = deque(maxlen=AGO)
        self._step = hand.app.step
        hand.app.step = self._watched

    def _watched(self, dt: float | None = None) -> None:
        self._step(dt)
        self._sizes.append(self.hand.app.viewport.size)
        width, height = self.window
        shot = juggling.viewport_of(self.hand, self._eye.look()[:height, :width])
        colours = {size: _signs_in(shot, size) for size in self._sizes}
        self.looks += 1
        if not any(len(set(found)) == 1 and None not in found for found in colours.values()):
            now = self._sizes[-1]
            self.torn.append(f"look {self.looks}, {now[0]} x {now[1]}: {colours[now]}")
        self.numbers |= {own for found in colours.values() for own in found if own is not None}

    def forget(self) -> None:
        self.looks, self.torn = 0, []
        self.numbers = set()


def _signs_in(shot: np.ndarray, size: tuple[int, int]) -> list[int | None]:
    """Which colour is where the signs of a picture of this size are, as far as these are in the viewport."""
    found = list[int | None]()
    for x, y in (PLACES * size).astype(int):
        patch = shot[y - 2 : y + 3, x - 2 : x + 3].reshape(-1, 3)
        if x + 2 < shot.shape[1] and y + 2 < shot.shape[0]:
            off = np.abs(COLOURS - np.median(patch, axis=0)).sum(axis=1)
            found.append(int(off.argmin()) if off.min() < ALIKE else None)
    return found


@pytest.fixture(scope="module")
def watcher(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Watcher]:
    real, drawn = Stage.seen, [0]

    def seen(stage: Stage, view: View) -> Any:
        drawing, bodies, paths = real(stage, view)
        drawn[0] += 1
        return replace(drawing, markers=(*drawing.markers, *signs(view, drawn[0]))), bodies, paths

    with pytest.MonkeyPatch.context() as patched, juggling.in_window(tmp_path_factory) as hand, Eye() as eye:
        patched.setattr(Stage, "seen", seen)
        hand.app.editor.go_to(0)
        hand.app.editor.playback = hand.app.editor.playback.at(1.0)
        hand.settle()
        yield Watcher(hand, eye)


@pytest.fixture(autouse=True)
def _busy_machine(watcher: Watcher) -> Iterator[None]:
    """Two programs that want all the time there is."""
    watcher.forget()
    others = [subprocess.Popen([sys.executable, "-c", "while True: pass"]) for _ in range(2)]
    yield
    for other in others:
        other.kill()
        other.wait()


def test_scrubbing_shows_whole_pictures(watcher: Watcher) -> None:
    import dearpygui.dearpygui as dpg

    hand, view = watcher.hand, watcher.hand.app.timeline
    left, top = dpg.get_item_rect_min(view.drawlist)
    for first, last in ((1.0, 3.0), (3.0, 1.5), (1.5, 4.0)):
        start, end = left + view.scale.x(first), left + view.scale.x(last)
        hand.drag((start, top + 8), (end - start, 0.0), pieces=8)
        hand.steps(8)  # it rests, and is drawn again as it should be
    assert watcher.looks > 60 and len(watcher.numbers) > 3
    assert watcher.torn == []


def test_playing_and_stopping_shows_whole_pictures(watcher: Watcher) -> None:
    for _ in range(6):
        watcher.hand.key("space")
        watcher.hand.steps(6)
    assert watcher.looks > 50 and len(watcher.numbers) > 3
    assert watcher.torn == []


def test_looking_around_shows_whole_pictures(watcher: Watcher) -> None:
    for k in range(4):
        watcher.hand.drag((200.0, 200.0), (40.0 * (-1) ** k, 10.0), button=2)
        watcher.hand.steps(6)
    assert watcher.looks > 50 and len(watcher.numbers) > 3
    assert watcher.torn == []


def test_other_sizes_of_the_viewport_show_whole_pictures(watcher: Watcher) -> None:
    hand, editor = watcher.hand, watcher.hand.app.editor
    was, sizes = editor.preferences, set()
    for side, lower in ((420, 330), (260, 250), (500, 400), (250, 200)):
        for share in (0.3, 0.6, 1.0):  # as by hand, in a few frames
            before = editor.preferences
            mixed = {name: round(getattr(before, name) + share * (goal - getattr(before, name)))
                     for name, goal in (("side", side), ("lower", lower))}  # fmt: skip
            editor.remember(replace(before, **mixed))
            hand.steps(3)
            sizes.add(hand.app.viewport.size)
        hand.steps(6)
    editor.remember(was)
    hand.steps(6)
    assert len(sizes) > 6 and watcher.looks > 50 and len(watcher.numbers) > 3
    assert watcher.torn == []


def test_a_window_that_grows_shows_whole_pictures(watcher: Watcher) -> None:
    """Also where its texture is too small, and another one takes its place."""
    hand = watcher.hand
    window = xdotool("search", "--name", "juggle3").split()[-1]
    for width, height in ((700, 500), (1000, 640), (screen.WIDTH, screen.HEIGHT)):
        xdotool("windowsize", "--sync", window, width, height)
        watcher.window = width, height
        hand.steps(12)
    assert watcher.looks > 30 and len(watcher.numbers) > 3
    assert watcher.torn == []
