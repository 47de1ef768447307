"""The command that opens the editor: edit, which is also what a scene or a document alone means."""

import argparse
import os
import sys
from typing import Any

from hoi_edit import scenes
from hoi_edit.ui_bridge import run_editor


def add_commands(commands: Any) -> None:
    edit = commands.add_parser("edit", help="the editor (the default where there is a screen)")
    edit.add_argument("scene", nargs="?", metavar="SCENE", help="a built-in scene, such as juggle3, or a .hoi file")
    edit.set_defaults(run=_edit)


def _edit(options: argparse.Namespace) -> int:
    return run_editor(options.scene)


def is_meant(arguments: list[str]) -> bool:
    """Whether somebody who named no command means the editor: with nothing at all, or with a scene or a document."""
    if not arguments:
        return sys.platform == "darwin" or bool(os.environ.get("DISPLAY"))
    return arguments[0] in scenes.SCENES or arguments[0].endswith(".hoi")
