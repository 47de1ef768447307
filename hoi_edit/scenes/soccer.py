"""A soccer ball kept up with insteps, thighs and head, by a person who only pretended to."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from hoi_edit.motions import Layer
from hoi_edit.scene import Character, Contact, Flying, Scene, Thing, ground
from hoi_edit.scenes.building_blocks import Solved, performed, solved
from kinematics.clip import Clip
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
    return scene("soccer", numbers, numbers.arrays)


def soccer_start() -> Scene:
    """The mime, with the touches declared."""
    return scene("soccer:start", solved("soccer"))


def keepup_clip() -> Clip:
    return performed("keepup_mime")


def scene(name: str, plan: Solved, edited_blocks: Mapping[str, Any] | None = None) -> Scene:
    """The plan, declared; or as it flies with the blocks of the control vector that are given by their names."""
    clip, blocks = keepup_clip(), edited_blocks or {}
    sites, times = plan["impact.other"].tolist(), plan["impact.time"].tolist()
    none = np.zeros(3)
    start = Flying(
        blocks.get("ball.position", plan["ball.drop"]),
        blocks.get("ball.velocity", none),
        angular_velocity=blocks.get("ball.spin", none),
    )
    return Scene(
        characters=[Character.of("player", clip, Layer.over(clip, SPACING, blocks.get("player")))],
        things=[Thing("ball", ball(MASS, RADIUS), start, LEATHER)],
        fixtures=[ground()],
        contacts=[
            Contact(f"touch{k}", "ball", site, time, declared=edited_blocks is None)
            for k, (site, time) in enumerate(zip(sites, times, strict=True), start=1)
        ],
        start=START,
        end=times[-1] + AFTER,
        name=name,
    )
