"""What a kind of span is: how things move between two events, how they get to the next one, and the way back.

A span is named by some numbers where it begins: a flight by its state, a hold by place and turn in the hand, contact by
when it begins and how the ball lies there. A kind says what follows from these, and carries covectors back to them.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hoi_edit.simulate.context import Context
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.simulate.variations import PLACE, TURN
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, left_jacobian

if TYPE_CHECKING:
    from hoi_edit.simulate.accumulator import Accumulator, StateCovectors
    from hoi_edit.simulate.cursor import Cursor
    from hoi_edit.simulate.run import Run

_WAYPOINT = np.r_[STATE.slices["position"], STATE.slices["velocity"]]


class SpanKind(ABC):
    touches = True  # a contact that is prescribed may end it
    impact_mechanism = "impact"  # in `tables.EVENTS`: an impact that ends it; and bounces that are summed up at its end
    settling_mechanism = "settling"

    # -- forward -------------------------------------------------------------------------------------------------------

    @abstractmethod
    def advance(self, run: "Run", cursors: "list[Cursor]") -> None:
        """Every cursor to its next event, or nearer to it."""

    def touch_at(self, run: "Run", cursor: "Cursor", surface: int, time: float) -> Floats:
        """STRUCK row of a ball and a surface at a time, wherever the two are by then."""
        raise NotImplementedError(type(self).__name__)

    def go_on(self, run: "Run", cursor: "Cursor", span: Span, after: Floats, meant: bool) -> None:
        """What a thing does, in a state after something has struck it in such a span."""
        run.take_off(cursor, after)

    def leaving(self, cursor: "Cursor", span: Span, event: Event) -> Event:
        """A meeting that ends such a span, as it leaves what it was on."""
        return event

    @abstractmethod
    def state(self, context: Context, span: Span, t: float) -> Floats:
        """The packed state (18,) at a time, be it within the span or not."""

    @abstractmethod
    def state_and_rates(self, context: Context, span: Span, t: float) -> tuple[Floats, Floats]:
        """The same, and the acceleration and angular acceleration then (6,)."""

    def states(self, context: Context, span: Span, times: Floats) -> Floats:
        """(N, 18) at many times."""
        return np.stack([self.state(context, span, float(t)) for t in times])

    def positions(self, context: Context, span: Span, times: Floats) -> Floats:
        """(N, 3) at many times."""
        return self.states(context, span, times)[:, STATE.slices["position"]]

    def waypoints(self, context: Context, span: Span) -> Floats:
        """(K, 7) times, places and velocities between which the way is a cubic."""
        times = np.array([span.start, span.end])
        return np.column_stack([times, self.states(context, span, times)[:, _WAYPOINT]])

    def defect(self, context: Context, event: Event, span: Span) -> Floats:
        """What an event gave, less the node's span that follows it: zero where a chain is continuous."""
        raise NotImplementedError(type(self).__name__)

    @abstractmethod
    def fastest(self, context: Context, span: Span) -> float:
        """A bound on how fast any point of the thing is in the span [m/s]."""

    # -- back ----------------------------------------------------------------------------------------------------------

    @abstractmethod
    def back(self, accumulator: "Accumulator", asked: "Sequence[StateCovectors]") -> None:
        """Covectors on states at times of spans of this kind, to where those begin."""

    @abstractmethod
    def onto(self, accumulator: "Accumulator", name: str, k: int, rows: Ints, on: Floats) -> Floats:
        """Covectors (R, 13) on the state just after event k and its delay, of covectors on the span that it begins."""

    def outcome_back(self, context: Context, event: Event, span: Span, on: Floats) -> Floats:
        """Covectors on what names the span, of covectors (R, 12) on what the event before it gave, at a fixed time."""
        return on

    def start_back(self, accumulator: "Accumulator", name: str, rows: Ints, on: Floats) -> None:
        """Covectors on the span that a thing starts with, to the controls of its start."""
        accumulator.add(f"{name}.position", rows, on[:, PLACE])
        turn = accumulator.context.controls.starts[name].turn
        # a rotation vector on top of the scene's rotation: its left Jacobian takes it to a turn in the world
        accumulator.add(f"{name}.turn", rows, on[:, TURN] @ left_jacobian(np.asarray(turn, float)))
