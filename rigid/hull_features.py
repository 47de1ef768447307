"""Which corners, edges or faces of two convex hulls meet along a given direction; plain numpy, see `convex`."""

import numpy as np
from scipy.spatial import ConvexHull

from rigid.gjk import Floats

VERTEX_VERTEX, VERTEX_EDGE, VERTEX_FACE, EDGE_VERTEX, FACE_VERTEX, EDGE_EDGE = range(6)
ALIKE = 1e-9  # share of a hull's size within which corners are equally near

Meeting = tuple[int, list[int], list[int]]  # kind, corners of a, corners of b


def meeting(a: Floats, b: Floats, n: Floats) -> Meeting:
    """What meets, for corners (V, 3) and (W, 3) in the world and the unit vector n from b to a."""
    plane = _plane(n)
    near_a, near_b = _nearest(a, n), _nearest(b, -n)
    flat_a, flat_b = a @ plane, b @ plane
    outline_a, outline_b = _outline(flat_a, near_a), _outline(flat_b, near_b)
    on_b = _corner_on(a @ n, flat_a, near_a, flat_b, outline_b)
    on_a = _corner_on(-(b @ n), flat_b, near_b, flat_a, outline_a)
    crossing = _crossing(flat_a, outline_a, flat_b, outline_b)
    if on_b is not None and len(outline_b) > 2:
        return VERTEX_FACE, [on_b], _three(outline_b)
    if on_a is not None and len(outline_a) > 2:
        return FACE_VERTEX, _three(outline_a), [on_a]
    if crossing is not None:
        return EDGE_EDGE, *crossing
    if on_b is not None:
        return VERTEX_EDGE, [on_b], outline_b
    if on_a is not None:
        return EDGE_VERTEX, outline_a, [on_a]
    return VERTEX_VERTEX, *_nearest_pair(flat_a, near_a, flat_b, near_b)


def pressed(a: Floats, b: Floats, n: Floats) -> Meeting:
    """The face of one across n and the other's deepest corner, whether or not that is over the face."""
    plane = _plane(n)
    near_a, near_b = _nearest(a, n), _nearest(b, -n)
    outline_a, outline_b = _outline(a @ plane, near_a), _outline(b @ plane, near_b)
    if len(outline_b) > 2:
        return VERTEX_FACE, near_a[:1], _three(outline_b)
    if len(outline_a) > 2:
        return FACE_VERTEX, _three(outline_a), near_b[:1]
    crossing = _crossing(a @ plane, outline_a, b @ plane, outline_b)
    return (EDGE_EDGE, *crossing) if crossing else (VERTEX_VERTEX, near_a[:1], near_b[:1])


def least_overlap(a: Floats, b: Floats) -> tuple[Floats, float]:
    """The unit vector from b to a, of all normals of faces, along which the hulls overlap least, and by how much."""
    normals = np.concatenate([_normals(a), _normals(b)])
    several = normals if len(normals) else _across_lines(a, b)
    several = np.concatenate([several, -several])
    overlap = np.max(b @ several.T, axis=0) - np.min(a @ several.T, axis=0)
    least = int(np.argmin(overlap))
    return several[least], float(overlap[least])


def _normals(points: Floats) -> Floats:
    """Of the hull's faces (F, 3); a line or a point has none."""
    _, sizes, axes = np.linalg.svd(points - points.mean(axis=0))
    rank = int(np.sum(sizes > ALIKE * max(sizes[0], 1e-300)))
    if rank < 3:
        return np.asarray(axes[2:] if rank == 2 else np.zeros((0, 3)))
    return np.asarray(ConvexHull(points).equations[:, :3])


def _across_lines(a: Floats, b: Floats) -> Floats:
    """What separates two lines or points that have no faces: the direction across both, or any."""
    across = np.cross(a[-1] - a[0], b[-1] - b[0])
    length = np.linalg.norm(across)
    return np.eye(3) if length == 0.0 else across[None] / length


def _plane(n: Floats) -> Floats:
    """(3, 2) two directions that make a right-handed frame with n."""
    first = np.cross(n, np.eye(3)[np.argmin(np.abs(n))])
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(n, first)], axis=1)


