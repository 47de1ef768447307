"""dS/du: rows of any targets, assembled backwards along each thing's events, never as a dense matrix.

A row asks how one number of the scene changes with u. It starts at its target, a state of a thing or a point of a body,
and is carried back through flights and events by the local Jacobians of `hoi_edit.links`. On its way it leaves a
covector on (q, q̇) of every frame that took part: these, through four control points each, are the row's entries for the
character; and what reaches a start, a release or an open law are its entries for those. `Rows` keeps exactly that;
`Rows.dense` expands it for a user.
"""

from collections.abc import Callable, Container, Sequence
from copy import copy
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hoi_edit.air_links import (
    START_TIME,
    air_flights,
    air_pair_links,
    arrival_links,
    at_fixed_time,
    before_by_start,
    rate_of,
    with_time,
)
from hoi_edit.ball_links import ball_flights, ball_touches, held_and_released
from hoi_edit.bulky import bulky_grasp_links, bulky_impact_links, bulky_row
from hoi_edit.contact_links import leave_back, on_back, rest_back, riding_back
from hoi_edit.controls import Controls, Layout
from hoi_edit.discover import Discovery
from hoi_edit.exact import chunked
from hoi_edit.links import CARRY, FLY, TOUCH, flight_links, impact_links, pair_links
from hoi_edit.meeting import pair_row
from hoi_edit.motions.sensitivity import KnotTerm, terms
from hoi_edit.moving import jacobians
from hoi_edit.packing import in_chunks
from hoi_edit.rollout import Chain, Event, Span
from hoi_edit.struck_back import pair_through, struck_through
from hoi_edit.touching import CHUNK, FRAME, STATE
from hoi_edit.world import Ints
from kinematics.rotation import Floats, cross, rotation_between
from rigid.body import is_ball
from rigid.gliding import acceleration_in_air


@dataclass(frozen=True, eq=False)
class PoseBlock:
    """Covectors (R, D) on q and q̇ of one character at one time."""

    character: str
    time: float
    rows: Ints  # (R,) which rows these are
    on_q: Floats
    on_rate: Floats


@dataclass(frozen=True, eq=False)
class Rows:
    """A Jacobian of `count` rows in blocks."""

    count: int
    poses: Sequence[PoseBlock]
    whole: Sequence[tuple[str, Ints, Floats]]  # character, rows, covectors on all of its parameters
    columns: dict[str, Floats]  # name of a block of u -> (count, size)
    doubts: Sequence[Event]  # events on the way whose derivative is not to be trusted

    def dense(self, layout: Layout, controls: Controls, motions: dict[str, Any]) -> Floats:
        """The same as one matrix (count, n)."""
        J = np.zeros((self.count, layout.size))
        for name, values in self.columns.items():
            J[:, layout[name].indices] += values
        for character, rows, values in self.whole:
            start = layout.first(character)
            np.add.at(J[:, start : start + values.shape[1]], rows, values)
        for character, motion in motions.items():
            own = [block for block in self.poses if block.character == character]
            if own:
                start = layout.first(character)
                _scatter(J, start, own, terms(motion, controls.motions[character], np.array([b.time for b in own])))
        return J


def _scatter(J: Floats, start: int, blocks: Sequence[PoseBlock], found: Sequence[Any]) -> None:
    for term in found:
        for k, block in enumerate(blocks):
            if isinstance(term, KnotTerm):
                entries = (
                    term.value[k][None, :, None] * block.on_q[:, None]
                    + term.rate[k][None, :, None] * block.on_rate[:, None]
                )
                D = block.on_q.shape[1]
                at = start + term.offset + int(term.first[k]) * D
                J[block.rows, at : at + 4 * D] += entries.reshape(len(block.rows), 4 * D)
            else:
                entries = block.on_q @ term.value[k] + block.on_rate @ term.rate[k]
                at = start + term.offset
                J[block.rows, at : at + entries.shape[1]] += entries


@dataclass(frozen=True)
class Target:
    """The state of a thing, or of a point of a body, at a time. Rows: position, turn, velocity, spin (12)."""

    name: str
    time: float
    span: int | None = None  # extend this span to the time, whether or not it lasts that long: a drag binds to one


@dataclass(frozen=True, eq=False)
class Functional:
    """Some numbers of a scene, each linear in states of things and motions of frames and poses at given times.

    Coefficients have a row for each number. Those of a thing, of a point of a body and of a frame are on place, turn,
    velocity and spin (12); of a pose on q and on its rate; of an outcome on what an event gave: a flight (12) or a pose
    in the hand (6).
    """

    count: int
    things: Sequence[tuple[Target, Floats]] = ()
    frames: Sequence[tuple[int, float, Floats]] = ()  # frame, time, coefficients
    poses: Sequence[tuple[str, float, Floats, Floats]] = ()  # character, time, coefficients of q and of its rate
    outcomes: Sequence[tuple[str, int, Floats]] = ()  # thing, which of its events, coefficients
    columns: Sequence[tuple[str, Floats]] = ()  # block of u or name of a node, coefficients


