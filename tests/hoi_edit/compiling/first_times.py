"""A process that has rehearsed all that is compiled ahead of time, and then does for the first time what is new: what
it was asked to compile, and what it compiles all the same, as JSON."""

import json
import warnings
from collections.abc import Callable

import numpy as np

import hoi_edit as hoi
from hoi_edit.compiling.compile_plan import rehearsed
from hoi_edit.compiling.runtime import keep_compiled_functions
from hoi_edit.scene import Flying, Scene, Thing, ground
from hoi_edit.scenes.resources import clip_path
from hoi_edit.truth.paddle_rig import HEAD_RADIUS, rig, still
from hoi_edit.truth.truth_scenes import RADIUS, flying
from rigid.body import box, capsule
from rigid.impact import Material
from tests.compilations import compilations
from tests.hoi_edit.simulate.arm_scenes import swinging_paddle


def rides_on_a_body() -> Scene:
    ball = flying((-0.05, 0.62, 0.0), (0.5, 0.0, 0.2), (3.0, 9.0, 2.0), restitution=0.2, friction=0.15)
    return Scene([swinging_paddle()], [ball], end=1.4)


def is_pushed() -> Scene:
    foot = rig(lambda t: 1.5 * t - 1.2, still(HEAD_RADIUS - 0.3), still(0.0), still(0.0), 1.3, Material(1.0, 1.0))
    return Scene([foot], [flying((-0.3, RADIUS, 0.02), restitution=0.2, friction=0.4)], [ground()], end=1.3)


def is_hit_by_a_club() -> Scene:
    """And falls to the ground, as a capsule and a box do."""
    club = Flying(np.array([-0.8, 1.02, 0.02]), np.array([3.0, 0.1, 0.0]), angular_velocity=np.array([4.0, 1.0, 5.0]))
    struck = Flying(np.array([0.0, 1.0, 0.0]), np.array([0.0, 0.0, 0.1]), angular_velocity=np.array([1.0, 2.0, 0.5]))
    things = [Thing("club", capsule(0.3, 0.03, 0.2), club), Thing("ball", box(0.9, (0.1, 0.15, 0.2)), struck)]
    return Scene(things=things, fixtures=[ground()], end=0.9)


def differentiated(scene: Callable[[], Scene], time: float) -> None:
    hoi.EditSession(scene()).linearise("ball", time)


def open_a_clip() -> None:
    """Of a length that none of the scenes has; its body is dragged, and a ball beside it."""
    session = hoi.open(clip_path("keepup_mime"))
    body = session.scene.characters[0].name
    session.add_thing(Thing("ball", hoi.ball(0.4, 0.06), Flying(np.array([0.4, 1.5, 0.3]))))
    for name in ("ball", f"{body}/{session.scene.characters[0].skeleton.names[-1]}"):
        gesture = session.begin(name, 0.5)
        gesture.move(gesture.start.position + np.array([0.0, 0.05, 0.0]))
        gesture.abort()


FIRST_TIMES: dict[str, Callable[[], None]] = {
    "a clip is opened": open_a_clip,
    "a ball rides on a body": lambda: differentiated(rides_on_a_body, 1.1),
    "a ball is pushed": lambda: differentiated(is_pushed, 1.2),
    "a hull is struck, and strikes": lambda: differentiated(is_hit_by_a_club, 0.8),
}


def main() -> None:
    keep_compiled_functions()
    warnings.simplefilter("ignore", hoi.DoubtfulDerivative)
    asked, compiled = rehearsed(), {}
    for name, run in FIRST_TIMES.items():
        with compilations() as seen:
            run()
        compiled[name] = seen
    print(json.dumps({"asked": asked, "compiled": compiled}))


if __name__ == "__main__":
    main()
