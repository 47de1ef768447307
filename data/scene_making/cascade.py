"""A three-ball cascade from a juggling mime: the plan from its rhythm, the motion from Gauss and Newton."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import jax.numpy as jnp
import numpy as np

from data.scene_making.least_change import Metric, Wanted, least_change
from data.scene_making.rhythm import Beat, beats
from data.scene_making.rows import Angles, Apart, Facing, Places, Seen
from hoi_edit.motions import Layer
from hoi_edit.motions.base import poses
from hoi_edit.scene import Character, Held, Scene, ground
from hoi_edit.scenes.juggle3 import FINGERS, HEEL, RADIUS, SECONDS, juggling_clip, three_balls
from hoi_edit.scenes.stage import grasps
from hoi_edit.simulation import Model, Rollout
from hoi_edit.touching import FRAME, STATE
from kinematics.rotation import Floats

BALLS = 3
FIRST = 0.6  # [s] before the first throw
EARLY = 0.06  # [s] by which a catch comes before the hand is fastest downwards
# Times from a release or a catch [s], and how far the ball is out of the palm by then at least [m].
LEAVING = ((0.02, 0.0005), (0.04, 0.003), (0.07, 0.012))
COMING = ((-0.02, 0.012), (-0.05, 0.035), (-0.09, 0.06))
PALM_UP = 0.75
CLEAR = 0.012  # [m] between balls in the air
INSIDE = 0.02  # [rad] that solved angles stay from their limits
ROUNDS = 4
FREE = ("abdomen", "thorax", "upper_arm", "forearm", "hand")


@dataclass(frozen=True)
class Throw:
    """A ball's way from one hand to the other."""

    ball: str
    after: str  # what lets it go: a catch, or its own start
    release: float
    thrower: str
    catch: str
    time: float
    catcher: str


@dataclass(frozen=True)
class Plan:
    """Rows for `hoi_edit.scenes.stage.grasps`, and how the balls start."""

    rows: Sequence[tuple[str, str, float, float]]
    hands: list[str]
    releases: list[float]


def plan_of(beats: Sequence[Beat], who: str) -> Plan:
    """A ball thrown at a beat is thrown again three beats later, so it is caught a little before that."""
    rows = []
    for k, beat in enumerate(beats[BALLS:], start=BALLS):
        release = beat.release if k + BALLS < len(beats) else np.nan
        rows.append((f"ball{k % BALLS + 1}", f"{who}/{beat.site}", round(beat.down - EARLY, 3), release))
    first = beats[:BALLS]
    return Plan(rows, [f"{who}/{beat.site}" for beat in first], [beat.release for beat in first])


def throws_of(scene: Scene) -> list[Throw]:
    """All flights of a plan, in order of their catches."""
    found = []
    for thing in scene.things:
        assert isinstance(thing.start, Held)
        after, release, hand = thing.name, thing.start.release, thing.start.by
        for catch in scene.plan_of(thing.name):
            assert release is not None
            found.append(Throw(thing.name, after, release, hand, catch.id, catch.time, catch.carrier))
            after, release, hand = catch.id, catch.release, catch.carrier
    return sorted(found, key=lambda throw: throw.time)


def catches(scene: Scene, throws: Sequence[Throw]) -> Places:
    """Every ball on the palm at its time; where a hand ends up with two, beside each other."""
    last: dict[str, list[str]] = {}
    for contact in scene.contacts:
        if contact.release is None:
            last.setdefault(contact.carrier, []).append(contact.id)
    along = {
        id_: place for pair in last.values() if len(pair) == 2 for id_, place in zip(pair, (HEEL, FINGERS), strict=True)
    }
    wanted = [[0.0, along.get(throw.catch, 0.0), RADIUS] for throw in throws]
    return Places([Seen(t.ball, t.after, t.time, t.catcher) for t in throws], np.array(wanted))


def out_of_the_palm(rollout: Rollout, throws: Sequence[Throw]) -> Places:
    """A hand neither pushes what it has let go nor meets what comes before it is there. Rows that are nearly active."""
    rows = [(Seen(t.ball, t.after, t.release + dt, t.thrower), gap) for t in throws for dt, gap in LEAVING]
    rows += [(Seen(t.ball, t.after, t.time + dt, t.catcher), gap) for t in throws for dt, gap in COMING]
    value = _out([seen for seen, _ in rows], [gap for _, gap in rows]).values(rollout)
    near = [row for row, x in zip(rows, value, strict=True) if x < 0.02]
    return _out([seen for seen, _ in near], [gap for _, gap in near])


def _out(seen: Sequence[Seen], gaps: Sequence[float]) -> Places:
    wanted = np.array([[0.0, 0.0, RADIUS + gap] for gap in gaps])
    return Places(seen, wanted, [np.array([0.0, 0.0, 1.0])] * len(seen))


def palms_up(rollout: Rollout, throws: Sequence[Throw]) -> Facing:
    sites = [(t.thrower, t.release) for t in throws] + [(t.catcher, t.time) for t in throws]
    value = Facing(sites, PALM_UP).values(rollout)
    return Facing([site for site, x in zip(sites, value, strict=True) if x < 0.1], PALM_UP)


