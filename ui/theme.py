"""Colours, sizes and words of the window, in one place. Colours are (red, green, blue, alpha) in 0..255."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoi_edit.scene import colours

Colour = tuple[int, int, int, int]

WINDOW: Colour = (24, 26, 30, 255)
PANEL: Colour = (31, 33, 38, 255)
RAISED: Colour = (43, 46, 53, 255)
HOVERED: Colour = (56, 60, 69, 255)
PRESSED: Colour = (70, 75, 86, 255)
LINE: Colour = (52, 55, 63, 255)
FIELD: Colour = (20, 22, 25, 255)
TEXT: Colour = (222, 225, 230, 255)
FAINT: Colour = (142, 148, 158, 255)
DISABLED: Colour = (98, 103, 112, 255)
ACCENT: Colour = (90, 162, 255, 255)
ACCENT_DIM: Colour = (52, 92, 148, 255)
GOOD: Colour = (112, 196, 132, 255)
WARNING: Colour = (236, 186, 92, 255)
BAD: Colour = (242, 92, 84, 255)
PLAYHEAD: Colour = (255, 196, 72, 255)
AXES: dict[str, Colour] = {"x": (238, 106, 96, 255), "y": (128, 200, 112, 255), "z": (104, 164, 255, 255)}


def _bytes(colour: Sequence[float]) -> Colour:
    red, green, blue = (round(255 * part) for part in colour)
    return (red, green, blue, 255)


# of things and people: pictures, the viewport, the timeline and the outliner agree
THINGS: tuple[Colour, ...] = tuple(_bytes(colour) for colour in colours.THINGS)
BODIES: tuple[Colour, ...] = tuple(_bytes(colour) for colour in colours.BODIES)

CLIPS: tuple[Colour, ...] = (ACCENT, (94, 200, 188, 255), (196, 148, 240, 255))


def thing_colour(index: int) -> Colour:
    return THINGS[index % len(THINGS)]


def body_colour(index: int) -> Colour:
    return BODIES[index % len(BODIES)]


def thing_colours(names: Sequence[str]) -> dict[str, Colour]:
    """Of all things of a scene."""
    return {name: thing_colour(k) for name, k in colours.colours_of(names, len(THINGS)).items()}


def clip_colour(clip: int) -> Colour:
    """Of the weight of a clip in a blend; the first clip, number 0, has none of its own."""
    return CLIPS[(clip - 1) % len(CLIPS)]


def unit(colour: Sequence[int]) -> tuple[float, float, float]:
    """A colour as the renderer takes it: red, green, blue in 0..1."""
    return colour[0] / 255, colour[1] / 255, colour[2] / 255


def faded(colour: Colour, alpha: float) -> Colour:
    return (*colour[:3], round(255 * alpha))


def mixed(a: Colour, b: Colour, share: float) -> Colour:
    """`share` of b in a."""
    r, g, bl, al = (round((1 - share) * x + share * y) for x, y in zip(a, b, strict=True))
    return (r, g, bl, al)


@dataclass(frozen=True)
class Sizes:
    """In pixels of the screen, all from one scale."""

    scale: float = 1.0

    def px(self, points: float) -> int:
        return round(points * self.scale)

    @property
    def font(self) -> int:
        return self.px(15)

    @property
    def small_font(self) -> int:
        return self.px(13)

    @property
    def gap(self) -> int:
        return self.px(8)

    @property
    def menu(self) -> int:
        return self.px(30)

    @property
    def status(self) -> int:
        return self.px(28)

    @property
    def transport(self) -> int:
        return self.px(40)

    @property
    def lane(self) -> int:
        return self.px(22)

    @property
    def ruler(self) -> int:
        return self.px(24)

    @property
    def gutter(self) -> int:
        """Of names left of the timeline."""
        return self.px(124)
