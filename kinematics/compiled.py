"""Compilation to machine code of loops over numbers: of what is searched, and of derivatives in closed form.

JAX compiles what has derivatives, and its calls cost a tenth of a millisecond each; numba compiles what branches,
stops early and looks at one thing at a time. Compiled code is kept on disk, and runs without holding Python's lock.

Compiling takes half a minute of one core, once. The same functions also run as they are written, a hundred times
slower, which for one simulation is a second: `interpret_until` has them do so while another process compiles, each
until its own machine code is there.
"""

from collections.abc import Callable
from functools import cached_property
from math import inf
from pathlib import Path
from time import monotonic
from typing import Any, TypeVar

import numba
import numpy as np
from numba.core import types

from kinematics.cache import cache_folder
from kinematics.code_keys import VERSIONS, content_of, key_of, processor
from kinematics.code_making import LEVEL, SMALLER, EntryCompiler, InnerCompiler
from kinematics.code_store import CodeStore
from kinematics.rotation import Floats

Function = TypeVar("Function", bound=Callable[..., Any])

PROGRAM = Path(__file__).parent.parent
CODE = cache_folder() / "compiled"  # where machine code is kept
OPTIONS = {"nogil": True, "error_model": "numpy"}

_compiled_by_now: Callable[[], bool] | None = None
_look_for_each: float | None = None  # [s]


def interpret_until(compiled_by_now: Callable[[], bool], look_for_each: float | None = None) -> None:
    """Run functions as Python until the test, asked at each call, says that their machine code is there.

    A single function does not wait for all the others where one looks, every so many seconds, for what it is called
    with.
    """
    global _compiled_by_now, _look_for_each
    _compiled_by_now, _look_for_each = compiled_by_now, look_for_each


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
        self._looked: dict[tuple[Any, ...], float] = {}  # when code was looked for; inf when it was there

    def __call__(self, *arguments: Any) -> Any:
        if _compiled_by_now is None or not is_interpreted() or self._is_there(arguments):
            return self.fast(*arguments)
        with np.errstate(all="ignore"):  # as in machine code, x / 0 is inf
            return self.plain(*arguments)

    def _is_there(self, arguments: tuple[Any, ...]) -> bool:
        """Whether machine code for such arguments has been made in the meantime, by whoever it was."""
        if _look_for_each is None:
            return False
        kinds = tuple(map(self.fast.typeof_pyval, arguments))
        last, now = self._looked.get(kinds, -inf), monotonic()
        if last < inf and now - last >= _look_for_each:
            self._looked[kinds] = last = inf if self.fast._cache.has(kinds, self.fast.targetctx) else now
        return last == inf

    @cached_property
    def key(self) -> str:
        """Of all that its machine code is made of. What it calls may be defined after it, so nobody asks at once."""
        return key_of(VERSIONS, LEVEL, SMALLER, sorted(OPTIONS.items()), content_of(self.plain, _stands_for))


class Inner(Entry):
    """A function that others here call: by them it is compiled, and called as it is when they are not."""

    def __call__(self, *arguments: Any) -> Any:
        return self.plain(*arguments)


ENTRIES: list[Entry] = []


def key_of_all() -> str:
    """Of everything that is compiled, on this machine's kind of processor."""
    return key_of(processor(), sorted(entry.key for entry in ENTRIES))


def compiled(function: Function) -> Function:
    """The same function as machine code; arguments are arrays, numbers, and (named) tuples of them."""
    entry = Entry(function, _compiled(function, pipeline_class=EntryCompiler, no_cfunc_wrapper=True))
    entry.fast._cache = CodeStore(CODE, function.__name__, lambda: entry.key)
    ENTRIES.append(entry)
    return entry  # type: ignore[return-value]


def inner(function: Function) -> Function:
    """The same, for functions that only compiled ones call: nothing is made for Python's sake, nor kept by itself."""
    options = {"pipeline_class": InnerCompiler, "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
    return Inner(function, _compiled(function, **options))  # type: ignore[return-value]


def _compiled(function: Function, **options: Any) -> Any:
    decorate: Any = numba.njit
    return decorate(**OPTIONS, **options)(function)


def _stands_for(value: Any) -> Any:
    return value.plain if isinstance(value, Entry) else None


@inner
def add_cross(out: Floats, a: Floats, b: Floats, factor: float) -> None:
    """Add factor · a × b."""
    out[0] += factor * (a[1] * b[2] - a[2] * b[1])
    out[1] += factor * (a[2] * b[0] - a[0] * b[2])
    out[2] += factor * (a[0] * b[1] - a[1] * b[0])
