"""Which hands could catch a thing, and when: how far they are from it, and what they hold then. No widgets here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene
from ui.words.names import plain
from ui.words.thing_status import doing, held_in

REACH = 0.7  # [m] from a palm in which a ball is near
LOOKS = 60.0  # [Hz] along a flight


@dataclass(frozen=True)
class Palm:
    site: str  # "juggler/left_palm"
    part: str  # "juggler/left_hand"
    away: float  # [m] from the middle of the thing
    holds: str = ""  # something else
    until: float = float("inf")  # [s]

    @property
    def words(self) -> str:
        return plain(self.part)

    @property
    def busy(self) -> str:
        """Why it cannot catch anything, if so."""
        if not self.holds:
            return ""
        return f"it holds {self.holds}" + (f" until {self.until:.2f} s" if np.isfinite(self.until) else "")


def palms(scene: Scene) -> list[str]:
    return [
        f"{character.name}/{site.name}"
        for character in scene.characters
        for site in character.skeleton.sites
        if site.name.endswith("_palm")
    ]


def palm(rollout: Rollout, site: str, thing: str, t: float) -> Palm:
    """A hand as it is at a time, seen from a thing."""
    world = rollout.model.world
    away = float(np.linalg.norm(rollout.state(site, t).position - rollout.state(thing, t).position))
    others = {name: own for name, own in held_in(rollout, site, t).items() if name != thing}
    for name, own in others.items():
        until = own.end if own.ends else float("inf")
        return Palm(site, world.frame_name(world.frame(site)), away, name, until)
    return Palm(site, world.frame_name(world.frame(site)), away)


def palms_for(rollout: Rollout, thing: str, t: float) -> list[Palm]:
    """All hands, the nearest first."""
    found = [palm(rollout, site, thing, t) for site in palms(rollout.model.scene)]
    return sorted(found, key=lambda own: own.away)


def flying_near(rollout: Rollout, part: str, t: float) -> dict[str, Palm]:
    """Balls that the palm of a part of a body might catch then, the nearest first."""
    world = rollout.model.world
    sites = [own for own in palms(rollout.model.scene) if world.frame(own) == world.frame(part)]
    things = [own.name for own in rollout.model.scene.things if len(own.body.vertices) == 1]
    found = {
        thing: palm(rollout, sites[0], thing, t)
        for thing in (things if sites else ())
        if doing(rollout, thing, t).kind == "flies"
    }
    near = sorted((own for own in found.items() if own[1].away <= REACH), key=lambda own: own[1].away)
    return dict(near)


def nearest_time(rollout: Rollout, thing: str, site: str, t: float) -> tuple[float, Palm] | None:
    """When, on the flight that a thing is on, a hand that holds nothing is nearest to it."""
    flight = doing(rollout, thing, t)
    if flight.kind != "flies":
        return None
    count = max(int(LOOKS * (flight.end - flight.start)), 2)
    times = np.linspace(flight.start, flight.end, count + 1)[1:-1]
    looks = [(float(when), palm(rollout, site, thing, float(when))) for when in times]
    return min((own for own in looks if not own[1].holds), key=lambda own: own[1].away, default=None)
