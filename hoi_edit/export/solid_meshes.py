"""Meshes of bodies and things, as triangles with normals."""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
from numpy.typing import NDArray
from scipy.spatial import ConvexHull

from hoi_edit.export.swept_balls import split_sphere, swept_ball
from kinematics.rotation import Floats, perpendicular_frame
from kinematics.skeleton import Shape
from rigid.body import Body

BODY_STEPS, THING_STEPS = 4, 6  # per quarter circle


@dataclass(frozen=True, eq=False)
class Mesh:
    """Triangles that are counter-clockwise from outside."""

    points: Floats  # (V, 3)
    normals: Floats  # (V, 3)
    triangles: NDArray[np.uint32]  # (M, 3)

    def moved(self, rotation: Floats, position: Floats) -> "Mesh":
        R = np.asarray(rotation, float)
        return Mesh(self.points @ R.T + np.asarray(position, float), self.normals @ R.T, self.triangles)


def joined(meshes: Sequence[Mesh]) -> Mesh:
    first = np.cumsum([0, *(len(mesh.points) for mesh in meshes)])
    return Mesh(
        np.concatenate([mesh.points for mesh in meshes]),
        np.concatenate([mesh.normals for mesh in meshes]),
        np.concatenate([mesh.triangles + np.uint32(start) for mesh, start in zip(meshes, first, strict=False)]),
    )


def shape_mesh(shape: Shape) -> Mesh:
    """A shape of a body in the frame of its segment."""
    inner, radius = swept_ball(shape.kind, np.asarray(shape.size, float)[None])
    return _swept(inner[0], float(radius[0]), BODY_STEPS).moved(shape.rotation, shape.position)


def body_mesh(body: Body) -> Mesh:
    """A thing in its own frame: balls and capsules round, everything else by its hull."""
    corners, radius = np.asarray(body.vertices, float), float(body.radius)
    if len(corners) == 1:
        return _swept(np.zeros(3), radius, THING_STEPS).moved(np.eye(3), corners[0])
    if len(corners) == 2:
        half = (corners[1] - corners[0]) / 2
        length = float(np.linalg.norm(half))
        frame = perpendicular_frame(half / length, np.array([0.0, 0.0, 1.0]))
        return _swept(np.array([0.0, length, 0.0]), radius, THING_STEPS).moved(frame, corners.mean(axis=0))
    if radius > 0.0:
        around = np.unique(np.round(split_sphere(3, 0)[0][:, :3].astype(float), 9), axis=0)
        corners = (corners[:, None] + radius * around).reshape(-1, 3)
    return hull_mesh(corners)


def hull_mesh(corners: Floats) -> Mesh:
    """The convex hull of some points, each face flat."""
    hull = ConvexHull(corners)
    triangles, outward = hull.simplices, hull.equations[:, :3]
    a, b, c = (corners[triangles[:, k]] for k in range(3))
    inside_out = np.sum(np.cross(b - a, c - a) * outward, axis=1) < 0.0
    triangles = np.where(inside_out[:, None], triangles[:, [0, 2, 1]], triangles)
    return _merged(corners[triangles].reshape(-1, 3), np.repeat(outward, 3, axis=0), np.arange(triangles.size))


@cache
def _unit(steps: int) -> tuple[NDArray[np.float32], NDArray[np.uint32]]:
    return split_sphere(steps, 0)


def _swept(inner: Floats, radius: float, steps: int) -> Mesh:
    vertices, triangles = _unit(steps)
    direction, octant = vertices[:, :3].astype(float), vertices[:, 3:].astype(float)
    normals = direction / np.linalg.norm(direction, axis=1, keepdims=True)
    return _merged(radius * normals + octant * inner, normals, triangles.ravel())


def _merged(points: Floats, normals: Floats, corners: NDArray[np.integer]) -> Mesh:
    """Without vertices that are there twice and triangles that have no area."""
    _, kept, name = np.unique(
        np.round(np.concatenate([points, normals], axis=1), 7) + 0.0, axis=0, return_index=True, return_inverse=True
    )
    points, normals = points[kept], normals[kept]
    triangles = name.reshape(-1)[corners].reshape(-1, 3)
    a, b, c = (points[triangles[:, k]] for k in range(3))
    areas = np.linalg.norm(np.cross(b - a, c - a), axis=1)
    return Mesh(points, normals, triangles[areas > 1e-12].astype(np.uint32))
