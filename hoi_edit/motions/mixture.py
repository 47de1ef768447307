"""Motions as mixtures of splines, for compiled code: at any time a pose is a few control points times a few weights.

    q(t) = Σ_b w_b(t) · Σ_s spline_s(warp_b(t))

A layer is one branch with two splines, a fitted spline one with one, a blend a branch for each clip, with its warp and
its weight. Everything that follows from t alone, the time derivatives included, is in the weights. A motion that is
nothing of the kind is sampled and interpolated: true to h⁴ between its samples instead of to round-off.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np

from hoi_edit.motions.base import Motion, Parameters, poses
from hoi_edit.motions.blend import Blend
from hoi_edit.motions.fitted import FittedSpline
from hoi_edit.motions.layer import Layer
from kinematics.compiled import inner
from kinematics.rotation import Floats
from kinematics.spline import Grid, interpolate
from kinematics.warp import Warp

Ints = np.ndarray
RATE = 480.0  # [Hz] at which a motion of another kind is sampled


class Mixtures(NamedTuple):
    """What never changes about the motions of a scene's characters, in flat arrays."""

    character: Ints  # (C + 1, 4) where its branches, ramps and points begin, and how many coordinates it has
    branch: Ints  # (B + 1, 2) where its splines and its warp begin; no warp: its time is the scene's
    spline: Ints  # (S, 3) how many control points, whether they are parameters (1) or fixed (0), and where they begin
    grid: Floats  # (S, 2) start and spacing [s]
    fixed: Floats  # control points that no edit changes
    warp: Floats  # (W, 3) pairs of the scene's time and a clip's own, and its rate there
    ramps: Floats  # (R, 2) start and end [s]


class Mixed(NamedTuple):
    """What an edit changes: control points, and the weights of blends."""

    points: Floats
    base: Floats  # (B,) weight of each branch before all ramps
    steps: Floats  # (R, most branches) what each ramp adds to the branches of its character


@dataclass(frozen=True, eq=False)
class _Spline:
    grid: Grid
    fixed: Floats | None  # control points, or None:
    at: int  # where they begin among the motion's parameters


@dataclass(frozen=True, eq=False)
class Recipe:
    """How one motion is a mixture."""

    motion: Motion
    branches: list[list[_Spline]]
    warps: list[Warp | None]
    ramps: Floats = field(default_factory=lambda: np.zeros((0, 2)))
    samples: Floats | None = None  # times, of a motion that has to be sampled

    def points(self, parameters: Parameters) -> Floats:
        if self.samples is not None:
            rows = np.asarray(poses(self.motion, parameters, jnp.asarray(self.samples)))
            return interpolate(float(self.samples[0]), float(self.samples[1] - self.samples[0]), rows)[1].ravel()
        leaves = jax.tree_util.tree_leaves(parameters)
        return np.ravel(leaves[0]) if len(leaves) == 1 else np.concatenate([np.ravel(leaf) for leaf in leaves])

    def weights(self, parameters: Parameters) -> tuple[Floats, Floats]:
        """Weight of each branch at first (B,), and what each ramp adds (R, B)."""
        if not isinstance(self.motion, Blend) or self.samples is not None:
            return np.ones(1), np.zeros((0, 1))
        alpha, corners = np.asarray(parameters.alpha), np.asarray(self.motion.corners)
        mixed = np.concatenate([1.0 - alpha.sum(axis=1, keepdims=True), alpha], axis=1)
        at = np.stack([corners[s] if i < 0 else mixed[i] for s, i in enumerate(self.motion.stations)])
        return at[0], np.diff(at, axis=0)

    def weights_back(self, on_base: Floats, on_steps: Floats) -> Floats:
        """Covectors (N, α's numbers) of such on `weights`, (N, B) and (N, R, B), by which α is mixed."""
        on_stations = np.pad(on_steps, ((0, 0), (1, 0), (0, 0))) - np.pad(on_steps, ((0, 0), (0, 1), (0, 0)))
        on_stations[:, 0] += on_base
        blend: Any = self.motion
        on_alpha = np.zeros((len(on_base), *np.shape(blend.alpha)))
        for s, i in enumerate(blend.stations):
            if i >= 0:
                on_alpha[:, i] += on_stations[:, s, 1:] - on_stations[:, s, :1]
        return on_alpha.reshape(len(on_base), -1)


def recipe(motion: Motion) -> Recipe:
    splines_of_motion = _own_splines(motion, 0)
    if splines_of_motion is not None:
        return Recipe(motion, [splines_of_motion], [None])
    if isinstance(motion, Blend):
        branches, at = [], 0
        for part in motion.motions:
            splines = _own_splines(part, at)
            if splines is None:
                return _sampled(motion)
            branches.append(splines)
            at += int(np.size(part.parameters()))
        return Recipe(motion, branches, [None, *motion.warps], np.asarray(motion.ramps, float))
    return _sampled(motion)


def _own_splines(motion: Motion, at: int) -> list[_Spline] | None:
    if isinstance(motion, Layer):
        return [_Spline(motion.source_grid, np.asarray(motion.source), 0), _Spline(motion.grid, None, at)]
    return [_Spline(motion.grid, None, at)] if isinstance(motion, FittedSpline) else None


