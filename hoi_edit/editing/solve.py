"""Drags become updates: linearise, solve the QP, simulate what it gives, and go on until everything holds.

    min ½ (u+δ-u₀)' D (u+δ-u₀)   s.t.  rows of all constraints                                      (eqs. 6-8)

Right-hand sides are the true misses of the simulated scene, so nothing drifts. Flights after impacts are variables
beside u (nodes) with continuity rows: a step is never judged by a run from the start of the scene, in which convex
touches amplify everything. A step is shortened while it makes things worse; what it runs into is put on a watch list,
kept clear of, and solved again.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from hoi_edit.constraints.base import Constraint, Rowset
from hoi_edit.constraints.continuity import Continuity
from hoi_edit.constraints.declared import Declared
from hoi_edit.constraints.keep_clear import Watched, unwanted
from hoi_edit.constraints.keep_contact import KeepContact, time_name
from hoi_edit.editing.point import Point
from hoi_edit.editing.progress import Listener, Progress, tell
from hoi_edit.linearise import Rows, node_name
from hoi_edit.scene import Scene
from hoi_edit.simulation import Model, Rollout
from hoi_edit.solver import Freedom, Metric, Problem, Solution, metric_of, solve
from hoi_edit.weights import FLIGHT, LEVER, TIME
from kinematics.rotation import Floats
from rigid.body import is_ball

FEASIBLE = 1e-7  # in units of each row: 5e-9 m
NEARLY = 1e-3  # from here on steps are damped if they swing
STILL = 1e-6  # a step that moves no entry by more than this is none
DAMPED = 1.0 / 16.0  # of a step: where even that does not lead on, the edit is at its end
# how far one step may go: control points [rad, m], and everything else by its kind
FARTHEST = {"": 0.4, "position": 0.5, "turn": 1.0, "velocity": 3.0, "spin": 30.0, "release": 0.1, "time": 0.1}
FARTHEST |= {"alpha": 0.3, "restitution": 0.2, "friction": 0.2, "normal": 0.2}
OF_NODE = np.repeat([FARTHEST[kind] for kind in ("position", "turn", "velocity", "spin")], 3)
SHORTEST = 1.0 / 64.0  # of a step
MOST_WATCHED = 8  # rounds of finding what a step runs into


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
    limits: Floats  # (n,) how far one step may move each entry of u

    @property
    def declared(self) -> bool:
        """Whether it is a plan that is not solved yet."""
        return any(isinstance(own, Declared) for own in self.contacts)

    @staticmethod
    def of(model: Model, origin: Point, freedom: Freedom | None = None, loose: Sequence[str] = ()) -> "Kept":
        """`loose` contacts may be lost."""
        scene = model.scene
        kept: list[Constraint] = []
        variables = set()
        for contact in scene.contacts:
            if contact.id in loose:
                continue
            if contact.declared:
                kept.append(Declared(contact.id))
            elif contact.id in origin.rollout.happened:
                if _is_variable(scene, contact.id, origin):
                    variables.add(contact.id)
                    kept.append(Continuity(contact.id))
                if contact.kind == "impact" or contact.id not in variables:
                    kept.append(KeepContact.of(origin.rollout, contact.id))
        extras = _node_weights(scene, origin, variables)
        extras |= {time_name(own.contact): np.array([TIME]) for own in kept if isinstance(own, KeepContact)}
        metric = metric_of(model, freedom, extras, origin.u)
        return Kept(model, origin, metric, tuple(kept), frozenset(variables), _limits(model))


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
    damping: float = 1.0
    moved: float = np.inf  # by the step before, once everything holds
    known: dict[int, tuple[Point, list[Rowset]]] = field(default_factory=dict)
    what: str = "edit"  # its name for those who listen
    listener: Listener | None = None

    def towards(self, constraints: tuple[Constraint, ...]) -> "Solver":
        """The same edit with other constraints, from where it has come to."""
        return Solver(
            self.kept, constraints, self.point, self.watched, known=self.known, what=self.what, listener=self.listener
        )

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
        """One linearisation, and the best share of its step."""
        self.iterations += 1
        sets = self.rowsets(self.point)
        size = _merit(sets)
        for _ in range(MOST_WATCHED):
            solution = self._solved(sets)
            self.solution = solution
            if size <= NEARLY and self._settles(_moves(solution), size):
                self.converged = True
                return
            share = _capped(solution, self.kept.limits) * self.damping
            trial = self.point.moved(solution.step, solution.extras, share)
            # what the whole step runs into is kept clear of; shortening it would only creep up to that
            met = self._run_into(trial)
            if not met:
                break
            self.watched = (*self.watched, *met)
            sets = self.rowsets(self.point)
        point, better = self._shortened(solution, trial, share, _merit(sets))
        if not better:
            self.converged = size <= FEASIBLE
            self.stuck = not self.converged
            return
        self.watched = (*self.watched, *self._run_into(point))
        self.point = point

    def _run_into(self, point: Point) -> tuple[Watched, ...]:
        """What a point touches that nobody intended; while a plan is not solved, that means nothing."""
        if self.kept.declared:
            return ()
        return unwanted(point.rollout, self.kept.origin.rollout, self.watched)

    def _settles(self, moves: float, size: float) -> bool:
        """Whether everything holds and the way back to the origin has come to its end.

        Constraints curve: where that outweighs the metric, full steps swing around the nearest point, and half ones
        settle on it.
        """
        if moves > 0.7 * self.moved:
            self.damping = max(0.5 * self.damping, DAMPED if size <= FEASIBLE else 0.5)
        elif moves < 0.3 * self.moved:
            self.damping = min(2.0 * self.damping, 1.0)
        self.moved = moves
        return size <= FEASIBLE and (moves <= STILL or self.damping <= DAMPED)

    def _solved(self, sets: Sequence[Rowset]) -> Solution:
        rollout, origin = self.point.rollout, self.kept.origin
        rows = rollout.linearisation.of([own.functional for own in sets], self.point.nodes)
        rows = _without(rows, {node_name(c) for c in self.point.nodes if c not in self.kept.variables})
        problem = Problem(
            rows,
            np.concatenate([own.lower for own in sets]),
            np.concatenate([own.upper for own in sets]),
            [own.owner for own in sets for _ in range(own.functional.count)],
            self.kept.metric,
            {character.name: character.motion for character in self.kept.model.scene.characters},
            rollout.controls,
            origin.u - self.point.u,
            np.concatenate([np.full(own.functional.count, own.soft) for own in sets]),
            self._extra_drift(),
        )
        return solve(problem, self.solution)

    def _extra_drift(self) -> dict[str, Floats]:
        """How far back nodes and times of contacts would have to go to where they began."""
        drift = {node_name(contact): _between(self.point, self.kept.origin, contact) for contact in self.kept.variables}
        for own in self.kept.contacts:
            if isinstance(own, KeepContact):
                drift[time_name(own.contact)] = np.array([own.time - self.point.times[own.contact]])
        return drift

    def _shortened(self, solution: Solution, point: Point, share: float, size: float) -> tuple[Point, bool]:
        """The longest share of a step that makes things better, beginning with a point at `share`."""
        while True:
            after = _merit(self.rowsets(point)) if self._is_whole(point) else np.inf
            # near the end the merit is round-off, and what matters is the way back to where the edit began
            if after <= max((1.0 - 0.1 * share) * size, FEASIBLE):
                return point, True
            if share <= SHORTEST:
                return point, False
            share *= 0.5
            point = self.point.moved(solution.step, solution.extras, share)

    def _is_whole(self, point: Point) -> bool:
        """Whether every flight that is a variable still begins with its contact: else nothing would tie the two."""
        return all(contact in point.rollout.happened for contact in self.kept.variables)

    def report(self) -> Report:
        sets = self.rowsets(self.point)
        missed: dict[str, float] = {}
        for own in sets:
            worst = float(own.miss.max(initial=0.0))
            if worst > 1e-6:
                missed[own.owner] = max(missed.get(own.owner, 0.0), worst)
        residual = _residual(sets)
        binding = () if self.solution is None or residual <= 1e-6 else self.solution.binding
        return Report(
            converged=residual <= 1e-6,
            residual=residual,
            iterations=self.iterations,
            binding=tuple(own.label for own in binding),
            events_changed=changes(self.kept.origin.rollout, self.point.rollout),
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
        most = FARTHEST["time"] if name.endswith(".time") else OF_NODE[: len(step)]
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
