"""Where everything goes: paths of things and hands, sampled from a rollout, span by span."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

from hoi_edit.rollout import Rollout
from hoi_edit.simulate.kind_words import SpanWord

Array = NDArray[np.float64]
STEP = 1.0 / 90.0  # [s]
PATH = SpanWord("path")  # of a hand, whatever it does


@dataclass(frozen=True, eq=False)
class Stretch:
    """One span of a thing's life, or a piece of it: a flight, a hold, or lying on something."""

    name: str
    kind: SpanWord  # or PATH
    times: Array  # (N,)
    points: Array  # (N, 3)

    def between(self, low: float, high: float) -> Stretch | None:
        """The part from one time to another, with one sample to either side; None if there is nothing to draw."""
        first = max(int(np.searchsorted(self.times, low, "right")) - 1, 0)
        last = int(np.searchsorted(self.times, high, "left")) + 1
        times, points = self.times[first:last], self.points[first:last]
        return Stretch(self.name, self.kind, times, points) if len(times) > 1 else None

    def at(self, times: Array) -> Array:
        """(M, 3) where it is at other times."""
        return np.stack([np.interp(times, self.times, self.points[:, k]) for k in range(3)], axis=1)


@dataclass(eq=False)
class Tracks:
    """Of one rollout. A short look samples what it needs; a second one elsewhere samples all."""

    rollout: Rollout
    hands: tuple[str, ...] = ()
    _sampled: tuple[float, float] | None = None
    _stretches: list[Stretch] = field(default_factory=list)

    def around(self, low: float, high: float) -> list[Stretch]:
        scene = self.rollout.model.scene
        low, high = max(low, scene.start), min(high, scene.end)
        if self._sampled is None:
            self._sampled, self._stretches = (low, high), self._sample(low, high)
        elif low < self._sampled[0] or high > self._sampled[1]:
            self._sampled = scene.start, scene.end
            self._stretches = self._sample(scene.start, scene.end)
        cut = (stretch.between(low, high) for stretch in self._stretches)
        return [stretch for stretch in cut if stretch is not None]

    def _sample(self, low: float, high: float) -> list[Stretch]:
        grid = np.append(np.arange(low, high, STEP), high)
        stretches = []
        for name, chain in self.rollout.trajectories.chains.items():
            ends = [event.time for event in chain.events if low < event.time < high]
            times = np.union1d(grid, ends)
            points = self.rollout.positions(name, times)
            for span in chain.spans:
                within = (times >= span.start - 1e-12) & (times <= span.end + 1e-12)
                if np.count_nonzero(within) > 1:
                    stretches.append(Stretch(name, span.kind, times[within], points[within]))
        stretches += [Stretch(hand, PATH, grid, self.rollout.positions(hand, grid)) for hand in self.hands]
        return stretches


def hands_of(rollout: Rollout) -> tuple[str, ...]:
    """The parts of bodies that hold things, "juggler/right_hand": their paths are worth seeing."""
    frames = {span.frame for chain in rollout.trajectories.chains.values() for span in chain.spans if span.is_held}
    return tuple(rollout.model.world.frame_name(frame) for frame in sorted(frames) if frame >= 0)
