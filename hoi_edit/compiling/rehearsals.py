"""What is done ahead of time for the sake of what is compiled for it: the first drag, what is common, what is rare:
what rolls, and all else, which have few programs in common."""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import numpy as np

from hoi_edit.scene import Flying, Scene, Thing, ground
from hoi_edit.truth import CASES
from hoi_edit.truth.cases import Case
from hoi_edit.truth.paddle_rig import HALF, REACH, rig, still
from hoi_edit.truth.truth_scenes import RADIUS, flying, head_on
from rigid.body import Body, box
from rigid.impact import Material

FAR_ENOUGH = (0.01, 0.06, 0.11, 0.16)  # [m]


@dataclass(frozen=True)
class Rehearsal:
    name: str
    run: Callable[[], object]


def drag(name: str, ways: tuple[float, ...]) -> None:
    import hoi_edit as hoi  # the package imports all that this module stands beside

    session = hoi.open(name)
    thing = session.scene.things[0].name
    gesture = session.begin(thing, session.rollout.events[0].time + 0.1)
    for way in ways:
        gesture.move(gesture.start.position + np.array([0.0, way, 0.0]))
    gesture.abort()


def use(name: str) -> None:
    """Open, differentiate and drag until it runs into something, which is rarer, and then has to be quick."""
    import hoi_edit as hoi

    session = hoi.open(name)
    thing, part = session.scene.things[0].name, session.scene.characters[0]
    time = session.rollout.events[0].time + 0.1
    session.linearise(thing, time)
    hoi.KeepClear(thing, f"{part.name}/{part.skeleton.names[0]}", time).rows(session.rollout)  # what is watched
    drag(name, FAR_ENOUGH)


def state(scene: Callable[[], Scene], name: str) -> None:
    import hoi_edit as hoi

    hoi.EditSession(scene()).state(name, 0.9)


def derivative(scene: Callable[[], Scene], name: str) -> None:
    import hoi_edit as hoi

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", hoi.DoubtfulDerivative)  # nobody looks at it
        hoi.EditSession(scene()).linearise(name, 0.9)


def rolling() -> Scene:
    """A ball comes to rest on the ground, slides, rolls, and strikes another that lies there: without friction between
    them neither is lifted, and both stay on the ground."""
    balls = [
        flying((-0.2, 0.051, 0.0), (2.0, 0.0, 0.0), name="rolls", restitution=0.5, friction=0.6),
        flying((0.5, 0.051, 0.0), name="struck", restitution=0.5, friction=0.0),
    ]
    return Scene(things=balls, fixtures=[ground(material=Material(0.5, 0.6))], end=1.0)


def symmetric() -> Scene:
    """Two of its moments are alike, so it turns in closed form; of three that differ it is integrated."""
    return tossed(box(0.5, (0.1, 0.1, 0.2)))


def uneven() -> Scene:
    return tossed(box(0.5, (0.1, 0.15, 0.2)))


def tossed(body: Body) -> Scene:
    """A solid bounces, and comes down on one of its sides: what is compiled for it does not hang on its shape."""
    start = Flying(np.array([1.0, 0.6, 0.0]), angular_velocity=np.array([0.3, 0.1, 0.2]))
    return Scene(things=[Thing("solid", body, start)], fixtures=[ground()], end=1.0)


def solid(scene: Callable[[], Scene]) -> None:
    """Dragged before and after it bounces."""
    import hoi_edit as hoi

    session = hoi.EditSession(scene())
    bounce = session.rollout.events[0].time
    for time in (0.5 * bounce, bounce + 0.02):
        gesture = session.begin("solid", time)
        gesture.move(gesture.start.position + np.array([0.0, 0.01, 0.0]))
        gesture.abort()


def struck_in_flight() -> Scene:
    """A ball strikes a solid, and flies on."""
    ball = flying((-0.4, 1.05, 0.03), (3.0, 0.1, 0.0), (1.0, 2.0, 3.0), "ball", 0.8, 0.5)
    return Scene(things=[ball, Thing("solid", box(0.5, (0.1, 0.15, 0.2)), Flying(np.array([0.0, 1.0, 0.0])))], end=1.0)


def ridden() -> Scene:
    """A ball comes down on a tray that moves and tilts, and rolls on it."""
    tray = rig(lambda t: 0.05 * np.sin(3.0 * t), still(0.5), lambda t: 0.1 * np.sin(2.0 * t), still(0.0), 1.0)
    ball = flying((-0.05, 0.5 + HALF[1] + RADIUS + 0.02, 0.0), restitution=0.3, friction=0.6)
    return Scene([tray], [ball], end=1.0)


def kicked() -> Scene:
    """A ball lies on the ground, and a foot pushes it along."""
    foot = rig(lambda t: 2.0 * t - REACH - 1.0, still(-0.18), still(0.0), still(0.0), 1.0, Material(1.0, 1.0))
    ball = flying((0.0, RADIUS, 0.0), restitution=0.4, friction=0.5)
    return Scene([foot], [ball], [ground()], end=1.0)


def differentiate(case: Case) -> None:
    """One of the small scenes of all that things can do."""
    import hoi_edit as hoi

    hoi.EditSession(case.scene()).linearise(case.thing, case.time)


FIRST = Rehearsal("the first drag", partial(drag, "juggle3", FAR_ENOUGH[:1]))
COMMON = (
    Rehearsal("catches", partial(use, "juggle3")),
    Rehearsal("impacts", partial(use, "soccer")),
    Rehearsal("balls that meet", partial(state, head_on, "a")),
    Rehearsal("balls that roll", partial(state, rolling, "struck")),
)
ROLLING = (
    Rehearsal("what is struck where it lies", partial(derivative, rolling, "struck")),
    Rehearsal("a ride on a body", partial(derivative, ridden, "ball")),
    Rehearsal("what is pushed along", partial(derivative, kicked, "ball")),
)
RARE = (
    Rehearsal("a solid that turns in closed form", partial(solid, symmetric)),
    Rehearsal("a solid that tumbles", partial(solid, uneven)),
    Rehearsal("a box in two hands", partial(drag, "box", FAR_ENOUGH[:1])),
    Rehearsal("a ball against a solid", partial(derivative, struck_in_flight, "ball")),
    *(Rehearsal(case.name, partial(differentiate, case)) for case in CASES),
)
