"""The smallest change of a control vector that fulfils rows, by steps of Gauss and Newton.

    minimise   ½ (u - u₀)' H (u - u₀)    so that    equal(u) = 0,   above(u) >= 0

H weighs a joint by the mass that it moves and, with second differences over the knots, what is jerky (τ). Distances are
always taken to u₀: a sum of smallest steps is not the smallest change. Each step is solved in the dual, whose unknowns
are the rows, where an inequality is nothing but a bound.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import scipy.linalg
import scipy.optimize

from data.scene_making.rows import Family
from hoi_edit.motions import Layer
from hoi_edit.simulation import Model, Rollout
from kinematics.rotation import Floats

SMOOTH = 0.2  # [s] τ
MOST_TURN = 0.4  # [rad] or [m] of one step
NEARLY = 1e-3  # [m] in all
UNABLE = 1e-9  # norm of a row
HARDEST = 1e5  # price at which an inequality that cannot hold is given up
# How much mass a joint moves how far [kg m²], by the part's name; small ones count as more, or a wrist would do it all.
INERTIA = {
    "pelvis.Xposition": 270.0, "pelvis.Yposition": 270.0, "pelvis.Zposition": 270.0, "pelvis": 16.0, "abdomen": 16.0,
    "thorax": 16.0, "head": 3.0, "upper_arm": 1.5, "forearm": 0.55, "hand": 0.3, "thigh": 4.0, "shank": 1.2,
    "foot": 0.4, "toes": 0.4,
}  # fmt: skip


def weight_of(dof: str) -> float:
    part = dof.partition(".")[0].removeprefix("left_").removeprefix("right_")
    return INERTIA[dof] if dof in INERTIA else INERTIA[part]


@dataclass(frozen=True, eq=False)
class Piece:
    """Free columns of u that share a smoothing: knots x DOFs of a layer; or a few numbers without any."""

    columns: np.ndarray  # (K, D)
    smoothing: Floats  # (K, K), inverted
    weights: Floats  # (D,)

    def inverse(self, J: Floats) -> Floats:
        """H⁻¹ of rows (m, K D)."""
        rows = J.reshape(len(J), *self.columns.shape) / self.weights
        return np.asarray(np.einsum("kl,mld->mkd", self.smoothing, rows).reshape(len(J), -1))


@dataclass(frozen=True, eq=False)
class Metric:
    pieces: Sequence[Piece]

    @staticmethod
    def of(model: Model, locked: Callable[[str], bool], numbers: Mapping[str, float] | None = None) -> "Metric":
        """All layers, without the DOFs that `locked` names; and blocks of u ("ball.velocity") with a weight each."""
        pieces = [layer_piece(model, character.name, locked) for character in model.scene.characters]
        return Metric([piece for piece in [*pieces, *Metric.of_numbers(model, numbers or {})] if piece.columns.size])

    @staticmethod
    def of_numbers(model: Model, weights: Mapping[str, float]) -> list[Piece]:
        """Blocks of u that are no splines, each with one weight."""
        blocks = [(model.layout[name], weight) for name, weight in weights.items()]
        return [
            Piece(np.arange(block.start, block.stop)[None], np.eye(1), np.full(block.stop - block.start, weight))
            for block, weight in blocks
        ]

    @property
    def columns(self) -> np.ndarray:
        return np.concatenate([piece.columns.ravel() for piece in self.pieces])

    def inverse(self, J: Floats) -> Floats:
        """H⁻¹ of rows over the free columns."""
        stops = np.cumsum([piece.columns.size for piece in self.pieces])
        parts = np.split(J, stops[:-1], axis=1)
        return np.hstack([piece.inverse(part) for piece, part in zip(self.pieces, parts, strict=True)])


def layer_piece(
    model: Model, name: str, locked: Callable[[str], bool], begin: float = -np.inf, end: float = np.inf
) -> Piece:
    """The DOFs of a character's layer that are not locked, at the knots that matter nowhere but from begin to end."""
    character, block = model.scene.character(name), model.layout[name]
    if not isinstance(character.motion, Layer):
        raise TypeError(f"the motion of {name!r} is no layer")
    knots, dofs = block.shape
    names = character.skeleton.topology.dof_names
    free = [d for d in range(dofs) if not locked(names[d])]
    spacing = float(character.motion.grid.spacing)
    centre = float(character.motion.grid.start) + spacing * (np.arange(knots) - 1)
    chosen = np.flatnonzero((centre - 2 * spacing >= begin) & (centre + 2 * spacing <= end))
    jerk = np.diff(np.eye(knots), n=2, axis=0)[:, chosen]
    smoothing = np.eye(len(chosen)) + (SMOOTH / spacing) ** 4 * jerk.T @ jerk
    columns = block.start + chosen[:, None] * dofs + np.array(free, int)
    return Piece(columns, np.asarray(np.linalg.inv(smoothing), float), np.array([weight_of(names[d]) for d in free]))


