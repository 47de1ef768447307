"""People who step in a drag: it arrives, feet stand still where they fell, and all else is as in any edit."""

from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.joint_limits import JointLimits
from hoi_edit.constraints.standing_foot import foot_tracks
from hoi_edit.scenes.building_blocks import performed
from hoi_edit.session import EditSession
from hoi_edit.verify import measures
from kinematics.errors import HoiError
from rigid.distance import RoundedBox
from tests.far_drags import slides

HAND, T = "juggler/right_hand", 4.0
AWAY = np.array([1.5, 0.0, 0.0])
STILL = 0.005  # [m] that a foot which stands goes at most in half a second


@pytest.fixture(scope="module")
def opened() -> EditSession:
    return hoi.open("juggle3")


@pytest.fixture(scope="module")
def stepped(opened: EditSession) -> EditSession:
    """Somebody who has stepped aside for a hand that was dragged, and back again."""
    session = opened.copy()
    assert session.drag(HAND, T, session.state(HAND, T).position + AWAY, steps=True).converged
    return session


def lifted(session: EditSession) -> list[list[float]]:
    """How high each foot is lifted over where it stands, and how far it comes to be from where it was [m]."""
    now = foot_tracks(session.rollout, session.scene.characters[0])
    was = foot_tracks(session.source, session.scene.characters[0])
    apart = [track.places[:, 0] - before.places[:, 0] for track, before in zip(now, was, strict=True)]
    return [[float(away[:, 1].max()), float(np.linalg.norm(away[:, [0, 2]], axis=1).max())] for away in apart]


def test_what_was_out_of_reach_is_reached_by_steps(opened: EditSession, stepped: EditSession) -> None:
    standing = opened.copy()
    target = opened.state(HAND, T).position + AWAY
    assert not standing.drag(HAND, T, target).converged
    np.testing.assert_allclose(stepped.state(HAND, T).position, target, atol=1e-6)
    assert all(high > 0.04 and far > 0.5 for high, far in lifted(stepped))
    assert all(high < 0.03 and far < 0.05 for high, far in lifted(standing))


def test_feet_stand_still_where_they_fell_and_joints_keep_to_their_limits(
    opened: EditSession, stepped: EditSession
) -> None:
    assert slides(stepped.rollout, opened.rollout, "juggler") < STILL
    limits, poses = JointLimits.of(opened.rollout, "juggler"), stepped.rollout.poses("juggler")
    assert np.all(poses < limits.high + 2e-3) and np.all(poses > limits.low - 2e-3)


def test_bodies_move_smoothly_and_are_back_where_they_were_afterwards(
    opened: EditSession, stepped: EditSession
) -> None:
    times = np.arange(0.0, 10.0, 1.0 / 60.0)
    before, after = opened.rollout.poses("juggler", times), stepped.rollout.poses("juggler", times)
    changed = np.abs(after - before)
    assert changed[times > 9.4].max() < 0.01
    assert np.abs(np.diff(after - before, 2, axis=0)).max() * 60.0**2 < 250.0  # [m/s²], [rad/s²]
    hips = stepped.rollout.positions("juggler/pelvis", times) - opened.rollout.positions("juggler/pelvis", times)
    assert 1.0 < hips[:, 0].max() < 1.6 and np.abs(hips[:, 1]).max() < 0.08 and np.abs(hips[:, 2]).max() < 0.08


def test_every_catch_still_happens_and_the_checker_agrees(opened: EditSession, stepped: EditSession) -> None:
    assert set(stepped.rollout.happened) == set(opened.rollout.happened) and not stepped.rollout.missed
    assert [str(measure) for measure in measures(stepped) if measure.is_off] == []


def test_it_is_one_step_of_the_history_in_the_script_saved_and_undone_to_the_bit(
    opened: EditSession, stepped: EditSession, tmp_path: Path
) -> None:
    session = stepped.copy()
    assert len(session.history) == 2 and "steps=True" in session.script()
    session.save(tmp_path / "steps.hoi")
    session.close()
    again = EditSession.saved(tmp_path / "steps.hoi")
    assert np.array_equal(again.u, stepped.u) and again.script() == stepped.script()
    session.undo()
    assert np.array_equal(session.u, opened.u)
    names: dict[str, object] = {}
    exec(stepped.script(), names)
    made = names["session"]
    assert isinstance(made, EditSession) and np.array_equal(made.u, stepped.u)


