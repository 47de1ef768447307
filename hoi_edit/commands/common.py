"""What the commands share: numbers, documents, folders, and a line that tells how far something is."""

import argparse
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import numpy as np

from hoi_edit import scenes
from hoi_edit.editing.progress import Listener, Progress
from hoi_edit.session import EditSession
from kinematics.errors import HoiError


def finite(text: str) -> float:
    value = float(text)
    if not np.isfinite(value):
        raise argparse.ArgumentTypeError(f"{text} is not a number to calculate with")
    return value


def count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def make_folder(folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise HoiError(f"{folder}: results cannot be written there ({error.strerror})") from None


def document(name: str) -> EditSession:
    """A file as it was saved, whatever a crash may have left beside it; or a built-in scene."""
    path = Path(name)
    if path.suffix == ".hoi" or path.exists():
        return EditSession.saved(path)
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
