"""The QP in row space: min ½ λ'Gλ so that lower <= Gλ <= upper, with as many unknowns as rows.

Equalities go first, by a pivoted Cholesky factorisation that finds their rank. What is left of the other rows, once the
equalities hold, is a small QP whose Hessian is the identity; if it does not ask for anything there is nothing to do,
else DAQP finds which rows bind and one more factorisation finds what they pull with, to round-off.

A row with a finite `price` may be missed: each unit costs its price, and the pull of a missed row is its price (plus
the miss itself, a trace that makes the answer unique). That penalty is exact: while a row can be met for less, it is.
"""

from dataclasses import dataclass
from functools import cached_property

import daqp
import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dpstrf, dtrtrs

from hoi_edit.world import Ints
from kinematics.rotation import Floats

DEPENDENT = 1e-12  # of a row's own square: what is left of it when the rows before are taken out
MET = 1e-9  # of the largest change asked for: rows that hold to this are met
DAQP_TOLERANCE = 1e-11
EQUALITY, LOWER_AND_UPPER = 5, 0  # DAQP's codes


class ConflictError(Exception):
    """Rows that cannot all be met; `rows` are those that ought to give."""

    def __init__(self, rows: Ints) -> None:
        super().__init__("rows contradict each other")
        self.rows = rows


