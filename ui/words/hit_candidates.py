"""What of a body could hit a thing, and how far it is from it then. No widgets here."""

from __future__ import annotations

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.club_hits import spot_of
from hoi_edit.rollout import Rollout
from ui.words.catch_candidates import is_round
from ui.words.thing_status import doing

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


def clubs_near(rollout: Rollout, ball: str, t: float) -> dict[str, float]:
    """What somebody holds that is no ball and could hit one then, the nearest first, with what is between [m]."""
    scene = rollout.model.scene
    held = [thing.name for thing in scene.things if not is_round(rollout, thing.name)
            and doing(rollout, thing.name, t).kind == "held"]  # fmt: skip
    away = {club: away_from_club(rollout, ball, club, t) for club in held}
    return {club: away[club] for club in sorted(away, key=lambda club: away[club]) if away[club] <= REACH}


def away_from_club(rollout: Rollout, ball: str, club: str, t: float) -> float:
    """[m] from the middle of a ball to where a club hits."""
    state = rollout.state(club, t)
    spot = state.position + state.rotation @ spot_of(rollout, club, t)
    return float(np.linalg.norm(rollout.state(ball, t).position - spot))


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
