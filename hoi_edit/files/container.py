"""The `.hoi` file: a zip of `hoi.json`, which says everything but the arrays, and `arrays.bin`.

    {"format": "hoi", "version": 5, "program": "0.1.0", "arrays": [...], "parts": {"scene": {...}, ...}}

Equal parts give equal bytes. Other members of the zip are left to others and ignored.
"""

import io
import json
import os
import zipfile
import zlib
from collections.abc import Mapping
from typing import Any

from hoi_edit.files.arrays import MOST_BYTES, ArrayWriter, total_bytes, unpack
from hoi_edit.files.codec import decode, encode
from hoi_edit.files.migrations import FORMAT, Tree, up_to_date
from hoi_edit.version import __version__
from kinematics.errors import HoiError
from kinematics.io.text import load_bytes, save_bytes

TREE, ARRAYS = "hoi.json", "arrays.bin"
MOST_TEXT = 1 << 26  # [bytes] of hoi.json: that of a scene has some 1e4
LONG_AGO = (1980, 1, 1, 0, 0, 0)  # the earliest a zip can say: when a file was written is not part of its content
# what the library raises for files that are no zip, or were one once
_DAMAGE = (zipfile.BadZipFile, zlib.error, EOFError, NotImplementedError, RuntimeError, OSError, ValueError)


def write(path: str | os.PathLike[str], parts: Mapping[str, Any]) -> None:
    """Write a document whole or not at all: whatever fails, a file that is there stays as it was."""
    save_bytes(path, packed(path, parts))


def packed(path: str | os.PathLike[str], parts: Mapping[str, Any]) -> bytes:
    """A document as it would be written to `path`."""
    try:
        return _packed(parts)
    except (HoiError, RecursionError) as error:
        raise HoiError(f"{os.fspath(path)}: cannot be written: {_sentence(error)}") from error


def read(path: str | os.PathLike[str]) -> dict[str, Any]:
    """The parts of a document, of this or an older format."""
    data = load_bytes(path, most=MOST_BYTES + MOST_TEXT)
    try:
        return _unpacked(data)
    except (HoiError, RecursionError) as error:
        raise HoiError(f"{os.fspath(path)}: cannot be read: {_sentence(error)}") from error


def _packed(parts: Mapping[str, Any]) -> bytes:
    arrays = ArrayWriter()
    trees = {name: encode(parts[name], arrays, name) for name in sorted(parts)}
    head = {"format": "hoi", "version": FORMAT, "program": __version__}
    text = json.dumps({**head, "arrays": arrays.table, "parts": trees}, separators=(",", ":"), allow_nan=False)
    blob = arrays.blob
    # never write what `read` would refuse
    if len(text) > MOST_TEXT or len(blob) > MOST_BYTES:
        raise HoiError("it is larger than a document can be")
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr(_member(TREE), text)
        archive.writestr(_member(ARRAYS), blob)
    return stream.getvalue()


def _member(name: str) -> zipfile.ZipInfo:
    """The same on every system and at any time."""
    member = zipfile.ZipInfo(name, LONG_AGO)
    member.compress_type = zipfile.ZIP_DEFLATED
    member.create_system = 3  # Unix, as the permissions are
    member.external_attr = 0o644 << 16
    return member


def _unpacked(data: bytes) -> dict[str, Any]:
    if not data.startswith(b"PK"):
        raise HoiError("it is no .hoi document" if data else "it is empty")
    try:
        archive = zipfile.ZipFile(io.BytesIO(data))
    except _DAMAGE:
        raise HoiError("it is cut short or damaged") from None
    with archive:
        tree = _tree(archive)
        size = total_bytes(tree.get("arrays"))
        arrays = unpack(tree["arrays"], _bytes(archive, ARRAYS, most=MOST_BYTES, exactly=size))
    parts = tree.get("parts")
    if not isinstance(parts, dict):
        raise HoiError(f"its {TREE} has no parts")
    return {name: decode(part, arrays, name) for name, part in parts.items()}


def _tree(archive: zipfile.ZipFile) -> Tree:
    """What `hoi.json` says, in the present format."""
    try:
        tree = json.loads(_bytes(archive, TREE, most=MOST_TEXT))
    except ValueError as error:
        raise HoiError(f"its {TREE} is not JSON: {error}") from None
    if not isinstance(tree, dict) or tree.get("format") != "hoi" or type(tree.get("version")) is not int:
        raise HoiError(f"its {TREE} is not that of a .hoi document")
    version = tree["version"]
    if version > FORMAT:
        raise HoiError(
            f"it was written by a newer version of the program ({tree.get('program')}); its format is {version}, and "
            f"this program ({__version__}) reads formats up to {FORMAT}"
        )
    return up_to_date(tree, version)


def _bytes(archive: zipfile.ZipFile, name: str, most: int, exactly: int | None = None) -> bytes:
    """A member of an archive. Its size is checked before it is unpacked: a small file can claim to hold terabytes."""
    if name not in archive.namelist():
        raise HoiError(f"it has no {name} in it")
    size = archive.getinfo(name).file_size
    if size > most or (exactly is not None and size != exactly):
        expected = f"at most {most}" if exactly is None else exactly
        raise HoiError(f"its {name} has {size} bytes, where {expected} are expected")
    try:
        return archive.read(name)
    except _DAMAGE:
        raise HoiError(f"its {name} is damaged") from None


def _sentence(error: HoiError | RecursionError) -> str:
    return str(error) if isinstance(error, HoiError) else "its values are nested too deep"
