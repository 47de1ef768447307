"""A stretch of contact goes over into another: from sliding to rolling or back, over an edge of the surface, or
just into the next chunk of the same."""

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.dynamics.rolling_adjoint import base_of, on_back, split
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats


class RollingTransition(EventKind):
    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        span = accumulator.span(name, k)
        back = on_back(base_of(accumulator.context, span), span, on)
        accumulator.leave_at(name, k, rows, split(accumulator, back, span, rows))


class NextChunk(RollingTransition):
    grows = False
