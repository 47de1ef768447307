"""Values as JSON, with their arrays set apart, and back.

    None, True, 7, 0.1, "text"      themselves; floats are written so that they come back to the bit
    tuple                           [...]
    list, dict                      {"$": "list", "items": [...]}, {"$": "dict", "items": [[key, value], ...]}
    inf                             {"$": "float", "value": "inf"}: JSON has no word for it
    array, numpy's scalar           {"$": "array", "index": 3}, {"$": "scalar", "index": 4}: into the table of arrays
    record                          {"$": its registered name, and each of its fields}

What is read is what was written, types included (to JAX, a float and numpy's float are two things), but for arrays of
JAX, which come back as numpy's, and that no array can be written to. Mistakes name their place: scene.contacts[3].time.
"""

import math
from collections.abc import Sequence
from typing import Any

import jax
import numpy as np

from hoi_edit.files.arrays import ArrayWriter, can_be_stored
from hoi_edit.files.fitting import fits, hints_of
from hoi_edit.files.records import RECORDS, RESERVED, Record, record_of
from kinematics.errors import HoiError
from kinematics.io.text import quoted

Json = Any  # what `json` makes and takes
TAG = "$"
LONGEST = 300  # characters of what a class says of values that it cannot take


def encode(value: Any, arrays: ArrayWriter, place: str, may_be_nan: bool = False) -> Json:
    """The JSON of a value at `place`; its arrays go to `arrays`."""
    if isinstance(value, jax.Array):
        value = np.asarray(value)
    elif isinstance(value, np.str_):
        value = str(value)
    # exact types: a subclass would come back as its base
    kind = type(value)
    if value is None or kind in (bool, int, str):
        return value
    if kind is float:
        return _encode_float(value, place, may_be_nan)
    if kind is np.ndarray or isinstance(value, np.generic):
        return _encode_array(value, arrays, place, may_be_nan)
    if kind in (tuple, list):
        items = [encode(item, arrays, f"{place}[{k}]", may_be_nan) for k, item in enumerate(value)]
        return items if kind is tuple else {TAG: "list", "items": items}
    if kind is dict:
        pairs = [
            [encode(key, arrays, f"a key of {place}"), encode(item, arrays, f"{place}[{key!r}]", may_be_nan)]
            for key, item in value.items()
        ]
        return {TAG: "dict", "items": pairs}
    return _encode_record(value, arrays, place)


def decode(tree: Json, arrays: Sequence[np.ndarray], place: str, may_be_nan: bool = False) -> Any:
    """The value at `place` that `encode` made `tree` of."""
    if isinstance(tree, float) and math.isnan(tree) and not may_be_nan:
        raise _not_a_number(place)
    if tree is None or isinstance(tree, bool | int | float | str):
        return tree
    if isinstance(tree, list):
        return tuple(decode(item, arrays, f"{place}[{k}]", may_be_nan) for k, item in enumerate(tree))
    match tree:
        case {"$": "array", "index": index, **rest} if not rest:
            return _decode_array(index, arrays, place, may_be_nan)
        case {"$": "scalar", "index": index, **rest} if not rest:
            return _decode_scalar(index, arrays, place, may_be_nan)
        case {"$": "float", "value": "inf" | "-inf" | "nan" as value, **rest} if not rest:
            return decode(float(value), arrays, place, may_be_nan)
        case {"$": "list", "items": list(items), **rest} if not rest:
            return list(decode(items, arrays, place, may_be_nan))
        case {"$": "dict", "items": list(pairs), **rest} if not rest:
            return _decode_dict(pairs, arrays, place, may_be_nan)
        case {"$": str(name)} if name in RECORDS:
            return _decode_record(tree, RECORDS[name], arrays, place)
    raise _unknown_type(tree.get(TAG), place)


def _encode_float(value: float, place: str, may_be_nan: bool) -> Json:
    if math.isnan(value) and not may_be_nan:
        raise _not_a_number(place)
    return value if math.isfinite(value) else {TAG: "float", "value": str(value)}


def _encode_array(value: np.ndarray | np.generic, arrays: ArrayWriter, place: str, may_be_nan: bool) -> Json:
    array = np.asarray(value)
    if not can_be_stored(array.dtype):
        raise HoiError(f"{place} is an array of {array.dtype}; documents hold arrays of numbers and of true and false")
    _check_array(array, place, may_be_nan)
    return {TAG: "array" if array is value else "scalar", "index": arrays.add(array)}


