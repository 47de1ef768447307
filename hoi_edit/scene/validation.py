"""Whether a scene is one: what is wrong with it is told when it is made, in one sentence."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hoi_edit.scene import Character, Contact, Fixture, Flying, Held, Scene, Thing, named
from hoi_edit.scene.arguments import are_numbers, as_floats, is_number, is_rotation, is_text
from kinematics.clip import Clip
from kinematics.errors import HoiError, unknown
from rigid.air import Air, check_air
from rigid.body import Body
from rigid.distance import RoundedBox
from rigid.impact import Material


def check_scene(scene: Scene) -> None:
    """What no scene may be, be it made or read."""
    _check_kinds(scene)
    _check_names(scene)
    _check_course(scene)
    for thing in scene.things:
        _check_start(scene, thing)
        _check_air(thing)
    for fixture in scene.fixtures:
        _check_fixture(fixture)
    for owner in scene.owners:
        check_material(f"{type(owner).__name__.lower()} {owner.name!r}", owner.material)
    for contact in scene.contacts:
        _check_contact(scene, contact)


def _check_course(scene: Scene) -> None:
    if as_floats(scene.gravity, (3,)) is None:
        raise HoiError(f"the gravity of scene {scene.name!r} is {scene.gravity!r}; it must be three numbers [m/s²]")
    if not (are_numbers(scene.gravity, (3,)) and is_number(scene.start) and is_number(scene.end)):
        raise HoiError(f"scene {scene.name!r} has a start, an end or a gravity that is not a finite number")
    if not scene.end > scene.start:
        raise HoiError(f"scene {scene.name!r} ends at {scene.end:g} s, but must end after its start, {scene.start:g} s")


def _check_kinds(scene: Scene) -> None:
    """What is where something else belongs would else be found by chance, deep inside."""
    wanted = {"characters": Character, "things": Thing, "fixtures": Fixture, "contacts": Contact}
    for what, kind in wanted.items():
        items, one = getattr(scene, what), f"hoi.{kind.__name__}"
        if isinstance(items, str | kind) or not isinstance(items, Sequence):
            raise HoiError(f"the {what} of scene {scene.name!r} are {_short(items)}; give a list of {one}")
        for item in items:
            if not isinstance(item, kind):
                hint = "; Character.of(name, clip) makes one of a clip" if isinstance(item, Clip) else ""
                raise HoiError(
                    f"{_short(item)} is among the {what} of scene {scene.name!r}; each must be a {one}{hint}"
                )
    for thing in scene.things:
        if not isinstance(thing.body, Body):
            raise HoiError(
                f"the body of thing {thing.name!r} is {_short(thing.body)}; make one with hoi.ball(mass, radius)"
            )
        if not isinstance(thing.start, Flying | Held):
            raise HoiError(
                f"the start of thing {thing.name!r} is {_short(thing.start)}; "
                "it must be hoi.Flying(position) or hoi.Held(by)"
            )


def _short(value: object) -> str:
    """A value in a sentence: records are pages long, and matrices have lines."""
    if isinstance(value, np.ndarray):
        return str(value.tolist()) if value.ndim < 2 else f"of shape {value.shape}"
    return f"a {type(value).__name__}" if hasattr(value, "__dataclass_fields__") else repr(value)


def _check_names(scene: Scene) -> None:
    names = [item.name for item in scene.owners]
    ids = [contact.id for contact in scene.contacts]
    for taken, kind in ((names, "things of the scene are"), (ids, "contacts are")):
        for name in taken:
            if not is_text(name) or not name:
                raise HoiError(f"{name!r} cannot be a name; a name is some text, such as 'ball1'")
            if taken.count(name) > 1:
                raise HoiError(f"two {kind} called {name!r}; names must differ")
            if "/" in name:
                raise HoiError(f"{name!r} cannot be a name: a slash separates a character from a part of its body")


def check_material(owner: str, material: Material) -> None:
    if not isinstance(material, Material):
        raise HoiError(
            f"the material of {owner} is {_short(material)}; make one with hoi.Material(restitution, friction)"
        )
    e, mu = (_one_number(value) for value in (material.restitution, material.friction))
    if e is None or not 0.0 <= e <= 1.0:
        raise HoiError(
            f"the restitution of {owner} is {_told(e, material.restitution)}; it must be between 0 and 1, or bounces "
            "would gain energy"
        )
    if mu is None or not (mu >= 0.0 and np.isfinite(mu)):
        raise HoiError(f"the friction of {owner} is {_told(mu, material.friction)}; it must be zero or more")


def _one_number(value: object) -> float | None:
    numbers = as_floats(value, ())
    return None if numbers is None else float(numbers)


def _told(number: float | None, value: object) -> str:
    return repr(value) if number is None else f"{number:g}"


def _check_fixture(fixture: Fixture) -> None:
    owner, shape = f"fixture {fixture.name!r}", fixture.shape
    if not isinstance(shape, RoundedBox):
        raise HoiError(
            f"the shape of {owner} is {_short(shape)}; it must be a rigid.distance.RoundedBox(half_extents, radius)"
        )
    if not (are_numbers(shape.core, (3,)) and np.min(np.asarray(shape.core)) >= 0.0):
        raise HoiError(
            f"the half extents of {owner} are {_short(shape.core)}; they must be three numbers [m], zero or more"
        )
    if not (are_numbers(shape.radius, ()) and float(np.asarray(shape.radius)) >= 0.0):
        raise HoiError(f"the radius of {owner} is {_short(shape.radius)}; it must be one number [m], zero or more")
    if not are_numbers(fixture.position, (3,)):
        raise HoiError(f"the position of {owner} is {_short(fixture.position)}; it must be three numbers [m]")
    if not is_rotation(fixture.rotation):
        raise HoiError(
            f"the rotation of {owner} is no rotation matrix; it must be three rows of three, each of length one and "
            "square to the others, right-handed"
        )


def _check_start(scene: Scene, thing: Thing) -> None:
    start = thing.start
    if isinstance(start, Held):
        _check_hands(scene, f"thing {thing.name!r}", _partners(f"thing {thing.name!r}", start.by))
        if start.release is not None and not is_number(start.release):
            raise HoiError(
                f"thing {thing.name!r} is to be released at {start.release} s; give a time, or None for never"
            )
        vectors = [] if start.position is None else [start.position]
    else:
        vectors = [start.position, start.velocity, start.angular_velocity]
    for x in vectors:
        if as_floats(x, (3,)) is None:
            raise HoiError(f"the start of thing {thing.name!r} has a place or velocity {_short(x)}, not three numbers")
    if not all(are_numbers(x, (3,)) for x in vectors):
        raise HoiError(f"the start of thing {thing.name!r} has a number that is not finite")
    if not is_rotation(start.rotation):
        raise HoiError(f"the rotation that thing {thing.name!r} starts with is no rotation matrix")


def check_within(scene: Scene, contact: Contact) -> None:
    if not scene.start <= contact.time <= scene.end:
        raise HoiError(
            f"contact {contact.id!r} is to be at {contact.time:g} s, but the scene runs from {scene.start:g} s to "
            f"{scene.end:g} s; give a time in it"
        )


def _partners(owner: str, partners: Any) -> tuple[str, ...]:
    """Names of partners, as a tuple."""
    if not isinstance(partners, str | Sequence) or not all(is_text(name) for name in named(partners)):
        raise HoiError(f"the partner of {owner} is {partners!r}; give a name, such as 'ground' or 'juggler/right_palm'")
    return named(partners)


def _check_hands(scene: Scene, held: str, hands: tuple[str, ...]) -> None:
    """One hand, or two that can be apart from each other."""
    if not 1 <= len(hands) <= 2:
        raise HoiError(f"{held} is held by {len(hands)} sites; name one, or two of which the first carries")
    if len(hands) == 2 and hands[0] == hands[1]:
        raise HoiError(f"{held} is held by {hands[0]!r} twice; name two hands, or one")
    parts = [scene.place(hand)[:2] for hand in hands]
    if len(hands) == 2 and parts[0] == parts[1]:
        raise HoiError(f"{held} is held by {hands[0]!r} and {hands[1]!r}, which are one part; name two hands, or one")


def _check_air(thing: Thing) -> None:
    if thing.air is None:
        return
    if not isinstance(thing.air, Air):
        raise HoiError(f"the air of thing {thing.name!r} is {thing.air!r}; make it with air_for, or let it be None")
    if not thing.shape.feels_air:
        raise HoiError(f"thing {thing.name!r} has air, but is no ball; only balls feel it")
    check_air(f"thing {thing.name!r}", thing.air)


def _check_partners(scene: Scene, contact: Contact, others: tuple[str, ...]) -> None:
    if contact.kind not in ("grasp", "impact", "pass", "rest"):
        raise HoiError(
            f"contact {contact.id!r} is of kind {contact.kind!r}; it must be a grasp, an impact, a pass or a rest"
        )
    if contact.object in others:
        raise HoiError(f"contact {contact.id!r} is of thing {contact.object!r} with itself")
    if contact.id in [thing.name for thing in scene.things]:
        raise HoiError(f"contact {contact.id!r} has the name of a thing; names must differ")
    if contact.bounces and len(others) > 1:
        raise HoiError(f"contact {contact.id!r} is an impact with {len(others)} partners; only a grasp has two hands")
    if contact.holds:
        for other in others:
            if "/" not in other:
                raise HoiError(
                    f"contact {contact.id!r} is a {contact.kind} by {other!r}; only a site of a character can hold"
                )
        _check_hands(scene, f"contact {contact.id!r}", others)
    if contact.declared and not contact.holds and not scene.thing(contact.object).shape.any_prescribed:
        raise HoiError(
            f"contact {contact.id!r} of {contact.object!r} cannot be declared; those of balls can, and grasps"
        )
    if contact.at_its_time:
        _check_handover(scene, contact)


def _check_handover(scene: Scene, contact: Contact) -> None:
    """What goes over from one carrier to the next, at a time that nothing but the plan says."""
    if contact.taken and not contact.catches:
        raise HoiError(f"contact {contact.id!r} is of kind {contact.kind!r}; only what is grasped can be taken")
    if contact.puts_down and contact.carrier not in [fixture.name for fixture in scene.fixtures]:
        known = ", ".join(fixture.name for fixture in scene.fixtures) or "none"
        raise HoiError(
            f"contact {contact.id!r} puts {contact.object!r} down on {contact.carrier!r}; name a fixture of: {known}"
        )
    if contact.puts_down and not scene.thing(contact.object).shape.stays_put:
        raise HoiError(f"contact {contact.id!r} puts {contact.object!r} down, which is a ball; let it go there instead")


def _check_contact(scene: Scene, contact: Contact) -> None:
    scene.thing(contact.object)
    others = _partners(f"contact {contact.id!r}", contact.other)
    if not others:
        raise HoiError(f"contact {contact.id!r} has no partner; name a site, a part, a fixture or a thing")
    known = [fixture.name for fixture in scene.fixtures] + [thing.name for thing in scene.things]
    for other in others:
        if other not in known and "/" not in other:
            raise unknown(f"partner of contact {contact.id!r}:", other, [*known, "character/site"])
        if other not in known:
            scene.place(other)
        elif contact.declared and other in [thing.name for thing in scene.things]:
            raise HoiError(f"contact {contact.id!r} with thing {other!r} cannot be declared; parts and fixtures can")
    _check_partners(scene, contact, others)
    if not is_number(contact.time):
        raise HoiError(f"contact {contact.id!r} has the time {contact.time}; it must be a number of seconds")
    if contact.declared or contact.at_its_time:
        check_within(scene, contact)
    if contact.release is not None and not is_number(contact.release):
        raise HoiError(
            f"contact {contact.id!r} is to be released at {contact.release!r}; give a time, or None for never"
        )
    if contact.holds and contact.release is not None and not contact.release > contact.time:
        begun = "passed on" if contact.passes_on else "caught"
        raise HoiError(
            f"contact {contact.id!r} is released at {contact.release:g} s, before it is {begun} at {contact.time:g} s"
        )
    law = (contact.restitution, contact.friction)
    check_material(f"contact {contact.id!r}", Material(*(0.0 if value is None else value for value in law)))
