"""`hoi-edit [SCENE]`: the editor, or one line that says why there is none."""

from __future__ import annotations

import ctypes
import os
import sys

import hoi_edit as hoi
from hoi_edit.edit.additions import CLIPS
from hoi_edit.scenes import SCENES


def screen_problem() -> str | None:
    """Why no window can be opened, if so. Dear PyGui would end the process without a word: look before."""
    if sys.platform in ("darwin", "win32"):
        return None
    place = os.environ.get("DISPLAY")  # the window is X11's; Wayland desktops bring that along
    if not place:
        return "the editor needs a screen, and there is none here (DISPLAY is not set)"
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return "the editor needs libX11, which is missing; on Debian or Ubuntu install libx11-6"
    x11.XOpenDisplay.restype = ctypes.c_void_p
    display = ctypes.c_void_p(x11.XOpenDisplay(place.encode()))
    if display.value is None:
        return f"the editor needs a screen, and none answers at DISPLAY={place}"
    numbers = [ctypes.byref(ctypes.c_int()) for _ in range(3)]
    has_gl = x11.XQueryExtension(display, b"GLX", *numbers)
    x11.XCloseDisplay(display)
    return None if has_gl else f"the screen at DISPLAY={place} has no OpenGL (GLX), which the editor needs"


def screen_scale() -> float:
    """How large everything should be on this screen, as its desktop says (Xft.dpi); 1 where nobody says anything."""
    if sys.platform in ("darwin", "win32"):
        return 1.0
    try:
        x11 = ctypes.CDLL("libX11.so.6")
    except OSError:
        return 1.0
    x11.XOpenDisplay.restype, x11.XGetDefault.restype = ctypes.c_void_p, ctypes.c_char_p
    display = ctypes.c_void_p(x11.XOpenDisplay(None))
    if display.value is None:
        return 1.0
    said = x11.XGetDefault(display, b"Xft", b"dpi")
    x11.XCloseDisplay(display)
    return scale_of(said)


def scale_of(dots_per_inch: bytes | None) -> float:
    """In quarters, from 1 to 3: text at 96 dots per inch is as it was drawn."""
    try:
        return min(max(round(4 * float(dots_per_inch or b"96") / 96.0) / 4, 1.0), 3.0)
    except ValueError:
        return 1.0


def run_editor(scene: str | None) -> int:
    is_file = scene is not None and scene.lower().endswith((".hoi", *CLIPS))
    if scene is not None and not is_file and scene not in SCENES:
        raise hoi.HoiError(f"unknown scene {scene!r}; choose from: {', '.join(SCENES)}, or give a .hoi file or a clip")
    if scene is not None and is_file and not os.path.exists(scene):
        raise hoi.HoiError(f"{scene}: there is no such file")
    problem = screen_problem()
    if problem is not None:
        raise hoi.HoiError(problem)
    from ui.app import App

    App(scene, scale=screen_scale()).run()
    return 0
