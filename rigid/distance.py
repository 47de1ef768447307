"""How far a ball is from a shape, and which way the shape faces there.

Every shape here is a *rounded box*: a core box, of which any extent may be zero, with a radius around it. A sphere has
a point for a core, a capsule a line along Y, a box no radius, so one formula serves them all. The closest point of the
core is a clamp; which coordinates are clamped, and to which side, is the contact's *feature*: face, edge, cap or side.
It is found once (`feature_of`) and is data from then on, so distance and normal are smooth functions even where the
clamp is not. Directions and points are in the shape's own frame; any leading axes are a batch.

The functions take numpy and JAX arrays alike: searching for contacts is numpy's, refining them and their derivatives
are JAX's.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import numpy as np
from jax.typing import ArrayLike

from kinematics.errors import unknown

AnyArray = Any  # numpy or JAX; what comes in decides what goes out


@partial(jax.tree_util.register_dataclass, data_fields=["core", "radius"], meta_fields=[])
@dataclass(frozen=True)
class RoundedBox:
    core: ArrayLike  # (..., 3) half extents of the core [m]
    radius: ArrayLike  # (...) [m]

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


def feature_of(shape: RoundedBox, point: AnyArray) -> AnyArray:
    """(..., 3) -1, 0 or 1 per coordinate: beyond the core's lower side, between its sides, beyond its upper side.

    A point inside the core, deeper than any touch, belongs to the face it is closest to. Where the core has no extent a
    point is always beyond it, exactly above its middle too: the surface curves there.
    """
    xp = point.__array_namespace__()
    core = xp.asarray(shape.core)
    side = xp.where(point >= 0, 1.0, -1.0)
    outside = xp.where(xp.abs(point) >= core, side, 0.0)
    nearest = xp.argmax(xp.abs(point) - core, axis=-1)
    face = xp.where(xp.arange(3) == nearest[..., None], side, 0.0)
    return xp.where(xp.any(outside != 0.0, axis=-1)[..., None], outside, face)


def gap_and_normal(shape: RoundedBox, point: AnyArray, feature: AnyArray) -> tuple[AnyArray, AnyArray]:
    """Signed distance of a point from the surface [m] and the outward unit normal there, for a given feature."""
    xp = point.__array_namespace__()
    core = xp.asarray(shape.core)
    away = xp.where(feature == 0.0, 0.0, point - feature * core)
    # inside a face `away` points inward: its length then counts as negative and the normal stays outward; a core
    # without extent has no inside, and there a feature's sign means nothing
    inward = xp.all(xp.where(core == 0.0, away == 0.0, away * feature <= 0.0), axis=-1)
    square = xp.sum(away * away, axis=-1)
    centred = square < 1e-24  # on the core itself: only possible for shapes without a radius, where the face decides
    length = xp.sqrt(xp.where(centred, 1.0, square))
    facing = feature / xp.sqrt(xp.sum(feature**2, axis=-1))[..., None]
    along = xp.where(inward, -1.0, 1.0)[..., None] * away / length[..., None]
    direction = xp.where(centred[..., None], facing, along)
    signed = xp.where(centred, xp.sum(away * direction, axis=-1), xp.where(inward, -length, length))
    return signed - xp.asarray(shape.radius), direction


def gap(shape: RoundedBox, point: AnyArray) -> AnyArray:
    """Signed distance of a point from the surface, whatever its feature."""
    return gap_and_normal(shape, point, feature_of(shape, point))[0]