def _encode_record(value: Any, arrays: ArrayWriter, place: str) -> Json:
    record = record_of(type(value))
    if record is None:
        raise HoiError(
            f"{place} is a {type(value).__name__}, which documents cannot hold; hoi_edit.files.register makes a class "
            "known to them"
        )
    stored = {
        name: encode(getattr(value, name), arrays, f"{place}.{name}", name in record.may_be_nan)
        for name in record.fields
    }
    return {TAG: record.name, **stored}


def _decode_array(index: Json, arrays: Sequence[np.ndarray], place: str, may_be_nan: bool) -> np.ndarray:
    if type(index) is not int or not 0 <= index < len(arrays):
        raise HoiError(f"{place} is an array that is not there: of {len(arrays)}, number {quoted(str(index))}")
    _check_array(arrays[index], place, may_be_nan)
    return arrays[index]


def _decode_scalar(index: Json, arrays: Sequence[np.ndarray], place: str, may_be_nan: bool) -> Any:
    array = _decode_array(index, arrays, place, may_be_nan)
    if array.shape != ():
        raise HoiError(f"{place} is a scalar of shape {array.shape}")
    return array[()]


def _decode_dict(pairs: list[Json], arrays: Sequence[np.ndarray], place: str, may_be_nan: bool) -> dict[Any, Any]:
    decoded: dict[Any, Any] = {}
    for pair in pairs:
        if not isinstance(pair, list) or len(pair) != 2:
            raise HoiError(f"{place} has an entry that is no pair of a key and a value")
        key = decode(pair[0], arrays, f"a key of {place}")
        try:
            repeated = key in decoded
        except TypeError:
            raise HoiError(f"{place} has a key that cannot be one: {shown(key)}") from None
        if repeated:
            raise HoiError(f"{place} has the key {shown(key)} twice")
        decoded[key] = decode(pair[1], arrays, f"{place}[{key!r}]", may_be_nan)
    return decoded


def _decode_record(tree: dict[str, Json], record: Record, arrays: Sequence[np.ndarray], place: str) -> Any:
    stored = {name: item for name, item in tree.items() if name != TAG}
    for name in stored:
        if name not in record.fields:
            raise HoiError(
                f"{place} has a field {quoted(name)}, which type {record.name!r} does not know; it knows "
                f"{', '.join(record.fields)}"
            )
    for name in record.fields:
        if name not in stored:
            raise HoiError(f"{place} lacks the field {name!r}, which type {record.name!r} must have")
    values = {name: decode(item, arrays, f"{place}.{name}", name in record.may_be_nan) for name, item in stored.items()}
    if record.typed:
        hints = hints_of(record.cls)
        for name, value in values.items():
            if not fits(value, hints[name]):
                raise HoiError(f"{place}.{name} is {shown(value)}, which cannot be")
    try:
        return record.cls(**values)
    except Exception as error:  # a class may stumble in its own way over values that are not what it expects
        why = " ".join(str(error).split()) or type(error).__name__
        why = why if len(why) <= LONGEST else f"{why[:LONGEST]}..."  # which may show all of an array
        raise HoiError(f"{place} cannot be a {record.name}: {why}") from error


def shown(value: Any) -> str:
    """A value in a sentence: on one line, and short."""
    if isinstance(value, np.ndarray):
        return f"an array of shape {value.shape}"
    if record_of(type(value)) is not None:
        return f"a {type(value).__name__}"
    return quoted(value) if isinstance(value, str) else quoted(repr(value))[1:-1]


def _check_array(array: np.ndarray, place: str, may_be_nan: bool) -> None:
    if array.dtype.kind == "f" and not may_be_nan and np.isnan(array).any():
        raise _not_a_number(place)


def _unknown_type(name: Json, place: str) -> HoiError:
    if not isinstance(name, str) or name in RESERVED:
        return HoiError(f"{place} is not written as values are")
    return HoiError(
        f"{place} is of the unknown type {quoted(name)}; types of programs that build on this one are made known by "
        "hoi_edit.files.register"
    )


def _not_a_number(place: str) -> HoiError:
    return HoiError(f"{place} is, or has in it, something that is not a number (NaN)")
