"""A drag with the mouse: begun, moved many times, and then one step of the history, or none."""

from typing import TYPE_CHECKING, Any

import numpy as np

from hoi_edit.constraints.pin import Drag
from hoi_edit.editing.point import Point
from hoi_edit.editing.solve import Kept, Report, Solver
from kinematics.errors import HoiError

if TYPE_CHECKING:
    from hoi_edit.session import EditSession

STEPS_A_MOVE = 2  # between two frames


class Gesture:
    """Everything that is kept is worked out once, when it begins; distances are from there, so that moving back undoes
    moving away."""

    def __init__(self, session: "EditSession", name: str, t: float) -> None:
        self._session = session
        self.name, self.t = name, float(t)
        self.origin = session.point
        self.after = self.origin.rollout.span_name(name, self.t)
        self.start = self.origin.rollout.state(name, self.t)
        document = session.document
        self._kept = Kept.of(session.model, self.origin, document.freedom, document.loose)
        self._solver = Solver(self._kept, (), self.origin)
        self.report = Report(True, 0.0, 0)
        self.target: Any = self.start.position
        self.over = False

    @property
    def point(self) -> Point:
        """What the scene looks like by now."""
        return self._solver.point

    def aim(self, to: Any, rotation: Any = None, velocity: Any = None) -> None:
        """Where it is to go; NaN leaves an axis open."""
        self._check()
        self.target = np.asarray(to, float)
        drag = Drag(self.name, self.t, self.target, rotation, velocity, self.after)
        self._solver = self._solver.towards((drag, *self._session.document.constraints))

    def move(self, to: Any, steps: int = STEPS_A_MOVE, **more: Any) -> Report:
        """Some steps towards a new target; the scene follows in `point`."""
        self.aim(to, **more)
        for _ in self._solver.run(steps):
            pass
        self.report = self._solver.report()
        return self.report

    def finish(self, most: int = 60) -> Report:
        """All steps that it takes."""
        for _ in self._solver.run(most):
            pass
        self.report = self._solver.report()
        return self.report

    def commit(self) -> Report:
        """One step of the history; a result in which something that is kept does not hold changes nothing."""
        self._check()
        self.finish()
        self._solver.point = self._solver.point.with_turns().timed()
        self.over = True
        self._session._dragged(self)
        return self.report

    def abort(self) -> None:
        self.over = True

    def _check(self) -> None:
        if self.over:
            raise HoiError(f"the drag of {self.name!r} is over; begin another one")
