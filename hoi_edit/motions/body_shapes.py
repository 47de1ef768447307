"""The shapes of a body in the world, as plain arrays: what a renderer draws and what an exporter writes."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from kinematics.forward import forward
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


@dataclass(frozen=True)
class WorldShapes:
    """All shapes of one kind in N poses; sizes as in `kinematics.skeleton.Shape`."""

    kind: str
    position: Floats  # (N, S, 3)
    rotation: Floats  # (N, S, 3, 3)
    size: Floats  # (S, 3)


def world_shapes(skeleton: Skeleton, poses: Floats) -> list[WorldShapes]:
    """The body's shapes in each of the poses (N, D), grouped by kind."""
    rotation, position = (np.asarray(part) for part in _frames(skeleton, jnp.asarray(poses)))
    return placed_shapes(skeleton, position, rotation)


def placed_shapes(skeleton: Skeleton, position: Floats, rotation: Floats) -> list[WorldShapes]:
    """The same, of a body whose segments are at positions (N, J, 3), turned by rotations (N, J, 3, 3)."""
    groups = []
    for kind in sorted({shape.kind for shape in skeleton.shapes}):
        shapes = [shape for shape in skeleton.shapes if shape.kind == kind]
        segment = np.array([shape.segment for shape in shapes])
        local_R, local_p = np.stack([s.rotation for s in shapes]), np.stack([s.position for s in shapes])
        R, p = rotation[:, segment], position[:, segment]
        groups.append(
            WorldShapes(
                kind, p + (R @ local_p[..., None])[..., 0], R @ local_R, np.stack([shape.size for shape in shapes])
            )
        )
    return groups


@jax.jit
def _frames(skeleton: Skeleton, poses: jax.Array) -> tuple[jax.Array, jax.Array]:
    frames = jax.vmap(lambda q: forward(skeleton, q))(poses)
    return frames.rotation, frames.position
