"""The time that is shown: playing, looping, stepping and scrubbing, as a value."""

from __future__ import annotations

from dataclasses import dataclass, replace

SPEEDS = (0.1, 0.25, 0.5, 1.0, 2.0)
FRAMES = (24, 25, 30, 48, 50, 60, 120)  # a second


@dataclass(frozen=True)
class Playback:
    start: float  # [s] of the scene
    end: float
    t: float = 0.0
    playing: bool = False
    loop: bool = True
    speed: float = 1.0
    rate: float = 60.0  # [Hz] frames of a step
    first: float | None = None  # the range that is played; None: from the start
    last: float | None = None

    @property
    def low(self) -> float:
        return self.start if self.first is None else self.first

    @property
    def high(self) -> float:
        return self.end if self.last is None else self.last

    def advanced(self, dt: float) -> Playback:
        """After dt seconds of real time."""
        if not self.playing:
            return self
        t = self.t + dt * self.speed
        if t <= self.high:
            return replace(self, t=max(t, self.low) if self.t < self.low else t)
        if not self.loop:
            return replace(self, t=self.high, playing=False)
        length = max(self.high - self.low, 1.0 / self.rate)
        return replace(self, t=self.low + (t - self.low) % length)

    def at(self, t: float) -> Playback:
        return replace(self, t=min(max(t, self.start), self.end))

    def snapped(self, t: float) -> float:
        """The nearest whole frame; the end of the scene, if that is nearer."""
        frame = self.start + round((t - self.start) * self.rate) / self.rate
        return self.end if abs(self.end - t) < abs(frame - t) else frame

    def scrubbed(self, t: float, free: bool = False) -> Playback:
        """At a time that was pointed at: of a whole frame, unless any time is asked for."""
        return self.at(t if free else self.snapped(t))

    def stepped(self, frames: int) -> Playback:
        """To a whole frame, that many away; from between two, the nearest one in that direction comes first."""
        now = (self.t - self.start) * self.rate
        whole = round(now)
        if abs(now - whole) > 1e-6 and frames:
            whole = int(now) if frames > 0 else int(now) + 1
        return replace(self.at(self.start + (whole + frames) / self.rate), playing=False)

    def toggled(self) -> Playback:
        """Play or pause; at the end playing begins anew."""
        at_end = not self.playing and self.t >= self.high - 1e-9
        return replace(self, playing=not self.playing, t=self.low if at_end else self.t)

    def ranged(self, first: float | None = None, last: float | None = None) -> Playback:
        """Another in or out point; a range must have a length."""
        low, high = self.low if first is None else first, self.high if last is None else last
        if high - low < 1.0 / self.rate:
            return self
        return replace(self, first=low if low > self.start else None, last=high if high < self.end else None)

    def of_scene(self, start: float, end: float, t: float) -> Playback:
        """At rest in another scene, all of it in range; speed, loop and frames stay as they were chosen."""
        return replace(self, start=start, end=end, t=t, playing=False, first=None, last=None)

    def whole(self) -> Playback:
        return replace(self, first=None, last=None)

    @property
    def frame(self) -> int:
        return round((self.t - self.start) * self.rate)

    @property
    def frames(self) -> int:
        """How many there are, from the start of the scene to its end."""
        return round((self.end - self.start) * self.rate)
