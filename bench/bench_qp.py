"""The QP of a drag step: in blocks and row space, beside dense rows, and beside general solvers on all variables."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import daqp
import numpy as np
from scipy.linalg import cho_factor, cho_solve

from bench import Row
from bench.general_solvers import Sparse, by_clarabel, by_piqp
from bench.timing import median_ms
from hoi_edit.adjoint import PoseBlock, Rows
from hoi_edit.motions import Layer
from hoi_edit.qp.freedom import metric_of
from hoi_edit.qp.metric import Metric
from hoi_edit.qp.step import QuadraticProgram, solve
from hoi_edit.rollout import Model
from hoi_edit.scene import Character, Scene
from hoi_edit.scenes.juggle3 import juggle3, juggling_clip
from hoi_edit.scenes.passing6 import passing6
from kinematics.clip_tools import repeat, trim
from kinematics.rotation import Floats

PER_CONTACT = 6  # rows: each contact ties a node to a catch and to the throw before it
SPAN = 9.5  # [s] that the contacts lie in, however long the clip is


@dataclass(frozen=True, eq=False)
class Bench:
    """A scene, and the metric of a drag in it."""

    model: Model
    metric: Metric
    motions: Mapping[str, Any]

    @staticmethod
    def of(scene: Scene, contacts: int = 0) -> "Bench":
        model = Model.of(scene)
        nodes = {f"node{k}": np.full(PER_CONTACT, 1e-3) for k in range(contacts)}
        motions = {character.name: character.motion for character in scene.characters}
        return Bench(model, metric_of(model, extras=nodes), motions)

    def problem(self, count: int, inequalities: int = 0) -> QuadraticProgram:
        rng = np.random.default_rng(count)
        b = 0.01 * rng.normal(size=count)
        lower, upper = b.copy(), b.copy()
        lower[count - inequalities :] = -np.inf
        drift = 1e-3 * rng.normal(size=self.model.layout.size)
        labels = [f"contact {k // PER_CONTACT}" for k in range(count)]
        controls = self.model.layout.unflatten(self.model.start)
        rows = self.rows(count, rng)
        return QuadraticProgram(rows, lower, upper, labels, self.metric, self.motions, controls, drift)

    def rows(self, count: int, rng: np.random.Generator) -> Rows:
        names = list(self.motions)
        poses, columns = [], {}
        for k in range(count // PER_CONTACT):
            rows = np.arange(k * PER_CONTACT, (k + 1) * PER_CONTACT)
            character = names[k % len(names)]
            dofs = self.motions[character].grid, self.model.scene.character(character).skeleton.topology.n_dofs
            for _ in range(2):
                on = rng.normal(size=(2, PER_CONTACT, dofs[1])) * np.array([1.0, 0.2])[:, None, None]
                poses.append(PoseBlock(character, float(rng.uniform(0.1, min(SPAN, dofs[0].end - 0.1))), rows, *on))
            columns[f"node{k}"] = np.zeros((count, PER_CONTACT))
            columns[f"node{k}"][rows] = -np.eye(PER_CONTACT)
        return Rows(count, poses, [], columns, ())


def solo(seconds: float) -> Scene:
    """One juggler without balls, for any length."""
    clip = juggling_clip()
    long = repeat(clip, int(np.ceil(seconds / (clip.duration - 0.5))) + 1, 0.5)
    long = trim(long, 0.0, seconds)
    return Scene([Character("juggler", long.skeleton, Layer.over(long))], end=seconds, name=f"{seconds:.0f} s")


def dense_rows(bench: Bench, problem: QuadraticProgram) -> Floats:
    """J (m, N), with the nodes last."""
    rows, n = problem.rows, bench.model.layout.size
    J = np.zeros((rows.count, bench.metric.size))
    J[:, :n] = Rows(rows.count, rows.poses, [], {}, ()).dense(bench.model.layout, problem.controls, dict(bench.motions))
    for name, values in rows.columns.items():
        J[:, bench.metric.slice_of(name)] = values
    return J


def by_dense_rows(metric: Metric, J: Floats, problem: QuadraticProgram) -> Floats:
    """The equalities in row space again, but with J as a matrix."""
    moves = np.stack([metric.solve(row) for row in J])
    base = np.zeros(metric.size)
    base[: len(problem.drift)] = problem.drift
    multipliers = cho_solve(cho_factor(J @ moves.T), problem.lower - J @ base)
    return np.asarray(base + multipliers @ moves)


def by_daqp(H: Floats, J: Floats, problem: QuadraticProgram, f: Floats) -> Floats:
    sense = np.where(problem.lower == problem.upper, 5, 0).astype(np.intc)
    return np.asarray(daqp.solve(H, f, J, problem.upper, problem.lower, sense)[0])


def run() -> list[Row]:
    scenes = {"juggle3": juggle3(), "passing6": passing6(), "100 s": solo(100.0), "240 s": solo(240.0)}
    rows: list[Row] = []
    for name, scene in scenes.items():
        bench = Bench.of(scene, contacts=20)
        raced = _race(f"{name} (n = {bench.model.layout.size})", bench)
        shortest = rows[: len(raced)] or raced
        rows += [
            Row(row.name, row.ours_ms, "the same in juggle3", first.ours_ms) if row.peer_ms is None else row
            for row, first in zip(raced, shortest, strict=True)
        ]
    return rows + _against_sparse(scenes["juggle3"]) + _against_daqp()


def _race(name: str, bench: Bench) -> list[Row]:
    rows = []
    for count in (30, 60, 120):
        problem = bench.problem(count)
        rows.append(Row(f"{name}: {count} equalities", median_ms(lambda p=problem: solve(p).step, 60)))  # type: ignore[misc]
    bounded = bench.problem(60, inequalities=20)
    before = solve(bounded)
    rows.append(Row(f"{name}: 40 equalities, 20 inequalities", median_ms(lambda: solve(bounded, before).step, 60)))
    problem = bench.problem(60)
    J = dense_rows(bench, problem)
    peer = median_ms(lambda: by_dense_rows(bench.metric, J, problem), 3, 1)
    return [*rows, Row(f"{name}: 60 equalities", rows[1].ours_ms, "dense J in row space", peer)]


def _against_sparse(scene: Scene) -> list[Row]:
    """Solvers for any sparse QP, with all of its set-up, as J is another one in each step; first whether they agree."""
    bench, rows = Bench.of(scene, contacts=20), []
    for count, inequalities in ((60, 0), (60, 20), (120, 20)):
        problem = bench.problem(count, inequalities)
        qp, solution = Sparse.of(bench.metric, dense_rows(bench, problem), problem), solve(problem)
        ours = median_ms(lambda problem=problem: solve(problem).step, 40)  # type: ignore[misc]
        name = f"juggle3 (n = {len(qp.f)}): {count - inequalities} equalities, {inequalities} inequalities"
        for peer, by in (("PIQP, sparse", by_piqp), ("Clarabel, sparse", by_clarabel)):
            np.testing.assert_allclose(qp.cost(solution.everything[bench.metric.free]), qp.cost(by(qp)), rtol=1e-8)
            rows.append(Row(name, ours, peer, median_ms(lambda by=by, qp=qp: by(qp), 5, 1)))  # type: ignore[misc]
    return rows


def _against_daqp() -> list[Row]:
    bench = Bench.of(solo(2.0), contacts=20)
    H, rows = bench.metric.dense(), []
    for count, inequalities in ((30, 0), (60, 0), (60, 20)):
        problem = bench.problem(count, inequalities)
        J = np.ascontiguousarray(dense_rows(bench, problem))
        drift = np.zeros(bench.metric.size)
        drift[: len(problem.drift)] = problem.drift
        f = -H @ drift
        ours = median_ms(lambda problem=problem: solve(problem).step, 40)  # type: ignore[misc]
        peer = median_ms(lambda J=J, problem=problem, f=f: by_daqp(H, J, problem, f), 5, 1)  # type: ignore[misc]
        name = f"2 s (n = {bench.model.layout.size}): {count - inequalities} equalities, {inequalities} inequalities"
        rows.append(Row(name, ours, "DAQP, dense", peer))
    return rows
