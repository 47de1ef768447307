"""What a simulation is told of its families of spans and events (`tables` has those that there are)."""

from collections.abc import Callable, Mapping, Sequence
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from hoi_edit.simulate.cursor import Cursor
    from hoi_edit.simulate.events.base import EventKind
    from hoi_edit.simulate.meetings.base import Meeting
    from hoi_edit.simulate.run import Run
    from hoi_edit.simulate.spans.base import SpanKind

MeetingSearch = Callable[["Run", "list[Cursor]", float], "Meeting | None"]


class Families(NamedTuple):
    spans: "Mapping[str, SpanKind]"  # by `Span.kind`
    events: "Mapping[str, EventKind]"  # by `Event.mechanism`
    meetings: Sequence[MeetingSearch]
