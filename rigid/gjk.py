"""How far apart two convex hulls are: the distance of Gilbert, Johnson and Keerthi, for many poses at once.

Plain numpy, for finding contacts; nothing here is differentiated. The hulls' difference {p_a - p_b} is a convex set,
and its point v closest to the origin is the shortest way from b to a. It is approached by simplices of at most four
corners: the corner farthest against v is added, and what the new closest point does not need is dropped.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

ROUNDS = 100  # a handful is the rule
OVERLAP = 1e-13  # share of the hulls' size below which a distance is none
# The parts of a simplex, as places of their corners, by size: of equally close ones the smaller is taken.
CORNERS, EDGES, FACES = (np.array(list(combinations(range(4), size))) for size in (1, 2, 3))
NEEDED = np.array([np.isin(np.arange(4), part) for parts in (CORNERS, EDGES, FACES) for part in parts])


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
    on_edges, within_edges = _on_edges(corners[:, EDGES[:, 0]], corners[:, EDGES[:, 1]])
    on_faces, within_faces = _on_faces(*(corners[:, FACES[:, i]] for i in range(3)))
    points = np.concatenate([corners, on_edges, on_faces], axis=1)
    within = np.concatenate([np.ones_like(used), within_edges, within_faces], axis=1)
    within &= ~np.any(NEEDED & ~used[:, None], axis=2)
    part = np.argmin(np.where(within, _dot(points, points), np.inf), axis=1)
    v, needed = points[np.arange(len(part)), part], NEEDED[part]
    around = np.all(used, axis=1) & _surrounds(corners)
    v[around], needed[around] = 0.0, True
    return v, needed


def _dot(p: Floats, q: Floats) -> Floats:
    return np.asarray(np.einsum("...i,...i", p, q))


def _cross(p: Floats, q: Floats) -> Floats:
    """As numpy's, without its overhead, which is most of what so few numbers cost."""
    (a, b, c), (x, y, z) = np.moveaxis(p, -1, 0), np.moveaxis(q, -1, 0)
    return np.stack([b * z - c * y, c * x - a * z, a * y - b * x], axis=-1)


def _on_edges(p: Floats, q: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The origin's feet on lines (B, n, 3), and whether they are between both points."""
    e = q - p
    square = _dot(e, e)
    share = -_dot(p, e) / np.where(square > 0.0, square, 1.0)
    return p + share[..., None] * e, (square > 0.0) & (share > 0.0) & (share < 1.0)


def _on_faces(p: Floats, q: Floats, r: Floats) -> tuple[Floats, NDArray[np.bool_]]:
    """The origin's feet on planes (B, n, 3), and whether they are inside the triangles.

    A foot is taken along the normal, not as a sum of corners: it is then exact however close the origin is.
    """
    n = _cross(q - p, r - p)
    square = _dot(n, n)
    inside = (
        (square > 0.0) & (_dot(n, _cross(q, r)) > 0.0) & (_dot(n, _cross(r, p)) > 0.0) & (_dot(n, _cross(p, q)) > 0.0)
    )
    return n * (_dot(n, p) / np.where(square > 0.0, square, 1.0))[..., None], inside


def _surrounds(corners: Floats) -> NDArray[np.bool_]:
    """Whether the origin is inside each tetrahedron: over every face, and no higher than the corner opposite.

    The height matters where the tetrahedron is flat and its sides are round-off.
    """
    p, q, r = (corners[:, FACES[:, i]] for i in range(3))
    n = _cross(q - p, r - p)
    opposite, origin = _dot(n, corners[:, ::-1] - p), -_dot(n, p)  # faces in order leave out the last corner first
    return np.asarray(np.all((opposite * origin > 0.0) & (np.abs(origin) <= np.abs(opposite)), axis=1))
