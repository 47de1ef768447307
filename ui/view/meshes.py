"""Shapes as arrays for the renderer: rows of numbers per instance of the one mesh of `swept_balls`. No GL."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.spatial import ConvexHull

from hoi_edit.export.swept_balls import linear, swept_ball

Array = NDArray[np.float64]
Floats = NDArray[np.float32]


FIELDS = ("position", "rotation", "inner", "radius", "tint", "hull")


@dataclass(frozen=True, eq=False)
class Bodies:
    """Solids of all kinds as swept balls."""

    position: Array  # (N, 3)
    rotation: Array  # (N, 3, 3)
    inner: Array  # (N, 3)
    radius: Array  # (N,)
    tint: Array  # (N, 4) linear, alpha
    hull: Array  # (N,) the number of its mesh among the hulls of a picture; -1: a swept ball

    def __len__(self) -> int:
        return len(self.position)

    def where(self, keep: NDArray[np.bool_]) -> Bodies:
        return Bodies(*(getattr(self, name)[keep] for name in FIELDS))

    def hulls_last(self) -> Bodies:
        order = np.argsort(self.hull >= 0, kind="stable")
        return Bodies(*(getattr(self, name)[order] for name in FIELDS))

    def rows(self) -> Array:
        """(N, 20) as the vertex shader reads them."""
        axes = self.rotation.transpose(0, 2, 1).reshape(-1, 9)
        return np.concatenate([self.position, axes, self.inner, self.radius[:, None], self.tint], axis=1)


def bodies(
    kind: str, position: ArrayLike, rotation: ArrayLike, size: ArrayLike, colour: ArrayLike, alpha: ArrayLike,
    hull: int = -1,
) -> Bodies:  # fmt: skip
    """N solids of one kind; colour (sRGB) and alpha broadcast. A hull has a mesh of its own, of that number."""
    p, turn, extent = (np.asarray(x, dtype=float) for x in (position, rotation, size))
    n = len(p)
    if p.shape != (n, 3) or turn.shape != (n, 3, 3) or extent.shape != (n, 3):
        raise ValueError(
            f"{n} solids of kind {kind!r} need position (N, 3), rotation (N, 3, 3) and size (N, 3), "
            f"got {p.shape}, {turn.shape} and {extent.shape}"
        )
    inner, radius = (extent, np.zeros(n)) if kind == "hull" else swept_ball(kind, extent)
    tint = np.empty((n, 4))
    tint[:, :3], tint[:, 3] = linear(colour), alpha
    return Bodies(p, turn, inner, radius, tint, np.full(n, float(hull)))


def join(parts: Sequence[Bodies]) -> Bodies:
    none = Bodies(np.zeros((0, 3)), np.zeros((0, 3, 3)), np.zeros((0, 3)), np.zeros(0), np.zeros((0, 4)), np.zeros(0))
    return Bodies(*(np.concatenate([getattr(part, name) for part in (none, *parts)]) for name in FIELDS))


def hull_mesh(corners: ArrayLike) -> Floats:
    """(3 T, 6) the triangles of a hull as swept balls have theirs: where each corner faces, and its place in shares of
    the half extents. With those as its inner size and no radius, the same shader draws it. Faces are flat."""
    points = np.asarray(corners, float)
    hull = ConvexHull(points)
    triangles, normals = points[hull.simplices], hull.equations[:, :3]
    facing = np.cross(triangles[:, 1] - triangles[:, 0], triangles[:, 2] - triangles[:, 0])
    inside_out = np.einsum("ti,ti->t", facing, normals) < 0.0
    triangles[inside_out] = triangles[inside_out][:, ::-1]  # counter-clockwise from outside
    extent = np.maximum(np.abs(points).max(axis=0), 1e-12)
    rows = np.concatenate([np.repeat(normals[:, None], 3, axis=1), triangles / extent], axis=2)
    return rows.reshape(-1, 6).astype(np.float32)


def occluder_capsules(position: Array, rotation: Array, inner: Array, radius: Array) -> Array:
    """(N, 8) rows `a, r, b, 0`: each solid as a capsule from a to b, near enough for soft contact darkening."""
    longest = inner.argmax(axis=1)
    rows = np.arange(len(inner))
    half_length = inner[rows, longest]
    # A box is as thick as the mean of its two shorter sides, and its capsule must not stick out of its ends.
    thickness = radius + (inner.sum(axis=1) - half_length) / 2
    half = np.maximum(half_length + radius - thickness, 0.0)[:, None] * rotation[rows, :, longest]
    zero = np.zeros(len(inner))
    return np.column_stack([position - half, thickness, position + half, zero])


def neighbours(capsules: Array, most: int) -> Floats:
    """(N, most, 8) for each of N capsules the others that can darken it most; empty places have radius 0."""
    n = len(capsules)
    others = np.zeros((n, most, 8), dtype=np.float32)
    if n < 2:
        return others
    a, radius, b = capsules[:, :3], capsules[:, 3], capsules[:, 4:7]
    gap = np.full((n, n), np.inf)
    for probe in (a, (a + b) / 2, b):
        gap = np.minimum(gap, _distance_to_segments(probe, a, b))
    gap = np.maximum(gap - radius[:, None] - radius, 0.0)
    influence = (radius / (gap + radius)) ** 2
    np.fill_diagonal(influence, -1.0)
    count = min(most, n - 1)
    best = np.argpartition(-influence, count - 1, axis=1)[:, :count]
    # A fixed order, so that equal scenes give equal pictures to the last bit.
    others[:, :count] = capsules[np.sort(best, axis=1)]
    return others


def _distance_to_segments(points: Array, a: Array, b: Array) -> Array:
    """(N, M) from N points to M segments."""
    ab = b - a
    ap = points[:, None] - a
    along = np.einsum("nmi,mi->nm", ap, ab) / np.maximum(np.einsum("mi,mi->m", ab, ab), 1e-12)
    return np.asarray(np.linalg.norm(ap - np.clip(along, 0.0, 1.0)[..., None] * ab, axis=-1))


def segments(points: Array) -> Floats:
    """(N - 1, 12) rows `before, start, end, after` of a polyline; an end repeats itself, which asks for a round cap."""
    padded = np.concatenate([points[:1], points, points[-1:]])
    return np.concatenate([padded[:-3], padded[1:-2], padded[2:-1], padded[3:]], axis=1).astype(np.float32)


def light_frame(direction_to_light: Array) -> Array:
    """Rows: two axes across the light and the direction the light travels."""
    away = -direction_to_light / np.linalg.norm(direction_to_light)
    across = np.cross([0.0, 1.0, 0.0], away)
    if np.linalg.norm(across) < 1e-6:  # straight from above
        across = np.array([1.0, 0.0, 0.0])
    across /= np.linalg.norm(across)
    return np.stack([across, np.cross(away, across), away])


def fit_light(frame: Array, centre: Array, reach: Array, texels: int) -> tuple[Array, float, float]:
    """World to shadow map clip space (4x4) around bounding spheres, with the map's width and depth range [m].

    The width is rounded up and the middle snapped to whole texels, so that shadows do not crawl while things move.
    """
    local = centre @ frame.T
    low, high = (local - reach[:, None]).min(axis=0), (local + reach[:, None]).max(axis=0)
    width = float(np.ceil((high - low)[:2].max() * 4 + 0.5) / 4)
    texel = width / texels
    middle = np.round((low + high)[:2] / 2 / texel) * texel
    near = float(low[2]) - 0.05
    # Deep enough for the ground under the farthest shadow: the ray from the highest caster still has to land.
    fall = max(float((centre[:, 1] + reach).max()), 0.0) / max(-float(frame[2, 1]), 0.1)
    depth = float(high[2]) - near + fall + 0.05
    matrix = np.eye(4)
    matrix[:2, :3] = frame[:2] * 2 / width
    matrix[:2, 3] = -middle * 2 / width
    matrix[2, :3] = frame[2] * 2 / depth
    matrix[2, 3] = -near * 2 / depth - 1
    return matrix, width, depth
