"""What all formats share: the scene that is written, and files that are read again before they take their place."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from hoi_edit.edit.progress import Listener, Progress, tell
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene
from kinematics.errors import HoiError
from kinematics.io.text import Staged, stage_bytes
from kinematics.rotation import Floats

MOST_SAMPLES = 1_000_000


@dataclass(frozen=True, eq=False)
class Take:
    """What is written: a rollout, from when to when, how often; and the rollout before the edits, to draw beside it."""

    rollout: Rollout
    before: Rollout | None  # None where nothing was edited
    start: float  # [s]
    end: float
    rate: float | None  # [Hz]; None: what the format takes by itself
    whole: bool  # nobody asked for a part of it
    what: str  # for whoever listens
    listener: Listener | None = None

    @property
    def scene(self) -> Scene:
        return self.rollout.model.scene

    def times(self, rate: float) -> Floats:
        """Samples from the start on, the last one not after the end."""
        count = int(np.floor((self.end - self.start) * rate * (1 + 1e-9))) + 1
        if count > MOST_SAMPLES:
            raise HoiError(f"{self.what}: {count} samples were asked for; at most {MOST_SAMPLES} make sense")
        # at times that the scene knows: a rounding error must not lie after its end
        return np.minimum(self.start + np.arange(count) / rate, self.end)

    def tell(self, step: int, of: int) -> None:
        """One step is done; whoever listens may stop it here."""
        tell(self.listener, Progress(self.what, step, of, float("nan")))


@dataclass(frozen=True, eq=False)
class Draft:
    """A file to be: its bytes, and how to read them again and compare them with the scene.

    `check` is given the finished file under another name. It raises where the file is not what it should be, and else
    says what is in it.
    """

    path: Path
    data: bytes
    check: Callable[[Path], str]


@dataclass(frozen=True)
class Exported:
    """A file that was written and found to be right."""

    path: Path
    size: int  # [bytes]
    contents: str
    notes: tuple[str, ...] = ()  # what whoever reads it should know about the scene

    def __str__(self) -> str:
        size = f"{self.size / 1e6:.1f} MB" if self.size >= 1_000_000 else f"{max(1, round(self.size / 1e3))} kB"
        return "; note: ".join([f"{self.path} ({size}): {self.contents}", *self.notes])


def publish(drafts: Sequence[Draft], notes: tuple[str, ...] = ()) -> tuple[Exported, ...]:
    """Write all files, read them all again, and only then let them take their places: all of them or none."""
    staged: list[Staged] = []
    try:
        written = []
        for draft in drafts:
            staged.append(stage_bytes(draft.path, draft.data))
            summary = _checked(draft, Path(staged[-1].temporary))
            written.append(Exported(draft.path, len(draft.data), summary, notes))
        for file in staged:
            file.publish()
        return tuple(written)
    except BaseException:
        for file in staged:
            file.discard()
        raise


def _checked(draft: Draft, written: Path) -> str:
    require(written.read_bytes() == draft.data, draft.path, "bytes differ")
    try:
        return draft.check(written)
    except HoiError:
        raise
    except Exception as error:  # readers of other people's formats raise what they like
        why = " ".join(str(error).split()) or type(error).__name__
        raise HoiError(f"{draft.path}: it was written, but cannot be read again: {why}; it was not kept") from error


def require(holds: bool, path: Path, what: str) -> None:
    """Part of a check: that what was read again is what was written."""
    if not holds:
        raise HoiError(f"{path}: it was read again and is not what the scene is: {what}; it was not kept")