def _size(points: Floats) -> float:
    return float(np.ptp(points, axis=0).max())


def _nearest(points: Floats, n: Floats) -> list[int]:
    """The corners that are as low along n as any."""
    height = points @ n
    return [int(i) for i in np.flatnonzero(height <= height.min() + ALIKE * _size(points))]


def _outline(flat: Floats, corners: list[int]) -> list[int]:
    """The outermost of these corners: one, the two ends of an edge, or those around a face, counterclockwise."""
    centred = flat[corners] - flat[corners].mean(axis=0)
    slack = ALIKE * _size(flat)
    if len(corners) == 1 or np.abs(centred).max() <= slack:
        return corners[:1]
    axis = np.linalg.svd(centred)[2]
    if np.abs(centred @ axis[1]).max() <= slack:
        along = centred @ axis[0]
        return [corners[int(np.argmin(along))], corners[int(np.argmax(along))]]
    return [corners[i] for i in ConvexHull(centred).vertices]


def _corner_on(height: Floats, flat: Floats, near: list[int], other: Floats, outline: list[int]) -> int | None:
    """The lowest corner over an edge or a face; of equally low ones the first."""
    slack = ALIKE * max(_size(flat), _size(other))
    over = [i for i in near if _is_over(flat[i], other[outline], slack)]
    if not over:
        return None
    lowest = min(height[i] for i in over)
    return next(i for i in over if height[i] <= lowest + 1e-3 * slack)


def _is_over(point: Floats, outline: Floats, slack: float) -> bool:
    if len(outline) == 1:
        return False  # two corners are the last resort, and an edge over a corner is another case
    edges = np.roll(outline, -1, axis=0) - outline
    lengths = np.linalg.norm(edges, axis=1)
    offset = point - outline
    if len(outline) == 2:
        along = offset[0] @ edges[0] / lengths[0]
        return bool(abs(_cross(edges[0], offset[0])) <= slack * lengths[0] and -slack <= along <= lengths[0] + slack)
    return bool(np.all(_cross(edges, offset) >= -slack * lengths))


def _cross(p: Floats, q: Floats) -> Floats:
    return np.asarray(p[..., 0] * q[..., 1] - p[..., 1] * q[..., 0])


def _three(outline: list[int]) -> list[int]:
    """Three corners of a face, far apart in its order; an edge is left as it is."""
    k = len(outline)
    return outline if k < 3 else [outline[0], outline[k // 3], outline[2 * k // 3]]


def _edges(outline: list[int]) -> list[tuple[int, int]]:
    if len(outline) < 3:
        return [(outline[0], outline[-1])] if len(outline) == 2 else []
    return list(zip(outline, outline[1:] + outline[:1], strict=True))


def _crossing(
    flat_a: Floats, outline_a: list[int], flat_b: Floats, outline_b: list[int]
) -> tuple[list[int], list[int]] | None:
    """The two edges that cross at the largest angle, b's turned so that both with n are right-handed."""
    best_sine, crossing = ALIKE, None
    for i, j in _edges(outline_a):
        for k, l in _edges(outline_b):
            e, f, offset = flat_a[j] - flat_a[i], flat_b[l] - flat_b[k], flat_b[k] - flat_a[i]
            area = float(_cross(e, f))
            sine = abs(area) / float(np.linalg.norm(e) * np.linalg.norm(f))
            if sine > best_sine and _between(_cross(offset, f) / area) and _between(_cross(offset, e) / area):
                best_sine, crossing = sine, ([i, j], [k, l] if area > 0.0 else [l, k])
    return crossing


def _between(share: Floats) -> bool:
    return bool(-ALIKE <= share <= 1.0 + ALIKE)


def _nearest_pair(flat_a: Floats, near_a: list[int], flat_b: Floats, near_b: list[int]) -> tuple[list[int], list[int]]:
    away = np.linalg.norm(flat_a[near_a][:, None] - flat_b[near_b][None], axis=2)
    i, j = np.unravel_index(np.argmin(away), away.shape)
    return [near_a[int(i)]], [near_b[int(j)]]
