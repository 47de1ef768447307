"""What of a body could hit a thing, and how far it is from it then. No widgets here."""

from __future__ import annotations

import numpy as np

from hoi_edit.rollout import Rollout

REACH = 0.7  # [m] from the middle of a thing
MOST = 3
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
