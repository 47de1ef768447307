"""Drags that cannot arrive: they come near in some tens of steps, and nearer if somebody has the time for it."""

from collections.abc import Callable

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.gesture import AT_ONCE, DIRECT, QUICKLY
from hoi_edit.edit.report import Report
from hoi_edit.session import EditSession

NAME, T = "ball2", 9.9  # it ends in a hand
AWAY = np.array([0.0, 2.0, 0.0])


@pytest.fixture(scope="module")
def dragged() -> tuple[EditSession, Report, np.ndarray]:
    session = hoi.open("juggle3")
    target = session.state(NAME, T).position + AWAY
    return session, session.drag(NAME, T, target), target


def copied(dragged: tuple[EditSession, Report, np.ndarray]) -> tuple[EditSession, np.ndarray]:
    return dragged[0].copy(), dragged[2]


def off(session: EditSession, target: np.ndarray) -> float:
    return float(np.linalg.norm(session.state(NAME, T).position - target))


def again(session: EditSession) -> EditSession:
    """What its script makes."""
    names: dict[str, object] = {}
    exec(session.script(), names)
    made = names["session"]
    assert isinstance(made, EditSession)
    return made


def test_it_comes_near_in_some_tens_of_steps_and_says_what_holds_it_back(
    dragged: tuple[EditSession, Report, np.ndarray],
) -> None:
    session, report, target = dragged
    assert report.holds and not report.converged and not report.unchanged and report.binding
    assert report.iterations <= 2 * DIRECT + QUICKLY + AT_ONCE
    assert off(session, target) < 0.9 * np.linalg.norm(AWAY)
    assert len(session.history) == 2 and "thorough" not in session.script()
    assert np.array_equal(again(session).u, session.u)


def test_what_is_printed_of_the_session_says_so_too(dragged: tuple[EditSession, Report, np.ndarray]) -> None:
    session, _ = copied(dragged)
    assert "not reached" not in repr(session)  # nobody dragged in this one
    session, report, _ = dragged
    assert f"1 edit, 0 to 10 s; drag {NAME} at {T:.2f} s: not reached in {report.iterations} steps" in repr(session)
    assert repr(session).endswith("; session.refine() looks further>") and "not reached" in session._repr_html_()
    session.undo()
    assert "not reached" not in repr(session)
    session.redo()
    assert "not reached" in repr(session)


def test_refining_gets_nearer_and_takes_the_place_of_the_step(
    dragged: tuple[EditSession, Report, np.ndarray],
) -> None:
    session, target = copied(dragged)
    before = off(session, target)
    report = session.refine()
    assert report.holds and not report.unchanged
    assert off(session, target) < 0.95 * before
    assert len(session.history) == 2 and session.now == 1 and "thorough=True" in session.script()
    after = session.u
    assert np.array_equal(again(session).u, after)
    assert session.undo() and session.redo() and np.array_equal(session.u, after)
    assert not session.refinable and session.refine().unchanged  # there is no other way to try


def test_refining_that_is_stopped_leaves_everything_as_it_was(
    dragged: tuple[EditSession, Report, np.ndarray],
) -> None:
    session, _ = copied(dragged)
    document, history = session.document, session.history
    with pytest.raises(hoi.Cancelled):
        session.refine(progress=lambda progress: progress.step < 5)
    assert session.document is document and session.history == history and session.refinable


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda session: session.lock("ball1"), "only a drag, a bend or a throw"),
        (lambda session: (session.lock("ball1"), session.undo()), "would be lost"),
    ],
)
def test_what_cannot_be_refined_is_told(
    dragged: tuple[EditSession, Report, np.ndarray], change: Callable[[EditSession], object], words: str
) -> None:
    session, _ = copied(dragged)
    change(session)
    assert not session.refinable
    with pytest.raises(hoi.HoiError, match=words):
        session.refine()
