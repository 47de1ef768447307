"""Whom a thing in a hand could be thrown or given to, and when it would arrive. No widgets here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoi_edit.rollout import Rollout
from ui.words.carriers import carriers, carrying, is_palm
from ui.words.thing_status import doing, held_at, sites_of

SHORTEST, LONGEST = 0.4, 1.0  # [s] of a flight
PER_METRE = 0.12  # [s] that a flight is longer
OTHERS = (0.0, 0.1, 0.2, -0.1, 0.3)  # [s] around that, tried in this order
REST = 0.05  # [s] before the scene ends, in which nothing is caught


@dataclass(frozen=True)
class Taker:
    """A hand other than the one that holds a thing, a shoulder, or an arm to be tucked under."""

    site: str  # "bob/left_palm"
    part: str  # "bob/left_hand"
    away: float  # [m] from the hand that holds it, then
    times: tuple[float, ...]  # [s] at which it could be caught, the likeliest first
    busy: str = ""  # why it cannot take anything when it would be thrown
    holds: str = ""  # what it has in it at once

    @property
    def words(self) -> str:
        return carrying(self.site, self.part, passed=True)

    @property
    def is_hand(self) -> bool:
        return is_palm(self.site)


def takers(rollout: Rollout, thing: str, by: str, t: float) -> list[Taker]:
    """All other hands, the nearest first, and then all shoulders and arms but where it is."""
    world, now = rollout.model.world, doing(rollout, thing, t)
    here = {site for site in sites_of(rollout, now.hold) if not is_palm(site)} if now.hold else set()
    others = [
        site for site in carriers(rollout.model.scene)
        if site not in here and not (is_palm(site) and world.frame_name(world.frame(site)) == by)
    ]  # fmt: skip
    found = [_taker(rollout, thing, site, t) for site in others]
    return sorted(found, key=lambda taker: (not is_palm(taker.site), taker.away))


def _taker(rollout: Rollout, thing: str, site: str, t: float) -> Taker:
    world, end = rollout.model.world, rollout.model.scene.end
    part = world.frame_name(world.frame(site))
    away = float(np.linalg.norm(rollout.state(site, t).position - rollout.state(thing, t).position))
    flight = float(np.clip(SHORTEST + PER_METRE * away, SHORTEST, LONGEST))
    times = [round(t + flight + more, 2) for more in OTHERS]
    times = [when for when in times if when <= end - REST and when >= t + 0.5 * SHORTEST]
    holds = _full(rollout, site, thing, t)
    if not times:
        return Taker(site, part, away, (), "the scene ends before it could be caught", holds)
    free = [when for when in times if not _full(rollout, site, thing, when)]
    busy = "" if free else f"it holds {_full(rollout, site, thing, times[0])} at {times[0]:.2f} s"
    return Taker(site, part, away, tuple(free), busy, holds)


def _full(rollout: Rollout, site: str, thing: str, t: float) -> str:
    """What else a hand has in it then."""
    return ", ".join(name for name in held_at(rollout, site, t) if name != thing)
