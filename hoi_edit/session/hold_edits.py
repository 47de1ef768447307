"""Edits of who holds what and of what is meant to touch: a thing is let go, a touch that happens is meant, and one that
does not is brought about."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from hoi_edit.edit import contact_edits as plan
from hoi_edit.edit import hold_moves, holds, passes
from hoi_edit.edit import removals as taking_out
from hoi_edit.edit import throw_to_site as throws
from hoi_edit.edit.document import Call
from hoi_edit.edit.failed_trials import answered
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import NOTHING, Report
from hoi_edit.reporting.findings import Finding
from hoi_edit.scene import Contact, named
from hoi_edit.scene.arguments import is_number, is_text
from hoi_edit.session.people_edits import PeopleEdits
from hoi_edit.simulate.trajectory import Event
from kinematics.errors import HoiError


def check_seconds(what: str, t: object) -> None:
    if not is_number(t):
        raise HoiError(f"{what} is {t}; it must be one number of seconds")


def check_text(what: str, name: object) -> None:
    if not is_text(name):
        raise HoiError(f"{what} is called {name!r}; give its name as text, such as 'ball1' or 'juggler/right_palm'")


def check_steps(steps: object) -> None:
    if steps not in (False, True, "stay"):
        raise HoiError(
            f"steps is {steps!r}; give True (people step there and back again), 'stay' (and go on there) or False"
        )


def check_sites(name: str, site: object, what: str) -> None:
    sites = (site,) if is_text(site) else tuple(site) if isinstance(site, Sequence) else ()
    if not sites or not all(map(is_text, sites)):
        raise HoiError(
            f"{name!r} is to be {what} {site!r}; give a site such as 'juggler/right_palm', or two in a tuple"
        )


class HoldEdits(PeopleEdits):
    """An open document whose contacts can change."""

    @answered
    def release(self, name: str, t: float, progress: Listener | None = None) -> Report:
        """Let go here: what holds this thing at a time ends then, be that sooner or later than it did, or never. The
        thing flies on as the hand moves, which gives way, so that it does not push what it has let go."""
        check_text("what is let go", name)
        check_seconds(f"the time at which {name!r} is let go", t)
        self._check_flies_from(name, t)
        hold = holds.hold_at(self.iterate.rollout, name, float(t))
        if f"{hold.id}.release" in self.layout and abs(hold.end - t) <= plan.SAME_TIME:
            return NOTHING
        solved = holds.let_go(self.model, self.document, self.iterate, hold, float(t), progress)
        return self._planned(solved, f"let go of {name} at {t:.2f} s", Call("release", {"name": name, "t": float(t)}))

    @answered
    def move_hold(self, name: str, t: float, to: float, progress: Listener | None = None) -> Report:
        """Hold this thing sooner or later: the hold that it is in at a time begins at another one, and lets go by as
        much sooner or later, if it does; a handover that ends it stays when it is."""
        check_text("what is held", name)
        check_seconds(f"the time at which {name!r} is held", t)
        check_seconds(f"the time from which {name!r} is to be held", to)
        hold = holds.hold_at(self.iterate.rollout, name, float(t))
        if abs(to - hold.start) <= plan.SAME_TIME:
            return NOTHING
        by = float(to) - hold.start
        solved = hold_moves.moved(self.model, self.document, self.iterate, hold, by, progress)
        call = Call("move_hold", {"name": name, "t": float(t), "to": float(to)})
        return self._planned(solved, f"move the hold of {name} to {to:.2f} s", call)

    @answered
    def pass_to(
        self, name: str, site: str | tuple[str, ...], t: float, release: float | None = None,
        id: str | None = None, declared: bool = False,  # noqa: A002
        progress: Listener | None = None,
    ) -> Report:  # fmt: skip
        """Pass it on: what a hand holds at a time goes over to another site ("ann/left_palm"), or two, without a
        flight: to another hand, onto a shoulder, to another person. A `release` throws it on from there; what was to be
        thrown later is thrown from there anyway.

        It is where it is, so nothing leaps; both carriers are brought together, and move alike there. One that is
        `declared` is only planned, and `solve` has them meet.
        """
        check_text("what is passed on", name)
        check_seconds(f"the time at which {name!r} is passed on", t)
        check_sites(name, site, "passed to")
        for hand in named(site):
            self.scene.place(hand)
        if release is not None:
            check_seconds(f"the time at which {name!r} is let go", release)
        self._check_new(id)
        site = site if isinstance(site, str) else tuple(site)
        contact, hold = passes.new_pass(self.iterate.rollout, name, site, float(t), release, id)
        contact = replace(contact, declared=bool(declared))
        if declared:
            _, document, iterate = passes.planned(self.model, self.document, self.iterate, contact, hold)
            solved = Report(True, 0.0, 0), document, iterate
        else:
            solved = passes.passed(self.model, self.document, self.iterate, contact, hold, progress)
        arguments = {"name": name, "site": site, "t": float(t), "release": release, "id": contact.id}
        label = f"pass {name} to {' and '.join(named(site))} at {t:.2f} s"
        return self._planned(solved, label, Call("pass_to", arguments | ({"declared": True} if declared else {})))

    def held_on(self, hold_id: str) -> holds.Hold | None:
        """A hold, by its id, that nothing ends."""
        if f"{hold_id}.release" in self.layout:
            return None
        seen = self.iterate.rollout
        found = (hold for thing in seen.model.scene.things for hold in holds.holds_of(seen, thing.name))
        return next((hold for hold in found if hold.id == hold_id and hold.end >= self.scene.end), None)

    @answered
    def thrown_to(
        self, contact: str, to: Any, t: float, release: float | None, name: str | None, declared: bool,
        progress: Listener | None,
    ) -> Report:  # fmt: skip
        is_thing = contact in [thing.name for thing in self.scene.things]
        thing = contact if is_thing else self.scene.contact(contact).object
        check_sites(thing, to, "thrown to")
        for hand in named(to):
            self.scene.place(hand)
        self._check_new(name)
        site = to if isinstance(to, str) else tuple(to)
        planned = throws.planned_throw(self.iterate.rollout, thing, site, t, release, name)
        solved = throws.thrown_to(self.model, self.document, self.iterate, planned, not declared, progress)
        arguments = {"contact": contact, "t": t, "to": site, "release": release, "id": planned[1].id}
        label = f"throw {thing} to {' and '.join(named(site))} at {t:.2f} s"
        return self._planned(solved, label, Call("throw", arguments | ({"declared": True} if declared else {})))

    def _check_flies_from(self, name: str, t: float) -> None:
        """What is to be put down, or taken out of the hand, cannot fly before that."""
        first = min((one for one in self.scene.plan_of(name) if one.time > t), key=lambda one: one.time, default=None)
        if first is not None and first.at_its_time:
            raise HoiError(
                f"{name!r} is in no hand any more by {first.time:.2f} s, when {first.id!r} is to take it from there; "
                "remove that contact first, or retime it"
            )

    def _declared(self, contact: Contact, label: str, call: Call) -> Report:
        """A contact that is only planned."""
        declared = replace(contact, declared=True)
        document, iterate, _ = taking_out.with_contact(self.model, self.document, self.iterate, declared)
        return self._planned((Report(True, 0.0, 0), document, iterate), label, call)

    def _new_grasp(
        self, name: str, site: str | tuple[str, ...], t: float, release: float | None, wanted: str | None
    ) -> Contact:
        """A grasp whose words are checked."""
        self._check_new(wanted)
        check_sites(name, site, "caught with")
        for hand in named(site):  # a name that is wrong is told before what it would be wrong about
            self.scene.place(hand)
        site = site if isinstance(site, str) else tuple(site)
        return plan.new_contact(self.scene, name, site, t, release, wanted)

    def _check_new(self, name: object) -> None:
        """An id for a contact that is to be."""
        if name in [contact.id for contact in self.scene.contacts]:
            raise HoiError(f"there is a contact {name!r} already; give another id, or none to have one made up")

    def mean(
        self, touch: Event | str, t: float | None = None, id: str | None = None,  # noqa: A002
        progress: Listener | None = None,
    ) -> tuple[Finding, ...]:  # fmt: skip
        """Mean a touch that happens by chance, so that edits keep it and it can be dragged, retimed and pinned: one of
        `rollout.events`, or that of a thing next to a time. What that changes."""
        thing, when = (touch.object, touch.time) if isinstance(touch, Event) else (touch, t)
        check_text("what touches something", thing)
        check_seconds(f"the time at which {thing!r} touches something", when)
        contact = holds.meant(self.iterate.rollout, thing, float(when or 0.0), id)
        staged = taking_out.with_contact(self.model, self.document, self.iterate, contact, progress)
        call = Call("mean", {"touch": thing, "t": contact.time, "id": contact.id})
        return self._taken(staged, f"mean {thing} with {contact.carrier} at {contact.time:.2f} s", call)

    def _hit_by_part(
        self, name: str, site: str, t: float, wanted: str | None, progress: Listener | None, declared: bool
    ) -> Report:
        """A ball meets a part of a body."""
        check_text("what it is hit with", site)
        self.scene.place(site)
        self._check_new(wanted)
        if not self.scene.thing(name).shape.any_prescribed:
            raise HoiError(f"{name!r} is no ball, and only balls are hit; `drag` moves it, and `grasp` takes it")
        contact, label = (
            holds.new_touch(self.scene, name, site, float(t), wanted),
            f"hit {name} with {site} at {t:.2f} s",
        )
        arguments = {"name": name, "site": site, "t": float(t), "id": contact.id}
        holds.check_not_meant(self.iterate.rollout, contact)
        if declared:
            return self._declared(contact, label, Call("hit", arguments | {"declared": True}))
        solved = holds.hit(self.model, self.document, self.iterate, contact, progress)
        return self._planned(solved, label, Call("hit", arguments))
