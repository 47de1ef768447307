"""Processes share the work: nothing is done twice, nothing is left, and everybody sees how far it is."""

import subprocess
import sys
from pathlib import Path

import pytest

from hoi_edit.compiling.compile_jobs import Job, begin, how_far, take
from ui.words.compiling import in_words

SHARE = """
import sys, time
from pathlib import Path
from hoi_edit.compiling.compile_jobs import Job, take
folder = Path(sys.argv[1])
def run(place):
    with (folder / "log").open("a") as log:
        log.write(f"{place}\\n")
    time.sleep(0.02)
jobs = [Job(str(place), 1.0, lambda place=place: run(place)) for place in range(20)]
for wait in (False, True):
    take(jobs, [range(k, k + 2) for k in range(0, 20, 2)], folder / "claims", folder / "progress", wait)
"""


def counted(count: int, done: list[int]) -> list[Job]:
    return [Job(str(k), 1.0, lambda k=k: done.append(k), for_drags=k < 2) for k in range(count)]  # type: ignore[misc]


@pytest.mark.skipif(sys.platform == "win32", reason="one process does it all there")
def test_two_processes_do_everything_once(tmp_path: Path) -> None:
    begin(counted(20, []), tmp_path / "progress")
    words = [sys.executable, "-c", SHARE, str(tmp_path)]
    both = [subprocess.Popen(words, cwd=Path(__file__).parents[2]) for _ in range(2)]
    assert [own.wait() for own in both] == [0, 0]
    assert sorted(map(int, (tmp_path / "log").read_text().split())) == list(range(20))
    assert how_far(tmp_path / "progress", 0.0) is None


def test_what_a_process_left_when_it_died_is_done_by_another(tmp_path: Path) -> None:
    def dies() -> None:
        raise KeyboardInterrupt

    done: list[int] = []
    jobs = counted(3, done)
    files = (tmp_path / "claims", tmp_path / "progress")
    begin(jobs, files[1])
    with pytest.raises(KeyboardInterrupt):
        take([jobs[0], Job("1", 1.0, dies), jobs[2]], [range(2), range(2, 3)], *files)
    assert done == [0]
    take(jobs, [range(2), range(2, 3)], *files, wait=True)
    assert done == [0, 1, 2]


def test_how_far_it_is_in_words(tmp_path: Path) -> None:
    progress, claims = tmp_path / "progress", tmp_path / "claims"
    assert how_far(progress, 0.0) is None and in_words(None) == ""
    jobs = counted(4, [])
    begin(jobs, progress)
    began = progress.stat().st_mtime
    take(jobs, [range(1)], claims, progress)
    assert in_words(how_far(progress, began + 9.0)) == (
        "Compiling for this machine, once: 1 of 2 parts, about 10 s left; drags are slow until then."
    )
    take(jobs, [range(2)], claims, progress)
    assert in_words(how_far(progress, began + 10.0)) == (
        "Drags are fast by now; what is rarer is compiled: 2 of 4 parts, about 10 s left."
    )
    take(jobs, [range(4)], claims, progress)
    assert how_far(progress, began + 20.0) is None
