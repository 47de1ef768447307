"""What a drag of a body feels like: whether what is shown while the mouse is down is what is kept, and whether it is a
body that is shown.

Seeded drags of pelvis, knees, head, hands and feet by 5 to 60 cm, from each scene as it was opened, as a mouse makes
them: in a straight line, and then it rests for a moment. Each frame is looked at between the samples that the solver
sees. How far feet and joints go in a frame is measured here by itself, against the scene before the drag.

python -m tests.body_drags --drags 40
python -m tests.body_drags --clips ../shared/mocap/cmu_07_01_walk.bvh
"""

import argparse
import sys
import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.report import Report
from hoi_edit.motions import Blend
from hoi_edit.qp.weights import feet_of
from hoi_edit.rollout import Rollout
from hoi_edit.session import EditSession
from kinematics.feet import roles_of
from kinematics.rotation import Floats
from tests.clips import recordings

SCENES = ("juggle3", "soccer", "passing6", "baseball", "save", "box")
CLIPS = ("cmu_07_01_walk", "cmu_141_10_toss_and_catch")
PARTS = ("pelvis", "left_shank", "right_shank", "head", "left_hand", "right_hand", "left_foot", "right_foot")
NEAREST, FARTHEST = 0.05, 0.6  # [m]
MOVES, RESTS = 20, 4  # of the mouse
FINE = 4  # looks for each row of the table
LOW, SLOW = 0.03, 0.1  # [m], [m/s] over its lowest place, and how fast: a foot that surely stands
AROUND = 1.0  # [s] to both sides of a drag in which it is looked at
AGREE = 0.01  # [m]


@dataclass(frozen=True)
class Felt:
    """One drag, as somebody sees it."""

    scene: str
    part: str
    t: float
    way: Floats
    leap: float  # [m] by which the body springs when the button goes up: its joints then, the farthest
    leap_ever: float  # [m] the same at any time around
    slide: float  # [m] that a foot strays at most in any frame while it stands
    beyond: float  # [rad] that a joint is beyond its limit at most in any frame
    slide_after: float  # in the result
    beyond_after: float
    left: float  # [m] from the last frame to the pointer
    moves: tuple[float, ...]  # [ms] of computing, each
    seconds: float  # from the button to the result
    report: Report

    def __str__(self) -> str:
        x, y, z = self.way
        return (
            f"{self.scene}: {self.part} at {self.t:.3f} s by ({x:+.3f}, {y:+.3f}, {z:+.3f}): leaps "
            f"{100 * self.leap:.1f} cm ({100 * self.leap_ever:.1f} at any time), {100 * self.left:.1f} cm to go; feet "
            f"{100 * self.slide:.1f} cm, joints {np.degrees(self.beyond):.1f} deg (after it "
            f"{100 * self.slide_after:.1f}, {np.degrees(self.beyond_after):.1f}); "
            f"{np.median(self.moves):.0f} ms, {max(self.moves):.0f} at most, {self.seconds:.1f} s; {self.report}"
        )


class Body:
    """Whoever is dragged: where feet and joints were, on a fine grid of time, before anything is."""

    def __init__(self, seen: Rollout, character: str, name: str, t: float) -> None:
        body = seen.model.scene.character(character)
        self.character, self.names = character, [f"{character}/{joint}" for joint in body.skeleton.names]
        step = float(np.diff(seen.model.world.table_times[:2])[0]) / FINE
        start, end = max(t - AROUND, seen.model.scene.start), min(t + AROUND, seen.model.scene.end)
        self.t, self.times = t, np.linspace(start, end, max(2, int((end - start) / step)))
        limits, poses = hoi.JointLimits.of(seen, character), seen.poses(character, self.times)
        self.low, self.high = np.minimum(limits.low, poses.min(axis=0)), np.maximum(limits.high, poses.max(axis=0))
        self.feet = []
        points = [] if isinstance(body.motion, Blend) else feet_of(body)
        dragged = {p.name.partition("_")[0] for p in points if self.names[p.segment] == name}  # a side
        for point in points:
            place = self.names[point.segment]
            if point.name.partition("_")[0] in dragged:
                continue
            track = seen.positions(place, self.times)
            low = seen.positions(place, np.asarray(seen.model.world.table_times))[:, 1].min() + LOW
            speed = np.linalg.norm(np.gradient(track, self.times, axis=0), axis=1)
            self.feet.append((place, (track[:, 1] < low) & (speed < SLOW), track))

    def slide(self, seen: Rollout) -> float:
        """How far a foot is from where it stood, at the worst of the times at which it did [m]."""
        off = [
            np.linalg.norm(seen.positions(place, self.times[stood]) - track[stood], axis=1).max(initial=0.0)
            for place, stood, track in self.feet
        ]
        return float(max(off, default=0.0))

    def beyond(self, seen: Rollout) -> float:
        poses = seen.poses(self.character, self.times)
        return float(max(np.max(poses - self.high), np.max(self.low - poses), 0.0))

    def apart(self, one: Rollout, other: Rollout, times: Floats) -> float:
        """How far the farthest joint is from where it is in another run [m]."""
        return max(
            float(np.linalg.norm(one.positions(name, times) - other.positions(name, times), axis=1).max())
            for name in self.names
        )


