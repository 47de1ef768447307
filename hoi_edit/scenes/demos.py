"""An edit for each built-in scene, to show what editing it is like: a drag of a ball at a time, by so many metres."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import Report
from hoi_edit.rollout import Rollout
from hoi_edit.session import EditSession
from kinematics.errors import unknown

MOVES = 10  # of a mouse, from where a thing is to where it goes


@dataclass(frozen=True, eq=False)
class Dragged:
    """A drag, and the scene before it, while it goes on and after it: what pictures of it show."""

    name: str
    t: float  # [s]
    before: Rollout
    way: tuple[Rollout, ...]  # with the thing farther along at each, evenly in time
    after: Rollout
    report: Report
    shown: tuple[float, float]  # [s] from when to when it is played


@dataclass(frozen=True)
class Demo:
    about: str
    name: str
    t: float  # [s]
    by: tuple[float, float, float]  # [m]
    shown: tuple[float, float]  # [s] from when to when pictures show it

    @property
    def label(self) -> str:
        """Of the one step that it is in a history."""
        return f"drag {self.name} at {self.t:.2f} s"

    def perform(self, session: EditSession, progress: Listener | None = None) -> Report:
        to = session.state(self.name, self.t).position + np.array(self.by)
        return session.drag(self.name, self.t, to, progress=progress)

    def drag(self, session: EditSession, progress: Listener | None = None) -> Dragged:
        """The same edit by a mouse, which sets off and arrives slowly, with all that is seen on the way."""
        before = session.rollout
        place = session.state(self.name, self.t).position
        gesture = session.begin(self.name, self.t)
        way = []
        for k in range(1, MOVES + 1):
            gesture.move(place + (0.5 - 0.5 * np.cos(np.pi * k / MOVES)) * np.array(self.by))
            way.append(gesture.iterate.rollout)
        report = gesture.commit(progress)
        return Dragged(self.name, self.t, before, tuple(way), session.rollout, report, self.shown)


DEMOS: Mapping[str, Demo] = {
    "juggle3": Demo("a throw becomes higher and wider", "ball2", 2.3, (0.25, 0.25, 0.1), (1.6, 3.2)),
    "passing6": Demo("a pass goes higher", "ball1", 2.1, (0.0, 0.25, 0.0), (1.6, 3.2)),
    "soccer": Demo("the ball is kicked higher and to the side", "ball", 2.1, (0.15, 0.25, 0.0), (1.2, 3.4)),
    "baseball": Demo("the pitch takes a higher way to the bat", "ball", 1.75, (0.0, 0.15, 0.0), (1.2, 2.4)),
    "save": Demo("the bad throw comes straight again", "ball3", 4.088, (0.0, 0.0, -0.2), (3.4, 5.0)),
    "box": Demo("the box is thrown higher", "box", 1.25, (0.0, 0.08, 0.0), (0.7, 3.4)),
}


def demo(name: str) -> Demo:
    """The edit that shows a built-in scene."""
    if name not in DEMOS:
        raise unknown("demo", name, DEMOS)
    return DEMOS[name]
