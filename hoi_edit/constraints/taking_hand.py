"""A hand comes to a thing that it is to take, where that lies or is held by then: palm on its side, facing it.

Three rows bring the middle of the palm to a place of the thing, two more turn the palm towards it. How the hand is
turned about that direction is left free: it comes as it does.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import ANGLE, METRE, Named, Rowset, freeze
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene
from kinematics.errors import HoiError
from kinematics.rotation import Floats, cross


@dataclass(frozen=True, eq=False)
class TakingHand(Named):
    """Of one site, at a handover that the scene knows or that is still to come."""

    contact: str  # its id
    thing: str
    site: str  # "ann/right_palm"
    time: float
    place: Floats  # (3,) of the site, in the thing's own frame
    facing: Floats | None = None  # (3,) where the palm looks, in that frame; None: as it happens to
    slack: float = 0.0  # [rad] by which it may look past that: a hand comes to a handle as it can

    def __post_init__(self) -> None:
        freeze(self, "place")
        if self.facing is not None:
            freeze(self, "facing")

    @property
    def about(self) -> Finding:
        return Finding("grip", self.thing, self.site, float(self.time))

    @staticmethod
    def of(seen: Rollout, contact: str, site: str) -> "TakingHand":
        """As it is in a rollout."""
        meant = seen.model.scene.contact(contact)
        if contact not in seen.happened:
            raise HoiError(f"contact {contact!r} does not happen in this scene, so there is no grip to keep")
        thing, span = seen.happened[contact]
        held, hand = seen.state_in(thing, meant.time, span), seen.state(site, meant.time)
        out = palm_normal(seen.model.scene, site)
        facing = None if out is None else held.rotation.T @ hand.rotation @ out
        place = held.rotation.T @ (hand.position - held.position)
        return TakingHand(contact, thing, site, meant.time, place, facing)

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        span = span_until(seen, self.contact, self.thing, self.time)
        held, hand = seen.state_in(self.thing, self.time, span), seen.state(self.site, self.time)
        arm = hand.position - held.position
        targets = Target(self.site, self.time), Target(self.thing, self.time, span)
        on_hand, on_thing = np.zeros((3, 12)), np.zeros((3, 12))
        on_hand[:, :3], on_thing[:, :3], on_thing[:, 3:6] = np.eye(3), -np.eye(3), -cross(arm, np.eye(3))
        functional = Functional(3, things=[(targets[0], on_hand), (targets[1], on_thing)])
        row_sets = [Rowset.equal(self.about, functional, held.rotation @ self.place - arm, METRE)]
        out = palm_normal(seen.model.scene, self.site)
        if self.facing is not None and out is not None:
            looks, wanted = hand.rotation @ out, held.rotation @ self.facing
            across = _across(looks)
            turned = np.zeros((2, 12))
            turned[:, 3:6] = across
            functional = Functional(2, things=[(targets[0], turned), (targets[1], -turned)])
            change = across @ turn_to(looks, wanted)
            row_sets.append(Rowset(self.about, functional, change - self.slack, change + self.slack, ANGLE))
        return row_sets


def span_until(seen: Rollout, contact: str, thing: str, time: float) -> int:
    """The span of a thing that a handover ends, or is to end."""
    if contact in seen.happened:
        return seen.happened[contact][1]
    return seen.trajectories.chains[thing].index_at(time)


def palm_normal(scene: Scene, site: str) -> Floats | None:
    """Out of a palm, or whatever site it is, in the frame of its segment; a whole segment has none."""
    character, _, point = site.partition("/")
    sites = {one.name: one for one in scene.character(character).skeleton.sites}
    return np.asarray(sites[point].rotation)[:, 2] if point in sites else None


def turn_to(a: Floats, b: Floats) -> Floats:
    """The shortest turn (3,) that takes one direction to another; half a turn is about any axis."""
    axis, cosine = np.cross(a, b), float(np.clip(a @ b, -1.0, 1.0))
    sine = float(np.linalg.norm(axis))
    if sine < 1e-12:
        return np.zeros(3) if cosine > 0.0 else np.pi * _across(a)[0]
    return np.asarray(axis * np.arctan2(sine, cosine) / sine)


def _across(direction: Floats) -> Floats:
    """(2, 3) two directions square to one, that do not leap about an axis: along one is where palms are apt to look."""
    first = np.cross(direction, np.eye(3)[int(np.argmax(np.abs(direction))) - 1])
    first = first / np.linalg.norm(first)
    return np.stack([first, np.cross(direction, first)])
