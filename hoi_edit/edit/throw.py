"""Throw there: a drag of the flight that a release begins, at any time, be that flight over by then or not."""

from typing import Any

from hoi_edit.constraints.pin import Drag
from hoi_edit.edit.document import Call
from hoi_edit.edit.gesture import Gesture


class Throwing(Gesture):
    """Of what a contact holds."""

    def __init__(self, session: Any, contact: str, thing: str, t: float) -> None:
        self.contact = contact
        super().__init__(session, thing, t)

    def _take_hold(self) -> None:
        seen = self.origin.rollout
        self.after = f"{self.contact}:release"
        span = seen.span_index(self.name, self.t, self.after)
        self.start = seen.state_in(self.name, self.t, span)
        self.target, self._more = self.start.position, {}
        Drag(self.name, self.t, self.target, after=self.after).check(seen)

    @property
    def label(self) -> str:
        return f"throw after {self.contact}"

    @property
    def call(self) -> Call:
        return Call("throw", {"contact": self.contact, "t": self.t, "to": self.target, **self._way})
