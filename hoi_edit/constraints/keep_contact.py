"""An intended contact goes on happening: the floating collision (eq. 12).

Three rows bring the thing to its place in the part's frame at the time of the touch. That time is implicit, and a soft
catch, whose speed along the normal is small, would let it run away; so it is a variable of its own with a large weight:
δx - δp - θ × arm + (v - V) δt = 0. Where the rows hold, the touch is at that time, because the gap is gone. No event is
needed for them: a contact that is lost on the way is called back by the same rows.

What is caught lies in the hand as it did. What is hit may be hit elsewhere: there one row closes the gap, and two more
say how far the place has slid along the surface, which is a variable too, and costs something.
"""

from collections.abc import Collection, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hoi_edit.adjoint import Target, time_name
from hoi_edit.constraints.base import SPEED, Named, Rowset, freeze
from hoi_edit.constraints.partner import ContactPartner, along, apart, closing, moving_with, partner_at
from hoi_edit.constraints.references import check_time
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.simulate.events.hull_impact import point_of
from hoi_edit.simulate.trajectory import Event
from kinematics.errors import HoiError
from kinematics.packed_motion import ROTATION, SPIN, VELOCITY
from kinematics.rotation import Floats, cross

SLOWEST = 0.3  # [m/s] of approach
SLIDES = np.array([[0.0, 0.0], [-1.0, 0.0], [0.0, -1.0]])
ANY = np.array([-np.inf])


@dataclass(frozen=True, eq=False)
class KeepContact(Named):
    contact: str  # id
    place: Floats  # (3,) of the thing's centre in the frame of what it touches
    time: float  # at which its place is looked at: its own, where it holds
    normal: Floats  # (3,) of the surface, in that frame
    approach: float  # [m/s] at which they meet at least: a touch that parts again has been one before
    fixed_time: bool = False

    def __post_init__(self) -> None:
        freeze(self, "place", "normal")

    @property
    def about(self) -> Finding:
        return Finding("contact", self.contact)

    @staticmethod
    def of(seen: Rollout, contact: str, fixed_time: bool = False) -> "KeepContact":
        """As it is in a rollout."""
        seen.model.scene.contact(contact)
        if contact not in seen.happened:
            raise HoiError(f"contact {contact!r} does not happen in this scene, so there is nothing to keep")
        thing, k = seen.happened[contact]
        event = seen.trajectories.chains[thing].events[k]
        partner = partner_at(seen, contact, event.time)
        place, normal = partner.local(np.asarray(event.before)[:3]), partner.rotation.T @ np.asarray(event.normal)
        approach = min(SLOWEST, 0.5 * abs(event.rate))
        return KeepContact(contact, place, event.time, normal, approach, fixed_time)

    def check(self, seen: Rollout) -> None:
        seen.model.scene.contact(self.contact)
        check_time(seen, self.label, self.time)

    def within(self, edit: "KeepContact | None") -> "KeepContact":
        """The same while an edit is solved that keeps this contact anyway: its place is this one's, its time that of
        the edit, unless it is to stay. Without such an edit no variable stands for its time, so that is fixed."""
        if edit is None:
            return replace(self, fixed_time=True)
        return self if self.fixed_time else replace(self, time=edit.time, fixed_time=edit.fixed_time)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        return KeptContacts([self], [self.time], seen, firm=[self.contact]).rows()

    @cached_property
    def tangents(self) -> Floats:
        """(2, 3) along the surface, in the part's frame."""
        first = cross(self.normal, np.eye(3)[int(np.argmin(np.abs(self.normal)))])
        first = first / np.linalg.norm(first)
        return np.stack([first, cross(self.normal, first)])