class _Links(dict[tuple[str, int], Floats]):
    """Of events; those that nobody thought of are all made when the first of them is asked for."""

    def __init__(self, owner: "Linearisation") -> None:
        self.owner = owner

    def __missing__(self, event: tuple[str, int]) -> Floats:
        self.owner.link(lambda _: True)
        if event not in self:
            raise KeyError(event)
        return self[event]


class Linearisation:
    """Local Jacobians of one simulation, computed once, and rows asked of it."""

    def __init__(self, simulation: Discovery, chains: dict[str, Chain], layout: Layout) -> None:
        self.simulation, self.chains, self.layout = simulation, chains, layout
        self.world, self.scene = simulation.world, simulation.scene
        self.links = _Links(self)
        self.airs = self.world.airs
        # (12, 13) of balls that feel the air: how they arrive at an event, by how they set out and when
        self.arrivals: dict[tuple[str, int], Floats] = {}
        past = simulation.past
        self.link(lambda span: past is None or past.touches(span.start, span.end))

    # -- local Jacobians ----------------------------------------------------------------------------------------------

    def link(self, wanted: Callable[[Span], bool]) -> None:
        """Local Jacobians of all events at the ends of wanted spans, as far as there are none yet."""
        gravity, linked = self.simulation.gravity, set(self.links)
        balls: dict[str, list[tuple[str, int, Floats]]] = {"impact": [], "grasp": [], "release": [], "meeting": []}
        for name, chain in self.chains.items():
            ball = is_ball(self.scene.thing(name).body)
            own: dict[str, list[tuple[str, int, Floats]]] = balls if ball else {kind: [] for kind in balls}
            for k, event in enumerate(chain.events):
                if (name, k) in linked or not (wanted(chain.spans[k]) or wanted(chain.spans[k + 1])):
                    continue
                kind = self._batched(name, k, event)
                if kind is not None and not self._feels_air(event):
                    own[kind].append((name, k, self._link_row(name, k, event, kind, ball)))
            if not ball:
                self._store(own["impact"], partial(chunked, partial(bulky_impact_links, gravity)))
                self._store(own["grasp"], partial(chunked, partial(bulky_grasp_links, gravity)))
                self._store(own["release"], partial(held_and_released, gravity))
                self._from_starts(name, own["impact"] + own["grasp"])
        self._store(balls["impact"], partial(_impacts, gravity))
        self._store(balls["grasp"], lambda items: ball_touches(gravity, items, True))
        self._store(balls["release"], partial(held_and_released, gravity))
        self._store(balls["meeting"], partial(chunked, partial(pair_links, gravity)))
        if self.airs and not self.arrivals:
            self._link_in_air()
        for name in self.chains:
            self._to_nodes(name, linked)

    def _to_nodes(self, name: str, done: Container[tuple[str, int]]) -> None:
        """A flight from a node is named by the node's time, which is fixed, and not by when its touch is by now."""
        chain = self.chains[name]
        late = [
            (k, event, after)
            for k, (event, after) in enumerate(zip(chain.events, chain.spans[1:], strict=True))
            if (name, k) in self.links
            and (name, k) not in done
            and after.kind == "flight"
            and after.start != event.time
        ]
        if late and name in self.airs:
            again = [(after._replace(state=event.after, start=event.time), after.start) for _, event, after in late]
            for (k, _, _), flight in zip(late, air_flights(self.simulation, again), strict=True):
                self.links[name, k] = np.concatenate([flight @ self.links[name, k], 0.0 * self.links[name, k][:1]])
        elif late:
            flights = self._flights(name, [(e.after, after.start - e.time) for _, e, after in late])
            for (k, _, _), flight in zip(late, flights, strict=True):
                self.links[name, k] = flight @ self.links[name, k]

    def _flights(self, name: str, asked: list[tuple[Any, float]]) -> Floats:
        """(B, 12, 12) states of a thing so long after the given ones, by these."""
        items = np.concatenate([FLY.pack(1, state=state, duration=duration) for state, duration in asked])
        thing = self.scene.thing(name)
        if is_ball(thing.body):
            return ball_flights(items)
        return chunked(partial(flight_links, self.simulation.gravity, self.simulation.inertia(thing)), items)

    def _from_starts(self, name: str, touches: list[tuple[str, int, Floats]]) -> None:
        """Links of things that are not balls are by the state just before; flights are named by how they start."""
        spans = [(k, self.chains[name].spans[k]) for _, k, _ in touches]
        if spans:
            flights = self._flights(name, [(span.state, span.end - span.start) for _, span in spans])
            for (k, _), flight in zip(spans, flights, strict=True):
                link = self.links[name, k]
                self.links[name, k] = np.concatenate([link[:, :12] @ flight, link[:, 12:]], axis=1)

    # -- through air --------------------------------------------------------------------------------------------------

    def _feels_air(self, event: Event) -> bool:
        return event.object in self.airs or (event.twin is not None and event.other in self.airs)

    def _link_in_air(self) -> None:
        """Events of balls that feel the air, and of those that they meet; see `air_links`."""
        own = [
            (name, k, event, kind)
            for name, chain in self.chains.items()
            for k, event in enumerate(chain.events)
            if self._feels_air(event)
            for kind in [self._batched(name, k, event)]
        ]
        ends = [(name, k) for name, k, event, _ in own if self.chains[name].spans[k].kind == "flight"]
        asked = [(self.chains[name].spans[k], _touch_time(self.chains[name].events[k])) for name, k in ends]
        self.arrivals = dict(zip(ends, air_flights(self.simulation, asked), strict=True))
        rows: dict[str, list[tuple[str, int, Floats]]] = {"release": [], "touch": [], "meeting": []}
        for name, k, event, kind in own:
            if kind == "release":
                rows["release"].append((name, k, self._link_row(name, k, event, kind, True)))
            elif kind == "meeting":
                twin = self.arrivals[self.twin(event)]
                rates = np.concatenate([-self.arrivals[name, k][:, START_TIME], -twin[:, START_TIME]])
                rows["meeting"].append((name, k, np.concatenate([self._pair_row(name, k, event), rates])))
            elif kind is not None:
                touch = self.touch_row(self.chains[name].spans[k], event)
                rows["touch"].append((name, k, np.concatenate([touch, -self.arrivals[name, k][:, START_TIME]])))
        self._store(rows["release"], partial(held_and_released, self.simulation.gravity))
        self._store(rows["touch"], partial(chunked, arrival_links))
        self._store(rows["meeting"], partial(chunked, air_pair_links))
        for name, k, event, kind in own:
            if kind is not None:
                self.links[name, k] = self._by_starts(name, k, event, kind)

    def _by_starts(self, name: str, k: int, event: Event, kind: str) -> Floats:
        """The link of an event by how flights set out; columns on when they did so are the last ones."""
        link, gravity = self.links[name, k], self.simulation.gravity
        if kind == "release":
            return with_time(link, rate_of(np.asarray(event.after), gravity), np.eye(19)[18])
        if kind == "meeting":
            if name not in self.airs:
                link = at_fixed_time(link, rate_of(np.asarray(event.after), gravity))
            first, since = before_by_start(link, self.arrivals[name, k], 0)
            second, other_since = before_by_start(link, self.arrivals[self.twin(event)], 12)
            return np.concatenate([first, second, link[:, 24:], since, other_since], axis=1)
        link = link[:13] if kind == "impact" else link[13:]
        before, since = before_by_start(link, self.arrivals[name, k], 0)
        return np.concatenate([before, link[:, 12:], since], axis=1)

    def _on_flight(self, name: str, on: Floats, since: Floats) -> Floats:
        """Covectors on a flight, which in air is named by when it starts as well."""
        return np.concatenate([on, since], axis=1) if name in self.airs else on

    def _on_outcome(self, name: str, k: int, on: Floats) -> Floats:
        """Covectors (R, 12) on the flight that an event gives, at the fixed time that names it."""
        event, after = self.chains[name].events[k], self.chains[name].spans[k + 1]
        if name not in self.airs or after.kind != "flight":
            return on
        if after.start != event.time:  # then the link is to that time already
            return np.column_stack([on, np.zeros(len(on))])
        state = np.asarray(event.after)
        rate = rate_of(state, acceleration_in_air(state, self.simulation.gravity, self.airs[name]))
        return np.column_stack([on, -on @ rate])

    def outcome_by_time(self, name: str, k: int) -> Floats:
        """(12,) how the flight after a decreed impact of a ball, at the fixed time that names it, changes with the time
        of the decree: the flight before goes on, the part moves on, and what follows is so much later. (6,) of a
        decreed grasp, how what is caught passes by in the frame of the hand."""
        chain, gravity = self.chains[name], self.simulation.gravity
        event, after = chain.events[k], chain.spans[k + 1]
        assert event.declared and name not in self.airs
        if event.kind == "grasp":
            return _passes(FRAME.unpack(np.asarray(event.frame)), STATE.unpack(np.asarray(event.before)))
        f, link = FRAME.unpack(np.asarray(event.frame)), self.links[name, k]
        before = rate_of(np.asarray(chain.spans[k].state), gravity)
        part = np.concatenate([f.velocity, f.spin, f.accel, f.spin_accel])
        given = self.simulation.flown(after._replace(state=event.after, start=event.time), after.start)
        return np.asarray(link[:, :12] @ before + link[:, 12:24] @ part - rate_of(given, gravity))

    def _batched(self, name: str, k: int, event: Event) -> str | None:
        """The same, unless something did not fly before: such events are carried back one by one (`struck_back`)."""
        kind = self._link_kind(event)
        if self._forgets(event):
            return None
        flew = self.both_flew(name, k) if kind == "meeting" else self.chains[name].spans[k].kind != "contact"
        return kind if kind is not None and flew else None

    def _forgets(self, event: Event) -> bool:
        """Whether what is held does not depend on how it came: a ball that is caught by decree lies on the site."""
        return event.kind == "grasp" and event.declared and is_ball(self.scene.thing(event.object).body)

    def _link_kind(self, event: Event) -> str | None:
        """Which of the batched links an event is; those of sustained contact are carried back one by one."""
        if event.kind == "release":
            return "release"
        if event.twin is not None:
            return "meeting"
        if event.kind == "rest" and event.settling is None:
            return "grasp"  # a thing that is not a ball lies still: what carries it holds it
        return event.kind if event.kind in ("impact", "grasp") else None

    def _link_row(self, name: str, k: int, event: Event, kind: str, ball: bool) -> Floats:
        span = self.chains[name].spans[k]
        if kind == "release":
            return self._carry_row(span, event.frame, self.scene.thing(name).body.moments)
        if kind == "meeting":
            return self._pair_row(name, k, event)
        return self.touch_row(span, event) if ball else self._bulky_row(span, event)

    def _bulky_row(self, span: Span, event: Event) -> Floats:
        body = self.scene.thing(event.object).body
        return bulky_row(
            body, np.asarray(event.before), np.asarray(event.frame), event.patch, event.feature,
            self.simulation.laws.of_event(event), event.stick, float(event.declared),
        )  # fmt: skip

    def _pair_row(self, name: str, k: int, event: Event) -> Floats:
        other, j = self.twin(event)
        a, b = self.scene.thing(name), self.scene.thing(other)
        flights = [
            (np.asarray(span.state), span.start) for span in (self.chains[name].spans[k], self.chains[other].spans[j])
        ]
        if self._feels_air(event):  # by how they are just before
            flights = [(np.asarray(state), event.time) for state in (event.before, event.twin)]
        law = self.simulation.laws.of_met(event, self.chains[other].events[j])
        return pair_row(a, flights[0], b, flights[1], event.time, law, event.stick)

    def both_flew(self, name: str, k: int) -> bool:
        """Whether two things that met were balls in flight."""
        other, j = self.twin(self.chains[name].events[k])
        both = ((name, k), (other, j))
        return all(is_ball(self.scene.thing(n).body) and self.chains[n].spans[i].kind == "flight" for n, i in both)

    def twin(self, event: Event) -> tuple[str, int]:
        """The other thing of a meeting, and which of its events that is."""
        other = str(event.other)
        events = self.chains[other].events
        return other, next(j for j, e in enumerate(events) if e.time == event.time and e.other == event.object)

    def _store(self, found: list[tuple[str, int, Floats]], kernel: Any) -> None:
        if found:
            values = kernel(np.stack([row for _, _, row in found]))
            for (name, k, _), value in zip(found, values, strict=True):
                self.links[name, k] = value

    def touch_row(self, span: Span, event: Event) -> Floats:
        body, patch = self.scene.thing(event.object).body, event.patch
        assert patch is not None
        e, mu, *normal = self.simulation.laws.of_event(event)
        state, duration = span.state, _touch_time(event) - span.start
        if event.object in self.airs:  # by how it is just before
            state, duration = event.before, 0.0
        return TOUCH.pack(
            1, state=state, duration=duration, frame=event.frame, place=patch.place,
            turned=np.ravel(patch.turned), core=patch.core, radius=patch.radius, feature=event.feature,
            ball_radius=body.radius, inverse_mass=1.0 / body.mass, inverse_moment=1.0 / body.moments[0],
            restitution=e, friction=mu, normal_turn=normal, stick=event.stick, declared=float(event.declared),
        )[0]  # fmt: skip

    def _carry_row(self, span: Span, frame: Any, moments: Any = 1.0) -> Floats:
        return CARRY.pack(
            1, frame=frame, position=span.position, rotation=np.ravel(np.asarray(span.rotation)), moments=moments
        )[0]  # fmt: skip

    def mismatch(self, chain: Chain, k: int) -> Floats:
        """What event k gave, less the span that follows it: zero where a chain is continuous."""
        event, after = chain.events[k], chain.spans[k + 1]
        if event.kind == "grasp":
            frame, before = FRAME.unpack(np.asarray(event.frame)), STATE.unpack(np.asarray(event.before))
            R = frame.rotation.reshape(3, 3)
            position, rotation = R.T @ (before.position - frame.position), R.T @ before.rotation.reshape(3, 3)
            return np.concatenate([position - after.position, rotation_between(rotation, np.asarray(after.rotation))])
        gave = STATE.unpack(self.simulation.flown(after._replace(state=event.after, start=event.time), after.start))
        is_ = STATE.unpack(np.asarray(after.state))
        turn = rotation_between(gave.rotation.reshape(3, 3), is_.rotation.reshape(3, 3))
        return np.concatenate([gave.position - is_.position, turn, gave.velocity - is_.velocity, gave.spin - is_.spin])

    # -- rows ---------------------------------------------------------------------------------------------------------

    def rows(self, targets: Sequence[Target], select: Floats | None = None) -> Rows:
        """Rows of all targets, stacked. `select` (k, 12) picks combinations of each target's twelve numbers."""
        select = np.eye(12) if select is None else select
        return self.of([Functional(len(select), things=[(target, select)]) for target in targets])

    def of(self, functionals: Sequence[Functional], nodes: Container[str] = ()) -> Rows:
        """Rows of functionals, stacked. What reaches the outcome of a contact in `nodes` ends there, in columns that
        are named after it ("catch3.node"); everything else goes on to where things started."""
        return copy(self)._of(functionals, nodes)  # what is gathered on the way is of one call, whatever the thread

    def _of(self, functionals: Sequence[Functional], nodes: Container[str]) -> Rows:
        self._total = sum(functional.count for functional in functionals)
        self.on_frames: list[tuple[int, float, Ints, Floats]] = []  # frame, time, rows, covectors on its motion
        self._poses: list[PoseBlock] = []
        self._whole: list[tuple[str, Ints, Floats]] = []  # character, rows, covectors on all its parameters
        self._columns: dict[str, Floats] = {}
        self._doubts: list[Event] = []
        self._pending: dict[tuple[str, int], list[tuple[Ints, Floats]]] = {}  # thing, span: covectors at its start
        self._begin(functionals)
        # backwards in time over all things at once: where two met, covectors of one pass over to the other
        events = [(event.time, name, k) for name, chain in self.chains.items() for k, event in enumerate(chain.events)]
        order = sorted(events, reverse=True)
        while any(k > 0 for _, k in self._pending):  # more than once only where meetings tie in time
            for _, name, k in order:
                if (name, k + 1) in self._pending:
                    rows, on = self._arrived(name, k + 1)
                    contact = self.chains[name].events[k].contact
                    if contact in nodes and self.chains[name].events[k].kind != "release":
                        self._add(node_name(str(contact)), rows, on[:, :12])  # a node's time is fixed
                    else:
                        self._through(name, k, rows, on)
        for name in self.chains:
            if (name, 0) in self._pending:
                self._reached_start(name, self.chains[name].spans[0], *self._arrived(name, 0))
        return Rows(self._total, self._poses + self._on_poses(), self._whole, self._columns, tuple(self._doubts))

    def _arrived(self, name: str, k: int) -> tuple[Ints, Floats]:
        parts = self._pending.pop((name, k))
        return np.concatenate([rows for rows, _ in parts]), np.concatenate([on for _, on in parts])

    def leave_at(self, name: str, k: int, rows: Ints, on: Floats) -> None:
        self._pending.setdefault((name, k), []).append((rows, on))

    def _begin(self, functionals: Sequence[Functional]) -> None:
        """Everything that is asked for becomes covectors at the start of the span that it lies in."""
        things: list[tuple[Target, Ints, Floats]] = []
        first = 0
        for functional in functionals:
            rows = np.arange(first, first + functional.count)
            first += functional.count
            things.extend((target, rows, on) for target, on in functional.things)
            self.on_frames.extend((frame, time, rows, on) for frame, time, on in functional.frames)
            self._poses.extend(PoseBlock(who, time, rows, q, rate) for who, time, q, rate in functional.poses)
            for block, values in functional.columns:
                self._add(block, rows, values)
            for name, k, on in functional.outcomes:
                self._through(name, k, rows, self._on_outcome(name, k, on))
        self._begin_points([entry for entry in things if "/" in entry[0].name])
        self._begin_things([entry for entry in things if "/" not in entry[0].name])

    def _begin_things(self, asked: list[tuple[Target, Ints, Floats]]) -> None:
        flights: list[Any] = []
        helds: list[Any] = []
        for target, rows, select in asked:
            self.scene.thing(target.name)
            k = self.chains[target.name].index_at(target.time) if target.span is None else target.span
            span = self.chains[target.name].spans[k]
            if target.span is None and self.chains[target.name].settles_at(k, target.time):
                self._doubts.append(self.chains[target.name].events[k])  # shown on the surface, named by its flight
            if span.kind == "contact":
                self.ride_back(target.name, k, target.time, rows, select)
            else:
                (helds if span.kind == "held" else flights).append((target, rows, k, span, select))
        in_air = [entry for entry in flights if entry[0].name in self.airs]
        jacobians = air_flights(self.simulation, [(span, target.time) for target, _, _, span, _ in in_air])
        for (target, rows, k, _, select), jacobian in zip(in_air, jacobians, strict=True):
            self.leave_at(target.name, k, rows, select @ jacobian)
        for group in _by_inertia(self.simulation, [entry for entry in flights if entry[0].name not in self.airs]):
            links = self._flights(group[0][0].name, [(s.state, t.time - s.start) for t, _, _, s, _ in group])
            for (target, rows, k, _, select), link in zip(group, links, strict=True):
                self.leave_at(target.name, k, rows, select @ link)
        if helds:
            frames = self.simulation.exact.frames([entry[3].frame for entry in helds], [t.time for t, *_ in helds])
            items = np.stack([self._carry_row(entry[3], frame) for entry, frame in zip(helds, frames, strict=True)])
            links = held_and_released(self.simulation.gravity, items)
            for (target, rows, k, span, select), link in zip(helds, links, strict=True):
                self.on_frames.append((span.frame, target.time, rows, select @ link[:, 6:18]))
                self.leave_at(target.name, k, rows, select @ link[:, :6])

    def _begin_points(self, asked: list[tuple[Target, Ints, Floats]]) -> None:
        """Points of bodies: a covector on a point is one on its frame."""
        if not asked:
            return
        own = [self.world.frame(target.name) for target, _, _ in asked]
        motions = self.simulation.exact.frames(own, [target.time for target, _, _ in asked])
        for (target, rows, on), frame, motion in zip(asked, own, motions, strict=True):
            f = FRAME.unpack(motion)
            arm = f.rotation.reshape(3, 3) @ self.scene.place(target.name)[2]
            self.on_frames.append((frame, target.time, rows, point_covectors(on, arm, f.spin)))

    def state_back(self, name: str, k: int, time: float, rows: Ints, on: Floats) -> None:
        """Covectors on the state of a thing at a time of a span, to that span's beginning."""
        span = self.chains[name].spans[k]
        if span.kind == "contact":
            self.ride_back(name, k, time, rows, on)
        elif span.kind == "flight" and name in self.airs:
            self.leave_at(name, k, rows, on @ air_flights(self.simulation, [(span, time)])[0])
        elif span.kind == "flight":
            self.leave_at(name, k, rows, on @ self._flights(name, [(span.state, time - span.start)])[0])
        else:
            frame = self.simulation.exact.frames([span.frame], [time])[0]
            link = held_and_released(self.simulation.gravity, self._carry_row(span, frame)[None])[0]
            self.on_frames.append((span.frame, time, rows, on @ link[:, 6:18]))
            self.leave_at(name, k, rows, on @ link[:, :6])

    def ride_back(self, name: str, k: int, time: float, rows: Ints, on: Floats) -> None:
        """Covectors on the state of a thing in contact at a time, to the beginning of that contact."""
        span = self.chains[name].spans[k]
        own = (span.contacting, jnp.asarray(time))
        back = self._contact_back(riding_back, *self.simulation.surface_of(span), own, on)
        self.leave_at(name, k, rows, self._split(back, span, rows))

    def _through(self, name: str, k: int, rows: Ints, on: Floats) -> None:
        """From covectors on the span after event k to covectors on the span before it, and on what else it needs."""
        chain = self.chains[name]
        event, span = chain.events[k], chain.spans[k]
        if event.doubt:
            self._doubts.append(event)
        if event.kind == "jump":
            return
        if event.twin is not None and not self.both_flew(name, k):
            pair_through(self, name, k, rows, on)
        elif span.kind == "contact" and event.kind in ("impact", "grasp", "rest"):
            struck_through(self, name, k, rows, on)
        elif span.kind == "contact" or event.settling is not None:
            self.leave_at(name, k, rows, self._contact_through(chain, k, rows, on))
        elif event.twin is not None:
            back = on @ self.links[name, k]
            other, j = self.twin(event)
            self.leave_at(name, k, rows, self._on_flight(name, back[:, :12], back[:, 29:30]))
            self.leave_at(other, j, rows, self._on_flight(other, back[:, 12:24], back[:, 30:31]))
            self.on_law(event.contact or self.chains[other].events[j].contact, rows, back[:, 24:29])
        elif event.kind == "release":
            back = on @ self.links[name, k]
            self.on_frames.append((span.frame, event.time, rows, back[:, 6:18]))
            if event.contact is not None:
                self._add(f"{event.contact}.release", rows, back[:, 18:19])
            self.leave_at(name, k, rows, back[:, :6])
        elif not self._forgets(event):
            back = on @ self.links[name, k]
            self.touch_through(event, rows, back)
            self.leave_at(name, k, rows, self._on_flight(name, back[:, :12], back[:, 35:36]))

    def touch_through(self, event: Event, rows: Ints, back: Floats) -> None:
        assert event.patch is not None
        if event.patch.frame >= 0:
            self.on_frames.append((event.patch.frame, event.time, rows, back[:, 12:24]))
        if event.other in self.chains:  # a thing in a hand: where it lies in that hand matters too
            chain = self.chains[str(event.other)]
            k = chain.index_at(event.time)
            if chain.spans[k].kind == "held":
                self.leave_at(str(event.other), k, rows, back[:, 24:30])
            else:  # it was struck in a hand that, by what came of it, has not caught it yet
                self._doubts.append(event)
        if event.kind == "impact":
            self.on_law(event.contact, rows, back[:, 30:35])

    def on_law(self, contact: str | None, rows: Ints, on: Floats) -> None:
        """Covectors (R, 5) on the law of an intended contact."""
        if contact is not None:
            for part, columns in (("restitution", on[:, :1]), ("friction", on[:, 1:2]), ("normal", on[:, 2:])):
                self._add(f"{contact}.{part}", rows, columns)

    def _contact_through(self, chain: Chain, k: int, rows: Ints, on: Floats) -> Floats:
        event, span = chain.events[k], chain.spans[k]
        gravity = jnp.asarray(self.simulation.gravity)
        if event.kind == "rest":
            arrival = self.arrivals.get((chain.spans[k].object, k))
            rates = np.append(gravity, np.zeros(3))
            return self.settled_back(chain, k, self.surface_row(span, event), rates, rows, on, arrival)
        surface = self.simulation.surface_of(span)
        if event.kind == "leave":
            ending = (gravity, span.contacting, span.ending, event.object in self.airs)
            back = self._contact_back(leave_back, *surface, ending, on)
        else:
            back = self._contact_back(on_back, *surface, (span.contacting, span.ending), on)
        return self._split(back, span, rows)

    def settled_back(
        self, chain: Chain, k: int, row: Floats, rates: Floats, rows: Ints, on: Floats, arrival: Floats | None = None
    ) -> Floats:
        """From a contact to what settled into it, by a TOUCH row and the accelerations before.

        With an `arrival`, the Jacobian of a flight through air, the row is by the state just before.
        """
        after, (settling, touched) = chain.spans[k + 1], chain.events[k].settling
        rate = None if arrival is None else -arrival[:, START_TIME]
        own = (jnp.asarray(self.simulation.gravity), row, jnp.asarray(rates), jnp.asarray(touched), settling, rate)
        back = self._contact_back(rest_back, *self.simulation.surface_of(after), own, on)
        on_start = self._split(back, after, rows)
        return on_start if arrival is None else on_start @ arrival

    def surface_row(self, span: Span, event: Event) -> Floats:
        """A TOUCH row whose frame is the surface's own."""
        row = self.touch_row(span, event)
        row[TOUCH.slices["place"]], row[TOUCH.slices["turned"]] = 0.0, np.eye(3).ravel()
        return row

    def _contact_back(self, kernel: Any, surface: Any, u: Any, own: tuple[Any, ...], on: Floats) -> tuple[Floats, Any]:
        """A kernel of `contact_links` over any number of covectors."""
        parts = [jax.device_get(kernel(surface, u, *own, jnp.asarray(chunk))) for chunk in in_chunks(on, CHUNK)]
        joined = jax.tree.map(lambda *leaves: np.concatenate(leaves)[: len(on)], *parts)
        return joined[0], joined[1]

    def _split(self, back: tuple[Floats, Any], span: Span, rows: Ints) -> Floats:
        """The part on the chain; that on a character's parameters is noted."""
        if span.frame >= 0:
            leaves = [np.asarray(leaf).reshape(len(rows), -1) for leaf in jax.tree.leaves(back[1])]
            character, _ = self.world.owner(span.frame)
            self._whole.append((self.scene.characters[character].name, rows, np.concatenate(leaves, axis=1)))
        return back[0]

    def _reached_start(self, name: str, span: Span, rows: Ints, on: Floats) -> None:
        start = self.simulation.controls.starts[name]
        self._add(f"{name}.position", rows, on[:, :3])
        # a rotation vector on top of the scene's rotation: its left Jacobian takes it to a turn in the world
        self._add(f"{name}.turn", rows, on[:, 3:6] @ _left_jacobian(start.turn))
        if span.kind == "flight":
            self._add(f"{name}.velocity", rows, on[:, 6:9])
            self._add(f"{name}.spin", rows, on[:, 9:12])

    def _add(self, block: str, rows: np.ndarray, values: Floats) -> None:
        if block not in self._columns:
            self._columns[block] = np.zeros((self._total, values.shape[1]))
        np.add.at(self._columns[block], rows, values)

    def _on_poses(self) -> list[PoseBlock]:
        """Covectors on frames become covectors on q and q̇ of their characters."""
        found: list[PoseBlock] = []
        for c, character in enumerate(self.scene.characters):
            first, last = self.world.first_frame[c : c + 2]
            own = [entry for entry in self.on_frames if first <= entry[0] < last]
            if not own:
                continue
            place = {key: k for k, key in enumerate(dict.fromkeys((frame, time) for frame, time, _, _ in own))}
            frames, times = (np.array(column) for column in zip(*place, strict=True))
            J = jacobians(self.simulation.exact.moving, frames, times, character.skeleton.n_dofs)
            for frame, time, rows, on in own:
                jac = J[place[frame, time]]
                found.append(PoseBlock(character.name, time, rows, on @ jac[:, 0], on @ jac[:, 1]))
        return found


