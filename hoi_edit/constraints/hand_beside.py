"""Hands stay out of a thing that lies, until they take it and after they have put it down.

Nothing else keeps them out: what lies still is touched by nobody, as a touch would send it off. So shortly before and
after, the hand with its fingers and the thing are `OUT` apart, as hulls. That is for things with sides; around a handle
hands reach. The looks are at fixed times, multiples of `STEP`.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import Named, Rowset
from hoi_edit.constraints.hulls_apart import hulls_apart
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Held, Scene, named
from kinematics.rotation import Floats
from rigid.body import has_faces

OUT = 5e-4  # [m]
STEP = 0.0125  # [s] between looks
AROUND = 0.35  # [s] before it is taken, and after it was put down


@dataclass(frozen=True, eq=False)
class HandBeside(Named):
    """Of one hand and one handover."""

    contact: str  # its id
    thing: str
    site: str  # "ann/left_palm"

    @property
    def about(self) -> Finding:
        return Finding("closing hand", self.thing, self.site)

    @staticmethod
    def of(seen: Rollout, contact: str) -> "tuple[HandBeside, ...]":
        """Of all hands that take or let go of a thing with sides at a handover that happens."""
        scene = seen.model.scene
        meant = scene.contact(contact)
        if contact not in seen.happened or not has_faces(scene.thing(meant.object).body):
            return ()
        sites = named(meant.other) if meant.catches else holding_before(seen, contact)
        return tuple(HandBeside(contact, meant.object, site) for site in sites)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        if self.contact not in seen.happened:
            return []
        row_sets: list[Rowset] = []
        span, times = self._looks(seen)
        for part in parts_of_hand(seen.model.scene, self.site):
            apart = np.full(len(times), OUT)
            row_sets += hulls_apart(seen, self.about, (self.thing, span), part, times, apart)
        return row_sets

    def _looks(self, seen: Rollout) -> tuple[int, Floats]:
        """The stretch in which it lies, and the times of looks in it."""
        _, k = seen.happened[self.contact]
        chain = seen.trajectories.chains[self.thing]
        event = chain.events[k]
        if event.rests:
            return k + 1, _grid(event.time, min(event.time + AROUND, chain.spans[k + 1].end))
        return k, _grid(max(event.time - AROUND, chain.spans[k].start), event.time)


def holding_before(seen: Rollout, contact: str) -> tuple[str, ...]:
    """The sites that hold a thing until a handover."""
    thing, k = seen.happened[contact]
    scene, events = seen.model.scene, seen.trajectories.chains[thing].events[:k]
    grasps = [event.contact for event in events if event.holds and event.contact is not None]
    if grasps:
        return named(scene.contact(grasps[-1]).other)
    start = scene.thing(thing).start
    return named(start.by) if isinstance(start, Held) else ()


def parts_of_hand(scene: Scene, site: str) -> Iterator[str]:
    """The segment of a site and all that hang on it, fingers above all."""
    character, segment, _ = scene.place(site)
    skeleton = character.skeleton
    within = {segment}
    for joint, parent in enumerate(skeleton.topology.parents):
        if parent in within:
            within.add(joint)
    return (f"{character.name}/{skeleton.names[joint]}" for joint in sorted(within))


def _grid(begin: float, end: float) -> Floats:
    """The multiples of `STEP` between two times."""
    first, last = int(np.ceil(begin / STEP)), int(np.floor(end / STEP))
    return np.arange(first, last + 1, dtype=float) * STEP
