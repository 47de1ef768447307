"""By which numbers a touch goes: those of the contact that was intended, or the products of two materials."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.scene import Contact, Scene, Thing
from hoi_edit.scene.controls import Controls
from hoi_edit.simulate.trajectory import Event
from hoi_edit.simulate.world import Ints, Surfaces, World

MATCH = 0.3  # [s] by which an intended contact may come early or late

Law = tuple[float, ...]  # restitution, friction, and the three numbers of the normal's turn


@dataclass(frozen=True, eq=False)
class ContactLaws:
    scene: Scene
    world: World
    controls: Controls

    def match(self, plan: Sequence[Contact], name: str, time: float) -> int | None:
        """Which intended contact a touch with something of this name is: the first that fits by partner and time."""
        for k, contact in enumerate(plan):
            happens_by_touch = not (contact.declared or contact.at_its_time or contact.passes_on)
            if happens_by_touch and abs(contact.time - time) <= MATCH and self.is_target(contact, name):
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
        index = self.match(plan, surfaces.name[k], time)
        return self.of_contact(thing, None if index is None else plan[index], surfaces, k)

    def of_contact(self, thing: Thing, contact: Contact | None, surfaces: Surfaces, k: int) -> Law:
        """Of a touch with a surface that is the given contact, or none that was intended."""
        if contact is not None and contact.bounces:
            return self._of_intended(contact.id)
        return _product(thing, surfaces.restitution[k], surfaces.friction[k])

    def of_meeting(self, a: Thing, plan_a: Sequence[Contact], b: Thing, plan_b: Sequence[Contact], time: float) -> Law:
        """Of two things that meet: that of the contact that either of them is meant to have, or of their materials."""
        for plan, other in ((plan_a, b), (plan_b, a)):
            index = self.match(plan, other.name, time)
            if index is not None and plan[index].bounces:
                return self._of_intended(plan[index].id)
        return _product(a, float(np.asarray(b.material.restitution)), float(np.asarray(b.material.friction)))

    def of_met(self, event: Event, twin: Event) -> Law:
        """Of two things that have met, by the events of both."""
        contact = event.contact or twin.contact
        a, b = self.scene.thing(event.object), self.scene.thing(twin.object)
        material = b.material
        law = _product(a, float(np.asarray(material.restitution)), float(np.asarray(material.friction)))
        law = law if contact is None else self._of_intended(contact)
        return law if event.restitution is None else (event.restitution, *law[1:])

    def of_declared(self, contact: Contact) -> Law:
        return self._of_intended(contact.id) if contact.bounces else (0.0, 0.0, 0.0, 0.0, 0.0)

    def of_event(self, event: Event) -> Law:
        """Of a touch that happened."""
        if event.contact is not None and event.bounces:
            law = self._of_intended(event.contact)
        else:
            assert event.patch is not None
            law = _product(self.scene.thing(event.object), event.patch.restitution, event.patch.friction)
        return law if event.restitution is None else (event.restitution, *law[1:])

    def _of_intended(self, contact: str) -> Law:
        law = self.controls.contacts[contact]
        return float(law.restitution), float(law.friction), *law.normal


def _product(thing: Thing, e: float, mu: float) -> Law:
    """Restitution and friction of a pair are the products of theirs; the normal is the surface's law."""
    material = thing.material
    return float(np.asarray(material.restitution)) * e, float(np.asarray(material.friction)) * mu, 0.0, 0.0, 0.0
