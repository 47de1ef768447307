"""What a thing can sensibly be kept clear of, at a time. No widgets here."""

from __future__ import annotations

import numpy as np

from hoi_edit.rollout import Rollout
from ui.words.thing_status import doing, rests_on

NEAR = 0.35  # [s] around a time in which an event is meant by "here"
AROUND = 0.6  # [m] in which something is near
MOST = 3  # that are offered though nothing hits or nearly hits them


def partners(rollout: Rollout, thing: str, t: float) -> dict[str, float]:
    """Whom to keep clear of, each with its time: what it hits about now, what it nearly hits, and what is near."""
    meant = _meant(rollout, thing, t)
    times: dict[str, float] = {}
    for event in rollout.trajectories.chains[thing].events:
        if abs(event.time - t) < NEAR and event.hits_by_chance and event.other is not None:
            times.setdefault(event.other, event.time)
    for miss in rollout.near:
        if miss.object == thing and abs(miss.time - t) < NEAR:
            times.setdefault(miss.other, miss.time)
    for other in _around(rollout, thing, t, meant | set(times))[:MOST]:
        times[other] = t
    return {other: when for other, when in times.items() if other not in meant}


def _meant(rollout: Rollout, thing: str, t: float) -> set[str]:
    """What it has to touch: what holds it or what it lies on, what it is meant to meet soon or has just left, and where
    it comes to rest in the end."""
    now = doing(rollout, thing, t)
    chain = rollout.trajectories.chains[thing]
    soon = {event.other for event in chain.events if event.intended and abs(event.time - t) < NEAR and event.other}
    fixtures = {fixture.name for fixture in rollout.model.scene.fixtures if rests_on(rollout, thing, fixture.name)}
    return soon | fixtures | ({now.by} if now.by else set())


def _around(rollout: Rollout, thing: str, t: float, but: set[str]) -> list[str]:
    """Things and parts of bodies within reach of it, the nearest first."""
    if doing(rollout, thing, t).kind != "flies":
        return []
    scene, world = rollout.model.scene, rollout.model.world
    parts = [f"{character.name}/{part}" for character in scene.characters for part in character.skeleton.names]
    names = [other.name for other in scene.things if other.name != thing]
    names += [part for part in parts if len(world.surfaces_of(part))]
    here = rollout.state(thing, t).position
    away = {name: float(np.linalg.norm(rollout.state(name, t).position - here)) for name in names if name not in but}
    return sorted((name for name in away if away[name] <= AROUND), key=lambda name: away[name])
