"""Which classes a document may hold, each by a name that outlives every move of its Python module.

Only what is registered is ever built from a file, so opening a document runs no code but these classes' own checks.
"""

from collections.abc import Callable, Collection
from dataclasses import dataclass, fields, is_dataclass
from typing import Any, TypeVar, overload

from kinematics.errors import HoiError

Class = TypeVar("Class", bound=type)
RESERVED = ("array", "dict", "float", "list", "scalar")  # names that the codec uses for itself


@dataclass(frozen=True)
class Record:
    """How instances of one class stand in a file: its name there, and the fields that are stored, all of them."""

    name: str
    cls: type
    fields: tuple[str, ...]
    may_be_nan: frozenset[str]
    typed: bool  # whether what its fields are said to be is what they have to be


RECORDS: dict[str, Record] = {}
_BY_CLASS: dict[type, Record] = {}


@overload
def register(name: str, cls: Class, *, may_be_nan: Collection[str] = (), typed: bool = False) -> Class: ...
@overload
def register(name: str, *, may_be_nan: Collection[str] = (), typed: bool = False) -> Callable[[Class], Class]: ...
def register(name: str, cls: Any = None, *, may_be_nan: Collection[str] = (), typed: bool = False) -> Any:
    """Let instances of a frozen dataclass or named tuple stand in documents, as `name`; also as a decorator.

    A document with a number that is not one is broken, unless it is in a field that `may_be_nan`. So is one with a word
    where a number belongs, if the class is `typed`.
    """
    if cls is None:
        return lambda decorated: register(name, decorated, may_be_nan=may_be_nan, typed=typed)
    record = Record(name, cls, _stored_fields(cls), frozenset(may_be_nan), typed)
    if not record.may_be_nan <= {*record.fields}:
        raise HoiError(f"{cls.__name__} has no field {sorted(record.may_be_nan - {*record.fields})[0]!r}")
    if name in RESERVED or RECORDS.get(name, record).cls is not cls or _BY_CLASS.get(cls, record).name != name:
        raise HoiError(
            f"{cls.__name__} cannot be called {name!r} in documents: the name is taken, or the class has another one"
        )
    RECORDS[name] = _BY_CLASS[cls] = record
    return cls


def record_of(cls: type) -> Record | None:
    """The record of a class, None if it was not registered; a subclass is a class of its own."""
    return _BY_CLASS.get(cls)


def _stored_fields(cls: type) -> tuple[str, ...]:
    if issubclass(cls, tuple) and hasattr(cls, "_fields"):
        return tuple(cls._fields)
    if not is_dataclass(cls) or not cls.__dataclass_params__.frozen:  # type: ignore[attr-defined]
        raise HoiError(f"{cls.__name__} cannot stand in documents: it is no frozen dataclass and no named tuple")
    return tuple(field.name for field in fields(cls) if field.init)
