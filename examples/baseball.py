"""Baseball, from two mimes to a hit: `python examples/baseball.py [FOLDER]` leaves documents and contact sheets there.

One mime pitches, another swings a bat that is in the right hand only. The edits bring the left hand to the bat and the
ball to the sweet spot; then the batter is moved, and the pitch, how hard it is thrown and the ball's path follow.
"""

import sys
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.constraints.foot_plant import standing
from hoi_edit.scenes.baseball import BAT_RADIUS, HIT, RADIUS

SWEET = 0.25  # [m] from the middle of the bat
MIDWAY = 1.75  # [s]: the crude pitch is still in the air
FARTHER = (0.25, 0.0, 0.5)  # [m]
GRAVITY = np.array(hoi.Scene().gravity)


def effort(session: hoi.EditSession) -> float:
    """How much of the pitch is the one in earnest."""
    return 1.0 - float(session.u[session.layout["pitcher.alpha"].indices][0])


def aim(session: hoi.EditSession, t: float) -> np.ndarray:
    """Where the ball has to be at a time to meet the sweet spot head on when the bat is swung there."""
    bat, release = session.state("bat", HIT), next(e.time for e in session.rollout.events if e.kind == "release")
    arm, flight = SWEET * bat.rotation[:, 1], HIT - release
    start = session.state("ball", release).position
    velocity = (bat.position + arm - start) / flight - 0.5 * flight * GRAVITY
    # as the bat sees it: on the side from which the ball comes
    coming = velocity + flight * GRAVITY - bat.velocity - np.cross(bat.angular_velocity, arm)
    across = coming - bat.rotation[:, 1] * (bat.rotation[:, 1] @ coming)
    spot = bat.position + arm - (BAT_RADIUS + RADIUS) * across / np.linalg.norm(across)
    left = HIT - t
    return np.asarray(spot - left * (velocity + flight * GRAVITY) + 0.5 * left**2 * GRAVITY)


def hit(session: hoi.EditSession) -> None:
    """The pitch goes to the bat, and the bat is in both hands."""
    reports = [
        session.drag("ball", MIDWAY, aim(session, MIDWAY)),  # the left hand comes to the bat with the first edit
        session.drag("ball", HIT, aim(session, HIT)),
        session.add(hoi.OpenHands.of(session.scene)),  # the hand that pitches does not pass through the ball
        session.add(hoi.JointLimits.of(session.source, "pitcher")),
        session.add(hoi.JointLimits.of(session.source, "batter")),
    ]
    for report in reports:
        print(report)


def stand(session: hoi.EditSession) -> None:
    """The pitcher's feet go back to where the mime had them: edits do not hold those of a blend, whose steps change
    with its weight. That weight is kept meanwhile, or going back to the mime's would be the cheapest way."""
    session.lock("pitcher.alpha")
    for own in standing(session.source):
        if own.character == "pitcher":
            print(session.add(own))
    for kept in session.document.constraints:
        if isinstance(kept, hoi.FootPlant):  # to go on: another pitch has another step
            session.remove(kept)
    session.unlock("pitcher.alpha")


def main(folder: Path) -> None:
    folder.mkdir(parents=True, exist_ok=True)
    session = hoi.open("baseball:start")
    session.export(folder / "baseball-start.png", start=1.2, end=2.4)
    hit(session)
    stand(session)
    print(session.rollout.events, f"effort {effort(session):.2f}")
    session.save(folder / "baseball.hoi")
    session.export(folder / "baseball.png", start=1.2, end=2.4)
    print(session.place("batter", by=FARTHER))
    print(session.rollout.events, f"effort {effort(session):.2f}")
    session.save(folder / "baseball-moved.hoi")
    session.export(folder / "baseball-moved.png", start=1.2, end=2.4)


if __name__ == "__main__":
    main(Path(sys.argv[1] if len(sys.argv) > 1 else "out"))
