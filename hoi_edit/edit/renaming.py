"""Somebody or something gets another name, wherever the document says it."""

from dataclasses import fields, is_dataclass, replace
from typing import Any

from hoi_edit.constraints.base import Constraint
from hoi_edit.edit.document import Document
from hoi_edit.edit.iterate import Iterate
from hoi_edit.rollout import Model
from hoi_edit.scene import Contact, Held, Scene, Thing
from hoi_edit.scene.arguments import is_text
from kinematics.errors import HoiError, unknown

ENDS = ("/", ".", ":")  # "ann/right_palm", "ball.position", "ball:release"


def renamed(model: Model, document: Document, iterate: Iterate, name: str, new: str) -> tuple[Document, Iterate]:
    """The document with another name for a person or a thing; nothing else changes."""
    scene = _scene(model.scene, name, new)
    fresh = Model.of(scene)
    u = fresh.start.copy()
    for block in model.layout.blocks:  # which stand in the order of their names
        owner = new if block.owner == name else block.owner
        u[fresh.layout[owner + block.name.removeprefix(block.owner)].indices] = iterate.u[block.indices]
    freedom = document.freedom
    freedom = replace(
        freedom,
        locks=[replace(lock, name=_named(lock.name, name, new)) for lock in freedom.locks],
        opened=[_named(law, name, new) for law in freedom.opened],
        scales={_named(what, name, new): scale for what, scale in freedom.scales.items()},
    )
    moved = replace(
        document, scene=scene, u=u, freedom=freedom,
        constraints=_constraints(document.constraints, name, new),
        switched_off=_constraints(document.switched_off, name, new),
        loose=tuple(_named(loose, name, new) for loose in document.loose),
    )  # fmt: skip
    return moved, Iterate.at(fresh, u, iterate.nodes, iterate.times).timed()


def check_new_name(scene: Scene, name: str, new: object) -> None:
    names = [person.name for person in scene.characters] + [thing.name for thing in scene.things]
    if name not in names:
        raise unknown("person or thing", name, names)
    if not is_text(new) or not new:
        raise HoiError(f"{name!r} is to be called {new!r}; a name is some text, such as 'ann'")
    taken = [owner.name for owner in scene.owners] + [contact.id for contact in scene.contacts]
    if new in taken and new != name:
        raise HoiError(f"there is a {new!r} already; give {name!r} another name")


def _named(text: str, name: str, new: str) -> str:
    """A name, or what begins with it: a point of a body, a block of controls, an event."""
    if text == name:
        return new
    return new + text[len(name) :] if text.startswith(name) and text[len(name)] in ENDS else text


def _scene(scene: Scene, name: str, new: str) -> Scene:
    return replace(
        scene,
        characters=[replace(person, name=_named(person.name, name, new)) for person in scene.characters],
        things=[_thing(thing, name, new) for thing in scene.things],
        contacts=[_contact(contact, name, new) for contact in scene.contacts],
    )


def _thing(thing: Thing, name: str, new: str) -> Thing:
    start = thing.start
    if isinstance(start, Held):
        start = replace(start, by=_value(start.by, name, new))
    return replace(thing, name=_named(thing.name, name, new), start=start)


def _contact(contact: Contact, name: str, new: str) -> Contact:
    return replace(contact, object=_named(contact.object, name, new), other=_value(contact.other, name, new))


def _constraints(constraints: tuple[Constraint, ...], name: str, new: str) -> tuple[Constraint, ...]:
    return tuple(_value(constraint, name, new) for constraint in constraints)


def _value(value: Any, name: str, new: str) -> Any:
    """The same with all names in it; what has none stays the very value."""
    if isinstance(value, str):
        return _named(value, name, new)
    if isinstance(value, tuple | list):
        changed = [_value(item, name, new) for item in value]
        same = all(a is b for a, b in zip(changed, value, strict=True))
        return value if same else type(value)(changed)
    if is_dataclass(value) and not isinstance(value, type):
        held = {field.name: getattr(value, field.name) for field in fields(value) if field.init}
        other = {key: _value(item, name, new) for key, item in held.items()}
        different = {key: item for key, item in other.items() if item is not held[key]}
        return replace(value, **different) if different else value
    return value
