"""Arrays as raw bytes: all of a document's in one stretch, described by a table, equal ones once.

Entry k of the table says dtype and shape; its bytes follow those of entry k - 1. Numbers are little-endian, whatever
the machine, and come back to the bit.
"""

import hashlib
import math
from collections.abc import Sequence
from typing import Any

import numpy as np

from kinematics.errors import HoiError

DTYPES = ("|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4", "<u8", "<f4", "<f8")
MOST_BYTES = 1 << 30  # of all arrays of a document; hours of motion capture have a tenth of it


class ArrayWriter:
    """Collects arrays; each gets an index, which equal ones share."""

    def __init__(self) -> None:
        self.table: list[dict[str, Any]] = []
        self._chunks: list[bytes] = []
        self._index: dict[tuple[str, tuple[int, ...], str], int] = {}

    def add(self, array: np.ndarray) -> int:
        """The index of an array of one of `DTYPES`, in either byte order."""
        little = array.dtype.newbyteorder("<")
        raw = array.astype(little).tobytes()
        key = (little.str, array.shape, _checksum(raw))
        if key not in self._index:
            self._index[key] = len(self.table)
            self.table.append({"dtype": key[0], "shape": list(key[1]), "blake2b": key[2]})
            self._chunks.append(raw)
        return self._index[key]

    @property
    def blob(self) -> bytes:
        return b"".join(self._chunks)


def can_be_stored(dtype: np.dtype[Any]) -> bool:
    """Whether `ArrayWriter` takes arrays of this type: booleans, whole numbers, single and double precision."""
    return dtype.newbyteorder("<").str in DTYPES


def total_bytes(table: Any) -> int:
    """How many bytes the arrays of a table must have; a table that is none is an error."""
    if not isinstance(table, list):
        raise HoiError("the table of arrays is missing")
    return sum(_size(k, entry) for k, entry in enumerate(table))


def unpack(table: Sequence[dict[str, Any]], blob: bytes) -> list[np.ndarray]:
    """The arrays of a table that `total_bytes` accepts. They cannot be written to: several owners may share one."""
    arrays, start = [], 0
    for k, entry in enumerate(table):
        size = _size(k, entry)
        raw = blob[start : start + size]  # a copy of its own, which is aligned
        if _checksum(raw) != entry["blake2b"]:
            raise HoiError(f"array {k} is damaged: its checksum does not match")
        arrays.append(np.ndarray(entry["shape"], entry["dtype"], raw))
        start += size
    return arrays


def _size(k: int, entry: Any) -> int:
    """Bytes of the array of entry k of a table."""
    if not isinstance(entry, dict) or {*entry} != {"dtype", "shape", "blake2b"}:
        raise HoiError(f"array {k} has no proper entry in the table of arrays")
    if entry["dtype"] not in DTYPES:
        raise HoiError(f"array {k} is of an unknown type; known are {', '.join(DTYPES)}")
    shape = entry["shape"]
    if not isinstance(shape, list) or len(shape) > 32 or any(type(n) is not int or n < 0 for n in shape):
        raise HoiError(f"array {k} has a shape that is none")
    width = np.dtype(entry["dtype"]).itemsize
    if width * math.prod(max(n, 1) for n in shape) > MOST_BYTES:  # numpy minds large extents of empty arrays, too
        raise HoiError(f"array {k} is too large: its shape is {shape}")
    return width * math.prod(shape)


def _checksum(raw: bytes) -> str:
    return hashlib.blake2b(raw, digest_size=16).hexdigest()