class KeptContacts:
    """Contacts that go on, each looked at at a time of its own: all in one go, since there are many in every step.
    Those that are `firm` do not slide along what they touch."""

    def __init__(
        self, contacts: Sequence[KeepContact], times: Sequence[float], seen: Rollout, firm: Collection[str] = ()
    ) -> None:
        self.contacts = contacts
        looks = [_look(kept, time, seen) for kept, time in zip(contacts, times, strict=True)]
        self.targets = [target for target, _, _, _ in looks]
        self.partners = [partner for _, partner, _, _ in looks]
        self.slides = [
            None if kept.contact in firm else slides for kept, (*_, slides) in zip(contacts, looks, strict=True)
        ]
        self.scene = seen.model.scene
        self.hulls = [_caught_hull(kept, seen) for kept in contacts]
        self.spans = [target.span for target in self.targets]
        if not looks:
            return
        state = np.stack([state for _, _, state, _ in looks])
        self.rotation = np.stack([partner.rotation for partner in self.partners])
        self.spin = np.stack([partner.spin for partner in self.partners])
        self.arm = state[:, :3] - np.stack([partner.position for partner in self.partners])
        velocity = np.stack([partner.velocity for partner in self.partners])
        self.relative = state[:, 3:] - velocity - cross(self.spin, self.arm)

    def rows(self) -> list[Rowset]:
        if not self.contacts:
            return []
        normal = np.stack([kept.normal for kept in self.contacts])
        place = np.stack([kept.place for kept in self.contacts])
        normal, change = _turned(self.rotation, normal), _turned(self.rotation, place) - self.arm
        on = np.broadcast_to(np.eye(3), (len(change), 3, 3)).copy()
        for k, event in enumerate(self.slides):
            if event is not None:
                normal[k] = on[k, 0] = event.normal
                on[k, 1:] = self.contacts[k].tangents @ self.rotation[k].T
                change[k] = -event.gap, 0.0, 0.0
        thing_side, partner_side = apart(self.arm, on)
        by_time = (on @ self.relative[..., None])[..., 0]
        rate = (normal * self.relative).sum(axis=1)
        thing_touching, partner_touching = closing(self.arm, self.relative, normal, self.spin)
        row_sets = []
        for k, kept in enumerate(self.contacts):
            event = self.hulls[k]
            if event is not None:
                row_sets += self._hulls_touch(k, event)
                continue
            functional = self.partners[k].functional(self.targets[k], thing_side[k], partner_side[k])
            columns = self._columns(k, by_time[k])
            row_sets.append(Rowset(kept.about, replace(functional, columns=columns), change[k], change[k]))
            if rate[k] > -2.0 * kept.approach:
                leaving = self.partners[k].functional(self.targets[k], thing_touching[k], partner_touching[k])
                row_sets.append(Rowset(kept.about, leaving, ANY, np.array([-kept.approach - rate[k]]), SPEED))
        return row_sets

    def _hulls_touch(self, k: int, event: Event) -> list[Rowset]:
        """A thing that is not a ball is caught with whatever of it comes to the hand first: the gap closes, and it goes
        on to close. How the thing then lies in the hand is a variable."""
        kept, patch, normal = self.contacts[k], event.patch, np.asarray(event.normal)
        assert patch is not None
        part, target = (
            moving_with(patch.frame, np.asarray(event.frame)),
            Target(event.object, event.time, self.spans[k]),
        )
        point = point_of(self.scene.thing(event.object).body, event)
        ours, theirs = along(normal, point - np.asarray(event.before)[:3]), along(normal, point - part.position)
        columns = [] if kept.fixed_time else [(time_name(kept.contact), np.array([[event.rate]]))]
        functional = part.functional(target, ours, -theirs)
        row_sets = [Rowset.equal(kept.about, replace(functional, columns=columns), np.array([-event.gap]))]
        if event.rate > -2.0 * kept.approach:
            leaving = part.functional(target, np.roll(ours, 6, axis=1), -np.roll(theirs, 6, axis=1))
            row_sets.append(Rowset(kept.about, leaving, ANY, np.array([-kept.approach - event.rate]), SPEED))
        return row_sets

    def _columns(self, k: int, by_time: Floats) -> list[tuple[str, Floats]]:
        kept = self.contacts[k]
        columns = [] if kept.fixed_time else [(time_name(kept.contact), by_time[:, None])]
        return columns if self.slides[k] is None else [*columns, (slide_name(kept.contact), SLIDES)]

    def slid(self) -> dict[str, Floats]:
        """(2,) how far along the surface each touch that may slide is from its place."""
        slides = {}
        for k, kept in enumerate(self.contacts):
            if self.slides[k] is not None:
                place = self.rotation[k].T @ self.arm[k]
                slides[kept.contact] = np.asarray(kept.tangents @ (place - kept.place))
        return slides


def _look(kept: KeepContact, time: float, seen: Rollout) -> tuple[Target, ContactPartner, Floats, Event | None]:
    """A contact at a time: the thing then, with its partner, its place and velocity (6,), and the touch if it may slide
    along what it touches. An event at that very time knows how both move."""
    thing, event = seen.model.scene.contact(kept.contact).object, None
    if kept.contact in seen.happened:
        _, span = seen.happened[kept.contact]
        event = seen.trajectories.chains[thing].events[span]
    else:
        span = seen.flight_before(thing, time)
    slides = event if event is not None and event.declared and event.bounces else None
    if event is not None and event.time == time:
        before = np.asarray(event.before)
        state = np.concatenate([before[:ROTATION], before[VELOCITY:SPIN]])
        if event.patch is not None and event.other not in seen.trajectories.chains:
            return Target(thing, time, span), moving_with(event.patch.frame, np.asarray(event.frame)), state, slides
    else:
        then = seen.state_in(thing, time, span)
        state = np.concatenate([then.position, then.velocity])
    return Target(thing, time, span), partner_at(seen, kept.contact, time), state, slides


def _caught_hull(kept: KeepContact, seen: Rollout) -> Event | None:
    """The catch of a thing that is not a ball."""
    if kept.contact not in seen.happened:
        return None
    thing, k = seen.happened[kept.contact]
    event = seen.trajectories.chains[thing].events[k]
    bulky = not seen.model.scene.thing(thing).shape.lies_on_palm
    return event if bulky and event.catches and seen.trajectories.chains[thing].spans[k].flies else None


def _turned(rotations: Floats, vectors: Floats) -> Floats:
    """(N, 3) each vector by its rotation."""
    return np.asarray((rotations @ vectors[..., None])[..., 0])


def slide_name(contact: str) -> str:
    """The variables that say how far a contact slides along what it touches."""
    return f"{contact}.slide"


def time_variable(seen: Rollout, event: Event) -> str | None:
    """The variable that is the time of an event while an edit is solved; None if it follows from others."""
    if event.contact is None:
        return None
    if event.lets_go or event.passes_on:
        name = f"{event.contact}.{'release' if event.lets_go else 'passed'}"
        return name if name in seen.model.layout and not event.clamped else None
    led = event.declared and not seen.model.scene.contact(event.contact).declared
    return time_name(event.contact) if led else None
