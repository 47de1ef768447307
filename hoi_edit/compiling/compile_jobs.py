"""Work that several processes share: each takes what nobody has taken yet, and tells all others what it has done.

Jobs come in lanes, each a range of their list for one process: what they have in common is done once. A lane is taken
by locking one byte of a file, so one whose process died is free again. What is done stands in a file of progress, which
the editor reads.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from kinematics.code_store import write_whole


@dataclass(frozen=True)
class Job:
    """Something to compile, and what share of all work that is [s of one core, on some machine]."""

    name: str
    seconds: float
    run: Callable[[], object]
    for_drags: bool = False  # a drag is slow without it


@dataclass(frozen=True)
class CompileProgress:
    """How far the jobs are: of those that drags wait for, as long as they do, and then of all."""

    done: int
    of: int
    seconds_left: float
    drags_wait: bool


def take(jobs: Sequence[Job], lanes: Iterable[range], claims: Path, progress: Path, wait: bool = False) -> None:
    """Do those lanes, in their order, that are neither done nor taken; or wait for those that are taken, too."""
    for lane in lanes:
        with _claim(claims, lane.start, wait) as mine:
            for place in lane if mine else ():
                if place not in _done(progress):
                    jobs[place].run()
                    with suppress(OSError), progress.open("a") as told:  # else the other process does it once more
                        told.write(f"{place}\n")


@contextmanager
def _claim(claims: Path, place: int, wait: bool) -> Iterator[bool]:
    """Whether a lane is ours for now; where there is nothing to lock it always is."""
    if sys.platform == "win32":
        yield True
        return
    import fcntl

    try:
        file = os.open(claims, os.O_CREAT | os.O_RDWR)
    except OSError:  # a folder that cannot be written to has no second process either
        yield True
        return
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB), 1, place)
    except OSError:
        yield False
    else:
        yield True
    finally:
        os.close(file)


def begin(jobs: Sequence[Job], progress: Path) -> None:
    """Nothing is done yet."""
    shares = [(job.seconds, job.for_drags) for job in jobs]
    with suppress(OSError):  # where nothing can be kept, one process does it all
        progress.parent.mkdir(parents=True, exist_ok=True)
        write_whole(progress, (json.dumps({"began": time.time(), "jobs": shares}) + "\n").encode())


def _done(progress: Path) -> set[int]:
    with suppress(OSError):  # nobody has begun
        return {int(line) for line in progress.read_text().splitlines()[1:]}
    return set()


def how_far(progress: Path, now: float) -> CompileProgress | None:
    """None where nothing is begun, or all is done."""
    try:
        head, *lines = progress.read_text().splitlines()
        told = json.loads(head)
        done = {int(line) for line in lines}
    except (OSError, ValueError):
        return None
    jobs: list[tuple[float, bool]] = [(seconds, for_drags) for seconds, for_drags in told["jobs"]]
    left = set(range(len(jobs))) - done
    if not left:
        return None
    drags_wait = any(jobs[place][1] for place in left)
    counted = {place for place, job in enumerate(jobs) if job[1] or not drags_wait}
    share = sum(jobs[place][0] for place in done)
    pace = (now - told["began"]) / share if share else 1.0  # [s for a second's work of the table]
    seconds = pace * sum(jobs[place][0] for place in left & counted)
    return CompileProgress(len(counted & done), len(counted), max(seconds, 1.0), drags_wait)
