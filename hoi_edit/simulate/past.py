"""What is taken over from an earlier run: then the cost of a step does not depend on the length of the clip."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

from hoi_edit.simulate.chain_assembly import Around
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.world import PoseTable


@dataclass(frozen=True, eq=False)
class Segments:
    """The stretches that all chains of a run are made of: from each thing's start, and from each node."""

    cursors: Mapping[str, Sequence[Cursor]]
    cuts: Mapping[str, Sequence[int]]  # where in each thing's plan a stretch ends and the next begins


@dataclass(frozen=True, eq=False)
class Past:
    """A run whose stretches are the same as ever but for those within start..end."""

    segments: Segments
    start: float
    end: float
    table: PoseTable | None = None  # where everybody was, if that run has looked at it
    ends: Mapping[str, float] = field(default_factory=dict)  # from when on nobody asks what becomes of a thing

    @cached_property
    def changed(self) -> dict[str, list[int]]:
        """Which parts of each thing's chain are not the same."""
        return {
            name: [k for k, cursor in enumerate(cursors) if self.touches(cursor.began, cursor.limit)]
            for name, cursors in self.segments.cursors.items()
        }

    @cached_property
    def around(self) -> dict[str, Around]:
        """What of each thing's chain is the same."""
        return {name: Around.of(cursors, self.changed[name]) for name, cursors in self.segments.cursors.items()}

    def touches(self, begin: float, end: float) -> bool:
        """Whether a stretch is not the same."""
        return begin < self.end and end > self.start
