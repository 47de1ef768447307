"""A box that is thrown up with both hands, turns over in the air and is caught again, twice.

A body that is not a ball: it lies in the hands as it was caught, half a turn further each time. One that is missed
falls to the ground and rattles there until it lies.
"""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Contact, Held, Scene, Thing, ground
from hoi_edit.scenes.building_blocks import performed, solved
from kinematics.clip import Clip
from kinematics.skeleton import Skeleton
from rigid.body import box as box_body
from rigid.impact import Material

SPACING = 0.05  # [s] between knots: hands that throw are fast
HALF = np.array([0.15, 0.11, 0.11])  # [m] half extents: across, from hand to hand; up; ahead
AHEAD = 0.08  # [m] of its middle before the palms, or its back would be in the forearms
MASS = 1.2
CARDBOARD = Material(restitution=0.3, friction=0.6)
RELEASES, CATCHES, END = (1.0, 2.3), (1.55, 2.85), 3.6  # [s]
HANDS = ("thrower/right_palm", "thrower/left_palm")


def box() -> Scene:
    """The box goes from hands to hands."""
    return scene("box", solved("box").arrays)


def box_start() -> Scene:
    """The mime with a box in the hands: it comes down too low, and is caught that way; the second time it is missed."""
    return scene("box:start", {})


def box_clip() -> Clip:
    return performed("box_mime")


def scene(name: str, opening: Mapping[str, Any]) -> Scene:
    """With the blocks of the control vector that are given, by their names; what is not given is the mime's own."""
    clip = box_clip()
    first = float(opening.get("box.release", RELEASES[0]))
    second = float(opening.get("catch1.release", RELEASES[1]))
    return Scene(
        characters=[Character.of("thrower", clip, Layer.over(clip, SPACING, opening.get("thrower")))],
        things=[Thing("box", box_body(MASS, HALF), between_palms(clip.skeleton, first), CARDBOARD)],
        contacts=[
            Contact("catch1", "box", HANDS, CATCHES[0], "grasp", release=second),
            Contact("catch2", "box", HANDS, CATCHES[1], "grasp"),
        ],
        fixtures=[ground()],
        end=END,
        name=name,
    )


def between_palms(skeleton: Skeleton, release: float) -> Held:
    """With one side on the right palm, its top where the thumb is and its front where the fingers point."""
    palm = skeleton.site("right_palm")
    across, ahead = palm.rotation[:, 2], palm.rotation[:, 1]
    frame = np.stack([across, np.cross(ahead, across), ahead], axis=1)
    return Held(HANDS, release, palm.position + HALF[0] * across + AHEAD * ahead, frame)
