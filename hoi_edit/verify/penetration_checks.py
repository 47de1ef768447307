"""Whether anything in flight is inside anything else, looked at every millisecond.

What a thing has just left may still be in touch with it: gap and rate are both zero when a hand lets go. Until the two
have been clear of each other once, an overlap is measured on its own, and may be larger. Where nothing flies nobody
looks; and so many looks are made at a time that a long scene takes no more memory than a short one.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field

import numpy as np

from hoi_edit.scene import Character
from hoi_edit.simulate.trajectory import Chain
from hoi_edit.verify.independent_frames import MeasuredMotion, segments, turned
from hoi_edit.verify.independent_scene import MeasuredScene
from hoi_edit.verify.independent_solids import FrameSolid
from hoi_edit.verify.measure import Measure
from hoi_edit.verify.performance import PerformanceRecord
from kinematics.rotation import Floats

RATE = 1000.0  # [Hz]
DEEPEST = 1e-6  # [m]
PUSHED = 1e-3  # [m] by which a hand may go on after a thing that it has let go
NEVER = -2  # the holder of what nothing holds
PIECE = 8_000  # looks at a time


@dataclass(frozen=True, eq=False)
class ThingTrack:
    """What a thing does at all looks."""

    flies: np.ndarray  # (N,)
    holder: np.ndarray  # (N,) the frame that holds it, NEVER in flight
    span: np.ndarray  # (N,) number of its span
    begins: np.ndarray  # (N,) whether it is seen to fly first then, or first in this span
    left: list[str]  # what it touched, or was held by, as each span began; "" of the first

    @staticmethod
    def of(chain: Chain, times: Floats) -> "ThingTrack":
        span = np.searchsorted([event.time for event in chain.events], times, side="right")
        flown = np.array([one.kind == "flight" and not _settles(chain, k) for k, one in enumerate(chain.spans)])
        holders = np.array([NEVER if one.kind == "flight" else one.frame for one in chain.spans])
        flies = flown[span]
        seen, begins = np.flatnonzero(flies), np.zeros(len(times), bool)
        begins[seen] = np.concatenate([[True], np.diff(span[seen]) > 0])[: len(seen)]
        left = [str(chain.events[k - 1].other or "") if k > 0 else "" for k in range(len(chain.spans))]
        return ThingTrack(flies, holders[span], span, begins, left)

    def leaves(self, other: str, looks: np.ndarray) -> np.ndarray:
        """(K,) whether it has just left something, of some looks."""
        return np.asarray(np.array([name == other for name in self.left])[self.span[looks]])


@dataclass
class Overlap:
    """The deepest that two are in each other, look by look; and that with what a thing has just left, until they are
    clear."""

    deep: float = 0.0  # [m]
    time: float | None = None
    pushed: float | None = None  # [m]; None where nothing was just left
    pushed_at: float = 0.0
    leaving: bool = False

    def look(self, gaps: Floats, left: np.ndarray, times: Floats) -> None:
        """On at some more looks; `left` where one has just left the other."""
        if not len(gaps):
            return
        leaving, begins = np.zeros(len(gaps), bool), np.flatnonzero(left)
        for begin in (0, *begins) if self.leaving else begins:
            clear = np.flatnonzero(gaps[begin:] > DEEPEST)
            leaving[begin : begin + clear[0] if len(clear) else None] = True
        depth = np.maximum(-gaps, 0.0)
        if not leaving.all():
            k = int(np.argmax(np.where(leaving, -1.0, depth)))
            if self.time is None or depth[k] > self.deep:
                self.deep, self.time = float(depth[k]), float(times[k])
        if leaving.any():
            k = int(np.argmax(np.where(leaving, depth, -1.0)))
            if self.pushed is None or depth[k] > self.pushed:
                self.pushed, self.pushed_at = float(depth[k]), float(times[k])
        self.leaving = bool(leaving[-1])

    def measures(self, a: str, b: str) -> Iterator[Measure]:
        yield Measure("penetration", f"{a} is outside {b}", self.time, self.deep, DEEPEST, broken=f"{a} is inside {b}")
        if self.pushed is not None:
            what = f"{b} does not pass through {a} after it let it go"
            broken = f"{b} passes through {a} after it let it go"
            yield Measure("let go", what, self.pushed_at, self.pushed, PUSHED, broken=broken, thing=a)


@dataclass(frozen=True, eq=False)
class Watch:
    """All that is looked at, and what was seen of it so far."""

    record: PerformanceRecord
    times: Floats  # (N,) of all looks
    tracks: Mapping[str, ThingTrack]
    surfaces: list[tuple[int, str, FrameSolid]]  # the frame (-1: the world), what it is called, and a solid on it
    met: dict[tuple[str, int], Overlap] = field(default_factory=dict)  # by thing and number of the surface
    pairs: dict[tuple[str, str], Overlap] = field(default_factory=dict)

    @staticmethod
    def of(record: PerformanceRecord) -> "Watch":
        stage = record.stage
        start, end = stage.scene.start, stage.scene.end
        times = np.arange(np.ceil((end - start) * RATE)) / RATE + start
        tracks = {thing.name: ThingTrack.of(record.chains[thing.name], times) for thing in stage.scene.things}
        frames = [frame for character in stage.scene.characters for frame in _frames_of(stage, character)]
        surfaces = [(frame, stage.frame_name(frame), solid) for frame in frames for solid in stage.solids(frame)]
        surfaces += [(-1, fixture.name, FrameSolid.of_fixture(fixture)) for fixture in stage.scene.fixtures]
        return Watch(record, times, tracks, surfaces)

    def look(self, looks: np.ndarray) -> None:
        """At all that flies at some looks."""
        times, frames = self.times[looks], _frames(self.record, self.times[looks])
        frames[-1] = MeasuredMotion.still(len(looks))
        moves = {name: _motion(self.record, name, track.span[looks], times) for name, track in self.tracks.items()}
        for name, track in self.tracks.items():
            self._with_surfaces(name, track, moves[name], frames, looks)
        names = list(self.tracks)
        for k, a in enumerate(names):
            for b in names[k + 1 :]:
                self._of_pair(a, b, moves, looks)

    def _with_surfaces(
        self, name: str, track: ThingTrack, moves: MeasuredMotion, frames: Mapping[int, MeasuredMotion],
        looks: np.ndarray,
    ) -> None:  # fmt: skip
        flies = np.flatnonzero(track.flies[looks])
        if not len(flies):
            return
        scene, own, moves = self.record.stage.scene, looks[flies], moves.chosen(flies)
        corners, radius = _corners(self.record, name, moves)
        body = None if corners.shape[1] == 1 else FrameSolid.of_body(scene.thing(name).body)
        motions = {frame: motion.chosen(flies) for frame, motion in frames.items()}
        for number, (frame, called, solid) in enumerate(self.surfaces):
            motion = motions[frame]
            gaps = np.minimum(_gaps(corners, radius, motion, solid), _gaps_within(body, moves, motion, solid))
            excused = track.begins[own] & track.leaves(called, own)
            self.met.setdefault((name, number), Overlap()).look(gaps, excused, self.times[own])

    def _of_pair(self, a: str, b: str, moves: Mapping[str, MeasuredMotion], looks: np.ndarray) -> None:
        one, two = self.tracks[a], self.tracks[b]
        together = (one.holder == two.holder) & (one.holder != NEVER)
        apart = np.flatnonzero((one.flies | two.flies)[looks] & ~together[looks])
        scene = self.record.stage.scene
        # a ball is looked at from the other, whatever that is
        first, second = (b, a) if len(scene.thing(a).body.vertices) > 1 else (a, b)
        solid = FrameSolid.of_body(scene.thing(second).body)
        if not len(apart) or solid is None:
            return
        corners, radius = _corners(self.record, first, moves[first].chosen(apart))
        gaps = _gaps(corners, radius, moves[second].chosen(apart), solid)
        own = looks[apart]
        before, met = np.maximum(own - 1, 0), np.zeros(len(own), bool)
        for track, other in ((one, b), (two, a)):
            met |= (track.span[own] != track.span[before]) & track.leaves(other, own)
        self.pairs.setdefault((first, second), Overlap()).look(gaps, together[before] | met, self.times[own])

    def measures(self) -> Iterator[Measure]:
        for (name, number), overlap in self.met.items():
            yield from overlap.measures(name, self.surfaces[number][1])
        for (first, second), overlap in self.pairs.items():
            yield from overlap.measures(first, second)


def penetration(record: PerformanceRecord) -> Iterator[Measure]:
    watch = Watch.of(record)
    flies = np.any([np.zeros(len(watch.times), bool), *(track.flies for track in watch.tracks.values())], axis=0)
    looks = np.flatnonzero(flies)
    for begin in range(0, len(looks), PIECE):
        watch.look(looks[begin : begin + PIECE])
    yield from watch.measures()


def _frames_of(stage: MeasuredScene, character: Character) -> range:
    first = stage.first_frame(character)
    return range(first, first + len(character.skeleton.names))


def _frames(record: PerformanceRecord, times: Floats) -> dict[int, MeasuredMotion]:
    frames, stage = {}, record.stage
    for character in stage.scene.characters:
        moves = segments(character.skeleton, *stage.poses(character, times))
        frames.update({stage.first_frame(character) + k: motion for k, motion in moves.items()})
    return frames


def _motion(record: PerformanceRecord, name: str, number: np.ndarray, times: Floats) -> MeasuredMotion:
    """Where a thing is and how it is turned at times, of which the number of its span is known."""
    motion = MeasuredMotion.still(len(times))
    position, rotation = motion.position.copy(), motion.rotation.copy()
    for k in np.unique(number):
        looks = np.flatnonzero(number == k)
        in_span = record.motion(name, record.chains[name].spans[k], times[looks])
        position[looks], rotation[looks] = in_span.position, in_span.rotation
    return MeasuredMotion(position, rotation, motion.velocity, motion.spin)


def _settles(chain: Chain, k: int) -> bool:
    """Whether a flight ends in bounces that were summed up: its last moments are not flown."""
    return k < len(chain.events) and chain.events[k].settling is not None


def _corners(record: PerformanceRecord, name: str, motion: MeasuredMotion) -> tuple[Floats, float]:
    """(N, V, 3) corners of a thing's hull in the world, and the radius around them."""
    body = record.stage.scene.thing(name).body
    local = np.asarray(body.vertices, float)
    corners = motion.position[:, None] + np.einsum("nij,vj->nvi", motion.rotation, local)
    return corners, float(np.asarray(body.radius))


