"""What the commands share: numbers, documents, folders, and a line that tells how far something is."""

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import numpy as np

from hoi_edit import scenes
from hoi_edit.edit.additions import CLIPS, scene_of
from hoi_edit.edit.progress import Listener, Progress
from hoi_edit.files import newer_edits
from hoi_edit.session import EditSession
from kinematics.errors import HoiError


def whole(text: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no whole number") from None


def finite(text: str) -> float:
    try:
        value = float(text)
    except ValueError:
        raise argparse.ArgumentTypeError(f"{text!r} is no number") from None
    if not np.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a number to calculate with")
    return value


def say_that_it_compiles() -> None:
    """For commands that would else begin with a minute of silence on a new machine."""
    print("working; the first time on a machine, a minute or two goes into compiling", file=sys.stderr, flush=True)


def has_screen() -> bool:
    return sys.platform == "darwin" or bool(os.environ.get("DISPLAY") or os.environ.get("WAYLAND_DISPLAY"))


def make_folder(folder: Path) -> None:
    if folder.suffix == ".hoi" or folder.is_file():
        raise HoiError(f"{folder}: results go into a folder, under names of their own, and this is the name of a file")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HoiError(f"{folder}: results cannot be written there ({error.strerror})") from None
    if not os.access(folder, os.W_OK | os.X_OK):
        raise HoiError(f"{folder}: results cannot be written there (it is read-only)")


@contextmanager
def results_folder(folder: Path) -> Iterator[None]:
    """A folder that is made at once, so that one that cannot be is told before the work; if the work fails, what was
    made for nothing is taken away again."""
    new = [path for path in (folder, *folder.parents) if not path.exists()]
    make_folder(folder)
    try:
        yield
    except BaseException:
        for path in new:  # the innermost first
            with suppress(OSError):  # somebody has put something into it
                path.rmdir()
        raise


def document(name: str) -> EditSession:
    """A file as it was saved, whatever a crash may have left beside it; a clip in a scene of its own; or a built-in
    scene."""
    path = Path(name)
    if name.lower().endswith(CLIPS):
        return EditSession(scene_of(path), name)
    if path.suffix == ".hoi" or path.exists():
        session, left = EditSession.saved(path), newer_edits(path)
        if left is not None:
            where = f"beside it, in {left.name}" if left.parent == path.absolute().parent else f"in {left}"
            words = f"newer edits that were not saved lie {where}; this is the file without them"
            print(f"{path}: {words}", file=sys.stderr)
        return session
    return EditSession(scenes.build(name), name)


@contextmanager
def progress_line() -> Iterator[Listener | None]:
    """Tells on a terminal how far something is, in one line that is gone afterwards; elsewhere nobody listens."""
    if not sys.stderr.isatty():
        yield None
        return

    def say(progress: Progress) -> None:
        print(f"\r\033[K{progress.what}: {progress.step} of {progress.of}", end="", file=sys.stderr, flush=True)

    try:
        yield say
    finally:
        print("\r\033[K", end="", file=sys.stderr, flush=True)
