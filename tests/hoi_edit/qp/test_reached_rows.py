"""Rows that a step has nothing to do with take no part, and change nothing about it."""

import numpy as np
import pytest

import hoi_edit.qp.step as qp_step
from hoi_edit.adjoint import PoseBlock, Rows
from hoi_edit.qp.gram import gram
from hoi_edit.qp.metric import Metric
from hoi_edit.qp.stacked_rows import Jacobian
from hoi_edit.qp.step import solve
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from tests.hoi_edit.qp.random_problems import DOFS, Stage, stage

ANN, BOB = np.arange(4), np.arange(4, 8)


def rows_of_two(joined: bool, seed: int = 0) -> Rows:
    """Four rows of each of two people; when joined, a thing goes from one to the other."""
    rng = np.random.default_rng(seed)
    poses = [
        PoseBlock(name, time, rows, rng.normal(size=(4, DOFS)), np.zeros((4, DOFS)))
        for name, rows in (("ann", ANN), ("bob", BOB))
        for time in (0.4, 0.9)
    ]
    thing = np.zeros((8, 3))
    thing[[0, 4] if joined else [0]] = 1.0
    return Rows(8, poses, [], {"ball.position": thing}, ())


def bounds(amiss: np.ndarray) -> np.ndarray:
    wanted = np.zeros(8)
    wanted[amiss] = 0.01 * (1.0 + np.arange(len(amiss)))
    return wanted


@pytest.mark.parametrize("joined", [False, True])
def test_a_step_is_the_one_that_all_rows_would_give(joined: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    here, wanted = stage(3), bounds(ANN)
    problem = here.problem(rows_of_two(joined), wanted, wanted)
    found = solve(problem)
    monkeypatch.setattr(qp_step, "reached", lambda J, metric, amiss: np.ones(J.count, bool))
    every = solve(problem)
    assert np.allclose(found.everything, every.everything, rtol=0.0, atol=1e-11)
    assert np.allclose(found.multipliers, every.multipliers, rtol=1e-7, atol=1e-9) and found.kkt.worst < 1e-7
    assert np.abs(found.multipliers[BOB]).max() > 1e-6 if joined else not found.multipliers[BOB].any()
    assert len(found.residuals) == 8 and not found.residuals.any()


def test_only_those_that_are_reached_are_solved_for(monkeypatch: pytest.MonkeyPatch) -> None:
    solved: list[int] = []

    def counted(J: Jacobian, metric: Metric) -> Floats:
        solved.append(J.count)
        return gram(J, metric)

    monkeypatch.setattr(qp_step, "gram", counted)
    here: Stage = stage(3)
    for joined, amiss in ((False, ANN), (False, BOB), (True, ANN), (False, np.arange(8))):
        wanted = bounds(amiss)
        before = solve(here.problem(rows_of_two(joined), wanted, wanted))
        solve(here.problem(rows_of_two(joined), wanted, wanted), before)
    assert solved == [4, 4, 4, 4, 8, 8, 8, 8]


def test_what_would_take_too_much_memory_is_said_and_not_begun(monkeypatch: pytest.MonkeyPatch) -> None:
    here, wanted = stage(3), bounds(ANN)
    monkeypatch.setattr(qp_step, "MOST_MEMORY", 1e-6)
    monkeypatch.setattr(qp_step, "gram", lambda J, metric: pytest.fail("it was begun"))
    with pytest.raises(HoiError, match=r"GB of memory.*8 conditions .*session\.window"):
        solve(here.problem(rows_of_two(True), wanted, wanted))
