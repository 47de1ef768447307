"""Compilation to machine code of loops over numbers, for what is searched and not differentiated.

JAX compiles what has derivatives, and its calls cost a tenth of a millisecond each; numba compiles what branches,
stops early and looks at one thing at a time. Compiled code is kept on disk, and runs without holding Python's lock.
"""

from collections.abc import Callable
from typing import Any, TypeVar

import numba

Function = TypeVar("Function", bound=Callable[..., Any])


def compiled(function: Function) -> Function:
    """The same function as machine code; arguments are arrays, numbers, and (named) tuples of them."""
    fast: Function = numba.njit(cache=True, nogil=True, error_model="numpy")(function)
    return fast


def inner(function: Function) -> Function:
    """The same, for functions that only compiled ones call: nothing is made for Python's sake, nor kept by itself."""
    fast: Function = numba.njit(
        nogil=True, error_model="numpy", no_cpython_wrapper=True, no_cfunc_wrapper=True
    )(function)  # fmt: skip
    return fast
