"""The QP in row space: min ½ λ'Gλ so that lower <= Gλ <= upper, with as many unknowns as rows.

Equalities go first, by a pivoted Cholesky factorisation that finds their rank. What is left of the other rows, once the
equalities hold, is a small QP whose Hessian is the identity; if it does not ask for anything there is nothing to do,
else DAQP finds which rows bind and about what they pull with; `corrected` takes that to round-off.

A row with a finite price may be missed: each unit costs its price, and the pull of a missed row is its price (plus the
miss itself, a trace that makes the answer unique). That penalty is exact: while a row can be met for less, it is.
"""

from dataclasses import dataclass, replace
from functools import cached_property

import daqp
import numpy as np
from scipy.linalg.lapack import dpotrf, dpotrs, dpstrf, dtrtrs

from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats

DEPENDENT = 2e-14  # of a row's own square: what is left of it when the rows before are taken out
CLEARLY_INDEPENDENT = 1e-9
MET = 1e-9  # of the largest change asked for: rows that hold to this are met
TOLERANCES = (1e-11, 1e-8)  # for DAQP, which may circle when it is asked for more than the rows can tell
EQUALITY, INEQUALITY = 5, 0  # how DAQP is told of rows
INFEASIBLE = (-1, -6)  # what it answers when they cannot be met


class ConflictError(Exception):
    """Rows that cannot all be met; `rows` are those that ought to give."""

    def __init__(self, rows: Ints) -> None:
        super().__init__("rows contradict each other")
        self.rows = rows


@dataclass(frozen=True, eq=False)
class RowBounds:
    """What is asked of Gλ, row by row."""

    lower: Floats
    upper: Floats
    price: Floats  # of a miss, over the largest change that is left when equalities hold; infinite: it must be met
    noise: Floats  # differences that mean nothing: near its end a drag asks for little else

    @cached_property
    def equal(self) -> np.ndarray:
        return np.asarray((self.lower == self.upper) & np.isinf(self.price))

    @cached_property
    def tolerance(self) -> Floats:
        """Within which each row counts as met."""
        return np.maximum(MET * self.asked, self.noise)

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

    def join(self, count: int, met: Floats | float, pulls: Floats) -> Floats:
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
    price: Floats  # of each row, in the units of λ

    def against(self) -> Floats:
        """The part of every pull that is there because of rows other than equalities."""
        return self.reduced.join(len(self.multipliers), 0.0, self.multipliers[self.reduced.others])

    def corrected(self, residual: Floats) -> "RowSolution":
        """The same rows pull, by as much more as takes away a residual of what they should be."""
        reduced, active = self.reduced, self.active
        met = reduced.equalities.down(residual[reduced.equalities.independent])
        pulls = np.zeros(len(reduced.others))
        if len(active):
            left = residual[reduced.others[active]] - reduced.V[:, active].T @ met
            missed = self.misses[reduced.others[active]] != 0.0
            pulls[active] = _solve_active(reduced.C, active, missed, left)
        more = reduced.join(len(self.multipliers), met, pulls)
        misses = self.misses + np.where(self.misses != 0.0, more, 0.0)
        return replace(self, multipliers=self.multipliers + more, misses=misses)


def solve_rows(G: Floats, bounds: RowBounds, start: Floats | None = None) -> RowSolution:
    """The multipliers; `start` are those of a problem nearly the same. Raises `ConflictError` if rows cannot be met."""
    equal = bounds.equal
    equalities = factor(G, np.flatnonzero(equal))
    met = equalities.down(bounds.lower[equalities.independent])
    missing = np.abs(bounds.lower[equalities.dependent] - equalities.rest.T @ met)
    wrong = missing > bounds.tolerance[equalities.dependent]
    if np.any(wrong):
        raise ConflictError(_contradicting(equalities, wrong))
    others = np.flatnonzero(~equal)
    if not len(others):
        reduced = Reduced(equalities, others, np.zeros((len(met), 0)), np.zeros((0, 0)))
        multipliers = reduced.join(len(G), met, np.zeros(0))
        return RowSolution(multipliers, np.zeros(len(G)), reduced, others, bounds.price)
    V = equalities.down(G[np.ix_(equalities.independent, others)])
    reduced = Reduced(equalities, others, V, G[np.ix_(others, others)] - V.T @ V)
    value = V.T @ met
    left = RowBounds(
        bounds.lower[others] - value, bounds.upper[others] - value, bounds.price[others], bounds.tolerance[others]
    )
    pulls, missed = _binding(reduced, left, None if start is None else start[others])
    misses, price = np.zeros(len(G)), bounds.price.copy()
    misses[others] = missed
    price[np.isfinite(price)] *= left.asked
    multipliers = reduced.join(len(G), met, pulls)
    return RowSolution(multipliers, misses, reduced, np.flatnonzero(pulls), price)


