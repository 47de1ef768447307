"""Edits of the plan itself: a new catch, another time for a contact or a release."""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace
from itertools import count
from typing import Literal

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import TIME, Named, Rowset
from hoi_edit.constraints.keep_contact import KeepContact
from hoi_edit.edit.document import Document
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.plan_solver import Solved, absent, on_scene, run, solved_plan, without_losses
from hoi_edit.edit.problem import EditProblem, surface_of
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.reach import reach
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding, Kind
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Held, Scene, Thing
from hoi_edit.simulate.contact_laws import MATCH
from kinematics.errors import HoiError

STRAYED = 0.5 * MATCH  # [s] by which a contact may stray from its planned time before the plan is told of it
SAME_TIME = 1e-9  # [s]: nobody asks for less
SMALLEST = 1.0 / 16.0  # of the way to another time
CLOSEST = 0.01  # [s] between what a thing is meant to do one after the other

Here = tuple[Model, Document, Iterate]  # where an edit of the plan has come to


@dataclass(frozen=True, eq=False)
class ReleaseAt(Named):
    """A release is at a time, or a pass (`part` "passed")."""

    contact: str
    time: float
    part: str = "release"

    @property
    def about(self) -> Finding:
        kind: Kind = "release" if self.part == "release" else "contact"
        return Finding(kind, self.contact, time=float(self.time))

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        block = f"{self.contact}.{self.part}"
        functional = Functional(1, columns=[(block, np.eye(1))])
        return [Rowset.equal(self.about, functional, self.time - seen.u[seen.model.layout[block].indices], TIME)]


def retimed(
    model: Model, document: Document, iterate: Iterate, contact: str, time: float, progress: Listener | None = None
) -> Solved:
    """A contact at another time, at the same place on its part; by and by, where that is too far for one go, and as far
    as that leads."""
    planned = model.scene.contact(contact)
    if planned.declared:
        raise HoiError(f"contact {contact!r} is declared, not yet solved; solve the plan before retiming it")
    if contact not in iterate.rollout.happened:
        raise HoiError(f"contact {contact!r} does not happen in this scene, so it has no time to change")
    if not model.scene.start <= time <= model.scene.end:
        raise HoiError(
            f"contact {contact!r} cannot be at {time:g} s: the scene runs from {model.scene.start:g} s to "
            f"{model.scene.end:g} s"
        )
    if planned.passes_on:
        return released_at(model, document, iterate, contact, time, progress, "passed")
    thing, k = iterate.rollout.happened[contact]
    was = iterate.rollout.trajectories.chains[thing].events[k].time
    what = Finding("retime", contact, time=float(time))

    def go(here: Here, goal_time: float) -> tuple[Here, Report]:
        moved, (report, solved, end) = _retimed_in_order(*here, contact, goal_time, what, progress)
        return (moved, solved, end), report

    here, share, report = _by_and_by((model, document, iterate), was, time, go)
    if share == 0.0:
        return report, document, iterate
    whole = without_losses(model.scene, document, iterate, (replace(report, converged=True), *here[1:]))
    if share == 1.0 or not whole[0].converged:
        return whole
    return _partly(report, what, (1.0 - share) * abs(time - was)), *whole[1:]


def _by_and_by(
    here: Here, was: float, time: float, go: Callable[[Here, float], tuple[Here, Report]]
) -> tuple[Here, float, Report]:
    """From one time to another in one go, or in pieces, each solved before the next: where that leads, the share of the
    way that it is, and what became of it."""
    share, piece, report = 0.0, 1.0, Report(True, 0.0, 0)
    while share < 1.0:
        next_share = min(share + piece, 1.0)
        moved, next_report = go(here, was + next_share * (time - was))
        next_report = replace(next_report, iterations=report.iterations + next_report.iterations)
        if next_report.converged:
            here, share, report = moved, next_share, next_report
        elif piece <= SMALLEST:
            return here, share, next_report
        else:
            piece, report = 0.5 * piece, replace(report, iterations=next_report.iterations)
    return here, share, report


