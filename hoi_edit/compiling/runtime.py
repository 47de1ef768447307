"""How JAX, numba and numpy run in our programs: compiled code is kept between runs, freed memory between calls."""

import os
import subprocess
import sys
import time
from contextlib import AbstractContextManager
from functools import cache
from pathlib import Path
from typing import Any

import jax
import numpy as np
from threadpoolctl import ThreadpoolController

from hoi_edit.compiling.compile_jobs import CompileProgress, how_far
from kinematics.cache import cache_folder
from kinematics.code_store import forget_old_code
from kinematics.compiled import CODE, PROGRAM, interpret_until, is_interpreted, key_of_all

LOOK = 0.2  # [s] between looks for machine code

_compiler: "subprocess.Popen[bytes] | None" = None  # what this process has had begun


@cache
def ready() -> Path:
    """A file that is there once all common machine code is: of these very functions, for this processor."""
    return CODE / f"{key_of_all()}.ready"


def progress_file() -> Path:
    """Where processes that compile tell how far they are."""
    return ready().with_suffix(".progress")


def prepare() -> None:
    """What every door of the program does first: keep what is compiled, and do not wait for the compiler.

    The first time ever, machine code is made by a process of its own, which outlives ours; each function runs as
    Python until its own is there: slower, but at once. `HOI_EDIT_COMPILE=now` waits for machine code instead.
    """
    global _compiler
    if not ready().exists():
        forget_old_code(CODE)
    if jax.config.values["jax_compilation_cache_dir"] is None:  # a user may have a folder of one's own
        keep_compiled_functions()
    if os.environ.get("HOI_EDIT_COMPILE") == "now" or is_interpreted() or ready().exists():
        return
    try:
        CODE.mkdir(parents=True, exist_ok=True)
        _compiler = beside("hoi_edit.compiling.warm_up")
    except OSError:
        return  # nothing can be kept or started: everything is compiled when it is first needed
    interpret_until(_Compiled(_compiler), look_for_each=LOOK)


def beside(module: str, *words: str) -> "subprocess.Popen[bytes]":
    """A process of ours that goes on when this one ends."""
    path = os.pathsep.join(part for part in (str(PROGRAM), os.environ.get("PYTHONPATH")) if part)
    return subprocess.Popen(
        [sys.executable, "-m", module, *words], env={**os.environ, "PYTHONPATH": path},
        stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True,
    )  # fmt: skip


def compiling() -> CompileProgress | None:
    """How far the process is that compiles for this session; None when nothing is being compiled."""
    if _compiler is None or _compiler.poll() is not None:
        return None
    return how_far(progress_file(), time.time())


class _Compiled:
    """Whether a compiler is done, be it well or not; looked at now and then."""

    def __init__(self, compiler: "subprocess.Popen[bytes]") -> None:
        self.compiler, self.again = compiler, 0.0

    def __call__(self) -> bool:
        if time.monotonic() < self.again:
            return False
        self.again = time.monotonic() + LOOK
        return ready().exists() or self.compiler.poll() is not None


def keep_compiled_functions() -> None:
    """Turn the persistent compilation cache on; a folder that cannot be made only means compiling again."""
    folder = cache_folder() / "jax"
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return
    jax.config.update("jax_compilation_cache_dir", str(folder))
    jax.config.update("jax_persistent_cache_min_compile_time_secs", 0.0)
    jax.config.update("jax_persistent_cache_min_entry_size_bytes", -1)


def one_thread() -> AbstractContextManager[Any]:
    """Linear algebra on one thread: with some sixty rows, threads wait for each other longer than they work, and a drag
    step takes twice as long."""
    return _algebra().limit(limits=1)


@cache
def _algebra() -> Any:
    return ThreadpoolController().select(user_api="blas")


def keep_freed_memory() -> None:
    """Have the C library keep what numpy frees, instead of handing it back to the system and asking for it again.

    On Linux every temporary array of more than 128 KB is fresh memory, which costs more than the arithmetic on it: a
    drag step took twice as long. There, whatever large block is freed (up to 32 MB) sets the size from which that is
    done; elsewhere this does nothing.
    """
    np.empty(31 * 2**20, np.uint8)
