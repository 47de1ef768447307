"""Damped least squares: joints chosen so that points of a body are where they are wanted, row after row."""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.footwork.limb_reach import Goal
from kinematics.forward import forward, point_jacobians, points
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

STEPS = 12  # per row, from the row before
PULL = 4e-3  # [m/rad]: a radian away from the drawn pose counts as a miss of this size
STOP = 2.0  # [m/rad]: a radian beyond a limit
MARGIN = np.deg2rad(2.5)  # limits are kept with this much to spare, for the planting that follows


def reached_in_turn(
    skeleton: Skeleton, drawn: Floats, goals: Sequence[Goal], free: Sequence[int], pull: float = PULL
) -> Floats:
    """The drawn poses (N, D) with the `free` DOFs changed, as little as it takes, to meet the goals within limits."""
    movable = np.zeros(skeleton.n_dofs)
    movable[list(free)] = 1.0
    return np.asarray(
        _solve(
            skeleton,
            jnp.asarray(drawn),
            np.array([goal.segment for goal in goals]),
            jnp.asarray(np.stack([goal.local for goal in goals])),
            jnp.asarray(np.stack([goal.wanted for goal in goals], axis=1)),
            jnp.asarray(np.array([goal.weight for goal in goals])),
            jnp.asarray(movable),
            pull,
        )
    )


@jax.jit
def _solve(
    skeleton: Skeleton,
    drawn: Array,
    segment: Array,
    local: Array,
    wanted: Array,
    weight: Array,
    movable: Array,
    pull: Array,
) -> Array:
    low, high = jnp.asarray(skeleton.limits).T
    low, high = low + MARGIN, high - MARGIN

    def step(q: Array, reference: Array, target: Array) -> Array:
        frames = forward(skeleton, q)
        p = points(frames, segment, local)
        J = (weight[:, None, None] * point_jacobians(skeleton, frames, segment, p)).reshape(-1, q.size) * movable[None]
        miss = (weight[:, None] * (target - p)).ravel()
        beyond = jnp.clip(q, low, high) - q
        held = pull**2 + STOP**2 * (beyond != 0.0)
        H = J.T @ J + jnp.diag(held + 1e-6)
        change = jnp.linalg.solve(H, J.T @ miss + pull**2 * (reference - q) + STOP**2 * beyond)
        return q + movable * jnp.clip(change, -0.2, 0.2)

    def row(previous: Array, given: tuple[Array, Array, Array]) -> tuple[Array, Array]:
        reference, before, target = given
        # what is not free is as drawn; what is free goes on from where it was, moving as the drawing moves
        start = jnp.where(movable > 0, previous + reference - before, reference)
        q = jax.lax.fori_loop(0, STEPS, lambda _, q: step(q, reference, target), start)
        return q, q

    first = jax.lax.fori_loop(0, 8 * STEPS, lambda _, q: step(q, drawn[0], wanted[0]), drawn[0])
    before = jnp.concatenate([drawn[:1], drawn[:-1]])
    return jax.lax.scan(row, first, (drawn, before, wanted))[1]
