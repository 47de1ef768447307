"""Which hands could catch a thing, and when: how far they are from it, and what they hold then. No widgets here."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene
from ui.words.carriers import CARRIERS, carriers, carrying, is_palm
from ui.words.names import plain
from ui.words.thing_status import doing, held_at

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
    def carrying(self) -> str:
        return carrying(self.site, self.part)

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


def is_round(rollout: Rollout, thing: str) -> bool:
    """Whether it is a ball, to which hands can be brought."""
    return rollout.model.scene.thing(thing).shape.lies_on_palm


def palm_of(rollout: Rollout, part: str) -> str | None:
    """The site in which a part of a body, or the part that a point of it is on, holds things; None if it is no hand."""
    world = rollout.model.world
    return next((site for site in palms(rollout.model.scene) if world.frame(site) == world.frame(part)), None)


def palm(rollout: Rollout, site: str, thing: str, t: float) -> Palm:
    """A hand as it is at a time, seen from a thing."""
    world = rollout.model.world
    away = float(np.linalg.norm(rollout.state(site, t).position - rollout.state(thing, t).position))
    others = {name: hold for name, hold in held_at(rollout, site, t).items() if name != thing}
    for name, hold in others.items():
        until = hold.end if hold.ends else float("inf")
        return Palm(site, world.frame_name(world.frame(site)), away, name, until)
    return Palm(site, world.frame_name(world.frame(site)), away)


def palms_for(rollout: Rollout, thing: str, t: float) -> list[Palm]:
    """All hands, the nearest first."""
    hands = [palm(rollout, site, thing, t) for site in palms(rollout.model.scene)]
    return sorted(hands, key=lambda hand: hand.away)


def others_for(rollout: Rollout, thing: str, t: float) -> list[Palm]:
    """The nearest shoulder, and the nearest arm to be tucked under, if they are within reach."""
    sites = [site for site in carriers(rollout.model.scene) if not is_palm(site)]
    near = sorted((palm(rollout, site, thing, t) for site in sites), key=lambda place: place.away)
    kinds = {ending: [own for own in near if own.site.endswith(ending) and own.away <= REACH] for ending in CARRIERS}
    return [own for found in kinds.values() for own in found[:1]]


def flying_near(rollout: Rollout, part: str, t: float) -> dict[str, Palm]:
    """Balls that the palm of a part of a body might catch then, the nearest first."""
    site = palm_of(rollout, part)
    things = [thing.name for thing in rollout.model.scene.things if is_round(rollout, thing.name)]
    palms_by_thing = {
        thing: palm(rollout, site, thing, t)
        for thing in things
        if site is not None and doing(rollout, thing, t).kind == "flies"
    }
    near = sorted((pair for pair in palms_by_thing.items() if pair[1].away <= REACH), key=lambda pair: pair[1].away)
    return dict(near)


def nearest_time(rollout: Rollout, thing: str, site: str, t: float) -> tuple[float, Palm] | None:
    """When, on the flight that a thing is on, a hand that holds nothing is nearest to it."""
    flight = doing(rollout, thing, t)
    if flight.kind != "flies":
        return None
    count = max(int(LOOKS * (flight.end - flight.start)), 2)
    times = np.linspace(flight.start, flight.end, count + 1)[1:-1]
    looks = [(float(when), palm(rollout, site, thing, float(when))) for when in times]
    return min((look for look in looks if not look[1].holds), key=lambda look: look[1].away, default=None)
