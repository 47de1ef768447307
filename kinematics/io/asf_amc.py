"""Reading ASF/AMC (Acclaim skeleton and motion) pairs; no package on PyPI reads them, so this reader is our own."""

import os
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from kinematics.clip import Clip, continuous
from kinematics.errors import HoiError
from kinematics.io import conventions
from kinematics.io.asf import AsfSkeleton, hinge_order, read_asf
from kinematics.io.text import TextFile, load_text, parse_number, parse_whole, quoted
from kinematics.numpy_forward import world_positions
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton


@dataclass(frozen=True, eq=False)
class AsfSource:
    """The two files behind a clip."""

    path: str
    asf: AsfSkeleton
    metres_per_unit: float
    up: str
    columns: tuple[int, ...]  # for each DOF its column in the source rows, which keep the files' order within a bone
    frame_numbers: tuple[int, ...]

    @property
    def tips(self) -> dict[int, tuple[float, ...]]:
        """Tips of the bones without children, by joint index, in the file's units and axes."""
        return self.asf.tips

    def tips_of(self, skeleton: Skeleton) -> dict[int, Floats]:
        """The same in metres, Y up, if the skeleton still has the file's joints."""
        if skeleton.names != tuple(bone.name for bone in self.asf.bones):
            return {}
        Q_up = conventions.upright(self.up)
        return {joint: Q_up @ np.array(tip) * self.metres_per_unit for joint, tip in self.tips.items()}


def read_amc(
    amc: str | os.PathLike[str],
    asf: str | os.PathLike[str] | None = None,
    *,
    raw: bool = False,
    units: str | float | None = None,
    up: str | None = None,
    rate: float = 120.0,
    name: str | None = None,
) -> Clip:
    """Read an AMC file, with the ASF given or beside it, as a clip in metres and radians, Y up.

    The format holds no frame rate, so `rate` [Hz] is the caller's. `raw` keeps the file's own lengths and axes.
    """
    if not (np.isfinite(rate) and 1e-9 <= rate <= 1e9):
        raise HoiError(f"{os.fspath(amc)}: a rate of {rate} Hz; it must be positive")
    if raw:
        units, up = 1.0 if units is None else units, up or "y"
    file = load_text(amc)
    bones = read_asf(find_asf(amc) if asf is None else asf)
    motion = _read_motion(file, bones)
    columns = _columns(bones)
    unscaled = bones.build(1.0, np.eye(3))
    is_hinge = np.array([kind == "rotation" for kind in unscaled.topology.dof_kinds], bool)
    poses = motion.rows[:, columns] * np.where(is_hinge, motion.radians, 1.0)
    scale, up_axis, notices = _conventions(bones, unscaled, poses, units, up)
    skeleton = bones.build(scale, conventions.upright(up_axis))
    poses = poses * np.where(is_hinge, 1.0, scale)
    source = AsfSource(file.path, bones, scale, up_axis, tuple(columns.tolist()), motion.numbers)
    notices = [*motion.notices, *notices, f"holds no frame rate and is read at {rate:g} Hz"]
    return Clip(
        skeleton=skeleton,
        poses=continuous(skeleton, poses),
        frame_time=1.0 / rate,
        name=Path(amc).stem if name is None else name,
        source=source,
        source_rows=motion.rows,
        notices=tuple(f"{file.path}: {notice}" for notice in notices),
    )


def find_asf(amc: str | os.PathLike[str]) -> str:
    """The skeleton file beside a motion file: of the same name, or the only one whose name the other's begins with."""
    folder, name = os.path.split(os.fspath(amc))
    stem = os.path.splitext(name)[0]
    try:
        beside = sorted(entry for entry in os.listdir(folder or ".") if entry.lower().endswith(".asf"))
    except OSError:
        beside = []
    same = [entry for entry in beside if os.path.splitext(entry)[0] == stem]
    starts = [entry for entry in beside if stem.startswith(os.path.splitext(entry)[0])]
    if len(same or starts) != 1:
        what = f"several ({', '.join(starts)})" if starts else "none"
        raise HoiError(
            f"{os.fspath(amc)}: expected its skeleton {stem}.asf beside it, found {what}; "
            "say which: asf= in Python, --asf on the command line"
        )
    return os.path.join(folder, (same or starts)[0])


def _columns(bones: AsfSkeleton) -> NDArray[np.int64]:
    """For each DOF of the skeleton its column in the motion's rows."""
    columns: list[int] = []
    for bone in bones.bones:
        start = len(columns)
        columns += [start + k for k in hinge_order(bone)]
    return np.array(columns, int)