def test_a_drag_that_came_near_is_refined_by_steps(opened: EditSession, stepped: EditSession) -> None:
    session = opened.copy()
    session.drag(HAND, T, opened.state(HAND, T).position + AWAY)
    assert session.may_step
    assert session.refine(steps=True).converged and len(session.history) == 2
    assert np.array_equal(session.u, stepped.u) and session.script() == stepped.script()
    session.undo()
    with pytest.raises(HoiError, match="can be refined"):
        session.refine(steps=True)


def test_who_goes_on_from_there_stays(opened: EditSession) -> None:
    session = opened.copy()
    t, where = 8.0, opened.state(HAND, 8.0).position + AWAY
    report = session.drag(HAND, t, where, steps="stay")
    assert report.converged and "steps='stay'" in session.script()
    for track in foot_tracks(session.rollout, session.scene.characters[0]):
        before = session.source.positions(f"juggler/{track.name}", track.times)
        away = (track.places[:, 0] - before)[-1]
        assert away[0] > 0.9 and abs(away[1]) < 1e-3
    assert slides(session.rollout, opened.rollout, "juggler") < STILL and not session.rollout.missed


def test_what_lies_too_far_away_is_stepped_to() -> None:
    """A book on a stand, ahead of somebody and out of the reach of their hands."""
    stand = RoundedBox(np.array([0.2, 0.4, 0.15]), 0.0)
    lies = hoi.Flying(np.array([-0.2, 0.83, 2.0]))
    clip = performed("stand_mime")
    scene = hoi.Scene(
        characters=[hoi.Character("ann", clip.skeleton, hoi.Layer.over(clip, 0.1))],
        things=[hoi.Thing("book", hoi.box(1.0, [0.12, 0.03, 0.08]), lies, hoi.Material(0.2, 0.6))],
        fixtures=[hoi.ground(), hoi.Fixture("stand", stand, np.array([-0.2, 0.4, 2.0]), np.eye(3))],
        end=clip.end,
    )
    session = hoi.open(scene)
    t = 0.5 * clip.end
    report = session.pick_up("book", "ann/right_palm", t, steps=True)
    assert report.converged and "steps=True" in session.script() and len(session.history) == 2
    hips = session.state("ann/pelvis", t).position - session.source.state("ann/pelvis", t).position
    assert 0.8 < hips[2] < 1.8 and abs(hips[1]) < 0.1
    for foot in ("left_foot", "right_foot"):
        assert session.state(f"ann/{foot}", t).position[2] > 0.6
    assert session.rollout.happened and [str(one) for one in measures(session) if one.is_off] == []


def test_where_nobody_is_bent_for_it_nobody_steps(opened: EditSession) -> None:
    target = opened.state("ball2", T).position + [0.2, 0.1, 0.0]
    standing, session = opened.copy(), opened.copy()
    standing.drag("ball2", T, target)
    session.drag("ball2", T, target, steps=True)
    assert np.array_equal(standing.u, session.u)


def test_legs_that_are_locked_do_not_step(opened: EditSession) -> None:
    target = opened.state(HAND, T).position + AWAY
    session = opened.copy()
    session.lock("juggler/left_shank")
    before = session.rollout.poses("juggler")
    session.drag(HAND, T, target, steps=True)
    locked = session.scene.character("juggler").skeleton.dof("left_shank.Xrotation")
    assert np.array_equal(session.rollout.poses("juggler")[:, locked], before[:, locked])
    assert max(high for high, _ in lifted(session)) < 0.03


def test_the_edit_after_it_keeps_feet_where_they_fell(stepped: EditSession) -> None:
    session = stepped.copy()
    was = foot_tracks(session.rollout, session.scene.characters[0])
    where = session.state("ball1", T).position + [0.0, 0.1, 0.1]
    assert session.drag("ball1", T, where).converged
    for before, track in zip(was, foot_tracks(session.rollout, session.scene.characters[0]), strict=True):
        assert np.abs(track.places - before.places)[before.stands].max() < 0.01


def test_what_steps_may_be_is_said(opened: EditSession) -> None:
    with pytest.raises(HoiError, match="'stay'"):
        opened.drag(HAND, T, [0.0, 1.0, 0.0], steps="back")
