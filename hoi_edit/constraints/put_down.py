"""A thing that is put down comes to rest flat: one of its sides on the support, all corners at height zero, no speed.

From then on it lies where the hand has brought it, for good. So these rows, at the time of the handover, are all that
makes it lie; along the support it may be put anywhere within the edges, or where it is asked to be.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import METRE, SPEED, SPIN, Named, Rowset, freeze
from hoi_edit.constraints.taking_hand import span_until
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene
from hoi_edit.scene.supports import Support, support_of
from kinematics.errors import HoiError
from kinematics.rotation import Floats, cross
from rigid.body import Body
from rigid.faces import face_towards

FLAT = 3  # corners say how a side lies
EDGE = 0.01  # [m] that the middle of a thing is within the edges of what it stands on, at least


@dataclass(frozen=True, eq=False)
class PutDown(Named):
    """At a handover that the scene knows or that is still to come."""

    contact: str  # its id
    thing: str
    support: str
    time: float
    corners: Floats  # (K, 3) of the side that it lies on, in its own frame
    place: Floats | None = None  # (3,) of its centre; what of it is up does not count. None: anywhere
    left: Floats | None = None  # (K,) [m] that the corners are still up, on the way there

    def __post_init__(self) -> None:
        freeze(self, "corners")
        for name in ("place", "left"):
            if getattr(self, name) is not None:
                freeze(self, name)

    @property
    def about(self) -> Finding:
        return Finding("put down", self.thing, self.support, float(self.time))

    @staticmethod
    def of(seen: Rollout, contact: str, place: Floats | None = None) -> "PutDown":
        """On the side that is lowest in a rollout."""
        meant = seen.model.scene.contact(contact)
        if contact not in seen.happened:
            raise HoiError(f"contact {contact!r} does not happen in this scene, so nothing is put down")
        return PutDown.by(seen, contact, meant.object, meant.carrier, meant.time, place)

    @staticmethod
    def by(
        seen: Rollout, contact: str, thing: str, support: str, time: float, place: Floats | None = None
    ) -> "PutDown":
        """The same of one that the scene need not know yet."""
        now = seen.state_in(thing, time, span_until(seen, contact, thing, time))
        up = support_of(seen.model.scene, support).normal
        return PutDown(
            contact, thing, support, time, lowest(seen.model.scene.thing(thing).body, now.rotation, up), place
        )

    def heights(self, seen: Rollout) -> Floats:
        """(K,) how high its corners are by then."""
        support, span = (
            support_of(seen.model.scene, self.support),
            span_until(seen, self.contact, self.thing, self.time),
        )
        now = seen.state_in(self.thing, self.time, span)
        return lying_flat(seen.model.scene, self.thing, support, self.corners, now.position, now.rotation)[0]

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        span, support = (
            span_until(seen, self.contact, self.thing, self.time),
            support_of(seen.model.scene, self.support),
        )
        now = seen.state_in(self.thing, self.time, span)
        target = Target(self.thing, self.time, span)
        heights, on_pose = lying_flat(seen.model.scene, self.thing, support, self.corners, now.position, now.rotation)
        wanted = np.zeros(len(heights)) if self.left is None else self.left
        row_sets = [self._rowset(target, 0, on_pose, wanted - heights, METRE)]
        for first, speed, unit in ((6, now.velocity, SPEED), (9, now.angular_velocity, SPIN)):
            row_sets.append(self._rowset(target, first, np.eye(3), -speed, unit))
        if self.place is not None:
            row_sets.append(
                self._rowset(target, 0, support.across, support.across @ (self.place - now.position), METRE)
            )
        else:
            lower, upper = room_on(support, now.position)
            along = Functional(2, things=[(target, np.concatenate([support.across, np.zeros((2, 9))], axis=1))])
            row_sets.append(Rowset(self.about, along, lower, upper, METRE))
        return row_sets

    def _rowset(self, target: Target, first: int, on: Floats, change: Floats, unit: float) -> Rowset:
        whole = np.zeros((len(on), 12))
        whole[:, first : first + on.shape[1]] = on
        return Rowset.equal(self.about, Functional(len(on), things=[(target, whole)]), change, unit)


def lowest(body: Body, rotation: Floats, up: Floats) -> Floats:
    """(K, 3) corners, three at most and far apart, of the side that looks down most."""
    corners = face_towards(body, -rotation.T @ up, stable=True).corners
    if len(corners) <= FLAT:
        return corners
    first = int(np.argmax(np.linalg.norm(corners - corners.mean(axis=0), axis=1)))
    second = int(np.argmax(np.linalg.norm(corners - corners[first], axis=1)))
    edge = corners[second] - corners[first]
    third = int(np.argmax(np.linalg.norm(np.cross(corners - corners[first], edge), axis=1)))
    return np.asarray(corners[[first, second, third]])


def lying_flat(
    scene: Scene, thing: str, support: Support, corners: Floats, position: Floats, rotation: Floats
) -> tuple[Floats, Floats]:
    """(K,) how high corners of a thing are over a support, and (K, 6) how that changes with its place and turn."""
    arms = corners @ rotation.T
    radius = float(scene.thing(thing).body.radius)
    heights = (position + arms) @ support.normal - support.height - radius
    return heights, np.concatenate([np.tile(support.normal, (len(arms), 1)), cross(arms, support.normal)], axis=1)


def room_on(support: Support, position: Floats) -> tuple[Floats, Floats]:
    """(2,) by how much a thing may go along a support at least and at most, for its middle to be on it."""
    off, reach = support.across @ position - support.middle, np.maximum(support.reach - EDGE, 0.0)
    return -reach - off, reach - off
