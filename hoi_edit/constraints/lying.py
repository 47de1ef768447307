"""What lies or rolls on something that stands still, when a scene starts, goes on to start so.

Its start is free in the air, so without these rows the cheapest way to anything would be to let it start above what it
lies on, or within it. Along its support it may start elsewhere, as far as that reaches.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.adjoint import Functional
from hoi_edit.constraints.base import METRE, SPEED, Named, Rowset
from hoi_edit.constraints.put_down import lowest, lying_flat, room_on
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Flying, Thing
from hoi_edit.scene.supports import Support, has_level_top, support_of
from hoi_edit.simulate.trajectory import Chain
from kinematics.rotation import Floats, cross, left_jacobian, rotation_exp

FROM_EDGE = 1e-3  # [m]
AT_REST = 1e-9  # [m/s], [rad/s]


@dataclass(frozen=True, eq=False)
class Lies(Named):
    """Of one ball, on a face of a surface."""

    thing: str
    surface: int
    face: int  # the axis of the surface's box that it is across
    side: float  # 1 or -1: which of the two
    rolls: bool
    at_rest: bool

    @property
    def about(self) -> Finding:
        return Finding("lies", self.thing)

    @property
    def locks(self) -> tuple[str, ...]:
        """What of its start must not change at all."""
        return (f"{self.thing}.velocity", f"{self.thing}.spin") if self.at_rest else ()

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        on = [self._on_face(seen)]
        return on if self.at_rest else [*on, *self._along(seen)]

    def normal(self, model: Model) -> Floats:
        """(3,) of the face, in the world."""
        return np.asarray(self.side * model.world.surfaces.turned[self.surface][:, self.face])

    def lifted(self, model: Model, position: Floats) -> Floats:
        """The place above or below another one at which the ball lies on the face."""
        return np.asarray(position - self._gap(model, position) * self.normal(model))

    def _gap(self, model: Model, position: Floats) -> float:
        s, k = model.world.surfaces, self.surface
        height = self.normal(model) @ (position - s.place[k])
        return float(height - s.core[k][self.face] - s.radius[k] - model.scene.thing(self.thing).body.radius)

    def _on_face(self, seen: Rollout) -> Rowset:
        """Three rows in the axes of the surface's box: on the face, and not beyond its edges."""
        s, k = seen.model.world.surfaces, self.surface
        start = seen.controls.starts[self.thing].position
        inside = s.turned[k].T @ (start - s.place[k])
        # at its very edge a face is not a face any more; one that lies there already may stay
        reach = np.maximum(s.core[k] - FROM_EDGE, np.minimum(np.abs(inside), s.core[k]))
        lower, upper = -reach - inside, reach - inside
        lower[self.face] = upper[self.face] = -self.side * self._gap(seen.model, start)
        functional = Functional(3, columns=[(f"{self.thing}.position", s.turned[k].T)])
        return Rowset(self.about, functional, lower, upper, METRE)

    def slip(self, seen: Rollout) -> Floats:
        """(3,) how fast what touches the face, the point at -r n, moves at first."""
        start = seen.controls.starts[self.thing]
        return np.asarray(start.velocity + self._arm(seen) @ start.spin)

    def _arm(self, seen: Rollout) -> Floats:
        """(3, 3) from a spin to how it moves that point."""
        radius = float(seen.model.scene.thing(self.thing).body.radius)
        return radius * cross(self.normal(seen.model), np.eye(3)).T

    def _along(self, seen: Rollout) -> Sequence[Rowset]:
        """It moves along the face; one that rolls goes on to roll."""
        n = self.normal(seen.model)
        on_velocity, on_spin = n[None], np.zeros((1, 3))
        if self.rolls:
            on_velocity, on_spin = np.eye(3), self._arm(seen)
        now = on_velocity @ self.slip(seen)
        columns = [(f"{self.thing}.velocity", on_velocity), (f"{self.thing}.spin", on_spin)]
        return [Rowset.equal(self.about, Functional(len(now), columns=columns), -now, SPEED)]


@dataclass(frozen=True, eq=False)
class LiesFlat(Lies):
    """Of what is no ball: on one of its sides, wherever its middle is within the edges of the support."""

    support: Support
    corners: Floats  # (K, 3) of that side, in its own frame
    rise: float  # [m] of its centre over the support

    @property
    def locks(self) -> tuple[str, ...]:
        """Its turn as well: tilted by a hair it would not lie any more, but rattle, and perhaps roll off."""
        return (*super().locks, f"{self.thing}.turn")

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        scene, start = seen.model.scene, seen.controls.starts[self.thing]
        turn = np.asarray(start.turn, float)
        rotation = rotation_exp(turn) @ np.asarray(scene.thing(self.thing).start.rotation, float)
        heights, on_pose = lying_flat(scene, self.thing, self.support, self.corners, start.position, rotation)
        place, turned = f"{self.thing}.position", f"{self.thing}.turn"
        columns = [(place, on_pose[:, :3]), (turned, on_pose[:, 3:] @ left_jacobian(turn))]
        lower, upper = room_on(self.support, start.position)
        along = Functional(2, columns=[(place, self.support.across)])
        flat = Rowset.equal(self.about, Functional(len(heights), columns=columns), -heights, METRE)
        return [flat, Rowset(self.about, along, lower, upper, METRE)]

    def normal(self, model: Model) -> Floats:
        return self.support.normal

    def lifted(self, model: Model, position: Floats) -> Floats:
        return np.asarray(self.support.foot(position) + self.rise * self.support.normal)


def lying(seen: Rollout) -> list[Lies]:
    """Things that lie, and balls that lie or roll, on something that stands still when the scene starts."""
    chains = seen.trajectories.chains
    at_starts = [_of(seen, thing, chains[thing.name]) for thing in seen.model.scene.things]
    return [lies for lies in at_starts if lies is not None]


def _lies_flat(seen: Rollout, thing: Thing, chain: Chain) -> LiesFlat | None:
    """Of what is no ball, where it is at rest on what is level."""
    scene, start, on = seen.model.scene, seen.controls.starts[thing.name], str(chain.events[0].other)
    moves = max(np.abs(start.velocity).max(), np.abs(start.spin).max()) > AT_REST
    if not chain.spans[1].lies_still or moves or not has_level_top(scene, on):
        return None
    support, lies = support_of(scene, on), seen.state_in(thing.name, scene.start, 1)
    corners = lowest(thing.body, lies.rotation, support.normal)
    rise = float(support.normal @ lies.position) - support.height
    surface = int(seen.model.world.surfaces_of(on)[0])
    return LiesFlat(thing.name, surface, 0, 1.0, False, True, support, corners, rise)


def _of(seen: Rollout, thing: Thing, chain: Chain) -> Lies | None:
    if chain.first == 0 or not isinstance(thing.start, Flying):
        return None
    if thing.shape.stays_put:
        return _lies_flat(seen, thing, chain)
    span = chain.spans[chain.first]
    feature = np.asarray(span.contacting.contact.feature)
    if span.frame >= 0 or np.count_nonzero(feature) != 1:
        return None
    face, start = int(np.argmax(np.abs(feature))), seen.controls.starts[thing.name]
    still = bool(max(np.abs(start.velocity).max(), np.abs(start.spin).max()) <= AT_REST)
    lies = Lies(thing.name, span.surface, face, float(np.sign(feature[face])), rolls=True, at_rest=still)
    # by its slip: round-off makes one that rolls slide, with no slip, in the simulation
    return replace(lies, rolls=bool(np.abs(lies.slip(seen)).max() <= AT_REST))
