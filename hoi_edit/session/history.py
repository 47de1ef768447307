"""`History`: the steps of a document, which of them is shown, and what undo, redo and an edit make of that: values."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from hoi_edit.edit.document import OPEN, Call, Document, Step, written


@dataclass(frozen=True, eq=False)
class History:
    """Documents are immutable, so a step is a reference, and there is no limit to undo."""

    steps: tuple[Step, ...]  # oldest first, those that were undone included
    now: int = 0  # the one that is shown

    @staticmethod
    def opened(document: Document, source: str | None, reading: Mapping[str, Any] | None = None) -> "History":
        """A new one; `reading` is what was said about reading the clip that it is of."""
        return History((Step(OPEN, Call(OPEN, {"scene": source, **(reading or {})}), document),))

    @property
    def step(self) -> Step:
        return self.steps[self.now]

    @property
    def document(self) -> Document:
        return self.step.document

    @property
    def is_newest(self) -> bool:
        """Whether nothing was undone that an edit would lose."""
        return self.now + 1 == len(self.steps)

    def done(self, step: Step) -> "History":
        """With another step; what was undone before is lost."""
        return History((*self.steps[: self.now + 1], step), self.now + 1)

    def instead(self, step: Step) -> "History":
        """With another step in the place of the one that is shown."""
        return History((*self.steps[: self.now], step), self.now)

    def undone(self) -> "History | None":
        """One step back; None if there is none."""
        return None if self.now == 0 else replace(self, now=self.now - 1)

    def redone(self) -> "History | None":
        """One step forward again; None if there is none."""
        return None if self.is_newest else replace(self, now=self.now + 1)

    def script(self, file: Path | None) -> str:
        """The steps so far, as Python that runs by itself once they are in a file, or began with a name."""
        reading = dict(self.steps[0].call.arguments)
        source = reading.pop("scene")
        lines = ["import hoi_edit as hoi", ""]
        if source is not None:
            said = "".join(f", {name}={written(value)}" for name, value in reading.items())
            lines.append(f"session = hoi.open({written(source)}{said})")
        else:
            lines += [self._own_scene(file), "session = hoi.open(scene)"]
        lines += [str(step.call) for step in self.steps[1 : self.now + 1]]
        return "\n".join(lines) + "\n"

    def _own_scene(self, file: Path | None) -> str:
        """What `scene` is in a script, where it was made and not named."""
        if file is None:
            name = self.steps[0].document.scene.name
            return f"# scene has to be the hoi.Scene {name!r} that was opened; once it is saved, its file is named here"
        opened = f"hoi.EditSession.saved({written(str(file))})"
        return f"scene = {opened}.history[0].document.scene  # as it was before the edits"
