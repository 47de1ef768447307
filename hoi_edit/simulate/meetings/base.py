"""Two things meet, and both of their chains go on from there."""

from dataclasses import dataclass

from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.trajectory import Event, Span

Entry = tuple[Cursor, Span]


@dataclass(frozen=True, eq=False)
class Meeting:
    """Cursors to be cut, each with the event that it goes on from."""

    events: list[tuple[Cursor, Span, Event]]

    @property
    def time(self) -> float:
        return self.events[0][2].time


def free_spans(cursors: list[Cursor]) -> list[Entry]:
    """All but those in hands, and those that are led past everything."""
    return [
        (cursor, span)
        for cursor in cursors
        for span in cursor.spans
        if not span.in_hand and not (cursor.led and span.flies)
    ]