@dataclass(frozen=True, eq=False)
class Wanted:
    """Families of rows that shall be zero, and of rows that shall not be negative."""

    equal: Sequence[Family]
    above: Sequence[Family] = ()

    def values(self, rollout: Rollout) -> tuple[Floats, Floats]:
        return _stack([f.values(rollout) for f in self.equal]), _stack([f.values(rollout) for f in self.above])

    def jacobian(self, rollout: Rollout, columns: np.ndarray) -> Floats:
        return np.vstack([family.jacobian(rollout)[:, columns] for family in (*self.equal, *self.above)])

    def miss(self, rollout: Rollout) -> float:
        """What backtracking watches: the sum of all that is off."""
        equal, above = self.values(rollout)
        return float(np.abs(equal).sum() + np.abs(np.minimum(above, 0.0)).sum())


def _stack(parts: list[Floats]) -> Floats:
    return np.concatenate(parts) if parts else np.zeros(0)


def dual_step(J: Floats, target: Floats, n_equal: int, metric: Metric) -> Floats:
    """The z of least H-norm with J z = target in the first rows and J z >= target in the others."""
    spread = metric.inverse(J)
    size = np.sqrt(np.einsum("mn,mn->m", J, spread))
    able = size > UNABLE  # a row that no free number moves stays as it is
    J, spread, target = (a[able] / (size[able] if a.ndim == 1 else size[able, None]) for a in (J, spread, target))
    equal = np.flatnonzero(able) < n_equal
    L = np.linalg.cholesky(J @ spread.T + 1e-13 * np.eye(len(J)))
    right = scipy.linalg.solve_triangular(L, target, lower=True)
    if equal.all():
        price = scipy.linalg.solve_triangular(L.T, right)
    else:
        bounds = np.where(equal, -np.inf, 0.0), np.where(equal, np.inf, HARDEST)
        price = scipy.optimize.lsq_linear(L.T, right, bounds=bounds, method="bvls", tol=1e-14).x
    return np.asarray(price @ spread)


def least_change(
    model: Model, u: Floats, u0: Floats, wanted: Wanted, metric: Metric, steps: int, still: float = 1e-9
) -> Rollout:
    """From u towards the closest to u0 that fulfils all rows; done when a step turns nothing by more than `still`."""
    columns, rollout = metric.columns, model.simulate(u)
    for step in range(steps):
        equal, above = wanted.values(rollout)
        J = wanted.jacobian(rollout, columns)
        now = rollout.u[columns] - u0[columns]
        z = dual_step(J, J @ now - np.concatenate([equal, above]), len(equal), metric)
        change = z - now
        share = min(1.0, MOST_TURN / max(float(np.abs(change).max()), 1e-300))
        rollout, share = _backtracked(model, rollout, columns, change, share, wanted)
        off, short = np.abs(wanted.values(rollout)[0]).max(initial=0.0), wanted.values(rollout)[1].min(initial=0.0)
        turn = float(np.abs(change).max())
        print(f"  step {step}: {len(J)} rows, share {share:.2g}, off {off:.1e} m, short {-short:.1e}, turn {turn:.1e}")
        if share * turn < still:
            break
    return rollout


def _backtracked(
    model: Model, rollout: Rollout, columns: np.ndarray, change: Floats, share: float, wanted: Wanted
) -> tuple[Rollout, float]:
    before = wanted.miss(rollout)
    for _ in range(7):
        u = rollout.u.copy()
        u[columns] += share * change
        trial = model.simulate(u)
        # where all rows nearly hold, a step towards u₀ may cost a little, and the next one makes up for it
        if wanted.miss(trial) < max((1.0 - 0.1 * share) * before, NEARLY):
            return trial, share
        share *= 0.5
    return trial, share
