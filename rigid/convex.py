"""Where two rounded convex hulls touch: the features that meet, once, and their contact as a smooth function.

Finding the features (`closest`) is discrete, in machine code (`hull_features`), and takes the longer the larger the
meshes are. From then on a contact is a `Feature`: one to three corners of each hull in its own frame, and which formula
joins them. With A and B these corners in the world, the gap is n·(A₀ - B₀) minus both radii, along n = N / |N|:

    vertex-vertex  N = A₀ - B₀                              vertex-face  N = (B₁ - B₀) × (B₂ - B₀)
    vertex-edge    N = A₀ - B₀ without its part along B     face-vertex  N = (A₁ - A₀) × (A₂ - A₀)
    edge-vertex    N = A₀ - B₀ without its part along A     edge-edge    N = (A₁ - A₀) × (B₁ - B₀)

Corners are ordered so that N points from b to a; faces and crossing edges thus keep their sign when they overlap. The
first three are distances, whose N vanishes where sharp hulls touch; rounded ones never come that close.

*Which feature, when many touch at once* (a box flat on the ground): the corners of each hull that are as near as any
along n, to `ALIKE` of its size, make a point, an edge or a face. The first of these that is true is taken: a corner of
a over a face of b (the nearest; of equally near ones the first of the list), a corner of b over a face of a, two edges
that cross (the pair farthest from parallel), a corner of a over an edge of b, a corner of b over an edge of a, two
corners.
"""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from rigid.gjk import Floats, Poses, least_distance
from rigid.hull_features import (
    EDGE_EDGE,
    EDGE_VERTEX,
    FACE_VERTEX,
    KINDS,
    VERTEX_EDGE,
    VERTEX_FACE,
    VERTEX_VERTEX,
    face_normals,
    feature_of,
)

__all__ = ["KINDS", "Feature", "Pose", "closest", "contact"]


@partial(jax.tree_util.register_dataclass, data_fields=["rotation", "position"], meta_fields=[])
@dataclass(frozen=True)
class Pose:
    """Where a body is."""

    rotation: Array  # (3, 3)
    position: Array  # (3,) of its origin [m]


@partial(jax.tree_util.register_dataclass, data_fields=["kind", "a", "b"], meta_fields=[])
@dataclass(frozen=True)
class Feature:
    """What meets what: the place of its name in `KINDS`, and corners in own frames; unused ones repeat the first."""

    kind: ArrayLike
    a: ArrayLike  # (3, 3)
    b: ArrayLike  # (3, 3)


def closest(a_vertices: Floats, pose_a: Pose, b_vertices: Floats, pose_b: Pose) -> Feature:
    """The features of two hulls (V, 3) and (W, 3), in their own frames, that are closest to each other."""
    a, b = np.asarray(a_vertices, float), np.asarray(b_vertices, float)
    here_a, here_b = _poses(pose_a), _poses(pose_b)
    normals = np.concatenate([face_normals(a) @ here_a.rotation[0].T, face_normals(b) @ here_b.rotation[0].T])
    kind, corners = feature_of(here_a.apply(a)[0], here_b.apply(b)[0], normals, least_distance(a, b))
    return Feature(np.asarray(kind), a[corners[0]], b[corners[1]])


def contact(
    feature: Feature, pose_a: Pose, pose_b: Pose, radius_a: ArrayLike = 0.0, radius_b: ArrayLike = 0.0
) -> tuple[Array, Array, Array]:
    """Signed gap [m], unit normal (3,) from b to a, and the point (3,) midway between both surfaces."""
    A, B = (
        jnp.asarray(x) @ pose.rotation.T + pose.position[None] for x, pose in ((feature.a, pose_a), (feature.b, pose_b))
    )
    N = _unscaled_normal(feature.kind, A, B)
    square = jnp.dot(N, N)
    normal = N / jnp.sqrt(jnp.where(square > 0.0, square, 1.0))
    apart = jnp.dot(normal, A[0] - B[0])
    gap = apart - radius_a - radius_b
    return gap, normal, _foot_on_a(feature.kind, A, B, N, apart * normal) - (radius_a + 0.5 * gap) * normal


def _unscaled_normal(kind: ArrayLike, A: Array, B: Array) -> Array:
    between, edge_a, edge_b = A[0] - B[0], A[1] - A[0], B[1] - B[0]
    return _pick(
        kind,
        {
            VERTEX_VERTEX: between,
            VERTEX_EDGE: _across(between, edge_b),
            EDGE_VERTEX: _across(between, edge_a),
            VERTEX_FACE: jnp.cross(edge_b, B[2] - B[0]),
            FACE_VERTEX: jnp.cross(edge_a, A[2] - A[0]),
            EDGE_EDGE: jnp.cross(edge_a, edge_b),
        },
    )


def _foot_on_a(kind: ArrayLike, A: Array, B: Array, N: Array, way: Array) -> Array:
    """The point of a's hull that is closest to b."""
    on_edge = A[0] + _ratio(jnp.dot(jnp.cross(B[0] - A[0], B[1] - B[0]), N), jnp.dot(N, N)) * (A[1] - A[0])
    over = B[0] + way
    return _pick(
        kind,
        {
            VERTEX_VERTEX: A[0],
            VERTEX_EDGE: A[0],
            VERTEX_FACE: A[0],
            EDGE_VERTEX: over,
            FACE_VERTEX: over,
            EDGE_EDGE: on_edge,
        },
    )


def _pick(kind: ArrayLike, choices: dict[int, Array]) -> Array:
    """One of them by its number; all must be finite, since a derivative looks at each."""
    return jnp.select([jnp.asarray(kind) == number for number in choices], list(choices.values()))


def _across(vector: Array, edge: Array) -> Array:
    """Without its part along the edge."""
    return vector - _ratio(jnp.dot(vector, edge), jnp.dot(edge, edge)) * edge


def _ratio(number: Array, by: Array) -> Array:
    """Zero where a feature of another kind leaves nothing to divide by."""
    return jnp.where(by > 0.0, number / jnp.where(by > 0.0, by, 1.0), 0.0)


def _poses(pose: Pose) -> Poses:
    return Poses(np.asarray(pose.rotation, float)[None], np.asarray(pose.position, float)[None])