@dataclass(frozen=True, eq=False)
class Bounds:
    """What is asked of Gλ, row by row."""

    lower: Floats
    upper: Floats
    price: Floats  # infinite: the row must be met

    @cached_property
    def equal(self) -> np.ndarray:
        return np.asarray((self.lower == self.upper) & np.isinf(self.price))

    @cached_property
    def asked(self) -> float:
        """The largest change that a row asks for."""
        return float(np.abs(np.clip(0.0, self.lower, self.upper)).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Factor:
    """G of the equalities as R'R, over a largest set of independent ones."""

    independent: Ints
    dependent: Ints
    R: Floats  # upper triangular; what stands below is no part of it
    rest: Floats  # R⁻ᵀ G of the dependent ones

    def down(self, right: Floats) -> Floats:
        """R⁻ᵀ right."""
        return _triangular(self.R, right, trans=1)

    def up(self, right: Floats) -> Floats:
        """R⁻¹ right."""
        return _triangular(self.R, right, trans=0)


def _triangular(R: Floats, right: Floats, trans: int) -> Floats:
    return np.asarray(dtrtrs(R, right, trans=trans)[0]) if right.size else right


def factor(G: Floats, rows: Ints) -> Factor:
    """Pivoted Cholesky of the given rows of G, whose diagonal is one (or zero)."""
    if not len(rows):
        return Factor(rows, rows, np.zeros((0, 0)), np.zeros((0, 0)))
    C, order, rank, _ = dpstrf(G[np.ix_(rows, rows)], tol=DEPENDENT)
    order = order - 1
    return Factor(rows[order[:rank]], rows[order[rank:]], C[:rank, :rank], C[:rank, rank:])


@dataclass(frozen=True, eq=False)
class Reduced:
    """What is left of the QP when the equalities hold: rows `others`, with C λ + `value` between their bounds."""

    equalities: Factor
    others: Ints
    V: Floats  # (rank, others) R⁻ᵀ G
    C: Floats  # (others, others) the Schur complement

    def join(self, count: int, met: Floats, pulls: Floats) -> Floats:
        """All multipliers, from R⁻ᵀ b of the equalities and those of the other rows."""
        multipliers = np.zeros(count)
        multipliers[self.others] = pulls
        multipliers[self.equalities.independent] = self.equalities.up(met - self.V @ pulls)
        return multipliers


@dataclass(frozen=True, eq=False)
class RowSolution:
    multipliers: Floats  # λ
    misses: Floats  # by how much a row with a price is missed; positive: its value is too small
    reduced: Reduced
    active: Ints  # places among `others` of rows that pull

    def corrected(self, residual: Floats, bounds: Bounds) -> "RowSolution":
        """The same rows pull, by as much more as takes away a residual of what they should be."""
        reduced, active = self.reduced, self.active
        met = reduced.equalities.down(residual[reduced.equalities.independent])
        pulls = np.zeros(len(reduced.others))
        if len(active):
            left = residual[reduced.others[active]] - reduced.V[:, active].T @ met
            pulls[active] = _solve_active(reduced.C, active, self._loose(), left)
        more = reduced.join(len(self.multipliers), met, pulls)
        multipliers = self.multipliers + more
        return RowSolution(multipliers, misses(multipliers, bounds, self.misses != 0.0), reduced, active)

    def _loose(self) -> np.ndarray:
        return np.asarray(self.misses[self.reduced.others[self.active]] != 0.0)


def misses(multipliers: Floats, bounds: Bounds, missed: np.ndarray) -> Floats:
    """What the pull of a missed row beyond its price says of the miss."""
    beyond = np.abs(multipliers[missed]) - bounds.price[missed]
    result = np.zeros(len(multipliers))
    result[missed] = np.sign(multipliers[missed]) * beyond
    return result


def solve_rows(G: Floats, bounds: Bounds, start: Floats | None = None) -> RowSolution:
    """The multipliers; `start` are those of a problem nearly the same. Raises `ConflictError` if rows cannot be met."""
    equal = bounds.equal
    equalities = factor(G, np.flatnonzero(equal))
    met = equalities.down(bounds.lower[equalities.independent])
    tolerance = MET * bounds.asked
    missing = np.abs(bounds.lower[equalities.dependent] - equalities.rest.T @ met)
    if np.any(missing > tolerance):
        raise ConflictError(_contradicting(equalities, missing > tolerance))
    others = np.flatnonzero(~equal)
    if not len(others):
        reduced = Reduced(equalities, others, np.zeros((len(met), 0)), np.zeros((0, 0)))
        multipliers = reduced.join(len(G), met, np.zeros(0))
        return RowSolution(multipliers, np.zeros(len(G)), reduced, others)
    V = equalities.down(G[np.ix_(equalities.independent, others)])
    reduced = Reduced(equalities, others, V, G[np.ix_(others, others)] - V.T @ V)
    value = V.T @ met
    left = Bounds(bounds.lower[others] - value, bounds.upper[others] - value, bounds.price[others])
    pulls, loose = _binding(reduced, left, tolerance, None if start is None else start[others])
    multipliers = reduced.join(len(G), met, pulls)
    missed = np.zeros(len(G), bool)
    missed[others] = loose
    return RowSolution(multipliers, misses(multipliers, bounds, missed), reduced, np.flatnonzero(pulls))


def _contradicting(equalities: Factor, wrong: np.ndarray) -> Ints:
    """Dependent rows that are not met, and the rows that they depend on."""
    shares = equalities.up(equalities.rest[:, wrong])
    with_them = equalities.independent[np.any(np.abs(shares) > 1e-6, axis=1)]
    return np.concatenate([equalities.dependent[wrong], with_them])


def _binding(reduced: Reduced, left: Bounds, tolerance: float, start: Floats | None) -> tuple[Floats, np.ndarray]:
    """Pulls of the other rows, and which of them are missed."""
    pulls, loose = np.zeros(len(left.lower)), np.zeros(len(left.lower), bool)
    if np.all((left.lower <= tolerance) & (left.upper >= -tolerance)):
        return pulls, loose
    fixed = (np.diag(reduced.C) <= DEPENDENT) & np.isinf(left.price)
    stuck = fixed & ((left.lower > tolerance) | (left.upper < -tolerance))
    if np.any(stuck):
        raise ConflictError(reduced.others[stuck])
    kept = np.flatnonzero(~fixed)
    own = Bounds(left.lower[kept], left.upper[kept], left.price[kept])
    found = _by_daqp(reduced.C[np.ix_(kept, kept)], own, None if start is None else start[kept])
    if found is None:
        raise ConflictError(reduced.others[kept][np.isinf(own.price)])
    active = kept[found != 0.0]
    signs = np.sign(found[found != 0.0])
    price = left.price[active]
    slack = np.isfinite(price) & (np.abs(found[found != 0.0]) > (1.0 + 1e-9) * price)
    target = np.where(signs > 0.0, left.lower[active], left.upper[active])
    # of a missed row the pull is price + miss: its miss joins the diagonal, its price the right-hand side
    right = target + np.where(slack, signs * np.where(slack, price, 0.0), 0.0)
    pulls[active] = _solve_active(reduced.C, active, slack, right)
    loose[active] = slack
    return pulls, loose


def _solve_active(C: Floats, active: Ints, slack: np.ndarray, right: Floats) -> Floats:
    """Pulls of active rows that take them to `right`; missed rows give way by their pull."""
    own = C[np.ix_(active, active)] + np.diag(slack.astype(float))
    upper, failed = dpotrf(own)
    if failed:
        return np.asarray(np.linalg.lstsq(own, right, rcond=None)[0])
    return np.asarray(dpotrs(upper, right)[0])


def _by_daqp(C: Floats, left: Bounds, start: Floats | None) -> Floats | None:
    """Pulls of all rows, some of them zero; None if the rows cannot be met."""
    size = left.asked  # so that DAQP's absolute tolerances are relative ones
    R, order, rank, _ = dpstrf(C, tol=DEPENDENT)
    A = np.zeros((len(C), rank))
    A[order - 1] = np.triu(R)[:rank].T
    loose = np.flatnonzero(np.isfinite(left.price))
    give = np.zeros((len(C), len(loose)))
    give[loose, np.arange(len(loose))] = 1.0
    A = np.hstack([give, -give, A])
    count = 2 * len(loose)
    price = np.concatenate([left.price[loose], left.price[loose], np.zeros(rank)]) / size
    lower = np.concatenate([np.zeros(count), left.lower / size])
    upper = np.concatenate([np.full(count, np.inf), left.upper / size])
    sense = np.where(lower == upper, EQUALITY, LOWER_AND_UPPER).astype(np.intc)
    warm = None if start is None else np.concatenate([np.zeros(count), -start])
    _, _, flag, info = daqp.solve(
        np.eye(A.shape[1]), price, A, upper, lower, sense,
        dual_start=warm, primal_tol=DAQP_TOLERANCE, dual_tol=DAQP_TOLERANCE,
    )  # fmt: skip
    return -size * info["lam"][count:] if flag > 0 else None
