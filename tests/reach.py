"""How much of what can be reached is reached: drags to places that are known to be possible.

A target is where something is after a random smooth change of the limb that moves it, once the change has been mended
so that every contact happens again. So there is a motion that gets there, though it need not be the nearest one. What
mends is our own solver, from elsewhere: places that it cannot mend are not among the targets, though some may be
possible. How many changes were left unmended is told.

python -m tests.reach --drags 100
python -m tests.reach --drags 24 --anywhere soccer
"""

import argparse
import resource
import sys
import time
from collections.abc import Iterator
from dataclasses import dataclass, replace

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.outcome import report_of
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.report import Report, changes
from hoi_edit.edit.sqp import Solver
from hoi_edit.motions import Blend, Layer
from hoi_edit.reporting.words import said
from hoi_edit.session import EditSession
from kinematics.rotation import Floats

SCENES = ("juggle3", "soccer", "passing6", "baseball")
LIMBS = ("left_hand", "right_hand", "left_foot", "right_foot", "head")
NEAREST, FARTHEST = 0.1, 1.0  # [m] that a target is away
WIDTH = 0.25  # [s] of a change in time
BENT = 1.2  # [rad] that a joint is bent at most, or a body moved [m]
ROOTED = 0.2  # how much of that the root takes part
ARRIVED = 1e-6  # [m]
BY = 0.3  # [m] of drags anywhere
TRIES = 24  # for one target
SHRINK, ALIKE = 0.8, 3  # changes get smaller after so many tries of the same size


@dataclass(frozen=True)
class Goal:
    """Something at a time, and a place that it can be at."""

    name: str
    t: float
    place: Floats
    away: float  # [m] from where it is
    unmended: int  # changes before it that no target could be made of


@dataclass(frozen=True)
class Outcome:
    scene: str
    goal: Goal
    report: Report
    off: float  # [m] from the goal in the end

    @property
    def arrived(self) -> bool:
        return self.report.converged and self.off < ARRIVED

    def __str__(self) -> str:
        goal, report = self.goal, self.report
        place = ", ".join(f"{x:.4f}" for x in goal.place)
        why = ", ".join(said(report.binding)[:3]) or ", ".join(said(report.missed)[:3]) or "nothing that it names"
        other = f"; changed: {', '.join(said(report.events_changed)[:3])}" if report.events_changed else ""
        return (
            f"{self.scene}: {goal.name} at {goal.t:.4f} s by {goal.away:.2f} m to [{place}]: off by {self.off:.1e} m "
            f"after {report.iterations} steps, held back by {why}{other}"
        )


def reach(drags: int, seed: int = 0, scenes: tuple[str, ...] = SCENES) -> Iterator[Outcome]:
    """What became of so many drags, each from a scene as it was opened; the scenes take turns."""
    rng = np.random.default_rng(seed)
    sessions = {name: hoi.open(name) for name in scenes[:drags]}
    for k in range(drags):
        session = sessions[scenes[k % len(scenes)]]
        goal = goal_in(session, rng)
        report = session.drag(goal.name, goal.t, goal.place)
        off = float(np.abs(session.state(goal.name, goal.t).position - goal.place).max())
        while session.undo():
            pass
        yield Outcome(scenes[k % len(scenes)], goal, report, off)


def anywhere(scene: str, drags: int, seed: int = 0) -> Iterator[tuple[Outcome, list[str]]]:
    """Drags of balls by 30 cm in any direction at any time, whether or not that can be; and what each then hits."""
    rng, session = np.random.default_rng(seed), hoi.open(scene)
    balls = [thing.name for thing in session.scene.things if len(thing.body.vertices) == 1]
    last = max(event.time for event in session.rollout.events if event.intended)
    for _ in range(drags):
        name, t, way = (
            balls[int(rng.integers(len(balls)))],
            float(rng.uniform(session.scene.start, last)),
            rng.normal(size=3),
        )
        goal = Goal(name, t, session.state(name, t).position + BY * way / np.linalg.norm(way), BY, 0)
        report = session.drag(name, t, goal.place)
        off = float(np.abs(session.state(name, t).position - goal.place).max())
        hit = [f"{event.object} hits {event.other}" for event in session.rollout.events if not event.intended]
        while session.undo():
            pass
        yield Outcome(scene, goal, report, off), hit


