"""Drags become updates: linearise, solve the QP, simulate what it gives, and go on until everything holds.

    min ½ (u+δ-u₀)' D (u+δ-u₀)   s.t.  rows of all constraints                                      (eqs. 6-8)

Right-hand sides are the true misses of the simulated scene, so nothing drifts. Flights after impacts are variables
beside u (nodes) with continuity rows: a step is never judged by a run from the start of the scene, in which convex
touches amplify everything. On the way, balls are led to the contacts that are kept, at times that are variables too;
so no contact is ever lost, and nothing jumps. What really happens is simulated beside it: whatever is run into is put
on a watch list and kept clear of.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hoi_edit.constraints.base import Constraint, Rowset
from hoi_edit.constraints.continuity import Continuity
from hoi_edit.constraints.declared import Declared
from hoi_edit.constraints.keep_clear import Watched, unwanted
from hoi_edit.constraints.keep_contact import KeepContact, slide_name, time_name
from hoi_edit.constraints.second_hand import SecondHand
from hoi_edit.discover import Past
from hoi_edit.editing.point import Point
from hoi_edit.editing.progress import Listener, Progress, tell
from hoi_edit.linearise import Rows, node_name
from hoi_edit.runtime import one_thread
from hoi_edit.scene import Held, Scene
from hoi_edit.simulation import Model, Rollout
from hoi_edit.solver import Freedom, Lock, Metric, Problem, Solution, Window, metric_of, solve
from hoi_edit.weights import FLIGHT, LEVER, SLIDE, TIME
from kinematics.rotation import Floats
from rigid.body import is_ball

FEASIBLE = 1e-7  # in units of each row: 5e-9 m
NEARLY = 1e-3  # from here on what counts is the way back to where an edit began
STILL = 1e-6  # a step that moves no entry by more than this is none
UNSEEN = 1e-3  # nobody sees a way back of this size: it is gone only where it is soon done
# how far one step may go: control points [rad, m], and everything else by its kind
FARTHEST = {
    "": 0.4,
    "position": 0.5,
    "turn": 1.0,
    "velocity": 3.0,
    "spin": 30.0,
    "release": 0.1,
    "time": 0.1,
    "slide": 0.1,
}
FARTHEST |= {"alpha": 0.3, "restitution": 0.2, "friction": 0.2, "normal": 0.2}
OF_NODE = np.repeat([FARTHEST[kind] for kind in ("position", "turn", "velocity", "spin")], 3)
SHORTEST = 1.0 / 64.0  # of a step
WEAK = 1.0 / 16.0  # the weakest pull to where an edit began, before there is none
EASED = 0.1  # of what hitting something elsewhere costs
CLOSE = 0.5  # so little is amiss that what is run into tells something


@dataclass(frozen=True, eq=False)
class Report:
    """What became of an edit."""

    converged: bool
    residual: float  # [m], [m/s] or [rad]: the worst of any row
    iterations: int
    binding: tuple[str, ...] = ()  # what holds it back, strongest first
    events_changed: tuple[str, ...] = ()  # contacts that came, went or were not intended
    missed: Mapping[str, float] = field(default_factory=dict)  # owners of rows that are not met, and by how much

    @property
    def holds(self) -> bool:
        """Whether everything that is kept holds, be the drag itself where it was to be or only near."""
        return self.converged or all(owner.startswith("drag of") for owner in self.missed)

    def __repr__(self) -> str:
        state = "converged" if self.converged else "not reached"
        held = f", held back by {', '.join(self.binding)}" if self.binding else ""
        changed = f", changed: {', '.join(self.events_changed)}" if self.events_changed else ""
        return f"<{state} in {self.iterations} steps, residual {self.residual:.2g}{held}{changed}>"


@dataclass(frozen=True, eq=False)
class Kept:
    """What an edit starts from and keeps: where it began, the metric, and the contacts that go on."""

    model: Model
    origin: Point
    metric: Metric
    contacts: tuple[Constraint, ...]
    variables: frozenset[str]  # nodes that are variables
    led: Mapping[str, int]  # contacts that balls are led to, and the surface of each
    limits: Floats  # (n,) how far one step may move each entry of u
    start: Point  # the origin, with balls led
    past: Past | None = None  # what stays as it is, where the edit is confined to a stretch of time
    eased: bool = False  # things may be hit elsewhere, and pass as close as can be: where nothing else leads there

    @property
    def declared(self) -> bool:
        """Whether it is a plan that is not solved yet."""
        return any(isinstance(own, Declared) for own in self.contacts)

    @staticmethod
    def of(
        model: Model, origin: Point, freedom: Freedom | None = None, loose: Sequence[str] = (), eased: bool = False,
        stretch: tuple[float, float] | None = None,
    ) -> "Kept":  # fmt: skip
        """`loose` contacts may be lost; nothing changes outside of a `stretch` of time."""
        scene, freedom = model.scene, confined(freedom or Freedom(), stretch)
        if stretch is not None:
            loose = (*loose, *_out_of_reach(origin.rollout, *stretch))
        kept = _contacts(scene, origin, loose)
        tied = {own.contact for own in kept if isinstance(own, Continuity)}
        variables = {contact for contact in tied if stretch is None or origin.times[contact] < stretch[1]}
        extras = _node_weights(scene, origin, variables)
        for own in kept:
            if isinstance(own, KeepContact):
                extras[time_name(own.contact)] = np.array([TIME])
                extras[slide_name(own.contact)] = np.full(2, EASED * SLIDE if eased else SLIDE)
        timed = {own.contact for own in kept if isinstance(own, KeepContact)}
        grasped = [own.id for own in scene.contacts if own.second is not None and own.id not in loose]
        holds = (*in_two_hands(scene, loose), *(name for name in grasped if name in origin.rollout.happened))
        kept.extend(SecondHand.of(origin.rollout, hold, catch_moves=hold in timed) for hold in holds)
        metric = metric_of(model, _gripping(freedom, scene), extras, origin.u)
        led = {own.contact: _led_to(origin.rollout, own.contact) for own in kept if isinstance(own, KeepContact)}
        surfaces = {contact: surface for contact, surface in led.items() if surface is not None}
        start = origin.led_to(surfaces) if surfaces else origin
        past = None if stretch is None else Past(start.rollout.simulation, *stretch)
        everything = tuple(kept), frozenset(variables), surfaces, _limits(model), start, past
        return Kept(model, origin, metric, *everything, eased)


def _contacts(scene: Scene, origin: Point, loose: Sequence[str]) -> list[Constraint]:
    """What goes on happening: every contact that does, and those that are to."""
    kept: list[Constraint] = []
    for contact in scene.contacts:
        if contact.id in loose:
            continue
        if contact.declared:
            kept.append(Declared(contact.id))
        elif contact.id in origin.rollout.happened:
            own_node = _is_variable(scene, contact.id, origin)
            if own_node:
                kept.append(Continuity(contact.id))
            if contact.kind == "impact" or not own_node:
                kept.append(KeepContact.of(origin.rollout, contact.id))
    return kept


def confined(freedom: Freedom, stretch: tuple[float, float] | None) -> Freedom:
    """The same, with nothing free outside of a stretch of time."""
    if stretch is None:
        return freedom
    own = freedom.window or Window(-np.inf, np.inf)
    return replace(freedom, window=replace(own, start=max(own.start, stretch[0]), end=min(own.end, stretch[1])))


def _out_of_reach(seen: Rollout, start: float, end: float) -> list[str]:
    """Contacts that no change within a stretch of time gets to: nothing is on its way to them then."""
    found = []
    for contact, (name, k) in seen.happened.items():
        chain = seen.trajectories.chains[name]
        sent = chain.events[k - 1].time if k > 0 else -np.inf
        if sent >= end or chain.events[k].time <= start:
            found.append(contact)
    return found


def _led_to(seen: Rollout, contact: str) -> int | None:
    """The surface that a ball is led to, straight from where it was sent by something intended."""
    name, k = seen.happened[contact]
    chain = seen.trajectories.chains[name]
    straight = chain.spans[k].kind == "flight" and (k == 0 or chain.events[k - 1].intended)
    return surface_of(seen, contact) if straight else None


def surface_of(seen: Rollout, contact: str) -> int | None:
    """The surface of a part that a ball touches, if it can be led there: in no air, and not to a thing in a hand."""
    world, scene = seen.model.world, seen.model.scene
    name, k = seen.happened[contact]
    event = seen.trajectories.chains[name].events[k]
    if event.twin is not None or name in world.airs or not is_ball(scene.thing(name).body):
        return None
    for surface in world.surfaces_of(scene.contact(contact).carrier):
        if world.surfaces.patch(int(surface)) is event.patch:
            return int(surface)
    return None


def in_two_hands(scene: Scene, loose: Sequence[str] = ()) -> list[str]:
    """Things that start in two hands."""
    starts = [(thing.name, thing.start) for thing in scene.things if thing.name not in loose]
    return [name for name, start in starts if isinstance(start, Held) and start.second is not None]


def _gripping(freedom: Freedom, scene: Scene) -> Freedom:
    """Hands hold fast: else the cheapest way to move a thing would be to pull it out of the one that it starts in."""
    held = [thing.name for thing in scene.things if isinstance(thing.start, Held)]
    parts = [f"{name}.{part}" for name in held for part in ("position", "turn")]
    return replace(freedom, locks=(*freedom.locks, *(Lock(part) for part in parts if part not in freedom.opened)))


def _is_variable(scene: Scene, contact: str, origin: Point) -> bool:
    """A ball lies in the hand as it did; flights after impacts, and how other things are held, are variables."""
    node = origin.nodes.get(contact)
    ball = is_ball(scene.thing(scene.contact(contact).object).body)
    return node is not None and (node.state is not None or not ball)


def _node_weights(scene: Scene, origin: Point, variables: set[str]) -> dict[str, Floats]:
    """Nodes cost what their thing weighs, as its start does."""
    found = {}
    for contact in variables:
        body = scene.thing(scene.contact(contact).object).body
        hold = float(body.mass) * np.repeat([1.0, LEVER**2], 3)
        flight = np.concatenate([hold, hold * FLIGHT**2])
        found[node_name(contact)] = hold if origin.nodes[contact].state is None else flight
    return found


@dataclass(eq=False)
class Solver:
    """One edit, step by step: a mouse takes a few steps a frame, a script runs to the end."""

    kept: Kept
    constraints: tuple[Constraint, ...]
    point: Point
    watched: tuple[Watched, ...] = ()
    iterations: int = 0
    solution: Solution | None = None
    converged: bool = False
    stuck: bool = False
    pull: float = 1.0  # the share of the way back to the origin that a step aims at
    way: float = np.inf  # how far that still was, once everything held
    known: dict[int, tuple[Point, list[Rowset]]] = field(default_factory=dict)
    looked: Point | None = None  # the last point at which it was looked out
    linear: tuple[list[Rowset], Rows] | None = None  # the last rows, linearised
    solved: tuple[list[Rowset], float, Solution] | None = None  # the last QP: rows, pull, and what it gave
    seen: tuple[Point, Point] | None = None  # a point that balls are led in, and what really happens there
    what: str = "edit"  # its name for those who listen
    listener: Listener | None = None

    def __post_init__(self) -> None:
        if self.point is self.kept.origin:
            self.point = self.kept.start
        elif self.kept.led and not self.point.led:
            self.point = self.point.led_to(self.kept.led)

    def towards(self, constraints: tuple[Constraint, ...]) -> "Solver":
        """The same edit with other constraints, from where it has come to."""
        return Solver(
            self.kept, constraints, self.point, self.watched, known=self.known, looked=self.looked, what=self.what,
            listener=self.listener,
        )  # fmt: skip

    def run(self, most: int = 60) -> Iterator[Point]:
        """Points on the way, each simulated; ends when everything holds, or nothing gets better."""
        last = self.iterations + most
        while self.iterations < last and not (self.converged or self.stuck):
            self.step()
            if self.listener is not None:
                tell(self.listener, Progress(self.what, self.iterations, last, _residual(self.rowsets(self.point))))
            yield self.point

    def rowsets(self, point: Point) -> list[Rowset]:
        """All rows at a point. Those of kept contacts are most of the work; the last ones are remembered."""
        if id(point) not in self.known:
            kept = [
                replace(own, time=point.times[own.contact]) if isinstance(own, KeepContact) else own
                for own in self.kept.contacts
            ]
            rows = [rows for constraint in kept for rows in constraint.rows(point.rollout)]
            self.known = dict([*self.known.items()][-1:]) | {id(point): (point, rows)}
        asked = (*self.constraints, *self.watched)
        return [*(rows for own in asked for rows in own.rows(point.rollout)), *self.known[id(point)][1]]

    def step(self) -> None:
        with one_thread():
            self._step()

    def _step(self) -> None:
        """One linearisation, and as much of its step as makes things better.

        A step mends what is amiss and goes back towards where the edit began. Constraints curve: far from there the way
        back is so long that it spoils what is mended, so less of it is taken, down to none.
        """
        self.iterations += 1
        sets = self.rowsets(self.point)
        size = _merit(sets)
        if self.looked is not self.point and self._look_out(size):
            sets = self.rowsets(self.point)
            size = _merit(sets)
        if not sets or (size <= NEARLY and self._has_come_back(sets, size)):
            self.converged = True
            return
        solution, trial, share = self._tried(sets, self.pull)
        good = self._gets_better(trial, share, size)
        while not good and self.pull > 0.0:
            self.pull = 0.25 * self.pull if self.pull > WEAK else 0.0
            solution, trial, share = self._tried(sets, self.pull)
            good = self._gets_better(trial, share, size)
        if not good:
            trial, good = self._shortened(solution, trial, share, size)
        if not good:
            self.converged = size <= FEASIBLE
            self.stuck = not self.converged
            return
        after = _merit(self.rowsets(trial))
        if size > NEARLY and after < 0.25 * size:
            self.pull = min(1.0, max(4.0 * self.pull, WEAK))
        elif size > NEARLY and after > 0.5 * share * size:
            self.pull = 0.25 * self.pull if self.pull > WEAK else 0.0
        self.point = trial
        self._look_out(after)

    def _tried(self, sets: list[Rowset], pull: float) -> tuple[Solution, Point, float]:
        """A step, the point that it leads to, and the share of it that is not too far."""
        solution = self.solution = self._solved(sets, pull)
        share = _capped(solution, self.kept.limits)
        return solution, self.point.moved(solution.step, solution.extras, share, self.kept.past), share

    def _has_come_back(self, sets: list[Rowset], size: float) -> bool:
        """Whether everything holds and the way back, as far as it leads, has come to its end."""
        if self.pull > 0.0:
            way = _moves(self._solved(sets, 1.0))
            if way <= STILL or 0.5 * self.way < way <= UNSEEN:
                self.pull = 0.0
            elif way > 0.9 * self.way:  # no nearer than before: it swings around the nearest point, or creeps
                self.pull = 0.5 * self.pull if self.pull > WEAK else 0.0
            self.way = way
        return size <= FEASIBLE and self.pull == 0.0

    def _look_out(self, size: float) -> bool:
        """Watch what is touched that nobody intended, and say whether that is more than before.

        Far from a solution, or in an unsolved plan, it means nothing.
        """
        self.looked = self.point
        if self.kept.declared or size > CLOSE:
            return False
        met = unwanted(self.point.rollout, self.kept.origin.rollout, self.watched, self.kept.eased)
        if met:
            self.watched, self.way = (*self.watched, *met), np.inf
        return bool(met)

    def real(self, point: Point) -> Point:
        """What happens at a point if nothing is led."""
        if not point.led:
            return point
        if self.seen is None or self.seen[0] is not point:
            self.seen = point, point.led_to({})
        return self.seen[1]

    def _solved(self, sets: list[Rowset], pull: float = 1.0) -> Solution:
        """The QP; with a share of the pull back to where the edit began."""
        if self.solved is not None and self.solved[0] is sets and self.solved[1] == pull:
            return self.solved[2]
        self.solved = sets, pull, solve(self._problem(sets, pull), self.solution)
        return self.solved[2]

    def _problem(self, sets: list[Rowset], pull: float) -> Problem:
        rollout, origin = self.point.rollout, self.kept.origin
        if self.linear is None or self.linear[0] is not sets:
            rows = rollout.linearisation.of([own.functional for own in sets], self.point.nodes)
            self.linear = sets, _without(rows, {node_name(c) for c in self.point.nodes if c not in self.kept.variables})
        return Problem(
            self.linear[1],
            np.concatenate([own.lower for own in sets]),
            np.concatenate([own.upper for own in sets]),
            [own.owner for own in sets for _ in range(own.functional.count)],
            self.kept.metric,
            {character.name: character.motion for character in self.kept.model.scene.characters},
            rollout.controls,
            pull * (origin.u - self.point.u),
            np.concatenate([np.full(own.functional.count, own.soft) for own in sets]),
            {name: pull * drift for name, drift in self._extra_drift().items()},
        )

    def _extra_drift(self) -> dict[str, Floats]:
        """How far back nodes and times of contacts would have to go to where they began."""
        drift = {node_name(contact): _between(self.point, self.kept.origin, contact) for contact in self.kept.variables}
        for own in self.kept.contacts:
            if isinstance(own, KeepContact):
                drift[time_name(own.contact)] = np.array([own.time - self.point.times[own.contact]])
                slid = replace(own, time=self.point.times[own.contact]).slid(self.point.rollout)
                if slid is not None:
                    drift[slide_name(own.contact)] = -slid
        return drift

    def _shortened(self, solution: Solution, point: Point, share: float, size: float) -> tuple[Point, bool]:
        """The longest share of a step that makes things better, less than that of a point that does not."""
        while share > SHORTEST:
            share *= 0.5
            point = self.point.moved(solution.step, solution.extras, share, self.kept.past)
            if self._gets_better(point, share, size):
                return point, True
        return point, False

    def _gets_better(self, point: Point, share: float, size: float) -> bool:
        after = _merit(self.rowsets(point)) if self._is_whole(point) else np.inf
        # near the end the merit is round-off, and what matters is the way back to where the edit began
        return after <= max((1.0 - 0.1 * share) * size, NEARLY if self.pull > 0.0 else FEASIBLE)

    def _is_whole(self, point: Point) -> bool:
        """Whether every flight that is a variable still begins with its contact: else nothing would tie the two."""
        return all(contact in point.rollout.happened for contact in self.kept.variables)

    def report(self) -> Report:
        sets, real = self.rowsets(self.point), self.real(self.point).rollout
        missed: dict[str, float] = {}
        for own in sets:
            worst = float(own.miss.max(initial=0.0))
            if worst > 1e-6:
                missed[own.owner] = max(missed.get(own.owner, 0.0), worst)
        residual = _residual(sets)
        lost = [contact for contact in self.kept.led if contact not in real.happened]
        if lost and residual <= 1e-6:  # something else is touched before
            missed |= {f"contact {contact}": np.inf for contact in lost}
            residual = np.inf
        binding = () if self.solution is None or residual <= 1e-6 else self.solution.binding
        return Report(
            converged=residual <= 1e-6,
            residual=residual,
            iterations=self.iterations,
            binding=tuple(own.label for own in binding),
            events_changed=changes(self.kept.origin.rollout, real),
            missed=missed,
        )


def changes(before: Rollout, after: Rollout) -> tuple[str, ...]:
    """Contacts that came or went, in words."""
    lost = [f"{contact} lost" for contact in before.happened if contact not in after.happened]
    found = [f"{contact} found" for contact in after.happened if contact not in before.happened]
    was = [(event.object, event.other) for event in before.events if not event.intended and event.kind == "impact"]
    now = [event for event in after.events if not event.intended and event.kind == "impact"]
    extra = []
    for event in now:
        if (event.object, event.other) in was:
            was.remove((event.object, event.other))
        else:
            extra.append(f"{event.object} hits {event.other} at {event.time:.2f} s")
    gone = [f"{thing} no longer hits {other}" for thing, other in was]
    return (*lost, *found, *extra, *gone)


def _residual(sets: Sequence[Rowset]) -> float:
    """The worst miss of any row."""
    return max((float(own.miss.max(initial=0.0)) for own in sets), default=0.0)


def _merit(sets: Sequence[Rowset]) -> float:
    """How much is amiss: misses in units of each row, all in one number that a step of Newton's makes smaller."""
    return float(np.sqrt(sum(((own.miss / own.unit) ** 2).sum() for own in sets)))


