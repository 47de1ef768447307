"""Synthetic rows over two bodies, a thing and a node, and the same QP solved by brute force."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import daqp
import numpy as np

from hoi_edit.adjoint import PoseBlock, Rows
from hoi_edit.motions import Blend, FittedSpline
from hoi_edit.qp.metric import Metric, SplineCost, build
from hoi_edit.qp.step import QuadraticProgram
from hoi_edit.scene.controls import ContactControls, Controls, Layout, StartControls
from kinematics.rotation import Floats
from kinematics.spline import Grid
from kinematics.warp import Warp

KNOTS, DOFS = 19, 5
NODES = {"kick.node": np.array([0.5, 1.0, 2.0, np.inf])}


def spline(seconds: float = 1.6) -> FittedSpline:
    return FittedSpline(Grid.over(0.0, seconds, seconds / (KNOTS - 3)), np.zeros((KNOTS, DOFS)), 0.0, seconds)


def blend() -> Blend:
    return Blend(
        motions=(spline(), spline(1.9)),
        warps=(Warp.through([0.1, 0.8, 1.5], [0.2, 0.9, 1.8]),),
        alpha=np.array([[0.3]]),
        ramps=np.array([[0.3, 0.5], [1.1, 1.4]]),
        corners=np.array([[1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]),
        stations=(-1, 0, -1),
        start=0.0,
        end=1.6,
    )


MOTIONS: dict[str, Any] = {"ann": spline(), "bob": blend()}


@dataclass(frozen=True)
class Stage:
    """Controls of two bodies, one of them blended, a thing, a kick and a catch."""

    controls: Controls
    layout: Layout
    metric: Metric

    def dense(self, rows: Rows) -> Floats:
        """J (m, N), extra variables last."""
        n = self.layout.size
        own = {name: values for name, values in rows.columns.items() if name in self.layout}
        J = np.zeros((rows.count, self.metric.size))
        J[:, :n] = Rows(rows.count, rows.poses, rows.whole, own, ()).dense(self.layout, self.controls, MOTIONS)
        for name, values in rows.columns.items():
            if name not in own:
                J[:, self.metric.extras[name]] = values
        return J

    def problem(
        self, rows: Rows, lower: Floats, upper: Floats, drift: Floats | None = None, **more: object
    ) -> QuadraticProgram:
        drift = np.zeros(self.layout.size) if drift is None else drift
        labels = more.pop("labels", [f"row {k}" for k in range(rows.count)])
        return QuadraticProgram(rows, lower, upper, labels, self.metric, MOTIONS, self.controls, drift, **more)  # type: ignore[arg-type]


def stage(seed: int, locked: bool = False) -> Stage:
    """With `locked`, some degrees of freedom are locked throughout, some for a while, and knots at the edges fade."""
    rng = np.random.default_rng(seed)
    starts = {"ball": StartControls(*(np.zeros(3) for _ in range(4)))}
    contacts = {"catch": ContactControls(np.float64(0.7)), "kick": ContactControls(None, 1.0, 1.0, np.zeros(3))}
    controls = Controls({name: motion.parameters() for name, motion in MOTIONS.items()}, starts, contacts)
    layout = Layout.of(controls)
    alone = np.where(layout.free, np.exp(rng.normal(size=layout.size)), np.inf)
    costs = [_cost(rng, "ann", 0, 0.1, locked), _cost(rng, "bob", 0, 0.1, locked)]
    costs.append(_cost(rng, "bob", KNOTS * DOFS, 1.9 / 16, locked))
    return Stage(controls, layout, build(layout, costs, alone, NODES))


def _cost(rng: np.random.Generator, name: str, offset: int, spacing: float, locked: bool) -> SplineCost:
    free = np.ones((KNOTS, DOFS), bool)
    fade = np.ones(KNOTS)
    if locked:
        free[:, 1] = False
        free[6:9, 2:4] = False
        free[:2] = free[-3:] = False
        fade[2:5] = [9.0, 4.0, 2.0]
    coupled = rng.normal(size=(2, DOFS))
    # inertia that couples degrees of freedom, as standing feet do; where groups differ it is left out
    mass = np.diag(np.exp(rng.normal(size=DOFS))) + (coupled.T @ coupled if np.all(free == free[:, :1]) else 0.0)
    return SplineCost(name, offset, spacing, mass, free, fade)


def random_rows(seed: int, count: int, chained: bool = False, whole: bool = True) -> Rows:
    """Rows that touch one time of each body, or, when chained, several; and columns of all kinds."""
    rng = np.random.default_rng(seed)
    poses = []
    for character in MOTIONS:
        for time in [*rng.uniform(-0.1, 1.7, 5), 0.8, 0.8]:
            rows = np.flatnonzero(rng.random(count) < (0.9 if chained else 0.3))
            on = rng.normal(size=(2, len(rows), DOFS)) * np.array([1.0, 0.1])[:, None, None]
            poses.append(PoseBlock(character, float(time), rows, on[0], on[1]))
    columns = {
        name: rng.normal(size=(count, size))
        for name, size in (("ball.position", 3), ("ball.spin", 3), ("catch.release", 1), ("kick.normal", 3))
    }
    columns["kick.node"] = rng.normal(size=(count, 4))
    parameters = {"ann": KNOTS * DOFS, "bob": 2 * KNOTS * DOFS + 1}
    covectors: list[tuple[str, np.ndarray, Floats]] = []
    if whole and count:
        picked = np.array([0, count - 1, 0])
        covectors = [(name, picked, rng.normal(size=(3, size)) / 5.0) for name, size in parameters.items()]
    return Rows(count, poses, covectors, columns, ())


def take(rows: Rows, order: Sequence[int] | np.ndarray) -> Rows:
    """The same rows again in any order, repeated as wished."""
    places = np.asarray(order)
    poses = []
    for block in rows.poses:
        new, old = np.nonzero(places[:, None] == block.rows)
        poses.append(PoseBlock(block.character, block.time, new, block.on_q[old], block.on_rate[old]))
    whole = []
    for name, own, values in rows.whole:
        new, old = np.nonzero(places[:, None] == own)
        whole.append((name, new, values[old]))
    columns = {name: values[places] for name, values in rows.columns.items()}
    return Rows(len(places), poses, whole, columns, ())


def solve_generally(stage: Stage, problem: QuadraticProgram) -> Floats:
    """The step (N,) by DAQP on all free variables, with D and J as dense matrices."""
    J, D, free = stage.dense(problem.rows), stage.metric.dense(), stage.metric.free
    drift = np.zeros(stage.metric.size)
    drift[: len(problem.drift)] = problem.drift
    # the cost of a locked entry's drift is a constant, but it pulls at free neighbours
    coupling = np.where(np.isinf(D), 0.0, D)[np.ix_(free, ~free)] @ drift[~free]
    H = D[np.ix_(free, free)]
    f = -H @ drift[free] - coupling
    sense = np.where(problem.lower == problem.upper, 5, 0).astype(np.intc)
    x, _, flag, _ = daqp.solve(
        H, f, np.ascontiguousarray(J[:, free]), problem.upper, problem.lower, sense, primal_tol=1e-12, dual_tol=1e-12
    )
    assert flag == 1
    step = np.zeros(stage.metric.size)
    step[free] = x
    return step
