"""What was decided about somebody's body, once another one is put in its place: made anew where that can be, else taken
out, and told in words. What was made for the old body may not even have the right number of joints."""

from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from hoi_edit.constraints import FootPlant, HandAcceleration, JointLimits, KeepContact, SecondHand
from hoi_edit.constraints.base import Constraint, about
from hoi_edit.constraints.hand_acceleration import accelerations
from hoi_edit.constraints.references import check
from hoi_edit.constraints.standing_foot import is_foot
from hoi_edit.edit.document import Document
from hoi_edit.qp import Freedom, means_something
from hoi_edit.reporting.findings import Amount, Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene, named
from kinematics.errors import HoiError


def on_new_body(document: Document, seen: Rollout, name: str) -> tuple[Document, tuple[Finding, ...]]:
    """A document on a scene in which a character has another body, `seen` as it moves; and what became of
    constraints, locks, scales and feet that were let go."""
    told, remade = list[Finding](), list[tuple[Constraint, ...]]()
    for constraints in (document.constraints, document.switched_off):
        pairs = [_remade(constraint, seen, name) for constraint in constraints]
        remade.append(tuple(kept for kept, _ in pairs if kept is not None))
        told += [what for _, what in pairs if what is not None]
    freedom, loose, gone = names_still_there(document, seen)
    told += [Finding("no such part", about=part) for part in gone]
    kept, switched_off = remade
    fitting = replace(document, constraints=kept, switched_off=switched_off, freedom=freedom, loose=loose)
    return fitting, tuple(told)


def _remade(constraint: Constraint, seen: Rollout, name: str) -> tuple[Constraint | None, Finding | None]:
    """The same wish for the new body, None if there is none; and what to say about it."""
    if isinstance(constraint, JointLimits) and constraint.character == name:
        return JointLimits.of(seen, name), Finding("made anew", about=constraint.about)
    if isinstance(constraint, HandAcceleration) and constraint.name.partition("/")[0] == name:
        return _no_slower(constraint, seen)
    if isinstance(constraint, FootPlant) and constraint.character == name:
        return None, Finding("stood there", about=constraint.about)
    if any(hand.partition("/")[0] == name for hand in _hands(constraint, seen.model.scene)):
        return None, Finding("place on body", about=about(constraint))
    try:
        check(constraint, seen)
    except HoiError as problem:
        return None, Finding("taken out", about=about(constraint), why=str(problem))
    return constraint, None


def _no_slower(constraint: HandAcceleration, seen: Rollout) -> tuple[Constraint | None, Finding | None]:
    """A limit that allows what the new motion does; else nothing could be edited any more."""
    try:
        does = float(np.linalg.norm(accelerations(seen, constraint.name)[1], axis=1).max())
    except HoiError as problem:
        return None, Finding("taken out", about=constraint.about, why=str(problem))
    if does <= constraint.most:
        return constraint, None
    return replace(constraint, most=does), Finding("allows", about=constraint.about, amounts=(Amount(does, "m/s²"),))


def _hands(constraint: Constraint, scene: Scene) -> Iterator[str]:
    """Parts of a body on which a constraint keeps a place."""
    if isinstance(constraint, SecondHand):
        yield constraint.site
    elif isinstance(constraint, KeepContact):
        yield from named(scene.contact(constraint.contact).other)


def names_still_there(document: Document, seen: Rollout) -> tuple[Freedom, tuple[str, ...], list[Finding]]:
    """What edits may change and need not keep, without what names something that is not there any more; and what that
    was."""
    model, freedom = seen.model, document.freedom
    locks = tuple(lock for lock in freedom.locks if means_something(model, lock.name))
    scales = {name: scale for name, scale in freedom.scales.items() if means_something(model, name)}
    opened = tuple(name for name in freedom.opened if means_something(model, name))
    loose = tuple(name for name in document.loose if _is_there(model.scene, name))
    gone = [Finding("lock", lock.name) for lock in freedom.locks if lock not in locks]
    gone += [Finding("scale", name) for name in freedom.scales if name not in scales]
    gone += [Finding("opened", name) for name in freedom.opened if name not in opened]
    gone += [Finding("let go", name) for name in document.loose if name not in loose]
    # what is as it was stays the very value, a list or a tuple
    kept = freedom if not gone else replace(freedom, locks=locks, scales=scales, opened=opened)
    return kept, loose, gone


def _is_there(scene: Scene, loose: str) -> bool:
    known = {contact.id for contact in scene.contacts} | {thing.name for thing in scene.things}
    people = {person.name for person in scene.characters}
    return loose in known or (loose.partition("/")[0] in people and is_foot(scene, loose))
