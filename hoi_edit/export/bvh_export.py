"""The motion of each character as `.bvh`, in the form of the file that it came from."""

import re
from dataclasses import replace
from pathlib import Path

import jax.numpy as jnp
import numpy as np

from hoi_edit.export.base import Draft, Take, require
from hoi_edit.export.sampling import joint_frames
from hoi_edit.motions.base import clip_of, poses
from hoi_edit.reporting.words import count_of
from hoi_edit.scene import Character
from kinematics.clip import Clip
from kinematics.clip_tools import trim
from kinematics.errors import HoiError
from kinematics.io import BvhSource, bvh_text, read_bvh
from kinematics.numpy_forward import world_frames

ALLOWED = 1e-6  # [m] and of rotation matrices: what writing angles with eight decimals may cost


def bvh_drafts(take: Take, path: Path) -> list[Draft]:
    characters = take.scene.characters
    if not characters:
        raise HoiError(f"{path}: this scene has no characters; the tracks of its things leave as .csv or .npz")
    drafts = []
    for k, character in enumerate(characters, start=1):
        target = path if len(characters) == 1 else path.with_name(f"{path.stem}-{character.name}{path.suffix}")
        drafts.append(_draft(take, character, target))
        take.tell(k, len(characters))
    return drafts


def _draft(take: Take, character: Character, path: Path) -> Draft:
    clip = baked(take, character)
    text = bvh_text(clip)
    return Draft(path, text.encode(), lambda written: _check(take, character, clip, path, written))


def baked(take: Take, character: Character) -> Clip:
    """The character's motion with those rows of its recording that lie in the scene's time, or in the part of it that
    was asked for; or, if asked for another rate, at that one."""
    parameters = take.rollout.controls.motions[character.name]
    clip = clip_of(character.motion, parameters, character.skeleton, character.name, recording=character.recording)
    if take.rate is not None:
        times = take.times(take.rate)
        rows = np.asarray(poses(character.motion, parameters, jnp.asarray(times)))
        return replace(clip, poses=rows, frame_time=1.0 / take.rate, start=take.start, source_rows=None)
    if take.whole and (clip.end < take.start or clip.start > take.end):
        return clip  # of somebody who stands still all along, before or after a motion: some rows there must be
    return trim(clip, take.start, take.end)


def _check(take: Take, character: Character, clip: Clip, path: Path, written: Path) -> str:
    """Joints stand and are turned as the scene says, when the file is read as its source was."""
    read = read_bvh(written, raw=True)
    skeleton, rows = read.skeleton, read.poses
    assert isinstance(read.source, BvhSource) and read.source_rows is not None
    if isinstance(clip.source, BvhSource) and _form(read.source) == _form(clip.source):
        skeleton, rows = clip.source.skeleton(), read.source_rows * clip.source.channel_scale
    rows = rows[len(rows) - clip.n_frames :]  # a reference pose may stand before them
    require(len(rows) == clip.n_frames, path, "the number of rows differs")
    require(abs(read.frame_time - clip.frame_time) <= 1e-12, path, "the time between rows differs")
    position, rotation = world_frames(skeleton, rows)
    order = [skeleton.names.index(_named(name, skeleton.names)) for name in character.skeleton.names]
    places, turns = joint_frames(take.rollout, character, clip.times)
    off = float(np.abs(position[:, order] - places).max())
    require(off <= ALLOWED, path, f"joints are elsewhere, by up to {off:.1e} m")
    bent = float(np.abs(np.moveaxis(rotation, 0, 1)[:, order] - turns).max())
    require(bent <= ALLOWED, path, f"joints are turned otherwise, by up to {bent:.1e}")
    later = f", the first at {clip.start:.3f} s of the scene" if abs(clip.start - take.scene.start) > 1e-9 else ""
    rate = 1.0 / clip.frame_time
    return (
        f"{character.name}, {count_of(clip.n_frames, 'row')} at {rate:.5g} Hz{_left_out(take, character, clip)}{later}"
    )


def _left_out(take: Take, character: Character, clip: Clip) -> str:
    """What a recording has besides the rows that were written."""
    recorded = 0 if character.recording is None or take.rate is not None else character.recording.rows
    return f", of {recorded} in its recording" if recorded > clip.n_frames else ""


def _form(source: BvhSource) -> list[tuple[str, str, int, tuple[str, ...]]]:
    return [(node.keyword, node.name, node.parent, tuple(node.channels)) for node in source.hierarchy]


def _named(name: str, known: tuple[str, ...]) -> str:
    """A joint's name in a file, which may not have blanks in it."""
    return name if name in known else re.sub(r"[\s{}]+", "_", name)
