"""Which of a few colours is whose: by name, so that what is deleted or added leaves the others as they were."""

from __future__ import annotations

import re
from collections.abc import Sequence
from zlib import crc32

_NUMBERED = re.compile(r"(.*?)(\d*)")
FAMILIAR = {"ball": 0, "bat": 1, "box": 3, "club": 4, "mesh": 5}  # words of most scenes, apart from each other


def colours_of(names: Sequence[str], count: int) -> dict[str, int]:
    """A number from 0 to `count` for each name, all of them different as long as there are as many.

    A name brings the number that it would like with it. If one that comes earlier in the scene has it, the next that is
    free is taken; what is added comes last, so it never takes anybody's.
    """
    found: dict[str, int] = {}
    for name in names:
        liked = _liked(name) % count
        free = [own for k in range(count) if (own := (liked + k) % count) not in found.values()]
        found[name] = free[0] if free else liked
    return found


def _liked(name: str) -> int:
    """Of ball1, ball2, ball3: one after the other."""
    match = _NUMBERED.fullmatch(name)
    word, number = (name, "") if match is None else (match[1], match[2])
    first = FAMILIAR.get(word.lower().strip("_ "), crc32(word.encode()))
    return first + max(int(number or 1) - 1, 0)
