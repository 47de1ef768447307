"""One run: what it is given, where its things have got to, and the steps that all ways of moving share.

How things fly, are led, ride and meet is in the modules beside this one; each moves cursors on by what is here.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property, partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hoi_edit.scene import Contact, Thing
from hoi_edit.scene.controls import Controls
from hoi_edit.simulate.contact_laws import Law, Laws
from hoi_edit.simulate.cursor import Around, Cursor, tied
from hoi_edit.simulate.events.hull_impact import states_at
from hoi_edit.simulate.events.local_jacobians import SPHERE
from hoi_edit.simulate.events.rolling_impact import is_free
from hoi_edit.simulate.frames import Exact
from hoi_edit.simulate.packed_layouts import FRAME, STATE
from hoi_edit.simulate.packed_states import carried, flown, glided, relative
from hoi_edit.simulate.search import STRUCK, flights
from hoi_edit.simulate.spans.rolling_adjoint import Base
from hoi_edit.simulate.spans.rolling_motion import (
    SETTLE,
    Frames,
    begin_contact,
    state_and_rates,
    state_on,
    step_for,
)
from hoi_edit.simulate.trajectory import Chain, Event, Near, Node, Span
from hoi_edit.simulate.world import PoseTable, Surfaces, World, pose_table
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from rigid.air_compiled import NO_AIR
from rigid.body import flight_inertia, is_ball
from rigid.bounce import bounce
from rigid.rolling_ends import Span as Contacting

MOST_EVENTS = 5_000  # of one thing: a hang would be worse than an error


Guide = Mapping[str, tuple[float, int]]  # intended contact -> its time and surface


@dataclass(frozen=True, eq=False)
class Past:
    """A run whose stretches are the same as ever but for those within start..end."""

    simulation: "Discovery"
    start: float
    end: float

    @cached_property
    def changed(self) -> dict[str, list[int]]:
        """Which parts of each thing's chain are not the same."""
        return {
            name: [k for k, cursor in enumerate(own) if self.touches(cursor.began, cursor.limit)]
            for name, own in self.simulation.segments.items()
        }

    @cached_property
    def around(self) -> dict[str, Around]:
        """What of each thing's chain is the same."""
        return {name: Around.of(own, self.changed[name]) for name, own in self.simulation.segments.items()}

    def touches(self, begin: float, end: float) -> bool:
        """Whether a stretch is not the same."""
        return begin < self.end and end > self.start


