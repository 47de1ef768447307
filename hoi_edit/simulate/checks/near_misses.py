"""Near misses of two balls in free flight: how close they come where they do not touch.

One is in steady motion as seen from the other, so that this is in closed form; it is worked out when it is asked for.
Balls that feel the air, or lie and roll, are not looked at.
"""

from collections.abc import Iterator, Mapping
from itertools import combinations

import numpy as np

from hoi_edit.scene import Scene, Thing
from hoi_edit.simulate.search.layouts import BLUR
from hoi_edit.simulate.trajectory import Chain, Near, Span
from kinematics.rotation import Floats
from rigid.ballistics import fallen


def passes(scene: Scene, chains: Mapping[str, Chain]) -> Iterator[Near]:
    """Those closer than a millimetre: as near as a miss of a surface is told."""
    balls = [thing for thing in scene.things if thing.shape.by_centre and thing.air is None]
    together = [
        (one, other, *both)
        for one, other in combinations(balls, 2)
        for both in _at_once(chains[one.name], chains[other.name])
    ]
    if not together:
        return
    since, length, x, v = _as_seen(together, np.asarray(scene.gravity, float))
    later = -np.sum(x * v, axis=1) / np.maximum(np.sum(v * v, axis=1), 1e-300)
    reach = np.array([float(one.body.radius + other.body.radius) for one, other, *_ in together])
    gap = np.linalg.norm(x + later[:, None] * v, axis=1) - reach
    for k in np.flatnonzero((later > 0.0) & (later < length) & (gap > 0.0) & (gap < BLUR)):
        one, other, *_ = together[k]
        yield Near(one.name, other.name, float(since[k] + later[k]), float(gap[k]))


def _at_once(one: Chain, other: Chain) -> Iterator[tuple[Span, Span]]:
    """Flights of two things that have some time in common."""
    i = j = 0
    while i < len(one.spans) and j < len(other.spans):
        a, b = one.spans[i], other.spans[j]
        if a.flies and b.flies and max(a.start, b.start) < min(a.end, b.end):
            yield a, b
        i, j = (i + 1, j) if a.end <= b.end else (i, j + 1)


def _as_seen(together: list[tuple[Thing, Thing, Span, Span]], gravity: Floats) -> tuple[Floats, Floats, Floats, Floats]:
    """When each pair is in flight at once, for how long, and where and how fast one is then as seen from the other."""
    both = [(a, b) for _, _, a, b in together]
    begins, ends = np.array([[(a.start, b.start), (a.end, b.end)] for a, b in both]).transpose(1, 0, 2)
    states = np.array([(a.state, b.state) for a, b in both], float)[:, :, [0, 1, 2, 12, 13, 14]]
    since = begins.max(axis=1)
    tau = (since[:, None] - begins)[:, :, None]
    velocity = states[:, :, 3:] + tau * gravity
    place = fallen(states[:, :, :3], states[:, :, 3:], gravity, tau)
    return since, ends.min(axis=1) - since, place[:, 0] - place[:, 1], velocity[:, 0] - velocity[:, 1]