def _sampled(motion: Motion) -> Recipe:
    start, end = float(motion.start), float(motion.end)
    count = max(4, int(np.ceil((end - start) * RATE)) + 1)
    step = (end - start) / (count - 1)
    grid = Grid(start, step, count + 2)
    return Recipe(
        motion, [[_Spline(grid, None, 0)]], [None], samples=np.asarray(start + step * np.arange(count), float)
    )


def mixtures(recipes: Sequence[Recipe], sizes: Sequence[int], initial: Sequence[Parameters]) -> Mixtures:
    """All characters' motions in one; `initial` parameters only tell how many numbers each has."""
    characters: list[list[int]] = []
    branches: list[list[int]] = []
    splines: list[list[int]] = []
    grids: list[list[float]] = []
    fixed: list[Floats] = [np.zeros(0)]
    warps: list[Floats] = [np.zeros((0, 3))]
    ramps: list[Floats] = [np.zeros((0, 2))]
    points = 0
    for recipe_of_character, size, parameters in zip(recipes, sizes, initial, strict=True):
        characters.append([len(branches), sum(map(len, ramps)), points, size])
        ramps.append(recipe_of_character.ramps)
        for parts, warp in zip(recipe_of_character.branches, recipe_of_character.warps, strict=True):
            branches.append([len(splines), sum(map(len, warps))])
            if warp is not None:
                warps.append(np.column_stack([warp.outer, warp.inner, warp.speed]))
            for part in parts:
                begins = points + part.at if part.fixed is None else sum(map(len, fixed))
                splines.append([part.grid.count, int(part.fixed is None), begins])
                grids.append([float(part.grid.start), float(part.grid.spacing)])
                if part.fixed is not None:
                    fixed.append(np.ravel(part.fixed))
        points += len(recipe_of_character.points(parameters))
    characters.append([len(branches), sum(map(len, ramps)), points, 0])
    branches.append([len(splines), sum(map(len, warps))])
    return Mixtures(
        np.array(characters, np.int64), np.array(branches, np.int64), np.array(splines, np.int64).reshape(-1, 3),
        np.array(grids, float).reshape(-1, 2), np.concatenate(fixed), np.concatenate(warps), np.concatenate(ramps),
    )  # fmt: skip


def mixed(recipes: Sequence[Recipe], parameters: Sequence[Parameters]) -> Mixed:
    weights = [recipe_of_character.weights(p) for recipe_of_character, p in zip(recipes, parameters, strict=True)]
    most = max((len(base) for base, _ in weights), default=1)
    steps = [np.pad(step, ((0, 0), (0, most - step.shape[1]))) for _, step in weights]
    points = [recipe_of_character.points(p) for recipe_of_character, p in zip(recipes, parameters, strict=True)]
    return Mixed(
        np.ascontiguousarray(np.concatenate(points), float) if points else np.zeros(0),
        np.concatenate([base for base, _ in weights]) if weights else np.zeros(0),
        np.concatenate(steps) if steps else np.zeros((0, 1)),
    )


@inner
def _step(t: float, start: float, end: float) -> tuple[float, float, float, float]:
    """`kinematics.warp.smooth_step` and its three rates."""
    length = end - start
    s = (t - start) / length
    if s < 0.0:
        return 0.0, 0.0, 0.0, 0.0
    if s > 1.0:
        return 1.0, 0.0, 0.0, 0.0
    value = s * s * s * (10.0 + s * (-15.0 + 6.0 * s))
    accel = 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / length**2
    return value, 30.0 * (s * (1.0 - s)) ** 2 / length, accel, 60.0 * (1.0 - 6.0 * s * (1.0 - s)) / length**3


@inner
def _warped(m: Mixtures, branch: int, t: float) -> tuple[float, float, float, float]:
    """A branch's own time at time t, and its three rates: `kinematics.warp.Warp`."""
    k, last = m.branch[branch, 1], m.branch[branch + 1, 1]
    if k == last:
        return t, 1.0, 0.0, 0.0
    while k < last - 2 and t >= m.warp[k + 1, 0]:
        k += 1
    length = m.warp[k + 1, 0] - m.warp[k, 0]
    x = (t - m.warp[k, 0]) / length
    a, b, rise = m.warp[k, 2] * length, m.warp[k + 1, 2] * length, m.warp[k + 1, 1] - m.warp[k, 1]
    if x < 0.0:
        return m.warp[k, 1] + a * x, m.warp[k, 2], 0.0, 0.0
    if x > 1.0:
        return m.warp[k + 1, 1] + b * (x - 1.0), m.warp[k + 1, 2], 0.0, 0.0
    # a x + c₃ x³ + c₄ x⁴ + c₅ x⁵
    c3, c4, c5 = -6 * a - 4 * b + 10 * rise, 8 * a + 7 * b - 15 * rise, -3 * a - 3 * b + 6 * rise
    value = x * (a + x * x * (c3 + x * (c4 + x * c5)))
    rate = a + x * x * (3 * c3 + x * (4 * c4 + 5 * x * c5))
    accel = x * (6 * c3 + x * (12 * c4 + 20 * x * c5))
    jerk = 6 * c3 + x * (24 * c4 + 60 * x * c5)
    return m.warp[k, 1] + value, rate / length, accel / length**2, jerk / length**3


