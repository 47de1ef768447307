"""Balls thrown from hand to hand: rows of a plan, and the motion that makes it come true, by Gauss and Newton."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from data.scene_making.keep_clear import CLEAR, Flight, Watched, in_the_way, kept_clear, within_limits
from data.scene_making.least_change import Metric, Wanted, least_change
from data.scene_making.rows import Apart, Facing, Family, Places, Seen
from hoi_edit.scene import Held, Scene
from hoi_edit.scenes.juggle3 import FINGERS, HEEL, RADIUS
from hoi_edit.simulation import Model, Rollout

# Times from a release or a catch [s], and how far the ball is out of the palm by then at least [m].
LEAVING = ((0.02, 0.0005), (0.04, 0.003), (0.07, 0.012))
COMING = ((-0.02, 0.012), (-0.05, 0.035), (-0.09, 0.06))
PALM_UP = 0.75
DESCENDING, BESIDE = (-0.01, -0.02, -0.03), 0.003  # [s] before the last catch; [m]
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

    @property
    def flight(self) -> Flight:
        return Flight(self.ball, self.after, self.release, self.time)


def throws_of(scene: Scene) -> list[Throw]:
    """All flights of a plan, in order of their catches."""
    found = []
    for thing in scene.things:
        assert isinstance(thing.start, Held)
        after, release, hand = thing.name, thing.start.release, thing.start.carrier
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


def beside_each_other(scene: Scene, throws: Sequence[Throw]) -> Places:
    """The last ball comes down beside the one that its hand holds already, at no time through it."""
    rows = []
    for throw in throws:
        held = [c for c in scene.contacts if c.carrier == throw.catcher and c.release is None and c.time < throw.time]
        if held:
            rows += [Seen(throw.ball, throw.after, throw.time + dt, throw.catcher) for dt in DESCENDING]
    wanted = np.tile([0.0, HEEL + 2 * RADIUS + BESIDE, 0.0], (len(rows), 1))
    return Places(rows, wanted, [np.array([0.0, 1.0, 0.0])] * len(rows))


def palms_up(rollout: Rollout, throws: Sequence[Throw]) -> Facing:
    sites = [(t.thrower, t.release) for t in throws] + [(t.catcher, t.time) for t in throws]
    value = Facing(sites, PALM_UP).values(rollout)
    return Facing([site for site, x in zip(sites, value, strict=True) if x < 0.1], PALM_UP)


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


def locked(dof: str) -> bool:
    """Feet stay where they are: pelvis and legs do not move, nor does the head."""
    return not dof.partition(".")[0].removeprefix("left_").removeprefix("right_").startswith(FREE)


def solve(scene: Scene) -> Rollout:
    """The declared plan of `scene` solved, until the same plan happens when nothing is declared."""
    model, throws = Model.of(scene), throws_of(scene)
    really = Model.of(replace(scene, contacts=[replace(c, declared=False) for c in scene.contacts]))
    metric, aims = Metric.of(model, locked), catches(scene, throws)
    print("catches alone")
    rollout = least_change(model, model.start, model.start, Wanted([aims]), metric, steps=9, still=1e-2)
    watched: list[Watched] = []
    for _ in range(ROUNDS):
        watched += in_the_way(really.simulate(rollout.u), [throw.flight for throw in throws])
        print(f"gentle hands, {len(watched)} places to keep clear of")
        above: list[Family] = [
            out_of_the_palm(rollout, throws),
            palms_up(rollout, throws),
            apart(rollout, throws),
            kept_clear(watched),
            beside_each_other(scene, throws),
            *(within_limits(rollout, character.name, locked) for character in scene.characters),
        ]
        wanted = Wanted([aims], above)
        rollout = least_change(model, rollout.u, model.start, wanted, metric, steps=5, still=1e-3)
    print("to the last digit")
    return really.simulate(least_change(model, rollout.u, rollout.u, wanted, metric, steps=6).u)
