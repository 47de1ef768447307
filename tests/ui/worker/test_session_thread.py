"""The session's thread: drags are solved while nobody waits, the latest target wins, mistakes become messages."""

import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.truth.truth_scenes import floor_bounce
from tests.compilations import compilations
from tests.ui.garden import left_behind
from ui.editor import Editor
from ui.keymap import Keymap
from ui.preferences import Preferences
from ui.words.edit_report import told
from ui.words.fixes import ShowTime
from ui.words.problems import in_scene
from ui.worker.session_thread import Worker, kind_of
from ui.worker.snapshots import Shown
from ui.worker.trials import retiming

PATIENCE = 60.0  # [s]


def until(done: Callable[[], bool]) -> None:
    end = time.monotonic() + PATIENCE
    while not done():
        assert time.monotonic() < end, "it took too long"
        time.sleep(0.005)


@pytest.fixture(scope="module")
def document(tmp_path_factory: pytest.TempPathFactory) -> Path:
    thing = hoi.Thing("ball", hoi.ball(0.4, 0.1), hoi.Flying(np.array([0.0, 1.0, 0.0]), np.array([1.0, 2.0, 0.0])))
    path = tmp_path_factory.mktemp("worker") / "ball.hoi"
    session = hoi.EditSession(hoi.Scene(things=[thing], end=0.6, name="ball"))
    session.save(path)
    return path


@pytest.fixture
def worker(document: Path) -> Iterator[Worker]:
    own = Worker()
    own.open(str(document))
    until(lambda: own.shown is not None and own.idle)
    own.messages()
    yield own
    own.close()


def test_a_drag_is_followed_and_becomes_one_step(worker: Worker) -> None:
    assert worker.shown is not None
    start = worker.shown.rollout.state("ball", 0.3).position
    worker.begin("ball", 0.3)
    for way in (0.05, 0.1, 0.2):
        worker.move(start + [0.0, way, 0.0])
    until(lambda: worker.live is not None and worker.live.report.converged)
    assert worker.live is not None
    assert np.allclose(worker.live.rollout.state("ball", 0.3).position, start + [0.0, 0.2, 0.0], atol=1e-5)
    assert worker.shown.now == 0  # not before the button is let go
    worker.commit()
    until(lambda: worker.idle)
    shown = worker.shown
    assert shown.now == 1 and shown.unsaved and shown.before is not None
    assert np.allclose(shown.before.state("ball", 0.3).position, start)
    assert [message.level for message in worker.messages()] == ["good"]
    worker.do("Undoing", lambda session, tell: session.undo())
    until(lambda: worker.idle)
    assert worker.shown.now == 0 and len(worker.shown.labels) == 2 and not worker.shown.unsaved


@pytest.fixture(scope="module")
def juggler() -> Iterator[Worker]:
    own = Worker()
    own.open("juggle3")
    until(lambda: own.shown is not None and own.idle)
    own.messages()
    yield own
    own.close()


def time_of(rollout: Rollout, contact: str) -> float:
    return next(event.time for event in rollout.events if event.contact == contact and event.kind == "grasp")


def test_a_mark_is_followed_while_it_is_dragged_and_becomes_one_step(juggler: Worker) -> None:
    assert juggler.shown is not None
    was = time_of(juggler.shown.rollout, "catch1")
    juggler.begin_trial(partial(retiming, contact="catch1"))
    for later in (0.01, 0.02, 0.03, 0.05):  # the pointer does not wait
        juggler.move(was + later)
    until(lambda: juggler.live is not None and abs(time_of(juggler.live.rollout, "catch1") - was - 0.05) < 1e-6)
    live = juggler.live
    assert live is not None and live.report.converged
    assert time_of(live.origin, "catch1") == was and juggler.shown.now == 0
    juggler.move(was + 3.0)  # after its own throw, which cannot be: what could be stays in sight
    until(lambda: juggler.live is not None and juggler.live.problem != "")
    live = juggler.live
    assert live is not None and time_of(live.rollout, "catch1") == pytest.approx(was + 0.05)
    juggler.move(was + 0.06)
    juggler.commit()
    until(lambda: juggler.idle)
    shown = juggler.shown
    assert shown.now == 1 and time_of(shown.rollout, "catch1") == pytest.approx(was + 0.06)
    assert shown.before is not None and time_of(shown.before, "catch1") == was and juggler.live is None
    (said,) = juggler.messages()
    assert said.level == "good"
    assert said.text == "The catch of ball1 by juggler's right hand is at 1.45 s now; it was at 1.39 s."
    juggler.do("Undoing", lambda session, tell: session.undo())
    until(lambda: juggler.idle)


