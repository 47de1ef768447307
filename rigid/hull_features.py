"""Which corners, edges or faces of two convex hulls meet along a given direction, in machine code; see `convex`."""

from functools import lru_cache

import numpy as np
from scipy.spatial import ConvexHull

from kinematics.compiled import compiled, inner
from kinematics.rotation_compiled import dot
from rigid.gjk import Floats, Ints, way_between

VERTEX_VERTEX, VERTEX_EDGE, VERTEX_FACE, EDGE_VERTEX, FACE_VERTEX, EDGE_EDGE = range(6)
ALIKE = 1e-9  # share of a hull's size within which corners are equally near
CLEAR = 1e-6  # share of its size by which an overlapping hull is lifted off before its feature is looked for
KINDS = ("vertex-vertex", "vertex-edge", "vertex-face", "edge-vertex", "face-vertex", "edge-edge")


def face_normals(points: Floats) -> Floats:
    """(F, 3) outward normals of a hull's faces, each once; a flat one has one, a line or a point has none."""
    return _face_normals(np.ascontiguousarray(points, float).tobytes())


@lru_cache(maxsize=256)
def _face_normals(corners: bytes) -> Floats:
    points = np.frombuffer(corners).reshape(-1, 3)
    _, sizes, axes = np.linalg.svd(points - points.mean(axis=0))
    rank = int(np.sum(sizes > ALIKE * max(sizes[0], 1e-300)))
    if rank < 3:
        return np.array(axes[2:] if rank == 2 else np.zeros((0, 3)))
    normals = ConvexHull(points).equations[:, :3]  # of triangles: a face of more corners has several
    once = [k for k, n in enumerate(normals) if not any(n @ other > 1.0 - ALIKE for other in normals[:k])]
    return np.ascontiguousarray(normals[once])


@compiled
def feature_of(a: Floats, b: Floats, normals: Floats, least: float) -> tuple[int, Ints]:
    """What of two hulls is closest, for corners (V, 3) and (W, 3) in the world: its kind, and three corners of each
    (2, 3). `normals` (F, 3) are those of all faces of both: what overlaps is drawn apart along one of them. Distances
    below `least` are none."""
    corners = np.empty((2, 3), np.int64)
    return meeting(a, b, normals, least, corners), corners


@inner
def meeting(a: Floats, b: Floats, normals: Floats, least: float, corners: Ints) -> int:
    way, n = np.empty(3), np.empty(3)
    way_between(a, b, least, way)
    length = np.sqrt(dot(way, way))
    if length > 0.0:
        for i in range(3):
            n[i] = way[i] / length
        return _met(a, b, n, corners)
    return _overlapping(a, b, normals, least, corners)


@inner
def _overlapping(a: Floats, b: Floats, normals: Floats, least: float, corners: Ints) -> int:
    """What meets when they are drawn apart along the normal of a face, of either, along which they overlap least.

    Where that is a distance, which has no sign, the face itself and the deepest corner are taken.
    """
    apart, way, n, lifted = np.empty(3), np.empty(3), np.empty(3), np.empty_like(a)
    size = _size(a)
    far = _least_overlap(a, b, normals, apart) + CLEAR * (size if size > 0.0 else 1.0)
    for k in range(len(a)):
        for i in range(3):
            lifted[k, i] = a[k, i] + far * apart[i]
    way_between(lifted, b, least, way)
    length = np.sqrt(dot(way, way))
    kind = VERTEX_VERTEX
    if length > 0.0:
        for i in range(3):
            n[i] = way[i] / length
        kind = _met(lifted, b, n, corners)
    if kind in (VERTEX_FACE, FACE_VERTEX, EDGE_EDGE):
        return kind
    return _pressed(a, b, apart, corners)


