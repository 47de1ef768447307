"""The control vector u: a tree of named blocks, flattened only where a solver or a user wants one vector.

    motions    per character, the parameters of its motion: control points c, blend weights α
    starts     per thing, its first state; of a thing held at the start, its pose relative to the hand
    contacts   per *intended* contact: time of release or pass, or restitution, friction and a turn of the normal

Turns are rotation vectors relative to what the scene stores, so adding to u is the retraction. Contacts that nobody
intended have no controls, so n stays the same while they come and go.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any

import jax
import numpy as np

from hoi_edit.scene import Contact, Flying, Held, Scene, Thing
from hoi_edit.scene.arguments import as_floats
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats
from kinematics.skeleton import Site

BESIDE = 0.005  # [m] between things that lie side by side in a hand
LOCKED = ("restitution", "friction", "normal")  # bent physics: only where the animator opens it


@partial(jax.tree_util.register_dataclass, data_fields=["position", "turn", "velocity", "spin"], meta_fields=[])
@dataclass(frozen=True, eq=False)
class StartControls:
    position: Any  # (3,) [m]
    turn: Any  # (3,) [rad], added to the scene's rotation
    velocity: Any = None  # (3,) [m/s]; None for a thing that starts in a hand
    spin: Any = None  # (3,) [rad/s]


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["release", "restitution", "friction", "normal", "passed"],
    meta_fields=[],
)
@dataclass(frozen=True, eq=False)
class ContactControls:
    release: Any = None  # () [s], of a hold that ends in a throw
    restitution: Any = None  # (), of an impact
    friction: Any = None  # ()
    normal: Any = None  # (3,) [rad]
    passed: Any = None  # () [s], of a pass: when it is


@partial(jax.tree_util.register_dataclass, data_fields=["motions", "starts", "contacts"], meta_fields=[])
@dataclass(frozen=True, eq=False)
class Controls:
    motions: Mapping[str, Any]
    starts: Mapping[str, StartControls]
    contacts: Mapping[str, ContactControls]


class UnpackedContacts(Mapping[str, ContactControls]):
    """Controls of contacts, read from a flat vector when they are asked for: a step looks at a few of hundreds."""

    def __init__(self, u: Floats, blocks: Mapping[str, Sequence["Block"]]) -> None:
        self._u, self._blocks = u, blocks
        self._read: dict[str, ContactControls] = {}

    def __getitem__(self, contact: str) -> ContactControls:
        if contact not in self._read:
            self._read[contact] = ContactControls(**{part.part: part.of(self._u) for part in self._blocks[contact]})
        return self._read[contact]

    def __iter__(self) -> Iterator[str]:
        return iter(self._blocks)

    def __len__(self) -> int:
        return len(self._blocks)


def _by_name(names: Sequence[str], contacts: Iterable[Any]) -> Any:
    """Contacts of a tree that was computed: their numbers need not be those of one vector any more."""
    return dict(zip(names, contacts, strict=True))


jax.tree_util.register_pytree_with_keys(
    UnpackedContacts,
    lambda contacts: (
        [(jax.tree_util.DictKey(name), contacts[name]) for name in sorted(contacts)],
        tuple(sorted(contacts)),
    ),
    _by_name,
)


@dataclass(frozen=True)
class Block:
    """A named stretch of the flat vector."""

    name: str  # "juggler", "ball1.position", "catch1.release"
    start: int
    stop: int
    shape: tuple[int, ...]
    group: str  # "motions", "starts" or "contacts"
    owner: str  # a character, thing or contact: names may have dots in them, so it cannot be read off `name`
    part: str  # "position"; "" of all of a motion

    @property
    def indices(self) -> slice:
        return slice(self.start, self.stop)

    def of(self, u: Floats) -> Floats:
        """Its own numbers of a flat vector."""
        return u[self.start : self.stop].reshape(self.shape)

    @property
    def of_body(self) -> bool:
        return self.group == "motions"

    @property
    def is_law(self) -> bool:
        """Whether it bends the physics of an impact."""
        return self.group == "contacts" and self.part in LOCKED

    @property
    def is_time(self) -> bool:
        """Whether it says when a hold ends or goes over into another."""
        return self.group == "contacts" and self.part in ("release", "passed")

    def meant_by(self, name: str) -> bool:
        """Whether a name is that of its owner, its own, or of something in between ("soccer.clips")."""
        within = name.startswith(f"{self.owner}.") and self.name.startswith(f"{name}.")
        return name in (self.owner, self.name) or within


@dataclass(frozen=True, eq=False)
class Layout:
    """Which stretch of u is what; read off the tree, written nowhere."""

    blocks: tuple[Block, ...]
    treedef: Any  # of motions and starts
    contacts: Mapping[str, Sequence[Block]]

    def __repr__(self) -> str:
        rows = [f"  {block.start:>7} to {block.stop:>7}  {block.name} {block.shape}" for block in self.blocks]
        return "\n".join([f"<layout of u, n = {self.size}", *rows]) + ">"

    @property
    def size(self) -> int:
        return self.blocks[-1].stop if self.blocks else 0

    @cached_property
    def _by_name(self) -> dict[str, Block]:
        return {block.name: block for block in self.blocks}

    def __getitem__(self, name: str) -> Block:
        if name not in self._by_name:
            raise unknown("block of the control vector", name, self._by_name)
        return self._by_name[name]

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def first(self, character: str) -> int:
        """Where the blocks of a character begin."""
        return next(block.start for block in self.blocks if block.of_body and block.owner == character)

    def name_of(self, index: int) -> str:
        """The block that entry `index` of u belongs to."""
        return next(block.name for block in self.blocks if block.start <= index < block.stop)

    @cached_property
    def free(self) -> np.ndarray:
        """(n,) False where an entry is locked by default."""
        free = np.ones(self.size, bool)
        for block in self.blocks:
            if block.is_law:
                free[block.indices] = False
        return free

    @staticmethod
    def of(controls: Controls) -> "Layout":
        leaves, _ = jax.tree_util.tree_flatten_with_path(controls)
        blocks, stop = [], 0
        for path, leaf in leaves:
            shape = np.shape(leaf)
            start, stop = stop, stop + int(np.prod(shape))
            group, owner, *rest = _keys(path)
            blocks.append(Block(".".join([owner, *rest]), start, stop, shape, group, owner, ".".join(rest)))
        _check_names(blocks)
        contacts: dict[str, list[Block]] = {name: [] for name in controls.contacts}
        for block in blocks:
            if block.group == "contacts":
                contacts[block.owner].append(block)
        return Layout(tuple(blocks), jax.tree_util.tree_structure(replace(controls, contacts={})), contacts)

    def flatten(self, controls: Controls) -> Floats:
        return np.concatenate([np.ravel(leaf) for leaf in jax.tree_util.tree_leaves(controls)] or [np.zeros(0)])

    def unflatten(self, u: Floats) -> Controls:
        u = self._checked(u)
        bad = np.flatnonzero(~np.isfinite(u))
        if len(bad):
            raise HoiError(f"entry {bad[0]} of the control vector, in {self.name_of(int(bad[0]))!r}, is {u[bad[0]]}")
        leaves = [block.of(u) for block in self._blocks_but_contacts]
        controls: Controls = jax.tree_util.tree_unflatten(self.treedef, leaves)
        return replace(controls, contacts=UnpackedContacts(u, self.contacts))

    def _checked(self, u: object) -> Floats:
        numbers = as_floats(u, (self.size,))
        if numbers is None:
            instead = f"shape {u.shape} of {u.dtype}" if isinstance(u, np.ndarray) else f"a {type(u).__name__}"
            raise HoiError(f"the control vector of this scene has {self.size} real numbers, not {instead}")
        return numbers

    @cached_property
    def _blocks_but_contacts(self) -> list[Block]:
        return [block for block in self.blocks if block.group != "contacts"]


def _check_names(blocks: list[Block]) -> None:
    """A character "ball.position" beside a ball would be a second block of that name."""
    owners: dict[str, str] = {}
    for block in blocks:
        if block.name in owners:
            raise HoiError(
                f"{owners[block.name]!r} and {block.owner!r} would both have a block {block.name!r} of the control "
                "vector; give one of them another name"
            )
        owners[block.name] = block.owner


def _keys(path: tuple[Any, ...]) -> list[str]:
    """A path through the tree in words: the group, the owner's name, then fields and indices within it."""
    return [str(getattr(key, "name", getattr(key, "key", getattr(key, "idx", key)))) for key in path]


