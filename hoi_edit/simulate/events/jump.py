"""A stretch did not reach the node of the next one: nothing before it counts."""

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats


class Jump(EventKind):
    grows = False

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        pass
