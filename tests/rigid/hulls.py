"""Hulls of every kind, anyhow in space, and how far apart they are, found independently."""

import numpy as np
import trimesh
from scipy.optimize import nnls
from scipy.spatial.transform import Rotation

from rigid.body import ball, box, capsule, mesh
from rigid.gjk import Floats, Poses

STONE = mesh(1.0, trimesh.convex.convex_hull(np.random.default_rng(8).normal(size=(80, 3)) * 0.12)).vertices
SHAPES = {
    "point": ball(1.0, 0.1).vertices,
    "line": capsule(1.0, 0.1, 0.3).vertices,
    "box": box(1.0, [0.1, 0.2, 0.3]).vertices,
    "stone": STONE,
}
PAIRS = [("point", "box"), ("line", "line"), ("line", "box"), ("box", "line"), ("box", "box"), ("stone", "box"),
         ("stone", "stone")]  # fmt: skip


def scattered(many: int, seed: int, spread: float) -> Poses:
    rng = np.random.default_rng(seed)
    return Poses(Rotation.random(many, rng=rng).as_matrix(), spread * rng.normal(size=(many, 3)))


def slow_distance(a: Floats, b: Floats) -> float:
    """min |Σ x a - Σ y b| over weights x, y >= 0 that each add up to one, as least squares with heavy rows."""
    points, heavy = np.concatenate([a, -b]).T, 1e4
    sums = heavy * np.repeat(np.eye(2), [len(a), len(b)], axis=1)
    weights = nnls(np.concatenate([points, sums]), np.array([0.0, 0.0, 0.0, heavy, heavy]))[0]
    x, y = weights[: len(a)], weights[len(a) :]
    return float(np.linalg.norm(x @ a / x.sum() - y @ b / y.sum()))
