"""How far apart two convex hulls are: the distance of Gilbert, Johnson and Keerthi, for many poses at once.

Plain numpy, for finding contacts; nothing here is differentiated. The hulls' difference {p_a - p_b} is a convex set,
and its point v closest to the origin is the shortest way from b to a. It is approached by simplices of at most four
corners: the corner farthest against v is added, and what the new closest point does not need is dropped.
"""

from collections.abc import Callable
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDS = 100  # a handful is the rule
OVERLAP = 1e-13  # share of the hulls' size below which a distance is none
# The parts of a simplex by size, so that of equally close ones the smaller is taken.
PARTS = tuple(part for size in (1, 2, 3) for part in combinations(range(4), size))


class Poses(NamedTuple):
    """Where a body is, one or (B,) many times."""

    rotation: Floats  # (B, 3, 3)
    position: Floats  # (B, 3)

    def apply(self, points: Floats) -> Floats:
        """(V, 3) points of the body in the world, (B, V, 3)."""
        return np.asarray(points @ np.swapaxes(self.rotation, -1, -2) + self.position[..., None, :])


def separation(a: Floats, poses_a: Poses, b: Floats, poses_b: Poses) -> Floats:
    """The shortest ways (B, 3) from b's hull to a's; zero where they overlap. `a` (V, 3) and `b` (W, 3) are corners."""
    world_a, world_b = poses_a.apply(a), poses_b.apply(b)
    size = max(np.ptp(a, axis=0).max(), np.ptp(b, axis=0).max(), 1e-300)
    v = world_a[:, 0] - world_b[:, 0]
    corners = np.repeat(v[:, None], 4, axis=1)
    used = np.tile([True, False, False, False], (len(v), 1))
    rows = np.arange(len(v))  # those that are still getting closer
    for _ in range(ROUNDS):
        corner = _farthest(world_a[rows], -v[rows]) - _farthest(world_b[rows], v[rows])
        known = np.any(used[rows] & np.all(corners[rows] == corner[:, None], axis=2), axis=1)
        square = np.sum(v[rows] ** 2, axis=1)
        going = ~known & (np.sum(v[rows] * corner, axis=1) < square) & (square > (OVERLAP * size) ** 2)
        rows, corner, square = rows[going], corner[going], square[going]
        if len(rows) == 0:
            break
        slot = np.argmin(used[rows], axis=1)
        corners[rows, slot], used[rows, slot] = corner, True
        closer, needed = _closest(corners[rows], used[rows])
        better = np.sum(closer**2, axis=1) < square  # round-off may make the last steps circle
        rows = rows[better]
        v[rows], used[rows] = closer[better], needed[better]
    return np.where(np.sum(v * v, axis=1, keepdims=True) > (OVERLAP * size) ** 2, v, 0.0)


def _farthest(points: Floats, direction: Floats) -> Floats:
    """Of each set (B, V, 3), the point (B, 3) farthest along its direction."""
    along = np.einsum("bvi,bi->bv", points, direction)
    return np.asarray(points[np.arange(len(points)), np.argmax(along, axis=1)])


def _closest(corners: Floats, used: NDArray[np.bool_]) -> tuple[Floats, NDArray[np.bool_]]:
    """The point (B, 3) of each simplex (B, 4, 3) closest to the origin, and the corners (B, 4) that it needs."""
    best, chosen = np.full(len(corners), np.inf), np.zeros((len(corners), 4), bool)
    v = np.zeros((len(corners), 3))
    for part in PARTS:
        point, inside = PROJECT[len(part)](*(corners[:, i] for i in part))
        square = np.where(inside & np.all(used[:, part], axis=1), np.sum(point * point, axis=1), np.inf)
        closer = square < best
        best[closer], v[closer] = square[closer], point[closer]
        chosen[closer] = np.isin(np.arange(4), part)
    around = np.all(used, axis=1) & _surrounds(corners)
    v[around], chosen[around] = 0.0, True
    return v, chosen


def _on_corner(p: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    return p, np.ones(len(p), bool)


def _on_edge(p: Floats, q: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The origin's foot on a line, and whether it is between both points."""
    e = q - p
    square = np.sum(e * e, axis=1)
    share = -np.sum(p * e, axis=1) / np.where(square > 0.0, square, 1.0)
    return p + share[:, None] * e, (square > 0.0) & (share > 0.0) & (share < 1.0)


def _on_face(p: Floats, q: Floats, r: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The origin's foot on a plane, and whether it is inside the triangle.

    The foot is taken along the normal, not as a sum of corners: it is then exact however close the origin is.
    """
    n = np.cross(q - p, r - p)
    square = np.sum(n * n, axis=1)
    safe = np.where(square > 0.0, square, 1.0)
    shares = [np.sum(n * np.cross(x, y), axis=1) / safe for x, y in ((q, r), (r, p), (p, q))]
    inside = (square > 0.0) & np.all([share > 0.0 for share in shares], axis=0)
    return n * (np.sum(n * p, axis=1) / safe)[:, None], inside


PROJECT: dict[int, Callable[..., tuple[Floats, NDArray[np.bool_]]]] = {1: _on_corner, 2: _on_edge, 3: _on_face}


def _surrounds(corners: Floats) -> NDArray[np.bool_]:
    """Whether the origin is inside each tetrahedron: over every face, and no higher than the corner opposite.

    The height matters where the tetrahedron is flat and its sides are round-off.
    """
    inside = np.ones(len(corners), bool)
    for i in range(4):
        p, q, r = (corners[:, j] for j in range(4) if j != i)
        n = np.cross(q - p, r - p)
        opposite, origin = np.sum(n * (corners[:, i] - p), axis=1), -np.sum(n * p, axis=1)
        inside &= (opposite * origin > 0.0) & (np.abs(origin) <= np.abs(opposite))
    return inside
