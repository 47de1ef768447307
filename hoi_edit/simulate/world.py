"""A scene packed for searching: every surface that something can touch, in stacked arrays, and where its frame is when.

A *frame* is a segment of a character (all characters' segments in one row) or the world (-1). A *surface* is a rounded
box fixed to a frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hoi_edit.motions.frame_motion import Moving, table_of
from hoi_edit.motions.mixture import Mixtures, Recipe, mixtures, recipe
from hoi_edit.scene import Character, Scene
from hoi_edit.simulate.search import solids as packed_solids
from hoi_edit.simulate.search.hull_touches import Hull
from hoi_edit.simulate.search.layouts import Groups, PoseRows, Solids
from hoi_edit.simulate.trajectory import Patch
from kinematics.chains import Chains, chains
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from rigid.air import steps_for
from rigid.air_compiled import packed_air
from rigid.body import extents, flight_inertia
from rigid.distance import RoundedBox
from rigid.hull_features import face_normals
from rigid.impact import Material
from rigid.tumble_compiled import packed_inertia

Ints = np.ndarray
MOSTLY = 0.5  # of a table: if more is new, all of it is made anew
RATE = 60.0  # [Hz] of the table of poses; between its rows motion is interpolated, and the exact touch polished


@dataclass(frozen=True, eq=False)
class Surfaces:
    frame: Ints  # (S,) global frame, -1 for the world
    place: Floats  # (S, 3) in the frame
    turned: Floats  # (S, 3, 3) in the frame
    core: Floats  # (S, 3)
    radius: Floats  # (S,)
    restitution: Floats  # (S,)
    friction: Floats  # (S,)
    name: tuple[str, ...]  # "juggler/left_hand", "ground"

    def __len__(self) -> int:
        return len(self.frame)

    def patch(self, k: int) -> Patch:
        """One of them."""
        return self._patches[k]

    @cached_property
    def _patches(self) -> list[Patch]:
        columns = (self.place, self.turned, self.core, self.radius, self.restitution, self.friction)
        return [Patch(int(frame), *rest) for frame, *rest in zip(self.frame, *columns, strict=True)]

    def solids(self) -> Solids:
        """As the search takes them."""
        return packed_solids(self.frame, self.place, self.turned, self.core, self.radius)

    @staticmethod
    def of(patches: Sequence[Patch], names: Sequence[str]) -> "Surfaces":
        return Surfaces(
            np.array([patch.frame for patch in patches], np.int64),
            np.array([patch.place for patch in patches], float).reshape(-1, 3),
            np.array([patch.turned for patch in patches], float).reshape(-1, 3, 3),
            np.array([patch.core for patch in patches], float).reshape(-1, 3),
            np.array([patch.radius for patch in patches], float),
            np.array([patch.restitution for patch in patches], float),
            np.array([patch.friction for patch in patches], float),
            tuple(names),
        )


@dataclass(frozen=True, eq=False)
class World:
    scene: Scene
    surfaces: Surfaces
    first_frame: tuple[int, ...]  # of each character, and the number of all frames

    @staticmethod
    def of(scene: Scene) -> "World":
        counts = [len(character.skeleton.names) for character in scene.characters]
        first = np.concatenate([[0], np.cumsum(counts)]).astype(int)
        return World(scene, _surfaces(scene, first), tuple(int(k) for k in first))

    @cached_property
    def airs(self) -> dict[str, Floats]:
        """Things that feel the air, each with that air as `rigid.air_compiled` wants it."""
        seconds = self.scene.end - self.scene.start
        felt = [(thing.name, thing.air) for thing in self.scene.things if thing.air is not None and thing.air.matters]
        return {name: packed_air(air, steps_for(air, seconds)) for name, air in felt}

    @cached_property
    def inertias(self) -> dict[str, Floats]:
        """What the rotation in flight of each thing needs, as `rigid.tumble_compiled` wants it."""
        return {thing.name: packed_inertia(flight_inertia(thing.body)) for thing in self.scene.things}

    @cached_property
    def hulls(self) -> dict[str, Hull]:
        """Things as searches take them that go by corners; a ball, which has one, where it is carried."""
        bodies = {thing.name: thing.body for thing in self.scene.things}
        return {
            name: Hull(
                np.array(body.vertices, float), face_normals(body.vertices), float(body.radius), self.inertias[name]
            )
            for name, body in bodies.items()
        }

    @property
    def n_frames(self) -> int:
        return self.first_frame[-1]

    def owner(self, frame: int) -> tuple[int, int]:
        """Character and segment of a frame."""
        character = int(np.searchsorted(self.first_frame, frame, side="right")) - 1
        return character, frame - self.first_frame[character]

    def frame(self, place: str) -> int:
        """The frame that carries "character/point"."""
        if place not in self._frames:
            character, segment, _ = self.scene.place(place)
            self._frames[place] = self.first_of(character) + segment
        return self._frames[place]

    def first_of(self, character: Character) -> int:
        """The frame of a character's first segment."""
        return int(self.first_frame[list(self.scene.characters).index(character)])

    @cached_property
    def _frames(self) -> dict[str, int]:
        return {}

    def frame_name(self, frame: int) -> str:
        """The inverse of `frame`, up to sites: "character/segment"."""
        return self._frame_names[frame]

    @cached_property
    def _frame_names(self) -> list[str]:
        return [f"{c.name}/{segment}" for c in self.scene.characters for segment in c.skeleton.names]

    def surfaces_of(self, name: str) -> Ints:
        """Surfaces that count as touching "character/point" (all of its segment) or a fixture."""
        if name not in self._named:
            of_it = self.surfaces.frame == self.frame(name) if "/" in name else np.array(self.surfaces.name) == name
            self._named[name] = np.flatnonzero(of_it)
        return self._named[name]

    @cached_property
    def extents(self) -> dict[str, Floats]:
        """Half extents (3,) of each thing's hull."""
        return {thing.name: extents(thing.body) for thing in self.scene.things}

    @cached_property
    def _named(self) -> dict[str, Ints]:
        return {}

    @cached_property
    def table_times(self) -> Floats:
        """The times of pose tables."""
        count = max(4, int(np.ceil((self.scene.end - self.scene.start) * RATE)) + 1)
        return np.asarray(np.linspace(self.scene.start, self.scene.end, count), float)

    @cached_property
    def recipes(self) -> list[Recipe]:
        """How each character's motion is a mixture of splines."""
        return [recipe(character.motion) for character in self.scene.characters]

    @cached_property
    def mixtures(self) -> Mixtures:
        sizes = [character.skeleton.n_dofs for character in self.scene.characters]
        return mixtures(self.recipes, sizes, [character.motion.parameters() for character in self.scene.characters])

    @cached_property
    def chains(self) -> Chains:
        return chains([character.skeleton for character in self.scene.characters])

    @cached_property
    def solids(self) -> Solids:
        """The surfaces as the search takes them."""
        return self.surfaces.solids()

    @cached_property
    def by_frame(self) -> tuple[Ints, ...]:
        """Surfaces of each frame."""
        return tuple(np.flatnonzero(self.surfaces.frame == f) for f in range(self.n_frames))

    @cached_property
    def grouped(self) -> tuple[Ints, Ints]:
        """The same in two arrays: where each frame's begin, and all of them."""
        first = np.cumsum([0, *(len(surfaces) for surfaces in self.by_frame)])
        return first.astype(np.int64), np.concatenate([*self.by_frame, np.zeros(0, np.int64)]).astype(np.int64)

    @cached_property
    def bounds(self) -> tuple[Floats, Floats]:
        """A sphere around all surfaces of each frame: centres (F, 3) in the frame, radii (F,); -inf if it has none."""
        centres, radii = np.zeros((self.n_frames, 3)), np.full(self.n_frames, -np.inf)
        s = self.surfaces
        for f, surfaces in enumerate(self.by_frame):
            if len(surfaces):
                reach = np.linalg.norm(s.core[surfaces], axis=1) + s.radius[surfaces]
                centres[f] = s.place[surfaces].mean(axis=0)
                radii[f] = (np.linalg.norm(s.place[surfaces] - centres[f], axis=1) + reach).max()
        return centres, radii


