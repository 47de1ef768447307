"""Folders and files as a dialog lists them: what there is, in which order, what is meant by what is typed."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

DOCUMENTS = (".hoi",)
MOST_PLACES = 10
Column = Literal["name", "size", "modified"]


@dataclass(frozen=True)
class Item:
    """A folder or a file."""

    path: Path
    is_folder: bool
    size: int = 0  # [bytes]
    modified: float = 0.0  # [s]

    @property
    def name(self) -> str:
        return self.path.name

    @property
    def size_words(self) -> str:
        if self.is_folder:
            return ""
        return f"{self.size / 1e6:.1f} MB" if self.size >= 1_000_000 else f"{max(1, round(self.size / 1e3))} kB"

    @property
    def modified_words(self) -> str:
        return time.strftime("%Y-%m-%d  %H:%M", time.localtime(self.modified)) if self.modified else ""


def inside(folder: Path, suffixes: tuple[str, ...] = DOCUMENTS) -> list[Item]:
    """Folders, and files of some kinds; what cannot be looked at is passed over, and so is what is hidden."""
    try:
        paths = list(folder.iterdir())
    except OSError:
        return []
    items = []
    for path in paths:
        try:
            is_folder = path.is_dir()
            if not path.name.startswith(".") and (is_folder or (path.suffix.lower() in suffixes and path.is_file())):
                known = path.stat()
                items.append(Item(path, is_folder, known.st_size, known.st_mtime))
        except OSError:  # gone by now, or not ours to look at
            continue
    return items


def ordered(items: Sequence[Item], column: Column = "name", falling: bool = False) -> list[Item]:
    """Folders first, whatever they are ordered by; of equals by name."""
    keys = {"name": lambda item: 0, "size": lambda item: item.size, "modified": lambda item: item.modified}
    listed = sorted(items, key=lambda item: item.name.lower(), reverse=falling and column == "name")
    if column != "name":
        listed.sort(key=keys[column], reverse=falling)
    return [item for item in listed if item.is_folder] + [item for item in listed if not item.is_folder]


def matching(items: Sequence[Item], typed: str) -> list[Item]:
    """Those with what was typed in their names."""
    wanted = typed.strip().lower()
    return [item for item in items if wanted in item.name.lower()]


def shortcuts(recent: Sequence[Path] = ()) -> list[tuple[str, Path]]:
    """Folders that are a click away: the user's own, the one the program works in by its name, and recent ones."""
    home, here = Path.home(), Path.cwd()
    labels = {home: "Home"}
    for name in ("Documents", "Desktop"):
        if (home / name).is_dir():
            labels[home / name] = name
    labels.setdefault(here, here.name or str(here))
    for folder in recent:
        if folder.is_dir():
            labels.setdefault(folder, folder.name or str(folder))
    return [(label, path) for path, label in labels.items()][:MOST_PLACES]


def went_to(folder: Path, typed: str) -> tuple[Path | None, str | None]:
    """The folder that a typed path leads to, and why it does not; of a file, the folder that it is in."""
    path = Path(typed.strip()).expanduser()
    path = path if path.is_absolute() else folder / path
    if path.is_file():
        return path.parent, None
    return (path.resolve(), None) if path.is_dir() else (None, f"There is no folder {path}.")


def new_folder(folder: Path, name: str) -> tuple[Path | None, str | None]:
    """Make one; why that failed."""
    wanted = name.strip()
    if not wanted or "/" in wanted or wanted in (".", ".."):
        return None, "Give the folder a name, without a slash."
    try:
        (folder / wanted).mkdir()
    except FileExistsError:
        return None, f"There is a {wanted} already."
    except OSError as error:
        return None, f"{wanted} cannot be made here ({(error.strerror or str(error)).lower()})."
    return folder / wanted, None


def resolved(folder: Path, name: str, saving: bool, suffixes: tuple[str, ...] = DOCUMENTS) -> tuple[Path, str | None]:
    """The file that is meant, and what is wrong with it."""
    if not name.strip():
        return folder, "Give it a name." if saving else "Choose a file."
    path = Path(name.strip()).expanduser()
    path = path if path.is_absolute() else folder / path
    if path.suffix.lower() not in suffixes:
        path = path.with_name(path.name + suffixes[0])
    if not saving and not path.exists():
        return path, f"There is no {path.name} in {path.parent}."
    if saving and not path.parent.is_dir():
        return path, f"There is no folder {path.parent}."
    return path, None
