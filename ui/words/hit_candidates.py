"""What of a body could hit a thing, and how far it is from it then. No widgets here."""

from __future__ import annotations

import numpy as np

import hoi_edit as hoi
from hoi_edit.rollout import Rollout
from hoi_edit.scene import is_level

SLOW = 0.5  # [m/s] of a foot, below which the ball lies under it
REACH = 0.7  # [m] from the middle of a thing
MOST = 3
FEET = ("instep", "toe", "foot", "heel", "ankle")
NOT_FOR_HITS = ("_sole", "_tuck")  # a foot stands on it; an arm covers it


def hit_candidates(rollout: Rollout, thing: str, t: float) -> dict[str, float]:
    """Points of bodies within reach, one of each part, the nearest first, with what is between [m]."""
    world, place = rollout.model.world, rollout.state(thing, t).position
    sites = [
        f"{character.name}/{site.name}"
        for character in rollout.model.scene.characters
        for site in character.skeleton.sites
        if not site.name.endswith(NOT_FOR_HITS)
    ]
    away = {site: float(np.linalg.norm(rollout.state(site, t).position - place)) for site in sites}
    nearest = dict[int, str]()
    for site in sorted(away, key=lambda site: away[site]):
        nearest.setdefault(world.frame(site), site)
    return {site: away[site] for site in list(nearest.values())[:MOST] if away[site] <= REACH}


def foot_of(rollout: Rollout, part: str) -> str | None:
    """The instep of the foot that a point of a body is on; None elsewhere."""
    world = rollout.model.world
    insteps = [
        f"{character.name}/{site.name}"
        for character in rollout.model.scene.characters
        for site in character.skeleton.sites
        if site.name.endswith("_instep")
    ]
    return next((site for site in insteps if world.frame(site) == world.frame(part)), None)


def before_foot(rollout: Rollout, foot: str, t: float, radius: float) -> hoi.Flying:
    """Where a ball lies on the ground so that a foot that goes on as it does then runs into it."""
    state = rollout.state(foot, t)
    ahead = np.array([state.velocity[0], 0.0, state.velocity[2]])
    ahead *= radius / max(float(np.linalg.norm(ahead)), SLOW)
    ground = max((top_of(f) for f in rollout.model.scene.fixtures if is_level(f)), default=0.0)
    place = state.position + ahead
    return hoi.Flying(np.array([place[0], ground + radius, place[2]]))


def below_hands(rollout: Rollout, part: str, t: float, side: float) -> hoi.Flying:
    """Where a box lies on the ground between the hands of whose hand this is, as they are then."""
    owner = part.partition("/")[0]
    hands = [rollout.state(f"{owner}/{hand}_palm", t).position for hand in ("left", "right")]
    x, _, z = np.mean(hands, axis=0)
    ground = max((top_of(f) for f in rollout.model.scene.fixtures if is_level(f)), default=0.0)
    return hoi.Flying(np.array([x, ground + 0.5 * side, z]))


def top_of(fixture: hoi.Fixture) -> float:
    """How high the ground is."""
    shape = fixture.shape
    return float(fixture.position[1] + np.asarray(shape.core)[1] + np.asarray(shape.radius))


def verb(site: str) -> str:
    """What a touch with a point of a body is called."""
    point = site.rpartition("/")[2].lower()
    if any(part in point for part in FEET):
        return "Kick"
    return "Head" if "head" in point else "Hit"
