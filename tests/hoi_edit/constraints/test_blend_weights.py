"""Blend weights in edits (§5.2): α rises where a clip helps, stays where none does, and never leaves its clips."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.blend_weights import BlendWeights
from hoi_edit.motions import Blend, Layer
from hoi_edit.qp.gram import gram
from hoi_edit.qp.stacked_rows import gather
from hoi_edit.qp.weights import PERFORMED, blend_weights
from hoi_edit.rollout import Rollout
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.scenes.juggle3 import juggling_clip
from hoi_edit.verify.constraint_checks import promises
from hoi_edit.verify.performance import PerformanceRecord
from kinematics.rotation import Floats
from tests.clips import HUMAN, swinging_human
from tests.hoi_edit.motions.blend_parameters import with_alpha
from tests.hoi_edit.qp.random_problems import MOTIONS, random_rows, stage

THROW = ("ball3", 4.088)  # on its way to the right hand


def opens() -> hoi.EditSession:
    return hoi.open("save:start")


def alpha(session: hoi.EditSession) -> float:
    return float(session.u[session.layout["juggler.alpha"].indices][0])


def dragged(session: hoi.EditSession, *by: float) -> float:
    """α after the throw is dragged; the catch, and all others, still happen."""
    report = session.drag(*THROW, to=session.state(*THROW).position + by)
    assert report.converged and not report.events_changed
    return alpha(session)


def test_it_rises_when_the_ball_is_dragged_forward(session: hoi.EditSession) -> None:
    found = []
    for ahead in (0.1, 0.3):
        head = session.state("juggler/head", 4.2).position
        found.append(dragged(session, 0.0, 0.0, ahead))
        moved = session.state("juggler/head", 4.2).position - head
        assert moved[2] > 0.3 * ahead  # it is the trunk that leans, not only the arm that reaches
        session.undo()
    assert 0.15 < found[0] < 0.4 and 0.5 < found[1] < 0.9


def test_it_stays_when_the_ball_is_dragged_sideways(session: hoi.EditSession) -> None:
    for aside in (0.2, -0.2):
        assert dragged(session, aside, 0.0, 0.0) < 0.02
        session.undo()


def test_it_does_not_leave_its_clips(session: hoi.EditSession) -> None:
    assert abs(dragged(session, 0.0, 0.0, -0.15)) < 1e-9  # nobody has performed a catch leaning back
    session.undo()
    assert dragged(session, 0.0, 0.0, 0.45) <= 1.0 + 1e-6  # its joints are at their limits before
    session.undo()
    joints = session.scene.character("juggler").skeleton.names
    session.free(scales={f"juggler/{name}": 20.0 for name in joints})  # so that clips are the cheapest way
    assert 0.999 < dragged(session, 0.0, 0.0, 0.4) <= 1.0 + 1e-6


def test_the_derivative_by_it_is_a_difference_quotient(opened: hoi.EditSession) -> None:
    own = opened.layout["juggler.alpha"].start

    def central(name: str, t: float, h: float) -> Floats:
        step = np.zeros(len(opened.u))
        step[own] = h
        states = [opened.simulate(opened.u + way * step).state(name, t) for way in (1.0, -1.0)]
        ahead, behind = (np.concatenate([state.position, state.velocity]) for state in states)
        return np.asarray((ahead - behind) / (2.0 * h))

    for name, t in (("juggler/right_palm", 4.2), ("ball3", 4.8)):  # the throw after the catch, too
        told = opened.linearise(name, t)[1][:, own]
        found = (4.0 * central(name, t, 1.5e-4) - central(name, t, 3e-4)) / 3.0
        np.testing.assert_allclose(told, found, atol=1e-6 * float(np.linalg.norm(found)))


def test_it_moves_the_hand_forward_and_not_sideways(opened: hoi.EditSession) -> None:
    """Why it rises in one case and stays in the other."""
    by = opened.linearise("juggler/right_palm", 4.21)[1][:3, opened.layout["juggler.alpha"].start]
    assert by[2] > 0.15 and abs(by[0]) < 0.2 * by[2]


def test_a_saved_throw_ships(opened: hoi.EditSession) -> None:
    saved = hoi.open("save")
    assert 0.4 < alpha(saved) < 0.9 and alpha(opened) == 0.0
    ahead = saved.state(*THROW).position - opened.state(*THROW).position
    np.testing.assert_allclose(ahead, [0.0, 0.0, 0.3], atol=0.02)  # feet that stand came after it
    feet = [f"juggler/{side}_{part}" for side in ("left", "right") for part in ("foot", "toes")]
    times = np.linspace(3.3, 5.1, 60)
    for foot in feet:
        apart = saved.rollout.positions(foot, times) - opened.rollout.positions(foot, times)
        assert np.linalg.norm(apart, axis=1).max() < 2e-3


def test_until_then_it_is_the_routine(opened: hoi.EditSession) -> None:
    routine = hoi.open("juggle3")
    for ball in ("ball1", "ball2", "ball3"):
        for t in (1.0, 4.1, 4.9, 8.0):
            apart = opened.state(ball, t).position - routine.state(ball, t).position
            assert np.linalg.norm(apart) < 1e-9


def test_the_clips_have_their_angles_in_one_order() -> None:
    """Else what one pair of clips differs by could not be added to the third."""
    clips = [juggling_clip(), performed("catch_mime"), performed("catch_forward_mime")]
    assert len({clip.skeleton.topology for clip in clips}) == 1


# -- what it is made of ------------------------------------------------------------------------------------------------


def test_a_weight_costs_a_part_of_the_way_to_the_other_clip() -> None:
    clip = swinging_human(1.0)
    bent = swinging_human(1.0, lean=0.4)
    inertia = np.arange(1.0, 43.0)
    motion = Blend.of([clip, bent], [[0.2, 0.8]] * 2, align=False)
    dof = HUMAN.dof("thorax.Xrotation")
    np.testing.assert_allclose(blend_weights(motion, inertia), [[PERFORMED * inertia[dof] * 0.4**2]], rtol=1e-6)


def test_clips_on_the_same_spot_are_left_there() -> None:
    clip, other = swinging_human(1.0), swinging_human(1.0, seed=1)
    motion = Blend.of([clip, other], [[0.2, 0.8]] * 2, align=False, method=Layer.over)
    whole = with_alpha(motion, [[1.0]])
    np.testing.assert_allclose(motion.pose(whole, 0.5), other.poses[30], atol=1e-9)


def test_rows_about_weights_and_rows_through_poses_share_their_columns() -> None:
    own, rows = stage(3), random_rows(4, 9, whole=False)
    rows.columns["bob.alpha"] = np.linspace(-1.0, 1.0, 9)[:, None]
    J, D = own.dense(rows), own.metric.dense()
    free = own.metric.free
    there = gram(gather(rows, own.metric, MOTIONS, own.controls), own.metric)
    np.testing.assert_allclose(there, J[:, free] @ np.linalg.solve(D[np.ix_(free, free)], J[:, free].T), atol=1e-9)


class Weights:
    """As much of a rollout as bounds on weights look at."""

    def __init__(self, alpha: list[list[float]]) -> None:
        parameters = type("P", (), {"alpha": np.array(alpha)})()
        self.controls = type("C", (), {"motions": {"bob": parameters}})()


@pytest.mark.parametrize(
    ("weights", "misses"),
    [([[0.3]], 0), ([[-0.1]], 1), ([[1.2]], 1), ([[0.6, 0.5]], 1), ([[-0.2, 0.5], [0.4, 0.7]], 2)],
)
def test_bounds_are_zero_and_a_sum_of_one(weights: list[list[float]], misses: int) -> None:
    intervals, others = np.shape(weights)
    own = BlendWeights("bob", np.zeros((intervals, others)), np.ones(intervals))
    (rows,) = own.rows(Weights(weights))  # type: ignore[arg-type]
    assert np.count_nonzero(rows.miss) == misses
    made = BlendWeights.of(Weights(weights), "bob").rows(Weights(weights))  # type: ignore[arg-type]
    assert not np.any(made[0].miss)  # what an animator has set may stay


def test_the_verifier_sees_a_weight_that_has_left_its_clips(opened: hoi.EditSession) -> None:
    def off(value: float) -> bool:
        u = opened.u
        u[opened.layout["juggler.alpha"].indices] = value
        seen: Rollout = opened.simulate(u)
        return any(own.is_off for own in promises(PerformanceRecord.of(seen), (), ()) if own.kind == "blends")

    assert off(-0.01) and off(1.01) and not off(0.5)
