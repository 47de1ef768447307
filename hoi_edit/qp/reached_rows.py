"""Which rows a step has to do with: those that it has to mend, and those that share a variable with one of these.

Rows fall into sets that share none: of people whom no thing in flight connects, say. Where all of a set hold already,
its multipliers are zero and its variables take no part, so a crowd costs no more than those that an edit touches.
"""

from dataclasses import replace

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from hoi_edit.qp.metric import Metric
from hoi_edit.qp.stacked_rows import Jacobian, PoseStack
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats


def reached(J: Jacobian, metric: Metric, amiss: np.ndarray) -> np.ndarray:
    """(m,) the rows that are connected with any that are amiss (m,), themselves among them."""
    if len(J.stacks) < 2 or J.whole or amiss.all():
        return np.ones(J.count, bool)
    free = np.flatnonzero(metric.inverse[J.indices] > 0.0)
    rows, columns = np.nonzero(J.columns[:, free])
    first = J.count + len(free)
    ends = [(stack.rows, np.full(len(stack.rows), first + k)) for k, stack in enumerate(J.stacks)]
    a = np.concatenate([rows, *(stack_rows for stack_rows, _ in ends)])
    b = np.concatenate([J.count + columns, *(stack for _, stack in ends)])
    size = first + len(J.stacks)
    _, labels = connected_components(coo_array((np.ones(len(a), bool), (a, b)), shape=(size, size)), directed=False)
    of_rows = labels[: J.count]
    is_reached = np.isin(of_rows, np.unique(of_rows[amiss]))
    if not is_reached.any() and J.count:
        is_reached[0] = True  # a problem has a row; this one holds already, and pulls at nothing
    return np.asarray(is_reached)


def chosen(J: Jacobian, rows: np.ndarray) -> Jacobian:
    """Some rows of it, all of those that share a stack or none."""
    place = np.cumsum(rows) - 1
    stacks = tuple(_renumbered(stack, place) for stack in J.stacks if rows[stack.rows].all())
    return Jacobian(int(rows.sum()), stacks, J.columns[rows], J.indices, ())


def _renumbered(stack: PoseStack, place: Ints) -> PoseStack:
    return replace(stack, rows=place[stack.rows])


def spread(values: Floats, rows: np.ndarray) -> Floats:
    """Numbers of some rows among zeros for the others."""
    every = np.zeros(len(rows))
    every[rows] = values
    return every
