"""S(t, u) as a user sees it: simulate a control vector, ask the rollout for states, events and derivatives."""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hoi_edit.adjoint import Linearisation, Rows, Target
from hoi_edit.compiling.runtime import keep_freed_memory
from hoi_edit.motions.frame_motion import poses_at
from hoi_edit.reporting import notebook_html as html
from hoi_edit.reporting.words import count_of, some_of
from hoi_edit.scene import Scene
from hoi_edit.scene.arguments import as_floats, is_text
from hoi_edit.scene.controls import Controls, Layout, initial_controls
from hoi_edit.simulate.checks.let_go_inside import LetGoInside, let_go_inside
from hoi_edit.simulate.checks.near_misses import passes
from hoi_edit.simulate.checks.release_penetration import Pushed, pushed
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.families import Families
from hoi_edit.simulate.kind_words import FLIGHT, HELD
from hoi_edit.simulate.loop import simulate
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.packed_states import relative
from hoi_edit.simulate.past import Past, Segments
from hoi_edit.simulate.run import Guide, Run
from hoi_edit.simulate.tables import BUILT_IN
from hoi_edit.simulate.trajectory import Event, Near, Node, Span, Trajectories
from hoi_edit.simulate.world import PoseTable, World, pose_table
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats

POSITION_AND_VELOCITY = np.eye(12)[[0, 1, 2, 6, 7, 8]]


@dataclass(frozen=True, eq=False)
class BodyState:
    """A thing, or the frame of a body's point, at one time, in the world."""

    position: Floats  # (3,) [m]
    rotation: Floats  # (3, 3)
    velocity: Floats  # (3,) [m/s]
    angular_velocity: Floats  # (3,) [rad/s]

    @property
    def orientation(self) -> Floats:
        """The unit quaternion (w, x, y, z)."""
        return quaternion(self.rotation)


def quaternion(R: Floats) -> Floats:
    """(w, x, y, z) with w >= 0, from the largest of its components, which is never small."""
    four = np.array(
        [
            [1 + R[0, 0] + R[1, 1] + R[2, 2], R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]],
            [R[2, 1] - R[1, 2], 1 + R[0, 0] - R[1, 1] - R[2, 2], R[0, 1] + R[1, 0], R[0, 2] + R[2, 0]],
            [R[0, 2] - R[2, 0], R[0, 1] + R[1, 0], 1 - R[0, 0] + R[1, 1] - R[2, 2], R[1, 2] + R[2, 1]],
            [R[1, 0] - R[0, 1], R[0, 2] + R[2, 0], R[1, 2] + R[2, 1], 1 - R[0, 0] - R[1, 1] + R[2, 2]],
        ]
    )
    q = four[int(np.argmax(np.diag(four)))]
    q = q / np.linalg.norm(q)
    return np.asarray(-q if q[0] < 0 else q)


def nearest_first(here: int, count: int) -> Iterator[int]:
    """All of range(count), those near `here` before the others."""
    yield from (k for off in range(count) for k in {here - off, here + off} if 0 <= k < count)


def begins(event: Event) -> str | None:
    """A name for the span that an event begins; the hold after a grasp and the flight after its release differ."""
    return None if event.contact is None else f"{event.contact}:{event.kind}"


def _unpacked(row: Floats) -> BodyState:
    s = STATE.unpack(row)
    return BodyState(s.position, s.rotation.reshape(3, 3), s.velocity, s.spin)


