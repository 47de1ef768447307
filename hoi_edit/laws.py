"""By which numbers a touch goes: those of the contact that was intended, or the products of two materials."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hoi_edit.controls import Controls
from hoi_edit.exact import STILL_FRAME
from hoi_edit.rollout import Event
from hoi_edit.scene import Contact, Scene, Thing
from hoi_edit.touching import STRIKE
from hoi_edit.world import Ints, Surfaces, World
from kinematics.rotation import Floats

MATCH = 0.3  # [s] by which an intended contact may come early or late

Law = tuple[float, ...]  # restitution, friction, and the three numbers of the normal's turn
Flight = tuple[Thing, float, Any, Sequence[Contact]]  # a thing, its time and state, and what it is still meant to touch


@dataclass(frozen=True, eq=False)
class Laws:
    scene: Scene
    world: World
    controls: Controls

    def match(self, plan: Sequence[Contact], name: str, time: float) -> int | None:
        """Which intended contact a touch with something of this name is: the first that fits by partner and time."""
        for k, contact in enumerate(plan):
            if not contact.declared and abs(contact.time - time) <= MATCH and self.is_target(contact, name):
                return k
        return None

    def is_target(self, contact: Contact, name: str) -> bool:
        """Whether this is what a contact is meant to touch: a whole segment, a fixture, a thing."""
        other = contact.carrier
        return name == (self.world.frame_name(self.world.frame(other)) if "/" in other else other)

    def targets(self, contact: Contact) -> Ints:
        """Surfaces of the scene that a contact is meant to touch."""
        return self.world.surfaces_of(contact.carrier)

    def of_touch(self, thing: Thing, plan: Sequence[Contact], surfaces: Surfaces, k: int, time: float) -> Law:
        """Of a touch with a surface at about this time."""
        found = self.match(plan, surfaces.name[k], time)
        if found is not None and plan[found].kind == "impact":
            return self._own(plan[found].id)
        return _product(thing, surfaces.restitution[k], surfaces.friction[k])

    def of_declared(self, contact: Contact) -> Law:
        return self._own(contact.id) if contact.kind == "impact" else (0.0, 0.0, 0.0, 0.0, 0.0)

    def of_event(self, event: Event) -> Law:
        """Of a touch that happened."""
        if event.contact is not None and event.kind == "impact":
            law = self._own(event.contact)
        else:
            assert event.patch is not None
            law = _product(self.scene.thing(event.object), event.patch.restitution, event.patch.friction)
        return law if event.restitution is None else (event.restitution, *law[1:])

    def _own(self, contact: str) -> Law:
        own = self.controls.contacts[contact]
        return float(own.restitution), float(own.friction), *own.normal

    def items(
        self, flights: Sequence[Flight], s: Surfaces, surface: Ints, low: Floats, high: Floats, guess: Floats
    ) -> Floats:
        """STRIKE rows of flights."""
        laws = [
            self.of_touch(thing, plan, s, int(k), float(t))
            for (thing, _, _, plan), k, t in zip(flights, surface, guess, strict=True)
        ]
        return self.rows(flights, s, surface, (low, high, guess), laws)

    def rows(
        self, flights: Sequence[Flight], s: Surfaces, surface: Ints, times: tuple[Floats, Floats, Floats], laws: Any
    ) -> Floats:
        """The same by given laws."""
        own = np.array([(time, t.body.radius, t.body.mass, t.body.moments[0]) for t, time, _, _ in flights])
        laws, (low, high, guess) = np.asarray(laws, float), times
        return STRIKE.pack(
            len(flights), start=own[:, 0], state=[state for _, _, state, _ in flights], low=low, high=high, guess=guess,
            segment=self.world.segment[s.frame[surface]], frame=STILL_FRAME, place=s.place[surface],
            turned=s.turned[surface].reshape(-1, 9), core=s.core[surface], radius=s.radius[surface],
            ball_radius=own[:, 1], inverse_mass=1.0 / own[:, 2], inverse_moment=1.0 / own[:, 3],
            restitution=laws[:, 0], friction=laws[:, 1], normal_turn=laws[:, 2:],
        )  # fmt: skip


def _product(thing: Thing, e: float, mu: float) -> Law:
    """Restitution and friction of a pair are the products of theirs; the normal is the surface's own."""
    material = thing.material
    return float(np.asarray(material.restitution)) * e, float(np.asarray(material.friction)) * mu, 0.0, 0.0, 0.0