def _impacts(gravity: Floats, items: Floats) -> Floats:
    """Links of a ball's impacts. Restitution above 1, which only an edit that bends physics asks for, is up against
    the law's limit of energy, and that is differentiated."""
    found, beyond = ball_touches(gravity, items, False), TOUCH.unpack(items).restitution > 1.0
    if beyond.any():
        found[beyond] = chunked(partial(impact_links, gravity), items[beyond])
    return found


def _passes(frame: Any, before: Any) -> Floats:
    """(6,) how fast a thing moves and turns in a frame, and as seen from there."""
    R = frame.rotation.reshape(3, 3)
    arm = before.position - frame.position
    velocity = before.velocity - frame.velocity - cross(frame.spin, arm)
    return np.concatenate([R.T @ velocity, R.T @ (before.spin - frame.spin)])


def point_covectors(on: Floats, arm: Floats, spin: Floats) -> Floats:
    """Covectors (k, 12) on the motion of a point as such on its frame's, which is `arm` away and turns with `spin`."""
    place, turn, velocity, turning = on[:, :3], on[:, 3:6], on[:, 6:9], on[:, 9:12]
    turned = turn + cross(arm, place) + cross(arm, cross(velocity, spin))
    return np.concatenate([place, turned, velocity, turning + cross(arm, velocity)], axis=1)


def node_name(contact: str) -> str:
    """The variables of a node, where they are variables."""
    return f"{contact}.node"


def _by_inertia(simulation: Discovery, flights: list[Any]) -> list[list[Any]]:
    """Targets in groups that one call serves: all balls, and every other thing by itself."""
    groups: dict[str, list[Any]] = {}
    for entry in flights:
        thing = simulation.scene.thing(entry[0].name)
        groups.setdefault("" if is_ball(thing.body) else thing.name, []).append(entry)
    return list(groups.values())


def _left_jacobian(vector: Floats) -> Floats:
    """How a change of a rotation vector turns its rotation, in the world."""
    x = np.asarray(vector, float)
    angle = float(np.linalg.norm(x))
    K = np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
    if angle < 1e-4:
        return np.eye(3) + K / 2 + K @ K / 6
    return np.asarray(np.eye(3) + (1 - np.cos(angle)) / angle**2 * K + (angle - np.sin(angle)) / angle**3 * (K @ K))


def _touch_time(event: Event) -> float:
    """When the touch was: of bounces that were summed up, the first one's."""
    return event.time if event.settling is None else float(event.settling[1])