def _conventions(
    bones: AsfSkeleton, unscaled: Skeleton, poses: Floats, units: str | float | None, up: str | None
) -> tuple[float, str, list[str]]:
    """Metres per unit, up axis, and what there is to say about them."""
    position = world_positions(unscaled, poses[conventions.sample_rows(len(poses))])
    names, parents = unscaled.names, unscaled.topology.parents
    notices = []
    up_axis = up or conventions.detect_up(names, parents, position, unscaled.rest_positions())
    if up is None and up_axis != "y":
        notices.append(f"its {up_axis.upper()} axis points up, so it is turned to have Y up")
    if units is not None:
        return conventions.metres_per_unit(units), up_axis, notices
    declared = conventions.INCH / bones.length
    height = conventions.stature(names, parents, position)
    detected = conventions.detect_units(height)
    # some programs write a length factor and mean metres: believe it only if it makes a person
    if detected is None or 0.6 < height * declared / conventions.STATURE < 1.6:
        return declared, up_axis, notices
    notices.append(
        f"its skeleton's unit of length would make a body of {height * declared:.2g} m, so {detected} is taken instead"
    )
    return conventions.UNITS[detected], up_axis, notices


# --- the motion file --------------------------------------------------------------------------------------------------


@dataclass(frozen=True, eq=False)
class _Motion:
    rows: Floats  # (N, channels) the file's numbers, bone by bone in the skeleton's order
    numbers: tuple[int, ...]  # as the file counts its frames
    radians: float  # one unit of its angles
    notices: list[str]


class _Frames:
    """The frames read so far and the one being read."""

    def __init__(self, file: TextFile, bones: AsfSkeleton) -> None:
        self.file = file
        self.slots: dict[str, tuple[int, int]] = {}
        width = 0
        for bone in bones.bones:
            if bone.dofs:
                self.slots[bone.name] = width, len(bone.dofs)
            width += len(bone.dofs)
        self.width = width
        self.rows: list[list[float]] = []
        self.numbers: list[int] = []
        self.missing: dict[str, None] = {}

    def begin(self, line: int, number: int) -> None:
        self.finish(line)
        self.numbers.append(number)
        self.rows.append([0.0] * self.width)
        self.missing = dict.fromkeys(self.slots)

    def finish(self, line: int) -> None:
        if self.missing:
            expected = f"bone {next(iter(self.missing))!r} in frame {self.numbers[-1]}"
            raise self.file.problem(line, expected, "the end of that frame")

    def bone(self, line: int, words: list[str]) -> None:
        name, *numbers = words
        if not self.rows:
            raise self.file.problem(line, "the number of a frame", quoted(name))
        if name not in self.missing:
            again = f"{name!r} twice in frame {self.numbers[-1]}" if name in self.slots else quoted(name)
            raise self.file.problem(line, "the name of a bone that moves", again)
        del self.missing[name]
        start, count = self.slots[name]
        if len(numbers) != count:
            raise self.file.problem(line, f"{count} numbers for bone {name!r}", str(len(numbers)))
        for k, word in enumerate(numbers):
            value = parse_number(word)
            if value is None:
                raise self.file.bad_number(line, word)
            self.rows[-1][start + k] = value


def _read_motion(file: TextFile, bones: AsfSkeleton) -> _Motion:
    degrees = bones.degrees
    frames = _Frames(file, bones)
    if not frames.width:
        raise file.problem(1, "a skeleton with at least one degree of freedom", f"none in {bones.path}")
    for line, text in enumerate(file.lines, 1):
        words = text.split("#", 1)[0].split()
        if not words:
            continue
        if words[0].startswith(":"):
            degrees = {":degrees": True, ":radians": False}.get(words[0].lower(), degrees)
        elif len(words) == 1 and (number := parse_whole(words[0])) is not None:
            frames.begin(line, number)
        else:
            frames.bone(line, words)
    frames.finish(len(file.lines))
    if not frames.rows:
        raise file.problem(len(file.lines), "the number of a frame", "the end of the file")
    return _Motion(np.array(frames.rows), tuple(frames.numbers), np.pi / 180 if degrees else 1.0, _gaps(frames.numbers))


def _gaps(numbers: list[int]) -> list[str]:
    for before, after in pairwise(numbers):
        if after != before + 1:
            return [f"frame {before} is followed by frame {after}; all frames are taken as evenly spaced"]
    return []
