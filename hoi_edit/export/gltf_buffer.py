"""The bytes of a glTF file: arrays laid one behind the other, each with the accessor that describes it.

pygltflib has the records of the format and puts them into one file; what they say about arrays is worked out here.
"""

from typing import Any

import numpy as np
import pygltflib as gltf

KINDS = {1: gltf.SCALAR, 3: gltf.VEC3, 4: gltf.VEC4, 16: gltf.MAT4}
COMPONENTS = {
    np.dtype(np.float32): gltf.FLOAT,
    np.dtype(np.uint8): gltf.UNSIGNED_BYTE,
    np.dtype(np.uint16): gltf.UNSIGNED_SHORT,
    np.dtype(np.uint32): gltf.UNSIGNED_INT,
}
VERTICES, INDICES = gltf.ARRAY_BUFFER, gltf.ELEMENT_ARRAY_BUFFER


class Buffer:
    """Grows as arrays are added; equal ones are stored once."""

    def __init__(self) -> None:
        self.accessors: list[gltf.Accessor] = []
        self.views: list[gltf.BufferView] = []
        self._bytes = bytearray()
        self._known: dict[tuple[Any, ...], int] = {}

    def add(self, array: np.ndarray, target: int | None = None) -> int:
        """The index of an accessor: of numbers (N,), vectors (N, 3) or (N, 4), or matrices (N, 16) by columns."""
        array = np.ascontiguousarray(array)
        raw = array.tobytes()
        key = (array.dtype.str, array.shape, target, raw)
        if key not in self._known:
            self._known[key] = len(self.accessors)
            self._append(array, raw, target)
        return self._known[key]

    def _append(self, array: np.ndarray, raw: bytes, target: int | None) -> None:
        view = gltf.BufferView(buffer=0, byteOffset=len(self._bytes), byteLength=len(raw), target=target)
        columns = array.reshape(len(array), -1)
        self.views.append(view)
        self.accessors.append(
            gltf.Accessor(
                bufferView=len(self.views) - 1,
                componentType=COMPONENTS[array.dtype],
                count=len(array),
                type=KINDS[columns.shape[1]],
                min=columns.min(axis=0).tolist(),
                max=columns.max(axis=0).tolist(),
            )
        )
        self._bytes += raw + bytes(-len(raw) % 4)

    @property
    def data(self) -> bytes:
        return bytes(self._bytes)
