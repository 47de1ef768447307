"""What a kind of event is: when it comes about by itself, and how derivatives go back through it.

Most events are found where things touch: by what advances a kind of span, or by a search for meetings. What follows is
then for the kind's own functions to say; they name the kind in `Event.mechanism`: nothing has to be decided again.
"""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np

from hoi_edit.scene import Scene
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.trajectory import Chain
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats

if TYPE_CHECKING:
    from hoi_edit.simulate.accumulator import Accumulator
    from hoi_edit.simulate.cursor import Cursor
    from hoi_edit.simulate.local_jacobians import LocalJacobians
    from hoi_edit.simulate.run import Run

Which = tuple[str, int]  # a thing, and which of its events


class EventKind(ABC):
    grows = True  # offsets grow by it: rows that have grown too large name it
    is_timed = False  # it happens by itself, when it is `due`

    # -- forward -------------------------------------------------------------------------------------------------------

    def due(self, run: "Run", cursor: "Cursor") -> float:
        """When a timed event happens to a thing, whatever that touches; inf if it does not."""
        return np.inf

    def may_happen(self, scene: Scene) -> bool:
        """Whether a timed event can happen in a scene at all: where it cannot, nobody is kept asking."""
        return True

    def happen(self, run: "Run", cursors: "Sequence[Cursor]") -> None:
        """End each cursor's span when it is due, and begin what follows."""
        raise NotImplementedError(type(self).__name__)

    def state_before(self, context: Context, chain: Chain, k: int, t: float) -> Floats:
        """The state between the touch that the event is and its time, for those that take some time."""
        return context.state_in(chain.spans[k], t)

    # -- back ----------------------------------------------------------------------------------------------------------

    @abstractmethod
    def back(self, accumulator: "Accumulator", name: str, k: int, rows: Ints, on: Floats) -> None:
        """From covectors on the span after event k to covectors on the span before it, and on what else it needs."""

    def local_jacobians(self, jacobians: "LocalJacobians", asked: Sequence[Which]) -> dict[Which, Floats]:
        """What `back` wants made in one batch for all events of the kind; nothing, if it works event by event."""
        return {}

    def outcome_by_time(self, jacobians: "LocalJacobians", name: str, k: int) -> Floats:
        """How what a prescribed contact gives changes with the time at which it is prescribed."""
        raise TypeError(f"an event by {jacobians.event(name, k).mechanism!r} cannot be prescribed")

    def back_from_before(
        self, accumulator: "Accumulator", name: str, k: int, time: float, rows: Ints, on: Floats
    ) -> None:
        """From covectors on a state between the touch and the event's time."""
        accumulator.state_back(name, k, time, rows, on)