def goal_in(session: EditSession, rng: np.random.Generator) -> Goal:
    """A random one. Not every change can be mended, and few large ones: so tries get smaller by and by."""
    size, unmended = float(np.exp(rng.uniform(np.log(NEAREST), np.log(FARTHEST)))), 0
    while True:
        name, t, limb, when = chosen(session, rng)
        for k in range(TRIES):
            u = varied(session, rng, limb, when, max(SHRINK ** (k // ALIKE) * size, NEAREST))
            place = mended_place(session, u, name, t)
            if place is not None:
                away = float(np.linalg.norm(place - session.state(name, t).position))
                if NEAREST <= away <= FARTHEST:
                    return Goal(name, t, place, away, unmended)
            unmended += place is None


def chosen(session: EditSession, rng: np.random.Generator) -> tuple[str, float, str, float]:
    """A thing or a limb, a time, and the limb whose change at which time would move it."""
    scene = session.scene
    balls = [thing.name for thing in scene.things if len(thing.body.vertices) == 1]
    limbs = [f"{character.name}/{limb}" for character in scene.characters for limb in LIMBS]
    while True:
        name = balls[int(rng.integers(len(balls)))] if rng.random() < 0.5 else limbs[int(rng.integers(len(limbs)))]
        t = float(rng.uniform(scene.start, max(event.time for event in session.rollout.events if event.intended)))
        if name in limbs:
            return name, t, name, t
        sent = sent_by(session, name, t)
        if sent is not None:
            return name, t, *sent


def sent_by(session: EditSession, thing: str, t: float) -> tuple[str, float] | None:
    """Which limb holds a thing, or sent it on its way, and when; None if none did."""
    chain, frame_name = session.rollout.trajectories.chains[thing], session.model.world.frame_name
    k = chain.index_at(t)
    if chain.spans[k].kind == "held":
        return frame_name(chain.spans[k].frame), t
    if k == 0:
        return None
    event, before = chain.events[k - 1], chain.spans[k - 1]
    frame = before.frame if event.kind == "release" else -1 if event.patch is None else event.patch.frame
    return None if frame < 0 else (frame_name(frame), event.time)


def varied(session: EditSession, rng: np.random.Generator, limb: str, t: float, far: float) -> Floats:
    """u with a bump in time on all joints from a limb to the root, so large that the limb moves that far."""
    character, segment, _ = session.scene.place(limb)
    skeleton, motion = character.skeleton, character.motion
    layer = motion.motions[0] if isinstance(motion, Blend) else motion  # the clip whose time is the scene's
    block = session.layout[f"{character.name}.clips.0" if isinstance(motion, Blend) else character.name]
    assert isinstance(layer, Layer)
    change = np.zeros(skeleton.n_dofs)
    while segment >= 0:
        own, root = skeleton.dofs_of(segment), skeleton.topology.parents[segment] < 0
        change[own] = rng.normal(size=len(own)) * (ROOTED if root else 1.0)
        segment = skeleton.topology.parents[segment]
    change /= np.abs(change).max()
    # a control point counts most in the middle of the four pieces that it is part of
    knots = float(layer.grid.start) + float(layer.grid.spacing) * (np.arange(layer.grid.count) - 1.0)
    bump = np.zeros(session.layout.size)
    bump[block.indices] = np.outer(np.exp(-0.5 * ((knots - t) / WIDTH) ** 2), change).ravel()
    home = session.state(limb, t).position

    def moved(scale: float) -> float:
        rollout = session.model.simulate(session.document.u + scale * bump, session.document.nodes)
        return float(np.linalg.norm(rollout.state(limb, t).position - home))

    low, high = 0.0, BENT
    for _ in range(8):
        middle = 0.5 * (low + high)
        low, high = (middle, high) if moved(middle) < far else (low, middle)
    return np.asarray(session.document.u + high * bump)


def mended_place(session: EditSession, u: Floats, name: str, t: float) -> Floats | None:
    """Where something is at the point nearest to u at which all that is kept holds; None if none was found."""
    model, here = session.model, session.iterate
    there = Iterate.at(model, u, here.nodes, here.times)
    # the way back is to u, but what is touched anew is what was not touched in the scene as it is
    kept = replace(EditProblem.of(model, here, session.document.freedom), origin=replace(there, rollout=here.rollout))
    solver = Solver(kept, (), there)
    for _ in solver.run():
        pass
    if not report_of(solver).converged:
        return None
    point = solver.real(solver.iterate).with_turns().timed()
    if changes(here.rollout, point.rollout):
        return None  # all contacts happen, but something else does, too
    span = point.rollout.span_index(name, t, here.rollout.span_name(name, t))
    return point.rollout.state_in(name, t, span).position


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--drags", type=int, default=100)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--anywhere", metavar="SCENE", help="drags by 30 cm in any direction instead")
    options = parser.parse_args()
    if options.anywhere:
        return tell_anywhere(options.anywhere, options.drags, options.seed)
    begun, outcomes = time.monotonic(), []
    for outcome in reach(options.drags, options.seed):
        outcomes.append(outcome)
        if not outcome.arrived:
            print(outcome, flush=True)
        if len(outcomes) % 20 == 0 or len(outcomes) == options.drags:
            memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
            print(f"{summary(outcomes)}; {time.monotonic() - begun:.0f} s, {memory:.0f} MB", flush=True)
    return 0


def tell_anywhere(scene: str, drags: int, seed: int) -> int:
    arrived = clear = 0
    for outcome, hit in anywhere(scene, drags, seed):
        arrived, clear = arrived + outcome.arrived, clear + (outcome.arrived and not hit)
        if hit or not outcome.arrived:
            print(outcome, *hit, sep="; ", flush=True)
    print(f"{scene}, seed {seed}: {arrived} of {drags} drags by {BY} m arrived, {clear} with nothing in the way")
    return 0


def summary(outcomes: list[Outcome]) -> str:
    """How many arrived, in all and by scene, and how far that was."""
    away = np.array([outcome.goal.away for outcome in outcomes])
    shares = []
    for scene in SCENES:
        own = [outcome for outcome in outcomes if outcome.scene == scene]
        unmended = sum(outcome.goal.unmended for outcome in own)
        shares.append(f"{scene} {sum(outcome.arrived for outcome in own)} of {len(own)}, {unmended} unmended")
    arrived = sum(outcome.arrived for outcome in outcomes)
    return (
        f"{arrived} of {len(outcomes)} drags arrived ({'; '.join(shares)}), of {away.min():.2f} to {away.max():.2f} m, "
        f"median {np.median(away):.2f} m"
    )


if __name__ == "__main__":
    sys.exit(main())
