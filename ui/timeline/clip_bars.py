"""Clips as bars: where several people are, each has a lane that shows from when to when their clip goes, and is dragged
there: as a whole to shift it, by an end to trim it, with Shift by an end to stretch it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene
from ui.timeline.scales import Scale

REACH = 8.0  # [px] around an end
PEOPLE = 4  # up to so many have lanes for their clips
SHORTEST = 0.1  # [s] that a clip is
ClipGrip = Literal["start", "end", "whole"]


@dataclass(frozen=True)
class ClipBar:
    lane: int
    character: str
    number: int  # of the colour
    start: float  # [s], which may be before the scene
    end: float

    @property
    def words(self) -> str:
        return f"the clip of {self.character}, from {self.start:.2f} to {self.end:.2f} s"


@dataclass(frozen=True)
class ClipHandle:
    """Where on the bar of a clip the pointer is."""

    bar: ClipBar
    grip: ClipGrip

    @property
    def told(self) -> str:
        what = "drag it to shift it" if self.grip == "whole" else "drag this end to trim it, with Shift to stretch it"
        return f"{self.bar.words[:1].upper()}{self.bar.words[1:]}; {what}"

    def dragged(self, by: float, stretching: bool) -> ClipBar:
        """The bar when the pointer has gone on by so many seconds; trimmed, it only gets shorter."""
        bar = self.bar
        if self.grip == "whole":
            return replace(bar, start=bar.start + by, end=bar.end + by)
        if self.grip == "start":
            low = -1e9 if stretching else bar.start
            return replace(bar, start=min(max(bar.start + by, low), bar.end - SHORTEST))
        high = 1e9 if stretching else bar.end
        return replace(bar, end=max(min(bar.end + by, high), bar.start + SHORTEST))


def has_clips(scene: Scene) -> bool:
    return 1 < len(scene.characters) <= PEOPLE


def clip_bars(rollout: Rollout, lanes: dict[str, int]) -> list[ClipBar]:
    """Of everybody who has a lane for it."""
    people = enumerate(rollout.model.scene.characters)
    return [
        ClipBar(lanes[person.name], person.name, number, float(person.motion.start), float(person.motion.end))
        for number, person in people
        if person.name in lanes
    ]


def handle_at(bars: tuple[ClipBar, ...], lane: int | None, scale: Scale, x: float) -> ClipHandle | None:
    """The bar under the pointer; near an end, that end."""
    bar = next((bar for bar in bars if bar.lane == lane), None)
    if bar is None:
        return None
    away: dict[ClipGrip, float] = {"start": abs(scale.x(bar.start) - x), "end": abs(scale.x(bar.end) - x)}
    grip = min(away, key=lambda end: away[end])
    if away[grip] <= REACH:
        return ClipHandle(bar, grip)
    return ClipHandle(bar, "whole") if scale.x(bar.start) < x < scale.x(bar.end) else None
