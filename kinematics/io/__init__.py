"""Motion-capture files. In: a path to BVH, or to AMC with its ASF. Out: a `Clip` in metres and radians, Y up, that
remembers its file, so that what was not edited is written back as it was. Whatever is wrong with a file is one
`HoiError` that names the line."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinematics.anatomy import find_roles
from kinematics.clip import Clip
from kinematics.dressing import dress
from kinematics.errors import HoiError
from kinematics.gimbal_lock import clear_of_gimbal_lock
from kinematics.io.asf_amc import AsfSource, read_amc
from kinematics.io.bvh_read import BvhSource, read_bvh
from kinematics.io.bvh_write import bvh_text, write_bvh
from kinematics.stance import fit_stance

__all__ = ["AsfSource", "BvhSource", "bvh_text", "read_amc", "read_bvh", "read_clip", "write_bvh"]

_READERS: dict[str, Callable[..., Clip]] = {".bvh": read_bvh, ".amc": read_amc}


def read_clip(
    path: str | os.PathLike[str],
    *,
    raw: bool = False,
    mass: float = 73.0,
    roles: Mapping[str, str | None] | None = None,
    **options: Any,
) -> Clip:
    """Read a clip by its file's suffix, ready to be edited; `options` are those of `read_bvh` or `read_amc`.

    The body gets shapes, sites and masses by its joint names; `roles` ({"left_hand": "Wrist_L"}) says what the names do
    not, `mass` what it weighs [kg]. Joints that come near gimbal lock are edited in another order of angles. `raw`
    leaves all of that out.
    """
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        ending = f"the suffix {suffix!r}" if suffix else "no suffix"
        raise HoiError(f"{os.fspath(path)}: expected a file ending in {' or '.join(_READERS)}, found {ending}")
    clip = _READERS[suffix](path, raw=raw, **options)
    if raw:
        return clip
    tips = clip.source.tips_of(clip.skeleton) if isinstance(clip.source, BvhSource | AsfSource) else {}
    bare = clip.skeleton
    stance = fit_stance(bare, find_roles(bare.names, bare.topology.parents, roles), clip.poses, clip.frame_time)
    dressed = dress(bare, mass=mass, roles=roles, tips=tips, stance=stance)
    return clear_of_gimbal_lock(replace(clip, skeleton=dressed))