@inner
def look(m: Mixtures, mixed: Mixed, character: int, t: float, first: Ints, weights: Floats) -> None:
    """Which control points a character's pose at time t is made of: `first` (S,) and `weights` (S, 1, 3 or 4, 4).

    Of each spline the first of its four points, and their weights in q and, where there is room, its rate, its
    acceleration and the rate of that: from t on, as on a knot it jumps.
    """
    rates, jerks = weights.shape[1] > 1, weights.shape[1] > 3
    branch0 = m.character[character, 0]
    for branch in range(branch0, m.character[character + 1, 0]):
        w, w1, w2, w3 = mixed.base[branch], 0.0, 0.0, 0.0
        for r in range(m.character[character, 1], m.character[character + 1, 1]):
            value, rate, accel, jerk = _step(t, m.ramps[r, 0], m.ramps[r, 1])
            step = mixed.steps[r, branch - branch0]
            w, w1, w2, w3 = w + step * value, w1 + step * rate, w2 + step * accel, w3 + step * jerk
        own, own1, own2, own3 = _warped(m, branch, t)
        for s in range(m.branch[branch, 0], m.branch[branch + 1, 0]):
            h, pieces = m.grid[s, 1], m.spline[s, 0] - 3
            x = (own - m.grid[s, 0]) / h
            inside = 1.0 / h if -1e-9 <= x <= pieces + 1e-9 else 0.0  # beyond its ends a spline stands still
            if inside == 0.0:
                x = min(max(x, 0.0), float(pieces))
            first[s] = min(max(int(np.floor(x)), 0), pieces - 1)
            y = x - first[s]
            for i in range(4):
                # the last two are the first two seen from the other end
                sign, z = (1.0, y) if i < 2 else (-1.0, 1.0 - y)
                if i == 0 or i == 3:
                    z = 1.0 - z
                    b0, b1, b2 = z * z * z / 6, -0.5 * sign * z * z, z
                else:
                    b0, b1, b2 = (4 + z * z * (3 * z - 6)) / 6, sign * z * (1.5 * z - 2), 3 * z - 2
                b1, b2 = b1 * inside, b2 * inside**2
                weights[s, 0, i] = w * b0
                if not rates:
                    continue
                weights[s, 1, i] = w1 * b0 + w * own1 * b1
                weights[s, 2, i] = w2 * b0 + 2 * w1 * own1 * b1 + w * (own1 * own1 * b2 + own2 * b1)
                if jerks:
                    b3 = sign * (-1.0 if i == 0 or i == 3 else 3.0) * inside**3
                    bent = own1**3 * b3 + 3 * own1 * own2 * b2 + own3 * b1
                    weights[s, 3, i] = w3 * b0 + 3 * w2 * own1 * b1 + 3 * w1 * (own1**2 * b2 + own2 * b1) + w * bent


@inner
def coordinates(
    m: Mixtures, mixed: Mixed, character: int, first: Ints, weights: Floats, orders: int, q: Floats
) -> None:
    """Fill q (D, orders) with a character's coordinates and their rates, as `look` has found them."""
    size = m.character[character, 3]
    for d in range(size):
        for order in range(orders):
            q[d, order] = 0.0
    for s in range(m.branch[m.character[character, 0], 0], m.branch[m.character[character + 1, 0], 0]):
        points = mixed.points if m.spline[s, 1] == 1 else m.fixed
        at = m.spline[s, 2] + first[s] * size
        a, b, c, e = points[at:], points[at + size :], points[at + 2 * size :], points[at + 3 * size :]
        for order in range(orders):
            u, v, w, z = weights[s, order, 0], weights[s, order, 1], weights[s, order, 2], weights[s, order, 3]
            for d in range(size):
                q[d, order] = q[d, order] + u * a[d] + v * b[d] + w * c[d] + z * e[d]


@inner
def points_back(
    m: Mixtures, character: int, first: Ints, weights: Floats, orders: int, on_q: Floats, out: Floats
) -> None:
    """The reverse of `coordinates`: a covector on them (orders, D) is added to that on the character's points."""
    size = m.character[character, 3]
    for s in range(m.branch[m.character[character, 0], 0], m.branch[m.character[character + 1, 0], 0]):
        if m.spline[s, 1] == 0:
            continue
        at = m.spline[s, 2] - m.character[character, 2] + first[s] * size
        for i in range(4):
            for order in range(orders):
                w = weights[s, order, i]
                for d in range(size):
                    out[at + i * size + d] += w * on_q[order, d]


@inner
def ramp_weights(m: Mixtures, ramp: int, t: float, out: Floats) -> None:
    """By how much a ramp is over at time t (3,), with its rates; -1 stands for what was there before all ramps."""
    out[0], out[1], out[2] = 1.0, 0.0, 0.0
    if ramp >= 0:
        out[0], out[1], out[2], _ = _step(t, m.ramps[ramp, 0], m.ramps[ramp, 1])
