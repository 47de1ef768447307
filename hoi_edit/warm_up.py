"""Compile ahead of time everything that an edit commonly needs, so that nothing waits for it later.

Compiled code is kept on disk: this takes a minute or two once on a machine, and a few seconds from then on.
`python -m hoi_edit.warm_up` is what `hoi_edit.open` has running beside it the first time.
"""

import os
import sys
from contextlib import suppress
from pathlib import Path

import numpy as np

from hoi_edit.runtime import keep_compiled_functions, ready
from hoi_edit.scene import Scene, ground
from hoi_edit.truth import CASES
from hoi_edit.truth.truth_scenes import flying, head_on
from kinematics.compiled import CODE
from rigid.body import Body, box
from rigid.impact import Material

FAR_ENOUGH = (0.01, 0.06, 0.11, 0.16)  # [m]


def warm_up(scenes: tuple[str, ...] = ("juggle3", "soccer")) -> None:
    """Open, differentiate and drag: one scene with catches, and one with impacts. Then everything that is rarer."""
    import hoi_edit as hoi  # the package imports all that this module stands beside

    os.environ["HOI_EDIT_COMPILE"] = "now"
    for name in scenes:
        session = hoi.open(name)
        thing = session.scene.things[0].name
        time = session.rollout.events[0].time + 0.1
        session.linearise(thing, time)
        gesture = session.begin(thing, time)
        for way in FAR_ENOUGH:  # to run into something, which is rarer, and then has to be quick
            gesture.move(gesture.start.position + np.array([0.0, way, 0.0]))
        gesture.abort()
        part = session.scene.characters[0]
        hoi.KeepClear(thing, f"{part.name}/{part.skeleton.names[0]}", time).rows(session.rollout)  # what is watched
    hoi.EditSession(head_on()).state("a", 0.9)  # balls that are dragged do meet
    rests = hoi.EditSession(rolling())  # and come to lie, on whatever it is
    rests.state("struck", 0.9)
    rests.linearise("struck", 0.9)
    with suppress(OSError):  # what cannot be kept is made again
        ready().touch()
    for solid in (symmetric(), uneven()):  # whoever adds a box or a mesh wants to drag it at once
        rehearse(solid)
    for case in CASES:  # small scenes of all that things can do
        session = hoi.EditSession(case.scene())
        session.linearise(case.thing, case.time)


def rolling() -> Scene:
    """A ball comes to rest on the ground, slides, rolls, and strikes another that lies there: without friction between
    them neither is lifted, and both stay on the ground."""
    balls = [
        flying((-0.2, 0.051, 0.0), (2.0, 0.0, 0.0), name="rolls", restitution=0.5, friction=0.6),
        flying((0.5, 0.051, 0.0), name="struck", restitution=0.5, friction=0.0),
    ]
    return Scene(things=balls, fixtures=[ground(material=Material(0.5, 0.6))], end=1.0)


def symmetric() -> Body:
    """Two of its moments are alike, so it turns in closed form; of three that differ it is integrated."""
    return box(0.5, (0.1, 0.1, 0.2))


def uneven() -> Body:
    return box(0.5, (0.1, 0.15, 0.2))


def rehearse(body: Body) -> None:
    """A solid beside a person, dragged before and after it bounces: what is compiled for it does not hang on its
    shape."""
    import hoi_edit as hoi

    session = hoi.open("juggle3")
    start = hoi.Flying(np.array([1.0, 0.6, 0.0]), angular_velocity=np.array([0.3, 0.1, 0.2]))
    session.add_thing(hoi.Thing("solid", body, start))
    bounce = next(event.time for event in session.rollout.events if event.object == "solid")
    for time in (0.5 * bounce, bounce + 0.02):
        gesture = session.begin("solid", time)
        gesture.move(gesture.start.position + np.array([0.0, 0.01, 0.0]))
        gesture.abort()


def alone(folder: Path = CODE) -> None:
    """Wait for others that are at the same work; the lock goes when the process ends, however it does."""
    if sys.platform != "win32":
        import fcntl

        with suppress(OSError):  # a folder that cannot be written to keeps nothing to wait for
            folder.mkdir(parents=True, exist_ok=True)
            fcntl.flock(os.open(folder / "lock", os.O_CREAT | os.O_RDWR), fcntl.LOCK_EX)


if __name__ == "__main__":
    alone()
    if not ready().exists():
        keep_compiled_functions()
        warm_up()