def test_a_mark_that_is_let_be_stays(juggler: Worker) -> None:
    assert juggler.shown is not None
    document = juggler.shown.document
    juggler.begin_trial(partial(retiming, contact="catch1:release"))
    juggler.move(1.72)
    juggler.abort()
    until(lambda: juggler.idle)
    assert juggler.shown.document is document and juggler.live is None
    assert [own.level for own in juggler.messages()] == ["info"]


def test_a_drag_that_came_near_is_refined_until_something_is_asked_for(juggler: Worker) -> None:
    def shown() -> Shown:
        assert juggler.shown is not None
        return juggler.shown

    def refining() -> bool:
        return juggler.refining

    now = shown().now
    start = shown().rollout.state("ball2", 9.9).position
    target = start + [0.0, 2.0, 0.0]

    def off() -> float:
        return float(np.linalg.norm(shown().rollout.state("ball2", 9.9).position - target))

    def drag() -> float:
        juggler.begin("ball2", 9.9)
        juggler.move(target)
        juggler.commit()
        until(lambda: juggler.idle and shown().now == now + 1)
        return off()

    juggler.pausing = True  # as while the scene plays
    near = drag()
    assert refining() and [own.level for own in juggler.messages()] == ["warning"]
    document = shown().document
    juggler.do("Undoing", lambda session, tell: session.undo())
    until(lambda: juggler.idle)
    assert not refining() and shown().now == now and juggler.messages() == []
    juggler.do("Redoing", lambda session, tell: session.redo())
    until(lambda: juggler.idle)
    assert shown().document is document
    juggler.do("Undoing", lambda session, tell: session.undo())
    juggler.pausing = False
    until(lambda: juggler.idle)
    assert drag() == near
    until(lambda: not refining())
    assert off() < 0.95 * near and shown().now == now + 1
    assert [own.text.startswith("Refined. ") for own in juggler.messages()] == [False, True]
    juggler.do("Undoing", lambda session, tell: session.undo())
    until(lambda: juggler.idle)
    assert np.array_equal(shown().rollout.state("ball2", 9.9).position, start)


def test_letting_go_counts_even_if_nothing_was_solved_yet(worker: Worker) -> None:
    assert worker.shown is not None
    start = worker.shown.rollout.state("ball", 0.3).position
    worker.begin("ball", 0.3)
    worker.move(start + [0.0, 5.0, 0.0])
    worker.move(start + [0.0, 0.1, 0.0])
    worker.commit()
    worker.begin("ball", 0.5)  # and the next one is not mixed up with it
    worker.commit()
    until(lambda: worker.idle)
    assert worker.shown.now == 1
    assert np.allclose(worker.shown.rollout.state("ball", 0.3).position, start + [0.0, 0.1, 0.0], atol=1e-5)


def test_an_aborted_drag_leaves_nothing(worker: Worker) -> None:
    assert worker.shown is not None
    document = worker.shown.document
    worker.begin("ball", 0.3)
    worker.move([0.0, 2.0, 0.0])
    worker.abort()
    until(lambda: worker.idle)
    assert worker.shown.document is document and worker.live is None and len(worker.shown.labels) == 1


def test_mistakes_are_messages_and_the_thread_goes_on(worker: Worker, capsys: pytest.CaptureFixture[str]) -> None:
    worker.begin("bal", 0.3)
    worker.do("Failing", lambda session, tell: session.retime("catch9", 1.0))
    worker.do("Breaking", lambda session, tell: 1 / 0)
    worker.do("Locking", lambda session, tell: session.lock("ball"), "Locked.")
    until(lambda: worker.idle)
    said = worker.messages()
    assert [message.level for message in said] == ["error", "error", "error", "good"]
    assert "'bal'" in said[0].text and "catch9" in said[1].text and "Nothing has changed" in said[2].text
    assert "ZeroDivisionError" in capsys.readouterr().err
    assert worker.shown is not None and worker.shown.document.freedom.locks[0].name == "ball"


def test_a_file_that_is_not_there_is_told() -> None:
    worker = Worker()
    worker.open("nowhere.hoi")
    until(lambda: worker.idle)
    said = worker.messages()
    assert worker.shown is None and said[0].level == "error" and "nowhere.hoi" in said[0].text
    worker.close()


