"""Edits of a plan never lose what was planned in silence, and what an edit began with is what it ends on."""

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.simulate.trajectory import Event
from rigid.body import ball
from tests.hoi_edit.session import thrown_ball as thrown


@pytest.fixture
def session() -> hoi.EditSession:
    return hoi.open("juggle3")


def event(session: hoi.EditSession, contact: str) -> Event:
    thing, k = session.rollout.happened[contact]
    return session.rollout.trajectories.chains[thing].events[k]


def test_a_catch_retimed_beyond_what_would_find_it_still_happens(session: hoi.EditSession) -> None:
    report = session.retime("catch23", event(session, "catch23").time + 0.32)
    assert report.converged and not session.rollout.missed
    assert event(session, "catch23").time == pytest.approx(9.61, abs=0.01)
    assert not any(event.kind == "jump" for event in session.rollout.events)


@pytest.mark.parametrize(("scene", "contact", "later"), [("soccer", "touch3", 0.05), ("box", "catch1", -0.03)])
def test_what_is_retimed_is_at_that_time(scene: str, contact: str, later: float) -> None:
    session = hoi.open(scene)
    time = event(session, contact).time + later
    assert session.retime(contact, time).converged
    assert event(session, contact).time == pytest.approx(time, abs=1e-6)


def test_what_is_thrown_to_a_place_is_let_go_before_it_is_there(session: hoi.EditSession) -> None:
    ball, place = session.scene.contact("catch5").object, np.array([0.1, 1.6, 0.4])
    assert session.throw("catch5", 3.0, place).converged  # it was in the hand until 3.23 s
    assert np.abs(session.state(ball, 3.0).position - place).max() < 1e-6


def test_a_release_that_was_retimed_leaves_room_for_its_catch(session: hoi.EditSession) -> None:
    assert session.retime("catch5:release", 3.45).converged
    assert session.scene.contact("catch5").release == 3.45
    assert session.retime("catch5", 3.0).converged
    assert event(session, "catch5").time == pytest.approx(3.0, abs=1e-6)


def test_a_catch_that_would_cost_another_one_is_refused_by_name(session: hoi.EditSession) -> None:
    report = session.grasp("ball1", "juggler/left_palm", t=8.82)
    assert not report.converged and "catch22" in str(report.binding[0])
    assert len(session.history) == 1 and not session.rollout.missed


@pytest.mark.parametrize(
    ("contact", "time", "words"),
    [("catch1", -1.0, "the scene runs from 0 s to 10 s"), ("catch5:catch", 3.0, "'catch5:release' its release")],
)
def test_impossible_times_are_told(session: hoi.EditSession, contact: str, time: float, words: str) -> None:
    with pytest.raises(hoi.HoiError, match=words):
        session.retime(contact, time)


def test_a_window_that_shuts_a_drag_out_is_what_holds_it_back(session: hoi.EditSession) -> None:
    session.window(8.0, 9.0)
    report = session.drag("ball1", 1.2, session.state("ball1", 1.2).position + [0.1, 0.1, 0.0])
    assert not report.converged and str(report.binding[0]) == "the window from 8 s to 9 s"


def test_a_drag_is_not_committed_onto_another_document(session: hoi.EditSession) -> None:
    gesture = session.begin("ball1", 1.2)
    gesture.aim(gesture.start.position + [0.02, 0.0, 0.0])
    session.let_go("catch20")
    with pytest.raises(hoi.HoiError, match="has changed since the drag of 'ball1' began"):
        gesture.commit()
    assert len(session.history) == 2


def test_a_contact_that_is_kept_on_purpose_may_still_move_in_time(session: hoi.EditSession) -> None:
    where = session.state("ball1", 1.2).position + [0.05, 0.1, 0.0]
    assert session.drag("ball1", 1.2, where).converged
    moved = event(session, "catch1").time
    session.undo()
    assert session.add(hoi.KeepContact.of(session.rollout, "catch1")).converged
    assert session.drag("ball1", 1.2, where).converged
    assert event(session, "catch1").time == pytest.approx(moved, abs=1e-6)


def test_what_is_undone_is_not_shown_by_mistake(session: hoi.EditSession) -> None:
    """Documents come and go, and with them their places in memory."""
    home = session.state("ball1", 1.2).position
    session.drag("ball1", 1.2, home + [0.01, 0.0, 0.0])
    session.undo()
    for _ in range(60):
        session.let_go("catch20")
        session.undo()
    session.let_go("catch20")
    np.testing.assert_array_equal(session.state("ball1", 1.2).position, home)


def test_threads_may_ask_for_derivatives_at_once(session: hoi.EditSession) -> None:
    asked = [("ball1", 9.5), ("ball2", 4.0), ("juggler/right_hand", 3.0)]
    wanted = [session.linearise(*pair)[1] for pair in asked]
    with ThreadPoolExecutor(3) as threads:
        for _ in range(15):
            for found, truth in zip(threads.map(lambda pair: session.linearise(*pair)[1], asked), wanted, strict=True):
                np.testing.assert_array_equal(found, truth)


def test_a_declared_bounce_on_the_ground_is_solved() -> None:
    start = hoi.Flying(np.array([0.0, 1.0, 0.0]), np.array([0.5, 0.0, 0.0]))
    thing = hoi.Thing("ball", ball(0.2, 0.05), start)
    scene = hoi.Scene(
        [], [thing], [hoi.ground()], [hoi.Contact("floor", "ball", "ground", 0.6, declared=True)], end=1.0
    )
    session = hoi.open(scene)
    report = session.solve()
    assert report.converged, report
    assert event(session, "floor").time == pytest.approx(0.6, abs=0.01)


def test_what_starts_in_a_hand_is_thrown_by_its_own_name() -> None:
    session = hoi.open(thrown.scene())
    goal = session.state("ball", 0.6).position + [0.03, 0.02, 0.0]
    assert session.throw("ball", 0.6, goal).converged
    assert np.allclose(session.state("ball", 0.6).position, goal, atol=1e-6)
    assert not session.rollout.missed
    again = hoi.open(thrown.scene())
    exec(str(session.history[1].call), {"session": again})
    assert np.array_equal(again.u, session.u)
    with pytest.raises(hoi.HoiError, match="'ball' holds it from"):
        session.throw("ball", 0.0, goal)