class Discovery:
    """The simulation of one control vector. Lives for one run; what leaves it is frozen."""

    def __init__(
        self,
        world: World,
        controls: Controls,
        nodes: Mapping[str, Node] | None = None,
        table: PoseTable | None = None,
        strict: bool = False,
        guide: Guide | None = None,
        past: Past | None = None,
    ) -> None:
        self.past = past
        self.world, self.scene, self.controls, self.nodes = world, world.scene, controls, nodes
        self.guide = guide or {}
        self.strict = strict  # whether a thing that starts inside something is a mistake, or let out
        self.gravity = np.asarray(self.scene.gravity, float)
        self.exact = Exact(world, controls, self.gravity)
        self._table = table
        self.segments: dict[str, list[Cursor]] = {}
        self.cuts: dict[str, list[int]] = {}  # where in each thing's plan a segment ends and the next begins
        self.laws = Laws(world.scene, world, controls)
        self.near: list[Near] = []
        self._inertias: dict[str, Any] = {}
        self.searched_pairs: dict[tuple[int, int], Any] = {}

    @cached_property
    def table(self) -> PoseTable:
        """Where everybody is; of as much time as is looked at."""
        if self._table is not None:
            return self._table
        own = self.own()
        if self.past is None or not own:
            return pose_table(self.world, self.exact.moving)
        return pose_table(
            self.world, self.exact.moving, min(c.began for c in own), max(min(c.limit, self.scene.end) for c in own)
        )

    def own(self) -> list[Cursor]:
        """Stretches that are of this run, and not taken over."""
        if self.past is None:
            return [cursor for cursors in self.segments.values() for cursor in cursors]
        return [self.segments[name][k] for name, numbers in self.past.changed.items() for k in numbers]

    # -- where a thing goes next ---------------------------------------------------------------------------------------

    def take_off(self, cursor: Cursor, state: Floats) -> None:
        """Into free flight, from the cursor's time."""
        cursor.state, cursor.hold, cursor.riding = state, None, None
        cursor.searched, cursor.expected, cursor.blind = cursor.time, None, {}
        self._drop_what_is_late(cursor)

    def _drop_what_is_late(self, cursor: Cursor) -> None:
        """A declared contact whose time has gone by has been missed."""
        cursor.plan = [contact for contact in cursor.plan if not (contact.declared and contact.time < cursor.time)]

    def decree(self, contact: Contact) -> tuple[float, int] | None:
        """When a contact happens by decree, and on which surface; None for one that has to come about."""
        if contact.declared:
            return contact.time, int(self.laws.targets(contact)[0])
        return self.guide.get(contact.id)

    def limit_of(self, cursor: Cursor) -> float:
        """How far a cursor goes at most before something happens by decree."""
        guided = [self.guide[contact.id][0] for contact in cursor.plan if contact.id in self.guide]
        return min([cursor.limit, *guided, *(contact.time for contact in cursor.plan if contact.declared)])

    def hold(self, cursor: Cursor, frame: int, position: Any, rotation: Any, release: Any, release_id: str) -> None:
        cursor.state = None
        cursor.hold = Span("held", cursor.thing.name, cursor.time, cursor.limit, None, frame, position, rotation)
        # a release before the grasp would turn time around: it happens at once, and a row of the solver keeps it later
        cursor.release = np.inf if release is None else max(float(release), cursor.time)
        cursor.release_id = None if release is None else release_id
        cursor.jam = -1

    def append(self, cursor: Cursor, span: Span, event: Event) -> None:
        cursor.spans.append(span.until(event.time))
        cursor.events.append(event)
        cursor.time = event.time
        cursor.done = event.contact is not None and event.contact == cursor.goal and event.kind != "release"
        if len(cursor.events) > MOST_EVENTS:
            raise HoiError(f"thing {cursor.thing.name!r} has more than {MOST_EVENTS} events by {cursor.time:.4f} s")

    # -- what a touch is, and does -------------------------------------------------------------------------------------

    def take_contact(self, cursor: Cursor, name: str, time: float) -> Contact | None:
        """The intended contact that a touch is, if any. Those planned before it have been missed."""
        k = self.laws.match(cursor.plan, name, time)
        if k is None:
            return None
        contact = cursor.plan[k]
        del cursor.plan[: k + 1]
        return contact

    def make_event(
        self, kind: Any, cursor: Cursor, contact: Contact | None, surfaces: Surfaces, surface: int, struck: Any
    ) -> Event:
        return Event(
            kind, cursor.thing.name, float(struck.time), surfaces.name[surface],
            contact.id if contact else None, surfaces.patch(surface), float(struck.rate), float(struck.gap),
            struck.feature, float(struck.stick), float(struck.ratio), struck.normal, struck.frame, struck.before,
            struck.after,
            declared=contact.declared if contact else False, speed=float(struck.speed),
            tied=tied(cursor.events, float(struck.time)),
        )  # fmt: skip

    def bounced(self, thing: Thing, struck: SimpleNamespace, law: Law) -> SimpleNamespace:
        """What a touch does to a ball."""
        body = thing.body
        struck.after, struck.stick, struck.ratio = bounce(
            struck.before, struck.frame, struck.normal, np.array(law), body.radius, body.mass, body.moments[0]
        )
        return struck

    def caught(self, struck: SimpleNamespace) -> SimpleNamespace:
        """A grasp does nothing to a ball at its first instant."""
        struck.after, struck.stick, struck.ratio = struck.before, 1.0, 0.0
        return struck

    def grasped(self, cursor: Cursor, span: Span, contact: Contact, surface: int, struck: Any) -> None:
        self.append(cursor, span, self.make_event("grasp", cursor, contact, self.world.surfaces, surface, struck))
        release = self.controls.contacts[contact.id].release
        frame = int(self.world.surfaces.frame[surface])
        self.hold(cursor, frame, *relative(struck.frame, struck.before), release, contact.id)

    def held_event(self, cursor: Cursor, span: Span, surfaces: Surfaces, surface: int, touch: Floats) -> Event:
        """The bounce of a flight off a thing in a hand."""
        struck = STRUCK.unpack(touch)
        law = self.laws.of_touch(cursor.thing, self.plan_at(cursor, span), surfaces, surface, float(struck.time))
        return self.make_event("impact", cursor, None, surfaces, surface, self.bounced(cursor.thing, struck, law))

    def plan_at(self, cursor: Cursor, span: Span) -> list[Contact]:
        """What a thing is still meant to touch when a span of it begins."""
        happened = {event.contact for event in cursor.events if event.time <= span.start}
        plan = self.scene.plan_of(cursor.thing.name)
        last = max((i for i, contact in enumerate(plan) if contact.id in happened), default=-1)
        ends = [i for i, contact in enumerate(plan) if contact.id == cursor.goal]
        return plan[last + 1 : ends[0] + 1 if ends else None]

    def second_frame(self, hold: str | None) -> list[int]:
        """The frame of a hold's second hand, if it has one."""
        second = None if hold is None else self.scene.second_hand(hold)
        return [] if second is None else [self.world.frame(second)]

    # -- at rest -------------------------------------------------------------------------------------------------------

    def settled(
        self, cursor: Cursor, span: Span, event: Event, k: int, e: float, mu: float, ahead: Floats | None = None
    ) -> bool:
        """Whether the bounces after this touch are summed up; if so, the thing is in contact afterwards.

        `ahead` (18,) is a state that tells the contact's feature, where that of the touch is at a border.
        """
        s, body = self.world.surfaces, cursor.thing.body
        moment = body.moments[0] / (body.mass * body.radius**2)
        row = SETTLE.pack(
            1, frame=event.frame, after=event.after if ahead is None else ahead, place=s.place[k],
            turned=s.turned[k].ravel(), core=s.core[k], radius=s.radius[k], ball_radius=body.radius, moment=moment,
            restitution=e, friction=mu,
        )[0]  # fmt: skip
        settles, lasted, contact, ride, settling = jax.device_get(begin_contact(self.gravity, row))
        begin = event.time + float(lasted)
        if not settles or begin >= cursor.limit:
            return False
        place = self._place_on(k, np.asarray(ride.position), begin)
        if not is_free(self, cursor, k, event.time, np.asarray(event.before)[:3], begin, place):
            return False
        rest = event._replace(kind="rest", time=begin, settling=(settling, event.time))
        self.append(cursor, span, rest)
        self.in_contact(cursor, k, contact, ride)
        return True

    def _place_on(self, surface: int, position: Floats, time: float) -> Floats:
        """Where a place in a surface's own frame is."""
        s, frame = self.world.surfaces, FRAME.unpack(self.exact.frames([self.world.surfaces.frame[surface]], [time])[0])
        local = s.place[surface] + s.turned[surface] @ position
        return np.asarray(frame.position + frame.rotation.reshape(3, 3) @ local)

    def in_contact(self, cursor: Cursor, surface: int, contact: Any, ride: Any) -> None:
        still = self.world.surfaces.frame[surface] < 0
        step = step_for(bool(still), contact, cursor.limit - cursor.time)
        span = Contacting(contact, ride, np.float64(cursor.time), np.float64(step))
        cursor.state = cursor.hold = None
        self._drop_what_is_late(cursor)
        cursor.riding = Span(
            "contact", cursor.thing.name, cursor.time, cursor.limit, frame=int(self.world.surfaces.frame[surface]),
            surface=surface, contacting=span,
        )  # fmt: skip

    def base_of(self, span: Span) -> Base:
        """What a thing in contact lies on, as derivatives want it."""
        s, k = self.world.surfaces, span.surface
        return Base(partial(self.exact.frame_and_jerks, span.frame), s.place[k], s.turned[k])

    def frames_under(self, span: Span) -> Frames:
        """How the frame that carries a thing in contact moves, as the search wants it: numbers at many times."""
        return lambda times: self.exact.frames(np.full(len(times), span.frame), times)

    # -- in flight -----------------------------------------------------------------------------------------------------

    def inertia(self, thing: Thing) -> Any:
        """What its rotation in flight needs; of balls only that they are balls."""
        if thing.name not in self._inertias:
            self._inertias[thing.name] = SPHERE if is_ball(thing.body) else flight_inertia(thing.body)
        return self._inertias[thing.name]

    def airs(self, names: Sequence[str]) -> Floats | float:
        """What things fly through, packed (N, 6); a plain zero where none of them feels it."""
        own = self.world.airs
        return np.stack([own.get(name, NO_AIR) for name in names]) if own else 0.0

    def packed_flight(self, thing: str, span: Span, begin: float, until: float) -> Floats:
        """A flight as the search takes it, between two times."""
        start, radius, since, end = (
            np.array([number], float) for number in (span.start, self.scene.thing(thing).body.radius, begin, until)
        )
        state = np.asarray(span.state, float)[None]
        return flights(start, state, radius, since, end, air=self.airs([thing]))[0]

    def flight_span(self, cursor: Cursor) -> Span:
        return Span("flight", cursor.thing.name, cursor.time, cursor.limit, cursor.state)

    # -- any time ------------------------------------------------------------------------------------------------------

    def state(self, chain: Chain, t: float) -> Floats:
        """The packed state (18,) of a thing at time t."""
        k = chain.index_at(t)
        span = chain.spans[k]
        if chain.settles_at(k, t):
            return self._settling(chain, k, t)
        if span.kind == "held":
            return carried(span, self.exact.frames([span.frame], [t])[0])
        if span.kind == "contact":
            return self.ridden(span, t)
        return self.flown(span, t)

    def ridden(self, span: Span, t: float) -> Floats:
        """The packed state of a thing in contact."""
        return state_on(self.frames_under(span), span.contacting, span.ridden, float(t))

    def ridden_and_rates(self, span: Span, t: float) -> tuple[Floats, Floats]:
        """The same, and its acceleration and that of its spin (6,)."""
        return state_and_rates(self.frames_under(span), span.contacting, span.ridden, float(t))

    def _settling(self, chain: Chain, k: int, t: float) -> Floats:
        """While bounces are summed up: on the surface, from where it touched to where it comes to stay."""
        event, after = chain.events[k], chain.spans[k + 1]
        (_, touched), patch = event.settling, event.patch
        assert patch is not None
        before = relative(np.asarray(event.frame), np.asarray(event.before))
        R = np.asarray(patch.turned)
        start, end = before[0], patch.place + R @ np.asarray(after.contacting.start.position)
        share = (t - touched) / max(event.time - touched, 1e-12)
        frame = self.exact.frames([patch.frame], [t])[0]
        row = carried(
            Span("held", event.object, t, t, None, patch.frame, start + share * (end - start), before[1]), frame
        )
        turned = FRAME.unpack(frame).rotation.reshape(3, 3)
        row[STATE.slices["velocity"]] += turned @ (end - start) / max(event.time - touched, 1e-12)
        row[STATE.slices["spin"]] += turned @ R @ np.asarray(after.contacting.start.spin)
        return row

    def flown(self, span: Span, t: float) -> Floats:
        """The packed state of a thing in flight."""
        thing = self.scene.thing(span.object)
        if span.object in self.world.airs:
            return glided(np.asarray(span.state), t - span.start, self.gravity, self.world.airs[span.object])
        if is_ball(thing.body):
            return flown(np.asarray(span.state), t - span.start, self.gravity)
        durations = jnp.asarray([t - span.start])
        return np.asarray(states_at(self.gravity, self.inertia(thing), np.asarray(span.state), durations))[0]
