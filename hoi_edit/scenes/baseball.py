"""A pitch and a hit: one mime throws, another swings, and the ball meets the bat."""

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Contact, Held, Scene, Thing, ground
from hoi_edit.scenes.stage import on_site, performed, solved
from kinematics.clip import Clip
from kinematics.clip_tools import offset, place
from kinematics.rotation import Floats, perpendicular_frame
from kinematics.skeleton import Skeleton
from rigid.body import ball, capsule
from rigid.impact import Material

SPACING = 0.04  # [s] between knots: a throwing arm is fast
RELEASE, HIT = 1.455, 2.03  # [s]
SWING = 1.0  # [s] at which the batter's own clip would hit
END = 3.0
AWAY = np.array([-1.0, 0.0, 8.1])  # [m] where the batter stands, seen from the pitcher who throws towards +Z
MASS, RADIUS = 0.145, 0.0365
BAT_MASS, BAT_RADIUS, BAT_HALF = 0.9, 0.033, 0.39
LEATHER, ASH = Material(restitution=0.75, friction=0.5), Material(restitution=0.75, friction=0.5)
TOWARDS = np.array([-0.35, -0.15, 0.92])  # in the right hand
HANDLE, BEYOND = 0.018, 0.243  # [m]: the bat's axis over the palm, and its middle beyond the right hand


def baseball() -> Scene:
    """The ball meets the bat."""
    return scene("baseball", solved("baseball")["pitcher"])


def baseball_start() -> Scene:
    """Both mimes: the pitch goes astray."""
    return scene("baseball:start")


def pitch_clip() -> Clip:
    return performed("pitch_mime")


def swing_clip() -> Clip:
    """The batter, whose left side is towards the pitcher, in time for the ball."""
    return offset(place(performed("swing_mime"), AWAY, np.pi / 2, about=(0.0, 0.0, 0.0)), HIT - SWING)


def scene(name: str, opening: Floats | None = None) -> Scene:
    """The pitcher with these control points."""
    pitch, swing = pitch_clip(), swing_clip()
    return Scene(
        characters=[
            Character.of("pitcher", pitch, Layer.over(pitch, SPACING, opening)),
            Character.of("batter", swing, Layer.over(swing, SPACING)),
        ],
        things=[
            Thing(
                "ball",
                ball(MASS, RADIUS),
                Held("pitcher/right_palm", RELEASE, on_site(pitch.skeleton, "right_palm", RADIUS)),
                LEATHER,
            ),
            Thing("bat", capsule(BAT_MASS, BAT_RADIUS, BAT_HALF), bat_in_hand(swing.skeleton), ASH),
        ],
        fixtures=[ground()],
        contacts=[Contact("hit", "ball", "bat", HIT)],
        end=END,
        name=name,
    )


def bat_in_hand(skeleton: Skeleton) -> Held:
    """Across the right palm, about towards the thumb (+Z of the hand), and so that it passes the other palm as well."""
    palm = skeleton.site("right_palm")
    frame = perpendicular_frame(TOWARDS / np.linalg.norm(TOWARDS), palm.rotation[:, 2])
    middle = palm.position + HANDLE * palm.rotation[:, 2] + BEYOND * frame[:, 1]
    return Held("batter/right_palm", None, middle, frame)
