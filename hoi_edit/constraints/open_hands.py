"""A hand that has let go of a ball does not follow it, and one that waits for it is not met from behind.

At a release place and velocity of ball and palm are the same, and a palm that goes on as before would push the ball, or
pass through it. So a little after it, and a little before a catch, the ball is out of the palm by so much.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from hoi_edit.adjoint import Functional, Target
from hoi_edit.constraints.base import Named, Rowset
from hoi_edit.constraints.keep_contact import time_variable
from hoi_edit.constraints.partner import moving_with
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Held, Scene
from hoi_edit.scene.controls import is_site
from kinematics.rotation import Floats, cross

# times from a release or a catch [s], and how far a ball is out of the palm by then at least [m]
LEAVING = ((0.02, 0.0005), (0.04, 0.003), (0.07, 0.012))
COMING = ((-0.02, 0.012), (-0.05, 0.035), (-0.09, 0.06))
NEAR = 0.02  # [m] within which there is a row


class _BallAndPalm(NamedTuple):
    """A ball in flight and the palm that it has left, or is to come to, at a time."""

    hold: str
    thing: str
    span: int
    time: float
    out: float
    variable: str | None  # that this time goes with: of the release, or of a catch that is led to


@dataclass(frozen=True, eq=False)
class OpenHands(Named):
    """Of holds, by the ids of their grasps or, of things that start in a hand, the things' names."""

    holds: tuple[str, ...]

    @property
    def about(self) -> Finding:
        return Finding("open hands")

    @staticmethod
    def of(scene: Scene) -> "OpenHands":
        """Of all balls that are to be held by a palm, or by any other site."""
        starts = [thing.name for thing in scene.things if isinstance(thing.start, Held)]
        grasps = [contact.id for contact in scene.contacts if contact.holds]
        return OpenHands(tuple(hold for hold in (*starts, *grasps) if _is_on_site(scene, hold)))

    def rows(self, seen: Rollout) -> Sequence[Rowset]:
        scene, world = seen.model.scene, seen.model.world
        looks = [look for hold in self.holds for look in _looks(seen, hold)]
        if not looks:
            return []
        sites = [_carrier(scene, look.hold) for look in looks]
        frames = [world.frame(site) for site in sites]
        motions = seen.context.frames(frames, [look.time for look in looks])
        rowsets = []
        for look, site, frame, motion in zip(looks, sites, frames, motions, strict=True):
            palm, (position, out) = moving_with(frame, motion), _face(scene, site)
            state, normal = seen.state_in(look.thing, look.time, look.span), palm.rotation @ out
            arm = state.position - palm.position
            room = float(normal @ arm - out @ position) - scene.thing(look.thing).body.radius - look.out
            if room < NEAR:
                rate = float(normal @ (state.velocity - palm.velocity - cross(palm.spin, arm)))
                functional = palm.apart(Target(look.thing, look.time, look.span), arm, normal[None])
                rowsets.append(_rowset(look, functional, rate, room))
        return rowsets


def _rowset(look: _BallAndPalm, functional: Functional, rate: float, room: float) -> Rowset:
    columns = [] if look.variable is None else [(look.variable, np.array([[rate]]))]
    timed = Functional(1, functional.things, functional.frames, columns=columns)
    return Rowset(Finding("open hand", look.hold), timed, np.array([-room]), np.array([np.inf]))


def _looks(seen: Rollout, hold: str) -> Iterator[_BallAndPalm]:
    """At the flights before and after a hold, as far as they last."""
    scene = seen.model.scene
    start = next((thing for thing in scene.things if thing.name == hold), None)
    thing = scene.contact(hold).object if start is None else hold
    chain = seen.trajectories.chains[thing]
    for k, event in enumerate(chain.events):
        if event.contact != hold:
            continue
        variable = time_variable(seen, event)
        if event.lets_go:
            end = chain.events[k + 1].time if k + 1 < len(chain.events) else scene.end
            for after, out in LEAVING:
                if event.time + after < end:
                    yield _BallAndPalm(hold, thing, k + 1, event.time + after, out, variable)
        elif chain.spans[k].flies:
            begun = chain.events[k - 1].time if k > 0 else scene.start
            for before, out in COMING:
                if event.time + before > begun:
                    yield _BallAndPalm(hold, thing, k, event.time + before, out, variable)


def _carrier(scene: Scene, hold: str) -> str:
    """The site that carries something in a hold."""
    for thing in scene.things:
        if thing.name == hold:
            assert isinstance(thing.start, Held)
            return thing.start.carrier
    return scene.contact(hold).carrier


def _face(scene: Scene, site: str) -> tuple[Floats, Floats]:
    """Place and outward normal of a site in the frame of its segment."""
    character, _, point = site.partition("/")
    palm = scene.character(character).skeleton.site(point)
    return np.asarray(palm.position), np.asarray(palm.rotation)[:, 2]


def _is_on_site(scene: Scene, hold: str) -> bool:
    things = [thing for thing in scene.things if thing.name == hold]
    thing = things[0] if things else scene.thing(scene.contact(hold).object)
    return thing.shape.lies_on_palm and is_site(scene, _carrier(scene, hold))
