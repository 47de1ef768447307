"""While a plan is unsolved its contacts are declared: thing and site are brought together at the contact's time."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import Rowset
from hoi_edit.constraints.keep_contact import apart
from hoi_edit.controls import snapped
from hoi_edit.linearise import Target
from hoi_edit.simulation import Rollout
from hoi_edit.touching import FRAME


@dataclass(frozen=True, eq=False)
class Declared:
    contact: str

    @property
    def label(self) -> str:
        return f"contact {self.contact}"

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        scene = seen.model.scene
        contact, thing = scene.contact(self.contact), scene.thing(scene.contact(self.contact).object)
        span = seen.flight_before(contact.object, contact.time)
        frame_index = seen.model.world.frame(contact.carrier)
        frame = FRAME.unpack(seen.simulation.exact.frames([frame_index], [contact.time])[0])
        arm = seen.state_in(contact.object, contact.time, span).position - frame.position
        place = frame.rotation.reshape(3, 3) @ snapped(scene, contact.carrier, thing, np.eye(3))
        functional = apart(Target(contact.object, contact.time, span), frame_index, arm, np.eye(3))
        return [Rowset.equal(self.label, functional, place - arm)]
