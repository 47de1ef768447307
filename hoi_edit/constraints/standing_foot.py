"""Feet that stand stay where they stand: on by default in every edit.

A foot that stands all the time is held by what it costs to move it (`weights.standing_masses`). One that kicks in
between has to be light. Neither costs any rows as long as it stays; where an edit would move it, it is held by some
there (`edit.body_violations`): three for its ankle, and two for its ball, which cannot come nearer to the ankle anyway.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import Constraint, Named, Rowset, freeze
from hoi_edit.constraints.bend import Bend
from hoi_edit.constraints.foot_plant import LOW, FootPlant, looks
from hoi_edit.constraints.pin import Pin
from hoi_edit.motions import Blend, FittedSpline, Layer
from hoi_edit.qp.weights import always_stands, feet_of
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Character, Scene
from hoi_edit.simulate.packed_layouts import FRAME
from hoi_edit.simulate.world import Ints
from kinematics.errors import HoiError
from kinematics.feet import FootPoint
from kinematics.rotation import Floats, cross

EACH = 0.1  # [s] between rows, at most; at 0.15 s a foot strays by 6 mm in between
SPARSELY = 0.2  # [s] the same at first, where it is looked more closely whether it strays
SLOW = 0.25  # [m/s]: a foot that is set down, or about to leave, is held as well; else it would come from elsewhere
SETTLES = 0.11  # [s] before and after a new step, in which a foot is held twice as closely: it comes in fast
MET = 1e-6  # [m] or [rad]: what is asked of a foot and holds already does not move it


@dataclass(frozen=True, eq=False)
class StandingFoot(Named):
    """One foot of a character, at the times at which it is looked at."""

    character: str
    name: str  # "left_foot"
    points: tuple[FootPoint, ...]
    times: Floats  # (N,) [s]
    which: tuple[int, ...]  # (N,) of the points
    places: Floats  # (N, 3) where that one stands
    axes: tuple[Floats, ...]  # (N,) the directions in which it is held
    evenly: np.ndarray  # (N,) True at those that hold it all along, if it is moved gently
    spacing: float  # [s] of the knots of its motion: at times nearer to each other it cannot be held as well

    def __post_init__(self) -> None:
        freeze(self, "times", "places")

    @property
    def about(self) -> Finding:
        return Finding("stands", f"{self.character}/{self.name}")

    def is_light(self, model: Model) -> bool:
        """Whether it costs no more to move than other parts of a body, as it does not stand all the time."""
        always = always_stands(model, model.scene.character(self.character))
        return any(point.name not in always for point in self.points)

    def at(self, chosen: np.ndarray) -> "StandingFoot | None":
        """The same at some of its times; None if that is never."""
        rows = np.flatnonzero(chosen).tolist()
        which, axes = tuple(self.which[k] for k in rows), tuple(self.axes[k] for k in rows)
        if not rows:
            return None
        times, places, evenly = self.times[rows], self.places[rows], self.evenly[rows]
        return replace(self, times=times, which=which, places=places, axes=axes, evenly=evenly)

    def off(self, seen: Rollout) -> Floats:
        """(N, 3) how far it is from where it stands at each of its times."""
        table = seen.known_table
        if table is None:
            return self._placed(seen)[2]
        rows = np.rint((self.times - table.start) / table.step).astype(int)
        if rows.min() < 0 or rows.max() >= len(table):
            return self._placed(seen)[2]
        pose = table.pose[rows, self._frames(seen)]  # where a run looks for touches it is known where everybody is
        return self.places - pose[:, :3] - (pose[:, 3:].reshape(-1, 3, 3) @ self._local[..., None])[..., 0]

    @cached_property
    def _local(self) -> Floats:
        """(N, 3) each point in its frame."""
        return np.stack([point.local for point in self.points])[list(self.which)]

    @cached_property
    def _segments(self) -> Ints:
        return np.array([point.segment for point in self.points])[list(self.which)]

    def _frames(self, seen: Rollout) -> Ints:
        return np.asarray(seen.model.world.first_of(seen.model.scene.character(self.character)) + self._segments)

    def _placed(self, seen: Rollout) -> tuple[Ints, Floats, Floats]:
        """At each of its times: the frame that it is part of, its arm there, and how far it is off."""
        frames = self._frames(seen)
        at = FRAME.unpack(seen.context.frames(frames, self.times))
        arms = (at.rotation.reshape(-1, 3, 3) @ self._local[..., None])[..., 0]
        return frames, arms, self.places - at.position - arms

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        frames, arms, off = self._placed(seen)
        axes, of = np.concatenate(self.axes), np.repeat(np.arange(len(self.axes)), [len(held) for held in self.axes])
        on = np.concatenate([axes, cross(arms[of], axes), np.zeros((len(axes), 6))], axis=1)
        change = (axes * off[of]).sum(axis=1)
        rowsets, first = [], 0
        for held, frame, time in zip(self.axes, frames.tolist(), self.times.tolist(), strict=True):
            here, first = slice(first, first + len(held)), first + len(held)
            rowsets.append(
                Rowset.equal(self.about, Functional(len(held), frames=[(frame, time, on[here])]), change[here])
            )
        return rowsets


def _held(places: Floats, stands: np.ndarray) -> Iterator[Floats]:
    """Directions in which each point of a foot that stands is held: those after the first not along the foot, where
    they are held by it already."""
    first = places[stands][0]
    for k, place in enumerate(places[stands]):
        _, _, square = np.linalg.svd((place - first)[None])
        yield np.eye(3) if k == 0 else np.asarray(square[1:])


def standing_feet(
    seen: Rollout,
    loose: Sequence[str] = (),
    start: float = -np.inf,
    end: float = np.inf,
    asked: Sequence[tuple[str, float | None]] = (),
    each: float = EACH,
) -> list[StandingFoot]:
    """Feet as they stand in a rollout between two times, at each row of the table of poses.

    Not those that were let go, nor a foot at a stance in which something else is `asked` of it. A blend's feet go with
    its weights, and are not held: rows would keep the weights where they are.
    """
    scene, feet = seen.model.scene, []
    for character in scene.characters:
        if isinstance(character.motion, Blend) or character.name in loose:
            continue
        for points in _sides(character):
            if not any(_means(scene, name, character, points) for name in loose):
                asked_times = [time for name, time in asked if _means(scene, name, character, points)]
                foot = _foot(seen, character, points, (start, end), asked_times, each)
                feet += [foot] if foot is not None else []
    return feet


def asked_of_feet(constraints: Sequence[Constraint], seen: Rollout) -> list[tuple[str, float | None]]:
    """Points of bodies of which constraints ask something that does not hold yet, and when; None: at any time."""
    asked: list[tuple[str, float | None]] = []
    for constraint in constraints:
        if isinstance(constraint, FootPlant):
            asked.append((f"{constraint.character}/{constraint.point}", None))
        elif (
            isinstance(constraint, Bend | Pin)
            and "/" in constraint.name
            and any(np.any(r.miss > MET) for r in constraint.rows(seen))
        ):
            asked.append((constraint.name, constraint.t))
    return asked


def points_lifted(scene: Scene, asked: Sequence[tuple[str, float | None]]) -> frozenset[str]:
    """Names of all points of the feet of which something is asked: "player/left_foot", "player/left_toes"."""
    return frozenset(
        f"{character.name}/{point.name}"
        for character in scene.characters
        for points in _sides(character)
        if any(_means(scene, name, character, points) for name, _ in asked)
        for point in points
    )


def is_foot(scene: Scene, name: str) -> bool:
    """Whether a name means a character with its feet, or one foot of somebody: "player", "player/left_foot"."""
    for character in scene.characters:
        sides = _sides(character)
        if sides and (name == character.name or any(_means(scene, name, character, points) for points in sides)):
            return True
    return False


def _sides(character: Character) -> list[tuple[FootPoint, ...]]:
    """The points of each foot."""
    sides: dict[str, tuple[FootPoint, ...]] = {}
    for point in feet_of(character):
        side = point.name.partition("_")[0]
        sides[side] = (*sides.get(side, ()), point)
    return list(sides.values())


def _means(scene: Scene, name: str, character: Character, points: Sequence[FootPoint]) -> bool:
    """Whether a name ("player/left_heel", "player/left_foot.Xrotation") is of a part of this foot."""
    owner, slash, part = name.partition("/")
    if owner != character.name or not slash:
        return False
    try:
        return scene.place(f"{owner}/{part.partition('.')[0]}")[1] in {point.segment for point in points}
    except HoiError:
        return False


@dataclass(frozen=True, eq=False)
class FootTrack:
    """Where the points of one foot are all along a scene, and when each of them stands."""

    character: str
    name: str  # "left_foot"
    points: tuple[FootPoint, ...]
    times: Floats  # (T,) [s]
    places: Floats  # (T, P, 3)
    stands: np.ndarray  # (T, P)
    spacing: float  # [s] of the knots of its motion

    @staticmethod
    def of(seen: Rollout, character: Character, points: tuple[FootPoint, ...]) -> "FootTrack":
        times = np.asarray(seen.model.world.table_times)
        first = seen.model.world.first_of(character)
        tracks = []
        for point in points:
            at = FRAME.unpack(seen.context.frames(np.full(len(times), first + point.segment), times))
            tracks.append(at.position + at.rotation.reshape(-1, 3, 3) @ point.local)
        stands = np.stack([_stands(track, times) for track in tracks], axis=1)
        name = character.skeleton.names[points[0].segment]
        spacing = float(character.motion.grid.spacing) if isinstance(character.motion, Layer | FittedSpline) else EACH
        return FootTrack(character.name, name, points, times, np.stack(tracks, axis=1), stands, spacing)

    def held(self, each: float = EACH, steps: Sequence[float] = ()) -> StandingFoot | None:
        """The foot where it stands; None if it never does. It is held evenly, and more closely where it comes to stand,
        or ceases to, for `steps` at some times [s]."""
        rows, which = np.nonzero(self.stands)
        if not len(rows):
            return None
        every = max(1, round(each / (self.times[1] - self.times[0])))
        even = _evenly(self.stands, every)
        for time in steps:
            near = self.stands & (np.abs(self.times - time) < SETTLES)[:, None]
            even |= _evenly(near, max(1, every // 2))
        axes = tuple(axis for row in np.unique(rows) for axis in _held(self.places[row], self.stands[row]))
        held = self.times[rows], tuple(which.tolist()), self.places[rows, which], axes, even[rows], self.spacing
        return StandingFoot(self.character, self.name, self.points, *held)


def foot_tracks(seen: Rollout, character: Character) -> list[FootTrack]:
    """One for each foot of a character."""
    return [FootTrack.of(seen, character, points) for points in _sides(character)]


def _foot(
    seen: Rollout,
    character: Character,
    points: tuple[FootPoint, ...],
    between: tuple[float, float],
    asked: Sequence[float | None],
    each: float,
) -> StandingFoot | None:
    track = FootTrack.of(seen, character, points)
    times = track.times
    stands = track.stands & ((times >= between[0]) & (times <= between[1]))[:, None]
    for time in asked:
        stands[_stance(_anything(stands), times, time)] = False
    return replace(track, stands=stands).held(each)


def _stands(track: Floats, times: Floats) -> np.ndarray:
    speed = np.linalg.norm(np.gradient(track, times, axis=0), axis=1)
    return np.asarray((speed < SLOW) & (track[:, 1] < track[:, 1].min() + LOW))


def _anything(stands: np.ndarray) -> np.ndarray:
    """(T,) whether a foot stands on any of its points."""
    return np.asarray(stands.any(axis=1))


def _stance(stands: np.ndarray, times: Floats, time: float | None) -> np.ndarray:
    """(T,) the samples of the stance in which a time lies; of all of them without one."""
    if time is None:
        return np.ones(len(times), bool)
    here = int(np.argmin(np.abs(times - time)))
    if not stands[here]:
        return np.zeros(len(times), bool)
    number = np.cumsum(np.diff(stands, prepend=False))  # goes up where a stance begins, and where it ends
    return np.asarray(number == number[here])


def _evenly(stands: np.ndarray, every: int) -> np.ndarray:
    """(T,) samples of the whole foot evenly, and of each point the ends of its own stance."""
    even = np.zeros(len(stands), bool)
    even[looks(_anything(stands), every)] = True
    for stance in stands.T:
        even[looks(stance, len(stance))] = True
    return even
