"""What a picture shows, as plain data: no GL here. Colours are sRGB in 0..1, as in a colour picker."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Colour = Sequence[float] | Array
Kind = Literal["capsule", "sphere", "box", "hull"]
Shape = Literal["disc", "ring", "diamond"]
SHAPES: tuple[Shape, ...] = get_args(Shape)


@dataclass(frozen=True, eq=False)
class Solid:
    """A body. Capsules lie along their local Y: size = (radius, half length of the cylinder, unused); a sphere's size
    starts with its radius; a box's are its half extents, and a hull's those of the box around it. Alpha below 1 makes a
    ghost, which casts no shadow."""

    kind: Kind
    position: ArrayLike
    rotation: ArrayLike  # (3, 3), columns are the local axes in the world
    size: ArrayLike
    colour: ArrayLike
    alpha: float = 1.0
    corners: ArrayLike | None = None  # (V, 3) of a hull, in its own frame


@dataclass(frozen=True, eq=False)
class SolidArray:
    """Many solids of one kind: the fields of `Solid` with a leading axis. Colour and alpha broadcast."""

    kind: Kind
    position: ArrayLike  # (N, 3)
    rotation: ArrayLike  # (N, 3, 3)
    size: ArrayLike  # (N, 3)
    colour: ArrayLike  # (N, 3) or (3,)
    alpha: ArrayLike = 1.0  # (N,) or one number


@dataclass(frozen=True, eq=False)
class Polyline:
    """A line of constant width on the screen, through (N, 3) points."""

    points: ArrayLike
    colour: ArrayLike
    width_px: float = 2.5
    alpha: float = 1.0


@dataclass(frozen=True, eq=False)
class Marker:
    """A sign of constant size on the screen at a place in the world."""

    position: ArrayLike
    colour: ArrayLike
    size_px: float = 10.0
    shape: Shape = "disc"
    alpha: float = 1.0
    on_top: bool = False  # in front of everything


@dataclass(frozen=True, eq=False)
class Drawing:
    """Everything a picture shows, as plain data."""

    solids: tuple[Solid | SolidArray, ...] = ()
    lines: tuple[Polyline, ...] = ()
    markers: tuple[Marker, ...] = ()
    ground: bool = True
    background_top: Colour = (0.115, 0.122, 0.135)
    background_horizon: Colour = (0.300, 0.315, 0.338)
    ground_colour: Colour = (0.255, 0.265, 0.280)
    hidden_alpha: float = 0.14  # how much of lines and markers shows through bodies