@dataclass(frozen=True, eq=False)
class Model:
    """A scene made ready to be simulated: packed, with the layout of its control vector."""

    scene: Scene
    world: World
    layout: Layout
    start: Floats  # (n,) the control vector of the scene as it was built
    families: Families  # of spans and events

    @staticmethod
    def of(scene: Scene, families: Families = BUILT_IN) -> "Model":
        keep_freed_memory()
        controls = initial_controls(scene)
        layout = Layout.of(controls)
        return Model(scene, World.of(scene), layout, layout.flatten(controls), families)

    def simulate(
        self,
        u: Floats,
        nodes: Mapping[str, Node] | None = None,
        table: PoseTable | None = None,
        strict: bool | Collection[str] = False,
        guide: Guide | None = None,
        past: Past | None = None,
    ) -> "Rollout":
        """A run from the start of the scene; or, with nodes, of all stretches between intended contacts at once; with a
        guide, these contacts happen by decree; what is the same in a past run is taken over.

        A thing that starts inside something is not stopped by it before it is clear; when `strict`, of all
        things or of some by name, it is an error.
        """
        minded = [thing.name for thing in self.scene.things] if strict is True else strict or ()
        controls = self.layout.unflatten(u)
        run = Run(Context(self.world, controls, self.families), nodes, table, minded, guide, past)
        trajectories = simulate(run)
        segments, stretch = Segments(run.segments, run.cuts), None if past is None else (past.start, past.end)
        looked = run.table_so_far or run.reach
        return Rollout(self, np.array(u, float), run.context, trajectories, run.nodes, segments, stretch, looked)


