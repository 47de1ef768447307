"""Kinds of arguments as data, so that a function can be compiled for them before it is first called."""

import importlib
from typing import Any

from numba.core import types

ARRAY = "array"


def as_data(kind: Any) -> Any:
    """What numba calls a type, in lists and strings."""
    if isinstance(kind, types.BaseTuple):
        members: Any = kind
        parts = [as_data(part) for part in members]
        if isinstance(kind, types.BaseNamedTuple):
            record = members.instance_class
            return {f"{record.__module__}:{record.__qualname__}": parts}
        return parts
    if isinstance(kind, types.Array):
        return {ARRAY: [str(kind.dtype), kind.ndim, kind.layout, kind.mutable]}
    if isinstance(kind, types.Number | types.Boolean | types.NoneType):
        return str(kind)
    raise TypeError(f"no signature can be written of an argument of type {kind}")


def of_data(data: Any) -> Any:
    """The type again; an AttributeError or ImportError if a record that it names is no more."""
    if isinstance(data, str):
        return getattr(types, data)
    if isinstance(data, list):
        return types.BaseTuple.from_types(tuple(map(of_data, data)))
    ((name, parts),) = data.items()
    if name == ARRAY:
        kind, dimensions, layout, mutable = parts
        return types.Array(of_data(kind), dimensions, layout, readonly=not mutable)
    module, record = name.split(":")
    return types.BaseTuple.from_types(tuple(map(of_data, parts)), getattr(importlib.import_module(module), record))
