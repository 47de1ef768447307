"""Long edits tell how far they are, and one that is stopped has changed nothing, to the bit."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.document import Document
from hoi_edit.scenes.resources import clip_path
from hoi_edit.session import EditSession


@pytest.fixture(scope="module")
def session() -> EditSession:
    """With something to undo, and something to redo."""
    session = hoi.open("juggle3")
    for _ in range(2):
        assert session.drag("ball2", 4.0, session.state("ball2", 4.0).position + [0.0, 0.05, 0.0]).converged
    session.undo()
    return session


def snapshot(session: EditSession) -> tuple[list[int], int, list[Document], list[bytes]]:
    steps = session.history
    documents = [step.document for step in steps]
    return [id(step) for step in steps], session.now, documents, [document.u.tobytes() for document in documents]


def place(session: EditSession, name: str, t: float) -> np.ndarray:
    return session.state(name, t).position


EDITS: list[tuple[str, Callable[[EditSession, Any], Any]]] = [
    ("drag", lambda s, p: s.drag("ball1", 2.2, place(s, "ball1", 2.2) + [0.05, 0.1, 0.0], progress=p)),
    ("add", lambda s, p: s.add(hoi.Pin("ball1", 2.2, position=place(s, "ball1", 2.2) + [0.0, 0.1, 0.0]), progress=p)),
    ("retime", lambda s, p: s.retime("catch5", 2.85, progress=p)),
    ("release", lambda s, p: s.retime("catch5:release", 3.3, progress=p)),
    ("throw", lambda s, p: s.throw("catch5", 3.4, place(s, s.scene.contact("catch5").object, 3.4) + 0.05, progress=p)),
]


@pytest.mark.parametrize(("name", "edit"), EDITS)
@pytest.mark.parametrize("how", ["returns False", "is interrupted"])
def test_an_edit_that_is_stopped_changes_nothing(
    session: EditSession, name: str, edit: Callable[[EditSession, Any], Any], how: str
) -> None:
    told: list[hoi.Progress] = []

    def stop(progress: hoi.Progress) -> bool:
        told.append(progress)
        if how == "is interrupted" and len(told) == 2:
            raise KeyboardInterrupt
        return len(told) < 2

    before, events = snapshot(session), [event.time for event in session.rollout.events]
    with pytest.raises(hoi.Cancelled if how == "returns False" else KeyboardInterrupt):
        edit(session, stop)
    assert snapshot(session) == before
    assert [event.time for event in session.rollout.events] == events
    assert session.redo() and session.undo()
    assert [progress.step for progress in told] == [1, 2]
    assert all(progress.what and 0 < progress.step <= progress.of for progress in told)
    assert np.isfinite([progress.residual for progress in told]).all()


BALL = hoi.Thing("red", hoi.ball(0.1, 0.04), hoi.Flying(np.array([3.0, 1.0, 3.0])), hoi.Material(0.6, 0.5))
CLIP = clip_path("juggling_mime")
SCENE_EDITS: list[tuple[str, Callable[[EditSession, Any], Any]]] = [
    ("add_thing", lambda s, p: s.add_thing(BALL, progress=p)),
    ("remove_thing", lambda s, p: s.remove_thing("ball3", progress=p)),
    ("remove_contact", lambda s, p: s.remove_contact("catch5", progress=p)),
    ("add_contact", lambda s, p: s.add_contact(hoi.Contact("x", "ball1", "ground", 9.5, declared=True), progress=p)),
    ("import_clip", lambda s, p: s.import_clip(CLIP, move=(3.0, 3.0), progress=p)),
    ("import_clip onto", lambda s, p: s.import_clip(CLIP, onto="juggler", progress=p)),
]


@pytest.mark.parametrize(("name", "edit"), SCENE_EDITS)
def test_an_edit_of_the_scene_that_is_stopped_changes_nothing(
    session: EditSession, name: str, edit: Callable[[EditSession, Any], Any]
) -> None:
    told: list[hoi.Progress] = []

    def stop(progress: hoi.Progress) -> bool:
        told.append(progress)
        return len(told) < 2

    before = snapshot(session)
    with pytest.raises(hoi.Cancelled):
        edit(session, stop)
    assert snapshot(session) == before and len(told) == 2
    assert all(progress.what and 0 < progress.step <= progress.of for progress in told)


def test_a_listener_changes_no_result(session: EditSession) -> None:
    results: list[np.ndarray] = []
    told: list[hoi.Progress] = []
    for listener in (None, told.append):
        fresh = hoi.open("juggle3")
        to = place(fresh, "ball1", 1.2) + [0.05, 0.1, 0.0]
        assert fresh.drag("ball1", 1.2, to, progress=listener).converged
        results.append(fresh.u)
    assert np.array_equal(results[0], results[1])
    assert told[0].what == "drag ball1 at 1.20 s" and told[-1].residual < 1e-6 < told[0].residual


def test_a_gesture_goes_on_after_a_commit_that_was_stopped(session: EditSession) -> None:
    before = snapshot(session)
    gesture = session.begin("ball1", 2.2)
    target = gesture.start.position + [0.1, 0.2, 0.0]
    gesture.move(target, steps=1)
    shown = gesture.iterate
    with pytest.raises(hoi.Cancelled, match=r"drag ball1 at 2.20 s was cancelled"):
        gesture.commit(progress=lambda _: False)
    assert gesture.iterate is shown and snapshot(session) == before
    assert gesture.move(target).residual < 0.2
    gesture.abort()
    assert snapshot(session) == before


def test_a_plan_and_a_new_catch_can_be_stopped() -> None:
    plan = hoi.open("juggle3:start")
    before = snapshot(plan)
    with pytest.raises(hoi.Cancelled, match="solve the plan was cancelled after step 1"):
        plan.solve(progress=lambda _: False)
    with pytest.raises(hoi.Cancelled, match="catch ball1"):
        plan.grasp("ball1", "juggler/left_palm", t=9.9, progress=lambda _: False)
    assert snapshot(plan) == before


def test_opening_tells_and_can_be_stopped(session: EditSession, tmp_path: Path) -> None:
    session.save(tmp_path / "a.hoi")
    session.close()
    told: list[hoi.Progress] = []
    again = hoi.open(tmp_path / "a.hoi", progress=told.append)
    assert [(progress.step, progress.of) for progress in told] == [(1, 3), (2, 3), (3, 3)]
    assert np.array_equal(again.u, session.u)
    with pytest.raises(hoi.Cancelled, match=r"open .*a.hoi was cancelled"):
        hoi.open(tmp_path / "a.hoi", progress=lambda progress: progress.step < 2)
