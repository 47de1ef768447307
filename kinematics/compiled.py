"""Compilation to machine code of loops over numbers, for what is searched and not differentiated.

JAX compiles what has derivatives, and its calls cost a tenth of a millisecond each; numba compiles what branches,
stops early and looks at one thing at a time. Compiled code is kept on disk, and runs without holding Python's lock.

Compiling takes the better part of a minute, once. The same functions also run as they are written, a hundred times
slower, which for one simulation is a second: `interpret_until` has them do so while another process compiles.
"""

import hashlib
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import types

from kinematics.cache import cache_folder
from kinematics.rotation import Floats

Function = TypeVar("Function", bound=Callable[..., Any])

PROGRAM = Path(__file__).parent.parent
PACKAGES = ("kinematics", "rigid", "hoi_edit")


def code_folder() -> Path:
    """Where the machine code of this version of the program is kept.

    Numba looks only at the file that a function stands in, and would go on using what it had inlined from others after
    they have changed. So every state of the sources has a folder of its own.
    """
    sources = [source for package in PACKAGES for source in sorted((PROGRAM / package).rglob("*.py"))]
    seen = [(str(source), source.stat().st_mtime_ns, source.stat().st_size) for source in sources]
    return cache_folder() / "compiled" / hashlib.sha256(repr((numba.__version__, seen)).encode()).hexdigest()[:16]


CODE = code_folder()

_compiled_by_now: Callable[[], bool] | None = None


def interpret_until(compiled_by_now: Callable[[], bool]) -> None:
    """Run functions as Python until the test, asked at each call, says that their machine code is there."""
    global _compiled_by_now
    _compiled_by_now = compiled_by_now


def is_interpreted() -> bool:
    """Whether functions still run as Python."""
    global _compiled_by_now
    if _compiled_by_now is not None and _compiled_by_now():
        _compiled_by_now = None
    return _compiled_by_now is not None


class Entry:
    """A function for Python to call: machine code, or the function itself as long as that is not there."""

    def __init__(self, plain: Callable[..., Any], fast: Any) -> None:
        self.plain, self.fast, self.__doc__ = plain, fast, plain.__doc__
        self._numba_type_ = types.Dispatcher(fast)  # in compiled code this is the compiled function

    def __call__(self, *arguments: Any) -> Any:
        if _compiled_by_now is None or not is_interpreted():
            return self.fast(*arguments)
        with np.errstate(all="ignore"):  # as in machine code, x / 0 is inf
            return self.plain(*arguments)


class Inner(Entry):
    """A function that others here call: by them it is compiled, and called as it is when they are not."""

    def __call__(self, *arguments: Any) -> Any:
        return self.plain(*arguments)


def compiled(function: Function) -> Function:
    """The same function as machine code; arguments are arrays, numbers, and (named) tuples of them."""
    try:
        with _kept_in(CODE):
            fast = _compiled(function, cache=True)
    except (RuntimeError, OSError):  # nothing can be kept anywhere: compile at every start
        fast = _compiled(function)
    return Entry(function, fast)  # type: ignore[return-value]


def inner(function: Function) -> Function:
    """The same, for functions that only compiled ones call: nothing is made for Python's sake, nor kept by itself."""
    return Inner(function, _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True))  # type: ignore[return-value]


def _compiled(function: Function, **options: bool) -> Any:
    decorate: Any = numba.njit
    return decorate(nogil=True, error_model="numpy", **options)(function)


@contextmanager
def _kept_in(folder: Path) -> Iterator[None]:
    """Numba decides where to keep code when a function is decorated, by a setting that all of its users share."""
    settings: Any = numba.config
    before, settings.CACHE_DIR = settings.CACHE_DIR, str(folder)
    try:
        yield
    finally:
        settings.CACHE_DIR = before


@inner
def add_cross(out: Floats, a: Floats, b: Floats, factor: float) -> None:
    """Add factor · a × b."""
    out[0] += factor * (a[1] * b[2] - a[2] * b[1])
    out[1] += factor * (a[2] * b[0] - a[0] * b[2])
    out[2] += factor * (a[0] * b[1] - a[1] * b[0])
