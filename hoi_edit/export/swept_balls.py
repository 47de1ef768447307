"""Solids as meshes: one unit ball, pulled apart.

Every solid is the same thing: a ball of radius `r` swept through a box of half extents `inner`. A sphere has
inner = 0, a capsule inner = (0, half length, 0), a box inner = half extents - r with a small r that rounds its edges.
So one mesh serves all kinds, and caps stay round however long a capsule is.
"""

import numpy as np
from numpy.typing import ArrayLike, NDArray

Array = NDArray[np.float64]
Floats = NDArray[np.float32]

KINDS = ("capsule", "sphere", "box")
BOX_EDGE_FRACTION = 0.22  # of the smallest half extent
WALL_RINGS = 4
BOX_EDGE_LARGEST = 0.012  # [m]


def split_sphere(steps: int, wall_rings: int = WALL_RINGS) -> tuple[Floats, NDArray[np.uint32]]:
    """A unit sphere cut along its three coordinate planes, so that its eight octants can be pulled apart.

    Returns vertices (N, 6), the direction on the sphere and the signs of the octant (in between for rings on the
    wall), and triangles (M, 3) that are counter-clockwise from outside. `steps` subdivides each quarter circle.
    """
    quarter = np.linspace(0.0, np.pi / 2, steps + 1)
    longitude = np.concatenate([quarter + k * np.pi / 2 for k in range(4)])
    sign_x = np.repeat([1.0, -1.0, -1.0, 1.0], steps + 1)
    sign_z = np.repeat([1.0, 1.0, -1.0, -1.0], steps + 1)
    # Rings along the cylinder's wall hold what the vertices know of their surroundings.
    wall = np.linspace(-1.0, 1.0, wall_rings + 2)[1:-1]
    latitude = np.concatenate([quarter - np.pi / 2, 0.0 * wall, quarter])
    sign_y = np.concatenate([np.full(steps + 1, -1.0), wall, np.full(steps + 1, 1.0)])

    rows, columns = len(latitude), len(longitude)
    cos_latitude = np.cos(latitude)[:, None]
    grid = np.empty((rows, columns, 6))
    grid[..., 0] = cos_latitude * np.cos(longitude)
    grid[..., 1] = np.sin(latitude)[:, None]
    grid[..., 2] = cos_latitude * np.sin(longitude)
    grid[..., 3], grid[..., 4], grid[..., 5] = sign_x, sign_y[:, None], sign_z

    index = np.arange(rows * columns).reshape(rows, columns)
    here, east = index[:-1], np.roll(index, -1, axis=1)[:-1]
    north, north_east = index[1:], np.roll(index, -1, axis=1)[1:]
    sides = np.stack([here, north, north_east, here, north_east, east], axis=-1).reshape(-1, 3)
    # The poles of the four octants span the flat top and bottom of a box.
    a, b, c, d = index[-1, :: steps + 1]
    e, f, g, h = index[0, :: steps + 1]
    lids = [[a, c, b], [a, d, c], [e, f, g], [e, g, h]]
    return grid.reshape(-1, 6).astype(np.float32), np.concatenate([sides, lids]).astype(np.uint32)


def swept_ball(kind: str, size: Array) -> tuple[Array, Array]:
    """Inner half extents (N, 3) and radius (N,) of solids of one kind from their sizes (N, 3)."""
    inner = np.zeros_like(size)
    if kind == "sphere":
        return inner, size[:, 0]
    if kind == "capsule":
        inner[:, 1] = size[:, 1]
        return inner, size[:, 0]
    if kind == "box":
        radius = np.minimum(BOX_EDGE_FRACTION * size.min(axis=1), BOX_EDGE_LARGEST)
        return size - radius[:, None], radius
    raise ValueError(f"unknown kind of solid {kind!r}: choose one of {', '.join(KINDS)}")


def linear(colour: ArrayLike) -> Array:
    """sRGB in 0..1 to linear light."""
    c = np.asarray(colour, dtype=float)
    return np.where(c <= 0.04045, c / 12.92, ((c + 0.055) / 1.055) ** 2.4)
