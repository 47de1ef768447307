"""Uniform cubic B-splines: every value depends on four control points, and is twice continuously differentiable.

A `Grid` with K control points covers K - 3 pieces of equal length. Outside them the spline holds its end value and its
rate is zero. Evaluation is JAX; fitting and interpolation happen once per clip and are banded solves in scipy.
"""

from dataclasses import dataclass
from functools import cache, partial

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
import scipy.sparse
from jax import Array
from jax.typing import ArrayLike

from kinematics.errors import HoiError
from kinematics.rotation import Floats

MOST_PIECES = 1_000_000
# Columns: the four weights of a piece; rows: powers of the local coordinate 0 <= s <= 1.
_POWERS = np.array([[1.0, 4.0, 1.0, 0.0], [-3.0, 0.0, 3.0, 0.0], [3.0, -6.0, 3.0, 0.0], [-1.0, 3.0, -3.0, 1.0]]) / 6.0


@partial(jax.tree_util.register_dataclass, data_fields=["start", "spacing"], meta_fields=["count"])
@dataclass(frozen=True)
class Grid:
    """Where a spline's pieces lie: from `start`, each `spacing` long [s], `count` control points in all."""

    start: float | Array
    spacing: float | Array
    count: int

    @property
    def end(self) -> float | Array:
        return self.start + (self.count - 3) * self.spacing

    @staticmethod
    def over(start: float, end: float, spacing: float) -> "Grid":
        """The grid whose pieces exactly fill start..end, with the spacing closest to the wanted one that does."""
        if not (np.isfinite(spacing) and spacing > 0):
            raise HoiError(f"a knot spacing of {spacing} s was asked for; it must be positive")
        length = end - start
        if length > MOST_PIECES * spacing:
            raise HoiError(f"knots each {spacing:g} s over {length:g} s are too many; at most {MOST_PIECES} make sense")
        pieces = max(1, round(length / spacing))
        return Grid(start, length / pieces if length > 0 else spacing, pieces + 3)


def basis(grid: Grid, t: ArrayLike, order: int = 0) -> tuple[Array, Array]:
    """First of the four control points that matter at time t, and their weights (4,) for the order-th derivative."""
    t = jnp.asarray(t, float)
    # a clip's last row may lie an ulp beyond the grid's end: it still counts as inside
    slack = 1e-9 * grid.spacing
    inside = (t >= grid.start - slack) & (t <= grid.end + slack)
    held = jnp.clip(jax.lax.stop_gradient(t), grid.start, grid.end)
    # `where`, not `clip`: at the very ends the derivative is the inner one, beyond them it is zero
    x = (jnp.where(inside, t, held) - grid.start) / grid.spacing
    first = jnp.clip(jnp.floor(jax.lax.stop_gradient(x)), 0, grid.count - 4)
    s = x - first
    falling = [float(np.prod(np.arange(p, p - order, -1))) for p in range(4)]
    powers = jnp.stack([falling[p] * s ** max(p - order, 0) for p in range(4)])
    weights = powers @ _POWERS / grid.spacing**order
    return first.astype(int), weights if order == 0 else jnp.where(inside, weights, 0.0)


def evaluate(grid: Grid, controls: Array, t: ArrayLike, order: int = 0) -> Array:
    """Value (D,), or order-th time derivative, at time t of the spline with control points (K, D)."""
    first, weights = basis(grid, t, order)
    return weights @ jax.lax.dynamic_slice_in_dim(controls, first, 4)


def basis_at(grid: Grid, times: Floats, order: int = 0) -> tuple[np.ndarray, Floats]:
    """`basis` at many times at once, in plain numpy: first control points (N,) and weights (N, 4).

    For callers in a hurry: a compiled function would first be handed all arrays of its motion.
    """
    times = np.asarray(times, float)
    start, spacing, end = float(grid.start), float(grid.spacing), float(grid.end)
    x = ((times - start) / spacing).clip(0, grid.count - 3)
    first = x.astype(int).clip(None, grid.count - 4)
    s = (x - first)[:, None]
    weights = s ** np.arange(4 - order) @ _derived(order) / spacing**order
    if order:
        weights[(times < start - 1e-9 * spacing) | (times > end + 1e-9 * spacing)] = 0.0
    return first, weights


