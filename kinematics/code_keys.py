"""What a piece of machine code depends on, as a key: the same content has the same key, wherever and whenever it was
written down.

Machine code holds all that its function calls and every constant that it reads, from whatever module. So a key is made
of the bytecode of all functions that can be reached, of the values that they read, of the fields of named tuples, and
of whatever compiles: not of paths, times or comments. What is of a kind unknown here is refused, since a key that
leaves something out would have old code used.
"""

import dis
import hashlib
import math
import platform
import sys
from collections.abc import Callable, Iterator
from functools import cache
from types import BuiltinFunctionType, CodeType, FunctionType, ModuleType
from typing import Any

import llvmlite.binding
import numba
import numpy as np
from numba.core import types

Calls = Callable[[Any], FunctionType | None]

# Whose attributes are the same as long as the versions below are.
LIBRARIES = (math, np)
VERSIONS = (
    sys.implementation.cache_tag, platform.machine(), numba.__version__, llvmlite.__version__, np.__version__
)  # fmt: skip
PLAIN = (bool, int, float, complex, str, bytes, type(None), type(...), np.bool_, np.number)


def processor() -> str:
    """Whose machine code is made."""
    settings: Any = numba.config
    return str(settings.CPU_NAME or llvmlite.binding.get_host_cpu_name())


def key_of(*parts: Any) -> str:
    """A short hash of what is written the same in every process: strings, numbers and tuples of them."""
    return hashlib.sha256(repr(parts).encode()).hexdigest()[:20]


def content_of(function: Any, calls: Calls) -> tuple[Any, ...]:
    """All that the machine code of a function is made of; `calls` tells which function a compiled value stands for."""
    reached: dict[str, str] = {}
    waiting = [function]
    while waiting:
        at = waiting.pop()
        if name_of(at) not in reached:
            reached[name_of(at)], callees = _alone(at, calls)
            waiting.extend(callees)
    return tuple(sorted(reached.items()))


def name_of(function: FunctionType) -> str:
    return f"{function.__module__}.{function.__qualname__}"


@cache
def _alone(function: FunctionType, calls: Calls) -> tuple[str, tuple[FunctionType, ...]]:
    """The key of one function and what it reads, and the functions that it calls."""
    name, values = name_of(function), dict(_values_read(function))
    callees = {used: callee for used, value in values.items() if (callee := calls(value)) is not None}
    constants = [(used, _constant(value, name)) for used, value in values.items() if used not in callees]
    called = [(used, name_of(callee)) for used, callee in callees.items()]
    code = _code(function.__code__, function.__doc__)
    return key_of(code, _constant(function.__defaults__ or (), name), constants, called), tuple(callees.values())


def _values_read(function: FunctionType) -> Iterator[tuple[str, Any]]:
    """What a function reads from outside of itself, by name."""
    for cell, value in zip(function.__code__.co_freevars, function.__closure__ or (), strict=True):
        yield f"free {cell}", value.cell_contents
    builtins = function.__globals__["__builtins__"]
    builtins = builtins if isinstance(builtins, dict) else vars(builtins)
    for name in sorted(_globals_named(function.__code__)):
        yield name, function.__globals__.get(name, builtins.get(name))


def _globals_named(code: CodeType) -> set[str]:
    names = {step.argval for step in dis.get_instructions(code) if step.opname in ("LOAD_GLOBAL", "LOAD_NAME")}
    return names.union(*(_globals_named(part) for part in code.co_consts if isinstance(part, CodeType)))


def _code(code: CodeType, doc: str | None = None) -> tuple[Any, ...]:
    """Bytecode without its docstring, which is the first constant."""
    constants = code.co_consts
    if doc is not None and constants[:1] == (doc,):
        constants = (None, *constants[1:])
    return (
        code.co_code.hex(), code.co_names, code.co_varnames, code.co_freevars, code.co_cellvars,
        code.co_argcount, code.co_posonlyargcount, code.co_kwonlyargcount, code.co_exceptiontable.hex(),
        tuple(_code(part) if isinstance(part, CodeType) else _constant(part, code.co_name) for part in constants),
    )  # fmt: skip


def _constant(value: Any, reader: str) -> Any:
    """A value that code was compiled with, such that another value never looks the same."""
    if isinstance(value, type):
        return ("type", value.__module__, value.__qualname__, getattr(value, "_fields", None))
    if isinstance(value, BuiltinFunctionType):
        return ("function", value.__module__, value.__qualname__)
    if isinstance(value, ModuleType) and value in LIBRARIES:
        return ("module", value.__name__)
    if isinstance(value, np.ndarray) and value.dtype.kind in "biufc":
        return ("array", value.dtype.str, value.shape, hashlib.sha256(value.tobytes()).hexdigest())
    if isinstance(value, tuple):
        return (_constant(type(value), reader), tuple(_constant(part, reader) for part in value))
    if isinstance(value, frozenset):
        return ("set", sorted(repr(_constant(part, reader)) for part in value))
    if isinstance(value, PLAIN):
        return (type(value).__name__, repr(value))
    raise TypeError(f"{reader} is compiled and reads {value!r}, of which no key can be made")


def content_of_type(kind: Any) -> Any:
    """What numba knows of an argument. Its own name of a named tuple leaves out the fields, and their order."""
    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        parts = tuple(content_of_type(part) for part in members)
        if isinstance(kind, types.BaseNamedTuple):
            return (_constant(members.instance_class, "a signature"), parts)
        return parts
    if isinstance(kind, types.Number | types.Boolean | types.Array | types.NoneType):
        return str(kind)
    raise TypeError(f"no key can be made of an argument of type {kind}")
