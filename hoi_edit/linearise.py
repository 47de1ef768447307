"""dS/du: rows of any targets, assembled backwards along each thing's events, never as a dense matrix.

A row asks how one number of the scene changes with u. It starts at its target, a state of a thing or a point of a body,
and is carried back through flights and events by the local Jacobians of `hoi_edit.links`. On its way it leaves a
covector on (q, q̇) of every frame that took part: these, through four control points each, are the row's entries for the
character; and what reaches a start, a release or an open law are its entries for those. `Rows` keeps exactly that;
`Rows.dense` expands it for a user.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hoi_edit.bulky import bulky_grasp_links, bulky_impact_links, bulky_row
from hoi_edit.contact_links import leave_back, on_back, rest_back, riding_back
from hoi_edit.controls import Controls, Layout
from hoi_edit.discover import Discovery
from hoi_edit.exact import chunked
from hoi_edit.links import (
    CARRY,
    FLY,
    TOUCH,
    flight_links,
    frame_jacobians,
    grasp_links,
    held_links,
    impact_links,
    pair_links,
    release_links,
)
from hoi_edit.meeting import pair_row
from hoi_edit.motions.sensitivity import KnotTerm, terms
from hoi_edit.packing import in_chunks
from hoi_edit.rollout import Chain, Event, Span
from hoi_edit.struck_back import pair_through, struck_through
from hoi_edit.touching import CHUNK, FRAME, STATE
from hoi_edit.world import Ints
from kinematics.rotation import Floats
from rigid.body import is_ball


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
                J[block.rows, at : at + 4 * D] += entries.reshape(len(block.rows), -1)
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


class Linearisation:
    """Local Jacobians of one simulation, computed once, and rows asked of it."""

    def __init__(self, simulation: Discovery, chains: dict[str, Chain], layout: Layout) -> None:
        self.simulation, self.chains, self.layout = simulation, chains, layout
        self.world, self.scene = simulation.world, simulation.scene
        self.links: dict[tuple[str, int], Floats] = {}
        self._link_all()

    # -- local Jacobians ----------------------------------------------------------------------------------------------

    def _link_all(self) -> None:
        gravity = self.simulation.gravity
        balls: dict[str, list[tuple[str, int, Floats]]] = {"impact": [], "grasp": [], "release": [], "meeting": []}
        for name, chain in self.chains.items():
            ball = is_ball(self.scene.thing(name).body)
            own: dict[str, list[tuple[str, int, Floats]]] = balls if ball else {kind: [] for kind in balls}
            for k, event in enumerate(chain.events):
                kind = self._link_kind(event)
                if kind == "meeting" and not self.both_flew(name, k):
                    continue
                if kind is not None and chain.spans[k].kind != "contact":
                    own[kind].append((name, k, self._link_row(name, k, event, kind, ball)))
            if not ball:
                self._store(own["impact"], partial(bulky_impact_links, gravity))
                self._store(own["grasp"], partial(bulky_grasp_links, gravity))
                self._store(own["release"], partial(release_links, gravity))
                self._from_starts(name, own["impact"] + own["grasp"])
        self._store(balls["impact"], partial(impact_links, gravity))
        self._store(balls["grasp"], partial(grasp_links, gravity))
        self._store(balls["release"], partial(release_links, gravity))
        self._store(balls["meeting"], partial(pair_links, gravity))
        for name in self.chains:
            self._to_nodes(name)

    def _to_nodes(self, name: str) -> None:
        """A flight from a node is named by the node's time, which is fixed, and not by when its touch is by now."""
        chain = self.chains[name]
        late = [
            (k, event, after)
            for k, (event, after) in enumerate(zip(chain.events, chain.spans[1:], strict=True))
            if (name, k) in self.links and after.kind == "flight" and after.start != event.time
        ]
        if late:
            items = np.concatenate([FLY.pack(1, state=e.after, duration=after.start - e.time) for _, e, after in late])
            inertia = self.simulation.inertia(self.scene.thing(name))
            flights = chunked(partial(flight_links, self.simulation.gravity, inertia), items)
            for (k, _, _), flight in zip(late, flights, strict=True):
                self.links[name, k] = flight @ self.links[name, k]

    def _from_starts(self, name: str, touches: list[tuple[str, int, Floats]]) -> None:
        """Links of things that are not balls are by the state just before; flights are named by how they start."""
        spans = [(k, self.chains[name].spans[k]) for _, k, _ in touches]
        if spans:
            items = np.concatenate([FLY.pack(1, state=span.state, duration=span.end - span.start) for _, span in spans])
            inertia = self.simulation.inertia(self.scene.thing(name))
            flights = chunked(partial(flight_links, self.simulation.gravity, inertia), items)
            for (k, _), flight in zip(spans, flights, strict=True):
                link = self.links[name, k]
                self.links[name, k] = np.concatenate([link[:, :12] @ flight, link[:, 12:]], axis=1)

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
        flights = (
            (np.asarray(span.state), span.start) for span in (self.chains[name].spans[k], self.chains[other].spans[j])
        )
        law = self.simulation.laws.of_met(event, self.chains[other].events[j])
        return pair_row(a, next(flights), b, next(flights), event.time, law, event.stick)

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
            values = chunked(kernel, np.stack([row for _, _, row in found]))
            for (name, k, _), value in zip(found, values, strict=True):
                self.links[name, k] = value

    def touch_row(self, span: Span, event: Event) -> Floats:
        body, patch = self.scene.thing(event.object).body, event.patch
        assert patch is not None
        e, mu, *normal = self.simulation.laws.of_event(event)
        return TOUCH.pack(
            1, state=span.state, duration=_touch_time(event) - span.start, frame=event.frame, place=patch.place,
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
            return np.concatenate([position - after.position, _turn(rotation, np.asarray(after.rotation))])
        gave = STATE.unpack(self.simulation.flown(replace(after, state=event.after, start=event.time), after.start))
        is_ = STATE.unpack(np.asarray(after.state))
        turn = _turn(gave.rotation.reshape(3, 3), is_.rotation.reshape(3, 3))
        return np.concatenate([gave.position - is_.position, turn, gave.velocity - is_.velocity, gave.spin - is_.spin])

    # -- rows ---------------------------------------------------------------------------------------------------------

    def rows(self, targets: Sequence[Target], select: Floats | None = None) -> Rows:
        """Rows of all targets, stacked. `select` (k, 12) picks combinations of each target's twelve numbers."""
        select = np.eye(12) if select is None else select
        self._total = len(targets) * len(select)
        self.on_frames: list[tuple[int, float, Ints, Floats]] = []  # frame, time, rows, covectors on its motion
        self._whole: list[tuple[str, Ints, Floats]] = []  # character, rows, covectors on all its parameters
        self._columns: dict[str, Floats] = {}
        self._doubts: list[Event] = []
        self._pending: dict[tuple[str, int], list[tuple[Ints, Floats]]] = {}  # thing, span: covectors at its start
        self._begin(targets, select)
        # backwards in time over all things at once: where two met, covectors of one pass over to the other
        events = [(event.time, name, k) for name, chain in self.chains.items() for k, event in enumerate(chain.events)]
        order = sorted(events, reverse=True)
        while any(k > 0 for _, k in self._pending):  # more than once only where meetings tie in time
            for _, name, k in order:
                if (name, k + 1) in self._pending:
                    self._through(name, k, *self._arrived(name, k + 1))
        for name in self.chains:
            if (name, 0) in self._pending:
                self._reached_start(name, self.chains[name].spans[0], *self._arrived(name, 0))
        return Rows(self._total, self._on_poses(), self._whole, self._columns, tuple(self._doubts))

    def _arrived(self, name: str, k: int) -> tuple[Ints, Floats]:
        parts = self._pending.pop((name, k))
        return np.concatenate([rows for rows, _ in parts]), np.concatenate([on for _, on in parts])

    def leave_at(self, name: str, k: int, rows: Ints, on: Floats) -> None:
        self._pending.setdefault((name, k), []).append((rows, on))

    def _begin(self, targets: Sequence[Target], select: Floats) -> None:
        """Each target becomes covectors at the start of the span that it lies in."""
        flights: list[Any] = []
        helds: list[Any] = []
        for i, target in enumerate(targets):
            rows = np.arange(i * len(select), (i + 1) * len(select))
            if "/" in target.name:
                self._body_point(target, rows, select)
                continue
            self.scene.thing(target.name)
            k = self.chains[target.name].index_at(target.time) if target.span is None else target.span
            span = self.chains[target.name].spans[k]
            if target.span is None and self.chains[target.name].settles_at(k, target.time):
                self._doubts.append(self.chains[target.name].events[k])  # shown on the surface, named by its flight
            if span.kind == "contact":
                self.ride_back(target.name, k, target.time, rows, select)
            else:
                (helds if span.kind == "held" else flights).append((target, rows, k, span))
        for group in _by_inertia(self.simulation, flights):
            items = np.concatenate([FLY.pack(1, state=s.state, duration=t.time - s.start) for t, _, _, s in group])
            inertia = self.simulation.inertia(self.scene.thing(group[0][0].name))
            links = chunked(partial(flight_links, self.simulation.gravity, inertia), items)
            for (target, rows, k, _), link in zip(group, links, strict=True):
                self.leave_at(target.name, k, rows, select @ link)
        if helds:
            frames = self.simulation.exact.frames([s.frame for *_, s in helds], [t.time for t, *_ in helds])
            items = np.stack([self._carry_row(s, frame) for (*_, s), frame in zip(helds, frames, strict=True)])
            for (target, rows, k, span), link in zip(helds, chunked(held_links, items), strict=True):
                self.on_frames.append((span.frame, target.time, rows, select @ link[:, 6:18]))
                self.leave_at(target.name, k, rows, select @ link[:, :6])

    def state_back(self, name: str, k: int, time: float, rows: Ints, on: Floats) -> None:
        """Covectors on the state of a thing at a time of a span, to that span's beginning."""
        span = self.chains[name].spans[k]
        if span.kind == "contact":
            self.ride_back(name, k, time, rows, on)
        elif span.kind == "flight":
            inertia = self.simulation.inertia(self.scene.thing(name))
            item = FLY.pack(1, state=span.state, duration=time - span.start)
            link = chunked(partial(flight_links, self.simulation.gravity, inertia), item)[0]
            self.leave_at(name, k, rows, on @ link)
        else:
            frame = self.simulation.exact.frames([span.frame], [time])[0]
            link = chunked(held_links, self._carry_row(span, frame)[None])[0]
            self.on_frames.append((span.frame, time, rows, on @ link[:, 6:18]))
            self.leave_at(name, k, rows, on @ link[:, :6])

    def ride_back(self, name: str, k: int, time: float, rows: Ints, on: Floats) -> None:
        """Covectors on the state of a thing in contact at a time, to the beginning of that contact."""
        span = self.chains[name].spans[k]
        own = (span.contacting, jnp.asarray(time))
        back = self._contact_back(riding_back, *self.simulation.surface_of(span), own, on)
        self.leave_at(name, k, rows, self._split(back, span, rows))

    def _body_point(self, target: Target, rows: Ints, select: Floats) -> None:
        _, _, local = self.scene.place(target.name)
        frame = self.world.frame(target.name)
        motion = self.simulation.exact.frames([frame], [target.time])
        link = chunked(
            held_links, CARRY.pack(1, frame=motion, position=local, rotation=np.eye(3).ravel(), moments=1.0)
        )[0]
        self.on_frames.append((frame, target.time, rows, select @ link[:, 6:18]))

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
            self.leave_at(name, k, rows, back[:, :12])
            self.leave_at(other, j, rows, back[:, 12:24])
            self.on_law(event.contact or self.chains[other].events[j].contact, rows, back[:, 24:29])
        elif event.kind == "release":
            back = on @ self.links[name, k]
            self.on_frames.append((span.frame, event.time, rows, back[:, 6:18]))
            if event.contact is not None:
                self._add(f"{event.contact}.release", rows, back[:, 18:19])
            self.leave_at(name, k, rows, back[:, :6])
        elif not (event.kind == "grasp" and event.declared):  # a declared grasp forgets where the thing was
            self.touch_through(event, rows, on @ self.links[name, k])
            self.leave_at(name, k, rows, (on @ self.links[name, k])[:, :12])

    def touch_through(self, event: Event, rows: Ints, back: Floats) -> None:
        assert event.patch is not None
        if event.patch.frame >= 0:
            self.on_frames.append((event.patch.frame, event.time, rows, back[:, 12:24]))
        if event.other in self.chains:  # a thing in a hand: where it lies in that hand matters too
            chain = self.chains[str(event.other)]
            self.leave_at(str(event.other), chain.index_at(event.time), rows, back[:, 24:30])
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
            return self.settled_back(chain, k, self.surface_row(span, event), np.append(gravity, np.zeros(3)), rows, on)
        surface = self.simulation.surface_of(span)
        if event.kind == "leave":
            back = self._contact_back(leave_back, *surface, (gravity, span.contacting, span.ending), on)
        else:
            back = self._contact_back(on_back, *surface, (span.contacting, span.ending), on)
        return self._split(back, span, rows)

    def settled_back(self, chain: Chain, k: int, row: Floats, rates: Floats, rows: Ints, on: Floats) -> Floats:
        """From a contact to what settled into it, by a TOUCH row and the accelerations before."""
        after, (settling, touched) = chain.spans[k + 1], chain.events[k].settling
        own = (jnp.asarray(self.simulation.gravity), row, jnp.asarray(rates), jnp.asarray(touched), settling)
        back = self._contact_back(rest_back, *self.simulation.surface_of(after), own, on)
        return self._split(back, after, rows)

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
            keys = sorted({(frame - first, time) for frame, time, _, _ in own})
            moving = self.simulation.exact.for_kernels(character)
            J = chunked(
                partial(frame_jacobians, *moving),
                np.array(keys, float),
            )
            place = {key: k for k, key in enumerate(keys)}
            for frame, time, rows, on in own:
                jac = J[place[frame - first, time]]
                found.append(PoseBlock(character.name, time, rows, on @ jac[:, 0], on @ jac[:, 1]))
        return found


def _by_inertia(simulation: Discovery, flights: list[Any]) -> list[list[Any]]:
    """Targets in groups that one call serves: all balls, and every other thing by itself."""
    groups: dict[str, list[Any]] = {}
    for entry in flights:
        thing = simulation.scene.thing(entry[0].name)
        groups.setdefault("" if is_ball(thing.body) else thing.name, []).append(entry)
    return list(groups.values())


def _turn(R: Floats, other: Floats) -> Floats:
    """The rotation vector from `other` to R, in the world."""
    M = R @ other.T
    axis = 0.5 * np.array([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])
    sine, cosine = float(np.linalg.norm(axis)), 0.5 * (float(np.trace(M)) - 1.0)
    return axis if sine < 1e-9 else np.asarray(axis * np.arctan2(sine, cosine) / sine)


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
