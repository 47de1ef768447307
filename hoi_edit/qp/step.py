"""One step of a drag: the nearest point to where it began that meets every row.

    min  ½ (u+δ-u₀)' D (u+δ-u₀)    s.t.  lower <= J δ <= upper

    δ   the step, over u and extra variables        λ   what each row pulls with
    D   the metric                                   G   J D⁻¹ J'

With δ = (u₀-u) + D⁻¹J'λ only λ is unknown (`active_set`). Rows that cannot all be met are no failure: soft ones give
way first, then those that contradict each other, and the solution says which.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from hoi_edit.adjoint import Rows
from hoi_edit.qp.active_set import ConflictError, RowBounds, RowSolution, solve_rows
from hoi_edit.qp.gram import Pull, bytes_for, gram, pull
from hoi_edit.qp.metric import Metric
from hoi_edit.qp.reached_rows import chosen, reached, spread
from hoi_edit.qp.stacked_rows import Jacobian, gather
from hoi_edit.scene.controls import Controls
from kinematics.errors import HoiError
from kinematics.rotation import Floats

SOFT_PRICE = 1e4  # of missing a soft row
HARD_PRICE = 1e6  # of missing one that ought to hold
IN_EARNEST = 1e-3  # of the price of a miss: rows that pull as hard are part of a conflict
ACCURATE = 1e-11  # rows off by more, of the largest change asked for, are worth a correction
CORRECTIONS = 3
MOST_MEMORY = 4.0  # [GB] that one step may take


@dataclass(frozen=True, eq=False)
class QuadraticProgram:
    """Rows, bounds on each, and whose they are. Equal bounds make an equality; infinite ones are none."""

    rows: Rows
    lower: Floats  # (m,) on the change of each row's number
    upper: Floats
    labels: Sequence[Any]  # (m,) whose each row is: a name, or whatever else can be a key
    metric: Metric
    motions: Mapping[str, Any]
    controls: Controls
    drift: Floats  # (n,) u₀ - u: the way back to where the drag began
    soft: np.ndarray | None = None  # (m,) rows that give way when not all can be met
    extra_drift: Mapping[str, Floats] = field(default_factory=dict)
    soft_price: float = np.inf  # of missing a soft row; infinite: they give way only where they contradict others
    noise: float = 1e-11  # in the rows' own units: rows that differ by less do not contradict each other


@dataclass(frozen=True)
class Binding:
    """An owner of rows that hold the step back, and how hard: multipliers of rows scaled alike."""

    label: Any
    multiplier: float


@dataclass(frozen=True)
class Kkt:
    """How well the step satisfies the conditions of an optimum; zero is perfect, and all are relative."""

    stationarity: float
    primal: float
    complementarity: float

    @property
    def worst(self) -> float:
        return max(self.stationarity, self.primal, self.complementarity)


@dataclass(frozen=True, eq=False)
class Solution:
    everything: Floats  # (N,) δ, over u and then the extra variables
    step: Floats  # (n,) that of u
    extras: Mapping[str, Floats]  # those of the extra variables
    multipliers: Floats  # (m,) λ; positive pulls a row up
    pulls: Floats  # (m,) the same of rows scaled alike, to compare them by
    residuals: Floats  # (m,) how far each row is outside its bounds after the step
    binding: tuple[Binding, ...]  # largest first
    inconsistent: tuple[Any, ...]  # owners of hard rows that contradict each other
    kkt: Kkt

    @property
    def reached(self) -> bool:
        """Whether every row is met, soft ones included."""
        return not self.inconsistent and not bool(self.residuals.any())

    def effort(self, problem: QuadraticProgram) -> float:
        """½ δ'Dδ, what the step costs where nothing draws back; infinite if not every row is met."""
        if not self.reached:
            return np.inf
        λ = self.multipliers  # a row that pulls is at the bound that it pulls to
        value = np.where(λ > 0.0, problem.lower, np.where(λ < 0.0, problem.upper, 0.0))
        return 0.5 * float(λ @ value)


