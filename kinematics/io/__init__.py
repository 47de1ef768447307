"""Motion-capture files. In: a path to BVH, or to AMC with its ASF. Out: a `Clip` in metres and radians, Y up, that
remembers its file, so that what was not edited is written back as it was. Whatever is wrong with a file is one
`HoiError` that names the line."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.io.asf_amc import AsfSource, read_amc
from kinematics.io.bvh import BvhSource, read_bvh
from kinematics.io.bvh_write import write_bvh

__all__ = ["AsfSource", "BvhSource", "read_amc", "read_bvh", "read_clip", "write_bvh"]

_READERS: dict[str, Callable[..., Clip]] = {".bvh": read_bvh, ".amc": read_amc}


def read_clip(path: str | os.PathLike[str], **options: Any) -> Clip:
    """Read a clip by its file's suffix; `options` are those of `read_bvh` or `read_amc`."""
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        found = f"the suffix {suffix!r}" if suffix else "no suffix"
        raise HoiError(f"{os.fspath(path)}: expected a file ending in {' or '.join(_READERS)}, found {found}")
    return _READERS[suffix](path, **options)
