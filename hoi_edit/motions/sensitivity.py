"""How a motion's pose and rate depend on its parameters: of a spline, through four control points at a time.

For the built-in motions the dependence is a handful of *terms*, q(t) = Σ weights · control points, read off their
definitions. Any other motion needs nothing but `pose(parameters, t)`: its dependence is then found by differentiation.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.motions.base import Motion, Parameters, joint_state
from hoi_edit.motions.blend import Blend
from hoi_edit.motions.fitted import FittedSpline
from hoi_edit.motions.layer import Layer
from kinematics.rotation import Floats
from kinematics.spline import basis, basis_at

CHUNK = 64


@dataclass(frozen=True, eq=False)
class KnotTerm:
    """Control points (K, D) that start at `offset` of the motion's flat parameters; at N times four of them matter."""

    offset: int
    first: np.ndarray  # (N,)
    value: Floats  # (N, 4) weights in q
    rate: Floats  # (N, 4) weights in q̇

    def first_of(self, count: int) -> "KnotTerm":
        return KnotTerm(self.offset, self.first[:count], self.value[:count], self.rate[:count])


@dataclass(frozen=True, eq=False)
class DenseTerm:
    """Parameters that all times may depend on, such as blend weights."""

    offset: int
    value: Floats  # (N, D, k)
    rate: Floats  # (N, D, k)

    def first_of(self, count: int) -> "DenseTerm":
        return DenseTerm(self.offset, self.value[:count], self.rate[:count])


Term = KnotTerm | DenseTerm


def terms(motion: Motion, parameters: Parameters, times: Floats) -> list[Term]:
    """All terms of a motion at times (N,)."""
    if isinstance(motion, Layer | FittedSpline):
        first, value = basis_at(motion.grid, times)
        return [KnotTerm(0, first, value, basis_at(motion.grid, times, 1)[1])]
    count = len(times)
    padded = np.concatenate([times, np.repeat(times[-1:], -count % CHUNK)])  # few shapes, few compilations
    return [term.first_of(count) for term in _terms(motion, parameters, padded)]


def _terms(motion: Motion, parameters: Parameters, times: Floats) -> list[Term]:
    if isinstance(motion, Blend) and all(isinstance(m, Layer | FittedSpline) for m in motion.motions):
        return _blend_terms(motion, parameters, times)
    value, rate = (np.asarray(a) for a in _dense(motion, parameters, jnp.asarray(times)))
    return [DenseTerm(0, value, rate)]


def _with_rate(knots: Any, t: Array) -> tuple[Array, Array, Array]:
    """First knot, weights, and the weights' time derivative."""
    weights, rate, first = jax.jvp(lambda s: knots(s)[::-1], (t,), (jnp.ones_like(t),), has_aux=True)
    return first, weights, rate


@jax.jit
def _blend_knots(motion: Blend, parameters: Any, times: Array) -> Any:
    def at(t: Array) -> Any:
        rows = []
        for k, branch in enumerate(motion.motions):

            def knots(s: Array, k: int = k, branch: Any = branch) -> tuple[Array, Array]:
                first, weights = basis(branch.grid, s if k == 0 else motion.warps[k - 1](s))
                return first, motion.weights(parameters.alpha, s)[k] * weights

            rows.append(_with_rate(knots, t))

        def by_alpha(alpha: Array) -> tuple[Array, Array]:
            state = joint_state(motion, jax.tree_util.tree_unflatten(treedef, [*clips, alpha]), t)
            return state.q, state.rate

        return rows, jax.jacfwd(by_alpha)(parameters.alpha)

    leaves, treedef = jax.tree_util.tree_flatten(parameters)
    clips = leaves[:-1]
    return jax.vmap(at)(times)


def _blend_terms(motion: Blend, parameters: Any, times: Floats) -> list[Term]:
    rows, (value, rate) = _blend_knots(motion, parameters, jnp.asarray(times))
    dependences: list[Term] = []
    offset = 0
    for branch_knots, clip in zip(rows, parameters.clips, strict=True):
        dependences.append(KnotTerm(offset, *(np.asarray(a) for a in branch_knots)))
        offset += int(np.size(clip))
    flat = (len(times), value.shape[1], -1)
    dependences.append(DenseTerm(offset, np.asarray(value).reshape(flat), np.asarray(rate).reshape(flat)))
    return dependences


@jax.jit
def _dense(motion: Motion, parameters: Parameters, times: Array) -> tuple[Array, Array]:
    leaves, treedef = jax.tree_util.tree_flatten(parameters)
    sizes = np.cumsum([np.size(leaf) for leaf in leaves])[:-1]
    flat = jnp.concatenate([jnp.ravel(leaf) for leaf in leaves])

    def at(t: Array) -> tuple[Array, Array]:
        def state(vector: Array) -> tuple[Array, Array]:
            parts = jnp.split(vector, sizes)
            tree = jax.tree_util.tree_unflatten(
                treedef, [part.reshape(np.shape(leaf)) for part, leaf in zip(parts, leaves, strict=True)]
            )
            q = joint_state(motion, tree, t)
            return q.q, q.rate

        return jax.jacrev(state)(flat)

    return jax.vmap(at)(times)
