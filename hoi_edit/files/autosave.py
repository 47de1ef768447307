"""What a program that dies leaves behind: the document as it last was, beside its file, and who was at work on it.

The autosave of `a.hoi` is `.a.hoi.autosave`, a document like any other. Where nothing can be written beside the file,
in a folder that may only be read say, it lies in the user's cache, under a name that is made of the file's whole path;
so does that of a document without a file. Saving or closing the document removes it, so one that is found is either of
a program that died or of one that still runs, and only the first kind is offered.
"""

import hashlib
import os
import platform
import secrets
import subprocess
from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hoi_edit.files import container
from hoi_edit.files.records import register
from kinematics.cache import cache_folder
from kinematics.errors import HoiError
from kinematics.io.text import save_bytes

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
    older: tuple[Path, ...] = ()  # autosaves of the same document that this one is newer than

    @property
    def in_cache(self) -> bool:
        """Whether it could not be written beside its document, or there is none."""
        return self.file.parent == _cache()

    def read(self) -> dict[str, Any]:
        """The parts of the document as it last was."""
        parts = container.read(self.file)
        parts.pop(OWNER, None)
        return parts

    def discard(self) -> None:
        for file in (*self.older, self.file):
            _remove(file)


class Autosave:
    """The autosave of one open document; `path` is its file, None while it has none."""

    def __init__(self, path: str | os.PathLike[str] | None) -> None:
        name = f"untitled-{secrets.token_hex(8)}.hoi{SUFFIX}"
        self._places = (_cache() / name,) if path is None else _places(path)
        self._owner = Owner.myself()
        # which files are its own: two sessions may have one document
        self._written: dict[Path, tuple[int, ...] | None] = {}

    @property
    def file(self) -> Path:
        """Where it lies, or will."""
        return next(reversed(self._written), self._places[0])

    def take_over(self, left: Recoverable) -> None:
        """What was left there was recovered into this document, so it is its own from now on."""
        self._written = {file: _stamp(file) for file in (*left.older, left.file)}

    def write(self, parts: Mapping[str, Any]) -> None:
        """Replace the autosave, whole or not at all, in the first place where that can be done."""
        data = container.packed(self._places[0], {**parts, OWNER: self._owner})
        problems = []
        for place in self._places:
            try:
                if place.parent == _cache():
                    _make_folder(place.parent)
                save_bytes(place, data)
            except HoiError as error:
                problems.append(str(error))
            else:
                self._written.pop(place, None)  # the latest is the last
                self._written[place] = _stamp(place)
                return
        raise HoiError("; ".join(problems))

    def clear(self) -> None:
        """Remove it: the document was saved, or closed on purpose. What somebody else has written there stays."""
        while self._written:
            file, stamp = self._written.popitem()
            if stamp is not None and stamp == _stamp(file):
                _remove(file)


def recoverable(path: str | os.PathLike[str]) -> Recoverable | None:
    """What a program that died left of the document at `path`, if that is newer than the file: the latest."""
    autosaves = [left for left in map(_left_behind, _places(path)) if left is not None]
    try:
        saved = os.stat(path).st_mtime
        autosaves = [left for left in autosaves if left.written > saved]
    except OSError:  # there is no file: then the autosave is all there is
        pass
    if not autosaves:
        return None
    *older, latest = sorted(autosaves, key=lambda left: left.written)
    return replace(latest, older=tuple(left.file for left in older))


def newer_edits(path: str | os.PathLike[str]) -> Path | None:
    """The autosave of a document, whoever owns it, if it is newer than the file."""
    try:
        saved = os.stat(path).st_mtime
    except OSError:
        return None
    written = {place: place.stat().st_mtime for place in _places(path) if place.exists()}
    newer = [place for place, time in written.items() if time > saved]
    return max(newer, key=written.__getitem__, default=None)


def recoverable_untitled() -> list[Recoverable]:
    """What programs that died left of documents that never had a file, the latest first."""
    files = sorted(_cache().glob(f"untitled-*{SUFFIX}"))
    autosaves = [left for left in map(_left_behind, files) if left is not None]
    return sorted(autosaves, key=lambda left: left.written, reverse=True)


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


def _places(path: str | os.PathLike[str]) -> tuple[Path, Path]:
    """Where the autosave of a document may lie, best first. Its folder is the real one, by whatever way it is named,
    and stays so if the program goes elsewhere."""
    file = Path(path).parent.resolve() / Path(path).name
    mark = hashlib.sha256(os.fsencode(file)).hexdigest()[:32]
    return Path(path).absolute().parent / f".{file.name}{SUFFIX}", _cache() / f"of-{mark}.hoi{SUFFIX}"


def _cache() -> Path:
    return cache_folder().absolute() / "autosave"


def _make_folder(folder: Path) -> None:
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    except OSError as error:
        raise HoiError(f"{folder}: cannot be made: {(error.strerror or str(error)).lower()}") from None


def _stamp(file: Path) -> tuple[int, ...] | None:
    """Tells a file from any other that takes its place; None if there is none."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_dev, status.st_ino, status.st_mtime_ns, status.st_size


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
