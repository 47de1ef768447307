"""Angles of joints and weights of blends as edits: they arrive, everything that is kept is kept, and they undo."""

from pathlib import Path

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.constraints.bend import value_of
from tests.clips import HUMAN, swinging_human

ELBOW = "juggler/right_forearm.Xrotation"


def opens() -> hoi.EditSession:
    return hoi.open("juggle3")


def test_a_bent_elbow_keeps_every_catch(session: hoi.EditSession) -> None:
    happened, was = set(session.rollout.happened), value_of(session.rollout, ELBOW, 2.03)
    report = session.bend(ELBOW, 2.03, was + np.deg2rad(15.0))
    assert report.converged, report
    assert value_of(session.rollout, ELBOW, 2.03) == pytest.approx(was + np.deg2rad(15.0), abs=1e-6)
    assert set(session.rollout.happened) == happened and not session.rollout.missed
    assert session.undo() and value_of(session.rollout, ELBOW, 2.03) == was


def test_a_bend_while_the_mouse_moves_is_one_step(session: hoi.EditSession) -> None:
    gesture = session.begin("juggler/pelvis.Yposition", 3.0)
    height = gesture.target
    for share in (0.01, 0.02, 0.03):
        gesture.move(height - share)
    assert gesture.commit().converged
    assert session.now == 1
    assert value_of(session.rollout, "juggler/pelvis.Yposition", 3.0) == pytest.approx(height - 0.03, abs=1e-6)


def test_edits_of_curves_come_back_from_script_and_file(session: hoi.EditSession, tmp_path: Path) -> None:
    session.bend(ELBOW, 2.03, value_of(session.rollout, ELBOW, 2.03) + 0.1)
    height = session.state("ball1", 1.05).position[1] + 0.05
    assert session.drag("ball1", 1.05, to=[np.nan, height, np.nan]).converged
    copy = EditedAgain(session.script()).session
    np.testing.assert_allclose(copy.u, session.u, atol=1e-9)
    session.save(tmp_path / "curves.hoi")
    again = hoi.EditSession.saved(tmp_path / "curves.hoi")
    assert again.script() == session.script()
    np.testing.assert_array_equal(again.u, session.u)
    session.close()


class EditedAgain:
    """What a script leaves."""

    def __init__(self, script: str) -> None:
        found: dict[str, hoi.EditSession] = {}
        exec(script, {}, found)
        self.session = found["session"]


def test_what_is_no_degree_of_freedom_is_named(session: hoi.EditSession) -> None:
    with pytest.raises(hoi.HoiError, match=r"right_forearm\.Wrotation"):
        session.bend("juggler/right_forearm.Wrotation", 1.0, 0.1)
    with pytest.raises(hoi.HoiError, match="outside the scene"):
        session.bend(ELBOW, 11.0, 0.1)
    session.begin(ELBOW, 1.0).aim(np.array(0.1))  # an array of one number is a number
    with pytest.raises(hoi.HoiError, match="must be one number"):
        session.bend(ELBOW, 1.0, np.nan)


@pytest.fixture(scope="module")
def blended() -> hoi.EditSession:
    clips = [swinging_human(1.5, seed=0), swinging_human(1.5, seed=1, lean=0.3)]
    motion = hoi.Blend.of(clips, [[0.3, 0.8, 1.2]] * 2, alpha=0.25, ramp=0.15)
    body = hoi.Character("bob", HUMAN, motion)
    return hoi.EditSession(hoi.Scene([body], [], [hoi.ground()], end=1.5, name="leaning"))


def test_a_weight_of_a_blend_is_an_edit(blended: hoi.EditSession) -> None:
    own = blended.layout["bob.alpha"].indices
    lean = value_of(blended.rollout, "bob/thorax.Xrotation", 0.8)
    report = blended.weigh("bob", 0, 1, 0.75)
    assert report.converged, report
    assert blended.u[own] == pytest.approx(0.75, abs=1e-9)
    assert value_of(blended.rollout, "bob/thorax.Xrotation", 0.8) > lean + 0.1
    assert "session.weigh(character='bob', interval=0, clip=1, to=0.75)" in blended.script()
    assert blended.undo() and blended.u[own] == pytest.approx(0.25)


def test_a_weight_that_is_not_there_is_refused(blended: hoi.EditSession, session: hoi.EditSession) -> None:
    with pytest.raises(hoi.HoiError, match="intervals 0 to 0"):
        blended.weigh("bob", 2, 1, 0.5)
    with pytest.raises(hoi.HoiError, match="from 0 to 1"):
        blended.weigh("bob", 0, 1, 1.5)
    with pytest.raises(hoi.HoiError, match="not moved by a blend"):
        session.weigh("juggler", 0, 1, 0.5)
