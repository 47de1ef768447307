"""Edits of the plan itself: a new catch, another time for a contact or a release.

A contact that is not there yet has no event and hence no derivative. So it is first *declared*: it happens at its time
by decree, and three rows bring thing and site together there. When they have met, the decree is lifted and the contact
is the implicit event that it should be.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.constraints.base import TIME, Constraint, Rowset
from hoi_edit.constraints.keep_contact import KeepContact
from hoi_edit.constraints.open_hands import OpenHands
from hoi_edit.constraints.partner import partner_at
from hoi_edit.controls import snapped
from hoi_edit.editing.document import Document, carried_over
from hoi_edit.editing.kept import Kept, surface_of
from hoi_edit.editing.point import Point
from hoi_edit.editing.progress import Listener
from hoi_edit.editing.report import Report
from hoi_edit.editing.solve import Solver
from hoi_edit.laws import MATCH
from hoi_edit.linearise import Functional
from hoi_edit.rollout import Node
from hoi_edit.scene import Contact, Scene
from hoi_edit.simulation import Model, Rollout
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from rigid.body import is_ball

Solved = tuple[Report, Document, Point]
AGAIN = 4  # times that a plan is led to where its touches really are
LAST_FLIGHT = 0.7  # [s] guessed of a flight that nothing is to end
STRAYED = 0.5 * MATCH  # [s] by which a contact may stray from its planned time before the plan is told of it


@dataclass(frozen=True, eq=False)
class ReleaseAt:
    """A release is at a time."""

    contact: str
    time: float

    @property
    def label(self) -> str:
        return f"release of {self.contact} at {self.time:.2f} s"

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        release = seen.model.layout[f"{self.contact}.release"].indices
        functional = Functional(1, columns=[(f"{self.contact}.release", np.eye(1))])
        return [Rowset.equal(self.label, functional, self.time - seen.u[release], TIME)]


def retimed(
    model: Model, document: Document, point: Point, contact: str, time: float, progress: Listener | None = None
) -> Solved:
    """A contact at another time, at the same place on its part."""
    own = model.scene.contact(contact)
    if own.declared:
        raise HoiError(f"contact {contact!r} is declared, not yet solved; solve the plan before retiming it")
    if contact not in point.rollout.happened:
        raise HoiError(f"contact {contact!r} does not happen in this scene, so it has no time to change")
    model, document, point = _replanned(model, document, point, {contact: replace(own, time=float(time))})
    kept = Kept.of(model, point, document.freedom, document.loose)
    fixed = tuple(
        replace(c, time=float(time), fixed_time=True) if isinstance(c, KeepContact) and c.contact == contact else c
        for c in kept.contacts
    )
    start = replace(point, times={**point.times, contact: float(time)})
    what = f"retime {contact} to {time:.2f} s"
    return _solved(replace(kept, contacts=fixed), document, start, document.constraints, what, progress)


def released_at(
    model: Model, document: Document, point: Point, contact: str, time: float, progress: Listener | None = None
) -> Solved:
    """A release at another time."""
    if f"{contact}.release" not in model.layout:
        raise HoiError(f"contact {contact!r} has no release; a grasp that ends has one")
    kept = Kept.of(model, point, document.freedom, document.loose)
    wanted = ReleaseAt(contact, float(time))
    return _solved(kept, document, point, (*document.constraints, wanted), wanted.label, progress)


def caught(
    model: Model, document: Document, point: Point, contact: Contact, progress: Listener | None = None
) -> Solved:
    """A new catch: thing and site are brought together at its time, and the rest of the plan is kept."""
    scene = replace(model.scene, contacts=[*model.scene.contacts, replace(contact, declared=True)])
    what = f"catch {contact.object} with {contact.carrier} at {contact.time:.2f} s"
    report, solved, there = solved_plan(*_moved_to(scene, model, document, point), what, progress)
    return (report, solved, there) if report.converged else (report, document, point)


def solved_plan(
    model: Model,
    document: Document,
    point: Point,
    what: str = "solve the plan",
    progress: Listener | None = None,
) -> Solved:
    """All declared contacts at once: they come true, and then happen by themselves."""
    scene, constraints = model.scene, document.constraints
    declared = [contact.id for contact in scene.contacts if contact.declared]
    if any(contact.declared and contact.kind == "impact" and _can_be_led(scene, contact) for contact in scene.contacts):
        return _from_touch_to_touch(model, document, point, what, progress)
    kept = Kept.of(model, point, document.freedom, document.loose)
    report, met, there = _solved(kept, document, point, constraints, what, progress)
    if not report.converged:
        return report, met, there
    if not declared:
        absent = [contact for contact in there.rollout.missed if contact not in document.loose]
        return (_absent(report, absent) if absent else report), met, there
    # things are where they should be; now hands let go of them, and are not in their way
    gentle = (*constraints, OpenHands.of(scene))
    opened, better, out = _solved(kept, met, there, gentle, what, progress)
    if opened.converged:
        met, there, constraints = better, out, gentle
    lifted = replace(scene, contacts=[replace(contact, declared=False) for contact in scene.contacts])
    real, final, end = _moved_to(lifted, model, met, there)
    if any(name not in end.rollout.happened for name in declared):
        # something is in between: they go on to be led there, and what they run into is kept clear of
        end = _still_led(real, there, end)
    kept = Kept.of(real, end, final.freedom, final.loose)
    report, solved, end = _solved(kept, final, end, constraints, what, progress)
    return (report, solved, end) if report.converged else (report, document, point)


def _from_touch_to_touch(
    model: Model, document: Document, point: Point, what: str, progress: Listener | None
) -> Solved:
    """A plan with declared impacts. One after the other they would throw a ball ever farther off, so each flight is
    guessed on its own, from where its touch is to where the next one is, and all are made to join."""
    scene = model.scene
    lifted = replace(scene, contacts=[replace(contact, declared=False) for contact in scene.contacts])
    real = Model.of(lifted)
    u = carried_over(point.u, model.layout, real.layout, real.start)
    nodes, times, led = dict(point.nodes), dict(point.times), {}
    for contact in scene.contacts:
        if contact.declared and _can_be_led(scene, contact):
            nodes[contact.id], times[contact.id] = _guessed(point.rollout, contact), contact.time
            led[contact.id] = int(real.world.surfaces_of(contact.carrier)[0])
    start = Point.at(real, u, nodes, times, led)
    kept = Kept.of(real, start, document.freedom, document.loose)
    placed = tuple(
        replace(own, place=snapped(scene, scene.contact(own.contact)))
        if isinstance(own, KeepContact) and own.contact in led
        else own
        for own in kept.contacts
    )
    kept, solved, end = replace(kept, contacts=placed), replace(document, scene=lifted, u=u, nodes=nodes), start
    for _ in range(AGAIN):
        report, solved, end = _solved(kept, solved, end, document.constraints, what, progress)
        if report.converged:
            return report, solved, end
        if any(contact not in end.rollout.happened for contact in led):
            break
        # a part has several surfaces, and another one than was thought is met first: then that one is meant
        kept = Kept.of(real, end, document.freedom, document.loose)
    return report, document, point


def _can_be_led(scene: Scene, contact: Contact) -> bool:
    """Whether a plan's contact is that of a ball with a site of a body."""
    character, _, point = contact.carrier.partition("/")
    sites = [site.name for site in scene.character(character).skeleton.sites] if point else []
    return is_ball(scene.thing(contact.object).body) and point in sites