def _moves(solution: Solution) -> float:
    return max(
        float(np.abs(solution.step).max(initial=0.0)),
        max((float(np.abs(step).max()) for step in solution.extras.values()), default=0.0),
    )


def _capped(solution: Solution, limits: Floats) -> float:
    """The share of a step that moves nothing too far."""
    far = float((np.abs(solution.step) / limits).max(initial=0.0))
    for name, step in solution.extras.items():
        kind = name.rpartition(".")[2]
        most = OF_NODE[: len(step)] if kind == "node" else FARTHEST[kind]
        far = max(far, float((np.abs(step) / most).max()))
    return min(1.0, 1.0 / far) if far > 0.0 else 1.0


def _limits(model: Model) -> Floats:
    """(n,) how far one step may move each entry of u."""
    limits = np.full(model.layout.size, FARTHEST[""])
    for block in model.layout.blocks:
        limits[block.indices] = FARTHEST.get(block.name.rpartition(".")[2], FARTHEST[""])
    return limits


def _without(rows: Rows, names: set[str]) -> Rows:
    """Rows whose nodes are constants lose those columns."""
    return replace(rows, columns={name: values for name, values in rows.columns.items() if name not in names})


def _between(point: Point, origin: Point, contact: str) -> Floats:
    here, there = point.nodes[contact], origin.nodes[contact]
    if here.state is None:
        return np.concatenate([np.asarray(there.position) - np.asarray(here.position), np.zeros(3)])
    a, b = np.asarray(here.state), np.asarray(there.state)
    return np.concatenate([b[:3] - a[:3], np.zeros(3), b[12:15] - a[12:15], b[15:18] - a[15:18]])
