"""An intended contact goes on happening: the floating collision (eq. 12).

Three rows bring the thing to its place in the part's frame at the time of the touch. That time is implicit, and a soft
catch, whose speed along the normal is small, would let it run away; so it is a variable of its own with a large weight:
δx - δp - θ × arm + (v - V) δt = 0. Where the rows hold, the touch is at that time, because the gap is gone. No event is
needed for them: a contact that is lost on the way is called back by the same rows.

What is caught lies in the hand as it did. What is hit may be hit elsewhere: there one row closes the gap, and two more
say how far the place has slid along the surface, which is a variable too, and costs something.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.constraints.base import SPEED, Rowset
from hoi_edit.linearise import Functional, Target
from hoi_edit.rollout import Event
from hoi_edit.simulation import Rollout
from kinematics.rotation import Floats, cross

SLOWEST = 0.3  # [m/s] of approach


@dataclass(frozen=True, eq=False)
class KeepContact:
    contact: str  # id
    place: Floats  # (3,) of the thing's centre in the frame of what it touches
    time: float  # at which its place is looked at: its own, where it holds
    normal: Floats  # (3,) of the surface, in that frame
    approach: float  # [m/s] at which they meet at least: a touch that parts again has been one before
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
        place, normal = partner.local(np.asarray(event.before)[:3]), partner.rotation.T @ np.asarray(event.normal)
        approach = min(SLOWEST, 0.5 * abs(event.rate))
        return KeepContact(contact, place, event.time, normal, approach, fixed_time)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        thing = seen.model.scene.contact(self.contact).object
        event = self._event(seen)
        span = seen.happened[self.contact][1] if event is not None else seen.flight_before(thing, self.time)
        partner = self._partner(seen, event)
        if event is not None and event.time == self.time:
            position, velocity = np.asarray(event.before)[:3], np.asarray(event.before)[12:15]
        else:
            state = seen.state_in(thing, self.time, span)
            position, velocity = state.position, state.velocity
        arm = position - partner.position
        relative = velocity - partner.velocity - cross(partner.spin, arm)
        normal, on, change = partner.rotation @ self.normal, np.eye(3), partner.rotation @ self.place - arm
        slides = False
        if event is not None and event.declared and event.kind == "impact":
            slides = True
            normal = np.asarray(event.normal)
            on = np.concatenate([normal[None], self._tangents() @ partner.rotation.T])
            change = np.array([-event.gap, 0.0, 0.0])
        functional = partner.apart(Target(thing, self.time, span), arm, on)
        columns = [] if self.fixed_time else [(time_name(self.contact), (on @ relative)[:, None])]
        if slides:
            columns.append((slide_name(self.contact), np.array([[0.0, 0.0], [-1.0, 0.0], [0.0, -1.0]])))
        found = [Rowset.equal(self.label, replace(functional, columns=columns), change)]
        rate = float(normal @ relative)
        if rate > -2.0 * self.approach:
            closing = partner.rate(Target(thing, self.time, span), arm, relative, normal)
            most = np.array([-self.approach - rate])
            found.append(Rowset(self.label, closing, np.array([-np.inf]), most, SPEED))
        return found

    def slid(self, seen: Rollout) -> Floats | None:
        """(2,) how far along the surface the touch is from its place; None if it may not be."""
        event = self._event(seen)
        if event is None or not event.declared or event.kind != "impact":
            return None
        place = self._partner(seen, event).local(np.asarray(event.before)[:3])
        return np.asarray(self._tangents() @ (place - self.place))

    def _partner(self, seen: Rollout, event: Event | None) -> "Partner":
        """What is touched; an event at that very time knows how it moves."""
        if (
            event is not None
            and event.time == self.time
            and event.patch is not None
            and event.other not in seen.trajectories.chains
        ):
            return moving_with(event.patch.frame, np.asarray(event.frame))
        return partner_at(seen, self.contact, self.time)

    def _event(self, seen: Rollout) -> Event | None:
        if self.contact not in seen.happened:
            return None
        thing, k = seen.happened[self.contact]
        return seen.trajectories.chains[thing].events[k]

    def _tangents(self) -> Floats:
        """(2, 3) along the surface, in the part's frame."""
        first = cross(self.normal, np.eye(3)[int(np.argmin(np.abs(self.normal)))])
        first = first / np.linalg.norm(first)
        return np.stack([first, cross(self.normal, first)])


def slide_name(contact: str) -> str:
    """The variables that say how far a contact slides along what it touches."""
    return f"{contact}.slide"


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
        own = np.concatenate([-on, -cross(arm, on), rest], axis=1)
        return self._functional(target, np.concatenate([on, zero, rest], axis=1), own)

    def rate(self, target: Target, arm: Floats, relative: Floats, normal: Floats) -> Functional:
        """The number n · (v - V - W × arm): how fast a thing leaves along a normal that turns with this."""
        swept = cross(normal, self.spin)
        zero = np.zeros(3)
        thing = np.concatenate([-swept, zero, normal, zero])[None]
        own = np.concatenate([swept, cross(normal, relative), -normal, -cross(arm, normal)])[None]
        return self._functional(target, thing, own)

    def _functional(self, target: Target, thing: Floats, own: Floats) -> Functional:
        things = [(target, thing)]
        if self.thing is not None:
            return Functional(len(own), things=[*things, (Target(self.thing, target.time), own)])
        return Functional(len(own), things=things, frames=[(self.frame, target.time, own)] if self.frame >= 0 else ())


def partner_at(seen: Rollout, contact: str, time: float) -> Partner:
    """Of an intended contact, at a time."""
    return partner(seen, seen.model.scene.contact(contact).carrier, time)


def partner(seen: Rollout, name: str, time: float) -> Partner:
    """A part or a point of it ("juggler/right_palm"), a thing, or a fixture."""
    if name in seen.trajectories.chains:
        state = seen.state(name, time)
        return Partner(-1, name, state.position, state.rotation, state.velocity, state.angular_velocity)
    index = seen.model.world.frame(name) if "/" in name else -1
    return moving_with(index, seen.simulation.exact.frames([index], [time])[0])


def moving_with(index: int, motion: Floats) -> Partner:
    """A frame by its packed motion (24,)."""
    return Partner(index, None, motion[:3], motion[3:12].reshape(3, 3), motion[12:15], motion[15:18])