@inner
def _least_overlap(a: Floats, b: Floats, normals: Floats, apart: Floats) -> float:
    """Fill in the unit vector from b to a along which the hulls overlap least; by how much."""
    best, several = np.inf, normals
    if len(normals) == 0:  # what separates two lines or points is the direction across both, or any
        several = np.zeros((3, 3))
        for i in range(3):
            j, k, e, f = (i + 1) % 3, (i + 2) % 3, a[len(a) - 1] - a[0], b[len(b) - 1] - b[0]
            several[0, i] = e[j] * f[k] - e[k] * f[j]
        length = np.sqrt(dot(several[0], several[0]))
        for i in range(3):
            if length > 0.0:
                several[0, i] /= length
            else:
                several[i, i] = 1.0
        several = several[:1] if length > 0.0 else several
    for k in range(len(several)):
        low_a, high_a, low_b, high_b = np.inf, -np.inf, np.inf, -np.inf
        for l in range(len(a)):
            along = dot(a[l], several[k])
            low_a, high_a = min(low_a, along), max(high_a, along)
        for l in range(len(b)):
            along = dot(b[l], several[k])
            low_b, high_b = min(low_b, along), max(high_b, along)
        if high_b - low_a < best:
            best = high_b - low_a
            for i in range(3):
                apart[i] = several[k, i]
        if high_a - low_b < best:
            best = high_a - low_b
            for i in range(3):
                apart[i] = -several[k, i]
    return best


@inner
def _met(a: Floats, b: Floats, n: Floats, corners: Ints) -> int:
    """What meets along the unit vector n from b to a."""
    flat_a, flat_b = np.empty((len(a), 2)), np.empty((len(b), 2))
    _flatten(a, b, n, flat_a, flat_b)
    near_a, near_b, outline_a, outline_b = _room(a), _room(b), _room(a), _room(b)
    few_a, few_b = _nearest(a, n, 1.0, near_a), _nearest(b, n, -1.0, near_b)
    round_a, round_b = _outline(flat_a, near_a, few_a, outline_a), _outline(flat_b, near_b, few_b, outline_b)
    on_b = _corner_on(a, n, 1.0, flat_a, near_a, few_a, flat_b, outline_b, round_b)
    on_a = _corner_on(b, n, -1.0, flat_b, near_b, few_b, flat_a, outline_a, round_a)
    if on_b >= 0 and round_b > 2:
        _one(on_b, corners[0])
        _three(outline_b, round_b, corners[1])
        return VERTEX_FACE
    if on_a >= 0 and round_a > 2:
        _three(outline_a, round_a, corners[0])
        _one(on_a, corners[1])
        return FACE_VERTEX
    if _crossing(flat_a, outline_a, round_a, flat_b, outline_b, round_b, corners):
        return EDGE_EDGE
    if on_b >= 0:
        _one(on_b, corners[0])
        _three(outline_b, round_b, corners[1])
        return VERTEX_EDGE
    if on_a >= 0:
        _three(outline_a, round_a, corners[0])
        _one(on_a, corners[1])
        return EDGE_VERTEX
    best = np.inf
    for i in range(few_a):
        for j in range(few_b):
            p, q = flat_a[near_a[i]], flat_b[near_b[j]]
            away = (p[0] - q[0]) ** 2 + (p[1] - q[1]) ** 2
            if away < best:
                best = away
                _one(near_a[i], corners[0])
                _one(near_b[j], corners[1])
    return VERTEX_VERTEX


@inner
def _pressed(a: Floats, b: Floats, n: Floats, corners: Ints) -> int:
    """The face of one across n and the other's deepest corner, whether or not that is over the face."""
    flat_a, flat_b = np.empty((len(a), 2)), np.empty((len(b), 2))
    _flatten(a, b, n, flat_a, flat_b)
    near_a, near_b, outline_a, outline_b = _room(a), _room(b), _room(a), _room(b)
    few_a, few_b = _nearest(a, n, 1.0, near_a), _nearest(b, n, -1.0, near_b)
    round_a, round_b = _outline(flat_a, near_a, few_a, outline_a), _outline(flat_b, near_b, few_b, outline_b)
    if round_b > 2:
        _one(near_a[0], corners[0])
        _three(outline_b, round_b, corners[1])
        return VERTEX_FACE
    if round_a > 2:
        _three(outline_a, round_a, corners[0])
        _one(near_b[0], corners[1])
        return FACE_VERTEX
    if _crossing(flat_a, outline_a, round_a, flat_b, outline_b, round_b, corners):
        return EDGE_EDGE
    _one(near_a[0], corners[0])
    _one(near_b[0], corners[1])
    return VERTEX_VERTEX


