"""A hold goes sooner or later as a whole, and everything else that is meant still happens."""

import numpy as np
import pytest

import hoi_edit as hoi


def of_hold(session: hoi.EditSession, contact: str) -> dict[str, float]:
    return {event.kind: event.time for event in session.rollout.events if event.contact == contact}


@pytest.mark.parametrize("by", [-0.05, 0.05])
def test_catch_and_release_move_by_as_much_in_one_step(by: float) -> None:
    session = hoi.open("juggle3")
    was, happened = of_hold(session, "catch1"), set(session.rollout.happened)
    report = session.move_hold("ball1", t=1.5, to=was["grasp"] + by)
    assert report.converged and session.now == 1 and set(session.rollout.happened) == happened
    for kind, time in of_hold(session, "catch1").items():
        assert time == pytest.approx(was[kind] + by, abs=1e-6)
    assert "session.move_hold(" in session.script()
    session.undo()
    assert of_hold(session, "catch1") == was


def test_what_is_so_already_is_no_step_and_what_cannot_be_is_told() -> None:
    session = hoi.open("juggle3")
    start = of_hold(session, "catch1")["grasp"]
    assert session.move_hold("ball1", t=1.5, to=start).unchanged and session.now == 0
    with pytest.raises(hoi.HoiError, match="in the hand from the start"):
        session.move_hold("ball1", t=0.2, to=0.1)
    with pytest.raises(hoi.HoiError, match="the scene ends at 10 s"):
        session.move_hold("ball1", t=1.5, to=9.9)
    with pytest.raises(hoi.HoiError, match="in no hand at 1 s"):
        session.move_hold("ball1", t=1.0, to=0.9)
    with pytest.raises(hoi.HoiError, match="one number of seconds"):
        session.move_hold("ball1", t=1.5, to=np.nan)
    assert session.now == 0
