"""The scenes that ship with the program, by name. Each is one small module with a function that builds it."""

import sys
from collections.abc import Callable

from hoi_edit.scene import Scene
from hoi_edit.scenes.baseball import baseball, baseball_start
from hoi_edit.scenes.box import box, box_start
from hoi_edit.scenes.juggle3 import juggle3, juggle3_start
from hoi_edit.scenes.passing6 import passing6, passing6_start
from hoi_edit.scenes.save import save, save_start
from hoi_edit.scenes.soccer import soccer, soccer_start
from kinematics.errors import unknown

# "name:start" is the crude input that the finished scene was made from
SCENES: dict[str, Callable[[], Scene]] = {
    "juggle3": juggle3,
    "juggle3:start": juggle3_start,
    "passing6": passing6,
    "passing6:start": passing6_start,
    "soccer": soccer,
    "soccer:start": soccer_start,
    "baseball": baseball,
    "baseball:start": baseball_start,
    "save": save,
    "save:start": save_start,
    "box": box,
    "box:start": box_start,
}


def build(name: str) -> Scene:
    """The built-in scene called `name`."""
    if name not in SCENES:
        raise unknown("scene", name, SCENES)
    return SCENES[name]()


def described() -> dict[str, tuple[str, str]]:
    """A sentence about each finished scene, and one about its crude input."""
    return {
        name: (_first_line(sys.modules[builder.__module__].__doc__), _first_line(SCENES[f"{name}:start"].__doc__))
        for name, builder in SCENES.items()
        if ":" not in name
    }


def _first_line(text: str | None) -> str:
    return (text or "").strip().partition("\n")[0]
