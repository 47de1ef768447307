"""Compile ahead of time everything that an edit commonly needs, so that nothing waits for it later.

Compiled code is kept on disk: this is done once on a machine, by two processes where there are two cores.
`python -m hoi_edit.compiling.warm_up` is what `hoi_edit.open` has running beside it the first time.
"""

import gc
import os
import subprocess
import sys
from contextlib import suppress
from pathlib import Path

from hoi_edit.compiling.compile_jobs import begin, take
from hoi_edit.compiling.compile_plan import Plan, plan
from hoi_edit.compiling.runtime import beside, keep_compiled_functions, progress_file, ready
from kinematics.compiled import CODE

SECOND = "second"


def warm_up() -> None:
    """All of it, or whatever others leave of it."""
    os.environ["HOI_EDIT_COMPILE"] = "now"
    whole = plan()
    begin(whole.jobs, progress_file())
    second = _second()
    try:
        _work(whole, wait=True)
    finally:
        if second is not None:
            second.wait()
        with suppress(OSError):  # a folder that cannot be written to has none
            progress_file().unlink(missing_ok=True)


def help_out() -> None:
    """The same as a second process: what the first is at is left to it."""
    os.environ["HOI_EDIT_COMPILE"] = "now"
    _work(plan(), wait=False)


def _work(whole: Plan, wait: bool) -> None:
    """The first process waits for all that is left to it; the second begins at the other end."""
    jobs, progress = whole.jobs, progress_file()
    claims = progress.with_suffix(".claims")
    functions, common, rare = (lanes if wait else lanes[::-1] for lanes in whole.stages)
    gc.disable()  # numba makes millions of objects that stay
    take(jobs, functions, claims, progress)
    take(jobs, functions, claims, progress, wait=True)  # rehearsals call them, and must not compile them once more
    gc.enable()
    if wait:
        take(jobs, common, claims, progress, wait)
        with suppress(OSError):  # what cannot be kept is made again
            ready().touch()
    take(jobs, rare, claims, progress)
    if wait:
        take(jobs, rare, claims, progress, wait)


def _second() -> "subprocess.Popen[bytes] | None":
    if (os.cpu_count() or 1) < 2 or sys.platform == "win32" or not progress_file().exists():
        return None
    with suppress(OSError):  # no second process to be had: this one does it all
        return beside("hoi_edit.compiling.warm_up", SECOND)
    return None


def alone(folder: Path = CODE) -> None:
    """Wait for others that are at the same work; the lock goes when the process ends, however it does."""
    if sys.platform != "win32":
        import fcntl

        with suppress(OSError):  # a folder that cannot be written to keeps nothing to wait for
            folder.mkdir(parents=True, exist_ok=True)
            fcntl.flock(os.open(folder / "lock", os.O_CREAT | os.O_RDWR), fcntl.LOCK_EX)


if __name__ == "__main__":
    keep_compiled_functions()
    if sys.argv[1:] == [SECOND]:
        help_out()
    else:
        alone()
        if not ready().exists():
            warm_up()
