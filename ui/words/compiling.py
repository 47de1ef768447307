"""How far the compiler is, for the line below."""

from __future__ import annotations

from dataclasses import dataclass

from hoi_edit.compiling.compile_jobs import CompileProgress

MINUTE = 60.0  # [s]
FEW = 8.0  # [s] that are no number any more
STEP = 5.0  # [s] to which less than a minute is told
SURPRISE = 1.5  # times as long as was told, from which on it is told anew


def in_words(at: CompileProgress | None) -> str:
    """Nothing where nothing is compiled."""
    if at is None:
        return ""
    count = f"{at.done} of {at.of} parts, {_left(at.seconds_left)}"
    if at.drags_wait:
        return f"Compiling for this machine, once: {count}; drags are slow until then."
    return f"Drags are fast by now; what is rarer is compiled: {count}."


def _left(seconds: float) -> str:
    if seconds < FEW:
        return "a few seconds left"
    if seconds < MINUTE - STEP / 2:
        return f"about {STEP * round(seconds / STEP):.0f} s left"
    minutes = round(seconds / MINUTE)
    return f"about {minutes} minute{'s' if minutes > 1 else ''} left"


@dataclass
class Countdown:
    """What is left is guessed anew with each part that is done, and more with every second in between: the words do
    not go up and down with it."""

    _told: CompileProgress | None = None

    def words(self, at: CompileProgress | None) -> str:
        last = self._told
        if at is not None and last is not None and at.drags_wait == last.drags_wait:
            low, high = last.seconds_left, SURPRISE * last.seconds_left + FEW
            if low < at.seconds_left < high:
                at = CompileProgress(at.done, at.of, low, at.drags_wait)
        self._told = at
        return in_words(at)
