"""How far a ball is from a shape, and which way the shape faces there.

Every shape here is a *rounded box*: a core box, of which any extent may be zero, with a radius around it. A sphere has
a point for a core, a capsule a line along Y, a box no radius, so one formula serves them all. The closest point of the
core is a clamp; which coordinates are clamped, and to which side, is the contact's *feature*: face, edge, cap or side.
It is found once (`feature_of`) and is data from then on, so distance and normal are smooth functions even where the
clamp is not. Directions and points are in the shape's own frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from kinematics.errors import unknown


@partial(jax.tree_util.register_dataclass, data_fields=["core", "radius"], meta_fields=[])
@dataclass(frozen=True)
class RoundedBox:
    core: ArrayLike  # (3,) half extents of the core [m]
    radius: ArrayLike  # [m]

    @staticmethod
    def of(kind: str, size: Sequence[float] | np.ndarray) -> "RoundedBox":
        """The shape `kind` with `size` as body shapes give it: capsule (radius, half length), sphere (radius), box."""
        a, b, c = np.asarray(size, float)
        shapes = {
            "sphere": RoundedBox(np.zeros(3), a),
            "capsule": RoundedBox(np.array([0.0, b, 0.0]), a),
            "box": RoundedBox(np.array([a, b, c]), 0.0),
        }
        if kind not in shapes:
            raise unknown("shape", kind, shapes)
        return shapes[kind]


def feature_of(shape: RoundedBox, point: Array) -> Array:
    """(3,) -1, 0 or 1 per coordinate: beyond the core's lower side, between its sides, beyond its upper side.

    A point inside the core, deeper than any touch, belongs to the face it is closest to.
    """
    core = jnp.asarray(shape.core)
    outside = jnp.where(jnp.abs(point) >= core, jnp.sign(point), 0.0)
    nearest = jnp.argmax(jnp.abs(point) - core)
    face = jnp.where(jnp.arange(3) == nearest, jnp.where(point >= 0, 1.0, -1.0), 0.0)
    return jnp.where(jnp.any(outside != 0.0), outside, face)


def gap_and_normal(shape: RoundedBox, point: Array, feature: Array) -> tuple[Array, Array]:
    """Signed distance of a point from the surface [m] and the outward unit normal there, for a given feature."""
    away = jnp.where(feature == 0.0, 0.0, point - feature * jnp.asarray(shape.core))
    # inside a face `away` points inward: its length then counts as negative and the normal stays outward
    inward = jnp.all(away * feature <= 0.0)
    square = jnp.sum(away * away)
    centred = square < 1e-24  # on the core itself: only possible for shapes without a radius, where the face decides
    length = jnp.sqrt(jnp.where(centred, 1.0, square))
    direction = jnp.where(centred, feature / jnp.sqrt(jnp.sum(feature**2)), jnp.where(inward, -away, away) / length)
    signed = jnp.where(centred, jnp.sum(away * direction), jnp.where(inward, -length, length))
    return signed - shape.radius, direction


def gap(shape: RoundedBox, point: Array) -> Array:
    """Signed distance of a point from the surface, whatever its feature."""
    return gap_and_normal(shape, point, feature_of(shape, point))[0]
