"""What leaves the program as a file, by suffix. Every file is read again and compared with the scene before it takes
its place; docs/EXPORT.md says what is in each."""

import inspect
import os
from collections.abc import Callable
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hoi_edit.edit.progress import Listener
from hoi_edit.export.base import Draft, Exported, Take, publish
from hoi_edit.reporting.words import unsolved
from hoi_edit.scene.arguments import is_number
from kinematics.errors import HoiError, unknown

if TYPE_CHECKING:
    from hoi_edit.session.open_document import OpenDocument

__all__ = ["FORMATS", "Exported", "export", "suffixes"]

Writer = Callable[..., list[Draft]]  # (take, path, *, options of its own)
COMMON = ("rate", "start", "end", "edited")


@dataclass(frozen=True)
class Format:
    """What a suffix stands for, and where its writer is: some take long to import, and few are used at once."""

    about: str
    module: str
    function: str

    def writer(self) -> Writer:
        writer: Writer = getattr(import_module(f"hoi_edit.export.{self.module}"), self.function)
        return writer


FORMATS: dict[str, Format] = {
    ".bvh": Format("the motion of each character, in its file's own form", "bvh_export", "bvh_drafts"),
    ".csv": Format("tracks of things, a row per thing and time", "tracks", "csv_drafts"),
    ".npz": Format("tracks of things, as arrays", "tracks", "npz_drafts"),
    ".json": Format("contact events", "events", "json_drafts"),
    ".glb": Format("bodies, things and their animation, for Blender and others", "glb", "glb_drafts"),
    ".png": Format("a contact sheet", "pictures", "png_drafts"),
    ".gif": Format("a short film", "pictures", "gif_drafts"),
    ".mp4": Format("a film; needs ffmpeg", "pictures", "mp4_drafts"),
}


def suffixes() -> str:
    return ", ".join(FORMATS)


def export(
    session: "OpenDocument", path: str | os.PathLike[str], progress: Listener | None = None, **options: Any
) -> tuple[Exported, ...]:
    """Write a session's scene into a file, or several, by the suffix of its name."""
    target = Path(path)
    form = FORMATS.get(target.suffix.lower())
    if form is None:
        suffix = f"the suffix {target.suffix!r}" if target.suffix else "no suffix"
        raise HoiError(f"{target}: expected a name ending in one of {suffixes()}, found {suffix}")
    if not target.parent.is_dir():
        raise HoiError(f"{target}: there is no folder {target.parent}")
    writer = form.writer()
    writer_options = tuple(inspect.signature(writer).parameters)[2:]
    for name in options:
        if name not in (*COMMON, *writer_options):
            raise HoiError(f"{target}: {unknown(f'option of {target.suffix}', name, (*COMMON, *writer_options))}")
    take = _take(session, target, progress, **{name: options.pop(name) for name in COMMON if name in options})
    return publish(writer(take, target, **options), unsolved(take.scene))


def _take(
    session: "OpenDocument",
    path: Path,
    listener: Listener | None,
    rate: float | None = None,
    start: float | None = None,
    end: float | None = None,
    edited: bool = True,
) -> Take:
    """Muting is for looking: what is written is the edited scene, unless it is to be the one before the edits."""
    rollout = session.iterate.rollout if edited else session.source
    scene = rollout.model.scene
    for what, value in (("rate", rate), ("start", start), ("end", end)):
        if value is not None and not is_number(value):
            raise HoiError(f"{path}: the {what} is {value!r}; it must be a finite number")
    if rate is not None and not rate > 0:
        raise HoiError(f"{path}: a rate of {rate:g} Hz was asked for; it must be positive")
    first, last = scene.start if start is None else float(start), scene.end if end is None else float(end)
    if not first < last:
        raise HoiError(f"{path}: {first:g} s to {last:g} s was asked for; the end must come after the start")
    if not scene.start - 1e-9 <= first < last <= scene.end + 1e-9:
        raise HoiError(
            f"{path}: {first:g} s to {last:g} s was asked for; the scene runs from {scene.start:g} s to {scene.end:g} s"
        )
    before = session.source if edited and session.now > 0 else None
    whole = start is None and end is None
    return Take(rollout, before, first, last, rate, whole, f"export {path.name}", listener)