def solve(problem: QuadraticProgram, before: Solution | None = None) -> Solution:
    """`before` is the solution of the step before, when its rows were the same ones: its active set is tried first."""
    _check_bounds(problem)
    metric = problem.metric
    J = gather(problem.rows, metric, problem.motions, problem.controls)
    _check_finite(problem, J)
    base = metric.towards(_full_drift(problem))
    at_base = J.apply(base)
    amiss = (problem.lower - at_base > problem.noise) | (at_base - problem.upper > problem.noise)
    rows = reached(J, metric, amiss)
    if rows.all():
        return _solved(problem, J, base, at_base, None if before is None else before.multipliers)
    some = replace(
        problem,
        lower=problem.lower[rows],
        upper=problem.upper[rows],
        labels=[problem.labels[row] for row in np.flatnonzero(rows).tolist()],
        soft=None if problem.soft is None else np.asarray(problem.soft)[rows],
    )
    known = None if before is None or len(before.multipliers) != len(rows) else before.multipliers[rows]
    solution = _solved(some, chosen(J, rows), base, at_base[rows], known)
    return replace(
        solution,
        multipliers=spread(solution.multipliers, rows),
        pulls=spread(solution.pulls, rows),
        residuals=spread(solution.residuals, rows),
    )


def _solved(
    problem: QuadraticProgram, J: Jacobian, base: Floats, at_base: Floats, multipliers: Floats | None
) -> Solution:
    metric = problem.metric
    _check_memory(J)
    G = gram(J, metric)
    diagonal = np.diag(G)
    scale = 1.0 / np.sqrt(np.where(diagonal > 0.0, diagonal, 1.0))
    G = G * scale * scale[:, None]
    lower, upper = scale * (problem.lower - at_base), scale * (problem.upper - at_base)
    soft = np.zeros(len(scale), bool) if problem.soft is None else np.asarray(problem.soft, bool)
    start = None if multipliers is None or len(multipliers) != len(scale) else multipliers / scale
    price = np.where(soft, problem.soft_price, np.inf)
    bounds = RowBounds(lower, upper, price, problem.noise * scale)
    hard_bounds = bounds
    bounds, row_solution, relaxed = _give_way(G, hard_bounds, soft, start)
    if start is not None and not np.all(np.isfinite(row_solution.multipliers)):  # led astray by rows that were others
        bounds, row_solution, relaxed = _give_way(G, hard_bounds, soft, None)
    step = _Step(J, metric, base, scale, at_base)
    row_solution, pulled, value = step.corrected(row_solution, bounds)
    return _solution(problem, step, bounds, row_solution, relaxed, pulled, value)


def _give_way(
    G: Floats, bounds: RowBounds, soft: np.ndarray, start: Floats | None
) -> tuple[RowBounds, RowSolution, np.ndarray]:
    """Solve with all rows; failing that with soft ones at a price; failing that with those that contradict, too."""
    relaxed = np.zeros(len(soft), bool)
    while True:
        try:
            return bounds, solve_rows(G, bounds, start), relaxed
        except ConflictError as conflict:
            price = bounds.price.copy()
            if np.any(soft & np.isinf(price)):
                price[soft] = SOFT_PRICE
            else:
                relaxed[conflict.rows] = True
                price[conflict.rows] = HARD_PRICE
            bounds, start = replace(bounds, price=price), None