@cache
def _derived(order: int) -> Floats:
    """_POWERS of the order-th derivative."""
    coefficients = _POWERS
    for _ in range(order):
        coefficients = coefficients[1:] * np.arange(1, len(coefficients))[:, None]
    return coefficients


def design(grid: Grid, times: Floats, order: int = 0) -> scipy.sparse.csr_array:
    """The sparse matrix (N, K) that maps control points to values at many times."""
    first, weights = basis_at(grid, times, order)
    rows = np.repeat(np.arange(len(first)), 4)
    columns = (first[:, None] + np.arange(4)).ravel()
    return scipy.sparse.csr_array((weights.ravel(), (rows, columns)), shape=(len(first), grid.count))


def fit(grid: Grid, times: Floats, values: Floats, smooth: float = 1e-9) -> Floats:
    """Least-squares control points (K, D) for samples (N, D), passing exactly through the first and the last one.

    A trace of `smooth`, on the jumps of the third derivative, decides what the samples leave open: pieces without
    samples, and the outermost control points of short clips. Polynomials up to the third degree are reproduced.
    """
    if len(times) == 1:
        return np.repeat(values, grid.count, axis=0)
    A = design(grid, times)
    jumps = _differences(grid.count, min(4, len(times)))
    normal = (A.T @ A + smooth * (jumps.T @ jumps)).tocsc()
    ends = A[[0, -1]]
    # the two end conditions as Lagrange rows of a small Schur complement over the banded normal matrix
    right = np.column_stack([A.T @ values, ends.T.toarray()])
    solved = _solve_symmetric(normal, right)
    free, influence = solved[:, : values.shape[1]], solved[:, values.shape[1] :]
    miss = ends @ free - values[[0, -1]]
    return np.asarray(free - influence @ np.linalg.solve(ends @ influence, miss))


def interpolate(start: float, spacing: float, values: Floats) -> tuple[Grid, Floats]:
    """Grid and control points (N + 2, D) of the spline through all samples, one a knot.

    Ends are "not a knot": the outer two pieces are one cubic. The natural end, zero acceleration, would be a lie about
    a recording that starts in the middle of a movement.
    """
    n = len(values)
    if n == 1:
        return Grid(start, spacing, 4), np.repeat(values, 4, axis=0)
    grid = Grid(start, spacing, n + 2)
    order = min(4, n)  # short clips are one polynomial, of the highest degree that the samples decide
    # rows of the banded system, LAPACK style: entry (row, column) stands at bands[order + row - column, column]
    bands = np.zeros((2 * order + 1, n + 2))
    for k in range(3):
        bands[order + 1 - k, k : n + k] = _POWERS[0, k]
    for k, coefficient in enumerate(_difference(order)):
        bands[order - k, k] = coefficient
        bands[2 * order - k, n + 1 - order + k] = coefficient
    right = np.vstack([0 * values[:1], values, 0 * values[:1]])
    return grid, np.asarray(scipy.linalg.solve_banded((order, order), bands, right))


def _difference(order: int) -> Floats:
    """Coefficients of the finite difference of the given order."""
    row = np.array([1.0])
    for _ in range(order):
        row = np.convolve(row, [-1.0, 1.0])
    return row


def _differences(count: int, order: int) -> scipy.sparse.csr_array:
    """Finite differences of the given order over `count` control points, as a (count - order, count) matrix."""
    shape = (max(count - order, 0), count)
    return scipy.sparse.csr_array(
        scipy.sparse.diags_array(_difference(order), offsets=np.arange(order + 1), shape=shape)
    )


def _solve_symmetric(matrix: scipy.sparse.csc_array, right: Floats) -> Floats:
    """Solve a symmetric positive definite system of bandwidth four."""
    n, width = matrix.shape[0], min(4, matrix.shape[0] - 1)
    bands = np.zeros((width + 1, n))
    for k in range(width + 1):
        bands[k, : n - k] = matrix.diagonal(-k)
    return np.asarray(scipy.linalg.solveh_banded(bands, right, lower=True))
