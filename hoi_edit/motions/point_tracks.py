"""Where any point of a body is at any time, how fast it moves and how it accelerates."""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.motions import Motion, joint_state
from hoi_edit.motions.base import Parameters
from kinematics.forward import forward, point_accelerations, point_velocities, points, rates
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


@dataclass(frozen=True)
class PointTracks:
    """P points at N times, in the world."""

    position: Floats  # (N, P, 3) [m]
    velocity: Floats  # [m/s]
    acceleration: Floats  # [m/s²]


def point_tracks(
    skeleton: Skeleton, motion: Motion, parameters: Parameters, times: Floats | Sequence[float], names: Sequence[str]
) -> PointTracks:
    """Tracks of sites ("right_palm") or joints ("right_hand"), by name."""
    places = [skeleton.point(name) for name in names]
    segment, local = np.array([s for s, _ in places]), np.stack([x for _, x in places])
    tracks = _tracks(skeleton, motion, parameters, jnp.asarray(times, float), segment, local)
    return PointTracks(*(np.asarray(track) for track in tracks))


@jax.jit
def _tracks(
    skeleton: Skeleton, motion: Motion, parameters: Parameters, times: Array, segment: Array, local: Array
) -> tuple[Array, Array, Array]:
    def at(t: Array) -> tuple[Array, Array, Array]:
        state = joint_state(motion, parameters, t)
        frames = forward(skeleton, state.q)
        moving, p = rates(skeleton, frames, state.rate, state.accel), points(frames, segment, local)
        return p, point_velocities(moving, segment, p), point_accelerations(moving, segment, p)

    return jax.vmap(at)(times)
