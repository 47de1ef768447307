"""Whether values can be what classes say of their fields: numbers where numbers belong, names where names do.

Only what could not be used anyway is refused. A number may be of any kind and stand in an array, a list of numbers be a
tuple or an array, and what is said in words that are not known here fits.
"""

import types
from collections.abc import Mapping, Sequence
from functools import cache
from numbers import Real
from typing import Any, Union, get_args, get_origin, get_type_hints

import jax
import numpy as np

NUMBERS = (float, int, bool, np.ndarray, jax.Array)


@cache
def hints_of(cls: type[Any]) -> dict[str, Any]:
    """The types of a class's fields."""
    return get_type_hints(cls)


def fits(value: Any, hint: Any) -> bool:
    origin, inside = get_origin(hint), get_args(hint)
    if origin in (Union, types.UnionType):
        return any(fits(value, member) for member in inside)
    if hint is None or hint is types.NoneType:
        return value is None
    if hint is str:
        return isinstance(value, str)
    if hint in NUMBERS or origin is np.ndarray:
        return _is_numbers(value)
    if origin is tuple or (isinstance(origin, type) and issubclass(origin, Sequence)):
        return _are(value, inside)
    if isinstance(origin, type) and issubclass(origin, Mapping):
        return isinstance(value, Mapping)
    return isinstance(value, hint) if hasattr(hint, "__dataclass_fields__") else True


def _is_numbers(value: Any) -> bool:
    if isinstance(value, np.ndarray):
        return value.dtype.kind in "fiub"
    return isinstance(value, Real) or (isinstance(value, tuple | list) and all(map(_is_numbers, value)))


def _are(value: Any, kinds: tuple[Any, ...]) -> bool:
    """Whether a list is of the first of these; one of several kinds in turn is left to its class."""
    if not isinstance(value, tuple | list | np.ndarray):
        return False
    alike = len(kinds) == 1 or (len(kinds) == 2 and kinds[1] is Ellipsis)
    return not alike or all(fits(item, kinds[0]) for item in value)