def test_reports_in_plain_words() -> None:
    assert told(Report(True, 0.0, 3), "Moved.") == ("good", "Moved.")
    retime = Finding("retime", "catch5", time=2.01)
    late = Report(False, 0.25, 3, missed={retime: 0.25}, wishes=frozenset([retime]), timed=True)
    assert told(late, None) == ("warning", "It came as near as it can, 0.25 s away.")
    drag = Finding("drag", "ball1", time=1.2)
    near = Report(False, 0.034, 9, (Finding("contact", "catch3"),), (), {drag: 0.034}, frozenset([drag]))
    assert told(near, None)[0] == "warning" and "3.4 cm" in told(near, None)[1] and "catch3" in told(near, None)[1]
    broken = Report(False, 0.2, 9, (), (), {Finding("pin", "ball2", time=1.0): 0.2})
    assert told(broken, None)[0] == "error" and "pin of ball2" in told(broken, None)[1]


def test_bent_physics_is_told_with_the_edit_and_among_the_problems(tmp_path: Path) -> None:
    session = hoi.EditSession(floor_bounce(0.6, 0.4))
    session.lock("ball")
    session.free(opened=["floor.restitution"])
    session.save(tmp_path / "bounce.hoi")
    session.close()
    worker = Worker()
    worker.open(str(tmp_path / "bounce.hoi"))
    until(lambda: worker.shown is not None and worker.idle)
    worker.messages()
    assert worker.shown is not None and in_scene(worker.shown.rollout, worker.shown.document) == ()
    height = worker.shown.rollout.state("ball", 0.8).position[1] + 0.08
    worker.do("Dragging", lambda own, tell: own.drag("ball", 0.8, [np.nan, height, np.nan], progress=tell), "Moved.")
    until(lambda: worker.idle)
    (said,) = worker.messages()
    bent = "Physics is bent: the touch of ball on ground at 0.52 s bounces by 0.66 instead of 0.60."
    assert said.level == "good" and said.text == f"Moved. {bent}"
    (problem,) = in_scene(worker.shown.rollout, worker.shown.document)
    assert problem.text == bent and isinstance(problem.fixes[0].do, ShowTime)
    worker.close()


def test_a_solid_is_prepared_for_before_it_is_dragged() -> None:
    thing = hoi.Thing("crate", hoi.box(0.5, (0.1, 0.15, 0.2)), hoi.Flying(np.array([0.0, 1.0, 0.0])))
    worker = Worker()
    worker.stage("crate", lambda: hoi.Scene(things=[thing], end=0.3, name="crate"))
    until(lambda: worker.shown is not None and worker.idle)
    with compilations() as seen:
        worker.begin("crate", 0.15)
        worker.move([0.0, 0.95, 0.0])
        until(lambda: worker.live is not None)
        worker.abort()
        until(lambda: worker.idle)
    assert seen == []
    worker.close()


def test_kinds_of_things_by_what_is_compiled_for_them() -> None:
    bodies = (hoi.ball(0.1, 0.05), hoi.box(0.5, (0.1, 0.1, 0.2)), hoi.box(0.5, (0.1, 0.15, 0.2)))
    assert [kind_of(body) for body in bodies] == ["ball", "top", "tumbling"]


def test_newer_edits_beside_a_file_are_a_choice_in_plain_words_and_told_when_they_are_back(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "bounce.hoi"
    died = left_behind(path, monkeypatch)
    worker = Worker()
    worker.open(str(path))
    until(lambda: worker.idle)
    (asked,) = worker.messages()
    assert asked.unsaved is not None and asked.unsaved.path == path
    assert asked.text == "bounce.hoi was not closed properly: there are newer edits beside it."
    worker.open(str(path), recover=True)
    until(lambda: worker.shown is not None and worker.idle)
    said = worker.messages()[0].text
    assert said.startswith("Recovered bounce.hoi: 2 edits, the last: ")
    worker.close()
    died.close()


def test_what_takes_long_can_be_stopped_and_says_so_at_once(worker: Worker) -> None:
    go_on = threading.Event()

    def long(session: hoi.EditSession, tell: hoi.Listener) -> None:
        go_on.wait()  # a first step may take long, and says nothing
        assert not tell(hoi.Progress("solving", 1, 9, 0.1))
        raise hoi.Cancelled("stopped")

    assert not worker.can_stop
    worker.do("Solving", long)
    until(lambda: worker.can_stop)
    worker.cancel()
    assert worker.stopping and not worker.can_stop  # nobody needs to say it twice
    go_on.set()
    until(lambda: worker.idle)
    assert worker.messages()[-1].text == "Stopped; nothing has changed."


def test_a_save_that_is_refused_offers_another_place(worker: Worker, tmp_path: Path) -> None:
    editor: Any = Editor(worker, None, Preferences(), Keymap.of({}))  # type: ignore[arg-type]
    worker.messages()
    editor.save(str(tmp_path / "nowhere" / "a.hoi"))
    until(lambda: worker.idle)
    (said,) = worker.messages()
    assert said.level == "error" and [fix.label for fix in said.fixes] == ["Save as…"] and "nowhere" in said.text
