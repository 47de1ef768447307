"""What a picture of a scene shows, as a value: of the viewport, of a film, of a contact sheet."""

from __future__ import annotations

from dataclasses import dataclass

from hoi_edit.rollout import Rollout
from ui import theme
from ui.view.camera import Camera
from ui.view.overlays import PinSign

WHITE: theme.Colour = (255, 255, 255, 255)
MOVED = 0.004  # [m] below which something has not changed


@dataclass(frozen=True, eq=False)
class View:
    """Everything that a picture of the scene depends on."""

    rollout: Rollout
    t: float
    camera: Camera
    size: tuple[int, int]
    before: Rollout | None = None  # whose paths are faint
    selected: str | None = None
    hovered: str | None = None
    hidden: frozenset[str] = frozenset()
    pinned: tuple[PinSign, ...] = ()
    target: tuple[float, float, float] | None = None  # of a drag
    grabbed: tuple[str, float] | None = None  # the point of a flight under the pointer, or being dragged
    ghosts: bool = True  # of limbs that an edit has moved
    hands: bool = True  # and their paths
    moving: bool = False  # drawn quickly: more will come
    scale: float = 1.0  # of lines and signs: 2 on a HiDPI screen
    around: float = 1.0  # [s] of paths to either side
    only: str | None = None  # the thing whose path alone is shown
    flashes: bool = False  # balls along their flights instead of marks of time

    @property
    def span(self) -> tuple[float, float]:
        """Of the paths that are shown [s]."""
        return self.t - self.around, self.t + self.around

    @property
    def edited(self) -> Rollout | None:
        """The scene from before an edit, where that is another one."""
        return None if self.before is self.rollout else self.before

    def shows(self, name: str) -> bool:
        """Whether nobody has hidden it, or whom it is a part of."""
        return name not in self.hidden and name.partition("/")[0] not in self.hidden

    def same_picture(self, other: View | None) -> bool:
        return other is not None and all(
            getattr(self, name) is getattr(other, name) or getattr(self, name) == getattr(other, name)
            for name in self.__dataclass_fields__
        )


def colours_of(view: View) -> dict[str, theme.Colour]:
    return theme.thing_colours([thing.name for thing in view.rollout.model.scene.things])
