"""Edits of when somebody moves: a clip is later, slower, or a stretch of it, with all that was done to it.

What nobody else touches goes along with its holder, flights included, if it is only later. Everything else that this
person is meant to touch is declared, at the time at which the clip has it now, if what its thing does before and after
leaves room for that, and so is what comes after it: `solve` brings it about.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace

import numpy as np

from hoi_edit.constraints import FootPlant, HandAcceleration, KeepContact, SecondHand
from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.bend import Bend
from hoi_edit.constraints.pin import Pin
from hoi_edit.edit.document import Document, carried_over
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.removals import still_meant
from hoi_edit.edit.report import only_declared
from hoi_edit.motions.clip_times import ClipTimes, at_times, can_be_retimed, recording_at
from hoi_edit.qp import Lock
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Model
from hoi_edit.scene import Contact, Held, Scene, Thing, is_level, named
from hoi_edit.simulate.trajectory import Node
from kinematics.errors import HoiError

ROOM = 0.05  # [s] between what a thing does one after the other

Staged = tuple[Document, Iterate, tuple[Finding, ...]]


def in_other_time(model: Model, document: Document, iterate: Iterate, name: str, times: ClipTimes) -> Staged:
    """The document with somebody's clip at other times, and what that changes about what was meant."""
    scene, person = model.scene, model.scene.character(name)
    if not can_be_retimed(person.motion):
        raise HoiError(
            f"{name!r} moves by a blend of clips; only a clip of its own can be shifted, trimmed or stretched"
        )
    block = model.layout[name]
    motion, controls = at_times(person.motion, iterate.u[block.indices].reshape(block.shape), times)
    along = {thing.name for thing in scene.things if times.scale == 1.0 and _goes_along(scene, thing, name)}
    moved = replace(person, motion=motion, recording=recording_at(person.recording, times))
    people = [moved if other is person else other for other in scene.characters]
    things = [_started(scene, thing, name, times, along) for thing in scene.things]
    contacts = [_moved(scene, contact, name, times, along) for contact in scene.contacts]
    _check_within(scene, name, things, contacts)
    end = max(scene.end, float(motion.end))
    new = Model.of(replace(scene, characters=people, things=things, contacts=contacts, end=end))
    u = carried_over(iterate.u, model.layout, new.layout, new.start)
    u[new.layout[name].indices] = controls.ravel()
    for moment, shift in _times_moved(scene, new.scene).items():
        if moment in new.layout:
            u[new.layout[moment].indices] = iterate.u[model.layout[moment].indices] + shift
    nodes = _nodes(scene, iterate, name, times, along)
    new.simulate(u, nodes, strict=True)  # nobody is put where a thing starts
    fresh = Iterate.at(new, u, nodes, {}).timed()
    constraints, switched_off = (
        tuple(_in_time(constraint, name, times, along) for constraint in some)
        for some in (document.constraints, document.switched_off)
    )
    locks = [_locked(lock, name, times) for lock in document.freedom.locks]
    there = replace(
        document, scene=new.scene, u=u, nodes=dict(fresh.rollout.nodes), constraints=constraints,
        switched_off=switched_off, freedom=replace(document.freedom, locks=locks) if locks else document.freedom,
    )  # fmt: skip
    fitting, told = still_meant(there, fresh.rollout)
    return fitting, fresh, (*only_declared(new.scene), *told)


def _of(part: str, name: str) -> bool:
    return part.partition("/")[0] == name


def _goes_along(scene: Scene, thing: Thing, name: str) -> bool:
    """Whether nobody else touches a thing that starts in somebody's hands."""
    level = {fixture.name for fixture in scene.fixtures if is_level(fixture)}
    hands = named(thing.start.by) if isinstance(thing.start, Held) else ()
    touched = [*hands, *(other for contact in scene.plan_of(thing.name) for other in named(contact.other))]
    return bool(hands) and all(_of(part, name) or part in level for part in touched)


def _started(scene: Scene, thing: Thing, name: str, times: ClipTimes, along: set[str]) -> Thing:
    """A thing that starts in somebody's hands is let go when the clip does so now."""
    start = thing.start
    if not isinstance(start, Held) or start.release is None or not _of(start.carrier, name):
        return thing
    after = scene.plan_of(thing.name)[:1]
    release = times.at(start.release)
    if thing.name not in along and after and not release < after[0].time - ROOM:
        return thing
    return replace(thing, start=replace(start, release=release))