def _guessed(seen: Rollout, contact: Contact) -> Node:
    """What follows a planned contact: a hold, or the flight to the next one."""
    scene = seen.model.scene
    if contact.kind == "grasp":
        return Node(contact.time, None, snapped(scene, contact), np.eye(3))
    here, gravity = _met_at(seen, contact), np.asarray(scene.gravity)
    after = [own for own in scene.plan_of(contact.object) if own.time > contact.time and _can_be_led(scene, own)]
    lasts = after[0].time - contact.time if after else LAST_FLIGHT
    there = _met_at(seen, after[0]) if after else here
    velocity = (there - here) / lasts - 0.5 * lasts * gravity
    return Node(contact.time, np.concatenate([here, np.eye(3).ravel(), velocity, np.zeros(3)]))


def _met_at(seen: Rollout, contact: Contact) -> Floats:
    """Where a thing is when it touches its site as it moves by now."""
    site = partner_at(seen, contact.id, contact.time)
    return np.asarray(site.position + site.rotation @ snapped(seen.model.scene, contact))


def _absent(report: Report, contacts: Sequence[str]) -> Report:
    """A plan of which nothing is declared, and some of which does not happen."""
    why = tuple(f"{name}: it does not happen; declare it (`declared=True`) and solve again" for name in contacts)
    missed = {f"contact {name}": np.inf for name in contacts}
    return replace(report, converged=False, residual=np.inf, missed=missed, binding=why)


