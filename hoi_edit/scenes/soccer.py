"""A soccer ball kept up with insteps, thighs and head, by a person who only pretended to."""

from collections.abc import Sequence

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Contact, Flying, Scene, Thing, ground
from hoi_edit.scenes.stage import performed, solved
from kinematics.clip import Clip
from kinematics.rotation import Floats
from rigid.body import ball
from rigid.impact import Material

START = 0.6  # [s]: the ball has just been let go
AFTER = 0.6  # [s] that the scene goes on after the last touch
SPACING = 0.05  # [s] between knots: feet are quick
MASS, RADIUS = 0.43, 0.11
LEATHER = Material(restitution=0.94, friction=0.7)  # on skin: 0.75


def soccer() -> Scene:
    """The ball goes from touch to touch."""
    numbers = solved("soccer")
    return scene("soccer", numbers["ball.start"], *_plan(), declared=False, opening=numbers["player"])


def soccer_start() -> Scene:
    """The mime, with the touches declared."""
    return scene("soccer:start", solved("soccer")["ball.drop"], *_plan(), declared=True)


def keepup_clip() -> Clip:
    return performed("keepup_mime")


def _plan() -> tuple[list[str], list[float]]:
    numbers = solved("soccer")
    return numbers["impact.other"].tolist(), numbers["impact.time"].tolist()


def scene(
    name: str,
    start: Floats,
    sites: Sequence[str],
    times: Sequence[float],
    *,
    declared: bool,
    opening: np.ndarray | None = None,
) -> Scene:
    """With a ball that starts at `start` (position and velocity) and meets the sites at about those times."""
    clip = keepup_clip()
    return Scene(
        characters=[Character.of("player", clip, Layer.over(clip, SPACING, opening))],
        things=[Thing("ball", ball(MASS, RADIUS), Flying(start[:3], start[3:]), LEATHER)],
        fixtures=[ground()],
        contacts=[
            Contact(f"touch{k}", "ball", site, time, declared=declared)
            for k, (site, time) in enumerate(zip(sites, times, strict=True), start=1)
        ],
        start=START,
        end=times[-1] + AFTER,
        name=name,
    )
