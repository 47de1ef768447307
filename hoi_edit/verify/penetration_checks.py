"""Whether anything in flight is inside anything else, looked at every millisecond.

What a thing has just left may still be in touch with it: gap and rate are both zero when a hand lets go. Until the two
have been clear of each other once, an overlap is measured on its own, and may be larger.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import numpy as np

from hoi_edit.simulate.trajectory import Chain
from hoi_edit.verify.independent_frames import MeasuredMotion, segments, turned
from hoi_edit.verify.independent_solids import FrameSolid
from hoi_edit.verify.measure import Measure
from hoi_edit.verify.performance import PerformanceRecord
from kinematics.rotation import Floats

RATE = 1000.0  # [Hz]
DEEPEST = 1e-6  # [m]
PUSHED = 1e-3  # [m] by which a hand may go on after a thing that it has let go
NEVER = -2  # the holder of what nothing holds


@dataclass(frozen=True, eq=False)
class ThingTrack:
    """A thing at all looks."""

    motion: MeasuredMotion
    flies: np.ndarray  # (N,)
    holder: np.ndarray  # (N,) the frame that holds it, NEVER in flight
    span: np.ndarray  # (N,) number of its span


def penetration(record: PerformanceRecord) -> Iterator[Measure]:
    scene = record.stage.scene
    times = np.arange(np.ceil((scene.end - scene.start) * RATE)) / RATE + scene.start
    frames = _frames(record, times)
    tracks = {thing.name: _track(record, thing.name, times) for thing in scene.things}
    for name, track in tracks.items():
        yield from _with_surfaces(record, name, track, frames, times)
    names = list(tracks)
    for k, a in enumerate(names):
        for b in names[k + 1 :]:
            yield from _of_pair(record, (a, tracks[a]), (b, tracks[b]), times)


def _frames(record: PerformanceRecord, times: Floats) -> dict[int, MeasuredMotion]:
    frames, stage = {}, record.stage
    for character in stage.scene.characters:
        moves = segments(character.skeleton, *stage.poses(character, times))
        frames.update({stage.first_frame(character) + k: motion for k, motion in moves.items()})
    return frames


def _track(record: PerformanceRecord, name: str, times: Floats) -> ThingTrack:
    chain = record.chains[name]
    number = np.searchsorted([event.time for event in chain.events], times, side="right")
    motion = MeasuredMotion.still(len(times))
    position, rotation = motion.position.copy(), motion.rotation.copy()
    flies, holder = np.zeros(len(times), bool), np.full(len(times), NEVER)
    for k in np.unique(number):
        span, looks = chain.spans[k], np.flatnonzero(number == k)
        in_span = record.motion(name, span, times[looks])
        position[looks], rotation[looks] = in_span.position, in_span.rotation
        flies[looks] = span.kind == "flight" and not _settles(chain, int(k))
        holder[looks] = NEVER if span.kind == "flight" else span.frame
    return ThingTrack(MeasuredMotion(position, rotation, motion.velocity, motion.spin), flies, holder, number)


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


def _with_surfaces(
    record: PerformanceRecord, name: str, track: ThingTrack, frames: Mapping[int, MeasuredMotion], times: Floats
) -> Iterator[Measure]:
    stage, chain = record.stage, record.chains[name]
    looks = np.flatnonzero(track.flies)
    if not len(looks):
        return
    corners, radius = _corners(record, name, track.motion)
    corners, moves = corners[looks], track.motion.chosen(looks)
    body = None if corners.shape[1] == 1 else FrameSolid.of_body(stage.scene.thing(name).body)
    begins = np.concatenate([[True], np.diff(track.span[looks]) > 0])
    left = np.array([_left(chain, k) or "" for k in range(len(chain.spans))])[track.span[looks]]
    surfaces = [(frame, stage.frame_name(frame), stage.solids(frame)) for frame in frames]
    surfaces += [(-1, fixture.name, [FrameSolid.of_fixture(fixture)]) for fixture in stage.scene.fixtures]
    for frame, called, solids in surfaces:
        where = MeasuredMotion.still(len(times)) if frame < 0 else frames[frame]
        motion = where.chosen(looks)
        for solid in solids:
            gaps = np.minimum(_gaps(corners, radius, motion, solid), _gaps_within(body, moves, motion, solid))
            excused = begins & (left == called)
            yield from _deepest(name, called, gaps, excused, times[looks])


def _left(chain: Chain, span: int) -> str | None:
    """What a thing touched, or was held by, as a span of it began."""
    return chain.events[span - 1].other if span > 0 else None


def _deepest(a: str, b: str, gaps: Floats, left: np.ndarray, times: Floats) -> Iterator[Measure]:
    """The deepest overlap; and that with what a thing has just left (where `left` is true), until they are clear."""
    leaving = np.zeros(len(gaps), bool)
    for begin in np.flatnonzero(left):
        clear = np.flatnonzero(gaps[begin:] > DEEPEST)
        leaving[begin : begin + clear[0] if len(clear) else None] = True
    depth = np.maximum(-gaps, 0.0)
    k, pushed = int(np.argmax(np.where(leaving, 0.0, depth))), int(np.argmax(np.where(leaving, depth, 0.0)))
    deep = 0.0 if leaving[k] else float(depth[k])
    yield Measure("penetration", f"{a} is outside {b}", float(times[k]), deep, DEEPEST, broken=f"{a} is inside {b}")
    if leaving.any():
        what = f"{b} does not pass through {a} after it let it go"
        broken = f"{b} passes through {a} after it let it go"
        yield Measure("let go", what, float(times[pushed]), float(depth[pushed]), PUSHED, broken=broken, thing=a)


def _of_pair(
    record: PerformanceRecord, a: tuple[str, ThingTrack], b: tuple[str, ThingTrack], times: Floats
) -> Iterator[Measure]:
    (first, one), (second, two) = a, b
    together = (one.holder == two.holder) & (one.holder != NEVER)
    looks = np.flatnonzero((one.flies | two.flies) & ~together)
    scene = record.stage.scene
    if len(scene.thing(first).body.vertices) > 1:  # a ball is looked at from the other, whatever that is
        (first, one), (second, two) = (second, two), (first, one)
    solid = FrameSolid.of_body(scene.thing(second).body)
    if not len(looks) or solid is None:
        return
    corners, radius = _corners(record, first, one.motion)
    gaps = _gaps(corners[looks], radius, two.motion.chosen(looks), solid)
    before = np.maximum(looks - 1, 0)
    met = np.zeros(len(looks), bool)
    for track, name, other in ((one, first, second), (two, second, first)):
        chain = record.chains[name]
        begins = track.span[looks] != track.span[before]
        met |= begins & (np.array([_left(chain, k) == other for k in range(len(chain.spans))])[track.span[looks]])
    yield from _deepest(first, second, gaps, together[before] | met, times[looks])
