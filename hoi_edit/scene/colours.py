"""Which colour is whose, in pictures and in files alike; sRGB in 0..1, as in a colour picker.

Things have theirs by name, so that what is deleted or added leaves the others as they were.
"""

import re
from collections.abc import Sequence
from zlib import crc32

Colour = tuple[float, float, float]

BODIES: tuple[Colour, ...] = ((0.60, 0.64, 0.70), (0.70, 0.64, 0.57), (0.58, 0.67, 0.60), (0.68, 0.60, 0.68))
THINGS: tuple[Colour, ...] = (
    (0.91, 0.45, 0.24),
    (0.35, 0.66, 0.90),
    (0.48, 0.77, 0.50),
    (0.85, 0.42, 0.46),
    (0.71, 0.54, 0.88),
    (0.93, 0.78, 0.35),
)
FIXTURE: Colour = (0.42, 0.43, 0.45)
_NUMBERED = re.compile(r"(.*?)(\d*)")
FAMILIAR = {"ball": 0, "bat": 1, "box": 3, "club": 4, "mesh": 5}  # words of most scenes, apart from each other


def body_colour(index: int) -> Colour:
    """Of the character with this index in its scene."""
    return BODIES[index % len(BODIES)]


def thing_colours(names: Sequence[str]) -> dict[str, Colour]:
    """Of all things of a scene."""
    return {name: THINGS[k] for name, k in colours_of(names, len(THINGS)).items()}


def colours_of(names: Sequence[str], count: int) -> dict[str, int]:
    """A number from 0 to `count` for each name, all of them different as long as there are as many.

    A name brings the number that it would like with it. If one that comes earlier in the scene has it, the next that is
    free is taken; what is added comes last, so it never takes anybody's.
    """
    taken: dict[str, int] = {}
    for name in names:
        liked = _liked(name) % count
        free = [colour for k in range(count) if (colour := (liked + k) % count) not in taken.values()]
        taken[name] = free[0] if free else liked
    return taken


def _liked(name: str) -> int:
    """Of ball1, ball2, ball3: one after the other."""
    match = _NUMBERED.fullmatch(name)
    word, number = (name, "") if match is None else (match[1], match[2])
    first = FAMILIAR.get(word.lower().strip("_ "), crc32(word.encode()))
    return first + max(int(number or 1) - 1, 0)
