"""What it costs to move the control points of one degree of freedom: H = diag(f) + (τ/h)⁴ D2'D2.

The second differences spread a change over neighbours, by about τ seconds whatever the knot spacing h is; without them
one control point takes half an edit. H is banded, and H⁻¹ decays exponentially away from its diagonal: entries further
off than `reach` are below round-off. So everything asked of H⁻¹ costs what the asked-for knots cost, never the clip.
"""

from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.lib.stride_tricks import as_strided
from scipy.linalg import cholesky_banded
from scipy.linalg.lapack import dpbtrs

from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats

TAU = 0.2  # [s] over which a change is spread
SHORT = 400  # knots: up to here the inverse is kept whole
NEGLIGIBLE = 1e-18  # of the largest entry: what H⁻¹ may be taken as zero below


def roughness_bands(fade: Floats, spacing: float, tau: float = TAU) -> Floats:
    """H as its lower bands (3, K); entry (i + k, i) stands at [k, i]."""
    sigma = (tau / spacing) ** 4
    bands = np.zeros((3, len(fade)))
    bands[0] = fade
    if len(fade) > 2:  # the squares of 1, -2, 1 at each inner knot
        bands[0, :-2] += sigma
        bands[0, 1:-1] += 4.0 * sigma
        bands[0, 2:] += sigma
        bands[1, :-2] -= 2.0 * sigma
        bands[1, 1:-1] -= 2.0 * sigma
        bands[2, :-2] += sigma
    return bands


def principal(bands: Floats, kept: Ints) -> Floats:
    """The bands of a symmetric matrix of bandwidth two with only the `kept` rows and columns."""
    result = np.zeros((3, len(kept)))
    for k in range(min(3, len(kept))):
        apart = kept[k:] - kept[: len(kept) - k]
        near = apart < 3
        result[k, : len(near)][near] = bands[apart[near], kept[: len(near)][near]]
    return result


def multiply(bands: Floats, X: Floats) -> Floats:
    """The symmetric banded matrix times X (K, d)."""
    Y = bands[0][:, None] * X
    for k in range(1, min(3, len(X))):
        below = bands[k, : len(X) - k, None]
        Y[k:] += below * X[:-k]
        Y[:-k] += below * X[k:]
    return Y


def reach_of(spacing: float, tau: float = TAU) -> int:
    """How many knots away H⁻¹ is negligible, from the root of 1 + σ (z - 2 + 1/z)² inside the unit circle.

    A fade only makes H larger, hence the decay faster.
    """
    if tau == 0.0:
        return 0
    y = 2.0 + 1j * (spacing / tau) ** 2
    z = 0.5 * (y - np.sqrt(y * y - 4.0))
    rate = abs(np.log(abs(z)))
    return int(np.ceil(-np.log(NEGLIGIBLE) / rate)) + 2


@dataclass(frozen=True, eq=False)
class Smoothing:
    """H over the free knots of a spline, factored once and asked many times."""

    bands: Floats  # (3, F)
    factor: Floats  # (3, F) its Cholesky factor, in the same storage
    reach: int
    inverse: Floats  # (F, 2 reach + 3): row i holds H⁻¹[i, i - reach .. i + reach] between two zeros

    @staticmethod
    def of(bands: Floats, reach: int) -> "Smoothing":
        count = bands.shape[1]
        reach = max(count - 1, 0) if count <= SHORT else min(reach, count - 1)
        factor = np.asfortranarray(cholesky_banded(bands, lower=True))
        inverse = np.zeros((count, 2 * reach + 3))
        step = max(reach, 64)
        for start in range(0, count, step):
            stop = min(start + step, count)
            _fill(inverse, factor, reach, start, stop)
        return Smoothing(bands, factor, reach, inverse)

    @property
    def count(self) -> int:
        return self.bands.shape[1]

    def window(self, first: int, last: int) -> tuple[int, int]:
        """The stretch outside which a solution is negligible when its right-hand side lives on first..last."""
        return max(first - self.reach, 0), min(last + self.reach + 1, self.count)

    @cached_property
    def dense(self) -> Floats | None:
        """H⁻¹ of a short clip as a matrix: its band read askew, not copied. None where the band is not all of it."""
        if self.reach < self.count - 1:
            return None
        row, column = self.inverse.strides
        return as_strided(self.inverse[:, self.reach + 1 :], (self.count, self.count), (row - column, column))

    def solve(self, lo: int, hi: int, right: Floats) -> Floats:
        """H⁻¹ times `right` (hi - lo, d), which is zero outside a window lo..hi and well inside its ends."""
        if self.dense is not None:
            return np.asarray(self.dense[lo:hi, lo:hi] @ right)
        return _solve(self.factor, lo, hi, right)

    def entries(self, knots: Ints) -> Floats:
        """H⁻¹ between all pairs of knots (N,)."""
        apart = np.clip(knots - knots[:, None], -self.reach - 1, self.reach + 1)
        apart += (knots * self.inverse.shape[1] + self.reach + 1)[:, None]
        return self.inverse.ravel().take(apart)


def _solve(factor: Floats, lo: int, hi: int, right: Floats) -> Floats:
    # Forward substitution from where the right-hand side begins needs nothing before it, so a stretch of the factor
    # serves as it is; backward substitution drops only what comes from beyond the window.
    solution, _ = dpbtrs(factor[:, lo:hi], right, lower=1)
    return np.asarray(solution)


def _fill(inverse: Floats, factor: Floats, reach: int, start: int, stop: int) -> None:
    """Rows start..stop of the inverse's band."""
    lo, hi = max(start - reach, 0), min(stop + reach, factor.shape[1])
    right = np.zeros((hi - lo, stop - start), order="F")
    right[np.arange(start - lo, stop - lo), np.arange(stop - start)] = 1.0
    columns = _solve(factor, lo, hi, right)
    knots = np.arange(start, stop)[:, None]
    near = knots + np.arange(-reach, reach + 1)
    inside = (near >= lo) & (near < hi)
    inverse[start:stop, 1:-1] = np.where(inside, columns[np.clip(near - lo, 0, hi - lo - 1), knots - start], 0.0)
