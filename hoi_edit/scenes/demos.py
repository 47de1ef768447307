"""An edit for each built-in scene, to show what editing it is like: a drag of a ball at a time, by so many metres."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import Report
from hoi_edit.session import EditSession
from kinematics.errors import unknown


@dataclass(frozen=True)
class Demo:
    about: str
    name: str
    t: float  # [s]
    by: tuple[float, float, float]  # [m]
    shown: tuple[float, float]  # [s] from when to when its contact sheet goes

    def perform(self, session: EditSession, progress: Listener | None = None) -> Report:
        to = session.state(self.name, self.t).position + np.array(self.by)
        return session.drag(self.name, self.t, to, progress=progress)


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