@dataclass(frozen=True, eq=False)
class _Step:
    """From multipliers of scaled rows to a step, and to what the rows make of it."""

    J: Jacobian
    metric: Metric
    base: Floats
    scale: Floats
    at_base: Floats

    def of(self, row_solution: RowSolution) -> tuple[Pull, Floats, Floats]:
        """The pull, the flat step, and J δ."""
        pulled = pull(self.J, self.metric, self.scale * row_solution.multipliers)
        step = self.base.copy()
        pulled.add_to(step)
        return pulled, step, self.J.apply(step)

    def corrected(
        self, row_solution: RowSolution, bounds: RowBounds
    ) -> tuple[RowSolution, Pull, tuple[Floats, Floats]]:
        """Iterative refinement by the true residuals: the Gram matrix squares the rows' condition number."""
        pulled, step, value = self.of(row_solution)
        worst = np.inf
        for _ in range(CORRECTIONS):
            residual = self._residual(row_solution, bounds, value)
            size = float(np.abs(residual).max(initial=0.0))
            if size <= ACCURATE * bounds.asked or size > 0.5 * worst:
                break
            worst = size
            better = row_solution.corrected(residual)
            candidate = self.of(better)
            if np.abs(self._residual(better, bounds, candidate[2])).max() >= size:
                break
            row_solution, (pulled, step, value) = better, candidate
        return row_solution, pulled, (step, value)

    def _residual(self, row_solution: RowSolution, bounds: RowBounds, value: Floats) -> Floats:
        """Of rows that pull: what they should be, less what they are. The others' is zero."""
        reduced = row_solution.reduced
        pulling = np.concatenate([reduced.equalities.independent, reduced.others[row_solution.active]])
        up = row_solution.multipliers[pulling] > 0.0
        target = np.where(up | bounds.equal[pulling], bounds.lower[pulling], bounds.upper[pulling])
        now = self.scale[pulling] * (value[pulling] - self.at_base[pulling])
        residual = np.zeros(len(value))
        residual[pulling] = target - now - row_solution.misses[pulling]
        return residual


def _solution(
    problem: QuadraticProgram,
    step: _Step,
    bounds: RowBounds,
    row_solution: RowSolution,
    relaxed: np.ndarray,
    pulled: Pull,
    reached: tuple[Floats, Floats],
) -> Solution:
    flat, value = reached
    now = step.scale * (value - step.at_base)
    outside = now - np.clip(now, bounds.lower, bounds.upper)
    outside[np.abs(outside) <= bounds.tolerance] = 0.0
    kkt = _kkt(step, bounds, row_solution, pulled, now)
    n = problem.metric.layout.size
    pulls = row_solution.multipliers
    return Solution(
        everything=flat,
        step=flat[:n],
        extras={name: flat[where] for name, where in problem.metric.extras.items()},
        multipliers=step.scale * pulls,
        pulls=pulls,
        residuals=outside / step.scale,
        binding=_binding(problem.labels, bounds, row_solution),
        inconsistent=_inconsistent(problem.labels, row_solution, relaxed),
        kkt=kkt,
    )


def _kkt(step: _Step, bounds: RowBounds, row_solution: RowSolution, pulled: Pull, now: Floats) -> Kkt:
    moved = float(np.abs(step.scale * step.at_base).max(initial=0.0))
    size = max(float(np.abs(now).max(initial=0.0)), moved, bounds.asked) or 1.0
    pulls = row_solution.multipliers
    kept = now + row_solution.misses  # what a row with a price is held to
    outside = np.abs(kept - np.clip(kept, bounds.lower, bounds.upper)) - bounds.noise
    primal = outside.max(initial=0.0)
    strongest = float(np.abs(pulls).max(initial=0.0)) or 1.0
    slack = np.where(pulls > 0.0, kept - bounds.lower, bounds.upper - kept)
    slack[pulls == 0.0] = 0.0
    complementarity = (np.abs(pulls) * (np.abs(slack) - bounds.noise)).max(initial=0.0) / strongest
    overpaid = (
        np.maximum(np.abs(pulls) - row_solution.price - np.abs(row_solution.misses), 0.0).max(initial=0.0) / strongest
    )
    return Kkt(pulled.imbalance, float(primal) / size, max(float(complementarity) / size, float(overpaid)))


