"""Discovery: from controls to the ordered events of every thing. Discrete, exact, and not differentiated.

Things are independent until they meet, so all of them are advanced at once, one event a round, against the characters
and fixtures. Whatever two things then did to each other is found afterwards (`hoi_edit.meeting`): the earliest meeting
cuts both chains, and they go on from there.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import jax.numpy as jnp
import numpy as np

from hoi_edit.controls import Controls, snapped
from hoi_edit.packing import in_chunks
from hoi_edit.rollout import Chain, Event, Near, Span, Trajectories
from hoi_edit.scene import Contact, Held, Scene, Thing
from hoi_edit.search import Brackets, Flights, possible_touches
from hoi_edit.touching import (
    CHUNK,
    FRAME,
    STATE,
    STRIKE,
    STRUCK,
    frame_motions,
    strike_body,
    strike_fixture,
    touches_body,
    touches_fixture,
)
from hoi_edit.world import PoseTable, World, pose_table
from kinematics.errors import HoiError
from kinematics.rotation import Floats, rotation_exp

WINDOW = 0.8  # [s] searched at a time
MATCH = 0.3  # [s] by which an intended contact may come early or late
MOST_EVENTS = 5_000  # of one thing: a hang would be worse than an error
GRAZING = 0.1  # of the relative speed along the normal: below, a derivative's range is too small to trust
TOUCHING = 1e-9  # [m]
REAL = 1e-12  # [m] of gap that polishing may leave
STILL_FRAME = np.concatenate([np.zeros(3), np.eye(3).ravel(), np.zeros(12)])


@dataclass(eq=False)
class Cursor:
    """One thing on its way through time: what is known, and where to look next."""

    thing: Thing
    plan: list[Contact]
    time: float
    state: Floats | None = None  # (18,) at `time`, in flight
    hold: Span | None = None
    release: float = np.inf
    release_id: str | None = None
    searched: float = -np.inf
    blind: dict[int, float] = field(default_factory=dict)
    expected: tuple[int, float, float, float] | None = None  # surface, low, high, guess of the next small bounce
    spans: list[Span] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    done: bool = False


class Discovery:
    """The simulation of one control vector. Lives for one run; what leaves it is frozen."""

    def __init__(self, world: World, controls: Controls, table: PoseTable | None = None) -> None:
        self.world, self.scene, self.controls = world, world.scene, controls
        self.gravity = np.asarray(self.scene.gravity, float)
        self.table = pose_table(world, dict(controls.motions)) if table is None else table
        self.near: list[Near] = []

    def run(self) -> Trajectories:
        cursors = [self._start(thing) for thing in self.scene.things]
        self.advance(cursors)
        chains = {cursor.thing.name: Chain(tuple(cursor.spans), tuple(cursor.events)) for cursor in cursors}
        met = {event.contact for chain in chains.values() for event in chain.events}
        missed = tuple(contact.id for contact in self.scene.contacts if contact.id not in met)
        return Trajectories(chains, tuple(self.near), missed)

    def state(self, chain: Chain, t: float) -> Floats:
        """The packed state (18,) of a thing at time t."""
        span = chain.span_at(t)
        if span.kind == "held":
            return carried(span, self.frames([span.frame], [t])[0])
        return np.asarray(flown(span.state, t - span.start, self.gravity))

    # -- the life of a thing ------------------------------------------------------------------------------------------

    def _start(self, thing: Thing) -> Cursor:
        scene, own = self.scene, self.controls.starts[thing.name]
        cursor = Cursor(thing, scene.plan_of(thing.name), scene.start)
        turn = rotation_exp(own.turn)
        if isinstance(thing.start, Held):
            release = thing.start.release
            until = np.inf if release is None else float(self.controls.contacts[thing.name].release)
            self._hold(cursor, self.world.frame(thing.start.by), own.position, turn @ thing.start.rotation, until,
                       thing.name if release is not None else None)  # fmt: skip
        else:
            rotation = turn @ thing.start.rotation
            cursor.state = np.concatenate([own.position, rotation.ravel(), own.velocity, own.spin])
            cursor.searched = scene.start
        return cursor

    def _hold(
        self, cursor: Cursor, frame: int, position: Floats, rotation: Floats, release: float, release_id: str | None
    ) -> None:
        cursor.state = None
        cursor.hold = Span("held", cursor.thing.name, cursor.time, self.scene.end, None, frame, position, rotation)
        # a release before the grasp would turn time around: it happens at once, and the plan's own rows keep it later
        cursor.release, cursor.release_id = max(release, cursor.time), release_id

    def advance(self, cursors: list[Cursor]) -> None:
        """All cursors to the end of the scene."""
        active = [cursor for cursor in cursors if not cursor.done]
        while active:
            self._release([cursor for cursor in active if cursor.hold is not None])
            self._fly([cursor for cursor in active if cursor.state is not None and not cursor.done])
            active = [cursor for cursor in active if not cursor.done]

    def _release(self, cursors: list[Cursor]) -> None:
        leaving = []
        for cursor in cursors:
            if cursor.release >= self.scene.end:
                self._close(cursor)
            else:
                leaving.append(cursor)
        if not leaving:
            return
        frames = self.frames([c.hold.frame for c in leaving], [c.release for c in leaving])  # type: ignore[union-attr]
        for cursor, frame in zip(leaving, frames, strict=True):
            self._let_go(cursor, frame)

    def _let_go(self, cursor: Cursor, frame: Floats) -> None:
        hold = cursor.hold
        assert hold is not None
        state = carried(hold, frame)
        other = self.world.frame_name(hold.frame)
        event = Event("release", cursor.thing.name, cursor.release, other, cursor.release_id, frame=frame, after=state)
        cursor.spans.append(replace(hold, end=cursor.release))
        cursor.events.append(event)
        cursor.time = cursor.searched = cursor.release
        cursor.state, cursor.hold, cursor.expected = state, None, None
        character, _ = self.world.owner(hold.frame)
        own = range(self.world.first_frame[character], self.world.first_frame[character + 1])
        cursor.blind = {
            int(s): np.inf
            for s in np.flatnonzero(np.isin(self.world.surfaces.frame, own))
            if s in self._touched_at_release(cursor, frame, hold.frame)
        }

    def _touched_at_release(self, cursor: Cursor, frame: Floats, holder: int) -> set[int]:
        """Surfaces of the holding hand: a ball that leaves it starts at gap zero and rate zero."""
        return {int(s) for s in self.world.by_frame[holder]}

    def _close(self, cursor: Cursor) -> None:
        """The last span, to the end of the scene."""
        if cursor.hold is not None:
            cursor.spans.append(cursor.hold)
        else:
            cursor.spans.append(Span("flight", cursor.thing.name, cursor.time, self.scene.end, cursor.state))
        cursor.done = True

    # -- flights ------------------------------------------------------------------------------------------------------

    def _fly(self, cursors: list[Cursor]) -> None:
        """Each cursor to its next event, or to the end of the window."""
        if not cursors:
            return
        until = [min(cursor.searched + WINDOW, self._limit(cursor)) for cursor in cursors]
        states = np.stack([cursor.state for cursor in cursors])  # type: ignore[misc]
        s = STATE.unpack(states)
        flights = Flights(
            np.array([cursor.time for cursor in cursors]), s.position, s.velocity,
            np.array([cursor.thing.body.radius for cursor in cursors]),
            np.array([cursor.searched for cursor in cursors]), np.array(until),
        )  # fmt: skip
        blind = {(k, surface): time for k, cursor in enumerate(cursors) for surface, time in cursor.blind.items()}
        brackets = possible_touches(self.world, self.table, self.gravity, flights, blind)
        hits = self._first_hits(cursors, _with_expected(brackets, cursors))
        for k, cursor in enumerate(cursors):
            if k in hits:
                self._touched(cursor, *hits[k])
            else:
                cursor.searched = until[k]
                if until[k] >= self._limit(cursor):
                    self._reached_limit(cursor)
            if len(cursor.events) > MOST_EVENTS:
                raise HoiError(f"thing {cursor.thing.name!r} has more than {MOST_EVENTS} events by {cursor.time:.4f} s")

    def _limit(self, cursor: Cursor) -> float:
        declared = [contact.time for contact in cursor.plan if contact.declared]
        return min([self.scene.end, *declared])

    def _reached_limit(self, cursor: Cursor) -> None:
        if not cursor.plan or not cursor.plan[0].declared or cursor.plan[0].time >= self.scene.end:
            self._close(cursor)
            return
        raise NotImplementedError

    def _first_hits(self, cursors: list[Cursor], brackets: Brackets) -> dict[int, tuple[int, Floats]]:
        """For each flight that touches something: the surface, and the STRUCK row of its first touch."""
        hits: dict[int, tuple[int, Floats]] = {}
        starts = np.searchsorted(brackets.flight, np.arange(len(cursors) + 1))
        pointer = starts[:-1].copy()
        open_flights = [k for k in range(len(cursors)) if pointer[k] < starts[k + 1]]
        while open_flights:
            chosen = []
            for k in open_flights:
                # everything that begins before the first bracket ends may come first
                stop = pointer[k] + 1
                while stop < starts[k + 1] and brackets.low[stop] < brackets.high[pointer[k] : stop].max():
                    stop += 1
                chosen.extend(range(pointer[k], stop))
                pointer[k] = stop
            for j, row in zip(chosen, self._strike(cursors, brackets, chosen), strict=True):
                k = int(brackets.flight[j])
                if row is not None and (k not in hits or row[0] < hits[k][1][0]):
                    hits[k] = (int(brackets.surface[j]), row)
            open_flights = [k for k in open_flights if k not in hits and pointer[k] < starts[k + 1]]
        return hits

    def _strike(self, cursors: list[Cursor], brackets: Brackets, chosen: list[int]) -> list[Floats | None]:
        """STRUCK rows of the chosen brackets, None where there is no touch after all."""
        items = self._items(cursors, brackets.flight[chosen], brackets.surface[chosen], brackets.low[chosen],
                            brackets.high[chosen], brackets.guess[chosen])  # fmt: skip
        surface = brackets.surface[chosen]
        rows = self._batched(strike_body, strike_fixture, surface, items, STRUCK.width)
        result: list[Floats | None] = []
        struck = STRUCK.unpack(rows)
        for i, j in enumerate(chosen):
            if abs(struck.gap[i]) <= REAL and struck.rate[i] < 0.0:
                result.append(rows[i])
            else:
                result.append(self._graze(cursors[int(brackets.flight[j])], items[i], int(surface[i]), brackets, j))
        return result

    def _graze(self, cursor: Cursor, item: Floats, surface: int, brackets: Brackets, j: int) -> Floats | None:
        """A bracket without a clean root: find the closest approach exactly, and let that decide."""
        low, high = brackets.low[j], brackets.high[j]
        margin = high - low
        t, gap = self._closest(item, surface, max(low - margin, cursor.time), high + margin)
        if gap > 0.0:
            self.near.append(Near(cursor.thing.name, self.world.surfaces.name[surface], t, gap))
            return None
        again = item.copy()
        again[STRIKE.slices["low"]], again[STRIKE.slices["high"]] = min(low, t), t
        again[STRIKE.slices["guess"]] = 0.5 * (min(low, t) + t)
        row = self._batched(strike_body, strike_fixture, np.array([surface]), again[None], STRUCK.width)[0]
        struck = STRUCK.unpack(row)
        return row if abs(struck.gap) <= REAL and struck.rate < 0.0 else None

    def _closest(self, item: Floats, surface: int, low: float, high: float) -> tuple[float, float]:
        """The lowest gap in between, by samples and then by bisection of its rate."""
        for _ in range(9):
            times = np.linspace(low, high, CHUNK)
            gaps, rate = self._gap_and_rate(item, surface, times)
            k = int(np.argmin(gaps))
            if rate[k] > 0:
                low, high = times[max(k - 1, 0)], times[k]
            else:
                low, high = times[k], times[min(k + 1, CHUNK - 1)]
        return float(times[k]), float(gaps[k])

    def _gap_and_rate(self, item: Floats, surface: int, times: Floats) -> tuple[Floats, Floats]:
        items = np.repeat(item[None], len(times), axis=0)
        items[:, STRIKE.slices["guess"]] = times
        rows = self._batched(touches_body, touches_fixture, np.full(len(times), surface), items, 2)
        return rows[:, 0], rows[:, 1]

    def _items(
        self, cursors: list[Cursor], flight: Any, surface: Any, low: Floats, high: Floats, guess: Floats
    ) -> Floats:
        """STRIKE rows."""
        s = self.world.surfaces
        frame = s.frame[surface]
        segment = [self.world.owner(int(f))[1] if f >= 0 else 0 for f in frame]
        chosen = [cursors[int(k)] for k in flight]
        laws = np.array([self._law(c, int(x)) for c, x in zip(chosen, surface, strict=True)]).reshape(-1, 5)
        return STRIKE.pack(
            len(chosen), start=[c.time for c in chosen], state=[c.state for c in chosen], low=low, high=high, guess=guess,
            segment=segment, frame=STILL_FRAME, place=s.place[surface], turned=s.turned[surface].reshape(-1, 9),
            core=s.core[surface], radius=s.radius[surface], ball_radius=[c.thing.body.radius for c in chosen],
            inverse_mass=[1.0 / c.thing.body.mass for c in chosen],
            inverse_moment=[1.0 / c.thing.body.moments[0] for c in chosen],
            restitution=laws[:, 0], friction=laws[:, 1], normal_turn=laws[:, 2:],
        )  # fmt: skip

    def _law(self, cursor: Cursor, surface: int) -> tuple[float, ...]:
        """Restitution, friction and turn of the normal: of the contact that this would be, or of the materials."""
        for contact in cursor.plan[:1]:
            own = self.controls.contacts[contact.id]
            if contact.kind == "impact" and surface in self._targets(contact):
                return float(own.restitution), float(own.friction), *own.normal
        return self._material(cursor.thing.name, surface)

    def law_of(self, event: Event) -> tuple[float, ...]:
        """Restitution, friction and turn of the normal at an event that happened."""
        if event.contact is not None and event.kind == "impact":
            own = self.controls.contacts[event.contact]
            return float(own.restitution), float(own.friction), *own.normal
        return self._material(event.object, event.surface)

    def _material(self, thing: str, surface: int) -> tuple[float, ...]:
        s, material = self.world.surfaces, self.scene.thing(thing).material
        e = float(np.asarray(material.restitution)) * s.restitution[surface]
        return e, float(np.asarray(material.friction)) * s.friction[surface], 0.0, 0.0, 0.0

    def _targets(self, contact: Contact) -> Any:
        return self.world.surfaces_of(contact.carrier)

    # -- events -------------------------------------------------------------------------------------------------------

    def _touched(self, cursor: Cursor, surface: int, row: Floats) -> None:
        struck = STRUCK.unpack(row)
        contact = self._contact(cursor, surface, float(struck.time))
        if contact is not None and contact.kind == "grasp":
            self._grasped(cursor, contact, surface, struck)
        else:
            self._bounced(cursor, contact, surface, struck)

    def _contact(self, cursor: Cursor, surface: int, time: float) -> Contact | None:
        """The intended contact that a touch is: the first that fits by partner and time. Those before it were missed."""
        for k, contact in enumerate(cursor.plan):
            if abs(contact.time - time) <= MATCH and surface in self._targets(contact):
                del cursor.plan[: k + 1]
                return contact
        return None

    def _event(self, kind: Any, cursor: Cursor, contact: Contact | None, surface: int, struck: Any) -> Event:
        name = self.world.surfaces.name[surface]
        return Event(
            kind, cursor.thing.name, float(struck.time), name, contact.id if contact else None, surface,
            float(struck.rate), float(struck.gap), struck.feature, float(struck.stick), float(struck.ratio),
            struck.normal, struck.frame, struck.before, struck.after, doubt=_doubt(struck),
        )  # fmt: skip

    def _finish_flight(self, cursor: Cursor, event: Event) -> None:
        cursor.spans.append(Span("flight", cursor.thing.name, cursor.time, event.time, cursor.state))
        cursor.events.append(event)
        cursor.time = cursor.searched = event.time
        cursor.expected, cursor.blind = None, {}

    def _grasped(self, cursor: Cursor, contact: Contact, surface: int, struck: Any) -> None:
        self._finish_flight(cursor, self._event("grasp", cursor, contact, surface, struck))
        frame, before = FRAME.unpack(struck.frame), STATE.unpack(struck.before)
        R = frame.rotation.reshape(3, 3)
        position = R.T @ (before.position - frame.position)
        rotation = R.T @ before.rotation.reshape(3, 3)
        release = self.controls.contacts[contact.id].release
        until = np.inf if release is None else float(release)
        holder = int(self.world.surfaces.frame[surface])
        self._hold(cursor, holder, position, rotation, until, contact.id if release is not None else None)

    def _bounced(self, cursor: Cursor, contact: Contact | None, surface: int, struck: Any) -> None:
        event = self._event("impact", cursor, contact, surface, struck)
        self._finish_flight(cursor, event)
        cursor.state = np.array(struck.after)
        away = -float(struck.rate) * self.law_of(event)[0]
        pull = -float(struck.pull)
        e = self.law_of(event)[0]
        if pull > 0 and 2.0 * away < 0.03 * pull * (1.0 - e):
            self._rest(cursor, surface, struck)
            return
        back = 2.0 * away / pull if pull > 0 else np.inf  # when the pair would meet again, if nothing else happened
        if back < 3 * self.table.step:
            cursor.expected = (surface, event.time + 0.5 * back, event.time + 1.6 * back, event.time + back)
            cursor.blind = {surface: event.time + 1.6 * back}
        else:
            cursor.blind = {surface: event.time + min(0.5 * back, 2 * self.table.step)}

    def _rest(self, cursor: Cursor, surface: int, struck: Any) -> None:
        frame, before = FRAME.unpack(struck.frame), STATE.unpack(struck.before)
        R = frame.rotation.reshape(3, 3)
        self._hold(cursor, int(self.world.surfaces.frame[surface]), R.T @ (before.position - frame.position),
                   R.T @ before.rotation.reshape(3, 3), np.inf, None)  # fmt: skip

    # -- exact kinematics, in chunks ----------------------------------------------------------------------------------

    def frames(self, frame: Any, times: Any) -> Floats:
        """(N, 24) packed motions of frames at times."""
        frame, times = np.asarray(frame, int), np.asarray(times, float)
        rows = np.empty((len(frame), FRAME.width))
        for c, character in enumerate(self.scene.characters):
            first, last = self.world.first_frame[c : c + 2]
            own = np.flatnonzero((frame >= first) & (frame < last))
            items = np.column_stack([frame[own] - first, times[own]])
            rows[own] = self._chunked(
                lambda chunk, c=character: frame_motions(c.skeleton, c.motion, self.controls.motions[c.name], chunk),
                items, FRAME.width,
            )  # fmt: skip
        rows[frame < 0] = STILL_FRAME
        return rows

    def _batched(self, on_body: Any, on_fixture: Any, surface: Floats, items: Floats, width: int) -> Floats:
        """A kernel over items, by the owners of their surfaces."""
        frame = self.world.surfaces.frame[surface]
        rows = np.empty((len(items), width))
        fixed = np.flatnonzero(frame < 0)
        rows[fixed] = self._chunked(lambda chunk: on_fixture(self.gravity, chunk), items[fixed], width)
        for c, character in enumerate(self.scene.characters):
            first, last = self.world.first_frame[c : c + 2]
            own = np.flatnonzero((frame >= first) & (frame < last))
            rows[own] = self._chunked(
                lambda chunk, c=character: on_body(
                    c.skeleton, c.motion, self.controls.motions[c.name], self.gravity, chunk
                ),
                items[own], width,
            )  # fmt: skip
        return rows

    def _chunked(self, kernel: Any, items: Floats, width: int) -> Floats:
        pieces = [np.asarray(kernel(chunk)) for chunk in in_chunks(items, CHUNK)]
        return np.concatenate(pieces)[: len(items)] if pieces else np.zeros((0, width))


def _with_expected(brackets: Brackets, cursors: list[Cursor]) -> Brackets:
    """Small bounces are expected, not searched: the table is too coarse for them."""
    extra = [(k, *c.expected) for k, c in enumerate(cursors) if c.expected is not None]
    if not extra:
        return brackets
    flight, surface, low, high, guess = (np.array(column) for column in zip(*extra, strict=True))
    more = Brackets(flight, surface, low, high, guess, np.ones(len(extra), bool), np.zeros(len(extra)))
    return Brackets(
        *(np.concatenate([getattr(brackets, n), getattr(more, n)]) for n in Brackets.__dataclass_fields__)
    ).sorted()


def _doubt(struck: Any) -> str | None:
    """Why a derivative through this touch holds on one side only, or hardly at all."""
    f, before = FRAME.unpack(struck.frame), STATE.unpack(struck.before)
    relative = before.velocity - f.velocity - np.cross(f.spin, before.position - f.position)
    speed = float(np.linalg.norm(relative))
    if -struck.rate < GRAZING * speed:
        return f"it grazes: only {-struck.rate:.3g} of {speed:.3g} m/s are along the normal"
    if 0.99 < struck.ratio < 1.01:
        return "it is at the border between sticking and sliding"
    return None


def carried(hold: Span, frame: Floats) -> Floats:
    """The packed state of a thing in a hand whose frame moves as given."""
    f = FRAME.unpack(frame)
    R = f.rotation.reshape(3, 3)
    arm = R @ np.asarray(hold.position)
    return np.concatenate([f.position + arm, (R @ hold.rotation).ravel(), f.velocity + np.cross(f.spin, arm), f.spin])


def flown(state: Any, duration: float, gravity: Floats) -> Floats:
    """The packed state of a ball after free flight."""
    s = STATE.unpack(state)
    position = s.position + duration * s.velocity + 0.5 * duration**2 * gravity
    rotation = rotation_exp(duration * s.spin) @ s.rotation.reshape(3, 3)
    return np.concatenate([position, rotation.ravel(), s.velocity + duration * gravity, s.spin])


def simulate(world: World, controls: Controls, table: PoseTable | None = None) -> Trajectories:
    return Discovery(world, controls, table).run()
