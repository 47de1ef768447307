"""Rows made ready for algebra: the covectors of all pose blocks stacked, with the knots that each time hangs on.

J itself is never formed. A pose block's entry for a control point is its covector times a weight of the spline, so
products with J are products with the short stack of covectors and with four weights a time.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hoi_edit.adjoint import PoseBlock, Rows
from hoi_edit.motions.sensitivity import DenseTerm, KnotTerm, terms
from hoi_edit.qp.metric import Metric, Spline
from hoi_edit.scene.controls import Controls
from hoi_edit.simulate.world import Ints
from kinematics.errors import HoiError
from kinematics.rotation import Floats

ONE_TO_FOUR = np.arange(4)


@dataclass(frozen=True, eq=False)
class SplineWeights:
    """How q and q̇ at T times, in their order, hang on one spline."""

    spline: Spline
    knots: Ints  # (T, 4)
    weights: Floats  # (T, 2, 4)

    def moved(self, x: Floats) -> Floats:
        """(T, 2, D) the change of q and q̇ for a flat vector x."""
        return np.asarray(self.weights @ self.spline.of(x)[self.knots])

    def forces(self, on: Floats) -> tuple[int, Floats]:
        """What covectors (T, 2, D) on q and q̇ are on the knots: the first of those, and (knots, D)."""
        first, last = int(self.knots[0, 0]), int(self.knots[-1, 3])
        forces = np.zeros((last + 1 - first, on.shape[2]))
        # times that share their four knots are summed up first: then each knot occurs once at each of four places
        new = np.flatnonzero(np.concatenate([[True], self.knots[1:, 0] > self.knots[:-1, 0]]))
        shares = np.add.reduceat(self.weights.transpose(0, 2, 1) @ on, new, axis=0)
        starts = self.knots[new, 0] - first
        for k in range(4):
            forces[starts + k] += shares[:, k]
        return first, forces


@dataclass(frozen=True, eq=False)
class PoseStack:
    """All covectors on the poses of one character, in order of time; those on q at even places, on q̇ at odd ones."""

    splines: tuple[SplineWeights, ...]
    times: int  # T
    rows: Ints  # (E,)
    at: Ints  # (E,) which time
    starts: Ints  # (T,) the first entry of each time
    on: Floats  # (E, 2, D)


@dataclass(frozen=True, eq=False)
class Jacobian:
    """J in blocks, over the flat vector of a metric."""

    count: int
    stacks: tuple[PoseStack, ...]
    columns: Floats  # (count, c) dense columns
    indices: Ints  # (c,) where these stand
    whole: tuple[tuple[slice, Ints, Floats], ...]  # stretch of the flat vector, rows, covectors

    def apply(self, x: Floats) -> Floats:
        """J x for a flat vector x (N,)."""
        result = self.columns @ x[self.indices]
        for stack in self.stacks:
            result += np.bincount(stack.rows, _on_poses(stack, x), minlength=self.count)
        for where, rows, values in self.whole:
            np.add.at(result, rows, values @ x[where])
        return result


def _on_poses(stack: PoseStack, x: Floats) -> Floats:
    """(E,) each covector times the change of its pose."""
    moved = sum(
        (spline_weights.moved(x) for spline_weights in stack.splines), np.zeros((stack.times, 2, stack.on.shape[2]))
    )
    return np.einsum("exd,exd->e", stack.on, moved[stack.at])


def gather(rows: Rows, metric: Metric, motions: Mapping[str, Any], controls: Controls) -> Jacobian:
    """Rows at the given controls, stacked. Only the parameters of blends are read from these."""
    columns = [np.asarray(values, float) for values in rows.columns.values()]
    indices = [_range(metric.slice_of(name)) for name in rows.columns]
    stacks = []
    blocks: dict[str, list[PoseBlock]] = {}
    for block in rows.poses:
        if len(block.rows):
            blocks.setdefault(block.character, []).append(block)
    for character, pose_blocks in blocks.items():
        pose_blocks.sort(key=lambda block: block.time)
        stack, dense = _stack(pose_blocks, metric, motions[character], controls.motions[character])
        stacks.append(stack)
        for start, values in dense:
            summed = np.zeros((rows.count, values.shape[1]))
            np.add.at(summed, stack.rows, values)
            columns.append(summed)
            indices.append(np.arange(start, start + values.shape[1]))
    whole = tuple(
        (slice(first, first + values.shape[1]), np.asarray(row_indices), np.asarray(values, float))
        for first, row_indices, values in (
            (metric.layout.first(name), row_indices, values) for name, row_indices, values in rows.whole
        )
    )
    return Jacobian(rows.count, tuple(stacks), *_each_once(rows.count, columns, indices), whole)


def _each_once(count: int, columns: list[Floats], indices: list[Ints]) -> tuple[Floats, Ints]:
    """Columns side by side, and where they stand. A blend's weight is reached through poses, and by rows about itself:
    their sum is one column, since products of J are sums over columns."""
    if not columns:
        return np.zeros((count, 0)), np.zeros(0, int)
    all_columns, all_indices = np.concatenate(columns, axis=1), np.concatenate(indices)
    distinct, place = np.unique(all_indices, return_inverse=True)
    if len(distinct) == len(all_indices):
        return all_columns, all_indices
    summed = np.zeros((count, len(distinct)))
    np.add.at(summed.T, place, all_columns.T)
    return summed, distinct


def _range(where: slice) -> Ints:
    return np.arange(where.start, where.stop)


def _stack(
    blocks: Sequence[PoseBlock], metric: Metric, motion: Any, parameters: Any
) -> tuple[PoseStack, list[tuple[int, Floats]]]:
    """The stack of one character's blocks, sorted by time, and its covectors on parameters that are no spline's."""
    block_times = np.array([block.time for block in blocks])
    new = np.concatenate([[True], block_times[1:] > block_times[:-1]])
    sizes = np.array([len(block.rows) for block in blocks])
    at = np.repeat(np.cumsum(new) - 1, sizes)
    times = block_times[new]
    on = np.stack(
        [np.concatenate([block.on_q for block in blocks]), np.concatenate([block.on_rate for block in blocks])], axis=1
    )
    splines, dense = [], []
    character_splines = metric.splines_of(blocks[0].character)
    start = metric.layout.first(blocks[0].character)
    for term in terms(motion, parameters, times):
        if isinstance(term, KnotTerm):
            splines.append(_spline_weights(character_splines, term))
        else:
            dense.append((start + term.offset, _through(term, on, at)))
    rows = np.concatenate([block.rows for block in blocks])
    starts = np.concatenate([[0], np.cumsum(sizes)[:-1]])[new]
    return PoseStack(tuple(splines), len(times), rows, at, starts, on), dense


def _spline_weights(splines: Mapping[int, Spline], term: KnotTerm) -> SplineWeights:
    if term.offset not in splines:
        raise HoiError("the metric was made for another motion: it knows no spline where the rows have one")
    knots = np.asarray(term.first)[:, None] + ONE_TO_FOUR
    return SplineWeights(splines[term.offset], knots, np.stack([term.value, term.rate], axis=1))


def _through(term: DenseTerm, on: Floats, at: Ints) -> Floats:
    """(E, k) covectors on the parameters of a term."""
    value, rate = np.asarray(term.value)[at], np.asarray(term.rate)[at]
    return np.einsum("ed,edk->ek", on[:, 0], value) + np.einsum("ed,edk->ek", on[:, 1], rate)


def stacked(parts: Sequence[Rows]) -> Rows:
    """Rows below one another."""
    first = np.concatenate([[0], np.cumsum([part.count for part in parts])]).astype(int)
    total = int(first[-1])
    columns: dict[str, Floats] = {}
    poses, whole, doubts = [], [], []
    for at, part in zip(first, parts, strict=False):
        for name, values in part.columns.items():
            columns.setdefault(name, np.zeros((total, values.shape[1])))[at : at + part.count] += values
        poses += [PoseBlock(b.character, b.time, b.rows + at, b.on_q, b.on_rate) for b in part.poses]
        whole += [(name, rows + at, values) for name, rows, values in part.whole]
        doubts += list(part.doubts)
    return Rows(total, poses, whole, columns, tuple(doubts))
