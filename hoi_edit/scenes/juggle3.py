"""Three balls in a cascade, by a person who only pretended to juggle.

The finished scene is the mime with a layer of change that makes every ball fly from hand to hand; its crude input is
the same plan with every catch declared: at its time the ball is in the hand, wherever it flew.
"""

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Held, Scene, Thing, ground
from hoi_edit.scenes.stage import on_site, performed, solved
from kinematics.clip import Clip
from kinematics.clip_tools import repeat, trim
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from rigid.body import ball
from rigid.impact import Material

SECONDS = 10.0
CYCLE, OVERLAP = 431 / 60, 0.25  # [s]: after so long the mime is back in the same phase of both hands
MASS, RADIUS = 0.13, 0.037
BEANBAG = Material(restitution=0.45, friction=0.6)
# [m] along the hand: where two balls lie in it; the first to be thrown at the fingers
FINGERS, HEEL = 0.072, -0.013


def juggle3() -> Scene:
    """The cascade as it really flies."""
    return _scene("juggle3", np.asarray(solved("juggle3")["juggler"]), declared=False)


def juggle3_start() -> Scene:
    """The mime, with the plan declared."""
    return _scene("juggle3:start", None, declared=True)


def juggling_clip() -> Clip:
    """The mime, looped for as long as the scene lasts."""
    return trim(repeat(trim(performed("juggling_mime"), 0.0, CYCLE + OVERLAP), 2, OVERLAP), 0.0, SECONDS)


def _scene(name: str, opening: Floats | None, declared: bool) -> Scene:
    clip, plan = juggling_clip(), solved("juggle3")
    return Scene(
        characters=[Character.of("juggler", clip, Layer.over(clip, opening=opening))],
        things=three_balls(clip.skeleton, plan["start.other"].tolist(), plan["start.release"].tolist()),
        fixtures=[ground()],
        contacts=plan.grasps(declared),
        end=SECONDS,
        name=name,
    )


def three_balls(skeleton: Skeleton, hands: list[str], releases: list[float]) -> list[Thing]:
    """Of each juggler: two balls in the hand that throws first, one in the other."""
    return [
        Thing(
            f"ball{k + 1}",
            ball(MASS, RADIUS),
            Held(hand, release, on_site(skeleton, hand.partition("/")[2], RADIUS, (FINGERS, 0.0, HEEL)[k % 3])),
            BEANBAG,
        )
        for k, (hand, release) in enumerate(zip(hands, releases, strict=True))
    ]
