"""What a program that dies leaves behind: the document as it last was, beside its file, and who was at work on it.

The autosave of `a.hoi` is `.a.hoi.autosave`, a document like any other; that of a document without a file lies in the
user's cache. Saving or closing the document removes it, so one that is found is either of a program that died or of
one that still runs, and only the first kind is offered.
"""

import os
import platform
import secrets
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from hoi_edit.files import container
from hoi_edit.files.records import register
from kinematics.cache import cache_folder
from kinematics.errors import HoiError

SUFFIX = ".autosave"
OWNER = "autosave"  # the part that says who wrote it


@register("autosave owner")
@dataclass(frozen=True)
class Owner:
    """The program that wrote an autosave."""

    process: int
    mark: str | None  # tells the process from a later one of the same number, after a restart of the machine say
    machine: str

    @staticmethod
    def myself() -> "Owner":
        return Owner(os.getpid(), _mark(os.getpid()), platform.node())

    @property
    def runs(self) -> bool:
        """Whether it is still at work on this machine."""
        return self.mark is not None and _mark(self.process) == self.mark


@dataclass(frozen=True)
class Recoverable:
    """An autosave that no running program owns."""

    file: Path
    written: float  # [s] since 1970
    owner: Owner | None = None
    problem: str | None = None  # why it cannot be read, in a sentence; None: it can

    def read(self) -> dict[str, Any]:
        """The parts of the document as it last was."""
        parts = container.read(self.file)
        parts.pop(OWNER, None)
        return parts

    def discard(self) -> None:
        _remove(self.file)


class Autosave:
    """The autosave of one open document; `path` is its file, None while it has none."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        name = f"untitled-{secrets.token_hex(8)}.hoi{SUFFIX}"
        self.file = _beside(path) if path is not None else _untitled_folder() / name
        self._in_cache = path is None
        self._owner = Owner.myself()
        self._written: tuple[int, ...] | None = None  # which file is its own: two sessions may have one document

    def take_over(self) -> None:
        """What lies there was recovered into this document, so it is its own from now on."""
        self._written = _stamp(self.file)

    def write(self, parts: Mapping[str, Any]) -> None:
        """Replace the autosave, whole or not at all."""
        if self._in_cache:
            _make_folder(self.file.parent)
        container.write(self.file, {**parts, OWNER: self._owner})
        self._written = _stamp(self.file)

    def clear(self) -> None:
        """Remove it: the document was saved, or closed on purpose. What somebody else has written there stays."""
        if self._written is not None and self._written == _stamp(self.file):
            _remove(self.file)
        self._written = None


def recoverable(path: str | os.PathLike[str]) -> Recoverable | None:
    """What a program that died left of the document at `path`, if that is newer than the file."""
    left = _left_behind(_beside(path))
    try:
        saved = os.stat(path).st_mtime
    except OSError:  # there is no file: then the autosave is all there is
        return left
    return left if left is not None and left.written > saved else None


def newer_edits(path: str | os.PathLike[str]) -> Path | None:
    """The autosave beside a document, whoever owns it, if it is newer than the file."""
    beside = _beside(path)
    try:
        return beside if beside.stat().st_mtime > os.stat(path).st_mtime else None
    except OSError:
        return None


def recoverable_untitled() -> list[Recoverable]:
    """What programs that died left of documents that never had a file, the latest first."""
    files = sorted(_untitled_folder().glob(f"untitled-*{SUFFIX}"))
    found = [left for left in map(_left_behind, files) if left is not None]
    return sorted(found, key=lambda left: left.written, reverse=True)


def _left_behind(file: Path) -> Recoverable | None:
    """The autosave in `file`, unless there is none or its owner is still at work on it."""
    try:
        written = file.stat().st_mtime
    except OSError:
        return None
    try:
        owner = container.read(file).get(OWNER)
    except HoiError as error:
        return Recoverable(file, written, problem=str(error))
    if not isinstance(owner, Owner):
        return Recoverable(file, written)
    return None if owner.runs else Recoverable(file, written, owner)


def _beside(path: str | os.PathLike[str]) -> Path:
    return Path(path).parent / f".{Path(path).name}{SUFFIX}"


def _untitled_folder() -> Path:
    return cache_folder() / "autosave"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise HoiError(f"{folder}: cannot be made: {(error.strerror or str(error)).lower()}") from None


def _stamp(file: Path) -> tuple[int, ...] | None:
    """Tells a file from any other that takes its place; None if there is none."""
    try:
        found = file.stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_mtime_ns, found.st_size


def _remove(file: Path) -> None:
    try:
        file.unlink(missing_ok=True)
    except OSError as error:
        raise HoiError(f"{file}: cannot be removed: {(error.strerror or str(error)).lower()}") from None


def _mark(process: int) -> str | None:
    """When a process started, as the system tells it; None if none of this number runs."""
    if Path("/proc/self/stat").exists():
        try:
            boot = Path("/proc/sys/kernel/random/boot_id").read_text().strip()
            # the program's name, in parentheses, may have blanks in it; after it the 20th word is the start
            return f"{boot} {Path(f'/proc/{process}/stat').read_text().rpartition(')')[2].split()[19]}"
        except (OSError, IndexError):
            return None
    ask = ["ps", "-o", "lstart=", "-p", str(process)]
    neutral = {**os.environ, "LC_ALL": "C", "TZ": "UTC"}  # the same answer to whoever asks
    answer = subprocess.run(ask, env=neutral, capture_output=True, text=True, check=False)
    return answer.stdout.strip() or None
