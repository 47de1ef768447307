"""Exact kinematics of a scene at any time, in fixed-size chunks: what the search proposes is verified here."""

from dataclasses import dataclass
from functools import cached_property, partial
from typing import Any

import jax
import numpy as np

from hoi_edit.controls import Controls
from hoi_edit.motions import Motion
from hoi_edit.motions.base import Parameters
from hoi_edit.packing import in_chunks
from hoi_edit.scene import Character
from hoi_edit.touching import (
    CHUNK,
    FRAME,
    STRIKE,
    STRUCK,
    frame_motions,
    strike_body,
    strike_fixture,
    touches_body,
    touches_fixture,
)
from hoi_edit.world import Ints, Surfaces, World
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton

STILL_FRAME = np.concatenate([np.zeros(3), np.eye(3).ravel(), np.zeros(12)])
REAL = 1e-12  # [m] of gap that polishing may leave


@dataclass(frozen=True, eq=False)
class Exact:
    world: World
    controls: Controls
    gravity: Floats

    def moving(self, character: Character) -> tuple[Skeleton, Motion, Parameters]:
        """Skeleton, motion and parameters as kernels take them: a call pays for every array that it is given."""
        if character.name not in self._parameters:
            self._parameters[character.name] = jax.device_put(self.controls.motions[character.name])
        return *self.world.bare(character), self._parameters[character.name]

    @cached_property
    def _parameters(self) -> dict[str, Parameters]:
        return {}

    def frames(self, frame: Any, times: Any) -> Floats:
        """(N, 24) packed motions of frames at times; -1 is the world."""
        frame = np.asarray(frame, int)
        items = np.column_stack([frame, np.asarray(times, float)])
        return self._by_owner(
            frame,
            items,
            FRAME.width,
            lambda character, first, rows: frame_motions(*self.moving(character), rows - [first, 0.0]),
            lambda rows: np.repeat(STILL_FRAME[None], len(rows), axis=0),
        )

    def strike(self, surfaces: Surfaces, surface: Ints, items: Floats) -> Floats:
        """STRUCK rows of STRIKE rows; those that the quick way is not sure of are found the slow way."""
        rows = self._on_surfaces(strike_body, strike_fixture, surfaces, surface, items, STRUCK.width)
        unsure = np.flatnonzero(rows[:, STRUCK.slices["sure"]] == 0.0)
        if len(unsure):
            slow = partial(strike_body, slowly=True)
            rows[unsure] = self._on_surfaces(
                slow, strike_fixture, surfaces, surface[unsure], items[unsure], STRUCK.width
            )
        return rows

    def gap_and_rate(self, surfaces: Surfaces, surface: Ints, items: Floats) -> Floats:
        """(N, 2) at each item's guess."""
        return self._on_surfaces(touches_body, touches_fixture, surfaces, surface, items, 2)

    def closest(self, surfaces: Surfaces, surface: int, item: Floats, low: float, high: float) -> tuple[float, float]:
        """Time and size of the lowest gap between two times, by samples that close in on it."""
        which, items = np.full(CHUNK, surface), np.repeat(item[None], CHUNK, axis=0)
        for _ in range(4):
            times = np.linspace(low, high, CHUNK)
            items[:, STRIKE.slices["guess"]] = times
            gaps, rates = self.gap_and_rate(surfaces, which, items).T
            k = int(np.argmin(gaps))
            low, high = (times[max(k - 1, 0)], times[k]) if rates[k] > 0 else (times[k], times[min(k + 1, CHUNK - 1)])
        return float(times[k]), float(gaps[k])

    def _on_surfaces(
        self, on_body: Any, on_fixture: Any, surfaces: Surfaces, surface: Ints, items: Floats, width: int
    ) -> Floats:
        return self._by_owner(
            surfaces.frame[surface],
            items,
            width,
            lambda character, _, rows: on_body(*self.moving(character), self.gravity, rows),
            lambda rows: on_fixture(self.gravity, rows),
        )

    def _by_owner(self, frame: Ints, items: Floats, width: int, on_body: Any, on_world: Any) -> Floats:
        """One call per character, and one for the world, each in chunks."""
        rows = np.empty((len(items), width))
        for c, character in enumerate(self.world.scene.characters):
            first, last = self.world.first_frame[c : c + 2]
            own = np.flatnonzero((frame >= first) & (frame < last))
            if len(own):
                rows[own] = chunked(lambda chunk, c=character, f=first: on_body(c, f, chunk), items[own])
        fixed = np.flatnonzero(frame < 0)
        if len(fixed):
            rows[fixed] = chunked(on_world, items[fixed])
        return rows


def chunked(kernel: Any, items: Floats) -> Floats:
    """A kernel over any number of rows, in chunks of the one size that it is compiled for."""
    return np.concatenate([np.asarray(kernel(chunk)) for chunk in in_chunks(items, CHUNK)])[: len(items)]
