"""One run: what it is given, where its things have got to, and the steps that all kinds of spans and events share.

How things fly, are held, roll and meet is in the kinds (`spans`, `events`); each moves cursors on by what is here.
"""

from collections.abc import Collection, Mapping
from functools import cached_property
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import numpy as np

from hoi_edit.scene import Contact, Scene, Thing
from hoi_edit.simulate.contact_laws import Law
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.cursor import Cursor, tied
from hoi_edit.simulate.dynamics.rolling_motion import step_for
from hoi_edit.simulate.kind_words import CONTACT, FLIGHT, HELD, EventWord
from hoi_edit.simulate.past import Past
from hoi_edit.simulate.trajectory import Event, Near, Node, Span
from hoi_edit.simulate.world import PoseTable, Surfaces, pose_table, renewed_table
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from rigid.impact_compiled import surface_impact
from rigid.rolling_ends import ContactSpan

if TYPE_CHECKING:
    from hoi_edit.simulate.events.base import EventKind

NEVER: "tuple[float, EventKind | None]" = (np.inf, None)
MOST_EVENTS = 5_000  # of one thing: a hang would be worse than an error
AT_ONE_INSTANT = 300  # of these, more than a crowd of things makes (`loop.CROWD`): no time leads on from there
INSTANT = 1e-6  # [s] within which events are at one instant


class Overwhelmed(HoiError):
    """More happens to a thing than a run can follow: it is tossed about between others, without end."""

    def __init__(self, message: str, thing: str, partner: str, time: float) -> None:
        super().__init__(message)
        self.thing, self.partner, self.time = thing, partner, time


Guide = Mapping[str, tuple[float, int]]  # intended contact -> its time and surface


