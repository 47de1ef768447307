"""A pass goes on as it is: thing and receiver are together when it happens.

What is passed hangs on its first carrier until then, so three rows bring the receiver to it. Whoever takes something
over goes along with it: three more rows have both move alike at the thing's centre, so that its velocity does not jump.
And two palms that would come together at the same side of a ball would be inside each other: a row has them face apart.
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import ANGLE, METRE, SPEED, Named, Rowset, freeze
from hoi_edit.constraints.partner import ContactPartner, moving_with
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Held
from hoi_edit.scene.controls import is_site, on_site
from hoi_edit.simulate.packed_layouts import FRAME
from hoi_edit.simulate.packed_states import carried
from kinematics.errors import HoiError
from kinematics.rotation import Floats, cross, cross_matrix

ALIKE = 1e-3  # [m/s] within which two carriers move alike
SQUARE = 0.5  # the cosine between the normals of two palms on one ball, at most


@dataclass(frozen=True, eq=False)
class KeepPass(Named):
    contact: str  # id
    place: (
        Floats  # (3,) of a ball's centre in the frame of the receiver; of other things where they are taken, in theirs
    )
    alike: bool  # whether both move alike then
    apart: bool  # whether their palms face apart

    def __post_init__(self) -> None:
        freeze(self, "place")

    @property
    def about(self) -> Finding:
        return Finding("contact", self.contact)

    @staticmethod
    def of(seen: Rollout, contact: str) -> "KeepPass":
        """As it is in a rollout."""
        both = _Both.of(seen, contact)
        kept = KeepPass(contact, both.place, False, False)
        normals = both.normals
        return replace(
            kept,
            alike=float(np.abs(both.slip).max()) <= ALIKE,
            apart=normals is not None and float(normals[0] @ normals[1]) <= SQUARE + 1e-6,
        )

    @staticmethod
    def to_site(seen: Rollout, contact: str, gentle: bool = True) -> "KeepPass":
        """As it is to be: the thing lies on the site; a `gentle` one as carefully as two hands would."""
        both = _Both.of(seen, contact)
        return KeepPass(contact, both.wished_place(), gentle, gentle and both.normals is not None)

    def check(self, seen: Rollout) -> None:
        if not seen.model.scene.contact(self.contact).passes_on:
            raise HoiError(f"contact {self.contact!r} is no pass")

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        if self.contact not in seen.happened:
            return []
        both = _Both.of(seen, self.contact)
        if both.giver.frame == both.taker.frame:  # only another hand joins, or leaves
            return []
        row_sets = [both.together(self.about, self.place)]
        if self.alike:
            row_sets.append(both.alike(self.about))
        if self.apart and both.normals is not None:
            row_sets.append(both.apart(self.about, both.normals))
        return row_sets


@dataclass(frozen=True, eq=False)
class _Both:
    """Thing, first carrier and receiver at the time of a pass."""

    seen: Rollout
    contact: str
    thing: str
    k: int  # the hold before
    time: float
    before: Floats  # (18,) the thing in the first carrier's hand
    giver: ContactPartner
    taker: ContactPartner

    @staticmethod
    def of(seen: Rollout, contact: str) -> "_Both":
        if contact not in seen.happened:
            raise HoiError(f"contact {contact!r} does not happen in this scene, so there is nothing to keep")
        thing, k = seen.happened[contact]
        chain = seen.trajectories.chains[thing]
        hold, event = chain.spans[k], chain.events[k]
        old = seen.context.frames([hold.frame], [event.time])[0]
        taker = moving_with(chain.spans[k + 1].frame, np.asarray(event.frame))
        return _Both(seen, contact, thing, k, event.time, carried(hold, old), moving_with(hold.frame, old), taker)

    @property
    def lies_on_palm(self) -> bool:
        return self.seen.model.scene.thing(self.thing).shape.lies_on_palm

    @property
    def target(self) -> Target:
        return Target(self.thing, self.time, self.k)

    @property
    def arm(self) -> Floats:
        """(3,) from the receiver's frame to the thing's centre."""
        return np.asarray(self.before[:3] - self.taker.position)

    @property
    def slip(self) -> Floats:
        """(3,) how fast the thing moves there, as seen from the receiver."""
        return np.asarray(self.before[12:15] - self.taker.velocity - cross(self.taker.spin, self.arm))

    @property
    def site(self) -> tuple[str, Floats]:
        """The receiver's point, and where it is."""
        name = self.seen.model.scene.contact(self.contact).carrier
        return name, partner_point(self.taker, self.seen.model.scene.place(name)[2])

    @property
    def place(self) -> Floats:
        if self.lies_on_palm:
            return self.taker.local(self.before[:3])
        return np.asarray(self.before[3:12].reshape(3, 3).T @ (self.site[1] - self.before[:3]))

    def wished_place(self) -> Floats:
        scene = self.seen.model.scene
        thing, carrier = scene.thing(self.thing), scene.contact(self.contact).carrier
        if self.lies_on_palm:
            return on_site(scene, carrier, thing, np.eye(3)) if is_site(scene, carrier) else self.place
        from hoi_edit.constraints.second_hand import on_surface

        return on_surface(thing.body, self.place)

    @property
    def normals(self) -> tuple[Floats, Floats] | None:
        """Outward normals of the two sites on a ball, in the world; None where that is no matter."""
        taker, giver = self.seen.model.scene.contact(self.contact).carrier, _giver(self.seen, self.thing, self.k)
        if not self.lies_on_palm:
            return None
        n, m = self._normal(self.giver, giver), self._normal(self.taker, taker)
        return None if n is None or m is None else (n, m)

    def _normal(self, part: ContactPartner, name: str) -> Floats | None:
        """Out of a site, in the world."""
        if not is_site(self.seen.model.scene, name):
            return None
        who, _, site = name.partition("/")
        local = np.asarray(self.seen.model.scene.character(who).skeleton.site(site).rotation)
        return np.asarray(part.rotation @ local[:, 2])

    def together(self, about: Finding, place: Floats) -> Rowset:
        if self.lies_on_palm:
            functional = self.taker.apart(self.target, self.arm, np.eye(3))
            change, rate = self.taker.rotation @ place - self.arm, self.slip
        else:
            name, point = self.site
            lever = point - self.before[:3]
            on = np.zeros((3, 12)), np.zeros((3, 12))
            on[0][:, :3], on[1][:, :3], on[1][:, 3:6] = np.eye(3), -np.eye(3), cross_matrix(lever)
            functional = Functional(3, things=[(Target(name, self.time), on[0]), (self.target, on[1])])
            change = self.before[3:12].reshape(3, 3) @ place - lever
            moves = self.taker.velocity + cross(self.taker.spin, point - self.taker.position)
            rate = moves - self.before[12:15] - cross(self.before[15:18], lever)
        return Rowset.equal(about, self._timed(functional, rate), change, METRE)

    def alike(self, about: Finding) -> Rowset:
        """d(v - V - W × arm) of the thing in its first hand, and of the receiver."""
        W, thing, part = cross_matrix(self.taker.spin), np.zeros((3, 12)), np.zeros((3, 12))
        thing[:, :3], thing[:, 6:9] = -W, np.eye(3)
        part[:, :3], part[:, 6:9], part[:, 9:12] = W, -np.eye(3), cross_matrix(self.arm)
        span = self.seen.trajectories.chains[self.thing].spans[self.k]
        _, rates = self.seen.context.state_and_rates(span, self.time)
        f = FRAME.unpack(self.seen.context.frames([self.taker.frame], [self.time])[0])
        relative = self.before[12:15] - self.taker.velocity
        rate = rates[:3] - f.accel - cross(f.spin_accel, self.arm) - cross(self.taker.spin, relative)
        functional = self.taker.functional(self.target, thing, part)
        return Rowset.equal(about, self._timed(functional, rate), -self.slip, SPEED)

    def apart(self, about: Finding, normals: tuple[Floats, Floats]) -> Rowset:
        n, m = normals
        on = np.zeros((1, 12)), np.zeros((1, 12))
        on[0][0, 3:6], on[1][0, 3:6] = cross(n, m), cross(m, n)
        frames = [(self.giver.frame, self.time, on[0]), (self.taker.frame, self.time, on[1])]
        rate = float((self.giver.spin - self.taker.spin) @ cross(n, m))
        functional = self._timed(Functional(1, frames=frames), np.array([rate]))
        return Rowset(about, functional, np.array([-np.inf]), np.array([SQUARE - float(n @ m)]), ANGLE)

    def _timed(self, functional: Functional, rate: Floats) -> Functional:
        """The same at a time that is a control."""
        return replace(functional, columns=[(f"{self.contact}.passed", rate[:, None])])


def partner_point(part: ContactPartner, local: Floats) -> Floats:
    """Where a point of a part is."""
    return np.asarray(part.position + part.rotation @ local)


def _giver(seen: Rollout, thing: str, k: int) -> str:
    """The site that carries a thing in one of its holds."""
    scene, chain = seen.model.scene, seen.trajectories.chains[thing]
    for event in chain.events[:k][::-1]:
        if event.contact is not None and event.holds:
            return scene.contact(event.contact).carrier
    start = scene.thing(thing).start
    return start.carrier if isinstance(start, Held) else seen.model.world.frame_name(chain.spans[k].frame)
