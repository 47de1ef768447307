"""While a plan is unsolved its contacts are declared: thing and site are brought together at the contact's time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Target
from hoi_edit.constraints.base import Named, Rowset
from hoi_edit.constraints.keep_pass import KeepPass
from hoi_edit.constraints.partner import partner, partner_at
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene.controls import is_site, snapped


@dataclass(frozen=True, eq=False)
class Declared(Named):
    contact: str

    @property
    def about(self) -> Finding:
        return Finding("contact", self.contact)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        scene = seen.model.scene
        contact = scene.contact(self.contact)
        if contact.passes_on:
            return KeepPass.to_site(seen, self.contact).rows(seen) if self.contact in seen.happened else []
        if contact.bounces and not is_site(scene, contact.carrier):
            return self._onto_surface(seen)
        span = self._span(seen)
        site = partner(seen, contact.carrier, contact.time)
        arm = seen.state_in(contact.object, contact.time, span).position - site.position
        place = site.rotation @ snapped(scene, contact)
        functional = site.apart(Target(contact.object, contact.time, span), arm, np.eye(3))
        return [Rowset.equal(self.about, functional, place - arm)]

    def _span(self, seen: Rollout) -> int:
        """The stretch of its thing that is to end there: of one that lies or rolls until then, that."""
        contact = seen.model.scene.contact(self.contact)
        if self.contact in seen.happened:
            thing, k = seen.happened[self.contact]
            if seen.trajectories.chains[thing].spans[k].rolls:
                return k
        return seen.flight_before(contact.object, contact.time)

    def _onto_surface(self, seen: Rollout) -> Sequence[Rowset]:
        """A fixture or a part has no place of its own to be hit at: it is enough that the gap closes. What is in a hand
        then does not get there, whatever closes."""
        if self.contact not in seen.happened:
            return []
        thing, k = seen.happened[self.contact]
        event = seen.trajectories.chains[thing].events[k]
        part = partner_at(seen, self.contact, event.time)
        arm = np.asarray(event.before)[:3] - part.position
        functional = part.apart(Target(thing, event.time, k), arm, np.asarray(event.normal)[None])
        return [Rowset.equal(self.about, functional, np.array([-event.gap]))]
