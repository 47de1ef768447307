"""Three balls in a cascade, by a person who only pretended to juggle.

The finished scene is the mime with a layer of change that makes every ball fly from hand to hand; its crude input is
the same plan with every catch declared: at its time the ball is in the hand, wherever it flew.
"""

from collections.abc import Mapping
from typing import Any

from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Held, Scene, Thing, ground
from hoi_edit.scenes.building_blocks import Solved, let_go, on_site, performed, released, solved
from kinematics.clip import Clip
from kinematics.clip_tools import repeat, trim
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
    numbers = solved("juggle3")
    return scene("juggle3", numbers, numbers.arrays)


def juggle3_start() -> Scene:
    """The mime, with the plan declared."""
    return scene("juggle3:start", solved("juggle3"))


def juggling_clip() -> Clip:
    """The mime, looped for as long as the scene lasts."""
    return trim(repeat(trim(performed("juggling_mime"), 0.0, CYCLE + OVERLAP), 2, OVERLAP), 0.0, SECONDS)


def scene(name: str, plan: Solved, edited_blocks: Mapping[str, Any] | None = None) -> Scene:
    """The plan, declared; or as it flies with the blocks of the control vector that are given by their names."""
    clip, blocks = juggling_clip(), edited_blocks or {}
    balls = three_balls(clip.skeleton, plan["start.other"].tolist(), plan["start.release"].tolist())
    return Scene(
        characters=[Character.of("juggler", clip, Layer.over(clip, opening=blocks.get("juggler")))],
        things=[let_go(thing, blocks) for thing in balls],
        fixtures=[ground()],
        contacts=[released(contact, blocks) for contact in plan.grasps(declared=edited_blocks is None)],
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
