"""What the tests of documents share: a record of somebody else's, and small changes to what is in a file."""

import dataclasses
import json
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest

from hoi_edit import files
from kinematics.errors import HoiError

Tree = dict[str, Any]


@files.register("test wish", may_be_nan=["axes"])
@dataclasses.dataclass(frozen=True, eq=False)
class Wish:
    """A record of a program that builds on ours."""

    target: Any = None
    axes: Any = None

    def __post_init__(self) -> None:
        if isinstance(self.target, str) and self.target == "nothing":
            raise HoiError("a wish must have a target")
        if isinstance(self.target, str) and self.target == "trouble":
            raise ZeroDivisionError("of the class's own")


class Stranger(NamedTuple):
    x: float = 0.0


def assert_same(a: Any, b: Any, place: str = "value") -> None:
    """Equal types and values all the way down, arrays and floats to the bit."""
    assert type(a) is type(b), place
    if dataclasses.is_dataclass(a):
        for field in dataclasses.fields(a):
            assert_same(getattr(a, field.name), getattr(b, field.name), f"{place}.{field.name}")
    elif isinstance(a, np.ndarray):
        assert (a.dtype, a.shape, a.tobytes()) == (b.dtype, b.shape, b.tobytes()), place
    elif isinstance(a, list | tuple):
        assert len(a) == len(b), place
        for k, (x, y) in enumerate(zip(a, b, strict=True)):
            assert_same(x, y, f"{place}[{k}]")
    elif isinstance(a, dict):
        assert_same(list(a.items()), list(b.items()), place)
    elif isinstance(a, float):
        assert a.hex() == b.hex(), place
    else:
        assert a == b, place


def reread(value: Any, folder: Path) -> Any:
    files.write(folder / "value.hoi", {"value": value})
    return files.read(folder / "value.hoi")["value"]


def members(path: Path) -> dict[str, bytes]:
    with zipfile.ZipFile(path) as archive:
        return {name: archive.read(name) for name in archive.namelist()}


def put(path: Path, contents: dict[str, bytes | str]) -> None:
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for name, data in contents.items():
            archive.writestr(name, data)


def change(path: Path, how: Callable[[Tree], None]) -> None:
    """Rewrite a document with its JSON changed in place by `how`."""
    inside = members(path)
    tree = json.loads(inside["hoi.json"])
    how(tree)
    put(path, {**inside, "hoi.json": json.dumps(tree)})


def complaint(path: Path) -> str:
    """The one sentence that reading gives; it names the file."""
    with pytest.raises(HoiError) as caught:
        files.read(path)
    sentence = str(caught.value)
    assert sentence.startswith(f"{path}: ")
    assert "\n" not in sentence
    return sentence


def contact_in(tree: Tree) -> Tree:
    return tree["parts"]["scene"]["contacts"][0]
