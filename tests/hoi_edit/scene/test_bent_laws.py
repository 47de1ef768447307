"""Bent physics: laws move only where an animator has opened them, and by how much is told."""

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.scene.bent_laws import Bent
from hoi_edit.truth.truth_scenes import floor_bounce

LATE, HIGHER = 0.8, np.array([0.0, 0.08, 0.0])  # [s] after the bounce; [m] more than it would rise by its law


@pytest.fixture
def session() -> hoi.EditSession:
    """A ball whose start is locked: only its law can bring it elsewhere after the floor."""
    own = hoi.EditSession(floor_bounce(0.6, 0.4))
    own.lock("ball")
    return own


def rise(session: hoi.EditSession) -> Report:
    return session.drag("ball", LATE, session.state("ball", LATE).position + HIGHER)


def test_a_law_that_is_not_opened_does_not_bend(session: hoi.EditSession) -> None:
    u = session.u
    assert not rise(session).converged
    assert session.bent == () and np.array_equal(session.u, u)


def test_an_opened_law_bends_and_is_told(session: hoi.EditSession) -> None:
    session.free(opened=["floor.restitution"])
    report = session.drag("ball", LATE, [np.nan, session.state("ball", LATE).position[1] + HIGHER[1], np.nan])
    assert report.converged
    (bent,) = session.bent
    assert bent.contact == "floor" and bent.restitution[0] == 0.6 and bent.restitution[1] > 0.65
    assert bent.friction[0] == bent.friction[1] and bent.turn == 0.0
    touch = next(event.time for event in session.rollout.events if event.contact == "floor")
    before, after = (session.state("ball", touch + dt).velocity[1] for dt in (-1e-9, 1e-9))
    assert -after / before == pytest.approx(bent.restitution[1], abs=1e-6)  # it is what the ball does
    assert str(bent) == f"floor bounces by {bent.restitution[1]:.2f} instead of 0.60"
    assert "physics is bent" in session._repr_html_()
    session.undo()
    assert session.bent == ()


def test_in_words() -> None:
    assert str(Bent("kick", (0.6, 0.6), (0.5, 0.5004), 0.0)) == "kick rubs by 0.5004 instead of 0.5000"
    turned = Bent("kick", (0.6, 0.7), (0.5, 0.5), np.deg2rad(3.0))
    assert str(turned) == "kick bounces by 0.70 instead of 0.60 and has its surface turned by 3°"
    assert Bent("kick", (0.6, 0.6), (0.5, 0.5), 0.0).is_none