def _binding(labels: Sequence[Any], bounds: RowBounds, row_solution: RowSolution) -> tuple[Binding, ...]:
    """Owners of bounds that bind; where a row is missed, also of every row that pulls against it in earnest."""
    pulls = np.abs(row_solution.multipliers)
    missed = row_solution.misses != 0.0
    holding = (pulls > 0.0) & ~bounds.equal & ~missed
    if np.any(missed):
        holding |= (np.abs(row_solution.against()) > IN_EARNEST * row_solution.price[missed].min()) & ~missed
    strongest: dict[Any, float] = {}
    for row in np.flatnonzero(holding).tolist():
        strongest[labels[row]] = max(strongest.get(labels[row], 0.0), float(pulls[row]))
    order = sorted(strongest.items(), key=lambda item: -item[1])
    return tuple(Binding(label, multiplier) for label, multiplier in order)


def _inconsistent(labels: Sequence[Any], row_solution: RowSolution, relaxed: np.ndarray) -> tuple[Any, ...]:
    """Owners of rows that are missed although they should not be, and of those that they pull against."""
    if not np.any(row_solution.misses[relaxed]):
        return ()
    price = row_solution.price[relaxed].min()
    at_odds = np.flatnonzero(np.abs(row_solution.against()) > IN_EARNEST * price).tolist()
    return tuple(dict.fromkeys(labels[row] for row in at_odds))


def _full_drift(problem: QuadraticProgram) -> Floats:
    metric = problem.metric
    if problem.drift.shape != (metric.layout.size,):
        raise HoiError(f"the drift has shape {problem.drift.shape}, but u has {metric.layout.size} entries")
    if not np.all(np.isfinite(problem.drift)):
        raise HoiError("the drift from where the drag began has an entry that is not a finite number")
    if not metric.extras:
        return problem.drift
    drift = np.zeros(metric.size)
    drift[: len(problem.drift)] = problem.drift
    for name, extra in problem.extra_drift.items():
        drift[metric.slice_of(name)] = extra
    return drift


def _check_memory(J: Jacobian) -> None:
    """Said before it is begun: a system that runs out of memory says nothing."""
    gigabytes = bytes_for(J) / 2**30
    if gigabytes > MOST_MEMORY:
        raise HoiError(
            f"this edit would take about {gigabytes:.0f} GB of memory, and {MOST_MEMORY:g} GB are the most: it has "
            f"{J.count} conditions to keep at once; let edits change less time, with session.window(start, end)"
        )


def _check_bounds(problem: QuadraticProgram) -> None:
    count = problem.rows.count
    for what, values in (("lower", problem.lower), ("upper", problem.upper), ("labels", problem.labels)):
        if len(values) != count:
            raise HoiError(f"there are {count} rows, but {what} has {len(values)} entries")
    wrong = ~(problem.lower <= problem.upper) | (problem.lower == np.inf) | (problem.upper == -np.inf)
    if np.any(wrong):
        row = int(np.flatnonzero(wrong)[0])
        raise HoiError(
            f"a row of {str(problem.labels[row])!r} is to be between {problem.lower[row]} and {problem.upper[row]}; "
            "give two numbers, the smaller first"
        )


def _check_finite(problem: QuadraticProgram, J: Jacobian) -> None:
    """A QP solver would answer rows that are not numbers with a success and no numbers."""
    parts = [(np.arange(J.count), J.columns), *((stack.rows, stack.on) for stack in J.stacks)]
    parts += [(rows, values) for _, rows, values in J.whole]
    for rows, values in parts:
        if not np.isfinite(values.sum()):  # one number tells; only then is it worth looking for which
            bad = rows[~np.isfinite(values.reshape(len(rows), -1)).all(axis=1)]
            if len(bad):
                raise HoiError(
                    f"a row of {str(problem.labels[int(bad.min())])!r} has a derivative that is not a finite number"
                )