def _partly(report: Report, what: Finding, left: float) -> Report:
    """Of an edit that has come nearer [s] to what was wished for, and holds."""
    return replace(report, converged=False, residual=left, missed={what: left}, wishes=frozenset([what]), timed=True)


def _retimed_in_order(
    model: Model,
    document: Document,
    iterate: Iterate,
    contact: str,
    time: float,
    what: Finding,
    progress: Listener | None,
) -> tuple[Model, Solved]:
    """In one go, unless its thing would have to do something before what it does before that. What comes before and
    after may still give way, by and by."""
    passed = _held_at_its_time(document, contact) or _passed(iterate.rollout, contact, time)
    if passed is not None:
        thing, k = iterate.rollout.happened[contact]
        left = abs(time - iterate.rollout.trajectories.chains[thing].events[k].time)
        report = Report(False, left, 0, (passed,), missed={what: left}, wishes=frozenset([what]), timed=True)
        return model, (report, document, iterate)
    return _retimed_to(model, document, iterate, contact, time, what, progress)


def _held_at_its_time(document: Document, contact: str) -> Finding | None:
    """A constraint that keeps a contact when it is."""
    kept = [
        constraint
        for constraint in document.constraints
        if isinstance(constraint, KeepContact) and constraint.contact == contact
    ]
    return next((constraint.about for constraint in kept if constraint.fixed_time), None)


def _passed(seen: Rollout, contact: str, time: float) -> Finding | None:
    """What the same thing is meant to do before or after a contact, and would come after or before it, if any."""
    thing, k = seen.happened[contact]
    events = seen.trajectories.chains[thing].events
    meant = [event for event in events if event.intended or event.lets_go]
    for event in meant:
        early = event.time < events[k].time and time < event.time + CLOSEST
        late = event.time > events[k].time and time > event.time - CLOSEST
        if early or late:
            return Finding("release" if event.lets_go else "contact", str(event.contact))
    return None


def _retimed_to(
    model: Model,
    document: Document,
    iterate: Iterate,
    contact: str,
    time: float,
    what: Finding,
    progress: Listener | None,
) -> tuple[Model, Solved]:
    """The same in one go, and the model of the plan by then."""
    thing, k = iterate.rollout.happened[contact]
    times = [iterate.rollout.trajectories.chains[thing].events[k].time, time]
    model, document, iterate = _replanned(model, document, iterate, replace(model.scene.contact(contact), time=time))
    stretch = reach(model.scene, document.freedom, times)
    kept = EditProblem.of(model, iterate, document.freedom, document.loose, stretch=stretch, starts=True)
    fixed = tuple(
        replace(c, time=time, fixed_time=True) if isinstance(c, KeepContact) and c.contact == contact else c
        for c in kept.contacts
    )
    start = replace(iterate, times={**iterate.times, contact: time})
    return model, run(replace(kept, contacts=fixed), document, start, document.constraints, str(what), progress)


def _replanned(model: Model, document: Document, iterate: Iterate, contact: Contact) -> tuple[Model, Document, Iterate]:
    """The scene with another plan for a contact, if it is so far from what was planned that it would not be found; the
    thing is then led to where it was."""
    if abs(model.scene.contact(contact.id).time - contact.time) < STRAYED:
        return model, document, iterate
    surface, release = surface_of(iterate.rollout, contact.id), f"{contact.id}.release"
    if release in model.layout:  # as it is by now
        contact = replace(contact, release=max(float(iterate.u[model.layout[release].indices][0]), contact.time))
    scene = replace(
        model.scene, contacts=[contact if other.id == contact.id else other for other in model.scene.contacts]
    )
    fresh, moved, fresh_iterate = on_scene(scene, model, document, iterate)
    led = {} if surface is None else {contact.id: surface}
    return fresh, moved, Iterate.at(fresh, fresh_iterate.u, iterate.nodes, iterate.times, led)


