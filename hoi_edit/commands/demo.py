"""The command that shows what the program does: demo, which is also what `hoi-edit` alone means without a screen."""

import argparse
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from hoi_edit import scenes
from hoi_edit.commands import drag_account as account
from hoi_edit.commands.common import has_screen, progress_line, results_folder, say_that_it_compiles
from hoi_edit.compiling.runtime import prepare, ready
from hoi_edit.export.base import Exported
from hoi_edit.export.drag_pictures import export_film, export_picture
from hoi_edit.export.ui_bridge import CannotDraw
from hoi_edit.files import newer_edits
from hoi_edit.scenes.demos import DEMOS, Demo, Dragged, demo
from hoi_edit.session import EditSession
from hoi_edit.verify import measures
from kinematics.errors import HoiError

OPENED_BY = {
    ".hoi": "to go on with: hoi-edit {path}",
    ".bvh": "opens in Blender, Maya, MotionBuilder",
    ".csv": "opens in any spreadsheet",
    ".glb": "opens in Blender and any viewer of glTF",
    ".png": "opens in any viewer of pictures",
    ".gif": "opens in any browser",
}
EXPORTED = (".bvh", ".csv", ".glb")


def add_commands(commands: Any) -> None:
    show = commands.add_parser("demo", help="edit a built-in scene, say what followed, and leave files of each kind "
                                            "(the default where there is no screen)")  # fmt: skip
    show.add_argument("name", nargs="?", default="juggle3", metavar="NAME", help=f"{', '.join(DEMOS)} (juggle3)")
    show.add_argument("--out", type=Path, default=Path("out"), metavar="DIR", help="where the files go (out)")
    show.set_defaults(run=_demo)


def _demo(options: argparse.Namespace) -> int:
    edit = demo(options.name)
    if not has_screen():
        print("no screen found: working without a window", flush=True)
    with results_folder(options.out):
        return _demonstrated(edit, options.name, options.out)


def _demonstrated(edit: Demo, name: str, folder: Path) -> int:
    _check_document(folder / f"{name}.hoi", edit)
    if not ready().exists():
        say_that_it_compiles()
    prepare()
    with EditSession(scenes.build(name), name) as session:
        with progress_line() as listener:
            drag = edit.drag(session, listener)
        if not drag.report.holds:
            raise HoiError(f"{name}: {edit.name} cannot be dragged there: {drag.report!r}")
        print(f"{name}: {edit.about}", account.dragged(drag), *account.followed(drag), account.kept(drag), sep="\n")
        claims = list(measures(session))
        print(account.measured(claims), flush=True)
        for file in _files(session, drag, folder / name):
            use = OPENED_BY[file.path.suffix].format(path=file.path)
            print(f"{file.path}  {file.contents}; {use}", flush=True)
    return 1 if any(claim.is_off for claim in claims) else 0


def _check_document(path: Path, edit: Demo) -> None:
    """Somebody may have gone on with the document that an earlier demo left; then it is not replaced."""
    if not path.exists():
        return
    try:
        labels = [step.label for step in EditSession.saved(path).history[1:]]
    except HoiError:
        labels = []
    if labels != [edit.label] or newer_edits(path) is not None:
        raise HoiError(
            f"{path}: this has other edits than the demo's, and is kept; move it, or name a folder with --out"
        )


def _files(session: EditSession, drag: Dragged, base: Path) -> Iterator[Exported]:
    """The scene and the drag as files, each as soon as it is there."""
    path = Path(f"{base}.hoi")
    session.save(path)
    yield Exported(path, path.stat().st_size, "the document, with this edit in its history")
    for suffix in EXPORTED:
        with progress_line() as listener:
            files = session.export(f"{base}{suffix}", progress=listener)
        yield from files
    try:
        yield export_picture(drag, Path(f"{base}.png"))
        with progress_line() as listener:
            film = export_film(drag, Path(f"{base}.gif"), listener)
        yield film
    except CannotDraw as problem:
        print(f"the picture and the film are left out: {problem}", file=sys.stderr)
