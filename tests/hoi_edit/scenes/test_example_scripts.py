"""The scripts of the juggling and keep-up scenes: what they say happens, happens; what ships is what they make."""

import numpy as np
import pytest

import hoi_edit as hoi
from data.scene_making.keepup import drop
from examples.juggle3 import BALL, OTHER, catch_by_catch, closest, into_the_other, juggle, unplanned
from examples.soccer import another_way
from hoi_edit.scenes.building_blocks import solved
from hoi_edit.scenes.juggle3 import RADIUS
from hoi_edit.scenes.scene_figures import body_change, foot_slide, uncalled_for

TIMES = np.linspace(0.0, 10.0, 200)


@pytest.fixture(scope="module")
def cascade() -> hoi.EditSession:
    return hoi.open("juggle3")


def test_the_cascade_that_ships_is_the_one_that_the_script_makes(cascade: hoi.EditSession) -> None:
    session = hoi.open("juggle3:start")
    assert juggle(session).converged
    for ball in ("ball1", "ball2", "ball3"):
        apart = session.rollout.positions(ball, TIMES) - cascade.rollout.positions(ball, TIMES)
        assert np.linalg.norm(apart, axis=1).max() < 5e-3


def test_catches_are_made_one_after_another_and_earlier_ones_are_kept() -> None:
    session = unplanned()
    assert not session.scene.contacts and uncalled_for(session.rollout) == []
    for k, report in enumerate(catch_by_catch(session, 2), start=1):
        assert report.converged, (k, report)
    assert {"catch1", "catch2"} == set(session.rollout.happened)
    assert len(session.history) == 3


def test_balls_that_would_meet_by_accident_are_told_and_kept_apart(cascade: hoi.EditSession) -> None:
    there = cascade.state(OTHER, 4.5).position
    moved, done = into_the_other(cascade)
    (hit,) = [own for own in moved.events_changed if (own.kind, own.name, own.partner) == ("hits", BALL, OTHER)]
    assert hit.time is not None and 4.0 <= hit.time < 5.0
    assert any(own.kind == "lost" for own in moved.events_changed)
    assert done.converged and not done.events_changed and not uncalled_for(cascade.rollout)
    np.testing.assert_allclose(cascade.state(BALL, 4.5).position, there, atol=1e-6)  # the other one gave way
    assert closest(cascade) > 2 * RADIUS + 0.015
    cascade.undo()


def test_the_ball_is_dropped_where_it_was() -> None:
    np.testing.assert_allclose(solved("soccer")["ball.drop"], drop(), atol=1e-9)


def test_the_ball_takes_another_way_and_the_body_changes_little() -> None:
    session, start = hoi.open("soccer"), hoi.open("soccer:start")
    before, times = session.rollout, np.linspace(0.7, 6.1, 200)
    standing = foot_slide(before, start)
    another_way(session)
    ball = np.linalg.norm(session.rollout.positions("ball", times) - before.positions("ball", times), axis=1)
    angle, distance = body_change(before, session.rollout)
    assert len(session.history) == 4 and set(session.rollout.happened) == {f"touch{k}" for k in range(1, 9)}
    assert ball.max() > 0.5 and not uncalled_for(session.rollout)
    assert np.rad2deg(angle) < 6.0 and distance < 0.15 * ball.max()
    assert foot_slide(session.rollout, start) < standing + 5e-3
