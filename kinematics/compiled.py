"""Compilation to machine code of loops over numbers, for what is searched and not differentiated.

JAX compiles what has derivatives, and its calls cost a tenth of a millisecond each; numba compiles what branches,
stops early and looks at one thing at a time. Compiled code is kept on disk, and runs without holding Python's lock.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

from kinematics.rotation import Floats

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """The same function as machine code; arguments are arrays, numbers, and (named) tuples of them."""
    try:
        return _compiled(function, cache=True)
    except RuntimeError:  # neither the program's folder nor the user's cache can be written to: compile at every start
        return _compiled(function)


def inner(function: Function) -> Function:
    """The same, for functions that only compiled ones call: nothing is made for Python's sake, nor kept by itself."""
    return _compiled(function, no_cpython_wrapper=True, no_cfunc_wrapper=True)


def _compiled(function: Function, **options: bool) -> Function:
    decorate: Any = numba.njit
    fast: Function = decorate(nogil=True, error_model="numpy", **options)(function)
    return fast


@inner
def add_cross(out: Floats, a: Floats, b: Floats, factor: float) -> None:
    """Add factor · a × b."""
    out[0] += factor * (a[1] * b[2] - a[2] * b[1])
    out[1] += factor * (a[2] * b[0] - a[0] * b[2])
    out[2] += factor * (a[0] * b[1] - a[1] * b[0])
