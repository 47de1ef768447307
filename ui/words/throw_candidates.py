"""Whom a thing in a hand could be thrown or given to, and when it would arrive. No widgets here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoi_edit.rollout import Rollout
from ui.words.catch_candidates import palms
from ui.words.names import plain
from ui.words.thing_status import held_in

SHORTEST, LONGEST = 0.4, 1.0  # [s] of a flight
PER_METRE = 0.12  # [s] that a flight is longer
OTHERS = (0.0, 0.1, 0.2, -0.1, 0.3)  # [s] around that, tried in this order
REST = 0.05  # [s] before the scene ends, in which nothing is caught


@dataclass(frozen=True)
class Taker:
    """A hand other than the one that holds a thing."""

    site: str  # "bob/left_palm"
    part: str  # "bob/left_hand"
    away: float  # [m] from the hand that holds it, then
    times: tuple[float, ...]  # [s] at which it could be caught, the likeliest first
    busy: str = ""  # why it cannot take anything when it would be thrown
    holds: str = ""  # what it has in it at once

    @property
    def words(self) -> str:
        return plain(self.part)


def takers(rollout: Rollout, thing: str, by: str, t: float) -> list[Taker]:
    """All other hands, the nearest first."""
    world, scene = rollout.model.world, rollout.model.scene
    others = [site for site in palms(scene) if world.frame_name(world.frame(site)) != by]
    return sorted((_taker(rollout, thing, site, t) for site in others), key=lambda taker: taker.away)


def _taker(rollout: Rollout, thing: str, site: str, t: float) -> Taker:
    world, end = rollout.model.world, rollout.model.scene.end
    part = world.frame_name(world.frame(site))
    away = float(np.linalg.norm(rollout.state(site, t).position - rollout.state(thing, t).position))
    flight = float(np.clip(SHORTEST + PER_METRE * away, SHORTEST, LONGEST))
    times = [round(t + flight + more, 2) for more in OTHERS]
    times = [when for when in times if when <= end - REST and when >= t + 0.5 * SHORTEST]
    holds = ", ".join(name for name in held_in(rollout, site, t) if name != thing)
    if not times:
        return Taker(site, part, away, (), "the scene ends before it could be caught", holds)
    free = [when for when in times if not _full(rollout, site, thing, when)]
    busy = "" if free else f"it holds {_full(rollout, site, thing, times[0])} at {times[0]:.2f} s"
    return Taker(site, part, away, tuple(free), busy, holds)


def _full(rollout: Rollout, site: str, thing: str, t: float) -> str:
    """What else a hand has in it then."""
    return ", ".join(name for name in held_in(rollout, site, t) if name != thing)
