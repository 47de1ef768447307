"""What things can be put down on: the top of a fixture, where something lies flat."""

from dataclasses import dataclass

import numpy as np

from hoi_edit.scene.scene import Fixture, Scene, is_level
from kinematics.errors import HoiError
from kinematics.rotation import Floats

LEVEL = 1e-6  # how far a top may be off the level, for things to stay where they are put


@dataclass(frozen=True, eq=False)
class Support:
    """The top of a fixture."""

    name: str
    normal: Floats  # (3,) up
    height: float  # [m] of the top, along the normal
    across: Floats  # (2, 3) the two directions of its edges
    middle: Floats  # (2,) of the top, along these
    reach: Floats  # (2,) [m] from there to its edges

    def foot(self, place: Floats) -> Floats:
        """The place of the top that is straight below another, or above it."""
        return np.asarray(place - (self.normal @ place - self.height) * self.normal)

    def beyond(self, place: Floats) -> float:
        """How far a place is outside of the edges [m]; zero or less within them."""
        return float((np.abs(self.across @ place - self.middle) - self.reach).max())


def support_of(scene: Scene, name: str) -> Support:
    """The top of a fixture, which has to be level."""
    fixture = next((fixture for fixture in scene.fixtures if fixture.name == name), None)
    if fixture is None:
        known = ", ".join(fixture.name for fixture in scene.fixtures) or "none"
        raise HoiError(f"there is no fixture {name!r} to put anything on; there are: {known}")
    up, axes = _up(scene), np.asarray(fixture.rotation, float).T
    axis = int(np.argmax(np.abs(axes @ up)))
    normal = axes[axis] * np.sign(axes[axis] @ up)
    if normal @ up < 1.0 - LEVEL:
        raise HoiError(f"the top of {name!r} is not level: what is put down there would slide or fall")
    return _top(fixture, axes, axis, normal)


def _top(fixture: Fixture, axes: Floats, axis: int, normal: Floats) -> Support:
    core, radius = np.asarray(fixture.shape.core, float), float(np.asarray(fixture.shape.radius))
    centre, others = np.asarray(fixture.position, float), [k for k in range(3) if k != axis]
    height = float(normal @ centre) + float(core[axis]) + radius
    return Support(fixture.name, normal, height, axes[others], axes[others] @ centre, core[others])


def support_below(scene: Scene, place: Floats) -> Support | None:
    """The highest top that is below a place; the ground, where there is nothing else."""
    level = [fixture for fixture in scene.fixtures if has_level_top(scene, fixture.name)]
    under = [top for top in (support_of(scene, fixture.name) for fixture in level) if _is_under(top, place)]
    if under:
        return max(under, key=lambda top: top.height)
    return next((support_of(scene, fixture.name) for fixture in level if is_level(fixture)), None)


def _is_under(top: Support, place: Floats) -> bool:
    return top.beyond(place) <= 0.0 and bool(top.normal @ place >= top.height)


def has_level_top(scene: Scene, name: str) -> bool:
    """Whether there is a fixture of this name, with a top that things can lie on for good."""
    fixture = next((fixture for fixture in scene.fixtures if fixture.name == name), None)
    if fixture is None or not any(scene.gravity):
        return False
    up = _up(scene)
    return bool(np.abs(np.asarray(fixture.rotation, float).T @ up).max() >= 1.0 - LEVEL)


def _up(scene: Scene) -> Floats:
    gravity = np.asarray(scene.gravity, float)
    size = float(np.linalg.norm(gravity))
    if size == 0.0:
        raise HoiError(f"scene {scene.name!r} has no gravity, so nothing can be put down in it")
    return np.asarray(-gravity / size)
