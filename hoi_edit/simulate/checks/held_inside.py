"""Things that are carried through the ground, a table or somebody, and people who go through what lies: nothing that
happens stops what is in a hand, or touches what is no ball and is at rest.

The arms that hold a thing, take it over or hand it over are near it anyway, and do not count. Looks are at times of the
table of poses; of all pairs those are looked at closely that come as near as the sphere around a thing.
"""

from collections.abc import Iterator
from typing import TYPE_CHECKING, NamedTuple

import numpy as np

from hoi_edit.scene import Held, named
from hoi_edit.scene.arms import arm_of
from hoi_edit.simulate.events.hull_contact import contacts_of_hull
from hoi_edit.simulate.trajectory import Chain, Span
from hoi_edit.simulate.world import Ints
from kinematics.packed_motion import ROTATION
from kinematics.rotation import Floats

if TYPE_CHECKING:
    from hoi_edit.rollout import Rollout

DEEP = 2e-3  # [m] that nobody sees
NEAR = 0.01  # [m] farther apart nobody asks


class HeldInside(NamedTuple):
    """A thing in a hand and what it goes through, for some of a hold."""

    thing: str
    span: int  # the hold
    surface: int
    times: Floats  # (N,) [s] of all looks at the two, in order
    gaps: Floats  # (N,) [m] at these

    @property
    def deepest(self) -> tuple[float, float]:
        """When it is deepest inside, and how deep [m]."""
        k = int(np.argmin(self.gaps))
        return float(self.times[k]), -float(self.gaps[k])


def held_inside(seen: "Rollout", begin: float = -np.inf, end: float = np.inf) -> Iterator[HeldInside]:
    """All of them between two times, in the order of things."""
    for name, chain in seen.trajectories.chains.items():
        for k, span in enumerate(chain.spans):
            low, high = max(begin, span.start), min(end, span.end)
            if span.is_held and low < high:
                yield from _of_hold(seen, name, k, low, high)


def _of_hold(seen: "Rollout", name: str, k: int, low: float, high: float) -> Iterator[HeldInside]:
    chain, table = seen.trajectories.chains[name], seen.table
    rows = np.flatnonzero((table.times > low) & (table.times < high))
    if not len(rows):
        return
    times, span = table.times[rows], chain.spans[k]
    near = _near(seen, span, rows)
    near[:, np.isin(seen.model.world.surfaces.frame, _near_anyway(seen, chain, k))] = False
    for surface in np.flatnonzero(near.any(axis=0)).tolist():
        looks = times[near[:, surface]]
        gaps = gaps_held(seen, span, surface, looks)
        if gaps.min() < -DEEP:
            yield HeldInside(name, k, surface, looks, gaps)


def gaps_held(seen: "Rollout", span: Span, surface: int, times: Floats) -> Floats:
    """(N,) how far a thing in a hand is from a surface, infinite where it is not near; of two that overlap how far it
    would have to go, negative."""
    gaps, frame = np.full(len(times), np.inf), int(seen.model.world.surfaces.frame[surface])
    contacts = contacts_of_hull(seen.context, span, frame, np.array([surface]), times, NEAR)[2]
    gaps[contacts[:, 0].astype(int)] = contacts[:, 1]
    return gaps


def _near(seen: "Rollout", span: Span, rows: Ints) -> np.ndarray:
    """(N, S) whether the sphere around a thing overlaps a surface, at rows of the table."""
    s, pose, reach = seen.model.world.surfaces, seen.table.pose[rows], seen.model.scene.thing(span.object).body.reach
    middle = np.tile(np.asarray(span.position, float), (len(rows), 1))
    if span.in_hand:
        place, turn = pose[:, span.frame, :ROTATION], pose[:, span.frame, ROTATION:].reshape(-1, 3, 3)
        middle = place + turn @ middle[0]
    near = np.empty((len(rows), len(s)), bool)
    for k, frame in enumerate(s.frame.tolist()):
        there = middle
        if frame >= 0:
            turned = pose[:, frame, ROTATION:].reshape(-1, 3, 3)
            there = ((middle - pose[:, frame, :ROTATION])[:, None] @ turned)[:, 0]
        inside = np.abs((there - s.place[k]) @ s.turned[k]) - s.core[k]
        near[:, k] = np.linalg.norm(np.maximum(inside, 0.0), axis=1) < s.radius[k] + reach
    return near


def _near_anyway(seen: "Rollout", chain: Chain, k: int) -> list[int]:
    """Frames of the arms that hold a thing, and that it comes from or goes over to."""
    scene, sites = seen.model.scene, list[str]()
    start = scene.thing(chain.spans[k].object).start
    if isinstance(start, Held) and k <= chain.first + 1:
        sites += named(start.by)
    for event in chain.events[max(k - 2, 0) : k + 2]:
        meant = [contact for contact in scene.contacts if contact.id == event.contact]
        if meant and meant[0].holds:
            sites += named(meant[0].other)
    frames = [chain.spans[k].frame] if chain.spans[k].in_hand else []
    for site in sites:
        character, segment, _ = scene.place(site)
        frames += [
            seen.model.world.frame(f"{character.name}/{character.skeleton.names[joint]}")
            for joint in arm_of(character.skeleton, segment)
            if chain.spans[k].in_hand or joint >= segment  # hands come to what lies, and not arms
        ]
    return frames
