"""A ball kept up for eight touches, from a mime: `python examples/soccer.py [FOLDER]` leaves documents and pictures.

All touches come about at once, with feet that stand kept where they stand. Then the ball's way is changed drastically
by three drags, and the body follows by as little as it can.
"""

import sys
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.constraints.foot_plant import standing

HANDS = 18.5  # [m/s²] that they may accelerate by: they have nothing to do
DRAGS = ((1.4, (0.3, 0.3, 0.0)), (2.1, (-0.4, 0.4, 0.1)), (4.3, (0.2, 0.2, 0.0)))  # [s], [m]


def keep_up(session: hoi.EditSession) -> None:
    """Eight touches."""
    mime = session.source
    for rate in ("velocity", "spin"):
        session.lock(f"ball.{rate}")  # it is let go, not thrown
    print(session.solve())
    for foot in standing(mime):  # edits keep feet where they are by then; here it is where the mime had them
        print(session.add(foot))
    for side in ("left", "right"):
        print(session.add(hoi.HandAcceleration(f"player/{side}_palm", HANDS)))
    print(session.add(hoi.JointLimits.of(mime, "player")))


def another_way(session: hoi.EditSession) -> None:
    """The ball is dragged far off its way, three times."""
    for t, by in DRAGS:
        print(session.drag("ball", t, session.state("ball", t).position + np.array(by)))


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    session = hoi.open("soccer:start")
    session.export(folder / "soccer-start.png")
    keep_up(session)
    session.save(folder / "soccer.hoi")
    session.export(folder / "soccer.png")
    session = hoi.open("soccer")
    another_way(session)
    print(session.compare().largest(5))
    session.save(folder / "soccer-another-way.hoi")
    session.export(folder / "soccer-another-way.png")


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
