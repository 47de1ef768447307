"""The QP of a drag step: the smallest change of everything that makes rows of dS/du true.

In: rows in blocks (`hoi_edit.adjoint.Rows`), bounds on each, and a metric that says what a change costs. Out: the
step, what each row pulls with, and the names of those that bind or contradict each other.

    metric = metric_of(model, Freedom(locks=[Lock("juggler/pelvis")]), extras=nodes)     once per drag
    solution = solve(QuadraticProgram(rows, lower, upper, labels, metric, motions, controls, u0 - u), solution)
    u = u + solution.step
"""

from hoi_edit.qp.freedom import Freedom, Lock, Window, means_something, metric_of, within
from hoi_edit.qp.metric import Metric
from hoi_edit.qp.stacked_rows import stacked
from hoi_edit.qp.step import Binding, Kkt, QuadraticProgram, Solution, solve

__all__ = [
    "Binding", "Freedom", "Kkt", "Lock", "Metric", "QuadraticProgram", "Solution", "Window", "means_something",
    "metric_of", "solve", "stacked", "within",
]  # fmt: skip
