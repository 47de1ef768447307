"""Three balls, from a mime to a cascade: `python examples/juggle3.py [FOLDER]` leaves documents and pictures there.

The mime never had a ball. The plan says which hand is to catch which ball when. It comes about catch by catch, each
with all earlier ones kept; or all at once. Then a ball is dragged to where another one flies: they do not meet.
"""

import sys
from dataclasses import replace
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.report import Report

LIKE_THE_MIME = ("abdomen", "thorax", "left_upper_arm", "right_upper_arm")
DEARER = 4.0  # than by their inertia: what forearms and hands can do is left to them
CATCHES = 4  # that are made one after another
PASSING, BALL, OTHER = 4.5, "ball1", "ball2"  # [s] two balls that pass each other


def juggle(session: hoi.EditSession) -> Report:
    """All catches at once."""
    session.lock("juggler/pelvis")
    session.free(scales={f"juggler/{part}": DEARER for part in LIKE_THE_MIME})
    return session.solve()


def unplanned() -> hoi.EditSession:
    """The mime, who lets three balls go and catches none."""
    return hoi.open(replace(hoi.open("juggle3:start").scene, contacts=[], name="juggle3, nothing planned"))


def catch_by_catch(session: hoi.EditSession, count: int = CATCHES) -> list[Report]:
    """The first catches of the plan, one after another; each keeps those before it."""
    plan = hoi.open("juggle3:start").scene.contacts[:count]
    return [session.grasp(own.object, own.other, own.time, own.release, id=own.id) for own in plan]


def into_the_other(session: hoi.EditSession) -> tuple[Report, Report]:
    """A ball is dragged to where another one is just then: what the first move of the mouse makes happen, and what
    comes of it."""
    gesture = session.begin(BALL, PASSING)
    moved = gesture.move(session.state(OTHER, PASSING).position, steps=1)
    return moved, gesture.commit()


def closest(session: hoi.EditSession) -> float:
    """[m] between the centres of the two balls, around that time."""
    times = np.arange(PASSING - 0.15, PASSING + 0.15, 0.002)
    apart = session.rollout.positions(BALL, times) - session.rollout.positions(OTHER, times)
    return float(np.linalg.norm(apart, axis=1).min())


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    by_hand = unplanned()
    for report in catch_by_catch(by_hand):
        print(report)
    by_hand.save(folder / "juggle3-by-hand.hoi")
    session = hoi.open("juggle3:start")
    session.export(folder / "juggle3-start.png", start=1.6, end=3.0)
    print(juggle(session))
    session.save(folder / "juggle3.hoi")
    session.export(folder / "juggle3.png", start=1.6, end=3.0, edited=True)
    print(f"{BALL} and {OTHER} pass each other at {100 * closest(session):.1f} cm")
    moved, done = into_the_other(session)
    print(moved.events_changed, done, f"{100 * closest(session):.1f} cm")
    session.save(folder / "juggle3-passing.hoi")
    session.export(folder / "juggle3-passing.png", start=PASSING - 0.35, end=PASSING + 0.35)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
