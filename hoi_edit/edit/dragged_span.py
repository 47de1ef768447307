"""Which span of a thing a drag is about: the one that is picked, or the flight on which what was meant sent it before.

A kicked ball bounces, rolls and lies, and nobody means any of that. To have it elsewhere is to kick it otherwise.
"""

import numpy as np

from hoi_edit.rollout import Rollout, begins
from kinematics.rotation import Floats
from rigid.distance import RoundedBox, gap

OFF = 1e-3  # [m] from what a ball lies on: farther from there no rolling leads


def sent_on(seen: Rollout, name: str, t: float) -> str | None:
    """The flight (as `Pin.after` names it) that a meant touch, a release or the start began, before what a thing does
    by chance at a time; None if what it does is meant, or a hand holds it before."""
    if name not in seen.trajectories.chains:
        return None
    chain = seen.trajectories.chains[name]
    here = chain.index_at(t)
    if here <= chain.first or chain.events[here - 1].intended:
        return None
    for k in range(here - 1, chain.first, -1):
        if chain.events[k - 1].intended:
            return begins(chain.events[k - 1]) if chain.spans[k].flies else None
    return "" if chain.spans[chain.first].flies else None


def leaves_support(seen: Rollout, name: str, t: float, target: Floats) -> bool:
    """Whether a place is off what a ball lies or rolls on at a time."""
    span = seen.trajectories.chains[name].span_at(t)
    if not span.rolls:
        return False
    patch, frame = seen.model.world.surfaces.patch(span.surface), seen.context.frames([span.frame], [t])[0]
    part = np.where(np.isfinite(target), target, seen.state(name, t).position) - frame[:3]
    inside = np.asarray(patch.turned).T @ (frame[3:12].reshape(3, 3).T @ part - patch.place)
    grown = RoundedBox(patch.core, patch.radius + seen.model.scene.thing(name).body.radius)
    return abs(float(np.asarray(gap(grown, inside)))) > OFF