def released_at(
    model: Model, document: Document, iterate: Iterate, contact: str, time: float, progress: Listener | None = None,
    part: str = "release",
) -> Solved:  # fmt: skip
    """A release, or a pass (`part` "passed"), at another time; by and by, where that is too far for one go, and as far
    as that leads. The plan knows it then."""
    block, what = f"{contact}.{part}", ReleaseAt(contact, float(time), part).about
    if block not in model.layout:
        raise HoiError(f"contact {contact!r} has no release; a grasp that ends has one")
    if part == "release":
        _check_release(model, iterate.rollout, contact, time)
    else:
        _check_pass(model, iterate.rollout, contact, time)
    was = float(iterate.u[model.layout[block].indices][0])

    def go(here: Here, goal_time: float) -> tuple[Here, Report]:
        stretch = reach(model.scene, document.freedom, [was, goal_time])
        kept = EditProblem.of(model, here[2], document.freedom, document.loose, stretch=stretch, starts=True)
        wishes = (*document.constraints, ReleaseAt(contact, goal_time, part))
        report, solved, end = run(kept, *here[1:], wishes, str(what), progress)
        return (model, solved, end), report

    here, share, report = _by_and_by((model, document, iterate), was, float(time), go)
    if share == 0.0:
        return report, document, iterate
    report, solved, end = without_losses(
        model.scene, document, iterate, (report if share == 1.0 else replace(report, converged=True), *here[1:])
    )
    if not report.converged:
        return report, document, iterate
    at = was + share * (float(time) - was)
    replanned = with_release(model.scene, contact, at) if part == "release" else _with_pass(model.scene, contact, at)
    _, solved, end = on_scene(replanned, model, solved, end)
    return report if share == 1.0 else _partly(report, what, abs(time - at)), solved, end


def _check_release(model: Model, seen: Rollout, contact: str, time: float) -> None:
    """A release is after its catch, if it has one, and within the scene."""
    caught = model.scene.start
    if contact in seen.happened:
        thing, k = seen.happened[contact]
        caught = seen.trajectories.chains[thing].events[k].time
    if not caught < time <= model.scene.end:
        what = "the scene begins" if contact not in seen.happened else "what it throws is caught"
        raise HoiError(
            f"'{contact}:release' cannot be at {time:g} s: {what} at {caught:.2f} s and the scene ends at "
            f"{model.scene.end:g} s; give a time in between"
        )


def _with_pass(scene: Scene, contact: str, time: float) -> Scene:
    contacts = [replace(other, time=float(time)) if other.id == contact else other for other in scene.contacts]
    return replace(scene, contacts=contacts)


def _check_pass(model: Model, seen: Rollout, contact: str, time: float) -> None:
    """A pass is while its thing is held: after what came into the first hand, and before the second lets go."""
    thing, k = seen.happened[contact]
    events = seen.trajectories.chains[thing].events
    begun = events[k - 1].time if k > 0 else model.scene.start
    ends = events[k + 1].time if k + 1 < len(events) else model.scene.end
    if not begun < time < ends:
        raise HoiError(
            f"pass {contact!r} cannot be at {time:g} s: {thing!r} is held from {begun:.2f} to {ends:.2f} s; "
            "give a time in between"
        )


def thrown_from(seen: Rollout, hold: str) -> tuple[str, float]:
    """The thing that a hold throws, and since when it is held. A hold has the id of its grasp or, from the start on,
    the name of its thing."""
    scene = seen.model.scene
    throws = {contact.id: contact.object for contact in scene.contacts if contact.holds and contact.release is not None}
    starts = {thing.name: thing.start for thing in scene.things if isinstance(thing.start, Held)}
    throws |= {name: name for name, start in starts.items() if start.release is not None}
    if hold not in throws:
        raise HoiError(f"{_not_thrown(scene, hold)}; choose from: {', '.join(throws) or 'none'}")
    if hold in starts:
        return hold, scene.start
    thing, k = seen.happened.get(hold, (throws[hold], None))
    return thing, scene.contact(hold).time if k is None else seen.trajectories.chains[thing].events[k].time


