"""What a thing is at, at a time: it flies, somebody holds it, or it lies on something. No widgets here."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from hoi_edit.edit.holds import is_held
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Held, named
from hoi_edit.simulate.trajectory import Chain, Span
from ui.words.carriers import is_palm
from ui.words.names import plain

STILL = 5e-3  # [m/s] below which something that touches lies still, to the eye


@dataclass(frozen=True)
class Doing:
    kind: Literal["flies", "held", "lies"]
    start: float  # [s]
    end: float
    by: str = ""  # the part of a body that holds it, or what it lies on
    hold: str = ""  # the contact that it is held by; of a start in a hand, the thing's own name
    ends: bool = False  # somebody is meant to let it go: that can be at another time


def doing(rollout: Rollout, thing: str, t: float) -> Doing:
    chain = rollout.trajectories.chains[thing]
    k = chain.index_at(t)
    span = chain.spans[k]
    if span.flies:
        return Doing("flies", span.start, span.end)
    if not is_held(chain, k):
        return Doing("lies", span.start, span.end, _lies_on(rollout, chain, k, span))
    grasps = [event.contact for event in chain.events[:k] if event.holds and event.contact is not None]
    hold = grasps[-1] if grasps else thing
    return Doing("held", span.start, span.end, rollout.model.world.frame_name(span.frame), hold, _ends(rollout, hold))


def held_in(rollout: Rollout, part: str, t: float) -> dict[str, Doing]:
    """What a part of a body, or the part that a point of it is on, has in it."""
    name = rollout.model.world.frame_name(rollout.model.world.frame(part))
    doings = {thing: doing(rollout, thing, t) for thing in rollout.trajectories.chains}
    return {thing: now for thing, now in doings.items() if now.kind == "held" and now.by == name}


def sites_of(rollout: Rollout, hold: str) -> tuple[str, ...]:
    """Where a hold is: a palm, two, a shoulder."""
    scene = rollout.model.scene
    contact = next((contact for contact in scene.contacts if contact.id == hold), None)
    if contact is not None:
        return named(contact.other)
    start = scene.thing(hold).start
    return named(start.by) if isinstance(start, Held) else ()


def held_at(rollout: Rollout, site: str, t: float) -> dict[str, Doing]:
    """What a site has: of a palm all that is in the hand, of shoulders and arms, which share a part, only its own."""
    held = held_in(rollout, site, t)
    return held if is_palm(site) else {name: now for name, now in held.items() if site in sites_of(rollout, now.hold)}


def in_words(rollout: Rollout, thing: str, t: float) -> str:
    now = doing(rollout, thing, t)
    if now.kind == "flies":
        return f"flies, {now.end - now.start:.2f} s long"
    if now.kind == "held":
        return f"in {plain(now.by)}"
    where = "the ground" if now.by == "ground" else plain(now.by) or "something"
    if "/" in now.by:
        return f"rests on {where}"
    moves = float(np.linalg.norm(rollout.state(thing, t).velocity)) > STILL
    return f"{'rolls or slides' if moves else 'lies'} on {where}"


def rests_on(rollout: Rollout, thing: str, other: str) -> bool:
    """Whether it comes to rest there at any time: then it has to touch it."""
    return any(event.rests and event.other == other for event in rollout.trajectories.chains[thing].events)


def _lies_on(rollout: Rollout, chain: Chain, k: int, span: Span) -> str:
    if span.surface >= 0:
        return _owner(rollout, span.surface)
    touched = [event.other for event in chain.events[:k] if event.other is not None]
    return touched[-1] if touched else ""


def _owner(rollout: Rollout, surface: int) -> str:
    surfaces = rollout.model.world.surfaces
    frame = int(surfaces.frame[surface])
    return rollout.model.world.frame_name(frame) if frame >= 0 else str(surfaces.name[surface])


def _ends(rollout: Rollout, hold: str) -> bool:
    scene = rollout.model.scene
    contact = next((contact for contact in scene.contacts if contact.id == hold), None)
    if contact is not None:
        return contact.release is not None
    start = scene.thing(hold).start
    return isinstance(start, Held) and start.release is not None