def _contradicting(equalities: Factor, wrong: np.ndarray) -> Ints:
    """Dependent rows that are not met, and the rows that they depend on."""
    shares = equalities.up(equalities.rest[:, wrong])
    with_them = equalities.independent[np.any(np.abs(shares) > 1e-6, axis=1)]
    return np.concatenate([equalities.dependent[wrong], with_them])


def _binding(reduced: Reduced, left: RowBounds, start: Floats | None) -> tuple[Floats, Floats]:
    """Pulls of the other rows, and their misses."""
    pulls, misses = np.zeros(len(left.lower)), np.zeros(len(left.lower))
    unmet = (left.lower > left.noise) | (left.upper < -left.noise)
    if not np.any(unmet):
        return pulls, misses
    fixed = (np.diag(reduced.C) <= DEPENDENT) & np.isinf(left.price)
    stuck = fixed & unmet
    if np.any(stuck):
        raise ConflictError(reduced.others[stuck])
    kept = np.flatnonzero(~fixed)
    kept_bounds = RowBounds(left.lower[kept], left.upper[kept], left.price[kept], left.noise[kept])
    pulls_and_misses = _by_daqp(reduced.C[np.ix_(kept, kept)], kept_bounds, None if start is None else start[kept])
    if pulls_and_misses is None:
        raise ConflictError(reduced.others[kept][np.isinf(kept_bounds.price)])
    pulls[kept], misses[kept] = pulls_and_misses
    return pulls, misses


def _solve_active(C: Floats, active: Ints, missed: np.ndarray, right: Floats) -> Floats:
    """By how much more active rows must pull to change by `right`; missed ones give way by as much as they pull.

    Active rows may depend on each other, when several just touch: then the least change of their pulls.
    """
    C_active = C[np.ix_(active, active)] + np.diag(missed.astype(float))
    upper, failed = dpotrf(C_active)
    if not failed and np.diag(upper).min() ** 2 > CLEARLY_INDEPENDENT:
        return np.asarray(dpotrs(upper, right)[0])
    values, vectors = np.linalg.eigh(C_active)
    kept = values > CLEARLY_INDEPENDENT
    return np.asarray(vectors[:, kept] @ (vectors[:, kept].T @ right / values[kept]))


def _by_daqp(C: Floats, left: RowBounds, start: Floats | None) -> tuple[Floats, Floats] | None:
    """Pulls and misses of all rows, most of them zero; None if the rows cannot be met."""
    size = left.asked  # so that DAQP's absolute tolerances are relative ones
    R, order, rank, _ = dpstrf(C, tol=DEPENDENT)
    A = np.zeros((len(C), rank))
    A[order - 1] = np.triu(R)[:rank].T
    loose = np.flatnonzero(np.isfinite(left.price))
    give = np.zeros((len(C), len(loose)))
    give[loose, np.arange(len(loose))] = 1.0
    A = np.hstack([give, -give, A])
    count = 2 * len(loose)
    price = np.concatenate([left.price[loose], left.price[loose], np.zeros(rank)])
    lower = np.concatenate([np.zeros(count), left.lower / size])
    upper = np.concatenate([np.full(count, np.inf), left.upper / size])
    sense = np.where(lower == upper, EQUALITY, INEQUALITY).astype(np.intc)
    warm = None if start is None else np.concatenate([np.zeros(count), -start])
    for dual_start, tolerance in ((warm, TOLERANCES[0]), *((None, tolerance) for tolerance in TOLERANCES)):
        x, _, flag, info = daqp.solve(
            np.eye(A.shape[1]), price, A, upper, lower, sense,
            dual_start=dual_start, primal_tol=tolerance, dual_tol=tolerance,
        )  # fmt: skip
        if flag > 0:
            misses = np.zeros(len(C))
            misses[loose] = size * (x[: len(loose)] - x[len(loose) : count])
            misses[np.abs(misses) < MET * size] = 0.0
            return np.asarray(-size * info["lam"][count:]), misses
        if flag in INFEASIBLE and dual_start is None and np.any(np.isinf(left.price)):
            return None
    return np.zeros(len(C)), np.zeros(len(C))  # it gave up: what is not met is seen in the residuals
