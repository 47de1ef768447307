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
from hoi_edit.motions.recording import Recording
from hoi_edit.reporting.words import count_of, some_of
from hoi_edit.scene.arguments import is_number
from hoi_edit.scene.thing_shapes import ThingShape, shape_of
from kinematics.clip import Clip
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from rigid.air import Air
from rigid.body import Body
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

    @cached_property
    def shape(self) -> ThingShape:
        """What follows from what its body is."""
        return shape_of(self.body)

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
    """The level floor. Nothing may start below it."""
    if not is_number(height):
        raise HoiError(f"the height of the ground is {height!r}; it must be one number [m]")
    box = RoundedBox(np.array([PLANE, 1.0, PLANE]), 0.0)
    return Fixture("ground", box, np.array([0.0, height - 1.0, 0.0]), np.eye(3), material or Material(1.0, 1.0))


def is_level(fixture: Fixture) -> bool:
    """Whether it is the same wherever one stands on it: the ground, and not a table."""
    core, up = np.asarray(fixture.shape.core, float), np.asarray(fixture.rotation, float)[1]
    return bool(min(core[0], core[2]) >= PLANE / 2 and np.allclose(up, [0.0, 1.0, 0.0], atol=1e-9))


@dataclass(frozen=True, eq=False)
class Contact:
    """A contact that is meant to happen. Its id outlives every edit; its time says about when, not exactly.

    A *declared* contact happens at exactly its time, whether or not the two have met: so a plan can be shown, and
    solved, before it works. Of two sites that grasp the first carries, and the second stays where it holds on.

    A *pass* hands what is held over to another site, at its time and without a flight; one that is declared does so
    though the two have not met. What is `taken` lies still, or is in another hand, until that very time, and is put to
    "rest" at it: nothing flies, and only the plan can say when.
    """

    id: str
    object: str
    other: str | tuple[str, ...]  # "character/site", "character/segment", a fixture or a thing
    time: float
    kind: Literal["grasp", "impact", "pass", "rest"] = "impact"
    release: float | None = None  # of a grasp or a pass [s]; None: held to the end
    restitution: float | None = None  # of an impact; None: that of the materials
    friction: float | None = None
    declared: bool = False
    taken: bool = False  # of a grasp: from where it lies, or out of another hand

    @property
    def carrier(self) -> str:
        return named(self.other)[0]

    @property
    def second(self) -> str | None:
        """The hand that holds on to what the first one carries."""
        return second_of(self.other)

    @property
    def at_its_time(self) -> bool:
        """Whether it happens when the plan says, and not when two things meet."""
        return self.taken or self.puts_down

    # what it does to its thing; beyond these nobody asks of which kind it is

    @property
    def bounces(self) -> bool:
        """Whether its thing goes on by itself, as restitution and friction have it."""
        return self.kind == "impact"

    @property
    def catches(self) -> bool:
        """Whether a hand takes hold of its thing, whoever had it before."""
        return self.kind == "grasp"

    @property
    def passes_on(self) -> bool:
        """Whether what is held goes over to another hand at a time that is a variable."""
        return self.kind == "pass"

    @property
    def puts_down(self) -> bool:
        """Whether its thing lies on what stands still from it on."""
        return self.kind == "rest"

    @property
    def holds(self) -> bool:
        """Whether something is held in a hand from it on."""
        return self.catches or self.passes_on


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
        facts = [f"{what} {some_of([owner.name for owner in owners])}" for what, owners in parts.items() if owners]
        facts += [count_of(len(self.contacts), "intended contact"), f"{self.start:g} to {self.end:g} s"]
        return f"<scene {self.name}: {'; '.join(facts)}>"

    def __post_init__(self) -> None:
        from hoi_edit.scene.validation import check_scene  # which reads the records of this module

        check_scene(self)

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
        points = {
            character.name: f"{character.name}/{_some_point(character.skeleton)}" for character in self.characters
        }
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
