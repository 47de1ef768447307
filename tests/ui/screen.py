"""A screen of one's own, a hand on its mouse and an eye on its pixels, for tests that drive the real window."""

from __future__ import annotations

import ctypes
import io
import os
import shutil
import subprocess
import tempfile
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from kinematics.cache import cache_folder

NEEDED = ("Xvfb", "xdotool", "import")
WIDTH, HEIGHT = 1200, 800
PATIENCE = 90.0  # [s] on a machine that others share
NUMBERS = {1: 0, 2: 2, 3: 1}  # of buttons: X11's, and Dear PyGui's


def missing() -> list[str]:
    return [program for program in NEEDED if shutil.which(program) is None]


WINDOW = [
    pytest.mark.window,
    pytest.mark.skipif(
        bool(missing()), reason=f"the window's tests need {', '.join(missing())} (make system-packages)"
    ),
]


@contextmanager
def virtual_screen() -> Iterator[str]:
    """An X server that nobody else uses, as DISPLAY of this process."""
    read, write = os.pipe()
    server = subprocess.Popen(
        ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{WIDTH}x{HEIGHT}x24", "-nolisten", "tcp"],
        pass_fds=(write,), stderr=subprocess.DEVNULL,
    )  # fmt: skip
    os.close(write)
    with os.fdopen(read) as told:
        display = f":{told.readline().strip()}"
    before = {name: os.environ.get(name) for name in ("DISPLAY", "HOI_EDIT_CACHE")}
    try:
        with tempfile.TemporaryDirectory() as folder:
            os.environ["HOI_EDIT_CACHE"] = str(_cache_without_edits(Path(folder)))
            os.environ["DISPLAY"] = display
            yield display
    finally:
        for name, value in before.items():
            os.environ.pop(name, None)
            if value is not None:
                os.environ[name] = value
        server.terminate()
        server.wait()


def _cache_without_edits(folder: Path) -> Path:
    """A cache with the machine code of the user's, but without edits that a program which died has left there: nobody
    is asked about those here, and none are left."""
    for name in ("compiled", "jax"):
        if (cache_folder() / name).is_dir():
            (folder / name).symlink_to(cache_folder() / name)
    return folder


def xdotool(*words: Any) -> str:
    done = subprocess.run(["xdotool", *map(str, words)], check=True, capture_output=True, text=True)
    return done.stdout


def pixels() -> np.ndarray:
    """(H, W, 3) of the whole screen, 0..255."""
    shot = subprocess.run(["import", "-window", "root", "png:-"], check=True, capture_output=True).stdout
    return np.asarray(Image.open(io.BytesIO(shot)).convert("RGB"), dtype=int)


class _Image(ctypes.Structure):
    _fields_ = (
        *((name, ctypes.c_int) for name in ("width", "height", "xoffset", "format")),
        ("data", ctypes.c_void_p),
        *(
            (name, ctypes.c_int)
            for name in ("byte_order", "unit", "bit_order", "pad", "depth", "bytes_per_line", "bits")
        ),
    )  # an XImage has more, which nobody here asks for


class Eye:
    """The same as `pixels`, a hundred times as fast: for a look at every frame. Use as a context manager."""

    def __enter__(self) -> Eye:
        self._x11 = ctypes.CDLL("libX11.so.6")
        self._x11.XOpenDisplay.restype = ctypes.c_void_p
        self._x11.XDefaultRootWindow.restype = ctypes.c_ulong
        self._x11.XGetImage.restype = ctypes.POINTER(_Image)
        self._display = ctypes.c_void_p(self._x11.XOpenDisplay(os.environ["DISPLAY"].encode()))
        self._root = ctypes.c_ulong(self._x11.XDefaultRootWindow(self._display))
        return self

    def __exit__(self, *_: object) -> None:
        self._x11.XCloseDisplay(self._display)

    def look(self) -> np.ndarray:
        every, in_rows = ctypes.c_ulong(2**32 - 1), 2  # planes; ZPixmap
        image = self._x11.XGetImage(self._display, self._root, 0, 0, WIDTH, HEIGHT, every, in_rows)
        size = image.contents.bytes_per_line * HEIGHT
        rows = np.frombuffer(ctypes.string_at(image.contents.data, size), np.uint8).reshape(HEIGHT, -1, 4)
        self._x11.XDestroyImage(image)
        return rows[:, :WIDTH, 2::-1].astype(int)  # of blue, green, red and nothing