def _surfaces(scene: Scene, first: Ints) -> Surfaces:
    patches, names = [], []
    for k, character in enumerate(scene.characters):
        for shape in character.skeleton.shapes:
            box = RoundedBox.of(shape.kind, shape.size)
            patches.append(_patch(first[k] + shape.segment, shape.position, shape.rotation, box, character.material))
            names.append(f"{character.name}/{character.skeleton.names[shape.segment]}")
    for fixture in scene.fixtures:
        patches.append(_patch(-1, fixture.position, fixture.rotation, fixture.shape, fixture.material))
        names.append(fixture.name)
    return Surfaces.of(patches, names)


def _patch(frame: int, place: Floats, turned: Floats, box: RoundedBox, material: Material) -> Patch:
    numbers = (float(np.asarray(x)) for x in (box.radius, material.restitution, material.friction))
    return Patch(int(frame), place, turned, np.asarray(box.core), *numbers)


@dataclass(frozen=True, eq=False)
class PoseTable:
    """Frames of all characters at evenly spaced times."""

    start: float
    step: float
    pose: Floats  # (T, F, 12) position and rotation
    centre: Floats  # (T, F, 3) of the bounding spheres
    speed: Floats  # (F,) fastest of their centres [m/s]
    groups: Groups  # the surfaces of each frame

    def rows(self, centre: Floats | None = None) -> PoseRows:
        """As the search takes it; other groups than the frames' own have other centres (T, G, 3)."""
        return PoseRows(self.start, self.step, self.pose, self.centre if centre is None else centre)

    def fastest(self, frame: int, reach: float) -> float:
        """A bound on the speed of any point of a frame within `reach` of the centre of its bounding sphere [m/s]."""
        turn = np.diff(self.pose[:, frame, 3:], axis=0)
        return float(1.5 * (self.speed[frame] + reach * np.sqrt((turn**2).sum(axis=1).max() / 2.0) / self.step) + 0.5)

    def __len__(self) -> int:
        return len(self.pose)

    @property
    def times(self) -> Floats:
        return np.asarray(self.start + self.step * np.arange(len(self)), float)


