"""A `Drawing` as tables of numbers, a row for each thing that is drawn, and how a graphics card is to read them."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ui.view import meshes
from ui.view.drawing import SHAPES, Marker, Polyline, Solid, SolidArray
from ui.view.meshes import Bodies

Array = NDArray[np.float64]
SOLID_LAYOUT = "3f 3f 3f 3f 4f 4f /i", "at", "axis_x", "axis_y", "axis_z", "inner_radius", "tint"
SOLID_DEPTH_LAYOUT = "3f 3f 3f 3f 4f 4x4 /i", "at", "axis_x", "axis_y", "axis_z", "inner_radius"
LINE_LAYOUT = "3f 3f 3f 3f 4f 1f /i", "before", "start", "end", "after", "tint", "width"
MARKER_LAYOUT = "3f 4f 3f /i", "at", "tint", "size_shape_top"
CONTACT_LAYOUT = "4f 4f /i", "capsule_a", "capsule_b"


def gather(solids: Sequence[Solid | SolidArray]) -> tuple[Bodies, list[Array]]:
    """One table of all solids, and the corners of those that are hulls. Singles are put together by kind first: numpy
    is slow on small pieces."""
    arrays = [s for s in solids if isinstance(s, SolidArray)]
    fields = ("position", "rotation", "size", "colour", "alpha")
    hulls = [s for s in solids if isinstance(s, Solid) and s.corners is not None]
    for kind in sorted({s.kind for s in solids if isinstance(s, Solid) and s.corners is None}):
        same = [s for s in solids if isinstance(s, Solid) and s.kind == kind and s.corners is None]
        arrays.append(SolidArray(kind, *(np.array([getattr(s, f) for s in same], dtype=float) for f in fields)))
    parts = [meshes.bodies(a.kind, a.position, a.rotation, a.size, a.colour, a.alpha) for a in arrays]
    for k, s in enumerate(hulls):
        position, rotation, size, colour, alpha = (np.array([getattr(s, f)], dtype=float) for f in fields)
        parts.append(meshes.bodies(s.kind, position, rotation, size, colour, alpha, hull=k))
    return meshes.join(parts), [np.asarray(s.corners, float) for s in hulls]


def line_rows(lines: Sequence[Polyline]) -> Array:
    rows = [np.zeros((0, 17))]
    for line in lines:
        points = np.asarray(line.points, dtype=float).reshape(-1, 3)
        if len(points) >= 2:
            style = np.array([*np.asarray(line.colour, dtype=float), line.alpha, line.width_px])
            rows.append(np.column_stack([meshes.segments(points), np.tile(style, (len(points) - 1, 1))]))
    return np.concatenate(rows)


def marker_rows(markers: Sequence[Marker]) -> Array:
    for marker in markers:
        if marker.shape not in SHAPES:
            raise ValueError(f"unknown shape of marker {marker.shape!r}: choose one of {', '.join(SHAPES)}")
    rows = [
        [
            *np.asarray(m.position, dtype=float),
            *np.asarray(m.colour, dtype=float),
            m.alpha,
            m.size_px,
            SHAPES.index(m.shape),
            float(m.on_top),
        ]
        for m in markers
    ]
    return np.array(rows, dtype=float).reshape(-1, 10)
