"""Sessions with a file: edits are written beside it, and what a crash leaves is offered, not taken."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import hoi_edit as hoi
from hoi_edit.editing import keeping
from hoi_edit.editing.keeping import Unsaved
from hoi_edit.files import autosave
from kinematics.errors import HoiError

REPOSITORY = Path(__file__).resolve().parents[2]
# one ball in the air: edits take no time
SCENE = """
import numpy as np
import hoi_edit as hoi
from hoi_edit.editing import keeping

def scene():
    start = hoi.Flying(np.array([0.0, 1.0, 0.0]), np.array([1.0, 3.0, 0.0]))
    return hoi.Scene((), [hoi.Thing("ball", hoi.ball(0.1, 0.05), start)], [hoi.ground()], end=0.6)
"""
AT_WORK = (
    SCENE
    + """
import sys
keeping.EVERY = 0.05
session = hoi.open(scene())
session.save(sys.argv[1])
for k in range(3):
    assert session.drag("ball", 0.5, session.state("ball", 0.5).position + [0.0, 0.1, 0.0]).converged
session.undo()
print(session.state("ball", 0.5).position.tolist(), flush=True)
while True:  # until it is killed, in the middle of whatever it does
    session.redo()
    session.undo()
"""
)


def session_of() -> hoi.EditSession:
    names: dict[str, object] = {}
    exec(SCENE, names)
    return hoi.open(names["scene"]())  # type: ignore[operator]


def drag(session: hoi.EditSession) -> None:
    assert session.drag("ball", 0.5, session.state("ball", 0.5).position + [0.0, 0.1, 0.0]).converged


def wait_for(file: Path) -> None:
    patience = time.monotonic() + 20.0
    while not file.exists() and time.monotonic() < patience:
        time.sleep(0.01)
    assert file.exists()


def left_by_the_dead(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """A saved session with one more edit in its autosave, whose owner is gone."""
    with monkeypatch.context() as patched:
        patched.setattr(autosave, "_mark", lambda _: "another time")
        session = session_of()
        session.save(path)
        drag(session)
        assert session._keeper is not None
        session._keeper.write()
    os.utime(beside(path), (2e9, 2e9))


def beside(path: Path) -> Path:
    return path.parent / f".{path.name}.autosave"


def test_a_killed_program_leaves_its_edits_and_their_history(tmp_path: Path) -> None:
    path = tmp_path / "a.hoi"
    command = [sys.executable, "-c", AT_WORK, str(path)]
    process = subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True)
    assert process.stdout is not None
    where = np.array(eval(process.stdout.readline()))
    wait_for(beside(path))
    time.sleep(0.5)  # some autosaves later
    process.send_signal(signal.SIGKILL)
    process.wait()
    with pytest.raises(Unsaved, match="a program that died has left newer edits beside it") as told:
        hoi.open(path)
    assert told.value.left.file == beside(path)
    assert len(hoi.EditSession.saved(path).history) == 1 and beside(path).exists()
    session = hoi.open(path, recover=True)
    assert [step.label for step in session.history[1:]] == 3 * ["drag ball at 0.50 s"]
    while session.now > 2:
        session.undo()
    assert np.array_equal(session.state("ball", 0.5).position, where)
    assert session.redo() and not session.redo()
    while session.undo():
        pass
    assert session.now == 0 and session.file == path
    session.save()
    assert not beside(path).exists()
    assert len(hoi.open(path).history) == 4


def test_edits_are_written_soon_but_not_too_often(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    written: list[float] = []
    write = autosave.Autosave.write
    monkeypatch.setattr(keeping, "EVERY", 0.3)

    def counted(own: autosave.Autosave, parts: dict[str, Any]) -> None:
        written.append(time.monotonic())
        write(own, parts)

    monkeypatch.setattr(autosave.Autosave, "write", counted)
    session = session_of()
    drag(session)
    assert session.file is None and not written  # a session without a file has nothing to lie beside
    session.save(tmp_path / "a.hoi")
    began = time.monotonic()
    while time.monotonic() < began + 1.0:
        drag(session)
        session.undo()
    time.sleep(0.5)
    assert 2 <= len(written) <= 6 and np.diff(written).min() > 0.25
    last = hoi.EditSession.saved(beside(tmp_path / "a.hoi"))
    assert last.now == session.now and len(last.history) == len(session.history)  # the last edit is in it
    session.close()
    assert not beside(tmp_path / "a.hoi").exists() and session.file is None


def test_what_was_left_can_be_given_up(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.hoi"
    left_by_the_dead(path, monkeypatch)
    session = hoi.open(path, recover=False)
    assert len(session.history) == 1 and not beside(path).exists()
    assert len(hoi.open(path).history) == 1


def test_what_was_left_and_cannot_be_read_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.hoi"
    left_by_the_dead(path, monkeypatch)
    beside(path).write_bytes(b"PK")
    os.utime(beside(path), (2e9, 2e9))
    for recover in (None, True):
        with pytest.raises(Unsaved, match="cannot be read"):
            hoi.open(path, recover=recover)
    assert len(hoi.open(path, recover=False).history) == 1


def test_another_name_and_no_name(tmp_path: Path) -> None:
    session = session_of()
    with pytest.raises(HoiError, match="has no file yet"):
        session.save()
    session.save(tmp_path / "a.hoi")
    drag(session)
    wait_for(beside(tmp_path / "a.hoi"))
    session.save(tmp_path / "b.hoi")
    assert not beside(tmp_path / "a.hoi").exists() and session.file == tmp_path / "b.hoi"
    assert len(hoi.open(tmp_path / "a.hoi").history) == 1 and len(hoi.open(tmp_path / "b.hoi").history) == 2


def test_a_folder_that_went_away_is_told_when_asked(tmp_path: Path) -> None:
    folder = tmp_path / "gone"
    folder.mkdir()
    session = session_of()
    session.save(folder / "a.hoi")
    for file in folder.iterdir():
        file.unlink()
    folder.rmdir()
    drag(session)
    assert session._keeper is not None
    session._keeper.write()
    deadline = time.monotonic() + 10.0
    while session.autosave_problem is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "gone" in str(session.autosave_problem)
    session.close()