def _rows_between(times: Floats, start: float, end: float) -> tuple[int, int]:
    """Rows of a stretch; cubics through four of them reach beyond either end."""
    first = max(int(np.searchsorted(times, start)) - 4, 0)
    last = min(int(np.searchsorted(times, end)) + 4, len(times))
    return max(min(first, last - 8), 0), last


def renewed_table(
    world: World, moving: Moving, known: PoseTable, same: tuple[float, float], start: float, end: float
) -> PoseTable:
    """Of a stretch of a scene in which everybody moves as they did in a known table, but for some time in it."""
    times = world.table_times
    first, last = _rows_between(times, start, end)
    of_known = round((float(times[0]) - known.start) / known.step)
    if first + of_known < 0 or last + of_known > len(known):
        return pose_table(world, moving, start, end)
    changed, until = _rows_between(times, max(start, same[0]), min(end, same[1]))
    changed, until = max(changed, first), min(until, last)
    if until - changed > MOSTLY * (last - first):
        return pose_table(world, moving, start, end)
    kept = slice(first + of_known, last + of_known)
    pose, centre = known.pose[kept].copy(), known.centre[kept].copy()
    here = slice(changed - first, until - first)
    pose[here], centre[here], fastest = table_of(moving, times[changed:until], world.bounds[0])
    speed = np.maximum(fastest, known.speed)
    groups = known.groups._replace(sphere=np.column_stack([world.bounds[1], speed]))
    return PoseTable(float(times[first]), known.step, pose, centre, speed, groups)


def pose_table(world: World, moving: Moving, start: float = -np.inf, end: float = np.inf) -> PoseTable:
    """Of the whole scene, or of a stretch of it."""
    times = world.table_times
    step = float(times[1] - times[0])
    first, last = _rows_between(times, start, end)
    pose, centre, speed = table_of(moving, times[first:last], world.bounds[0])
    if not np.isfinite(centre.sum()):
        raise HoiError(f"the motion of scene {world.scene.name!r} has poses that are not finite")
    groups = Groups(np.column_stack([world.bounds[1], speed]), *world.grouped, np.flatnonzero(world.surfaces.frame < 0))
    return PoseTable(float(times[first]), step, pose, centre, speed, groups)
