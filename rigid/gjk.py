"""How far apart two convex hulls are: the distance of Gilbert, Johnson and Keerthi, for many poses at once.

Machine code, for finding contacts; nothing here is differentiated. The hulls' difference {p_a - p_b} is a convex set,
and its point v closest to the origin is the shortest way from b to a. It is approached by simplices of at most four
corners: the corner farthest against v is added, and what the new closest point does not need is dropped.
"""

from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from kinematics.compiled import compiled, inner

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

ROUNDS = 100  # a handful is the rule
OVERLAP = 1e-13  # share of the hulls' size below which a distance is none
# The parts of a simplex, as places of their corners, by size: of equally close ones the smaller is taken.
EDGES, FACES = (np.array(list(combinations(range(4), size))) for size in (2, 3))
OPPOSITE = np.array([3, 2, 1, 0])  # the corner that a face leaves out


class Poses(NamedTuple):
    """Where a body is, one or (B,) many times."""

    rotation: Floats  # (B, 3, 3)
    position: Floats  # (B, 3)

    def apply(self, points: Floats) -> Floats:
        """(V, 3) points of the body in the world, (B, V, 3)."""
        return np.asarray(points @ np.swapaxes(self.rotation, -1, -2) + self.position[..., None, :])


def separation(a: Floats, poses_a: Poses, b: Floats, poses_b: Poses) -> Floats:
    """The shortest ways (B, 3) from b's hull to a's; zero where they overlap. `a` (V, 3) and `b` (W, 3) are corners."""
    return _ways(np.ascontiguousarray(poses_a.apply(a)), np.ascontiguousarray(poses_b.apply(b)), least_distance(a, b))


def least_distance(a: Floats, b: Floats) -> float:
    """Below which two hulls overlap [m]."""
    return OVERLAP * float(max(np.ptp(a, axis=0).max(), np.ptp(b, axis=0).max(), 1e-300))


@compiled
def _ways(world_a: Floats, world_b: Floats, least: float) -> Floats:
    ways = np.empty((len(world_a), 3))
    for row in range(len(world_a)):
        way_between(world_a[row], world_b[row], least, ways[row])
    return ways


@inner
def way_between(a: Floats, b: Floats, least: float, v: Floats) -> None:
    """The shortest way from b's hull to a's, into v."""
    corners, corner, closer = np.zeros((4, 3)), np.empty(3), np.empty(3)
    used, needed = np.zeros(4, np.bool_), np.zeros(4, np.bool_)
    for i in range(3):
        v[i] = corners[0, i] = a[0, i] - b[0, i]
    used[0] = True
    for _ in range(ROUNDS):
        _corner(a, b, v, corner)
        square, along, known = _dot(v, v), _dot(v, corner), False
        for k in range(4):
            same = corners[k, 0] == corner[0] and corners[k, 1] == corner[1] and corners[k, 2] == corner[2]
            known = known or (used[k] and same)
        if known or not along < square or square <= least * least:
            break
        slot = 0
        while slot < 3 and used[slot]:
            slot += 1
        corners[slot], used[slot] = corner, True
        _closest(corners, used, closer, needed)
        if not _dot(closer, closer) < square:  # round-off may make the last steps circle
            break
        v[:], used[:] = closer, needed
    if _dot(v, v) <= least * least:
        v[:] = 0.0


@inner
def _corner(a: Floats, b: Floats, v: Floats, out: Floats) -> None:
    """The corner of the difference that is farthest against v."""
    at_a, at_b, low, high = 0, 0, np.inf, -np.inf
    for k in range(len(a)):
        along = _dot(a[k], v)
        if along < low:
            at_a, low = k, along
    for k in range(len(b)):
        along = _dot(b[k], v)
        if along > high:
            at_b, high = k, along
    for i in range(3):
        out[i] = a[at_a, i] - b[at_b, i]


@inner
def _dot(p: Floats, q: Floats) -> float:
    return float(p[0] * q[0] + p[1] * q[1] + p[2] * q[2])


@inner
def _cross(p: Floats, q: Floats, out: Floats) -> None:
    out[0], out[1], out[2] = p[1] * q[2] - p[2] * q[1], p[2] * q[0] - p[0] * q[2], p[0] * q[1] - p[1] * q[0]


@inner
def _closest(corners: Floats, used: NDArray[np.bool_], v: Floats, needed: NDArray[np.bool_]) -> None:
    """The point of a simplex (4, 3) closest to the origin, and the corners (4,) that it needs."""
    best, n, side = np.inf, np.empty(3), np.empty(3)
    for k in range(4):
        square = _dot(corners[k], corners[k])
        if used[k] and square < best:
            best = square
            v[:], needed[:] = corners[k], False
            needed[k] = True
    for part in range(len(EDGES)):
        p, q = EDGES[part, 0], EDGES[part, 1]
        if used[p] and used[q]:
            edge = corners[q] - corners[p]
            square = _dot(edge, edge)
            share = -_dot(corners[p], edge) / (square if square > 0.0 else 1.0)
            foot = corners[p] + share * edge
            if square > 0.0 and 0.0 < share < 1.0 and _dot(foot, foot) < best:
                best = _dot(foot, foot)
                v[:], needed[:] = foot, False
                needed[p] = needed[q] = True
    around = used[0] and used[1] and used[2] and used[3]
    for part in range(len(FACES)):
        p, q, r = FACES[part, 0], FACES[part, 1], FACES[part, 2]
        if not (used[p] and used[q] and used[r]):
            continue
        _cross(corners[q] - corners[p], corners[r] - corners[p], n)
        square, origin = _dot(n, n), -_dot(n, corners[p])
        # over every face, and no higher than the corner opposite: a flat tetrahedron's sides are round-off
        opposite = _dot(n, corners[OPPOSITE[part]] - corners[p])
        around = around and opposite * origin > 0.0 and abs(origin) <= abs(opposite)
        inside = square > 0.0
        for i in range(3):
            _cross(corners[FACES[part, i]], corners[FACES[part, (i + 1) % 3]], side)
            inside = inside and _dot(n, side) > 0.0
        if inside:
            # a foot is taken along the normal, not as a sum of corners: it is then exact however close the origin is
            height = -origin / square
            if height * height * square < best:
                best = height * height * square
                v[:], needed[:] = height * n, False
                needed[p] = needed[q] = needed[r] = True
    if around:
        v[:], needed[:] = 0.0, True
