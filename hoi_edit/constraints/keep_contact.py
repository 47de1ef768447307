"""An intended contact goes on happening, at its place on the part: the floating collision (eq. 12).

Three rows bring the thing to its place in the part's frame at the time of the touch. That time is implicit, and a soft
catch, whose speed along the normal is small, would let it run away; so it is a variable of its own with a large weight:
δx - δp - θ × arm + (v - V) δt = 0. Where the rows hold, the touch is at that time, because the gap is gone. A contact
that has been lost is called back by the same rows at the time at which it last was.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.constraints.base import Rowset
from hoi_edit.linearise import Functional, Target
from hoi_edit.rollout import Event
from hoi_edit.simulation import Rollout
from hoi_edit.touching import FRAME
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class KeepContact:
    contact: str  # id
    place: Floats  # (3,) of the thing's centre in the frame of the part
    time: float  # when it was; also where to look for it if it is lost
    fixed_time: bool = False

    @property
    def label(self) -> str:
        return f"contact {self.contact}"

    @staticmethod
    def of(seen: Rollout, contact: str, fixed_time: bool = False) -> "KeepContact":
        """As it is in a rollout."""
        thing, k = seen.happened[contact]
        event = seen.trajectories.chains[thing].events[k]
        return KeepContact(contact, place_of(event), event.time, fixed_time)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        contact = seen.model.scene.contact(self.contact)
        time, span, frame_index = self.time, seen.flight_before(contact.object, self.time), -1
        if "/" in contact.carrier:
            frame_index = seen.model.world.frame(contact.carrier)
        if self.contact in seen.happened:
            _, span = seen.happened[self.contact]
            event = seen.trajectories.chains[contact.object].events[span]
            if event.declared:
                return []
            time = self.time if self.fixed_time else event.time
        frame = FRAME.unpack(seen.simulation.exact.frames([frame_index], [time])[0])
        state = seen.state_in(contact.object, time, span)
        arm = state.position - frame.position
        relative = state.velocity - frame.velocity - np.cross(frame.spin, arm)
        functional = apart(Target(contact.object, time, span), frame_index, arm, np.eye(3))
        if not self.fixed_time:
            functional = replace(functional, columns=[(time_name(self.contact), relative[:, None])])
        return [Rowset.equal(self.label, functional, frame.rotation.reshape(3, 3) @ self.place - arm)]

    def now(self, seen: Rollout) -> float:
        """When the contact is in a rollout; if it is lost, when it was."""
        if self.contact not in seen.happened:
            return self.time
        thing, k = seen.happened[self.contact]
        return seen.trajectories.chains[thing].events[k].time


def time_name(contact: str) -> str:
    """The variable that is a contact's time."""
    return f"{contact}.time"


def place_of(event: Event) -> Floats:
    """Of a thing's centre, in the frame of the part that it touches."""
    frame, before = FRAME.unpack(np.asarray(event.frame)), np.asarray(event.before)
    return np.asarray(frame.rotation.reshape(3, 3).T @ (before[:3] - frame.position))


def apart(target: Target, frame: int, arm: Floats, on: Floats) -> Functional:
    """Numbers on x - p - θ × arm: a thing's place as seen from a frame that moves and turns."""
    rest = np.zeros((len(on), 6))
    thing = np.concatenate([on, np.zeros((len(on), 3)), rest], axis=1)
    part = np.concatenate([-on, -np.cross(arm, on), rest], axis=1)
    return Functional(len(on), things=[(target, thing)], frames=[(frame, target.time, part)] if frame >= 0 else ())
