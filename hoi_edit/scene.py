"""A scene: who moves, what flies, what stands still, and which contacts are meant to happen.

Everything here is a frozen description. What the optimiser may change about it is `Controls`, what comes of it a
`Rollout`. Names are unique; "juggler/right_palm" is a point of a character, "ball1" a thing, "ground" a fixture.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Literal, TypeVar

import numpy as np

from hoi_edit.motions import Layer, Motion
from hoi_edit.recording import Recording
from hoi_edit.words import count_of, some_of
from kinematics.clip import Clip
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from rigid.air import Air, check_air
from rigid.body import Body, is_ball
from rigid.distance import RoundedBox
from rigid.impact import Material

GRAVITY = (0.0, -9.81, 0.0)
PLANE = 1e6  # [m] half extent of a fixture that stands for a plane
SKIN = Material(restitution=0.8, friction=0.6)


def named(partners: str | Sequence[str]) -> tuple[str, ...]:
    """One partner or several, as a tuple."""
    return (partners,) if isinstance(partners, str) else tuple(partners)


def second_of(partners: str | Sequence[str]) -> str | None:
    """Of two partners the second."""
    return named(partners)[1] if len(named(partners)) > 1 else None


def in_words(vector: Floats) -> str:
    """Three numbers in a line."""
    return f"({', '.join(f'{x:.3g}' for x in np.asarray(vector, float).ravel())})"


@dataclass(frozen=True, eq=False)
class Character:
    """A body and its motion. Restitutions and frictions of two partners are multiplied."""

    name: str
    skeleton: Skeleton
    motion: Motion
    material: Material = SKIN
    recording: Recording | None = None  # of the clip behind the motion: exports are then in its file's own form

    def __repr__(self) -> str:
        of = "" if self.recording is None else f", recorded in {self.recording.name}"
        return f"<character {self.name}: {len(self.skeleton.names)} joints, {self.skeleton.n_dofs} DOFs{of}>"

    @staticmethod
    def of(name: str, clip: Clip, motion: Motion | None = None, material: Material = SKIN) -> "Character":
        """Whoever is seen in a clip, with a layer of change over it or another motion that was made of it."""
        if not isinstance(clip, Clip):
            raise HoiError(f"character {name!r} is to be made of {clip!r}, which is no clip; read_clip(file) gives one")
        return Character(name, clip.skeleton, motion or Layer.over(clip), material, Recording.of(clip))


@dataclass(frozen=True, eq=False)
class Flying:
    """A thing that starts in free flight."""

    position: Floats
    velocity: Floats = field(default_factory=lambda: np.zeros(3))
    rotation: Floats = field(default_factory=lambda: np.eye(3))
    angular_velocity: Floats = field(default_factory=lambda: np.zeros(3))

    def __repr__(self) -> str:
        return f"<flying from {in_words(self.position)} m at {in_words(self.velocity)} m/s>"


@dataclass(frozen=True, eq=False)
class Held:
    """A thing that starts in a hand, with its pose relative to the segment of the site; None: lying on the site.

    Of two hands the first carries, and the second stays where it holds on.
    """

    by: str | tuple[str, ...]  # "character/site", or two of them
    release: float | None = None  # [s]; None: held to the end
    position: Floats | None = None
    rotation: Floats = field(default_factory=lambda: np.eye(3))

    def __repr__(self) -> str:
        until = "to the end" if self.release is None else f"to {self.release:g} s"
        return f"<held by {' and '.join(named(self.by))} {until}>"

    @property
    def carrier(self) -> str:
        return named(self.by)[0]

    @property
    def second(self) -> str | None:
        """The hand that holds on to what the first one carries."""
        return second_of(self.by)


@dataclass(frozen=True, eq=False)
class Thing:
    """An object that flies, bounces and is held; a ball may feel the air that it flies through."""

    name: str
    body: Body
    start: Flying | Held
    material: Material = field(default_factory=Material)
    air: Air | None = None

    def __repr__(self) -> str:
        return f"<thing {self.name}: {str(self.body)[1:-1]}, {str(self.start)[1:-1]}>"


@dataclass(frozen=True, eq=False)
class Fixture:
    """Something that never moves."""

    name: str
    shape: RoundedBox
    position: Floats = field(default_factory=lambda: np.zeros(3))
    rotation: Floats = field(default_factory=lambda: np.eye(3))
    material: Material = field(default_factory=lambda: Material(1.0, 1.0))

    def __repr__(self) -> str:
        return f"<fixture {self.name} around {in_words(self.position)} m>"


def ground(height: float = 0.0, material: Material | None = None) -> Fixture:
    """The level floor."""
    box = RoundedBox(np.array([PLANE, 1.0, PLANE]), 0.0)
    return Fixture("ground", box, np.array([0.0, height - 1.0, 0.0]), np.eye(3), material or Material(1.0, 1.0))


@dataclass(frozen=True, eq=False)
class Contact:
    """A contact that is meant to happen. Its id outlives every edit; its time says about when, not exactly.

    A *declared* contact happens at exactly its time, whether or not the two have met: so a plan can be shown, and
    solved, before it works. Of two sites that grasp the first carries, and the second stays where it holds on.
    """

    id: str
    object: str
    other: str | tuple[str, ...]  # "character/site", "character/segment", a fixture or a thing
    time: float
    kind: Literal["grasp", "impact"] = "impact"
    release: float | None = None  # of a grasp [s]; None: held to the end
    restitution: float | None = None  # of an impact; None: that of the materials
    friction: float | None = None
    declared: bool = False

    @property
    def carrier(self) -> str:
        return named(self.other)[0]

    @property
    def second(self) -> str | None:
        """The hand that holds on to what the first one carries."""
        return second_of(self.other)


@dataclass(frozen=True, eq=False)
class Scene:
    characters: Sequence[Character] = ()
    things: Sequence[Thing] = ()
    fixtures: Sequence[Fixture] = ()
    contacts: Sequence[Contact] = ()
    gravity: tuple[float, float, float] = GRAVITY
    start: float = 0.0
    end: float = 10.0
    name: str = "scene"

    def __repr__(self) -> str:
        parts: dict[str, Sequence[Character | Thing | Fixture]]
        parts = {"characters": self.characters, "things": self.things, "fixtures": self.fixtures}
        facts = [f"{what} {some_of([own.name for own in owners])}" for what, owners in parts.items() if owners]
        facts += [count_of(len(self.contacts), "intended contact"), f"{self.start:g} to {self.end:g} s"]
        return f"<scene {self.name}: {'; '.join(facts)}>"

    def __post_init__(self) -> None:
        _check_kinds(self)
        _check_names(self)
        if np.shape(self.gravity) != (3,):
            raise HoiError(f"the gravity of scene {self.name!r} is {self.gravity!r}; it must be three numbers [m/s²]")
        if not (np.all(np.isfinite(self.gravity)) and np.isfinite(self.start) and np.isfinite(self.end)):
            raise HoiError(f"scene {self.name!r} has a start, an end or a gravity that is not a finite number")
        if not self.end > self.start:
            raise HoiError(
                f"scene {self.name!r} ends at {self.end:g} s, but must end after its start, {self.start:g} s"
            )
        for thing in self.things:
            _check_material(f"thing {thing.name!r}", thing.material)
            _check_start(self, thing)
            _check_air(thing)
        for character in self.characters:
            _check_material(f"character {character.name!r}", character.material)
        for fixture in self.fixtures:
            _check_material(f"fixture {fixture.name!r}", fixture.material)
        for contact in self.contacts:
            _check_contact(self, contact)

    @property
    def owners(self) -> list[Character | Thing | Fixture]:
        """Everything that has a name and a material."""
        return [*self.characters, *self.things, *self.fixtures]

    def character(self, name: str) -> Character:
        return _named(self.characters, name, "character")

    def thing(self, name: str) -> Thing:
        return self._things[name] if name in self._things else _named(self.things, name, "thing")

    # looked up hundreds of times in a simulation, so not one by one

    @cached_property
    def _things(self) -> dict[str, Thing]:
        return {thing.name: thing for thing in self.things}

    @cached_property
    def _contacts(self) -> dict[str, Contact]:
        return {contact.id: contact for contact in self.contacts}

    @cached_property
    def _seconds(self) -> dict[str, str | None]:
        held = {thing.name: thing.start.second if isinstance(thing.start, Held) else None for thing in self.things}
        return {contact.id: contact.second for contact in self.contacts} | held

    @cached_property
    def _plans(self) -> dict[str, list[Contact]]:
        plans: dict[str, list[Contact]] = {}
        for contact in sorted(self.contacts, key=lambda contact: contact.time):
            plans.setdefault(contact.object, []).append(contact)
        return plans

    def place(self, name: str) -> tuple[Character, int, Floats]:
        """Character, segment and local position of "character/point"."""
        owner, slash, point = name.partition("/")
        if not slash:
            raise HoiError(
                f"{name!r} is no point of a body; write it as character/site, for instance juggler/right_palm"
            )
        character = self.character(owner)
        segment, position = character.skeleton.point(point)
        return character, segment, position

    def unknown_point(self, name: str) -> HoiError:
        """The error for what is neither a thing nor a point of a body: of everybody one point shows how these are
        written."""
        points = {own.name: f"{own.name}/{_some_point(own.skeleton)}" for own in self.characters}
        if name in points:
            return HoiError(f"{name!r} is a person; name a point of the body, for instance {points[name]!r}")
        return unknown("thing or point of a body", name, [*self._things, *points.values()])

    def contact(self, name: str) -> Contact:
        if name in self._contacts:
            return self._contacts[name]
        raise unknown("contact", name, [contact.id for contact in self.contacts])

    def second_hand(self, hold: str) -> str | None:
        """The second hand of a hold, which has the id of its grasp or, from the start on, the name of its thing."""
        return self._seconds[hold] if hold in self._seconds else self.contact(hold).second

    def plan_of(self, thing: str) -> list[Contact]:
        """The intended contacts of a thing, in order."""
        return list(self._plans.get(thing, ()))


Named = TypeVar("Named", Character, Thing, Fixture)


def _named(items: Sequence[Named], name: str, kind: str) -> Named:
    for item in items:
        if item.name == name:
            return item
    raise unknown(kind, name, [item.name for item in items])


def _some_point(skeleton: Skeleton) -> str:
    """A hand if there is one: that is what people drag."""
    names = [*(site.name for site in skeleton.sites), *skeleton.names]
    return next((name for name in ("right_hand", "right_palm") if name in names), names[0])


def _check_kinds(scene: Scene) -> None:
    """What is where something else belongs would else be found by chance, deep inside."""
    wanted = {"characters": Character, "things": Thing, "fixtures": Fixture, "contacts": Contact}
    for what, kind in wanted.items():
        given, one = getattr(scene, what), f"hoi.{kind.__name__}"
        if isinstance(given, str | kind) or not isinstance(given, Sequence):
            raise HoiError(f"the {what} of scene {scene.name!r} are {_short(given)}; give a list of {one}")
        for item in given:
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
    """A value in a sentence: records are pages long."""
    return f"a {type(value).__name__}" if hasattr(value, "__dataclass_fields__") else repr(value)


def _check_names(scene: Scene) -> None:
    names = [item.name for item in scene.owners]
    ids = [contact.id for contact in scene.contacts]
    for taken, kind in ((names, "things of the scene are"), (ids, "contacts are")):
        for name in taken:
            if not name or taken.count(name) > 1:
                raise HoiError(f"two {kind} called {name!r}; names must differ and not be empty")
            if "/" in name:
                raise HoiError(f"{name!r} cannot be a name: a slash separates a character from a part of its body")


def _check_material(owner: str, material: Material) -> None:
    e, mu = float(np.asarray(material.restitution)), float(np.asarray(material.friction))
    if not 0.0 <= e <= 1.0:
        raise HoiError(f"the restitution of {owner} is {e:g}; it must be between 0 and 1, or bounces would gain energy")
    if not (mu >= 0.0 and np.isfinite(mu)):
        raise HoiError(f"the friction of {owner} is {mu:g}; it must be zero or more")


def _check_start(scene: Scene, thing: Thing) -> None:
    start = thing.start
    if isinstance(start, Held):
        _check_hands(scene, f"thing {thing.name!r}", named(start.by))
        if start.release is not None and not np.isfinite(start.release):
            raise HoiError(
                f"thing {thing.name!r} is to be released at {start.release} s; give a time, or None for never"
            )
        vectors = [] if start.position is None else [start.position]
    else:
        vectors = [start.position, start.velocity, start.angular_velocity]
    for x in vectors:
        if np.shape(x) != (3,):
            raise HoiError(
                f"the start of thing {thing.name!r} has a place or velocity of shape {np.shape(x)}, not (3,)"
            )
    if not all(np.all(np.isfinite(x)) for x in (*vectors, start.rotation)):
        raise HoiError(f"the start of thing {thing.name!r} has a number that is not finite")
    R = np.asarray(start.rotation, float)
    # a reflection keeps lengths as well
    if R.shape != (3, 3) or np.abs(R @ R.T - np.eye(3)).max() > 1e-6 or np.linalg.det(R) < 0.0:
        raise HoiError(f"the rotation that thing {thing.name!r} starts with is no rotation matrix")


def check_sense(scene: Scene) -> None:
    """What is allowed and cannot be meant is told to who makes a scene; files that hold it are opened all the same."""
    for thing in scene.things:
        start = thing.start
        if isinstance(start, Held):
            _check_room(scene, thing, start)
            if start.release is not None and not scene.start < start.release <= scene.end:
                raise HoiError(
                    f"thing {thing.name!r} is to be released at {start.release:g} s, but the scene runs from "
                    f"{scene.start:g} s to {scene.end:g} s; give a time in it, None for never, or let it start Flying"
                )
    for contact in scene.contacts:
        _check_within(scene, contact)


def _check_within(scene: Scene, contact: Contact) -> None:
    if not scene.start <= contact.time <= scene.end:
        raise HoiError(
            f"contact {contact.id!r} is to be at {contact.time:g} s, but the scene runs from {scene.start:g} s to "
            f"{scene.end:g} s; give a time in it"
        )


def _check_room(scene: Scene, thing: Thing, start: Held) -> None:
    """Two things that lie on one site, or at one place of it, are inside each other."""
    for other in scene.things:
        if other is thing:
            return  # those after it look at this one
        held = other.start
        if isinstance(held, Held) and held.carrier == start.carrier:
            here, there = (np.zeros(0) if own.position is None else own.position for own in (held, start))
            if np.array_equal(here, there):
                raise HoiError(
                    f"things {other.name!r} and {thing.name!r} start at one place in {start.carrier!r}; give one of "
                    "them another position, relative to its segment"
                )


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
    if not is_ball(thing.body):
        raise HoiError(f"thing {thing.name!r} has air, but is no ball; only balls feel it")
    check_air(f"thing {thing.name!r}", thing.air)


def _check_partners(scene: Scene, contact: Contact, others: tuple[str, ...]) -> None:
    if contact.kind not in ("grasp", "impact"):
        raise HoiError(f"contact {contact.id!r} is of kind {contact.kind!r}; it must be a grasp or an impact")
    if contact.object in others:
        raise HoiError(f"contact {contact.id!r} is of thing {contact.object!r} with itself")
    if contact.id in [thing.name for thing in scene.things]:
        raise HoiError(f"contact {contact.id!r} has the name of a thing; names must differ")
    if contact.kind == "impact" and len(others) > 1:
        raise HoiError(f"contact {contact.id!r} is an impact with {len(others)} partners; only a grasp has two hands")
    if contact.kind == "grasp":
        for other in others:
            if "/" not in other:
                raise HoiError(f"contact {contact.id!r} is a grasp by {other!r}; only a site of a character can hold")
        _check_hands(scene, f"contact {contact.id!r}", others)
    if contact.declared and len(scene.thing(contact.object).body.vertices) > 1:
        raise HoiError(f"contact {contact.id!r} of {contact.object!r} cannot be declared; those of balls can")


def _check_contact(scene: Scene, contact: Contact) -> None:
    scene.thing(contact.object)
    others = named(contact.other)
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
    if not np.isfinite(contact.time):
        raise HoiError(f"contact {contact.id!r} has the time {contact.time}; it must be a number of seconds")
    if contact.declared:
        _check_within(scene, contact)
    if contact.kind == "grasp" and contact.release is not None and not contact.release > contact.time:
        raise HoiError(
            f"contact {contact.id!r} is released at {contact.release:g} s, before it is caught at {contact.time:g} s"
        )
    material = Material(
        1.0 if contact.restitution is None else contact.restitution, contact.friction if contact.friction else 0.0
    )
    _check_material(f"contact {contact.id!r}", material)