@dataclass(frozen=True, eq=False)
class Rollout:
    """What one control vector gives."""

    model: Model
    u: Floats
    context: Context
    trajectories: Trajectories
    given_nodes: Mapping[str, Node]
    segments: Segments
    stretch: tuple[float, float] | None  # outside of which everything was taken over from an earlier run
    looked: PoseTable | tuple[float, float]  # where everybody is, or from when until when that would be asked

    @property
    def controls(self) -> Controls:
        return self.context.controls

    @property
    def known_table(self) -> PoseTable | None:
        """Where everybody is, if this run has looked at it."""
        return self.looked if isinstance(self.looked, PoseTable) else None

    @cached_property
    def table(self) -> PoseTable:
        """Where everybody is, of as much time as is looked at."""
        if isinstance(self.looked, PoseTable):
            return self.looked
        return pose_table(self.model.world, self.context.moving, *self.looked)

    def __repr__(self) -> str:
        scene, extra = self.model.scene, sum(not event.intended for event in self.events)
        missed = some_of(list(self.missed)) or "none"
        happened = f"{count_of(len(self.events), 'event')}, {extra} of them not intended, missed: {missed}"
        return f"<rollout of {scene.name}, {scene.start:g} to {scene.end:g} s: {happened}>"

    def _repr_html_(self) -> str:
        return html.rollout_table(self)

    @cached_property
    def events(self) -> list[Event]:
        """Everything that happened, in order of time."""
        chains = self.trajectories.chains.values()
        return sorted((event for chain in chains for event in chain.events if not event.is_seam), key=lambda e: e.time)

    @cached_property
    def near(self) -> Sequence[Near]:
        """Near misses that a small edit may turn into touches, in order of time."""
        balls = passes(self.model.scene, self.trajectories.chains)
        return tuple(sorted((*self.trajectories.near, *balls), key=lambda near: near.time))

    def misses_on_the_way(self, targets: Sequence[Target], rows: Rows) -> Iterator[Near]:
        """Near misses that put a derivative in doubt, of things that its rows came back along at the time."""
        for miss in self.near:
            both = (miss.object, miss.other)
            if miss.doubt is not None and any(self._came_back(name, miss.time, targets, rows) for name in both):
                yield miss

    def _came_back(self, name: str, time: float, targets: Sequence[Target], rows: Rows) -> bool:
        """Whether rows of targets came back along a thing at a time."""
        if name not in self.trajectories.chains:
            return False
        chain = self.trajectories.chains[name]
        k = chain.index_at(time)
        asked = [target.time for target in targets if target.name == name and chain.index_at(target.time) == k]
        return (name, k) in rows.spans and time < max(asked, default=np.inf)

    @property
    def missed(self) -> Sequence[str]:
        """Intended contacts that did not happen."""
        return self.trajectories.missed

    @cached_property
    def pushed(self) -> Sequence[Pushed]:
        """Hands that go into what they have let go; nothing stops them, and no event shows it."""
        return pushed(self)

    @cached_property
    def let_go_inside(self) -> Sequence[LetGoInside]:
        """Balls that are let go inside something; nothing stops them before they are out."""
        return let_go_inside(self)

    def spans(self, thing: str) -> Sequence[Span]:
        """A thing's flights, holds and contacts in order."""
        self.model.scene.thing(thing)
        return self.trajectories.chains[thing].spans

    @cached_property
    def happened(self) -> dict[str, tuple[str, int]]:
        """Intended contacts that happened: the thing of each, and which of its events it is."""
        return {
            event.contact: (name, k)
            for name, chain in self.trajectories.chains.items()
            for k, event in enumerate(chain.events)
            if event.contact is not None and event.fulfils
        }

    def state(self, name: str, t: float) -> BodyState:
        """Of a thing ("ball1") or a point of a body ("juggler/right_hand")."""
        t = self._time(t)
        if is_text(name) and "/" in name:
            return self.state_in(name, t, None)
        if name not in self.trajectories.chains:
            raise self.model.scene.unknown_point(name)
        return _unpacked(self.context.state(self.trajectories.chains[name], t))

    def state_in(self, name: str, t: float, span: int | None) -> BodyState:
        """The same, with a span extended to the time, whether or not it lasts that long."""
        if "/" in name:
            _, _, local = self.model.scene.place(name)
            extended = Span(HELD, name, t, t, None, self.model.world.frame(name), local, np.eye(3))
        elif span is None:
            return self.state(name, t)
        else:
            extended = self.trajectories.chains[name].spans[span]
        return _unpacked(self.context.state_in(extended, t))

    def positions(self, name: str, times: Floats) -> Floats:
        """(N, 3) of a thing or a point of a body at many times."""
        if "/" in name:
            point = Span(HELD, name, 0.0, 0.0, None, self.model.world.frame(name), self.model.scene.place(name)[2])
            return self.context.spans[point.kind].positions(self.context, point, times)
        chain, places = self.trajectories.chains[name], np.empty((len(times), 3))
        which = np.searchsorted([event.time for event in chain.events], times, side="right")
        for k in np.unique(which):
            span, looks = chain.spans[k], np.flatnonzero(which == k)
            if chain.settles_at(int(k), float(times[looks][-1])):
                places[looks] = [self.context.state(chain, float(t))[:3] for t in times[looks]]
            else:
                places[looks] = self.context.spans[span.kind].positions(self.context, span, times[looks])
        return places

    def poses(self, character: str, times: Floats | None = None) -> Floats:
        """(T, D) coordinates of a character at some times, or at those of the table of poses."""
        first = 0
        poses = self._all_poses if times is None else poses_at(self.context.moving, np.asarray(times, float))
        for one in self.model.scene.characters:
            if one.name == character:
                return poses[:, first : first + one.skeleton.n_dofs]
            first += one.skeleton.n_dofs
        raise unknown("character", character, [one.name for one in self.model.scene.characters])

    @cached_property
    def _all_poses(self) -> Floats:
        return poses_at(self.context.moving, self.model.world.table_times)

    def span_index(self, name: str, t: float, after: str | None = None) -> int | None:
        """Which span of a thing a time lies in; or, whatever the time, the one a contact begins ("": the first)."""
        if "/" in name:
            return None
        self.model.scene.thing(name)
        chain = self.trajectories.chains[name]
        if after == "":
            return chain.first
        here = chain.index_at(t)
        if after is None:
            return here
        named = (k for k in nearest_first(here, len(chain.spans)) if k > 0 and begins(chain.events[k - 1]) == after)
        return next(named, here)

    def span_name(self, name: str, t: float) -> str | None:
        """What `span_index` wants to find the span of a time again in another rollout; None if nothing names it."""
        if "/" in name:
            return None
        if name not in self.trajectories.chains:
            raise self.model.scene.unknown_point(name)
        return self.name_of_span(name, self.trajectories.chains[name].index_at(self._time(t)))

    def name_of_span(self, thing: str, k: int) -> str | None:
        """The same of a span by its number."""
        chain = self.trajectories.chains[thing]
        return "" if k <= chain.first else begins(chain.events[k - 1])

    def flight_before(self, name: str, t: float) -> int:
        """The flight on which a thing was sent before a time by what was intended, whatever else came in between; its
        first span if there is none."""
        chain = self.trajectories.chains[name]
        sent = [chain.first, *(k + 1 for k, event in enumerate(chain.events) if event.intended or event.leaps)]
        flights = [k for k in sent if chain.spans[k].flies and chain.spans[k].start < t]
        return flights[-1] if flights else chain.first

    def _time(self, t: float) -> float:
        scene = self.model.scene
        if as_floats(t, ()) is None:
            raise HoiError(f"the time is {t!r}; it must be one number of seconds")
        if not scene.start - 1e-9 <= t <= scene.end + 1e-9:
            raise HoiError(f"time {t:g} s lies outside the scene, which runs from {scene.start:g} s to {scene.end:g} s")
        return float(t)

    @cached_property
    def linearisation(self) -> Linearisation:
        return Linearisation(self.context, dict(self.trajectories.chains), self.stretch)

    def rows(self, targets: Sequence[Target], select: Floats = POSITION_AND_VELOCITY) -> Rows:
        """The derivative of targets in blocks; `select` (k, 12) says of which numbers."""
        for target in targets:
            self._time(target.time)
        return self.linearisation.rows(targets, select)

    def dense(self, rows: Rows) -> Floats:
        """(rows, n)."""
        motions = {character.name: character.motion for character in self.model.scene.characters}
        return rows.dense(self.model.layout, self.controls, motions)

    @cached_property
    def nodes(self) -> dict[str, Node]:
        """What follows each intended contact that happened, as nodes to simulate from.

        There is none after an impact of what lay, slid or rolled: what it lies on answers at once, and would not where
        the flight began a little above or below it. Nor is there one where a thing only changes its carrier: nothing
        grows by that.
        """
        nodes = {}
        for chain in self.trajectories.chains.values():
            for k, event in enumerate(chain.events):
                if event.contact is not None and event.is_met:
                    after = chain.spans[k + 1]
                    lay = event.bounces and chain.spans[k].rolls
                    if lay or chain.spans[k].is_held:
                        continue
                    nodes[event.contact] = Node(after.start, after.state, after.position, after.rotation)
        return nodes

    @cached_property
    def nodes_given(self) -> dict[str, Node]:
        """What each contact with a given node has led to, named by the node's time: equal to it where continuous."""
        nodes = {}
        for contact, node in self.given_nodes.items():
            if contact in self.happened:
                name, k = self.happened[contact]
                event = self.trajectories.chains[name].events[k]
                if node.state is None:
                    place, turned = relative(np.asarray(event.frame), np.asarray(event.before))
                    nodes[contact] = Node(node.time, None, place, turned)
                else:
                    flight = Span(FLIGHT, name, event.time, node.time, event.after)
                    nodes[contact] = Node(node.time, self.context.state_in(flight, node.time))
        return nodes

    @cached_property
    def continuity(self) -> dict[str, Floats]:
        """Per given node: how far what its contact gave is from it. A flight: place, turn, velocity, spin (12); a hold:
        place and turn in the hand (6)."""
        defects = {}
        for chain in self.trajectories.chains.values():
            for k, event in enumerate(chain.events):
                if event.contact in self.given_nodes and event.is_met:
                    after = chain.spans[k + 1]
                    defects[str(event.contact)] = self.context.spans[after.kind].defect(self.context, event, after)
        return defects
