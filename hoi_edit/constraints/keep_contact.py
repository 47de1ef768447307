"""An intended contact goes on happening, at its place on the part: the floating collision (eq. 12).

Three rows bring the thing to its place in the part's frame at the time of the touch. That time is implicit, and a soft
catch, whose speed along the normal is small, would let it run away; so it is a variable of its own with a large weight:
δx - δp - θ × arm + (v - V) δt = 0. Where the rows hold, the touch is at that time, because the gap is gone. No event is
needed for them: a contact that is lost on the way is called back by the same rows.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.constraints.base import Rowset
from hoi_edit.linearise import Functional, Target
from hoi_edit.simulation import Rollout
from hoi_edit.touching import FRAME
from kinematics.rotation import Floats, cross


@dataclass(frozen=True, eq=False)
class KeepContact:
    contact: str  # id
    place: Floats  # (3,) of the thing's centre in the frame of what it touches
    time: float  # at which its place is looked at: its own, where it holds
    fixed_time: bool = False

    @property
    def label(self) -> str:
        return f"contact {self.contact}"

    @staticmethod
    def of(seen: Rollout, contact: str, fixed_time: bool = False) -> "KeepContact":
        """As it is in a rollout."""
        thing, k = seen.happened[contact]
        event = seen.trajectories.chains[thing].events[k]
        partner = partner_at(seen, contact, event.time)
        return KeepContact(contact, partner.local(np.asarray(event.before)[:3]), event.time, fixed_time)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        thing = seen.model.scene.contact(self.contact).object
        span = seen.happened[self.contact][1] if self.contact in seen.happened else seen.flight_before(thing, self.time)
        partner = partner_at(seen, self.contact, self.time)
        state = seen.state_in(thing, self.time, span)
        arm = state.position - partner.position
        functional = partner.apart(Target(thing, self.time, span), arm, np.eye(3))
        if not self.fixed_time:
            relative = state.velocity - partner.velocity - cross(partner.spin, arm)
            functional = replace(functional, columns=[(time_name(self.contact), relative[:, None])])
        return [Rowset.equal(self.label, functional, partner.rotation @ self.place - arm)]


def time_name(contact: str) -> str:
    """The variable that is a contact's time."""
    return f"{contact}.time"


@dataclass(frozen=True, eq=False)
class Partner:
    """What is touched: a part, a thing in a hand or in flight, or the world; with its motion at a time."""

    frame: int  # of a part; -1 otherwise
    thing: str | None
    position: Floats
    rotation: Floats
    velocity: Floats
    spin: Floats

    def local(self, point: Floats) -> Floats:
        return np.asarray(self.rotation.T @ (point - self.position))

    def apart(self, target: Target, arm: Floats, on: Floats) -> Functional:
        """Numbers on x - p - θ × arm: a thing's place as seen from here, while this moves and turns."""
        zero, rest = np.zeros((len(on), 3)), np.zeros((len(on), 6))
        things = [(target, np.concatenate([on, zero, rest], axis=1))]
        own = np.concatenate([-on, -cross(arm, on), rest], axis=1)
        if self.thing is not None:
            return Functional(len(on), things=[*things, (Target(self.thing, target.time), own)])
        return Functional(len(on), things=things, frames=[(self.frame, target.time, own)] if self.frame >= 0 else ())


def partner_at(seen: Rollout, contact: str, time: float) -> Partner:
    """Of an intended contact, at a time."""
    return partner(seen, seen.model.scene.contact(contact).carrier, time)


def partner(seen: Rollout, name: str, time: float) -> Partner:
    """A part or a point of it ("juggler/right_palm"), a thing, or a fixture."""
    if name in seen.trajectories.chains:
        state = seen.state(name, time)
        return Partner(-1, name, state.position, state.rotation, state.velocity, state.angular_velocity)
    index = seen.model.world.frame(name) if "/" in name else -1
    frame = FRAME.unpack(seen.simulation.exact.frames([index], [time])[0])
    return Partner(index, None, frame.position, frame.rotation.reshape(3, 3), frame.velocity, frame.spin)
