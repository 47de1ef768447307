"""Sessions with a file: edits are written beside it, and what a crash leaves is offered, not taken."""

import gc
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
from hoi_edit.cli import main
from hoi_edit.files import autosave
from hoi_edit.session import autosaver as keeping
from hoi_edit.session.autosaver import Unsaved
from kinematics.errors import HoiError

REPOSITORY = Path(__file__).resolve().parents[3]
# one ball in the air: edits take no time
SCENE = """
import numpy as np
import hoi_edit as hoi
from hoi_edit.session import autosaver as keeping

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
        session.close(keep=True)
    os.utime(beside(path), (2e9, 2e9))


def beside(path: Path) -> Path:
    return path.parent / f".{path.name}.autosave"


def test_a_killed_program_leaves_its_edits_and_their_history(tmp_path: Path) -> None:
    path = tmp_path / "a.hoi"
    command = [sys.executable, "-c", AT_WORK, str(path)]
    with subprocess.Popen(command, cwd=REPOSITORY, stdout=subprocess.PIPE, text=True) as process:  # closes the pipe
        assert process.stdout is not None
        where = np.array(eval(process.stdout.readline()))
        wait_for(beside(path))
        time.sleep(0.5)  # some autosaves later
        process.send_signal(signal.SIGKILL)
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


BATCH = (
    SCENE
    + """
import sys
path, how = sys.argv[1:]
session = hoi.open(path)
assert session.drag("ball", 0.5, session.state("ball", 0.5).position + [0.0, 0.1, 0.0]).converged
session._keeper.write()
if how == "raises":
    raise SystemError("half way")
if how == "with":
    with session:
        pass
    assert session.file is None
