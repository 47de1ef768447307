"""What programs that died have left is found, and offered if it is newer."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from hoi_edit import files
from hoi_edit.files import autosave
from kinematics.errors import HoiError
from tests.hoi_edit.files.documents import Tree


def left_by_the_dead(path: Path, parts: Tree, monkeypatch: pytest.MonkeyPatch) -> files.Autosave:
    """An autosave whose owner has the number of a running process, but started at another time."""
    with monkeypatch.context() as patched:
        patched.setattr(autosave, "_mark", lambda _: "another time")
        kept = files.Autosave(path)
        kept.write(parts)
    os.utime(kept.file, (2e9, 2e9))
    return kept


def test_an_autosave_lies_beside_its_document_until_it_is_cleared(document: Path) -> None:
    kept = files.Autosave(document)
    kept.write({"title": "unsaved"})
    assert kept.file == document.parent / ".small.hoi.autosave"
    kept.clear()
    kept.clear()
    assert list(document.parent.iterdir()) == [document]


def test_what_the_dead_left_is_offered_if_it_is_newer(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert files.recoverable(document) is None
    kept = left_by_the_dead(document, {"title": "unsaved"}, monkeypatch)
    left = files.recoverable(document)
    assert left is not None and left.problem is None and left.owner is not None
    assert left.owner.process == os.getpid()
    assert left.read() == {"title": "unsaved"}
    os.utime(kept.file, (1e9, 1e9))
    assert files.recoverable(document) is None
    document.unlink()
    assert files.recoverable(document) is not None


def test_what_a_running_program_keeps_is_not_offered(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOI_EDIT_CACHE", str(document.parent / "cache"))
    for kept in (files.Autosave(document), files.Autosave(None)):
        kept.write({"title": "unsaved"})
        os.utime(kept.file, (2e9, 2e9))
    assert files.recoverable(document) is None
    assert files.recoverable_untitled() == []


def test_an_autosave_that_cannot_be_read_is_reported(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    kept = left_by_the_dead(document, {"title": "unsaved"}, monkeypatch)
    kept.file.write_bytes(kept.file.read_bytes()[:50])
    os.utime(kept.file, (2e9, 2e9))
    left = files.recoverable(document)
    assert left is not None and left.problem == f"{kept.file}: cannot be read: it is cut short or damaged"
    left.discard()
    assert files.recoverable(document) is None


def test_processes_are_told_apart_without_proc(monkeypatch: pytest.MonkeyPatch) -> None:
    if not any((Path(folder) / "ps").exists() for folder in os.get_exec_path()):
        pytest.skip("there is no ps here")
    monkeypatch.setattr(Path, "exists", lambda _: False)
    assert autosave.Owner.myself().runs
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert autosave._mark(child.pid) is None


def test_a_cache_that_cannot_be_made_is_named(document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("HOI_EDIT_CACHE", str(document))
    with pytest.raises(HoiError, match="cannot be made: not a directory"):
        files.Autosave(None).write({})
