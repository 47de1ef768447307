"""S(t, u) as a user sees it: simulate a control vector, ask the rollout for states, events and derivatives."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from hoi_edit.controls import Controls, Layout, initial_controls
from hoi_edit.discover import Discovery
from hoi_edit.linearise import Linearisation, Rows, Target
from hoi_edit.packed import carried
from hoi_edit.rollout import Event, Near, Node, Span, Trajectories
from hoi_edit.scene import Scene
from hoi_edit.touching import STATE
from hoi_edit.world import PoseTable, World
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


@dataclass(frozen=True, eq=False)
class Model:
    """A scene made ready to be simulated: packed, with the layout of its control vector."""

    scene: Scene
    world: World
    layout: Layout
    start: Floats  # (n,) the control vector of the scene as it was built

    @staticmethod
    def of(scene: Scene) -> "Model":
        controls = initial_controls(scene)
        layout = Layout.of(controls)
        return Model(scene, World.of(scene), layout, layout.flatten(controls))

    def simulate(self, u: Floats, nodes: Mapping[str, Node] | None = None, table: PoseTable | None = None) -> "Rollout":
        """A run from the start of the scene; or, with nodes, of all stretches between intended contacts at once."""
        controls = self.layout.unflatten(u)
        simulation = Discovery(self.world, controls, nodes, table)
        return Rollout(self, np.array(u, float), controls, simulation, simulation.run(), dict(nodes or {}))


@dataclass(frozen=True, eq=False)
class Rollout:
    """What one control vector gives."""

    model: Model
    u: Floats
    controls: Controls
    simulation: Discovery
    trajectories: Trajectories
    given_nodes: dict[str, Node]

    @cached_property
    def events(self) -> list[Event]:
        """Everything that happened, in order of time."""
        chains = self.trajectories.chains.values()
        return sorted(
            (event for chain in chains for event in chain.events if event.kind != "goes on"), key=lambda e: e.time
        )

    @property
    def near(self) -> Sequence[Near]:
        """Near misses that a small edit may turn into touches."""
        return self.trajectories.near

    @property
    def missed(self) -> Sequence[str]:
        """Intended contacts that did not happen."""
        return self.trajectories.missed

    def spans(self, thing: str) -> Sequence[Span]:
        """A thing's flights, holds and contacts in order."""
        self.model.scene.thing(thing)
        return self.trajectories.chains[thing].spans

    def state(self, name: str, t: float) -> BodyState:
        """Of a thing ("ball1") or a point of a body ("juggler/right_hand")."""
        t = self._time(t)
        if "/" in name:
            _, _, local = self.model.scene.place(name)
            frame = self.model.world.frame(name)
            motion = self.simulation.exact.frames([frame], [t])[0]
            row = carried(Span("held", name, t, t, None, frame, local, np.eye(3)), motion)
        else:
            if name not in self.trajectories.chains:
                raise unknown("thing", name, [*self.trajectories.chains, "character/point"])
            row = self.simulation.state(self.trajectories.chains[name], t)
        s = STATE.unpack(row)
        return BodyState(s.position, s.rotation.reshape(3, 3), s.velocity, s.spin)

    def _time(self, t: float) -> float:
        scene = self.model.scene
        if not scene.start - 1e-9 <= t <= scene.end + 1e-9:
            raise HoiError(f"time {t:g} s lies outside the scene, which runs from {scene.start:g} s to {scene.end:g} s")
        return float(t)

    @cached_property
    def linearisation(self) -> Linearisation:
        return Linearisation(self.simulation, dict(self.trajectories.chains), self.model.layout)

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
        """What follows each intended contact that happened, as nodes to simulate from."""
        found = {}
        for chain in self.trajectories.chains.values():
            for k, event in enumerate(chain.events):
                if event.contact is not None and event.kind in ("impact", "grasp"):
                    after = chain.spans[k + 1]
                    found[event.contact] = Node(after.start, after.state, after.position, after.rotation)
        return found

    @cached_property
    def continuity(self) -> dict[str, Floats]:
        """Per given node: how far what its contact gave is from it. A flight: place, turn, velocity, spin (12); a hold:
        place and turn in the hand (6)."""
        found = {}
        for chain in self.trajectories.chains.values():
            for k, event in enumerate(chain.events):
                if event.contact in self.given_nodes and event.kind in ("impact", "grasp"):
                    found[str(event.contact)] = self.linearisation.mismatch(chain, k)
        return found
