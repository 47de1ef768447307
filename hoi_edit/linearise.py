"""dS/du: rows of any targets, assembled backwards along each thing's events, never as a dense matrix.

A row asks how one number of the scene changes with u. It starts at its target, a state of a thing or a point of a body,
and is carried back through flights and events by the local Jacobians of `hoi_edit.links`. On its way it leaves a
covector on (q, q̇) of every frame that took part: these, through four control points each, are the row's entries for the
character; and what reaches a start, a release or an open law are its entries for those. `Rows` keeps exactly that;
`Rows.dense` expands it for a user.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hoi_edit.controls import Controls, Layout
from hoi_edit.discover import Discovery
from hoi_edit.links import (
    CARRY,
    FLY,
    TOUCH,
    flight_links,
    frame_jacobians,
    grasp_links,
    held_links,
    impact_links,
    release_links,
)
from hoi_edit.motions.sensitivity import KnotTerm, terms
from hoi_edit.packing import in_chunks
from hoi_edit.rollout import Chain, Event, Span
from hoi_edit.touching import CHUNK
from kinematics.rotation import Floats


@dataclass(frozen=True, eq=False)
class PoseBlock:
    """Covectors (R, D) on q and q̇ of one character at one time."""

    character: str
    time: float
    rows: np.ndarray  # (R,) which rows these are
    on_q: Floats
    on_rate: Floats


@dataclass(frozen=True, eq=False)
class Rows:
    """A Jacobian of `count` rows in blocks."""

    count: int
    poses: Sequence[PoseBlock]
    columns: dict[str, Floats]  # name of a block of u -> (count, size)
    doubts: Sequence[Event]  # events on the way whose derivative is not to be trusted

    def dense(self, layout: Layout, controls: Controls, motions: dict[str, Any]) -> Floats:
        """The same as one matrix (count, n)."""
        J = np.zeros((self.count, layout.size))
        for name, values in self.columns.items():
            J[:, layout[name].indices] += values
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
                    term.value[k][None, :, None] * block.on_q[:, None] + term.rate[k][None, :, None] * block.on_rate[:, None]
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


class Linearisation:
    """Local Jacobians of one simulation, computed once, and rows asked of it."""

    def __init__(self, simulation: Discovery, chains: dict[str, Chain], layout: Layout) -> None:
        self.simulation, self.chains, self.layout = simulation, chains, layout
        self.world, self.scene = simulation.world, simulation.scene
        self.links: dict[tuple[str, int], Floats] = {}
        self._link_all()

    # -- local Jacobians ----------------------------------------------------------------------------------------------

    def _link_all(self) -> None:
        touches: dict[str, list[tuple[str, int, Floats]]] = {"impact": [], "grasp": []}
        releases: list[tuple[str, int, Floats]] = []
        for name, chain in self.chains.items():
            for k, event in enumerate(chain.events):
                if event.kind == "release":
                    releases.append((name, k, self._carry_row(chain.spans[k], event.frame)))
                elif event.kind in touches:
                    touches[event.kind].append((name, k, self._touch_row(chain.spans[k], event)))
        gravity = self.simulation.gravity
        self._store(touches["impact"], lambda rows: impact_links(gravity, rows))
        self._store(touches["grasp"], lambda rows: grasp_links(gravity, rows))
        self._store(releases, lambda rows: release_links(gravity, rows))

    def _store(self, found: list[tuple[str, int, Floats]], kernel: Any) -> None:
        if found:
            values = _chunked(kernel, np.stack([row for _, _, row in found]))
            for (name, k, _), value in zip(found, values, strict=True):
                self.links[name, k] = value

    def _touch_row(self, span: Span, event: Event) -> Floats:
        body, s, x = self.scene.thing(event.object).body, self.world.surfaces, event.surface
        e, mu, *normal = self.simulation.law_of(event)
        return TOUCH.pack(
            1, state=span.state, duration=event.time - span.start, frame=event.frame, place=s.place[x],
            turned=s.turned[x].ravel(), core=s.core[x], radius=s.radius[x], feature=event.feature,
            ball_radius=body.radius, inverse_mass=1.0 / body.mass, inverse_moment=1.0 / body.moments[0],
            restitution=e, friction=mu, normal_turn=normal, stick=event.stick,
        )[0]  # fmt: skip

    def _carry_row(self, span: Span, frame: Any) -> Floats:
        return CARRY.pack(1, frame=frame, position=span.position, rotation=np.ravel(span.rotation))[0]

    # -- rows ---------------------------------------------------------------------------------------------------------

    def rows(self, targets: Sequence[Target], select: Floats | None = None) -> Rows:
        """Rows of all targets, stacked. `select` (k, 12) picks combinations of each target's twelve numbers."""
        select = np.eye(12) if select is None else select
        self._frames: list[tuple[int, float, np.ndarray, Floats]] = []  # frame, time, rows, covectors on its motion
        self._total = len(targets) * len(select)
        self._doubts: list[Event] = []
        self._columns: dict[str, Floats] = {}
        waiting = self._begin(targets, select)
        for name, spans in waiting.items():
            self._carry_back(name, spans)
        return Rows(self._total, self._on_poses(), self._columns, tuple(self._doubts))

    def _begin(self, targets: Sequence[Target], select: Floats) -> dict[str, dict[int, list[tuple[np.ndarray, Floats]]]]:
        """Covectors at the start of the span that each target lies in: {thing: {span: [(rows, covectors)]}}."""
        waiting: dict[str, dict[int, list[tuple[np.ndarray, Floats]]]] = {}
        flights, helds = [], []
        for i, target in enumerate(targets):
            rows = np.arange(i * len(select), (i + 1) * len(select))
            if "/" in target.name:
                self._body_point(target, rows, select)
                continue
            self.scene.thing(target.name)
            chain = self.chains[target.name]
            k = chain.index_at(target.time)
            (helds if chain.spans[k].kind == "held" else flights).append((target, rows, k))
        gravity = self.simulation.gravity
        if flights:
            items = [
                FLY.pack(1, state=self.chains[t.name].spans[k].state, duration=t.time - self.chains[t.name].spans[k].start)
                for t, _, k in flights
            ]
            for (target, rows, k), link in zip(
                flights, _chunked(lambda x: flight_links(gravity, x), np.concatenate(items)), strict=True
            ):
                waiting.setdefault(target.name, {}).setdefault(k, []).append((rows, select @ link))
        if helds:
            spans = [self.chains[t.name].spans[k] for t, _, k in helds]
            frames = self.simulation.frames([s.frame for s in spans], [t.time for t, _, _ in helds])
            items = [self._carry_row(span, frame) for span, frame in zip(spans, frames, strict=True)]
            for (target, rows, k), span, link in zip(helds, spans, _chunked(held_links, np.stack(items)), strict=True):
                self._frames.append((span.frame, target.time, rows, select @ link[:, 6:18]))
                waiting.setdefault(target.name, {}).setdefault(k, []).append((rows, select @ link[:, :6]))
        return waiting

    def _body_point(self, target: Target, rows: np.ndarray, select: Floats) -> None:
        character, segment, local = self.scene.place(target.name)
        frame = self.world.first_frame[list(self.scene.characters).index(character)] + segment
        motion = self.simulation.frames([frame], [target.time])
        link = _chunked(held_links, CARRY.pack(1, frame=motion, position=local, rotation=np.eye(3).ravel()))[0]
        self._frames.append((frame, target.time, rows, select @ link[:, 6:18]))

    def _carry_back(self, name: str, waiting: dict[int, list[tuple[np.ndarray, Floats]]]) -> None:
        """From the last span to the first."""
        chain = self.chains[name]
        rows, on = np.zeros(0, int), np.zeros((0, 12))
        for k in range(max(waiting), -1, -1):
            if k in waiting:
                rows = np.concatenate([rows, *(r for r, _ in waiting[k])])
                on = np.concatenate([on, *(c for _, c in waiting[k])]) if len(on) else np.concatenate([c for _, c in waiting[k]])
            if k == 0:
                self._reached_start(name, chain.spans[0], rows, on)
            else:
                on = self._through(name, k - 1, rows, on)

    def _through(self, name: str, k: int, rows: np.ndarray, on: Floats) -> Floats:
        """Covectors on the span before event k, from those on the span after it."""
        event, link = self.chains[name].events[k], self.links[name, k]
        back = on @ link
        if event.doubt:
            self._doubts.append(event)
        before = 6 if event.kind == "release" else 12
        if event.kind == "release":
            self._frames.append((self.chains[name].spans[k].frame, event.time, rows, back[:, 6:18]))
            if event.contact is not None:
                self._add(f"{event.contact}.release", rows, back[:, 18:19])
        else:
            frame = int(self.world.surfaces.frame[event.surface])
            if frame >= 0:
                self._frames.append((frame, event.time, rows, back[:, 12:24]))
            if event.kind == "impact" and event.contact is not None:
                self._add(f"{event.contact}.restitution", rows, back[:, 24:25])
                self._add(f"{event.contact}.friction", rows, back[:, 25:26])
                self._add(f"{event.contact}.normal", rows, back[:, 26:29])
        return np.asarray(back[:, :before])

    def _reached_start(self, name: str, span: Span, rows: np.ndarray, on: Floats) -> None:
        start = self.simulation.controls.starts[name]
        # turn is a rotation vector on top of the scene's rotation: its left Jacobian takes it to a world turn
        self._add(f"{name}.position", rows, on[:, :3])
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
            own = [entry for entry in self._frames if first <= entry[0] < last]
            if not own:
                continue
            keys = sorted({(frame - first, time) for frame, time, _, _ in own})
            parameters = self.simulation.controls.motions[character.name]
            J = _chunked(
                lambda chunk, c=character, p=parameters: frame_jacobians(c.skeleton, c.motion, p, chunk),
                np.array(keys, float),
            )
            place = {key: k for k, key in enumerate(keys)}
            for frame, time, rows, on in own:
                jac = J[place[frame - first, time]]
                found.append(PoseBlock(character.name, time, rows, on @ jac[:, 0], on @ jac[:, 1]))
        return found


def _left_jacobian(vector: Floats) -> Floats:
    """How a change of a rotation vector turns its rotation, in the world."""
    x = np.asarray(vector, float)
    angle = float(np.linalg.norm(x))
    K = np.array([[0.0, -x[2], x[1]], [x[2], 0.0, -x[0]], [-x[1], x[0], 0.0]])
    if angle < 1e-4:
        return np.eye(3) + K / 2 + K @ K / 6
    return np.asarray(
        np.eye(3) + (1 - np.cos(angle)) / angle**2 * K + (angle - np.sin(angle)) / angle**3 * (K @ K)
    )


def _chunked(kernel: Any, items: Floats) -> Floats:
    return np.concatenate([np.asarray(kernel(chunk)) for chunk in in_chunks(items, CHUNK)])[: len(items)]
