"""A pitch and a hit: one mime throws, another swings a bat with both hands, and the ball meets it.

The pitch is a blend of one in earnest and one with little effort, and the weight between them is a control like any
other: how hard the pitcher throws follows from where the ball has to be when. The ball feels the air.
"""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import numpy as np

from hoi_edit.motions import Blend, Layer
from hoi_edit.scene import Character, Contact, Held, Scene, Thing, ground
from hoi_edit.scenes.building_blocks import on_site, performed, performed_alike, solved
from kinematics.clip import Clip
from kinematics.clip_tools import offset, place
from kinematics.rotation import perpendicular_frame
from kinematics.skeleton import Skeleton
from rigid.air import air_for
from rigid.body import ball, capsule
from rigid.impact import Material

SPACING = 0.04  # [s] between knots: a throwing arm is fast
RELEASE, HIT = 1.44, 2.03  # [s]
KEYS = (0.0, 0.42, 0.80, 1.00, 1.14, 1.27, 1.37, 1.47, 1.57, 1.72, 2.05, 2.50)  # [s] of the poses of both pitches
EFFORTLESS = 0.4  # the share of the pitch with little effort, before anyone looks where the ball goes
SWING = 1.0  # [s] at which the batter's own clip would hit
END = 3.0
AWAY = np.array([-1.4, 0.0, 6.8])  # [m] where the batter stands, seen from the pitcher who throws towards +Z
MASS, RADIUS = 0.145, 0.0365
AIR = air_for(MASS, RADIUS, drag=0.35, lift=1.0)
BAT_MASS, BAT_RADIUS, BAT_HALF = 0.9, 0.033, 0.39
LEATHER, ASH = Material(restitution=0.75, friction=0.5), Material(restitution=0.75, friction=0.5)
TOWARDS = np.array([0.20, -0.20, 0.96])  # in the right hand: so the bat is about level when it meets the ball
HANDLE, BEYOND = 0.018, 0.243  # [m]: the bat's axis over the palm, and its middle beyond the right hand


def baseball() -> Scene:
    """The ball meets the bat."""
    return scene("baseball", solved("baseball").arrays)


def baseball_start() -> Scene:
    """Both mimes: the pitch goes astray, and the batter's left hand is beside the bat."""
    return scene("baseball:start", {})


def pitch_clips() -> list[Clip]:
    """In earnest, and with little effort."""
    return performed_alike(["pitch_mime", "pitch_low_mime"])


def swing_clip() -> Clip:
    """The batter, whose left side is towards the pitcher, in time for the ball."""
    return offset(place(performed("swing_mime"), AWAY, np.pi / 2, about=(0.0, 0.0, 0.0)), HIT - SWING)


def scene(name: str, opening: Mapping[str, Any]) -> Scene:
    """With the blocks of the control vector that are given, by their names; what is not given is the mimes' own."""
    pitches, swing = pitch_clips(), swing_clip()
    release = float(opening.get("ball.release", RELEASE))
    return Scene(
        characters=[
            Character.of("pitcher", pitches[0], _pitch(pitches, opening)),
            Character.of("batter", swing, Layer.over(swing, SPACING, opening.get("batter"))),
        ],
        things=[
            Thing(
                "ball",
                ball(MASS, RADIUS),
                Held("pitcher/right_palm", release, on_site(pitches[0].skeleton, "right_palm", RADIUS)),
                LEATHER,
                AIR,
            ),
            Thing("bat", capsule(BAT_MASS, BAT_RADIUS, BAT_HALF), bat_in_hands(swing.skeleton), ASH),
        ],
        fixtures=[ground()],
        contacts=[Contact("hit", "ball", "bat", HIT)],
        end=END,
        name=name,
    )


def _pitch(clips: list[Clip], opening: Mapping[str, Any]) -> Blend:
    """Every pose by the same weight, since feet that stand would slide from one weight to another."""
    blend = Blend.of(
        clips,
        [KEYS, KEYS],
        alpha=opening.get("pitcher.alpha", EFFORTLESS),
        method=lambda clip: Layer.over(clip, SPACING),
    )
    openings = [opening.get(f"pitcher.clips.{k}") for k in range(len(clips))]
    motions = [m if c is None else replace(m, opening=c) for m, c in zip(blend.motions, openings, strict=True)]  # type: ignore[type-var]
    return replace(blend, motions=tuple(motions))


def bat_in_hands(skeleton: Skeleton) -> Held:
    """Across the right palm, about towards the thumb (+Z of the hand), and so that it passes the other palm as well."""
    palm = skeleton.site("right_palm")
    frame = perpendicular_frame(TOWARDS / np.linalg.norm(TOWARDS), palm.rotation[:, 2])
    middle = palm.position + HANDLE * palm.rotation[:, 2] + BEYOND * frame[:, 1]
    return Held(("batter/right_palm", "batter/left_palm"), None, middle, frame)