"""
)


@pytest.mark.parametrize(("how", "stays"), [("ends", False), ("with", False), ("raises", True)])
def test_only_a_program_that_failed_leaves_edits(tmp_path: Path, how: str, stays: bool) -> None:
    path = tmp_path / "a.hoi"
    session_of().save(path)
    ran = subprocess.run(
        [sys.executable, "-c", BATCH, str(path), how], cwd=REPOSITORY, capture_output=True, check=False
    )
    assert ran.returncode == (1 if stays else 0), ran.stderr
    assert beside(path).exists() == stays
    if not stays:
        assert len(hoi.open(path).history) == 1  # and so the program can be run again


def test_a_session_that_nobody_has_any_more_leaves_nothing(tmp_path: Path) -> None:
    path = tmp_path / "a.hoi"
    session = session_of()
    session.save(path)
    drag(session)
    wait_for(beside(path))
    del session
    gc.collect()
    assert not beside(path).exists()


def test_what_was_recovered_is_not_lost_by_looking_at_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.hoi"
    left_by_the_dead(path, monkeypatch)
    session = hoi.open(path, recover=True)
    del session
    gc.collect()
    assert len(hoi.open(path, recover=True).history) == 2


def test_commands_tell_of_edits_that_they_leave_out(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    path = tmp_path / "a.hoi"
    left_by_the_dead(path, monkeypatch)
    assert main(["export", str(path), "--out", str(tmp_path / "a.csv")]) == 0
    told = capsys.readouterr()
    assert f"{path}: newer edits that were not saved lie beside it, in .a.hoi.autosave" in told.err
    assert "newer" not in told.out
    hoi.open(path, recover=False)
    assert main(["export", str(path), "--out", str(tmp_path / "a.csv")]) == 0
    assert "newer" not in capsys.readouterr().err


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


def without_its_folder(tmp_path: Path) -> hoi.EditSession:
    """A session with an edit that cannot be written beside its file: the folder is none any more."""
    folder = tmp_path / "gone"
    folder.mkdir()
    session = session_of()
    session.save(folder / "a.hoi")
    (folder / "a.hoi").unlink()
    folder.rmdir()
    folder.write_text("a file")  # so that not even root can write in it
    drag(session)
    assert session._keeper is not None
    session._keeper.write()
    return session


def test_where_nothing_can_be_written_beside_the_file_edits_are_kept_in_the_cache(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOI_EDIT_CACHE", str(tmp_path / "cache"))
    with monkeypatch.context() as patched:
        patched.setattr(autosave, "_mark", lambda _: "another time")  # of a program that died since
        session = without_its_folder(tmp_path)
        assert session.autosave_problem is None
        session.close(keep=True)
    folder = tmp_path / "gone"
    folder.unlink()
    folder.mkdir()
    session_of().save(folder / "a.hoi")  # the file as it was, older than the edits
    os.utime(folder / "a.hoi", (1e9, 1e9))
    monkeypatch.chdir(folder)
    with pytest.raises(Unsaved, match=f"newer edits in {tmp_path / 'cache'}") as told:
        hoi.open("a.hoi")
    assert told.value.path == folder / "a.hoi" and told.value.left.in_cache
    assert autosave.newer_edits(Path("a.hoi")) == told.value.left.file
    again = hoi.open("../gone/a.hoi", recover=True)  # however it is called
    assert len(again.history) == 2
    drag(again)
    assert again._keeper is not None
    again._keeper.write()
    assert beside(folder / "a.hoi").exists()  # which can be written now
    again.save()
    assert [*folder.iterdir()] == [folder / "a.hoi"] and not [*(tmp_path / "cache" / "autosave").iterdir()]


def test_edits_that_are_kept_twice_are_given_up_together(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOI_EDIT_CACHE", str(tmp_path / "cache"))
    path = tmp_path / "a.hoi"
    left_by_the_dead(path, monkeypatch)
    _, other = autosave._places(path)
    other.parent.mkdir(parents=True)
    other.write_bytes(beside(path).read_bytes())
    os.utime(other, (2.1e9, 2.1e9))
    with pytest.raises(Unsaved) as told:
        hoi.open(path)
    assert told.value.left.file == other
    assert len(hoi.open(path, recover=False).history) == 1
    assert not other.exists() and not beside(path).exists()


def test_edits_that_can_be_kept_nowhere_are_told_when_asked(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cache").write_text("a file")
    monkeypatch.setenv("HOI_EDIT_CACHE", str(tmp_path / "cache"))
    session = without_its_folder(tmp_path)
    deadline = time.monotonic() + 10.0
    while session.autosave_problem is None and time.monotonic() < deadline:
        time.sleep(0.01)
    assert "gone" in str(session.autosave_problem) and "cache" in str(session.autosave_problem)
    session.close()


def test_a_file_stays_the_same_wherever_the_program_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folders = [tmp_path / "here", tmp_path / "there"]
    for folder in folders:
        folder.mkdir()
    here, there = folders
    monkeypatch.chdir(here)
    session = session_of()
    session.save("a.hoi")
    monkeypatch.chdir(there)
    drag(session)
    assert session._keeper is not None
    session._keeper.write()
    assert beside(here / "a.hoi").exists()
    session.save()
    assert [*here.iterdir()] == [here / "a.hoi"] and not [*there.iterdir()]
    assert session.file == here / "a.hoi" and len(hoi.open(here / "a.hoi").history) == 2
    monkeypatch.chdir(here)
    again = hoi.open("a.hoi")
    monkeypatch.chdir(there)
    drag(again)
    again.save()
    assert not [*there.iterdir()] and len(hoi.open(here / "a.hoi").history) == 3


def test_a_session_without_a_file_is_kept_in_the_cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(autosave, "_cache", lambda: tmp_path / "cache")
    with monkeypatch.context() as patched:
        patched.setattr(autosave, "_mark", lambda _: "another time")  # of a program that died since
        session = session_of()
        session.keep()
        drag(session)
        assert session._keeper is not None and session.file is None
        session._keeper.write()
        with pytest.raises(HoiError, match="has no file yet"):
            session.save()
    (left,) = autosave.recoverable_untitled()
    again = hoi.EditSession.recovered(left)
    assert len(again.history) == 2 and again.unsaved and again.file is None
    assert np.array_equal(again.state("ball", 0.5).position, session.state("ball", 0.5).position)
    assert not left.file.exists() and len(list((tmp_path / "cache").iterdir())) == 1  # kept anew, by its new owner
    assert autosave.recoverable_untitled() == []  # who is at work
    again.save(tmp_path / "a.hoi")
    assert list((tmp_path / "cache").iterdir()) == [] and not again.unsaved
