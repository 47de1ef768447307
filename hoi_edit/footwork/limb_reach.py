"""Limbs that reach: joints chosen so that points of the body are where they are wanted, every row on its own.

Least squares of misses, of what is away from a given pose, and of what is beyond a limit. All of that is smooth, and
every row begins from the same pose, so what comes out is as smooth over time as what is wanted.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from kinematics.forward import forward, point_jacobians, points
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

STEPS = 40
AT_ONCE = 256
FARTHEST = 0.25  # [rad] of one step
PULL = 2e-3  # [m/rad]: what a radian away from the given pose counts
STOP = 0.1  # [m/rad]: the same beyond a limit
MARGIN, ROUND = np.deg2rad(5.0), np.deg2rad(2.5)  # before a limit, and over how much its resistance sets in


@dataclass(frozen=True, eq=False)
class Goal:
    """Where a point of a segment is wanted in every row."""

    segment: int
    local: Floats  # (3,)
    wanted: Floats  # (N, 3) world [m]
    weight: float = 1.0


def reached(
    skeleton: Skeleton, drawn: Floats, goals: Sequence[Goal], free: Sequence[int], firm: Sequence[float]
) -> Floats:
    """The drawn poses (N, D) with the `free` DOFs changed, as little as it takes, to meet the goals within limits;
    `firm` says how much each holds to what is drawn, beside the others."""
    segment = np.array([goal.segment for goal in goals])
    local = jnp.asarray(np.stack([goal.local for goal in goals]))
    weight = jnp.asarray(np.array([goal.weight for goal in goals]))
    wanted = np.stack([goal.wanted for goal in goals], axis=1)
    pull = jnp.asarray((PULL * np.array(firm)) ** 2)
    solutions = []
    for first in range(0, len(drawn), AT_ONCE):  # always as many at once, so that one compilation serves all clips
        rows = np.minimum(first + np.arange(AT_ONCE), len(drawn) - 1)
        solutions.append(_solve(skeleton, drawn[rows], segment, local, wanted[rows], weight, np.array(free), pull))
    return np.concatenate([np.asarray(solution) for solution in solutions])[: len(drawn)]


@jax.jit
def _solve(
    skeleton: Skeleton,
    drawn: Array,
    segment: Array,
    local: Array,
    wanted: Array,
    weight: Array,
    free: Array,
    pull: Array,
) -> Array:
    low, high = jnp.asarray(skeleton.limits)[free].T
    low, high = low + MARGIN, high - MARGIN

    def step(x: Array, pose: Array, target: Array) -> Array:
        q = pose.at[free].set(x)
        frames = forward(skeleton, q)
        p = points(frames, segment, local)
        J = (weight[:, None, None] * point_jacobians(skeleton, frames, segment, p)).reshape(-1, q.size)[:, free]
        miss = (weight[:, None] * (target - p)).ravel()
        over, under = (x - high) / ROUND, (low - x) / ROUND
        beyond = ROUND * (jax.nn.softplus(over) - jax.nn.softplus(under))
        slope = jax.nn.sigmoid(over) + jax.nn.sigmoid(under)
        H = J.T @ J + jnp.diag(pull + STOP**2 * slope**2)
        change = jnp.linalg.solve(H, J.T @ miss + pull * (pose[free] - x) - STOP**2 * slope * beyond)
        return x + change * jnp.minimum(1.0, FARTHEST / jnp.max(jnp.abs(change)))

    def row(pose: Array, target: Array) -> Array:
        x = jax.lax.fori_loop(0, STEPS, lambda _, x: step(x, pose, target), pose[free])
        return pose.at[free].set(x)

    return jax.vmap(row)(drawn, wanted)
