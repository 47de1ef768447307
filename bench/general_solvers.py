"""The QP of a drag step as general solvers take it: D and J as sparse matrices over all variables that may change."""

from dataclasses import dataclass
from typing import Any

import clarabel
import numpy as np
import piqp
from scipy import sparse

from hoi_edit.qp.metric import Metric
from hoi_edit.qp.step import QuadraticProgram
from kinematics.rotation import Floats

CLOSE = 1e-9  # what the solvers are asked for


@dataclass(frozen=True, eq=False)
class Sparse:
    """min ½ x'Hx + f'x  s.t.  A x = b,  C x ≤ d"""

    H: Any
    f: Floats
    A: Any
    b: Floats
    C: Any
    d: Floats

    @staticmethod
    def of(metric: Metric, J: Floats, problem: QuadraticProgram) -> "Sparse":
        free = metric.free
        H = sparse.csc_matrix(metric.dense()[np.ix_(free, free)])
        drift = np.zeros(metric.size)
        drift[: len(problem.drift)] = problem.drift
        equal = problem.lower == problem.upper
        rows = sparse.csc_matrix(J[:, free])
        return Sparse(H, -(H @ drift[free]), rows[equal], problem.upper[equal], rows[~equal], problem.upper[~equal])

    def cost(self, x: Floats) -> float:
        """To compare by: where variables cost little, solvers that stop at a tolerance leave them anywhere."""
        return float(0.5 * x @ (self.H @ x) + self.f @ x)


def by_piqp(qp: Sparse) -> Floats:
    solver = piqp.SparseSolver()
    solver.settings.eps_abs = solver.settings.eps_rel = CLOSE
    more = (qp.C, None, qp.d) if len(qp.d) else ()
    solver.setup(qp.H, qp.f, qp.A, qp.b, *more)
    if solver.solve() != piqp.PIQP_SOLVED:
        raise RuntimeError("PIQP has not solved the QP of a drag step")
    return np.asarray(solver.result.x)


def by_clarabel(qp: Sparse) -> Floats:
    settings = clarabel.DefaultSettings()
    settings.verbose = False
    settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = CLOSE
    rows, bounds = sparse.vstack([qp.A, qp.C], format="csc"), np.concatenate([qp.b, qp.d])
    cones = [clarabel.ZeroConeT(len(qp.b)), *([clarabel.NonnegativeConeT(len(qp.d))] if len(qp.d) else [])]
    solution = clarabel.DefaultSolver(sparse.triu(qp.H, format="csc"), qp.f, rows, bounds, cones, settings).solve()
    if str(solution.status) != "Solved":
        raise RuntimeError(f"Clarabel has not solved the QP of a drag step: {solution.status}")
    return np.asarray(solution.x)