def in_the_way(rollout: Rollout, throws: Sequence[Throw]) -> list[tuple[Seen, Floats, Floats]]:
    """Parts of the body that balls met on their way: what met, where, and which way is out, as the part sees it."""
    found = []
    for event in rollout.events:
        on_the_way = [t for t in throws if t.ball == event.object and t.release < event.time < t.time]
        if event.kind == "impact" and not event.intended and "/" in str(event.other) and on_the_way:
            frame = FRAME.unpack(np.asarray(event.frame))
            R, x = frame.rotation.reshape(3, 3), STATE.unpack(np.asarray(event.before)).position
            throw = on_the_way[0]
            for time in np.minimum(event.time + np.array([0.0, 0.02, 0.04]), throw.time - 0.01):
                seen = Seen(event.object, throw.after, float(time), str(event.other))
                found.append((seen, R.T @ (x - frame.position), R.T @ event.normal))
            print(f"  in the way: {event}")
    return found


def kept_clear(watched: Sequence[tuple[Seen, Floats, Floats]]) -> Places:
    """Each ball on its side of a plane that touches the part it had met, and off it."""
    wanted = np.array([touch + CLEAR * out for _, touch, out in watched]).reshape(-1, 3)
    return Places([seen for seen, _, _ in watched], wanted, [out for _, _, out in watched])


def apart(rollout: Rollout, throws: Sequence[Throw]) -> Apart:
    """Pairs of flights, at the time at which they are closest, if that is close."""
    pairs = []
    for a, b in combinations(throws, 2):
        begin, end = max(a.release, b.release), min(a.time, b.time)
        if a.ball != b.ball and begin < end:
            times = np.linspace(begin, end, 60)
            seen = [[Seen(t.ball, t.after, float(time), t.catcher) for t in (a, b)] for time in times]
            distance = [np.linalg.norm(x.place(rollout) - y.place(rollout)) for x, y in seen]
            closest = int(np.argmin(distance))
            if distance[closest] < 2 * RADIUS + 3 * CLEAR:
                pairs.append((seen[closest][0], seen[closest][1]))
    return Apart(pairs, 2 * RADIUS + CLEAR)


def within_limits(rollout: Rollout, name: str) -> Angles:
    """Angles that are beyond their limits, or nearly; of the mime's own excesses only what they are."""
    character, times = rollout.model.scene.character(name), np.arange(0.0, SECONDS, 0.05)
    motion = character.motion
    q = np.asarray(poses(motion, rollout.controls.motions[name], jnp.asarray(times)))
    mime = np.asarray(poses(motion, motion.parameters(), jnp.asarray(times)))
    low, high = character.skeleton.limits.T
    low, high = np.minimum(low + INSIDE, mime), np.maximum(high - INSIDE, mime)
    names = character.skeleton.topology.dof_names
    free = np.array([not locked(name) for name in names])
    rows = [
        (k, dof, sign, bound[k, dof])
        for sign, bound, near in ((1.0, low, q < low + 0.05), (-1.0, high, q > high - 0.05))
        for k, dof in np.argwhere(near & free)
    ]
    at, dof, sign, bound = np.array(rows).reshape(-1, 4).T
    return Angles(name, times, at.astype(int), dof.astype(int), sign, bound)


def locked(dof: str) -> bool:
    """Feet stay where they are: pelvis and legs do not move, nor does the head."""
    return not dof.partition(".")[0].removeprefix("left_").removeprefix("right_").startswith(FREE)


def solve(scene: Scene, character: str) -> Rollout:
    """The declared plan of `scene` solved, until the same plan happens when nothing is declared."""
    model, throws = Model.of(scene), throws_of(scene)
    really = Model.of(replace(scene, contacts=[replace(c, declared=False) for c in scene.contacts]))
    metric, aims = Metric.of(model, locked), catches(scene, throws)
    print("catches alone")
    rollout = least_change(model, model.start, model.start, Wanted([aims]), metric, steps=9, still=1e-2)
    watched: list[tuple[Seen, Floats, Floats]] = []
    for _ in range(ROUNDS):
        watched += in_the_way(really.simulate(rollout.u), throws)
        print(f"gentle hands, {len(watched)} places to keep clear of")
        wanted = Wanted([aims], [
            out_of_the_palm(rollout, throws), palms_up(rollout, throws), apart(rollout, throws),
            within_limits(rollout, character), kept_clear(watched),
        ])  # fmt: skip
        rollout = least_change(model, rollout.u, model.start, wanted, metric, steps=5, still=1e-3)
    print("to the last digit")
    return really.simulate(least_change(model, rollout.u, rollout.u, wanted, metric, steps=6).u)


def juggle3() -> dict[str, np.ndarray]:
    """The arrays of `data/scenes/juggle3.npz`."""
    clip = juggling_clip()
    plan = plan_of([beat for beat in beats(clip) if beat.release > FIRST], "juggler")
    scene = Scene(
        characters=[Character("juggler", clip.skeleton, Layer.over(clip))],
        things=three_balls(clip.skeleton, plan.hands, plan.releases),
        fixtures=[ground()],
        contacts=grasps(plan.rows, declared=True),
        end=SECONDS,
    )
    rollout = solve(scene, "juggler")
    return arrays(plan, {"juggler": np.asarray(rollout.controls.motions["juggler"])})


def arrays(plan: Plan, motions: dict[str, Floats]) -> dict[str, np.ndarray]:
    thing, other, time, release = zip(*plan.rows, strict=True)
    return {
        "grasp.object": np.array(thing),
        "grasp.other": np.array(other),
        "grasp.time": np.array(time),
        "grasp.release": np.array(release),
        "start.other": np.array(plan.hands),
        "start.release": np.array(plan.releases),
        **motions,
    }
