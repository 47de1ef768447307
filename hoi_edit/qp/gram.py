"""G = J D⁻¹ J', the rows' own metric, and the way back from row space: both by blocks, at a cost that is flat in n.

Between two covectors a and b on poses at times s and t, (a ⊗ w_s) D⁻¹ (b ⊗ w_t) = (a D_dof⁻¹ b) · (w_s H⁻¹ w_t): a
product of two small matrices entry by entry. Rows that each touch a time or two are cheapest by that formula; rows that
all touch the same times are cheaper one contraction at a time. The operations are counted, and the fewer are done.
"""

from dataclasses import dataclass

import numpy as np

from hoi_edit.qp.metric import Group, Metric, Spline
from hoi_edit.qp.smoothing import multiply
from hoi_edit.qp.stacked_rows import Jacobian, PoseStack, SplineWeights
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats

MATRICES = 6  # of all rows by all rows, that a step has at once
ENTRY_OVERHEAD = 24  # operations' worth of memory traffic per entry of an elementwise product, measured


def bytes_for(J: Jacobian) -> float:
    """About how much memory a step with these rows takes: its own metric, what makes that, and what solves with it."""
    entries = float(MATRICES * J.count**2 + J.columns.size)
    for stack in J.stacks:
        E, T, D = 2 * len(stack.rows), 2 * stack.times, stack.on.shape[2]
        by_pairs, by_times = 3.0 * E * E, J.count * T * D * 2.0 + 5.0 * T * T
        entries += by_pairs if _pairs_are_cheaper(stack, J.count) else by_times
    return 8.0 * entries


def gram(J: Jacobian, metric: Metric) -> Floats:
    """G (count, count)."""
    scaled = J.columns * np.sqrt(metric.inverse[J.indices])
    G = np.asarray(scaled @ scaled.T)
    for stack in J.stacks:
        if _pairs_are_cheaper(stack, J.count):
            G += _by_pairs(stack, J.count)
        else:
            G += _by_times(stack, J.count)
    if J.whole:
        _add_whole(G, J, metric)
    return G


def _pairs_are_cheaper(stack: PoseStack, count: int) -> bool:
    E, T, D = 2 * len(stack.rows), 2 * stack.times, stack.on.shape[2]
    by_pairs, by_times = E * E * (D + ENTRY_OVERHEAD), 2 * count * T * D * (T + count)
    return by_pairs < by_times


def _by_pairs(stack: PoseStack, count: int) -> Floats:
    """Sum over all pairs of covectors, then over those of the same row."""
    order = np.argsort(stack.rows, kind="stable")
    entries, rows = len(order), stack.rows[order]
    on = stack.on[order].transpose(1, 0, 2).reshape(2 * entries, -1)  # all on q, then all on q̇
    lines = np.concatenate([2 * stack.at[order], 2 * stack.at[order] + 1])
    pairs = np.zeros((entries, entries))
    four = (2, entries, 2, entries)
    for spline_weights in stack.splines:
        for group in spline_weights.spline.groups:
            scaled = on[:, group.pick] @ group.root
            between = _between_times(spline_weights, group).take(lines, axis=0).take(lines, axis=1)
            pairs += np.einsum("xeyf,xeyf->ef", (scaled @ scaled.T).reshape(four), between.reshape(four))
    starts = np.flatnonzero(np.concatenate([[True], rows[1:] > rows[:-1]]))
    summed = _sum_runs(_sum_runs(pairs, starts).T.copy(), starts)
    if len(starts) == count:
        return summed
    G = np.zeros((count, count))
    G[np.ix_(rows[starts], rows[starts])] = summed
    return G


def _sum_runs(X: Floats, starts: Ints) -> Floats:
    """Sums over stretches of rows, each up to the next start. They are short: one pass each for the second, third, …"""
    lengths = np.diff(starts, append=len(X))
    result = X[starts]
    for k in range(1, int(lengths.max())):
        longer = np.flatnonzero(lengths > k)
        result[longer] += X[starts[longer] + k]
    return result


def _by_times(stack: PoseStack, count: int) -> Floats:
    """With a covector for every row and time, most of them perhaps zero."""
    every = np.zeros((count, stack.times, 2, stack.on.shape[2]))
    np.add.at(every, (stack.rows, stack.at), stack.on)
    on = every.reshape(count, 2 * stack.times, -1)
    G = np.zeros((count, count))
    for spline_weights in stack.splines:
        for group in spline_weights.spline.groups:
            scaled = on[:, :, group.pick] @ group.root
            G += scaled.reshape(count, -1) @ (_between_times(spline_weights, group) @ scaled).reshape(count, -1).T
    return 0.5 * (G + G.T)