def _not_thrown(scene: Scene, hold: str) -> str:
    """Why nothing is thrown by what was named."""
    things = {thing.name: thing for thing in scene.things}
    if hold in things:
        held = isinstance(things[hold].start, Held)
        return f"thing {hold!r} {'is held to the end' if held else 'starts in flight'}, not thrown from its start"
    contact = scene.contact(hold)
    return f"contact {hold!r} is {'held to the end' if contact.holds else 'an impact'}, not thrown"


def with_release(scene: Scene, hold: str, t: float | None) -> Scene:
    """The same with a hold that ends at a time; with None it is held on."""
    things = [_let_go_at(thing, t) if thing.name == hold else thing for thing in scene.things]
    release = None if t is None else float(t)
    contacts = [replace(contact, release=release) if contact.id == hold else contact for contact in scene.contacts]
    return replace(scene, things=things, contacts=contacts)


def _let_go_at(thing: Thing, time: float | None) -> Thing:
    assert isinstance(thing.start, Held)
    return replace(thing, start=replace(thing.start, release=None if time is None else float(time)))


def caught(
    model: Model, document: Document, iterate: Iterate, contact: Contact, progress: Listener | None = None
) -> Solved:
    """A new catch: thing and site are brought together at its time, and the rest of the plan is kept."""
    check_lies_on_palm(model.scene, contact.object)
    cut = cut_off(model.scene, iterate.rollout, contact, document.loose)
    if cut:
        return refused_as_cut_off(contact, cut), document, iterate
    scene = replace(model.scene, contacts=[*model.scene.contacts, replace(contact, declared=True)])
    what = f"catch {contact.object} with {contact.carrier} at {contact.time:.2f} s"
    solved = solved_plan(*on_scene(scene, model, document, iterate), what, progress)
    return without_losses(model.scene, document, iterate, solved)


def refused_as_cut_off(contact: Contact, cut: Sequence[str]) -> Report:
    """Of a new contact that would have its thing in a hand, or lying, when it is meant to be elsewhere."""
    why = Finding("in hand then", contact.object, contact.carrier, contacts=tuple(cut))
    return replace(absent(Report(False, np.inf, 0), cut, "lost by it"), binding=(why,))


def check_lies_on_palm(scene: Scene, thing: str) -> None:
    """A place on a palm, known beforehand, is one of balls."""
    if not scene.thing(thing).shape.lies_on_palm:
        raise HoiError(
            f"{thing!r} is no ball, so it is not known how it would lie in the hand; let it fly to where the hand is, "
            "and `grasp` it there"
        )


def cut_off(scene: Scene, seen: Rollout, contact: Contact, loose: Collection[str]) -> list[str]:
    """Contacts of the same thing that would come while a new one holds it, or has it lie somewhere. Handovers take it
    from there, wherever that is."""
    until = np.inf if contact.release is None else contact.release
    later = [other for other in scene.plan_of(contact.object) if contact.time < other.time < until]
    kept = [other for other in later if other.id not in loose and (other.declared or other.id in seen.happened)]
    return [other.id for other in kept if not other.at_its_time]


def new_contact(
    scene: Scene, thing: str, site: str | tuple[str, ...], t: float, release: float | None, name: str | None,
    called: str = "catch", kind: Literal["grasp", "rest"] = "grasp",
) -> Contact:  # fmt: skip
    """A catch, or what else is `called` so, with a name that is not taken."""
    scene.thing(thing)
    taken = names_taken(scene)
    number = 1 + sum(contact.kind == kind for contact in scene.contacts)
    while name is None or (name in taken and name.startswith(called)):
        name, number = f"{called}{number}", number + 1
    return Contact(name, thing, site, float(t), kind=kind, release=release)


def names_taken(scene: Scene) -> set[str]:
    """What no new contact may be called: a hold has the name of its contact, or of its thing."""
    return {contact.id for contact in scene.contacts} | {thing.name for thing in scene.things}


def first_free(scene: Scene, called: str) -> str:
    """A name that is not taken: touch1, touch2, …"""
    taken = names_taken(scene)
    return next(name for name in (f"{called}{k}" for k in count(1)) if name not in taken)
