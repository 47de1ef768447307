"""Files that leave: which ones somebody wants, and the thread that writes them while the window goes on."""

from __future__ import annotations

import sys
import threading
import traceback
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any, Literal

import hoi_edit as hoi
from hoi_edit.export import FORMATS, ffmpeg
from hoi_edit.export.pictures import CAMERA, LEAST_PIXELS, MOST_PIXELS
from ui.view.camera import Camera
from ui.words.names import sentence

State = Literal["waiting", "writing", "written", "failed", "cancelled"]
TITLES = {
    ".glb": "Scene for Blender and others (.glb)",
    ".bvh": "Motion of each person (.bvh)",
    ".csv": "Tracks of things, a table (.csv)",
    ".npz": "Tracks of things, arrays (.npz)",
    ".json": "Contact events (.json)",
    ".png": "Contact sheet (.png)",
    ".gif": "Short film (.gif)",
    ".mp4": "Film (.mp4)",
}

FILMS = (".gif", ".mp4")


def camera_of(camera: Camera) -> dict[str, Any]:
    """A camera as `export` is told of it."""
    return {name: value for name, value in asdict(camera).items() if name in CAMERA}


def missing() -> dict[str, str]:
    """Formats that cannot be written here, and why."""
    try:
        ffmpeg.program(Path("film.mp4"))
    except hoi.HoiError:
        return {".mp4": "needs ffmpeg, or imageio-ffmpeg in hoi-edit's Python; neither is there"}
    return {}


@dataclass(frozen=True)
class Row:
    """One file of an export."""

    path: Path
    state: State = "waiting"
    share: float = 0.0  # that is done
    words: str = ""


@dataclass(frozen=True)
class Wish:
    """What somebody wants to export, as a dialog has it."""

    folder: str
    name: str
    suffixes: tuple[str, ...]
    start: float | None = None
    end: float | None = None
    edited: bool = True
    size: tuple[int, int] | None = None  # [px] of films; None: as large as they are by themselves
    camera: Mapping[str, Any] | None = None  # of films; None: one that has everything in view

    def paths(self) -> tuple[Path, ...]:
        stem = self.name.strip()
        if Path(stem).suffix.lower() in FORMATS:
            stem = stem[: -len(Path(stem).suffix)]
        return tuple(Path(self.folder).expanduser() / f"{stem}{suffix}" for suffix in self.suffixes)

    def problem(self) -> str | None:
        """What keeps it from being exported, in a sentence."""
        if not self.name.strip():
            return "Give it a name."
        if "/" in self.name or "\\" in self.name:
            return "A name has no slashes; the folder has a line of its own."
        if not self.suffixes:
            return "Choose what to write."
        if self.size is not None and not all(LEAST_PIXELS <= side <= MOST_PIXELS for side in self.size):
            return f"Films are from {LEAST_PIXELS} to {MOST_PIXELS} pixels wide and high."
        if not Path(self.folder).expanduser().is_dir():
            return f"There is no folder {self.folder}."
        return None

    def replaces(self) -> list[str]:
        """Names of files that are there already."""
        return [path.name for path in self.paths() if path.exists()]

    def film(self) -> dict[str, Any]:
        """Options of films alone."""
        chosen = {"size": self.size, "camera": self.camera}
        return {name: value for name, value in chosen.items() if value is not None}

    def options(self) -> dict[str, Any]:
        options: dict[str, Any] = {} if self.edited else {"edited": False}
        if self.start is not None and self.end is not None:
            options |= {"start": self.start, "end": self.end}
        return options


class Exporting:
    """Files of a session that nobody else uses, written one after the other. `rows` is replaced, never changed."""

    def __init__(
        self, session: hoi.EditSession, paths: Sequence[Path], options: dict[str, Any] | None = None,
        film: dict[str, Any] | None = None,
    ) -> None:  # fmt: skip
        """`options` are for all of them, `film` for those that are films."""
        self.rows = tuple(Row(path) for path in paths)
        self.done = False
        self._cancelled = False
        self._session, self._options, self._film = session, options or {}, film or {}
        self._thread = threading.Thread(target=self._run, name="export", daemon=True)
        self._thread.start()

    def cancel(self) -> None:
        """Stop at the next step; files that are whole stay, one that is half there is not left behind."""
        self._cancelled = True

    def wait(self, seconds: float) -> bool:
        self._thread.join(seconds)
        return self.done

    @property
    def summary(self) -> tuple[Literal["good", "info", "warning"], str]:
        """What became of it, for the line below."""
        written = [row.path.name for row in self.rows if row.state == "written"]
        failed = [row for row in self.rows if row.state == "failed"]
        words = f"Exported {', '.join(written)}." if written else "Nothing was exported."
        if failed:
            return "warning", f"{words} {failed[0].words}"
        return ("info", f"{words} The rest was cancelled.") if self._cancelled else ("good", words)

    def _run(self) -> None:
        for k in range(len(self.rows)):
            if self._cancelled:
                self._set(k, state="cancelled", words="not written")
                continue
            self._set(k, state="writing")
            self._write(k)
        self.done = True

    def _write(self, k: int) -> None:
        path = self.rows[k].path

        def listen(progress: hoi.Progress) -> bool:
            self._set(k, share=progress.step / max(progress.of, 1))
            return not self._cancelled

        try:
            film = self._film if path.suffix.lower() in FILMS else {}
            files = self._session.export(path, listen, **self._options, **film)
        except hoi.Cancelled:
            self._set(k, state="cancelled", words="not written")
        except hoi.HoiError as error:
            self._set(k, state="failed", words=sentence(str(error)))
        except OSError as error:
            self._set(k, state="failed", words=f"{path.name}: {(error.strerror or str(error)).lower()}.")
        except Exception as error:  # one format that breaks must not take the others along
            traceback.print_exc(file=sys.stderr)
            self._set(k, state="failed", words=f"{path.name} failed inside the program ({type(error).__name__}).")
        else:
            words = "; ".join(f"{size(file.size)}, {file.contents}" for file in files)
            self._set(k, state="written", share=1.0, words=words)

    def _set(self, k: int, **changes: Any) -> None:
        self.rows = (*self.rows[:k], replace(self.rows[k], **changes), *self.rows[k + 1 :])


def size(count: int) -> str:
    """Of a file, in words."""
    return f"{count / 1e6:.1f} MB" if count >= 1_000_000 else f"{max(1, round(count / 1e3))} kB"