def initial_controls(scene: Scene) -> Controls:
    """The controls that describe the scene as it was built."""
    starts = {thing.name: _start(scene, thing) for thing in scene.things}
    contacts = {contact.id: _contact(scene, contact) for contact in scene.contacts}
    held = {
        thing.name: ContactControls(release=np.float64(thing.start.release))
        for thing in scene.things
        if isinstance(thing.start, Held) and thing.start.release is not None
    }
    motions = {character.name: character.motion.parameters() for character in scene.characters}
    return Controls(motions, starts, contacts | held)


def _start(scene: Scene, thing: Thing) -> StartControls:
    start = thing.start
    if isinstance(start, Flying):
        return StartControls(
            np.array(start.position, float),
            np.zeros(3),
            np.array(start.velocity, float),
            np.array(start.angular_velocity, float),
        )
    if start.position is not None:
        return StartControls(np.array(start.position, float), np.zeros(3))
    lying = on_site(scene, start.carrier, thing, start.rotation)
    return StartControls(lying + _aside(scene, start.carrier, thing.name), np.zeros(3))


def on_site(scene: Scene, place: str, thing: Thing, rotation: Floats) -> Floats:
    """Where a thing's centre is, in the frame of the site's segment, when it lies on the site turned by `rotation`."""
    site = _site(scene, place)
    out = np.asarray(site.rotation)[:, 2]
    depth = float((-np.asarray(thing.body.vertices) @ np.asarray(rotation).T @ out).max() + thing.body.radius)
    return np.asarray(site.position + depth * out)