def _moved(scene: Scene, contact: Contact, name: str, times: ClipTimes, along: set[str]) -> Contact:
    """A contact when the clip has it now, if that leaves room; declared, unless its whole thing goes along."""
    release = None if contact.release is None else times.at(contact.release)
    if contact.object in along:
        return replace(contact, time=times.at(contact.time), release=release)
    if not _is_changed(scene, contact, name, times):
        return contact
    if scene.thing(contact.object).shape.any_prescribed and scene.start <= contact.time <= scene.end:
        contact = replace(contact, declared=True)
    if not _is_theirs(contact, name):
        return contact
    plan = scene.plan_of(contact.object)
    k = next(k for k, other in enumerate(plan) if other.id == contact.id)
    before = _freed(scene, contact.object, plan[k - 1] if k > 0 else None)
    after = plan[k + 1].time if k + 1 < len(plan) else np.inf
    time = times.at(contact.time)
    fits = before + ROOM < time and (time if release is None else release) < after - ROOM
    return replace(contact, time=time, release=release) if fits else contact


def _is_theirs(contact: Contact, name: str) -> bool:
    return any(_of(part, name) for part in named(contact.other))


def _is_changed(scene: Scene, contact: Contact, name: str, times: ClipTimes) -> bool:
    """Whether somebody moves otherwise when a contact is, or moved so when its thing was sent there."""
    start = scene.thing(contact.object).start
    held = isinstance(start, Held) and any(_of(part, name) for part in named(start.by))
    before = [other for other in scene.plan_of(contact.object) if other.time <= contact.time]
    looks = [other.time for other in before if _is_theirs(other, name)]
    looks += [other.release for other in before if _is_theirs(other, name) and other.release is not None]
    looks += [scene.start] if held else []
    return any(not times.leaves(t) for t in looks)


def _freed(scene: Scene, thing: str, before: Contact | None) -> float:
    """When a thing is free for the next one who is to touch it."""
    if before is not None:
        return before.time if before.release is None else before.release
    start = scene.thing(thing).start
    return scene.start if not isinstance(start, Held) or start.release is None else start.release


def _check_within(scene: Scene, name: str, things: Sequence[Thing], contacts: Sequence[Contact]) -> None:
    """What would be before the scene begins cannot be."""
    early = [(contact.id, contact.time) for contact in contacts if contact.time < scene.start]
    early += [
        (f"{thing.name}:release", thing.start.release)
        for thing in things
        if isinstance(thing.start, Held) and thing.start.release is not None and thing.start.release <= scene.start
    ]
    if early:
        what, t = early[0]
        raise HoiError(
            f"{name!r} cannot be at those times: {what!r} would be at {t:.2f} s, and the scene begins at "
            f"{scene.start:g} s; take out the contact first, or ask for less"
        )


def _times_moved(scene: Scene, new: Scene) -> dict[str, float]:
    """Releases and passes whose times are others, by their blocks of the control vector, and by how much."""
    moved = {}
    for was, now in zip(scene.contacts, new.contacts, strict=True):
        if was.time != now.time:
            moved[f"{now.id}.passed"] = now.time - was.time
            if was.release is not None and now.release is not None:
                moved[f"{now.id}.release"] = now.release - was.release
    for before, after in zip(scene.things, new.things, strict=True):
        if before is not after and isinstance(before.start, Held) and isinstance(after.start, Held):
            moved[f"{after.name}.release"] = (after.start.release or 0.0) - (before.start.release or 0.0)
    return moved


def _nodes(scene: Scene, iterate: Iterate, name: str, times: ClipTimes, along: set[str]) -> Mapping[str, Node]:
    """What follows contacts: along with their thing, as it was, or not known any more."""
    nodes = {}
    for contact in scene.contacts:
        node = iterate.nodes.get(contact.id)
        if node is not None and contact.object in along:
            nodes[contact.id] = replace(node, time=times.at(node.time))
        elif node is not None and not _is_changed(scene, contact, name, times):
            nodes[contact.id] = node
    return nodes


def _in_time(constraint: Constraint, name: str, times: ClipTimes, along: set[str]) -> Constraint:
    """A wish about somebody, or about what goes along, at the time at which the clip has it now."""
    if isinstance(constraint, Pin | Bend):
        concerned = _of(constraint.name, name) or constraint.name in along
        return replace(constraint, t=times.at(constraint.t)) if concerned else constraint
    if isinstance(constraint, FootPlant) and constraint.character == name:
        return replace(constraint, times=times.scale * constraint.times + times.later)
    if isinstance(constraint, HandAcceleration) and _of(constraint.name, name):
        return replace(constraint, start=times.at(constraint.start), end=times.at(constraint.end))
    if isinstance(constraint, SecondHand) and constraint.thing in along:
        return replace(constraint, start=times.at(constraint.start))
    if isinstance(constraint, KeepContact) and constraint.contact in along:
        return replace(constraint, time=times.at(constraint.time))
    return constraint


def _locked(lock: Lock, name: str, times: ClipTimes) -> Lock:
    if lock.span is None or not _of(lock.name, name):
        return lock
    return replace(lock, span=(times.at(lock.span[0]), times.at(lock.span[1])))
