"""Patterns that chance makes up: `python -m tests.patterns --random [HOW MANY [SEED]]`.

Each is valid siteswap, so it must be solved and verified, or refused with a sentence; anything else is wrong.
"""

import random
from collections.abc import Iterator

from hoi_edit.juggling import parse
from kinematics.errors import HoiError

HIGHEST = 7
KINDS = ("vanilla", "vanilla", "synchronous", "multiplex", "passing")  # in turn


def random_patterns(seed: int = 0) -> Iterator[str]:
    """Without end, and none twice."""
    chance, seen = random.Random(seed), set()
    while True:
        for kind in KINDS:
            text = next(own for own in _tries(chance, kind) if own not in seen and _is_valid(own, kind))
            seen.add(text)
            yield text


def _tries(chance: random.Random, kind: str) -> Iterator[str]:
    while True:
        period = chance.randint(1, 4)
        if kind == "vanilla":
            yield "".join(str(chance.randint(0, HIGHEST)) for _ in range(period))
        elif kind == "multiplex":
            slots = [str(chance.randint(0, 5)) for _ in range(period)]
            slots[chance.randrange(period)] = f"[{chance.randint(1, 5)}{chance.randint(1, 5)}]"
            yield "".join(slots)
        elif kind == "synchronous":
            pairs = [f"({_even(chance)},{_even(chance)})" for _ in range(chance.randint(1, 2))]
            yield "".join(pairs) + chance.choice(("", "*"))
        else:
            period = chance.randint(1, 3)
            yield f"<{_passes(chance, period)}|{_passes(chance, period)}>"


def _even(chance: random.Random) -> str:
    return f"{2 * chance.randint(0, 3)}{chance.choice(('', 'x'))}"


def _passes(chance: random.Random, period: int) -> str:
    return " ".join(f"{chance.randint(1, 5)}{chance.choice(('', 'p'))}" for _ in range(period))


def _is_valid(text: str, kind: str) -> bool:
    try:
        pattern = parse(text)
    except HoiError:
        return False
    thrown = any(toss.height > 2 for toss in pattern.tosses)
    passed = kind != "passing" or any(toss.is_pass for toss in pattern.tosses)
    return thrown and passed and 2 * pattern.jugglers <= pattern.balls <= 5 * pattern.jugglers
