"""A bad throw, saved by leaning forward: `python examples/save.py [FOLDER]` leaves documents and contact sheets there.

The cascade of `juggle3`, in which one catch can be made leaning forward. A throw goes too far ahead, and the drag finds
how much to lean. A blend of two poses that stand does not quite, so the feet are put right afterwards.
"""

import sys
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.constraints.foot_plant import standing
from hoi_edit.edit.report import Report
from hoi_edit.rollout import Rollout
from hoi_edit.scenes.save import AFTER, BEFORE, RAMP, SAVED
from hoi_edit.simulate.trajectory import Event

AHEAD = (0.0, 0.0, 0.30)  # [m] by which the throw goes too far
LATE = 0.8  # of its flight: where it is dragged
EACH = 0.1  # [s] between the times at which feet are told where to stand
EDGE = 0.15  # [s] beyond the blend that may change


def leaning(session: hoi.EditSession) -> float:
    """The weight α of the catch that is made leaning forward."""
    return float(session.u[session.layout["juggler.alpha"].indices][0])


def throw_too_far(session: hoi.EditSession, by: tuple[float, float, float] = AHEAD) -> Report:
    """The ball of the catch, dragged late in its flight."""
    catch = caught(session)
    thrown = max(own.time for own in session.rollout.events if own.object == catch.object and own.time < catch.time)
    t = thrown + LATE * (catch.time - thrown)
    return session.drag(catch.object, t, session.state(catch.object, t).position + np.array(by))


def stand(session: hoi.EditSession) -> list[Report]:
    """Feet go back to where they stood before, with as much leaning as there is by now."""
    session.lock("juggler.alpha")
    return [session.add(own) for own in feet(session.source, caught(session).time)]


def feet(seen: Rollout, catch: float) -> list[hoi.FootPlant]:
    """Of the juggler, as they stand around the catch."""
    start, end = catch - BEFORE - RAMP - EDGE, catch + AFTER + RAMP + EDGE
    times = np.arange(start, end, EACH)
    points = {plant.point for plant in standing(seen, start, end)}
    return [hoi.FootPlant("juggler", own, times, seen.positions(f"juggler/{own}", times)) for own in sorted(points)]


def caught(session: hoi.EditSession) -> Event:
    (found,) = (own for own in session.rollout.events if own.contact == f"catch{SAVED}" and own.kind == "grasp")
    return found


def save(session: hoi.EditSession) -> None:
    """The throw goes astray, and is caught by somebody who stands."""
    print(session.add(hoi.JointLimits.of(session.source, "juggler")))
    print(throw_too_far(session), f"α {leaning(session):.2f}")
    for report in stand(session):
        print(report)


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    session = hoi.open("save:start")
    session.export(folder / "save-start.png", start=3.5, end=4.9)
    save(session)
    print(session.compare().largest(4))
    session.save(folder / "save.hoi")
    session.export(folder / "save.png", start=3.5, end=4.9)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
