"""Discovery: from controls to the ordered events of every thing. Discrete, exact, and not differentiated.

Things are independent until they meet, so all of them are advanced at once, one event a round, against the characters
and fixtures. What things do to each other is found afterwards (`hoi_edit.meeting`): the earliest meeting cuts both
chains there, and they go on from it.

With *nodes*, the flights after intended contacts start from stored states instead of what the event before gave. The
stretches between intended contacts are then independent too, and all of them are searched in the first rounds. Where
the nodes are continuous (`Rollout.continuity`), nothing else changes.

With a *guide*, balls are led to their intended contacts: these happen at the given times on the given surfaces, however
far away that is, and nothing is searched for on the way. So an edit that is not done yet is a smooth function of its
variables. Where thing and surface really meet at those times, and nothing is in between, it is the simulation.

What lies outside of a stretch of time to which an edit is confined is taken over from the run before (`Past`): then the
cost of a step does not depend on the length of the clip.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from hoi_edit.bulky import (
    APART,
    COLLIDED,
    INSIDE,
    bulky_row,
    collision,
    first_bulky_touch,
    hulls_of,
    is_spent,
    states_at,
)
from hoi_edit.controls import Controls, snapped
from hoi_edit.cursor import TIE, Cursor, joined, tied
from hoi_edit.exact import Exact
from hoi_edit.hull_pairs import check_apart, next_meeting, taken_off
from hoi_edit.laws import MATCH, Law, Laws
from hoi_edit.links import SPHERE
from hoi_edit.meeting import Meeting
from hoi_edit.packed import all_carried, carried, flown, glided, relative
from hoi_edit.resting import SETTLE, begin_contact, end_of, on_body, on_fixture, state_on, step_for
from hoi_edit.rollout import Chain, Event, Near, Node, Span, Trajectories
from hoi_edit.scene import Contact, Held, Thing
from hoi_edit.search import STRUCK, first_touches, flights, touch_at, touches_at
from hoi_edit.search.records import UNTIL_OFF
from hoi_edit.struck import is_crowded, is_free, over_the_seam, pushed, strike, way_of
from hoi_edit.touching import FRAME, STATE
from hoi_edit.world import PoseTable, Surfaces, World, pose_table
from kinematics.errors import HoiError
from kinematics.rotation import Floats, rotation_exp
from rigid.body import flight_inertia, is_ball
from rigid.bounce import bounce
from rigid.contact_ends import GRIP, LIFT, NONE
from rigid.contact_ends import Span as Contacting
from rigid.gliding import NO_AIR, acceleration_in_air

WINDOW = 0.8  # [s] searched at a time
SEAM = 1e-3  # [s] by which windows overlap
LATE = 0.05  # [s] by which an intended contact is commonly late
CROWD, INSTANT = 100, 1e-6  # so many meetings within so many seconds, and things are being crushed
MOST_EVENTS = 5_000  # of one thing: a hang would be worse than an error


Guide = Mapping[str, tuple[float, int]]  # intended contact -> its time and surface


@dataclass(frozen=True, eq=False)
class Past:
    """A run whose stretches are the same as ever but for those within start..end."""

    simulation: "Discovery"
    start: float
    end: float

    def same(self, cursor: Cursor) -> bool:
        return not self.touches(cursor.began, cursor.limit)

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
        self.laws = Laws(world.scene, world, controls)
        self.near: list[Near] = []
        self._inertias: dict[str, Any] = {}
        self.searched_pairs: dict[tuple[int, int], Any] = {}

    @cached_property
    def table(self) -> PoseTable:
        """Where everybody is; of as much time as is looked at."""
        if self._table is not None:
            return self._table
        own = [cursor for cursors in self.segments.values() for cursor in cursors if self._is_own(cursor)]
        if self.past is None or not own:
            return pose_table(self.world, self.exact.moving)
        return pose_table(
            self.world, self.exact.moving, min(c.began for c in own), max(min(c.limit, self.scene.end) for c in own)
        )

    def _is_own(self, cursor: Cursor) -> bool:
        """Whether a stretch is of this run, and not taken over."""
        return self.past is None or not self.past.same(cursor)

    def run(self) -> Trajectories:
        segments = self.segments = {thing.name: self._segments(thing) for thing in self.scene.things}
        cursors = [cursor for own in segments.values() for cursor in own if self._is_own(cursor)]
        if self.strict:
            check_apart(self.scene, cursors)
        self.advance(cursors)
        crowd, since = 0, -np.inf
        for meeting in iter(lambda: next_meeting(self, cursors), None):
            crowd, since = (crowd + 1, since) if meeting.time < since + INSTANT else (0, meeting.time)
            if crowd > CROWD:
                name = meeting.events[0][0].thing.name
                raise HoiError(
                    f"thing {name!r} is crushed between others at {meeting.time:.4f} s: more than {CROWD} touches "
                    "in a microsecond; give it more room, or a higher restitution"
                )
            self._met(meeting)
        chains = {name: joined(own) for name, own in segments.items()}
        happened = {event.contact for chain in chains.values() for event in chain.events if event.kind != "release"}
        missed = tuple(contact.id for contact in self.scene.contacts if contact.id not in happened)
        return Trajectories(chains, near_misses(self.near, chains), missed)

    # -- the life of a thing ------------------------------------------------------------------------------------------

    def _segments(self, thing: Thing) -> list[Cursor]:
        """From its start to its end; with nodes, cut at each intended contact that has one."""
        plan = self.scene.plan_of(thing.name)
        cuts = [k for k, contact in enumerate(plan) if self.nodes is not None and contact.id in self.nodes]
        cursors = []
        before = [] if self.past is None else self.past.simulation.segments[thing.name]
        for number, (begin, end) in enumerate(zip([-1, *cuts], [*cuts, len(plan)], strict=True)):
            if self.past is not None and self.past.same(before[number]):
                cursors.append(before[number])
                continue
            own = plan[begin + 1 : end + 1]
            cursor = self._start(thing, own) if begin < 0 else self._from_node(thing, plan[begin], own)
            if end < len(plan):
                goal = plan[end]
                cursor.goal, cursor.limit = goal.id, min(cursor.limit, goal.time + (0.0 if goal.declared else MATCH))
                cursor.led = goal.id in self.guide
                if cursor.led:
                    cursor.limit = self.guide[goal.id][0]
            cursors.append(cursor)
        return cursors

    def _from_node(self, thing: Thing, contact: Contact, plan: list[Contact]) -> Cursor:
        assert self.nodes is not None
        node = self.nodes[contact.id]
        cursor = Cursor(thing, plan, node.time, self.scene.end)
        if node.state is None:
            release = self.controls.contacts[contact.id].release
            self.hold(cursor, self.world.frame(contact.carrier), node.position, node.rotation, release, contact.id)
        else:
            self.take_off(cursor, node.state)
            cursor.blind = dict.fromkeys(self.laws.targets(contact).tolist(), np.inf)
        return cursor

    def _start(self, thing: Thing, plan: list[Contact]) -> Cursor:
        own = self.controls.starts[thing.name]
        cursor = Cursor(thing, plan, self.scene.start, self.scene.end)
        rotation = np.asarray(thing.start.rotation, float)
        if np.any(own.turn):
            rotation = rotation_exp(np.asarray(own.turn)) @ rotation
        if isinstance(thing.start, Held):
            release = self.controls.contacts[thing.name].release if thing.start.release is not None else None
            self.hold(cursor, self.world.frame(thing.start.carrier), own.position, rotation, release, thing.name)
        else:
            self.take_off(cursor, np.concatenate([own.position, rotation.ravel(), own.velocity, own.spin]))
        return cursor

    def take_off(self, cursor: Cursor, state: Floats) -> None:
        """Into free flight, from the cursor's time."""
        cursor.state, cursor.hold, cursor.riding = state, None, None
        cursor.searched, cursor.expected, cursor.blind = cursor.time, None, {}
        cursor.plan = [contact for contact in cursor.plan if not (contact.declared and contact.time < cursor.time)]

    def hold(self, cursor: Cursor, frame: int, position: Any, rotation: Any, release: Any, release_id: str) -> None:
        cursor.state = None
        cursor.hold = Span("held", cursor.thing.name, cursor.time, cursor.limit, None, frame, position, rotation)
        # a release before the grasp would turn time around: it happens at once, and a row of the solver keeps it later
        cursor.release = np.inf if release is None else max(float(release), cursor.time)
        cursor.release_id = None if release is None else release_id

    def advance(self, cursors: list[Cursor]) -> None:
        """All cursors to their limits."""
        active = [cursor for cursor in cursors if not cursor.done]
        while active:
            self._release([cursor for cursor in active if cursor.hold is not None])
            flying = [cursor for cursor in active if cursor.state is not None and not cursor.done]
            self._lead([cursor for cursor in flying if cursor.led and is_ball(cursor.thing.body)])
            for cursor in flying:
                if cursor.led and not is_ball(cursor.thing.body):
                    self._lead_bulky(cursor, cursor.plan[-1], *self.guide[cursor.plan[-1].id])
            flying = [cursor for cursor in flying if not cursor.led]
            self._fly([cursor for cursor in flying if is_ball(cursor.thing.body)])
            for cursor in flying:
                if not is_ball(cursor.thing.body):
                    self._fly_bulky(cursor)
            for cursor in active:
                if cursor.riding is not None and not cursor.done:
                    self._ride(cursor)
            active = [cursor for cursor in active if not cursor.done]

    def _close(self, cursor: Cursor) -> None:
        """The last span, to the cursor's limit; a declared contact that ends it happens there."""
        declared = [k for k, contact in enumerate(cursor.plan) if contact.declared and contact.time <= cursor.limit]
        if cursor.state is not None and declared:
            contact = cursor.plan[declared[0]]
            del cursor.plan[: declared[0] + 1]  # what was planned before it has been missed
            self._declared(cursor, contact)
            return
        last = cursor.hold or cursor.riding
        last = last or Span("flight", cursor.thing.name, cursor.time, cursor.limit, cursor.state)
        cursor.spans.append(last.until(cursor.limit))
        cursor.done = True

    def append(self, cursor: Cursor, span: Span, event: Event) -> None:
        cursor.spans.append(span.until(event.time))
        cursor.events.append(event)
        cursor.time = event.time
        cursor.done = event.contact is not None and event.contact == cursor.goal and event.kind != "release"
        if len(cursor.events) > MOST_EVENTS:
            raise HoiError(f"thing {cursor.thing.name!r} has more than {MOST_EVENTS} events by {cursor.time:.4f} s")

    # -- in a hand ----------------------------------------------------------------------------------------------------

    def _release(self, cursors: list[Cursor]) -> None:
        leaving = [cursor for cursor in cursors if cursor.release < cursor.limit]
        for cursor in cursors:
            if cursor.release >= cursor.limit:
                self._close(cursor)
        if leaving:
            holds = [cursor.hold for cursor in leaving if cursor.hold is not None]
            frames = self.exact.frames([hold.frame for hold in holds], [cursor.release for cursor in leaving])
            for cursor, hold, frame, state in zip(leaving, holds, frames, all_carried(holds, frames), strict=True):
                self._let_go(cursor, hold, frame, state)

    def _let_go(self, cursor: Cursor, hold: Span, frame: Floats, state: Floats) -> None:
        name = self.world.frame_name(hold.frame)
        event = Event(
            "release", cursor.thing.name, cursor.release, name, cursor.release_id, frame=frame, after=state,
            clamped=cursor.release <= hold.start and bool(cursor.events),
        )  # fmt: skip
        self.append(cursor, hold, event)
        self.take_off(cursor, state)
        # gap and rate are both zero: whatever holds it is not seen before it is clear
        for hand in (hold.frame, *self.second_frame(cursor.release_id)):
            cursor.blind |= dict.fromkeys(self.world.by_frame[hand].tolist(), np.inf)

    def second_frame(self, hold: str | None) -> list[int]:
        """The frame of a hold's second hand, if it has one."""
        second = None if hold is None else self.scene.second_hand(hold)
        return [] if second is None else [self.world.frame(second)]

    def _unseen(self, cursor: Cursor) -> dict[int, float]:
        """Surfaces that a flight does not see, and until when. On its way into two hands that close on it at once, a
        thing does not see the second: which one is first would else be a matter of round-off."""
        ahead = [contact for contact in cursor.plan[:1] if contact.kind == "grasp" and contact.second is not None]
        closing = {int(s): c.time + MATCH for c in ahead for s in self.world.surfaces_of(str(c.second))}
        return cursor.blind | closing

    # -- in flight ----------------------------------------------------------------------------------------------------

    def _fly(self, cursors: list[Cursor]) -> None:
        """Each cursor to its next event, or to the end of the window."""
        if not cursors:
            return
        limits = [self._limit(cursor) for cursor in cursors]
        until = np.minimum([self._window(cursor) for cursor in cursors], limits)
        blind = np.full((len(cursors), len(self.world.surfaces)), -np.inf)
        for k, cursor in enumerate(cursors):
            for surface, time in self._unseen(cursor).items():
                blind[k, surface] = time
        table = self.table
        found = first_touches(
            self.exact.moving, table.rows(), self.world.solids, table.groups, self.gravity,
            self._flights(cursors, until), blind,
        )  # fmt: skip
        names = self.world.surfaces.name
        self.near.extend(Near(cursors[int(k)].thing.name, names[int(s)], t, gap) for k, s, t, gap in found.near)
        began_inside = np.asarray(found.inside.any(axis=1))
        for k, cursor in enumerate(cursors):
            surface, touch = int(found.surface[k]), found.touch[k]
            if began_inside[k]:
                self._began_inside(cursor, {int(s): float(found.inside[k, s]) for s in np.flatnonzero(found.inside[k])})
            elif surface >= 0 and touch[0] < limits[k]:
                self._touched(cursor, surface, touch)
            else:
                # a touch at the very end of a window is seen from inside the next one
                cursor.searched = max(cursor.searched, float(until[k]) - SEAM)
                if until[k] >= limits[k] or surface >= 0:
                    self._close(cursor)

    def _fly_bulky(self, cursor: Cursor) -> None:
        """One thing that is not a ball, to its next event or to the end of the window."""
        thing, limit = cursor.thing, self._limit(cursor)
        until = min(cursor.searched + WINDOW, limit)
        state = np.asarray(cursor.state)
        touch = first_bulky_touch(self.exact, self.table, self.inertia(thing), thing.body, state, cursor.time,
                                  cursor.searched, until, self._unseen(cursor))  # fmt: skip
        if touch is None:
            cursor.searched = until
            if until >= limit:
                self._close(cursor)
            return
        s, k = self.world.surfaces, touch.surface
        frame = self.exact.frames([s.frame[k]], [touch.time])[0]
        law = self.laws.of_touch(thing, cursor.plan, s, k, touch.time)
        before = self.flown(self._flight_span(cursor), touch.time)
        row = bulky_row(thing.body, before, frame, s.patch(k), touch.feature, law)
        collided = COLLIDED.unpack(np.asarray(collision(self.gravity, row)))
        if touch.time <= cursor.searched and (collided.rate >= 0.0 or collided.gap < -INSIDE):
            self._begins_in(cursor, k, float(collided.gap), touch.time)
            return
        struck = SimpleNamespace(**vars(collided), time=touch.time, frame=frame, feature=touch.feature)
        contact = self.take_contact(cursor, s.name[k], touch.time)
        if contact is not None and contact.kind == "grasp":
            self.grasped(cursor, self._flight_span(cursor), contact, k, struck)
        elif contact is None and is_spent(thing.body, collided.after, frame, -float(collided.pull)):
            self._lies(cursor, k, struck)
        else:
            event = self.make_event("impact", cursor, contact, s, k, struck)
            if collided.restitution != law[0]:
                event = event._replace(restitution=float(collided.restitution), hop=True)
            self.append(cursor, self._flight_span(cursor), event)
            self.take_off(cursor, np.array(collided.after))
            cursor.searched = cursor.time + APART
            cursor.blind = {k: cursor.searched}

    def _begins_in(self, cursor: Cursor, surface: int, gap: float, time: float) -> None:
        """A thing that begins its flight in touch and leaves, or was let go inside something."""
        if gap < -INSIDE:
            self._began_inside(cursor, {surface: -gap})
        else:  # a corner leaves, but another one may come down: what lies and is struck must not sink
            cursor.searched = time + APART
            cursor.blind[surface] = cursor.searched

    def _lies(self, cursor: Cursor, surface: int, struck: Any) -> None:
        """A thing that is not a ball has come to rest: from now on it is carried by what it lies on."""
        event = self.make_event("rest", cursor, None, self.world.surfaces, surface, struck)
        self.append(cursor, self._flight_span(cursor), event)
        frame = int(self.world.surfaces.frame[surface])
        self.hold(cursor, frame, *relative(struck.frame, struck.before), None, "")

    def inertia(self, thing: Thing) -> Any:
        """What its rotation in flight needs; of balls only that they are balls."""
        if thing.name not in self._inertias:
            self._inertias[thing.name] = SPHERE if is_ball(thing.body) else flight_inertia(thing.body)
        return self._inertias[thing.name]

    def _window(self, cursor: Cursor) -> float:
        """How far to look first: where something is intended, a little beyond that."""
        ahead = [contact.time for contact in cursor.plan[:1] if cursor.searched < contact.time < cursor.searched + 2.0]
        return ahead[0] + LATE if ahead else cursor.searched + WINDOW

    def _limit(self, cursor: Cursor) -> float:
        return min([cursor.limit, *(contact.time for contact in cursor.plan if contact.declared)])

    def _flights(self, cursors: list[Cursor], until: Floats) -> Floats:
        numbers = np.array([(c.time, c.thing.body.radius, c.searched) for c in cursors], float)
        expected = np.full((len(cursors), 4), -1.0)
        for k, cursor in enumerate(cursors):
            if cursor.expected is not None:
                expected[k] = cursor.expected
        states = np.stack([np.asarray(cursor.state, float) for cursor in cursors])
        start, radius, searched = numbers.T
        return flights(start, states, radius, searched, until, expected, self.airs([c.thing.name for c in cursors]))

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

    # -- touches ------------------------------------------------------------------------------------------------------

    def _began_inside(self, cursor: Cursor, inside: dict[int, float]) -> None:
        surface, depth = max(inside.items(), key=lambda item: item[1])
        if self.strict and not cursor.events and cursor.time == self.scene.start:
            raise HoiError(
                f"thing {cursor.thing.name!r} starts {1e3 * depth:.3g} mm inside "
                f"{self.world.surfaces.name[surface]!r}; move it out, or let it be held"
            )
        cursor.blind |= dict.fromkeys(inside, np.inf)

    def _touched(self, cursor: Cursor, surface: int, touch: Floats) -> None:
        struck, surfaces = STRUCK.unpack(touch), self.world.surfaces
        contact = self.take_contact(cursor, surfaces.name[surface], float(struck.time))
        if contact is not None and contact.kind == "grasp":
            self.grasped(cursor, self._flight_span(cursor), contact, surface, self.caught(struck))
        else:
            law = self.laws.of_contact(cursor.thing, contact, surfaces, surface)
            self._bounced(cursor, contact, surface, self.bounced(cursor.thing, struck, law), law)

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

    def _flight_span(self, cursor: Cursor) -> Span:
        return Span("flight", cursor.thing.name, cursor.time, cursor.limit, cursor.state)

    def grasped(self, cursor: Cursor, span: Span, contact: Contact, surface: int, struck: Any) -> None:
        self.append(cursor, span, self.make_event("grasp", cursor, contact, self.world.surfaces, surface, struck))
        release = self.controls.contacts[contact.id].release
        frame = int(self.world.surfaces.frame[surface])
        self.hold(cursor, frame, *relative(struck.frame, struck.before), release, contact.id)

    def _bounced(self, cursor: Cursor, contact: Contact | None, surface: int, struck: Any, law: Law) -> None:
        event = self.make_event("impact", cursor, contact, self.world.surfaces, surface, struck)
        e, mu, *_ = law
        away, pull = -e * float(struck.rate), -self._pull(cursor.thing, struck)
        back = 2.0 * away / pull if pull > 0 else np.inf  # until the pair meets again, if nothing else happens
        if contact is None and is_crowded(cursor, event.time):
            self._lies(cursor, surface, self.caught(struck))
            return
        if back < 0.1 and contact is None and self.settled(cursor, self._flight_span(cursor), event, surface, e, mu):
            return
        self.append(cursor, self._flight_span(cursor), event)
        self.take_off(cursor, np.array(struck.after))
        if back < 3 * self.table.step:
            cursor.expected = (surface, event.time + 0.5 * back, event.time + 1.6 * back, event.time + back)
            cursor.blind = {surface: event.time + 1.6 * back}
        else:
            cursor.blind = {surface: event.time + min(0.5 * back, 2 * self.table.step)}

    def _pull(self, thing: Thing, struck: Any) -> float:
        """What pulls a ball along the normal after its bounce; in air that goes by how it moves."""
        if thing.name not in self.world.airs:
            return float(struck.pull)
        air = self.world.airs[thing.name]
        before, after = (acceleration_in_air(np.asarray(s), self.gravity, air) for s in (struck.before, struck.after))
        return float(struck.pull + struck.normal @ (after - before))

    def _declared(self, cursor: Cursor, contact: Contact) -> None:
        """An intended contact happens at its time, wherever the thing is by then."""
        surface = int(self.laws.targets(contact)[0])
        flight = self._flights([cursor], np.array([contact.time]))[0]
        row = touch_at(self.exact.moving, self.world.solids, surface, self.gravity, flight, contact.time)
        struck = self._decreed(cursor, contact, surface, row)
        if contact.kind == "grasp":
            position = snapped(self.scene, contact)
            release = self.controls.contacts[contact.id].release
            self.hold(cursor, self.world.frame(contact.carrier), position, np.eye(3), release, contact.id)
        else:
            self.take_off(cursor, np.array(struck.after))
            cursor.blind = dict.fromkeys(self.laws.targets(contact).tolist(), np.inf)

    def _decreed(self, cursor: Cursor, contact: Contact, surface: int, row: Floats) -> SimpleNamespace:
        """The event of a contact that happens wherever the two are (STRUCK)."""
        struck = self.bounced(cursor.thing, STRUCK.unpack(row), self.laws.of_declared(contact))
        event = self.make_event(contact.kind, cursor, contact, self.world.surfaces, surface, struck)
        self.append(cursor, self._flight_span(cursor), event._replace(declared=True))
        return struck

    def _lead(self, cursors: list[Cursor]) -> None:
        """Balls to where the guide wants them."""
        if not cursors:
            return
        contacts = [cursor.plan[-1] for cursor in cursors]
        times, surfaces = np.array([self.guide[contact.id] for contact in contacts]).T
        rows = touches_at(
            self.exact.moving, self.world.solids, surfaces.astype(np.int64), self.gravity,
            self._flights(cursors, times), times.copy(),
        )  # fmt: skip
        for cursor, contact, surface, row in zip(cursors, contacts, surfaces, rows, strict=True):
            self._decreed(cursor, contact, int(surface), row)

    def _lead_bulky(self, cursor: Cursor, contact: Contact, time: float, surface: int) -> None:
        """A thing that is not a ball touches a surface at a time, with what of both is closest by then."""
        span, s = self._flight_span(cursor), self.world.surfaces
        inertia = self.inertia(cursor.thing)
        hulls = hulls_of(self.exact, surface, inertia, cursor.thing.body, np.asarray(cursor.state), cursor.time)
        frame, feature = self.exact.frames([s.frame[surface]], [time])[0], hulls.feature(time)
        law = self.laws.of_declared(contact)
        row = bulky_row(cursor.thing.body, self.flown(span, time), frame, s.patch(surface), feature, law, declared=1.0)
        collided = COLLIDED.unpack(np.asarray(collision(self.gravity, row)))
        struck = SimpleNamespace(**vars(collided), time=time, frame=frame, feature=feature)
        event = self.make_event(contact.kind, cursor, contact, s, surface, struck)
        self.append(cursor, span, event._replace(declared=True))

    # -- at rest ------------------------------------------------------------------------------------------------------

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
        cursor.riding = Span(
            "contact", cursor.thing.name, cursor.time, cursor.limit, frame=int(self.world.surfaces.frame[surface]),
            surface=surface, contacting=span,
        )  # fmt: skip

    def surface_of(self, span: Span) -> tuple[Any, Any]:
        """The surface that a thing in contact lies on, as `rigid` wants it: a function of time and what it needs."""
        s, k = self.world.surfaces, span.surface
        if span.frame < 0:
            return on_fixture, (s.place[k], s.turned[k])
        c, segment = self.world.owner(span.frame)
        character = self.scene.characters[c]
        return on_body, (*self.exact.for_kernels(character), np.int64(segment), s.place[k], s.turned[k])

    def _ride(self, cursor: Cursor) -> None:
        """To the end of a chunk of contact."""
        span = cursor.riding
        assert span is not None
        end, ride, contact, times, states = jax.device_get(end_of(*self.surface_of(span), span.contacting))
        until = min(float(end.time), cursor.limit)
        span = span._replace(ending=end, way=way_of(times, states, until))
        if strike(self, cursor, span, until):
            return
        if float(end.time) >= cursor.limit:
            cursor.riding = span
            self._close(cursor)
            return
        grip = "roll" if bool(contact.rolls) else "slide"
        kind = grip if int(end.kind) == GRIP else _END_KINDS[int(end.kind)]
        name = self.world.surfaces.name[span.surface]
        event = Event(kind, cursor.thing.name, float(end.time), name, after=states[-1])  # type: ignore[arg-type]
        if kind == "edge" and over_the_seam(self, cursor, span, states[-1], event.time):
            return
        self.append(cursor, span, event)
        if int(end.kind) == LIFT:
            self.take_off(cursor, states[-1])
            cursor.blind = {span.surface: UNTIL_OFF}
        else:
            self.in_contact(cursor, span.surface, contact, ride)

    # -- among themselves ---------------------------------------------------------------------------------------------

    def _met(self, meeting: Meeting) -> None:
        """Cut the chains where things met, and go on from there."""
        for cursor, span, event in meeting.events:
            self._cut(cursor, span)
            contact = self.take_contact(cursor, str(event.other), event.time)
            own = taken_off(cursor, span, event)._replace(contact=contact.id if contact else None)
            self.append(cursor, span, own)
            if cursor.done:
                continue
            if span.kind == "contact":
                pushed(self, cursor, span, np.asarray(own.after))
            else:
                self.take_off(cursor, np.asarray(own.after))
                cursor.searched += APART if span.kind == "held" else 0.0
        self.advance([cursor for cursor, _, _ in meeting.events])

    def plan_at(self, cursor: Cursor, span: Span) -> list[Contact]:
        """What a thing is still meant to touch when a span of it begins."""
        happened = {event.contact for event in cursor.events if event.time <= span.start}
        plan = self.scene.plan_of(cursor.thing.name)
        last = max((i for i, contact in enumerate(plan) if contact.id in happened), default=-1)
        ends = [i for i, contact in enumerate(plan) if contact.id == cursor.goal]
        return plan[last + 1 : ends[0] + 1 if ends else None]

    def held_event(self, cursor: Cursor, span: Span, surfaces: Surfaces, surface: int, touch: Floats) -> Event:
        """The bounce of a flight off a thing in a hand."""
        struck = STRUCK.unpack(touch)
        law = self.laws.of_touch(cursor.thing, self.plan_at(cursor, span), surfaces, surface, float(struck.time))
        return self.make_event("impact", cursor, None, surfaces, surface, self.bounced(cursor.thing, struck, law))

    def _cut(self, cursor: Cursor, span: Span) -> None:
        """Back into a span, as if what ended it had not been."""
        k = next(k for k, own in enumerate(cursor.spans) if own is span)
        del cursor.spans[k:], cursor.events[k:]
        cursor.plan = self.plan_at(cursor, span)
        cursor.time, cursor.state = span.start, span.state
        cursor.hold = cursor.riding = None
        cursor.done = False

    # -- any time -----------------------------------------------------------------------------------------------------

    def state(self, chain: Chain, t: float) -> Floats:
        """The packed state (18,) of a thing at time t."""
        k = chain.index_at(t)
        span = chain.spans[k]
        if chain.settles_at(k, t):
            return self._settling(chain, k, t)
        if span.kind == "held":
            return carried(span, self.exact.frames([span.frame], [t])[0])
        if span.kind == "contact":
            return np.asarray(state_on(*self.surface_of(span), span.contacting, jnp.asarray(t, float)))
        return self.flown(span, t)

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


def near_misses(seen: list[Near], chains: Mapping[str, Chain]) -> tuple[Near, ...]:
    """Those of flights that came to be, in order; a dip at the seam of two windows is seen in both of them."""
    found: list[Near] = []
    last: dict[tuple[str, str], float] = {}
    for near in sorted(seen, key=lambda near: near.time):
        pair = near.object, near.other
        if chains[near.object].span_at(near.time).kind == "flight" and near.time - last.get(pair, -np.inf) > TIE:
            found.append(near)
            last[pair] = near.time
    return tuple(found)


_END_KINDS = {NONE: "goes on", LIFT: "leave", 1: "edge", 2: "edge", 3: "edge"}