def _between_times(spline_weights: SplineWeights, group: Group) -> Floats:
    """W H⁻¹ W' (2T, 2T) over the group's free knots."""
    times = len(spline_weights.knots)
    places = group.place[spline_weights.knots]
    weights = spline_weights.weights * (places >= 0)[:, None]
    entries = group.smoothing.entries(np.maximum(places, 0).ravel())  # (4T, 4T)
    half = weights @ entries.reshape(times, 4, 4 * times)  # (T, 2, 4T)
    other = half.reshape(2 * times, 4 * times).T.reshape(times, 4, 2 * times)
    return np.asarray((weights @ other).reshape(2 * times, 2 * times))


def _add_whole(G: Floats, J: Jacobian, metric: Metric) -> None:
    """Rows with covectors on all of a character's parameters: each is taken through D⁻¹ by itself."""
    rest = Jacobian(J.count, J.stacks, J.columns, J.indices, ())
    touched = np.unique(np.concatenate([rows for _, rows, _ in J.whole]))
    covectors = np.zeros((len(touched), metric.size))
    for where, rows, values in J.whole:
        np.add.at(covectors[:, where], np.searchsorted(touched, rows), values)
    moves = np.stack([metric.solve(row) for row in covectors])
    crossed = np.stack([rest.apply(move) for move in moves])
    G[touched] += crossed
    G[:, touched] += crossed.T
    G[np.ix_(touched, touched)] += covectors @ moves.T


@dataclass(frozen=True, eq=False)
class KnotStretch:
    """A group's step on a stretch of its free knots, and the force that makes it."""

    spline: Spline
    group: Group
    knots: slice  # of the free ones
    force: Floats  # (k, d)
    step: Floats  # (k, d)

    @property
    def imbalance(self) -> float:
        """How far D · step is from the force."""
        bands = self.group.smoothing.bands[:, self.knots]
        return float(np.abs(multiply(bands, self.step @ self.group.mass) - self.force).max(initial=0.0))


@dataclass(frozen=True, eq=False)
class Pull:
    """D⁻¹ J' λ in pieces: what a set of multipliers does to the variables."""

    stretches: tuple[KnotStretch, ...]
    indices: Ints
    alone: Floats  # step of the dense columns' entries
    whole: Floats | None  # what `whole` rows do, flat

    def add_to(self, step: Floats) -> None:
        """Add it to a flat vector."""
        np.add.at(step, self.indices, self.alone)
        for stretch in self.stretches:
            knots = stretch.group.knots[stretch.knots]
            control_points = stretch.spline.of(step)
            if stretch.group.all_dofs and len(knots) == knots[-1] + 1 - knots[0]:
                control_points[knots[0] : knots[-1] + 1] += stretch.step
            else:
                control_points[np.ix_(knots, stretch.group.dofs)] += stretch.step
        if self.whole is not None:
            step += self.whole

    @property
    def imbalance(self) -> float:
        """How far D times it is from J' λ, over the size of the latter."""
        size = max((float(np.abs(s.force).max(initial=0.0)) for s in self.stretches), default=0.0)
        return max((s.imbalance for s in self.stretches), default=0.0) / (size or 1.0)


def pull(J: Jacobian, metric: Metric, multipliers: Floats) -> Pull:
    """D⁻¹ J' λ."""
    stretches = []
    for stack in J.stacks:
        pulled = np.add.reduceat(stack.on * multipliers[stack.rows, None, None], stack.starts, axis=0)
        for spline_weights in stack.splines:
            begin, forces = spline_weights.forces(pulled)
            stretches += [
                _stretch(spline_weights.spline, group, begin, forces) for group in spline_weights.spline.groups
            ]
    alone = metric.inverse[J.indices] * (multipliers @ J.columns)
    return Pull(tuple(s for s in stretches if s is not None), J.indices, alone, _pull_whole(J, metric, multipliers))


def _stretch(spline: Spline, group: Group, begin: int, forces: Floats) -> KnotStretch | None:
    """What forces on the knots from `begin` on do to a group."""
    first, last = np.searchsorted(group.knots, [begin, begin + len(forces)])
    if first == last:
        return None
    lo, hi = group.smoothing.window(int(first), int(last) - 1)
    force = np.zeros((hi - lo, len(group.dofs)), order="F")
    force[first - lo : last - lo] = forces[group.knots[first:last] - begin, :][:, group.pick]
    step = group.smoothing.solve(lo, hi, force) @ group.inverse
    return KnotStretch(spline, group, slice(lo, hi), force, step)


def _pull_whole(J: Jacobian, metric: Metric, multipliers: Floats) -> Floats | None:
    if not J.whole:
        return None
    force = np.zeros(metric.size)
    for where, rows, values in J.whole:
        force[where] += multipliers[rows] @ values
    return metric.solve(force)


def apply_transpose(J: Jacobian, metric: Metric, multipliers: Floats) -> Floats:
    """D⁻¹ J' λ as one flat vector."""
    step = np.zeros(metric.size)
    pull(J, metric, multipliers).add_to(step)
    return step
