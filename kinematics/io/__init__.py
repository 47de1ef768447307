"""Motion-capture files. In: a path to BVH, or to AMC with its ASF. Out: a `Clip` in metres and radians, Y up, that
remembers its file, so that what was not edited is written back as it was. Whatever is wrong with a file is one
`HoiError` that names the line."""

import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

from kinematics.anatomy import ROLES, find_roles, how_to_say
from kinematics.body_measures import ANKLE, stature
from kinematics.clip import Clip
from kinematics.dressing import dress
from kinematics.errors import HoiError
from kinematics.gimbal_lock import clear_of_gimbal_lock
from kinematics.io.asf_amc import AsfSource, read_amc
from kinematics.io.bvh_read import BvhSource, read_bvh
from kinematics.io.bvh_write import bvh_text, write_bvh
from kinematics.leaps import in_words, leaps, longest_stretch, rows_between
from kinematics.levelling import floor_slope, levelled
from kinematics.numpy_forward import world_frames
from kinematics.rig_names import SIDES
from kinematics.skeleton import Skeleton
from kinematics.stance import Stance, fit_stance

__all__ = ["AsfSource", "BvhSource", "bvh_text", "missing_parts", "read_amc", "read_bvh", "read_clip", "write_bvh"]

_READERS: dict[str, Callable[..., Clip]] = {".bvh": read_bvh, ".amc": read_amc}


def read_clip(
    path: str | os.PathLike[str],
    *,
    raw: bool = False,
    mass: float = 73.0,
    roles: Mapping[str, str | None] | None = None,
    cut: bool = False,
    level: bool = False,
    **options: Any,
) -> Clip:
    """Read a clip by its file's suffix, ready to be edited; `options` are those of `read_bvh` or `read_amc`.

    The body gets shapes, sites and masses by its joint names and by how it stands; `roles` ({"left_hand": "Wrist_L"})
    says what the names do not, `mass` what it weighs [kg]. Joints that come near gimbal lock are edited in another
    order of angles. A take in which a body leaps as none can says so; `cut` keeps the longest stretch without a leap.
    So does one whose floor slopes, which `level` turns level. `raw` leaves all of that out.
    """
    if not isinstance(path, str | os.PathLike):
        raise HoiError(f"a clip is read from a file, named by its path, not from {path!r}; write it to one first")
    suffix = Path(path).suffix.lower()
    if suffix not in _READERS:
        ending = f"the suffix {suffix!r}" if suffix else "no suffix"
        raise HoiError(f"{os.fspath(path)}: expected a file ending in {' or '.join(_READERS)}, found {ending}")
    clip = _READERS[suffix](path, raw=raw, **options)
    if raw:
        return clip
    tips = clip.source.tips_of(clip.skeleton) if isinstance(clip.source, BvhSource | AsfSource) else {}
    bare, done, doubts = clip.skeleton, list[str](), list[str]()
    position, rotation = world_frames(bare, clip.poses)
    if found := leaps(clip, position):
        (done if cut else doubts).append(in_words(clip, found, cut))
        if cut:
            first, last = longest_stretch(clip, found)
            clip = rows_between(clip, first, last)
            position, rotation = position[first : last + 1], rotation[:, first : last + 1]
    parts = find_roles(bare.names, bare.topology.parents, roles)
    if (slope := floor_slope(parts, position, rotation, clip.frame_time)) is not None:
        (done if level else doubts).append(f"{slope}; {'it is' if level else 'level=True has it'} turned level")
        if level:
            clip = levelled(clip, slope)
            position, rotation = world_frames(bare, clip.poses)
    stance = fit_stance(bare, parts, position, rotation, clip.frame_time)
    dressed = dress(bare, mass=mass, roles=roles, tips=tips, stance=stance)
    clip = replace(clip, skeleton=dressed)
    doubts += [*_unknown_parts(dressed), *_off_the_ground(dressed, stance)]
    done, doubts = ([f"{os.fspath(path)}: {sentence}" for sentence in told] for told in (done, doubts))
    noticed = replace(clip, notices=(*clip.notices, *done, *doubts), doubts=tuple(doubts))
    return clear_of_gimbal_lock(noticed)


HOVERING = 0.12  # [m] that ankles may be higher or lower than a body's own feet would have them


def missing_parts(skeleton: Skeleton) -> list[str]:
    """The hands and feet that the names do not tell; of a tree of a few joints, which is no body, none."""
    known = {role for role, _ in skeleton.roles}
    limbs = [f"{side}_{part}" for part in ("hand", "foot") for side in SIDES]
    return [role for role in limbs if role not in known and len(skeleton.names) >= len(ROLES) // 2]


def _unknown_parts(skeleton: Skeleton) -> list[str]:
    """A sentence about what is missing."""
    missing = missing_parts(skeleton)
    if not missing:
        return []
    say = how_to_say(missing[0], skeleton.names, skeleton.topology.parents)
    return [f"no joint is known to be its {' or '.join(missing).replace('_', ' ')}; {say}"]


def _off_the_ground(skeleton: Skeleton, stance: Stance) -> list[str]:
    """A sentence about somebody who stands somewhere, but not on the ground."""
    height = stature(skeleton)
    if not stance.ankle or height is None:
        return []
    off = min(stance.ankle.values()) - ANKLE * height
    if abs(off) < HOVERING:
        return []
    where = "above" if off > 0 else "below"
    return [f"its feet stand {abs(off):.2f} m {where} the ground, which is at a height of 0"]
