"""Edits of the scene itself that take something out of it, or change which of its touches are meant.

What was about the thing, the person or the contact goes with it and is told; everything that it never touched stays as
it was, to the bit.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import replace

from hoi_edit.constraints.base import Constraint, about
from hoi_edit.constraints.open_hands import OpenHands
from hoi_edit.constraints.references import check
from hoi_edit.edit.body_replacement import names_still_there
from hoi_edit.edit.document import Document
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.plan_solver import on_scene
from hoi_edit.edit.progress import Listener, Progress, tell
from hoi_edit.edit.report import changes, only_declared
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Held, Scene, named
from hoi_edit.scene.plausibility import check_sense
from hoi_edit.simulate.contact_laws import MATCH
from hoi_edit.simulate.trajectory import Event, Node
from kinematics.errors import HoiError, unknown

Staged = tuple[Document, Iterate, tuple[Finding, ...]]


def without_thing(
    model: Model, document: Document, iterate: Iterate, name: str, progress: Listener | None = None
) -> Staged:
    """The document without a thing and its contacts, and what went with it and what changes."""
    scene = model.scene
    scene.thing(name)
    gone = [contact.id for contact in scene.contacts if name in (contact.object, *named(contact.other))]
    left = replace(
        scene, things=[thing for thing in scene.things if thing.name != name], contacts=_but(scene.contacts, gone)
    )
    return _without(left, model, document, iterate, name, gone, progress)


def without_fixture(
    model: Model, document: Document, iterate: Iterate, name: str, progress: Listener | None = None
) -> Staged:
    """The same of something that never moves: what lay on it falls."""
    scene = model.scene
    known = [fixture.name for fixture in scene.fixtures]
    if name not in known:
        raise unknown("fixture", name, known)
    gone = [contact.id for contact in scene.contacts if name in named(contact.other)]
    rest = [fixture for fixture in scene.fixtures if fixture.name != name]
    left = replace(scene, fixtures=rest, contacts=_but(scene.contacts, gone))
    return _without(left, model, document, iterate, name, gone, progress)


def without_character(
    model: Model, document: Document, iterate: Iterate, name: str, progress: Listener | None = None
) -> Staged:
    """The same of a person. What starts in their hands has to go first: nobody knows where it should be else."""
    scene = model.scene
    scene.character(name)
    held = [
        thing.name for thing in scene.things if isinstance(thing.start, Held) and _are_of(named(thing.start.by), name)
    ]
    if held:
        raise HoiError(f"{name!r} holds {', '.join(held)} at the start; remove what is held first")
    gone = [contact.id for contact in scene.contacts if _are_of(named(contact.other), name)]
    people = [person for person in scene.characters if person.name != name]
    left = replace(scene, characters=people, contacts=_but(scene.contacts, gone))
    return _without(left, model, document, iterate, name, gone, progress)


def _but(contacts: Sequence[Contact], gone: Collection[str]) -> list[Contact]:
    return [contact for contact in contacts if contact.id not in gone]


def _are_of(points: Collection[str], person: str) -> bool:
    return any(iterate.partition("/")[0] == person for iterate in points)


def _without(
    scene: Scene,
    model: Model,
    document: Document,
    iterate: Iterate,
    name: str,
    gone: list[str],
    progress: Listener | None,
) -> Staged:
    along = [Finding("contacts gone", contacts=tuple(gone))] if gone else []

    def touches(event: Event) -> bool:
        return event.object == name or (event.other or "").partition("/")[0] == name

    fresh, fresh_iterate, told = _on_scene(scene, model, document, iterate, touches, f"remove {name}", progress)
    return fresh, fresh_iterate, (*along, *told, *changes(iterate.rollout, fresh_iterate.rollout, but=(name, *gone)))


def without_contact(
    model: Model, document: Document, iterate: Iterate, contact: str, progress: Listener | None = None
) -> Staged:
    """The document with one contact less in its plan. Whatever touches then touches by chance: a hand that does not
    catch any more is bounced off. What nobody has taken up any more cannot be put down, so that goes along."""
    along = _put_down_after(model.scene, model.scene.contact(contact))
    gone = (contact, *along)
    scene = replace(model.scene, contacts=_but(model.scene.contacts, gone))

    def is_it(event: Event) -> bool:
        return event.contact in gone

    fresh, fresh_iterate, told = _on_scene(scene, model, document, iterate, is_it, f"remove {contact}", progress)
    lost = (Finding("contacts gone", contacts=along),) if along else ()
    return fresh, fresh_iterate, (*lost, *told, *changes(iterate.rollout, fresh_iterate.rollout, but=gone))


def _put_down_after(scene: Scene, contact: Contact) -> tuple[str, ...]:
    """What puts a thing down that a hold has taken up, if that is the next that is meant to happen to it."""
    later = [other for other in scene.plan_of(contact.object) if other.time > contact.time]
    return (later[0].id,) if contact.holds and later and later[0].puts_down else ()


def with_contact(
    model: Model, document: Document, iterate: Iterate, contact: Contact, progress: Listener | None = None
) -> Staged:
    """The document with one more contact in its plan: one that happens by itself, or one that is declared."""
    _check_new(model.scene, contact)
    scene = replace(model.scene, contacts=[*model.scene.contacts, contact])
    check_sense(scene)

    def goes_another_way(event: Event) -> bool:
        """A touch that only comes to be meant is what it was."""
        later = event.object == contact.object and event.time >= contact.time - MATCH
        laws = (contact.restitution, contact.friction)
        return later and (contact.declared or contact.catches or laws != (None, None))

    fresh, fresh_iterate, told = _on_scene(
        scene, model, document, iterate, goes_another_way, f"add {contact.id}", progress
    )
    if contact.id not in fresh_iterate.rollout.happened:
        raise HoiError(_does_not_happen(iterate.rollout, contact))
    lost = [
        happened
        for happened in iterate.rollout.happened
        if happened not in fresh_iterate.rollout.happened and happened not in document.loose
    ]
    if lost:
        raise HoiError(f"with contact {contact.id!r} in the plan, {', '.join(lost)} would not happen any more")
    thing, k = fresh_iterate.rollout.happened[contact.id]
    partner = str(fresh_iterate.rollout.trajectories.chains[thing].events[k].other)
    still = Finding("no longer hits", thing, partner)  # it is meant to now
    changed = [
        finding for finding in changes(iterate.rollout, fresh_iterate.rollout, but=(contact.id,)) if finding != still
    ]
    return fresh, fresh_iterate, (*only_declared(scene), *told, *changed)


def _check_new(scene: Scene, contact: Contact) -> None:
    if not isinstance(contact, Contact):
        raise HoiError(f"{contact!r} is no contact; give one such as hoi.Contact('bounce', 'ball', 'ground', time=1.2)")
    if contact.id in [other.id for other in scene.contacts]:
        raise HoiError(f"there is a contact {contact.id!r} already; give another id")


def _does_not_happen(seen: Rollout, contact: Contact) -> str:
    """Why a contact cannot be meant, and which touches of the thing could."""
    by_chance = [event for event in seen.trajectories.chains[contact.object].events if not event.intended]
    touches = [f"{event.other} at {event.time:.2f} s" for event in by_chance if event.bounces]
    known = f"by chance it touches {', '.join(touches)}" if touches else "it touches nothing by chance"
    what = f"contact {contact.id!r} of {contact.object!r} with {' and '.join(named(contact.other))}"
    return (
        f"{what} does not happen within {MATCH:g} s of {contact.time:g} s; {known}; with declared=True it is planned, "
        "and session.solve() brings it about"
    )


def _on_scene(
    scene: Scene, model: Model, document: Document, iterate: Iterate, ends: Callable[[Event], bool], what: str,
    progress: Listener | None,
) -> tuple[Document, Iterate, tuple[Finding, ...]]:  # fmt: skip
    """The document on another scene, and what was taken out of it; flights after events that `ends` holds for are
    found anew, as are those of whatever is met on the way."""
    nodes, fewer = dict(iterate.nodes), _nodes_before(iterate, _first(iterate.rollout, ends), scene)
    turn, most = 0, len(nodes) + 2
    while turn == 0 or len(fewer) < len(nodes):  # something else may be met than before
        nodes, turn = fewer, turn + 1
        tell(progress, Progress(what, turn, most, float("nan")))
        times = {name: time for name, time in iterate.times.items() if name in nodes}
        _, moved, fresh_iterate = on_scene(scene, model, document, replace(iterate, nodes=nodes, times=times))
        cut = _first(fresh_iterate.rollout, lambda event: event.leaps)
        fewer = _nodes_before(replace(fresh_iterate, nodes=nodes), cut, scene)
    tell(progress, Progress(what, most, most, float("nan")))
    fitting, told = still_meant(moved, fresh_iterate.rollout)
    return fitting, fresh_iterate, told


def _first(seen: Rollout, holds: Callable[[Event], bool]) -> dict[str, float]:
    """Of each thing the time from which on it may go another way: an event that this holds for, or a meeting with
    something that went another way before."""
    cut: dict[str, float] = {}
    for event in seen.events:  # in order of time
        if event.object not in cut and (holds(event) or event.other in cut):
            cut[event.object] = event.time
    return cut


def _nodes_before(iterate: Iterate, cut: Mapping[str, float], scene: Scene) -> dict[str, Node]:
    """Nodes of contacts that the scene has, up to where things may go another way."""
    planned = {contact.id: contact for contact in scene.contacts}
    happened = iterate.rollout.happened

    def stays(contact: str) -> bool:
        if contact not in planned:
            return False
        thing, k = happened.get(contact, (planned[contact].object, None))
        if thing not in cut:
            return True
        return k is not None and iterate.rollout.trajectories.chains[thing].events[k].time < cut[thing]

    return {contact: node for contact, node in iterate.nodes.items() if stays(contact)}


def still_meant(document: Document, seen: Rollout) -> tuple[Document, tuple[Finding, ...]]:
    """Without constraints, locks, scales, opened laws and loose contacts that name what is not there any more."""
    constraints, told = _still_kept(document.constraints, seen)
    switched_off, more = _still_kept(document.switched_off, seen)
    freedom, loose, gone = names_still_there(document, seen)
    told += [*more, *(Finding("went along", about=name) for name in gone)]
    fitting = replace(document, constraints=constraints, switched_off=switched_off, freedom=freedom, loose=loose)
    return fitting, tuple(told)


def _still_kept(constraints: tuple[Constraint, ...], seen: Rollout) -> tuple[tuple[Constraint, ...], list[Finding]]:
    kept, told = list[Constraint](), list[Finding]()
    for constraint in constraints:
        try:
            check(constraint, seen)
            kept.append(_of_what_is_there(constraint, seen))
        except HoiError as problem:
            told.append(Finding("taken out", about=about(constraint), why=str(problem)))
    return tuple(kept), told


def _of_what_is_there(constraint: Constraint, seen: Rollout) -> Constraint:
    """Hands that are kept open, without holds that are not there any more."""
    if not isinstance(constraint, OpenHands):
        return constraint
    scene = seen.model.scene
    known = {thing.name for thing in scene.things} | {contact.id for contact in scene.contacts}
    holds = tuple(hold for hold in constraint.holds if hold in known)
    return constraint if holds == constraint.holds else OpenHands(holds)
