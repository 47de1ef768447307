"""An intended contact goes on happening, at its place on the part: the floating collision (eq. 12).

With free time the place has two degrees of freedom on the surface: along the normal the ball is at its radius whatever
happens. So there are two rows, along two tangents in the part's frame; a fixed time is one more. A contact that has been
lost has no event, and hence no derivative: it is called back by three rows at the time at which it last was.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.constraints.base import TIME, Rowset
from hoi_edit.linearise import Functional, Target
from hoi_edit.rollout import Event
from hoi_edit.simulation import Rollout
from hoi_edit.touching import FRAME, STATE
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class KeepContact:
    contact: str  # id
    place: Floats  # (3,) of the ball's centre in the frame of the part
    time: float  # when it was; also where to look for it if it is lost
    fixed_time: bool = False
    floating: bool = False  # the place is free: only the contact itself is kept

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
        if self.contact not in seen.happened:
            return [self._call_back(seen)]
        thing, k = seen.happened[self.contact]
        event = seen.trajectories.chains[thing].events[k]
        assert event.patch is not None
        if event.declared:
            return []
        found = []
        frame = FRAME.unpack(np.asarray(event.frame))
        R, arm = frame.rotation.reshape(3, 3), np.asarray(event.before)[:3] - frame.position
        normal = np.asarray(event.normal)
        if not self.floating:
            tangents = _tangents(normal)
            relative = STATE.unpack(np.asarray(event.before)).velocity - frame.velocity - np.cross(frame.spin, arm)
            # the place follows the time of touch, which is when the gap along the normal has gone
            sliding = tangents - np.outer(tangents @ relative, normal) / event.rate
            change = tangents @ R @ (self.place - R.T @ arm)
            found.append(Rowset.equal(self.label, meeting(thing, k, event, sliding), change))
        if self.fixed_time:
            when = meeting(thing, k, event, -normal[None] / event.rate)
            found.append(Rowset.equal(f"time of {self.label}", when, np.array([self.time - event.time]), TIME))
        return found

    def _call_back(self, seen: Rollout) -> Rowset:
        contact = seen.model.scene.contact(self.contact)
        span = seen.flight_before(contact.object, self.time)
        frame_index = seen.model.world.frame(contact.carrier) if "/" in contact.carrier else -1
        frame = FRAME.unpack(seen.simulation.exact.frames([frame_index], [self.time])[0])
        R, at = frame.rotation.reshape(3, 3), seen.state_in(contact.object, self.time, span).position
        arm = at - frame.position
        functional = apart(Target(contact.object, self.time, span), frame_index, arm, np.eye(3))
        return Rowset.equal(self.label, functional, R @ self.place - arm)


def place_of(event: Event) -> Floats:
    """Of a thing's centre, in the frame of the part that it touches."""
    frame, before = FRAME.unpack(np.asarray(event.frame)), np.asarray(event.before)
    return np.asarray(frame.rotation.reshape(3, 3).T @ (before[:3] - frame.position))


def meeting(thing: str, k: int, event: Event, on: Floats) -> Functional:
    """Numbers on how far a ball is, at the instant of event k, from where its place on the part is: at a fixed time."""
    assert event.patch is not None
    arm = np.asarray(event.before)[:3] - np.asarray(event.frame)[:3]
    return apart(Target(thing, event.time, k), event.patch.frame, arm, on)


def apart(target: Target, frame: int, arm: Floats, on: Floats) -> Functional:
    """Numbers on x - p - θ × arm: a thing's place as seen from a frame that moves and turns."""
    rest = np.zeros((len(on), 6))
    thing = np.concatenate([on, np.zeros((len(on), 3)), rest], axis=1)
    part = np.concatenate([-on, -np.cross(arm, on), rest], axis=1)
    return Functional(len(on), things=[(target, thing)], frames=[(frame, target.time, part)] if frame >= 0 else ())


def _tangents(normal: Floats) -> Floats:
    first = np.cross(normal, np.eye(3)[int(np.argmin(np.abs(normal)))])
    first /= np.linalg.norm(first)
    return np.stack([first, np.cross(normal, first)])