def felt(session: EditSession, scene: str, name: str, t: float, way: Floats) -> Felt:
    """One drag by a mouse, which is undone again."""
    body = Body(session.rollout, name.partition("/")[0], name, t)
    gesture = session.begin(name, t)
    start, took, slide, beyond = gesture.start.position, list[float](), 0.0, 0.0
    for k in range(1, MOVES + RESTS + 1):
        begun = time.process_time()
        gesture.move(start + min(k / MOVES, 1.0) * way)
        took.append(1e3 * (time.process_time() - begun))
        frame = gesture.iterate.rollout
        slide, beyond = max(slide, body.slide(frame)), max(beyond, body.beyond(frame))
    left = float(np.linalg.norm(frame.state(name, t).position - start - way))
    begun = time.process_time()
    report = gesture.commit()
    seconds, after = time.process_time() - begun, session.rollout
    result = Felt(
        scene, name, t, way, body.apart(frame, after, np.array([t])), body.apart(frame, after, body.times[::FINE]),
        slide, beyond, body.slide(after), body.beyond(after), left, tuple(took), seconds, report,
    )  # fmt: skip
    while session.undo():
        pass
    return result


def chosen(session: EditSession, rng: np.random.Generator) -> tuple[str, float, Floats]:
    """A part of somebody, when it is dragged, and by how much."""
    people = session.scene.characters
    person = people[int(rng.integers(len(people)))]
    roles, part = roles_of(person.skeleton), PARTS[int(rng.integers(len(PARTS)))]
    joint = person.skeleton.names[roles.get(part, 0)]
    t = float(rng.uniform(session.scene.start, session.scene.end))
    way = rng.normal(size=3)
    far = np.exp(rng.uniform(np.log(NEAREST), np.log(FARTHEST)))
    return f"{person.name}/{joint}", t, far * way / np.linalg.norm(way)


def drags(count: int, seed: int, scenes: Sequence[str]) -> Iterator[Felt]:
    """The scenes take turns."""
    rng = np.random.default_rng(seed)
    sessions = {scene: hoi.open(scene) for scene in scenes[:count]}
    for k in range(count):
        scene = scenes[k % len(scenes)]
        yield felt(sessions[scene], Path(scene).stem, *chosen(sessions[scene], rng))


def summary(every: Sequence[Felt]) -> str:
    """Shares and percentiles over all."""

    def of(*names: str) -> Floats:
        return np.array([[getattr(one, name) for name in names] for one in every]).max(axis=1)

    leaps, ever = of("leap"), of("leap_ever")
    moves, seconds = np.concatenate([one.moves for one in every]), of("seconds")
    return (
        f"{np.sum(leaps < AGREE)} of {len(every)} end within 1 cm of what was shown ({np.sum(ever < AGREE)} at any "
        f"time), p95 {100 * np.percentile(leaps, 95):.1f} cm, worst {100 * leaps.max():.1f}; feet in any frame: p95 "
        f"{100 * np.percentile(of('slide'), 95):.2f} cm, worst {100 * of('slide').max():.1f}, in results "
        f"{100 * of('slide_after').max():.1f}; joints in any frame: p95 "
        f"{np.degrees(np.percentile(of('beyond'), 95)):.2f} deg, worst {np.degrees(of('beyond').max()):.1f}, in "
        f"results {np.degrees(of('beyond_after').max()):.1f}; CPU of a move p50 {np.median(moves):.1f} ms, p95 "
        f"{np.percentile(moves, 95):.1f}; of a result p50 {np.median(seconds):.2f} s, "
        f"p95 {np.percentile(seconds, 95):.1f}, worst {seconds.max():.1f}"
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drags", type=int, default=80)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--scenes", nargs="*", default=list(SCENES))
    parser.add_argument("--clips", nargs="*", help="files of motion, instead of two recorded ones")
    options = parser.parse_args()
    folder = recordings()
    clips = [] if folder is None else [str(folder / f"{clip}.bvh") for clip in CLIPS]
    every = list[Felt]()
    for one in drags(
        options.drags, options.seed, [*options.scenes, *(clips if options.clips is None else options.clips)]
    ):
        every.append(one)
        print(one, flush=True)
    print(summary(every))
    return 0


if __name__ == "__main__":
    sys.exit(main())
