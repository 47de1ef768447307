"""Records as rows of one array: a compiled call with twenty arguments spends ten times longer on them than on work."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from kinematics.rotation import Floats


class Columns:
    """Named columns of a packed array; a width of 0 is one column that unpacks to a scalar."""

    def __init__(self, **widths: int) -> None:
        self.slices: dict[str, slice | int] = {}
        stop = 0
        for name, width in widths.items():
            self.slices[name] = stop if width == 0 else slice(stop, stop + width)
            stop += max(width, 1)
        self.width = stop

    def first(self, name: str) -> int:
        """Where a name's columns begin."""
        place = self.slices[name]
        return place if isinstance(place, int) else int(place.start)

    def pack(self, count: int, **values: Any) -> Floats:
        """(count, width) from one array of `count` rows, or one value for all, per column."""
        packed = np.empty((count, self.width))
        for name, place in self.slices.items():
            value = values[name]
            packed[:, place] = value
        return packed

    def unpack(self, packed: Any) -> SimpleNamespace:
        """Views by name; leading axes are kept."""
        if packed.ndim == 1:  # the same views for half the price
            return SimpleNamespace(**{name: packed[place] for name, place in self.slices.items()})
        return SimpleNamespace(**{name: packed[..., place] for name, place in self.slices.items()})


def in_chunks(rows: Floats, size: int) -> list[Floats]:
    """Rows in pieces of `size`, the last one filled up with copies of its last row: never NaN, never a new shape."""
    pieces = []
    for start in range(0, len(rows), size):
        piece = rows[start : start + size]
        if len(piece) < size:
            piece = np.concatenate([piece, np.repeat(piece[-1:], size - len(piece), axis=0)])
        pieces.append(piece)
    return pieces


CHUNK = 32  # rows of a compiled batch


def chunked(kernel: Any, items: Floats) -> Floats:
    """A kernel over any number of rows, in chunks of the one size that it is compiled for."""
    return np.concatenate([np.asarray(kernel(chunk)) for chunk in in_chunks(items, CHUNK)])[: len(items)]