class Hand:
    """Drives an `ui.app.App` whose loop the test owns: a frame is drawn when the test says so."""

    def __init__(self, app: Any) -> None:
        self.app = app

    def steps(self, count: int) -> None:
        for _ in range(count):
            self.app.step(dt=1.0 / 60.0)

    def until(self, done: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + PATIENCE
        while not done():
            self.app.step(dt=0.0)
            time.sleep(0.03)  # without a GPU a frame costs as much as a solve: leave it some time
            assert time.monotonic() < end, f"waited too long until {what}; {self.app.editor.messages[-2:]}"

    def settle(self) -> None:
        """Until nothing is solved or drawn any more, and the screen shows it: a texture is one frame late."""
        editor = self.app.editor
        self.steps(2)
        self.until(lambda: editor.worker.idle and not editor.worker.refining, "everything is done")
        self.steps(2)  # only then does the window ask for a picture of it
        self.until(lambda: editor.viewport.is_up_to_date, "everything is drawn")
        self.steps(4)

    def where(self, name: str, t: float) -> tuple[float, float]:
        """Where a thing or a point of a body is on the screen."""
        import dearpygui.dearpygui as dpg

        view, editor = self.app.viewport, self.app.editor
        x, y, _ = editor.camera.project(editor.rollout.state(name, t).position, *view.size)
        left, top = dpg.get_item_rect_min(view.drawlist)
        return float(x + left), float(y + top)

    def arrives(self, seen: Callable[[], bool], what: str) -> None:
        """On a busy machine what a mouse does reaches the window some frames later."""
        end = time.monotonic() + PATIENCE
        while not seen():
            self.steps(1)
            assert time.monotonic() < end, f"the window never saw that {what}"

    def move(self, x: float, y: float) -> None:
        import dearpygui.dearpygui as dpg

        place = [round(x), round(y)]
        xdotool("mousemove", *place)
        self.steps(1)
        self.arrives(lambda: [round(v) for v in dpg.get_mouse_pos(local=False)] == place, "the mouse went there")
        self.steps(1)

    def press(self, button: int = 1) -> None:
        import dearpygui.dearpygui as dpg

        xdotool("mousedown", button)
        self.steps(1)
        self.arrives(lambda: dpg.is_mouse_button_down(NUMBERS[button]), "a button went down")
        self.steps(1)

    def release(self, button: int = 1) -> None:
        import dearpygui.dearpygui as dpg

        xdotool("mouseup", button)
        self.steps(1)
        self.arrives(lambda: not dpg.is_mouse_button_down(NUMBERS[button]), "a button went up")
        self.steps(2)

    def click(self, x: float, y: float, button: int = 1) -> None:
        self.move(x, y)
        self.press(button)
        self.release(button)

    def drag(self, start: tuple[float, float], by: tuple[float, float], button: int = 1, pieces: int = 6) -> None:
        self.move(*start)
        self.press(button)
        for k in range(1, pieces + 1):
            self.move(start[0] + by[0] * k / pieces, start[1] + by[1] * k / pieces)
        self.release(button)

    def key(self, chord: str) -> None:
        xdotool("key", chord)
        self.steps(4)

    def write(self, text: str) -> None:
        for letter in text:  # faster, and letters are lost between two slow frames
            xdotool("type", "--delay", 0, letter)
            self.steps(2)


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


def choose_at(hand: Hand, at: tuple[float, float], label: str) -> None:
    """An entry of the menu of a right click."""
    hand.click(*at, button=3)
    hand.steps(4)
    assert hand.app._has_popup()
    choose_open(hand, label)


def choose_open(hand: Hand, label: str) -> None:
    """An entry of the menu that is open."""
    import dearpygui.dearpygui as dpg

    click_entry(hand, dpg.get_item_pos(hand.app._popup), labelled(hand.app._popup, label))
    hand.settle()


def choose_file(hand: Hand, action: str, name: str, folder: Path) -> None:
    """By its dialog, which begins where the last file was."""
    app = hand.app
    app.editor.remember(replace(app.editor.preferences.opened(folder / "before.hoi"), imported_from=str(folder)))
    app.act(action)
    hand.steps(6)
    press(hand, labelled(app.dialogs.window, name))
    hand.steps(2)
    assert app.dialogs.is_open  # one click selects
    press(hand, labelled(app.dialogs.window, "Open"))
    hand.steps(4)


def offered(hand: Hand) -> list[str]:
    """What the menu that is open says."""
    import dearpygui.dearpygui as dpg

    return [str(dpg.get_item_label(item)) for item in dpg.get_item_children(hand.app._popup, 1)]


def beginning(hand: Hand, words: str) -> str:
    """The one entry of the menu that is open that begins so."""
    (entry,) = (label for label in offered(hand) if label.startswith(words))
    return entry


def on_lane(hand: Hand, name: str, t: float) -> tuple[float, float]:
    """A time in the lane of a thing or of a part of a body, on the screen."""
    import dearpygui.dearpygui as dpg

    view, lanes = hand.app.timeline, hand.app.editor.layout.lanes
    lane = next(k for k, own in enumerate(lanes) if own.name == name and own.kind != "blend")
    left, top = dpg.get_item_rect_min(view.drawlist)
    return left + view.scale.x(t), top + view.lane_top(lane) + view.sizes.lane / 2


@contextmanager
def window_of(scene: str, folders: pytest.TempPathFactory) -> Iterator[Hand]:
    """The window on a screen of its own, with preferences of its own, and a hand to use it, once the scene is open."""
    os.environ["HOI_EDIT_CONFIG"] = str(folders.mktemp("config"))
    with virtual_screen():
        from ui.app import App

        app = App(scene, WIDTH, HEIGHT)
        hand = Hand(app)
        hand.until(lambda: app.editor.shown is not None, "the scene is open")
        app.editor.hint = False  # or pictures before and after a first drag would differ by it
        hand.settle()
        yield hand
        app.close()
    os.environ.pop("HOI_EDIT_CONFIG")


class _ClientMessage(ctypes.Structure):
    _fields_ = (
        ("type", ctypes.c_int),
        ("serial", ctypes.c_ulong),
        ("send_event", ctypes.c_int),
        ("display", ctypes.c_void_p),
        ("window", ctypes.c_ulong),
        ("message_type", ctypes.c_ulong),
        ("format", ctypes.c_int),
        ("data", ctypes.c_long * 5),
        ("rest", ctypes.c_long * 24),  # an XEvent is at least as large as this makes it
    )


def close_window(window: int) -> None:
    """What the cross in the corner of a window does; without a window manager there is none."""
    x11 = ctypes.CDLL("libX11.so.6")
    x11.XOpenDisplay.restype = ctypes.c_void_p
    x11.XInternAtom.restype = ctypes.c_ulong
    display = ctypes.c_void_p(x11.XOpenDisplay(os.environ["DISPLAY"].encode()))
    protocols, delete = (x11.XInternAtom(display, name, 0) for name in (b"WM_PROTOCOLS", b"WM_DELETE_WINDOW"))
    message = _ClientMessage(type=33, window=window, message_type=protocols, format=32)
    message.data[0] = delete
    x11.XSendEvent(display, ctypes.c_ulong(window), 0, ctypes.c_long(0), ctypes.byref(message))
    x11.XCloseDisplay(display)
