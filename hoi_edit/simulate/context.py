"""What a run is given and never changes: the packed scene, its controls, and how every frame moves under them.

A state at any time, and every derivative, needs this and the chains of events; neither needs the run that found them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np

from hoi_edit.motions.frame_motion import Moving, motions, motions_and_jerks
from hoi_edit.motions.mixture import mixed
from hoi_edit.motions.motion_back import parameters_back
from hoi_edit.scene import Scene
from hoi_edit.scene.controls import Controls
from hoi_edit.simulate.contact_laws import ContactLaws
from hoi_edit.simulate.families import Families
from hoi_edit.simulate.search import flights
from hoi_edit.simulate.trajectory import Chain, Span
from hoi_edit.simulate.world import World
from kinematics.rotation import Floats
from rigid.air_compiled import NO_AIR

if TYPE_CHECKING:
    from hoi_edit.simulate.events.base import EventKind
    from hoi_edit.simulate.spans.base import SpanKind


@dataclass(frozen=True, eq=False)
class Context:
    world: World
    controls: Controls
    families: Families  # those of `tables`, or these and others

    @property
    def spans(self) -> "Mapping[str, SpanKind]":
        return self.families.spans

    @property
    def events(self) -> "Mapping[str, EventKind]":
        return self.families.events

    @cached_property
    def timed_events(self) -> "list[EventKind]":
        """Kinds of events that happen by themselves, of those that may in this scene."""
        return [kind for kind in self.events.values() if kind.is_timed and kind.may_happen(self.scene)]

    @property
    def scene(self) -> Scene:
        return self.world.scene

    @cached_property
    def gravity(self) -> Floats:
        return np.array(self.scene.gravity, float)

    @cached_property
    def laws(self) -> ContactLaws:
        return ContactLaws(self.scene, self.world, self.controls)

    # -- how frames move -----------------------------------------------------------------------------------------------

    @cached_property
    def moving(self) -> Moving:
        return moving_frames(self.world, self.controls)

    def frames(self, frame: Any, times: Any) -> Floats:
        """(N, 24) packed motions of frames at times; -1 is the world."""
        return motions(self.moving, frame, times)

    def frame_and_jerks(self, frame: int, times: Floats) -> tuple[Floats, Floats]:
        """(N, 24) packed motions of one frame, and the rates of its accelerations (N, 6)."""
        return motions_and_jerks(self.moving, frame, np.asarray(times, float))

    def parameters_back(self, frame: int, times: Floats, on: Floats) -> Floats:
        """Covectors on all parameters of a frame's character, of such on the frame's motion at times (R, N, 18)."""
        character, _ = self.world.owner(frame)
        parameters = self.controls.motions[self.world.scene.characters[character].name]
        return parameters_back(self.moving, self.world.recipes[character], parameters, frame, times, on)

    # -- how things move -----------------------------------------------------------------------------------------------

    def state(self, chain: Chain, t: float) -> Floats:
        """The packed state (18,) of a thing at time t."""
        k = chain.index_at(t)
        if chain.settles_at(k, t):
            return self.events[chain.events[k].mechanism].state_before(self, chain, k, t)
        return self.state_in(chain.spans[k], t)

    def state_in(self, span: Span, t: float) -> Floats:
        """The same, with a span extended to the time, whether or not it lasts that long."""
        return self.spans[span.kind].state(self, span, t)

    def state_and_rates(self, span: Span, t: float) -> tuple[Floats, Floats]:
        """A state in a span, and the acceleration and angular acceleration then (6,)."""
        return self.spans[span.kind].state_and_rates(self, span, t)

    def waypoints(self, span: Span) -> Floats:
        """(K, 7) times, places and velocities along a span, between which the way is a cubic or close to one."""
        return np.ascontiguousarray(self.spans[span.kind].waypoints(self, span))  # as searches are compiled for

    def airs(self, names: Sequence[str]) -> Floats | float:
        """What things fly through, packed (N, 6); a plain zero where none of them feels it."""
        airs = self.world.airs
        return np.stack([airs.get(name, NO_AIR) for name in names]) if airs else 0.0

    def packed_flight(self, thing: str, span: Span, begin: float, until: float) -> Floats:
        """A flight as the search takes it, between two times."""
        start, radius, since, end = (
            np.array([number], float) for number in (span.start, self.scene.thing(thing).body.radius, begin, until)
        )
        state = np.asarray(span.state, float)[None]
        return flights(start, state, radius, since, end, air=self.airs([thing]))[0]

    def second_frame(self, hold: str | None) -> list[int]:
        """The frame of a hold's second hand, if it has one."""
        second = None if hold is None else self.scene.second_hand(hold)
        return [] if second is None else [self.world.frame(second)]


def moving_frames(world: World, controls: Controls) -> Moving:
    """All frames of a scene under given controls, as compiled code takes them."""
    parameters = [controls.motions[character.name] for character in world.scene.characters]
    return Moving(world.chains, world.mixtures, mixed(world.recipes, parameters))
