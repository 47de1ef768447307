"""A box from a mime to two real catches: `python examples/box.py [FOLDER]` leaves a document and contact sheets there.

The mime lets it come down too low, and the second time misses it. Each flight is dragged, just before the catch, onto
the way into the hands, half a turn further than it was thrown. Then the left hand is brought to the second catch, too.
"""

import sys
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.scenes.box import CATCHES, HALF, HANDS

BEFORE = 0.05  # [s] before that the flight is dragged
DEEP = 0.003  # [m] into the palm
CLEAR = 0.1  # [m] of its middle before the palms: a box that turns must not come down on the forearms
GRAVITY = np.array(hoi.Scene().gravity)


def turned(angle: float) -> np.ndarray:
    """About the axis from hand to hand."""
    c, s = np.cos(angle), np.sin(angle)
    return np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])


def between_hands(session: hoi.EditSession, t: float) -> tuple[np.ndarray, np.ndarray]:
    """Place of a box on the right palm, and its rotation if it is held as at the start."""
    hand, site = session.state(HANDS[0], t), session.scene.character("thrower").skeleton.site("right_palm")
    across, ahead = hand.rotation @ site.rotation[:, 2], hand.rotation @ site.rotation[:, 1]
    place = hand.position + (HALF[0] - DEEP) * across + CLEAR * ahead
    return place, np.stack([across, np.cross(ahead, across), ahead], axis=1)


def catch(session: hoi.EditSession, number: int) -> Report:
    """What was thrown comes into the hands again, having turned over backwards."""
    releases = [event.time for event in session.rollout.events if event.kind == "release"]
    release, caught = releases[number], CATCHES[number]
    start, flight = session.state("box", release).position, caught - release
    place, frame = between_hands(session, caught)
    velocity, since = (place - start) / flight - 0.5 * flight * GRAVITY, flight - BEFORE
    to = start + since * velocity + 0.5 * since**2 * GRAVITY
    rotation = frame @ turned(-np.pi * (number + 1 - BEFORE / flight))
    return session.drag("box", caught - BEFORE, to, rotation=rotation)


def perform(session: hoi.EditSession) -> list[Report]:
    """Both catches, and then both hands at the second one: an edit can keep only what happened before it."""
    return [catch(session, 0), catch(session, 1), session.solve()]


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    session = hoi.open("box:start")
    session.export(folder / "box-start.png", start=0.7, end=3.4)
    for report in perform(session):
        print(report)
    print(session.rollout.events)
    session.save(folder / "box.hoi")
    session.export(folder / "box.png", start=0.7, end=3.4)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
