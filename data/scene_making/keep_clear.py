"""Rows that keep a solution decent: no limb in a ball's way, no joint beyond its limits."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import jax.numpy as jnp
import numpy as np

from data.scene_making.rows import Angles, Places, Seen
from hoi_edit.motions.base import poses
from hoi_edit.simulation import Rollout
from hoi_edit.touching import FRAME, STATE
from kinematics.rotation import Floats

CLEAR = 0.012  # [m] between things that shall not touch
INSIDE = 0.02  # [rad] that solved angles stay from their limits


@dataclass(frozen=True)
class Flight:
    """A planned flight of a thing, after the event of that name (None: the start)."""

    thing: str
    after: str | None
    begin: float
    end: float


@dataclass(frozen=True, eq=False)
class Watched:
    """Where a thing met a part of the body, and which way is out, as the part sees it."""

    seen: Seen
    touch: Floats
    out: Floats


def in_the_way(rollout: Rollout, flights: Sequence[Flight]) -> list[Watched]:
    """Parts of the body that balls met on their way: what met, where, and which way is out, as the part sees it."""
    found = []
    for event in rollout.events:
        on_the_way = [f for f in flights if f.thing == event.object and f.begin < event.time < f.end]
        if event.kind == "impact" and not event.intended and "/" in str(event.other) and on_the_way:
            frame = FRAME.unpack(np.asarray(event.frame))
            R, x = frame.rotation.reshape(3, 3), STATE.unpack(np.asarray(event.before)).position
            flight = on_the_way[0]
            for time in np.minimum(event.time + np.array([0.0, 0.02, 0.04]), flight.end - 0.01):
                seen = Seen(event.object, flight.after, float(time), str(event.other))
                found.append(Watched(seen, R.T @ (x - frame.position), R.T @ event.normal))
            print(f"  in the way: {event}")
    return found


def kept_clear(watched: Sequence[Watched]) -> Places:
    """Each ball on its side of a plane that touches the part it had met, and off it."""
    wanted = np.array([w.touch + CLEAR * w.out for w in watched]).reshape(-1, 3)
    return Places([w.seen for w in watched], wanted, [w.out for w in watched])


def within_limits(rollout: Rollout, name: str, locked: Callable[[str], bool]) -> Angles:
    """Angles that are beyond their limits, or nearly; of the mime's own excesses only what they are."""
    character = rollout.model.scene.character(name)
    motion, own = character.motion, rollout.controls.motions[name]
    times = np.arange(motion.start, motion.end, 0.05)
    q = np.asarray(poses(motion, own, jnp.asarray(times)))
    mime = np.asarray(poses(motion, motion.parameters(), jnp.asarray(times)))
    low, high = character.skeleton.limits.T
    low, high = np.minimum(low + INSIDE, mime), np.maximum(high - INSIDE, mime)
    names = character.skeleton.topology.dof_names
    free = np.array([not locked(name) for name in names])
    rows = [
        (k, dof, sign, bound[k, dof])
        for sign, bound, near in ((1.0, low, q < low + 0.05), (-1.0, high, q > high - 0.05))
        for k, dof in np.argwhere(near & free)
    ]
    at, dof, sign, bound = np.array(rows).reshape(-1, 4).T
    return Angles(name, times, at.astype(int), dof.astype(int), sign, bound)