class Run:
    """The simulation of one control vector. Lives for one run; what leaves it is frozen."""

    def __init__(
        self,
        context: Context,
        nodes: Mapping[str, Node] | None = None,
        table: PoseTable | None = None,
        strict: Collection[str] = (),
        guide: Guide | None = None,
        past: Past | None = None,
    ) -> None:
        self.context, self.nodes, self.guide, self.past = context, nodes or {}, guide or {}, past
        self.strict = strict  # things of which it is a mistake to start inside something; others are let out
        self._table = table
        self.segments: dict[str, list[Cursor]] = {}
        self.cuts: dict[str, list[int]] = {}  # where in each thing's plan a segment ends and the next begins
        self.near: list[Near] = []
        self.searched_pairs: dict[tuple[int, int], Any] = {}
        self.packed: tuple[list[Span], Floats] | None = None  # flights as the search last took them

    @property
    def scene(self) -> Scene:
        return self.context.scene

    @cached_property
    def table(self) -> PoseTable:
        """Where everybody is; of as much time as is looked at."""
        world, moving, past = self.context.world, self.context.moving, self.past
        if self._table is None and past is not None and past.table is not None:
            return renewed_table(world, moving, past.table, (past.start, past.end), *self.reach)
        return self._table or pose_table(world, moving, *self.reach)

    @property
    def reach(self) -> tuple[float, float]:
        """From when until when anything of this run goes on."""
        cursors = self.fresh()
        if self.past is None or not cursors:
            return -np.inf, np.inf
        return min(c.began for c in cursors), max(min(c.limit, self.scene.end) for c in cursors)

    @property
    def table_so_far(self) -> PoseTable | None:
        """The same, if anybody has looked."""
        return self.__dict__.get("table")

    def fresh(self) -> list[Cursor]:
        """Stretches that are of this run, and not taken over."""
        if self.past is None:
            return [cursor for cursors in self.segments.values() for cursor in cursors]
        return [self.segments[name][k] for name, numbers in self.past.changed.items() for k in numbers]

    # -- where a thing goes next ---------------------------------------------------------------------------------------

    def append(self, cursor: Cursor, span: Span, event: Event) -> None:
        """A span ends in an event; what follows is for the event to say."""
        cursor.spans.append(span.until(event.time))
        cursor.events.append(event)
        cursor.time = event.time
        cursor.done = event.contact is not None and event.contact == cursor.goal and not event.lets_go
        last = cursor.events[-AT_ONE_INSTANT:]
        stands = len(last) == AT_ONE_INSTANT and cursor.time - last[0].time < INSTANT
        if stands or len(cursor.events) > MOST_EVENTS:
            name, partner = cursor.thing.name, str(event.other)
            many = f"{len(last)} events at" if stands else f"more than {MOST_EVENTS} events by"
            what = f"thing {name!r} has {many} {cursor.time:.4f} s, the last ones with {partner!r}"
            raise Overwhelmed(f"{what}; give it more room", name, partner, cursor.time)

    def take_off(self, cursor: Cursor, state: Floats) -> None:
        """Into free flight, from the cursor's time."""
        cursor.span = Span(FLIGHT, cursor.thing.name, cursor.time, cursor.limit, state)
        cursor.searched, cursor.expected, cursor.blind = cursor.time, None, {}
        self._drop_what_is_late(cursor)

    def hold(self, cursor: Cursor, frame: int, position: Any, rotation: Any, release: Any, release_id: str) -> None:
        """Carried by a frame, from the cursor's time."""
        cursor.span = Span(HELD, cursor.thing.name, cursor.time, cursor.limit, None, frame, position, rotation)
        # a release before the grasp would turn time around: it happens at once, and a row of the solver keeps it later
        cursor.release = np.inf if release is None else max(float(release), cursor.time)
        cursor.release_id = None if release is None else release_id
        cursor.jam = -1

    def roll_on(self, cursor: Cursor, surface: int, contact: Any, ride: Any) -> None:
        """In contact with a surface, from the cursor's time."""
        frame = int(self.context.world.surfaces.frame[surface])
        step = step_for(frame < 0, contact, cursor.limit - cursor.time)
        contacting = ContactSpan(contact, ride, np.float64(cursor.time), np.float64(step))
        self._drop_what_is_late(cursor)
        cursor.span = Span(
            CONTACT, cursor.thing.name, cursor.time, cursor.limit, frame=frame, surface=surface,
            contacting=contacting,
        )  # fmt: skip

    def _drop_what_is_late(self, cursor: Cursor) -> None:
        """A declared contact whose time has gone by has been missed."""
        cursor.plan = [contact for contact in cursor.plan if not (contact.declared and contact.time < cursor.time)]

    # -- what is planned -----------------------------------------------------------------------------------------------

    def decree(self, contact: Contact) -> tuple[float, int] | None:
        """When a contact happens by decree, and on which surface; None for one that has to come about."""
        if contact.passes_on:  # that is in its controls
            return None
        if contact.declared:
            return contact.time, int(self.context.laws.targets(contact)[0])
        return self.guide.get(contact.id)

    def limit_of(self, cursor: Cursor) -> float:
        """How far a cursor goes at most before something happens by decree."""
        guided = [self.guide[contact.id][0] for contact in cursor.plan if contact.id in self.guide]
        declared = [contact.time for contact in cursor.plan if contact.declared and not contact.passes_on]
        return min([cursor.limit, self.due(cursor)[0], *guided, *declared])

    def due(self, cursor: Cursor) -> "tuple[float, EventKind | None]":
        """The next event that happens to a thing by itself: when, and its kind."""
        first, what = NEVER
        for kind in self.context.timed_events:  # asked hundreds of times in a run
            due = kind.due(self, cursor)
            if due < first:
                first, what = due, kind
        return first, what

    def take_contact(self, cursor: Cursor, name: str, time: float) -> Contact | None:
        """The intended contact that a touch is, if any. Those planned before it have been missed."""
        k = self.context.laws.match(cursor.plan, name, time)
        if k is None:
            return None
        contact = cursor.plan[k]
        del cursor.plan[: k + 1]
        return contact

    def plan_at(self, cursor: Cursor, span: Span) -> list[Contact]:
        """What a thing is still meant to touch when a span of it begins: of what was ahead of it when it set out."""
        happened = {event.contact for event in cursor.events if event.time <= span.start}
        last = max((i for i, contact in enumerate(cursor.meant) if contact.id in happened), default=-1)
        return list(cursor.meant[last + 1 :])

    # -- what a touch is, and does -------------------------------------------------------------------------------------

    def make_event(
        self, kind: EventWord, mechanism: str, cursor: Cursor, contact: Contact | None, surfaces: Surfaces,
        surface: int, struck: Any,
    ) -> Event:  # fmt: skip
        return Event(
            kind, cursor.thing.name, float(struck.time), surfaces.name[surface],
            contact.id if contact else None, surfaces.patch(surface), float(struck.rate), float(struck.gap),
            struck.feature, float(struck.stick), float(struck.ratio), struck.normal, struck.frame, struck.before,
            struck.after,
            declared=contact.declared if contact else False, speed=float(struck.speed),
            tied=tied(cursor.events, float(struck.time)), mechanism=mechanism,
        )  # fmt: skip

    def bounced(self, thing: Thing, struck: SimpleNamespace, law: Law) -> SimpleNamespace:
        """What a touch does to a ball."""
        body = thing.body
        struck.after, struck.stick, struck.ratio = surface_impact(
            struck.before, struck.frame, struck.normal, np.array(law), body.radius, body.mass, body.moments[0]
        )
        return struck

    def caught(self, struck: SimpleNamespace) -> SimpleNamespace:
        """A grasp does nothing to a ball at its first instant."""
        struck.after, struck.stick, struck.ratio = struck.before, 1.0, 0.0
        return struck