def _still_led(model: Model, declared: Point, lifted: Point) -> Point:
    """A plan whose decree is lifted, with balls led to where they were by decree."""
    seen = declared.rollout
    surfaces = {contact: surface_of(seen, contact) for contact in seen.happened}
    led = {contact: surface for contact, surface in surfaces.items() if surface is not None}
    times = {c: seen.trajectories.chains[name].events[k].time for c, (name, k) in seen.happened.items()}
    return Point.at(model, lifted.u, {**seen.nodes, **lifted.nodes}, {**times, **lifted.times}, led)


def _solved(
    kept: Kept,
    document: Document,
    start: Point,
    constraints: tuple[Constraint, ...],
    what: str,
    progress: Listener | None,
) -> Solved:
    solver = Solver(kept, constraints, start, what=what, listener=progress)
    for _ in solver.run():
        pass
    point = solver.point.with_turns().timed()
    return solver.report(), replace(document, u=point.u, nodes=dict(point.nodes)), point


def _replanned(
    model: Model, document: Document, point: Point, contacts: Mapping[str, Contact]
) -> tuple[Model, Document, Point]:
    """The scene with other planned contacts, if they are so far from what was planned that they would not be found."""
    planned = {own.id: own for own in model.scene.contacts}
    if all(abs(planned[name].time - own.time) < STRAYED for name, own in contacts.items()):
        return model, document, point
    scene = replace(model.scene, contacts=[contacts.get(own.id, own) for own in model.scene.contacts])
    return _moved_to(scene, model, document, point)


def _moved_to(scene: Scene, model: Model, document: Document, point: Point) -> tuple[Model, Document, Point]:
    """The same document on a changed scene."""
    fresh = Model.of(scene)
    u = carried_over(point.u, model.layout, fresh.layout, fresh.start)
    nodes = dict(point.nodes)
    there = Point.at(fresh, u, nodes, point.times).timed()
    for contact in scene.contacts:
        if contact.id not in nodes and contact.id in there.rollout.happened and not contact.declared:
            nodes[contact.id] = there.rollout.nodes[contact.id]
    there = Point.at(fresh, u, nodes, there.times).timed()
    return fresh, replace(document, scene=scene, u=u, nodes=nodes), there


def new_contact(
    scene: Scene, thing: str, site: str | tuple[str, ...], t: float, release: float | None, name: str | None
) -> Contact:
    """A catch with a name that is not taken."""
    scene.thing(thing)
    taken = {contact.id for contact in scene.contacts} | {thing.name for thing in scene.things}
    number = 1 + sum(contact.kind == "grasp" for contact in scene.contacts)
    while name is None or (name in taken and name.startswith("catch")):
        name, number = f"catch{number}", number + 1
    return Contact(name, thing, site, float(t), kind="grasp", release=release)
