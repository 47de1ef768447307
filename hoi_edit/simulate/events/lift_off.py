"""The normal force would pull: a ball that rolled or slid flies."""

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.dynamics.rolling_adjoint import base_of, leave_back, split
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats


class LiftOff(EventKind):
    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        span, context = accumulator.span(name, k), accumulator.context
        back = leave_back(base_of(context, span), span, name in context.world.airs, on)
        accumulator.leave_at(name, k, rows, split(accumulator, back, span, rows))