@inner
def _room(points: Floats) -> Ints:
    return np.empty(len(points) + 1, np.int64)


@inner
def _one(corner: int, out: Ints) -> None:
    for i in range(3):
        out[i] = corner


@inner
def _three(outline: Ints, count: int, out: Ints) -> None:
    """Three corners of a face, far apart in its order; of an edge both ends, and the first again."""
    out[0], out[1] = outline[0], outline[1 if count == 2 else count // 3]
    out[2] = outline[0 if count == 2 else 2 * count // 3]


@inner
def _flatten(a: Floats, b: Floats, n: Floats, flat_a: Floats, flat_b: Floats) -> None:
    """Fill in both hulls as seen along n: along two directions that make a right-handed frame with it."""
    first, second, least = np.zeros(3), np.empty(3), 0
    for i in range(3):
        if abs(n[i]) < abs(n[least]):
            least = i
    j, k = (least + 1) % 3, (least + 2) % 3
    length = np.sqrt(n[j] ** 2 + n[k] ** 2)
    first[j], first[k] = n[k] / length, -n[j] / length
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        second[i] = n[j] * first[k] - n[k] * first[j]
    for l in range(len(a)):
        flat_a[l, 0], flat_a[l, 1] = dot(a[l], first), dot(a[l], second)
    for l in range(len(b)):
        flat_b[l, 0], flat_b[l, 1] = dot(b[l], first), dot(b[l], second)


@inner
def _size(points: Floats) -> float:
    """The longest side of the box around points of any dimension."""
    size = 0.0
    for i in range(points.shape[1]):
        low, high = points[0, i], points[0, i]
        for k in range(len(points)):
            low, high = min(low, points[k, i]), max(high, points[k, i])
        size = max(size, high - low)
    return size


@inner
def _nearest(points: Floats, n: Floats, sign: float, out: Ints) -> int:
    """The corners that are as low along n as any; how many."""
    least, slack, count = np.inf, ALIKE * _size(points), 0
    for k in range(len(points)):
        least = min(least, sign * dot(points[k], n))
    for k in range(len(points)):
        if sign * dot(points[k], n) <= least + slack:
            out[count] = k
            count += 1
    return count


@inner
def _outline(flat: Floats, near: Ints, count: int, out: Ints) -> int:
    """The outermost of some corners, and how many: one, an edge's ends, or those around a face, counterclockwise."""
    x, y, wide, far, slack = 0.0, 0.0, 0.0, 0, ALIKE * _size(flat)
    for k in range(count):
        x, y = x + flat[near[k], 0] / count, y + flat[near[k], 1] / count
    longest = -1.0
    for k in range(count):
        e, f = flat[near[k], 0] - x, flat[near[k], 1] - y
        wide = max(wide, max(abs(e), abs(f)))
        if e * e + f * f > longest:
            longest, far = e * e + f * f, k
    out[0] = near[0]
    if count == 1 or wide <= slack:
        return 1
    u, v, aside, low, high = flat[near[far], 0] - x, flat[near[far], 1] - y, 0.0, np.inf, -np.inf
    u, v = u / np.sqrt(longest), v / np.sqrt(longest)
    for k in range(count):
        e, f = flat[near[k], 0] - x, flat[near[k], 1] - y
        aside = max(aside, abs(u * f - v * e))
        if u * e + v * f < low:
            low, out[0] = u * e + v * f, near[k]
        if u * e + v * f > high:
            high, out[1] = u * e + v * f, near[k]
    return 2 if aside <= slack else _around(flat, near, count, slack * wide, out)


@inner
def _around(flat: Floats, near: Ints, count: int, slack: float, out: Ints) -> int:
    """The corners of a flat hull, counterclockwise from the leftmost: up its lower side, and back."""
    order = near[:count].copy()
    for k in range(1, count):  # sorted by x, then y
        l = k
        while l > 0 and (
            flat[order[l], 0] < flat[order[l - 1], 0]
            or (flat[order[l], 0] == flat[order[l - 1], 0] and flat[order[l], 1] < flat[order[l - 1], 1])
        ):
            order[l], order[l - 1] = order[l - 1], order[l]
            l -= 1
    total, first = 0, 2
    for step in range(2 * count - 1):
        k = order[step if step < count else 2 * count - 2 - step]
        if step == count:
            first = total + 1
        while total >= first and _area(flat, out[total - 2], out[total - 1], k) <= slack:
            total -= 1
        out[total] = k
        total += 1
    return total - 1


@inner
def _area(flat: Floats, i: int, j: int, k: int) -> float:
    return (flat[j, 0] - flat[i, 0]) * (flat[k, 1] - flat[i, 1]) - (flat[j, 1] - flat[i, 1]) * (flat[k, 0] - flat[i, 0])


@inner
def _corner_on(
    points: Floats, n: Floats, sign: float, flat: Floats, near: Ints, count: int, other: Floats, outline: Ints,
    rounds: int,
) -> int:  # fmt: skip
    """The lowest corner over an edge or a face; of equally low ones the first. -1: none."""
    slack, lowest, corner = ALIKE * max(_size(flat), _size(other)), np.inf, -1
    for k in range(count):
        if _is_over(flat[near[k]], other, outline, rounds, slack):
            height = sign * dot(points[near[k]], n)
            if height < lowest - 1e-3 * slack:
                corner = near[k]
            lowest = min(lowest, height)
    return corner


@inner
def _is_over(point: Floats, other: Floats, outline: Ints, count: int, slack: float) -> bool:
    if count == 1:
        return False  # two corners are the last resort, and an edge over a corner is another case
    for k in range(count if count > 2 else 1):
        p, q = other[outline[k]], other[outline[(k + 1) % count]]
        e, f, x, y = q[0] - p[0], q[1] - p[1], point[0] - p[0], point[1] - p[1]
        length = np.sqrt(e * e + f * f)
        aside, along = (e * y - f * x) / length, (e * x + f * y) / length
        if aside < -slack or (count == 2 and (aside > slack or along < -slack or along > length + slack)):
            return False
    return True


@inner
def _crossing(
    flat_a: Floats, outline_a: Ints, round_a: int, flat_b: Floats, outline_b: Ints, round_b: int, corners: Ints
) -> bool:
    """The two edges that cross at the largest angle, b's turned so that both with n are right-handed."""
    best = ALIKE
    for first in range(round_a if round_a > 2 else round_a - 1):
        i, j = outline_a[first], outline_a[(first + 1) % round_a]
        for second in range(round_b if round_b > 2 else round_b - 1):
            k, l = outline_b[second], outline_b[(second + 1) % round_b]
            e, f = flat_a[j, 0] - flat_a[i, 0], flat_a[j, 1] - flat_a[i, 1]
            g, h = flat_b[l, 0] - flat_b[k, 0], flat_b[l, 1] - flat_b[k, 1]
            x, y = flat_b[k, 0] - flat_a[i, 0], flat_b[k, 1] - flat_a[i, 1]
            area = e * h - f * g
            sine = abs(area) / np.sqrt((e * e + f * f) * (g * g + h * h))
            if not sine > best:
                continue
            on_a, on_b = (x * h - y * g) / area, (x * f - y * e) / area
            if -ALIKE <= on_a <= 1.0 + ALIKE and -ALIKE <= on_b <= 1.0 + ALIKE:
                best = sine
                corners[0, 0], corners[0, 1], corners[0, 2] = i, j, i
                corners[1, 0], corners[1, 1] = (k, l) if area > 0.0 else (l, k)
                corners[1, 2] = corners[1, 0]
    return best > ALIKE