def _gaps(corners: Floats, radius: float, frame: MeasuredMotion, solid: FrameSolid) -> Floats:
    """(N,) of the nearest corner; of a ball that is the ball. Infinite where they are farther apart than they reach."""
    centre = frame.position + turned(frame.rotation, solid.place)
    reach = float(np.linalg.norm(solid.half)) + solid.radius + radius
    away = np.linalg.norm(corners - centre[:, None], axis=2).min(axis=1)
    near = np.flatnonzero(away <= reach)
    gaps = np.full(len(corners), np.inf)
    if len(near):
        near_frame = frame.chosen(near)
        distances = [solid.distance(near_frame.local(corners[near, v]))[0] for v in range(corners.shape[1])]
        gaps[near] = np.min(distances, axis=0) - radius
    return gaps


def _gaps_within(body: FrameSolid | None, moves: MeasuredMotion, frame: MeasuredMotion, solid: FrameSolid) -> Floats:
    """(N,) the other way around: of the nearest corner of a surface from a thing that has faces. Infinite for others,
    and where the two are farther apart than they reach."""
    gaps = np.full(len(moves.position), np.inf)
    if body is None:
        return gaps
    centre = frame.position + turned(frame.rotation, solid.place)
    reach = float(np.linalg.norm(body.half) + body.radius + np.linalg.norm(solid.half) + solid.radius)
    near = np.flatnonzero(np.linalg.norm(centre - moves.position, axis=1) <= reach)
    if len(near):
        near_moves, near_frame = moves.chosen(near), frame.chosen(near)
        distances = []
        for side in np.ndindex(2, 2, 2):
            corner = solid.place + solid.rotation @ ((2.0 * np.array(side) - 1.0) * solid.half)
            world = near_frame.position + turned(near_frame.rotation, corner)
            distances.append(body.distance(near_moves.local(world))[0])
        gaps[near] = np.min(distances, axis=0) - solid.radius
    return gaps
