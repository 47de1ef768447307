"""The text of a BVH file: its hierarchy and the rows of its MOTION, checked line by line."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from kinematics.errors import HoiError
from kinematics.io.bvh_hierarchy import BvhNode, joint_nodes, read_hierarchy, unique_names
from kinematics.io.text import LARGEST, TextCursor, TextFile, parse_number, parse_whole, quoted
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class ParsedBvh:
    """What a BVH file says, in its own numbers."""

    nodes: tuple[BvhNode, ...]
    rows: Floats  # (N, channels) as written
    frame_time: float
    declared_frames: int
    notices: list[str]


def parse_bvh(file: TextFile) -> ParsedBvh:
    cursor = TextCursor(file)
    nodes = read_hierarchy(cursor)
    motion_line = cursor.line
    n_channels = sum(len(node.channels) for node in nodes)
    if not n_channels:
        raise file.problem(motion_line, "at least one channel in the hierarchy", "none")
    start, word = _header_line(file, cursor.rest(), "Frames", r"frames\s*:?")
    declared = parse_whole(word)
    if declared is None:
        raise file.problem(start, "a number of frames", quoted(word))
    start, word = _header_line(file, start, "Frame Time", r"frame\s*time\s*:?")
    frame_time = parse_number(word)
    if frame_time is None or not 1e-9 <= frame_time <= 1e9:
        raise file.problem(start, "a positive frame time in seconds", quoted(word))
    rows = _read_rows(file, start, n_channels, declared)
    notices = _name_notices(nodes)
    if len(rows) != declared:
        notices.append(f"declares {declared} frames and holds {len(rows)}; all of these are used")
    return ParsedBvh(nodes, rows, frame_time, declared, notices)


def _header_line(file: TextFile, start: int, title: str, pattern: str) -> tuple[int, str]:
    """Find `Title: word` on the next line that is not blank; the number of that line, counted from 1, and the word."""
    for number, line in enumerate(file.lines[start:], start + 1):
        if line.strip():
            match = re.fullmatch(rf"\s*{pattern}\s*(\S+)\s*", line, flags=re.IGNORECASE)
            if not match:
                raise file.problem(number, f"'{title}:' and one number", quoted(line.strip()))
            return number, match[1]
    raise file.problem(len(file.lines), f"'{title}:'", "the end of the file")


def _read_rows(file: TextFile, start: int, width: int, declared: int) -> Floats:
    """The motion's numbers (N, width). A row may go on over several lines where the declared number of rows fits."""
    plain = _read_plain_rows(file.lines[start:], width)
    if plain is not None:
        return plain
    values: list[float] = []
    ends: list[int] = []  # how many numbers have been read at the end of each line that has some
    numbers: list[int] = []  # those lines' numbers
    for number, line in enumerate(file.lines[start:], start + 1):
        words = line.split()
        if words:
            try:
                values.extend(map(float, words))
            except ValueError:
                raise _first_bad_number(file, number, words) from None
            if "_" in line or not line.isascii():  # Python would read 1_000 and digits of other scripts
                raise _first_bad_number(file, number, words)
            ends.append(len(values))
            numbers.append(number)
    if not values:
        raise file.problem(len(file.lines), "rows of numbers", "the end of the file")
    flat = np.array(values)
    bad = np.flatnonzero(~(np.abs(flat) <= LARGEST))
    if len(bad):
        line_of = int(np.searchsorted(ends, bad[0], side="right"))
        raise _first_bad_number(file, numbers[line_of], file.lines[numbers[line_of] - 1].split())
    _check_rows(file, np.array(ends), numbers, width, declared)
    return flat.reshape(-1, width)


def _read_plain_rows(lines: Sequence[str], width: int) -> Floats | None:
    """Rows of a file in which nothing is unusual, in half the time; None sends it to the careful reading below."""
    try:
        rows = np.loadtxt([line for line in lines if line.strip()] or ["none"], ndmin=2, comments=None)
    except ValueError:
        return None
    return rows if rows.shape[1] == width and np.all(np.abs(rows) <= LARGEST) else None


def _first_bad_number(file: TextFile, line: int, words: list[str]) -> HoiError:
    return file.bad_number(line, next((word for word in words if parse_number(word) is None), words[0]))


def _check_rows(file: TextFile, ends: NDArray[np.int64], numbers: list[int], width: int, declared: int) -> None:
    counts = np.diff(ends, prepend=0)
    wrong = np.flatnonzero(counts != width)
    if not len(wrong):
        return
    # Rows that go on over several lines must still begin on a new one, or a missing number would shift all the rest.
    fits = ends[-1] == declared * width and np.isin(np.arange(1, declared + 1) * width, ends).all()
    if not fits:
        first = int(wrong[0])
        raise file.problem(numbers[first], f"{width} numbers in a row", f"{counts[first]}")


def _name_notices(nodes: Sequence[BvhNode]) -> list[str]:
    names = [nodes[i].name for i in joint_nodes(nodes)]
    pairs = zip(names, unique_names(names), strict=True)
    return [f"a second joint named {quoted(name)} is called {quoted(new)}" for name, new in pairs if name != new]