def snapped(scene: Scene, contact: Contact) -> Floats:
    """The same of a thing that is caught; where a hand is to hold several, they lie side by side along it."""
    lying = on_site(scene, contact.carrier, scene.thing(contact.object), np.eye(3))
    return lying + _aside(scene, contact.carrier, contact.id) if contact.holds else lying


def _aside(scene: Scene, carrier: str, hold: str) -> Floats:
    """How far off the middle of a hand something lies, for what lies there as well."""
    holds = _holds(scene, carrier)
    things = [thing for thing, since, until in holds.values() if _meet((since, until), holds[hold][1:])]
    width = 2.0 * max(scene.thing(thing).body.reach for thing in things) + BESIDE
    along = side_by_side([(since, until) for _, since, until in holds.values()])[[*holds].index(hold)]
    return along * width * np.asarray(_site(scene, carrier).rotation)[:, 1]


def side_by_side(holds: Sequence[tuple[float, float]]) -> list[float]:
    """Where things lie that a hand holds from one time to another, in widths along it: the first in its middle, and
    others where there is room beyond it, towards the fingers."""
    places: dict[int, int] = {}
    for k in sorted(range(len(holds)), key=lambda k: holds[k][0]):
        taken = {place for other, place in places.items() if _meet(holds[k], holds[other])}
        places[k] = next(place for place in range(len(holds)) if place not in taken)
    return [float(places[k]) for k in range(len(holds))]


def is_site(scene: Scene, place: str) -> bool:
    """Whether it is a site of a character, where things can be put."""
    character, slash, point = place.partition("/")
    return bool(slash) and any(site.name == point for site in scene.character(character).skeleton.sites)


def _site(scene: Scene, place: str) -> Site:
    character, _, _ = scene.place(place)
    sites = {site.name: site for site in character.skeleton.sites}
    name = place.partition("/")[2]
    if name not in sites:
        raise HoiError(f"{place!r} is no site; a thing is held by one of {', '.join(sorted(sites))}")
    return sites[name]


def _meet(first: tuple[float, float], second: tuple[float, float]) -> bool:
    """Whether two stretches of time have something in common."""
    return first[0] <= second[1] and second[0] <= first[1]


def _holds(scene: Scene, carrier: str) -> dict[str, tuple[str, float, float]]:
    """What a hand is to hold, and from when to when: by the names of things that start there, the one that stays
    longest first, and by the ids of contacts."""
    starts = [(thing.name, thing.start) for thing in scene.things]
    first = [
        (name, scene.start, _until(scene, name, scene.start, start.release))
        for name, start in starts
        if isinstance(start, Held) and start.carrier == carrier
    ]
    later = [
        (contact.id, (contact.object, contact.time, _until(scene, contact.object, contact.time, contact.release)))
        for contact in sorted(scene.contacts, key=lambda contact: contact.time)
        if contact.holds and contact.carrier == carrier
    ]
    return {hold[0]: hold for hold in sorted(first, key=lambda hold: -hold[2])} | dict(later)


def _until(scene: Scene, thing: str, since: float, release: float | None) -> float:
    """When a hold is over: with its release, or just before it is passed on, be that to the same hand and another."""
    passes = [
        np.nextafter(contact.time, -np.inf)
        for contact in scene.plan_of(thing)
        if contact.passes_on and contact.time > since
    ]
    return min([np.inf if release is None else float(release), *passes])


def _contact(scene: Scene, contact: Contact) -> ContactControls:
    release = None if contact.release is None else np.float64(contact.release)
    if contact.passes_on:
        return ContactControls(release, passed=np.float64(contact.time))
    if not contact.bounces:
        return ContactControls(release)
    e, mu = contact_material(scene, contact)
    return ContactControls(None, np.float64(e), np.float64(mu), np.zeros(3))


def contact_material(scene: Scene, contact: Contact) -> tuple[float, float]:
    """Restitution and friction of an intended impact: its own, or the product of its partners'."""
    other = contact.carrier
    owners = {item.name: item.material for item in scene.owners}
    of_other, of_thing = owners[other.partition("/")[0]], scene.thing(contact.object).material
    e = float(np.asarray(of_thing.restitution) * np.asarray(of_other.restitution))
    mu = float(np.asarray(of_thing.friction) * np.asarray(of_other.friction))
    return (
        e if contact.restitution is None else contact.restitution,
        mu if contact.friction is None else contact.friction,
    )
