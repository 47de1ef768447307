"""`hoi-edit [SCENE]`: the editor, or one line that says why there is none."""

from __future__ import annotations

import os
import sys

import hoi_edit as hoi
from hoi_edit.scenes import SCENES


def has_screen() -> bool:
    """Whether a window can be opened. Without one, Dear PyGui would end the process: look before."""
    if sys.platform in ("darwin", "win32"):
        return True
    return bool(os.environ.get("DISPLAY"))  # the window is X11's; Wayland desktops bring that along


def run_editor(scene: str | None) -> int:
    if scene is not None and not scene.endswith(".hoi") and scene not in SCENES:
        raise hoi.HoiError(f"unknown scene {scene!r}; choose from: {', '.join(SCENES)}, or give a .hoi file")
    if scene is not None and scene.endswith(".hoi") and not os.path.exists(scene):
        raise hoi.HoiError(f"{scene}: there is no such file")
    if not has_screen():
        raise hoi.HoiError("the editor needs a screen, and there is none here (DISPLAY is not set)")
    from ui.app import App

    App(scene).run()
    return 0
