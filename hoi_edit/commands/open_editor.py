"""The command that opens the editor: edit, which is also what a scene, a document or a clip alone means."""

import argparse
import os
import sys
from typing import Any

from hoi_edit import scenes
from hoi_edit.edit.additions import CLIPS
from hoi_edit.export.ui_bridge import run_editor
from hoi_edit.scenes.resources import built_in_clips, clip_path


def add_commands(commands: Any) -> None:
    edit = commands.add_parser("edit", help="the editor (the default where there is a screen)")
    edit.add_argument(
        "scene", nargs="?", metavar="SCENE", help="a built-in scene, such as juggle3, a .hoi file or a clip"
    )
    edit.set_defaults(run=_edit)


def _edit(options: argparse.Namespace) -> int:
    clip = options.scene in built_in_clips()
    return run_editor(str(clip_path(options.scene)) if clip else options.scene)


def is_meant(arguments: list[str]) -> bool:
    """Whether somebody who named no command means the editor: with nothing at all, or with a scene, a document or a
    clip."""
    if not arguments:
        return sys.platform == "darwin" or bool(os.environ.get("DISPLAY"))
    first = arguments[0]
    return first in scenes.SCENES or first in built_in_clips() or first.lower().endswith((".hoi", *CLIPS))
