"""Our derivative beside the truth, case by case."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.reporting.words import count_of
from hoi_edit.rollout import Model
from hoi_edit.scene.controls import Layout
from hoi_edit.truth.cases import Case
from hoi_edit.truth.difference_quotients import quotient
from hoi_edit.truth.jacobian_entry import JacobianEntry
from kinematics.rotation import Floats

LIMIT = 1e-6  # relative error that no row may have
FAINT = 1e-3  # of the largest derivative: what is smaller is measured against this share of it


@dataclass(frozen=True)
class TruthRow:
    """One row of the table."""

    case: Case
    ours: float
    truth: float
    how: str
    error: float  # relative, the worst of all closed forms and directions
    where: str  # it was
    referee: float  # relative, how well the referee knows the truth there

    @property
    def passes(self) -> bool:
        return self.error <= LIMIT

    def __str__(self) -> str:
        figures = f"{self.ours:>20.13f} {self.truth:>20.13f}  {self.how:12} {self.error:>8.0e}"
        return f"{self.case.name:30} {self.case.entry!s:>24} {figures}" + (
            "" if self.passes else f"  off, {self.where}"
        )


def directions(layout: Layout, seed: int = 0) -> Iterator[tuple[str, Floats]]:
    """A random direction in each block of u, and one in all of it."""
    rng = np.random.default_rng(seed)
    for block in layout.blocks:
        direction = np.zeros(layout.size)
        direction[block.indices] = rng.normal(size=block.stop - block.start)
        yield block.name, direction / np.linalg.norm(direction)
    direction = rng.normal(size=layout.size)
    yield "all of u", direction / np.linalg.norm(direction)


def unit(layout: Layout, entry: JacobianEntry) -> Floats:
    direction = np.zeros(layout.size)
    direction[layout[entry.block].start + entry.index] = 1.0
    return direction


def judge(case: Case) -> TruthRow:
    """Our derivative against every closed form that there is, and against quotients along all directions."""
    model = Model.of(case.scene())
    rollout = model.simulate(model.start)
    J = rollout.dense(rollout.rows([Target(case.thing, case.time)]))
    column = unit(model.layout, case.entry)
    printed = quotient(model, model.start, column, case.thing, case.time)
    derivatives = [("the printed entry", J @ column, printed)] + [
        (name, J @ direction, quotient(model, model.start, direction, case.thing, case.time))
        for name, direction in directions(model.layout)
    ]
    scale = max(float(np.abs(truth.value).max()) for _, _, truth in derivatives)
    errors = [
        (
            float(np.abs(ours - truth.value).max()) / max(float(np.abs(truth.value).max()), FAINT * scale),
            name,
            truth.doubt,
        )
        for name, ours, truth in derivatives
    ]
    errors += [
        (abs(J[e.component] @ unit(model.layout, e) - value) / max(abs(value), FAINT * scale), str(e), 0.0)
        for e, value in case.closed.items()
    ]
    worst, where, doubt = max(errors)
    ours = float(J[case.entry.component] @ column)
    known = case.entry in case.closed
    truth = case.closed[case.entry] if known else float(printed.value[case.entry.component])
    return TruthRow(case, ours, truth, "closed form" if known else "quotients", worst, where, doubt)


def check_gradients(cases: Iterable[Case], show: Callable[[str], None]) -> bool:
    """Show the table, line by line as it is found; whether all of it is true."""
    show(f"{'':30} {'of':>24} {'ours':>20} {'truth':>20}  {'found by':12} {'error':>8}")
    verdicts = []
    for case in cases:
        verdicts.append(judge(case))
        show(str(verdicts[-1]))
    off = [verdict.case.name for verdict in verdicts if not verdict.passes]
    worst = max((verdict.error for verdict in verdicts), default=0.0)
    told = f"off: {', '.join(off)}" if off else "all is well"
    show(f"{told}: {count_of(len(verdicts), 'case')}, worst relative error {worst:.0e}, allowed {LIMIT:.0e}")
    return not off
