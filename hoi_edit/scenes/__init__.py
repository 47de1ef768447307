"""The scenes that ship with the program, by name. Each is one small module with a function that builds it."""

from collections.abc import Callable

from hoi_edit.scene import Scene
from kinematics.errors import unknown

SCENES: dict[str, Callable[[], Scene]] = {}


def build(name: str) -> Scene:
    """The built-in scene called `name`."""
    if name not in SCENES:
        raise unknown("scene", name, SCENES)
    return SCENES[name]()
