"""The shapes of a body in the world, as plain arrays: what a renderer draws and what an exporter writes."""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np

from kinematics.forward import apply3, forward, matmul3
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
    rotation, position = _frames(skeleton, jnp.asarray(poses))
    groups = []
    for kind in sorted({shape.kind for shape in skeleton.shapes}):
        shapes = [shape for shape in skeleton.shapes if shape.kind == kind]
        segment = np.array([shape.segment for shape in shapes])
        local_R, local_p = np.stack([s.rotation for s in shapes]), np.stack([s.position for s in shapes])
        R, p = rotation[:, segment], position[:, segment]
        groups.append(
            WorldShapes(
                kind,
                np.asarray(p + apply3(R, jnp.asarray(local_p)[None])),
                np.asarray(matmul3(R, jnp.asarray(local_R)[None])),
                np.stack([shape.size for shape in shapes]),
            )
        )
    return groups


@jax.jit
def _frames(skeleton: Skeleton, poses: jax.Array) -> tuple[jax.Array, jax.Array]:
    frames = jax.vmap(lambda q: forward(skeleton, q))(poses)
    return frames.rotation, frames.position
