"""What cannot be written is named; and no failure costs the old document."""

import errno
import os
import resource
import signal
import stat
import subprocess
import sys
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from hoi_edit import files
from kinematics.errors import HoiError
from tests.hoi_edit.files.documents import Stranger, Wish, assert_same, reread

REPOSITORY = Path(__file__).resolve().parents[3]


@pytest.mark.parametrize(
    ("value", "place", "why"),
    [
        (Wish(Stranger()), "value.target", "Stranger"),
        ({"k": object()}, "value['k']", "object"),
        ((1, np.array(["text"])), "value[1]", "<U4"),
        (np.array([1j]), "value", "complex"),
        (np.array([None]), "value", "object"),
        (np.ma.masked_array([1.0]), "value", "MaskedArray"),
        ((0.0, float("nan")), "value[1]", "NaN"),
        (Wish(np.array([1.0, np.nan])), "value.target", "NaN"),
        ({1, 2}, "value", "set"),
    ],
)
def test_what_documents_cannot_hold_is_named(value: Any, place: str, why: str, tmp_path: Path) -> None:
    with pytest.raises(HoiError) as caught:
        reread(value, tmp_path)
    assert f"value.hoi: cannot be written: {place} " in str(caught.value) and why in str(caught.value)
    assert list(tmp_path.iterdir()) == []


def test_a_value_inside_itself_is_refused(tmp_path: Path) -> None:
    endless: list[Any] = []
    endless.append(endless)
    with pytest.raises(HoiError, match="nested too deep"):
        reread(endless, tmp_path)


def test_some_fields_may_lack_a_number(tmp_path: Path) -> None:
    wish = Wish(1, (float("nan"), np.array([1.0, np.nan])))
    assert_same(wish, reread(wish, tmp_path))


@pytest.mark.parametrize("name", ["os.fsync", "os.replace"])
def test_a_full_disk_leaves_the_old_document(name: str, document: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(*_: Any) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    before = document.read_bytes()
    with monkeypatch.context() as patched:
        patched.setattr(name, full)
        with pytest.raises(HoiError, match=r"small\.hoi: cannot be written: no space left on device"):
            files.write(document, {"title": "other"})
    assert document.read_bytes() == before
    assert list(document.parent.iterdir()) == [document]


def test_a_write_that_stops_half_way_leaves_the_old_document(document: Path) -> None:
    before = document.read_bytes()
    soft, hard = resource.getrlimit(resource.RLIMIT_FSIZE)
    resource.setrlimit(resource.RLIMIT_FSIZE, (4096, hard))
    try:
        with pytest.raises(HoiError, match=r"small\.hoi: cannot be written: file too large"):
            files.write(document, {"noise": np.random.default_rng(0).normal(size=10_000)})
    finally:
        resource.setrlimit(resource.RLIMIT_FSIZE, (soft, hard))
    assert document.read_bytes() == before
    assert list(document.parent.iterdir()) == [document]


KILLED = """
import os, signal, sys
from hoi_edit import files
files.Autosave(sys.argv[1]).write({"title": "unsaved"})
files.Autosave(None).write({"title": "untitled"})
os.replace = lambda *_: os.kill(os.getpid(), signal.SIGKILL)
files.write(sys.argv[1], {"title": "half written"})
"""


def test_a_program_that_is_killed_leaves_the_old_document_and_its_autosave(
    document: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("HOI_EDIT_CACHE", str(tmp_path / "cache"))
    before = document.read_bytes()
    died = subprocess.run([sys.executable, "-c", KILLED, document], cwd=REPOSITORY, capture_output=True, text=True)
    assert died.returncode == -signal.SIGKILL, died.stderr
    assert document.read_bytes() == before
    left = files.recoverable(document)
    assert left is not None and left.problem is None and left.read() == {"title": "unsaved"}
    (untitled,) = files.recoverable_untitled()
    assert untitled.read() == {"title": "untitled"}
    untitled.discard()
    assert files.recoverable_untitled() == []


def test_file_and_folder_are_on_the_disk_before_writing_returns(
    document: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done: list[str] = []
    replace = os.replace

    def noted_replace(*names: str) -> None:
        done.append("replace")
        replace(*names)

    monkeypatch.setattr("os.fsync", lambda fd: done.append("folder" if stat.S_ISDIR(os.fstat(fd).st_mode) else "file"))
    monkeypatch.setattr("os.replace", noted_replace)
    files.write(document, {})
    assert done == ["file", "replace", "folder"]


def test_places_that_cannot_be_written_to_are_named(document: Path) -> None:
    for path, why in (
        (document.parent / "none" / "a.hoi", "no such file"),
        (document.parent, "it is a folder"),
        (document / "a.hoi", "not a directory"),
    ):
        with pytest.raises(HoiError, match=f"{path}: cannot be written: {why}"):
            files.write(path, {})
    document.chmod(0o444)
    with pytest.raises(HoiError, match="it is read-only"):
        files.write(document, {})


def test_a_document_keeps_its_permissions(document: Path) -> None:
    document.chmod(0o600)
    files.write(document, {})
    assert document.stat().st_mode & 0o777 == 0o600
