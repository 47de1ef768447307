"""In flight: to the first touch, and to what comes of it. By which law a thing flies is `dynamics.flight_laws`."""

from collections.abc import Sequence
from types import SimpleNamespace

import numpy as np

from hoi_edit.scene.scene import in_words
from hoi_edit.simulate.accumulator import Accumulator, StateCovectors
from hoi_edit.simulate.contact_laws import MATCH
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.cursor import Cursor, by_search
from hoi_edit.simulate.dynamics.flight_laws import flight_jacobians, flight_law, rate_of
from hoi_edit.simulate.events.grasp import take_hold
from hoi_edit.simulate.events.hull_contact import APART, INSIDE, first_hull_touch
from hoi_edit.simulate.events.hull_impact import collision, hull_touch_row
from hoi_edit.simulate.events.hull_settling import comes_to_stand
from hoi_edit.simulate.events.surface_impact import bounce_off
from hoi_edit.simulate.kind_words import IMPACT
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.prescribed import close, goes_straight, lead, packed_flights
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search import STRUCK, first_touches, touch_at
from hoi_edit.simulate.search.clear_places import nearest_clear_place
from hoi_edit.simulate.search.layouts import UNTIL_CLEAR
from hoi_edit.simulate.spans.base import SpanKind
from hoi_edit.simulate.trajectory import Event, Near, Span
from hoi_edit.simulate.variations import SPIN, VELOCITY
from hoi_edit.simulate.world import Ints
from kinematics.errors import HoiError
from kinematics.rotation import Floats, rotation_between

WINDOW = 0.8  # [s] searched at a time
SEAM = 1e-3  # [s] by which windows overlap
SUNK = 1e-6  # [m]
LATE = 0.05  # [s] by which an intended contact is commonly late


class FlightSpan(SpanKind):
    """Named by the state when it starts; in air also by when that is."""

    def advance(self, run: Run, cursors: list[Cursor]) -> None:
        led, searching = list[Cursor](), list[Cursor]()
        for cursor in cursors:
            (led if goes_straight(run, cursor) else searching).append(cursor)
        lead(run, led)
        at_once, one_by_one = by_search(searching)
        _balls_to_next_touch(run, at_once)
        for cursor in one_by_one:
            _hull_to_next_touch(run, cursor)

    def touch_at(self, run: Run, cursor: Cursor, surface: int, time: float) -> Floats:
        flight = packed_flights(run, [cursor], np.array([time]))[0]
        return touch_at(run.context.moving, run.context.world.solids, surface, run.context.gravity, flight, time)

    def state(self, context: Context, span: Span, t: float) -> Floats:
        return flight_law(context, span.object).state(context, span, t)

    def states(self, context: Context, span: Span, times: Floats) -> Floats:
        return flight_law(context, span.object).states(context, span, times)

    def positions(self, context: Context, span: Span, times: Floats) -> Floats:
        return flight_law(context, span.object).positions(context, span, times)

    def state_and_rates(self, context: Context, span: Span, t: float) -> tuple[Floats, Floats]:
        law = flight_law(context, span.object)
        state = law.state(context, span, t)
        return state, law.rates(context, span, state)

    def defect(self, context: Context, event: Event, span: Span) -> Floats:
        """Place, turn, velocity and spin (12,)."""
        gave = STATE.unpack(context.state_in(span._replace(state=event.after, start=event.time), span.start))
        node = STATE.unpack(np.asarray(span.state))
        turn = rotation_between(gave.rotation.reshape(3, 3), node.rotation.reshape(3, 3))
        return np.concatenate(
            [gave.position - node.position, turn, gave.velocity - node.velocity, gave.spin - node.spin]
        )

    def fastest(self, context: Context, span: Span) -> float:
        s, thing = STATE.unpack(np.asarray(span.state)), context.scene.thing(span.object)
        moments = np.asarray(thing.body.moments)
        momentum = np.linalg.norm(moments * (s.rotation.reshape(3, 3).T @ s.spin))
        fall = np.linalg.norm(context.gravity) * (span.end - span.start)
        turning = momentum / moments.min() * thing.body.reach if thing.shape.turn_matters else 0.0
        return float(np.linalg.norm(s.velocity) + fall + turning)

    def back(self, accumulator: Accumulator, asked: Sequence[StateCovectors]) -> None:
        ends = [(accumulator.span(entry.name, entry.k), entry.time) for entry in asked]
        jacobians = flight_jacobians(accumulator.context, ends)
        for (name, k, _, rows, on), jacobian in zip(asked, jacobians, strict=True):
            accumulator.leave_at(name, k, rows, on @ jacobian)

    def onto(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> Floats:
        context, span, event = accumulator.context, accumulator.span(name, k + 1), accumulator.chain(name).events[k]
        law, after = flight_law(context, name), np.asarray(event.after)
        if law.size > len(STATE_VARIATION):  # it is named by its state and time just after
            return on
        if span.start != event.time:  # a node is named by its state at a time that stays
            on = on @ law.jacobians(context, [(span._replace(state=event.after, start=event.time), span.start)])[0]
        return np.asarray(on @ np.column_stack([STATE_VARIATION, -rate_of(after, law.rates(context, span, after))]))

    def outcome_back(self, context: Context, event: Event, span: Span, on: Floats) -> Floats:
        law = flight_law(context, span.object)
        if law.size == len(STATE_VARIATION):
            return on
        if span.start != event.time:  # then the event's local Jacobian is to that time already
            return np.column_stack([on, np.zeros(len(on))])
        after = np.asarray(event.after)
        return np.column_stack([on, -on @ rate_of(after, law.rates(context, span, after))])

    def start_back(self, accumulator: Accumulator, name: str, rows: Ints, on: Floats) -> None:
        super().start_back(accumulator, name, rows, on)
        accumulator.add(f"{name}.velocity", rows, on[:, VELOCITY])
        accumulator.add(f"{name}.spin", rows, on[:, SPIN])


STATE_VARIATION = np.eye(12)  # of place, turn, velocity and spin


def _balls_to_next_touch(run: Run, cursors: list[Cursor]) -> None:
    """Each cursor to its next event, or to the end of the window."""
    if not cursors:
        return
    limits = [run.limit_of(cursor) for cursor in cursors]
    until = np.minimum([_window(cursor) for cursor in cursors], limits)
    world, table = run.context.world, run.table
    blind = np.full((len(cursors), len(world.surfaces)), -np.inf)
    for k, cursor in enumerate(cursors):
        for surface, time in _unseen(run, cursor).items():
            blind[k, surface] = time
    contacts = first_touches(
        run.context.moving, table.rows(), world.solids, table.groups, run.context.gravity,
        packed_flights(run, cursors, until), blind,
    )  # fmt: skip
    names = world.surfaces.name
    run.near.extend(Near(cursors[int(k)].thing.name, names[int(s)], t, gap) for k, s, t, gap in contacts.near)
    began_inside = np.asarray(contacts.inside.any(axis=1))
    for k, cursor in enumerate(cursors):
        surface, touch = int(contacts.surface[k]), contacts.touch[k]
        if began_inside[k]:
            depths = {int(s): float(contacts.inside[k, s]) for s in np.flatnonzero(contacts.inside[k])}
            _began_inside(run, cursor, depths)
        elif surface >= 0 and touch[0] < limits[k]:
            cursor.whole = False
            _touched(run, cursor, surface, touch)
        elif until[k] < limits[k] and surface < 0 and UNTIL_CLEAR in cursor.blind.values():
            # a window that begins close to what was left does not see it, though it may be on its way back by then
            cursor.whole = True
        else:
            # a touch at the very end of a window is seen from inside the next one
            cursor.searched = max(cursor.searched, float(until[k]) - SEAM)
            if until[k] >= limits[k] or surface >= 0:
                close(run, cursor)


def _hull_to_next_touch(run: Run, cursor: Cursor) -> None:
    """One thing that is not a ball, to its next event or to the end of the window."""
    context, thing, span, limit = run.context, cursor.thing, cursor.span, run.limit_of(cursor)
    until = min(cursor.searched + WINDOW, limit)
    touch = first_hull_touch(context, run.table, span, cursor.searched, until, _unseen(run, cursor))
    if touch is None:
        cursor.searched = until
        if until >= limit:
            close(run, cursor)
        return
    s, k = context.world.surfaces, touch.surface
    frame = context.frames([s.frame[k]], [touch.time])[0]
    law = context.laws.of_touch(thing, cursor.plan, s, k, touch.time)
    row = hull_touch_row(thing.body, context.state_in(span, touch.time), frame, s.patch(k), touch.feature, law)
    collided = collision(context.gravity, row, frame)
    if touch.time <= cursor.searched and (collided.rate >= 0.0 or collided.gap < -INSIDE):
        _begins_in(run, cursor, k, float(collided.gap), touch.time, float(collided.speed))
        return
    struck = SimpleNamespace(**vars(collided), time=touch.time, frame=frame, feature=touch.feature)
    contact = run.take_contact(cursor, s.name[k], touch.time)
    if contact is not None and contact.catches:
        take_hold(run, cursor, span, "hull_grasp", contact, k, struck)
    elif contact is not None or not comes_to_stand(run, cursor, k, struck, law, row):
        event = run.make_event(IMPACT, "hull_impact", cursor, contact, s, k, struck)
        if collided.restitution != law[0]:
            event = event._replace(restitution=float(collided.restitution), hop=True)
        run.append(cursor, span, event)
        run.take_off(cursor, np.array(collided.after))
        cursor.searched = cursor.time + APART
        cursor.blind = {k: cursor.searched}


def _window(cursor: Cursor) -> float:
    """How far to look first: where something is intended, a little beyond that."""
    if cursor.whole:
        return cursor.limit
    ahead = [contact.time for contact in cursor.plan[:1] if cursor.searched < contact.time < cursor.searched + 2.0]
    return ahead[0] + LATE if ahead else cursor.searched + WINDOW


def _unseen(run: Run, cursor: Cursor) -> dict[int, float]:
    """Surfaces that a flight does not see, and until when. On its way into two hands that close on it at once, a
    thing does not see the second: which one is first would else be a matter of round-off."""
    ahead = [contact for contact in cursor.plan[:1] if contact.catches and contact.second is not None]
    closing = {int(s): c.time + MATCH for c in ahead for s in run.context.world.surfaces_of(str(c.second))}
    return cursor.blind | closing


def _began_inside(run: Run, cursor: Cursor, inside: dict[int, float]) -> None:
    surface, depth = max(inside.items(), key=lambda item: item[1])
    if cursor.thing.name in run.strict and not cursor.events and cursor.time == run.scene.start:
        name, other = cursor.thing.name, run.context.world.surfaces.name[surface]
        raise HoiError(f"thing {name!r} starts {1e3 * depth:.3g} mm inside {other!r}; {_way_out(run, cursor)}")
    cursor.blind |= dict.fromkeys(inside, np.inf)


def _way_out(run: Run, cursor: Cursor) -> str:
    """What may be done about a thing that starts inside something."""
    context = run.context
    place, outside = np.asarray(cursor.span.state)[:3], None
    if cursor.thing.shape.by_centre:
        moving, solids = context.moving, context.world.solids
        outside = nearest_clear_place(moving, solids, place, cursor.time, float(cursor.thing.body.radius))
    clear = "" if outside is None else f", to {in_words(outside)} m for instance"
    return f"move it out{clear}, or let it be held"


def _begins_in(run: Run, cursor: Cursor, surface: int, gap: float, time: float, speed: float) -> None:
    """A thing that begins its flight in touch and leaves, or was let go inside something."""
    if gap < -INSIDE:
        _began_inside(run, cursor, {surface: -gap})
    else:  # a corner leaves, but another one may come down: what lies and is struck must not sink
        # looks are ever farther apart, but never so far that it may have come down by more than a little between two
        cursor.searched = time + max(APART, min(0.1 * (time - cursor.time), SUNK / (speed + 0.1)))
        cursor.blind[surface] = cursor.searched


def _touched(run: Run, cursor: Cursor, surface: int, touch: Floats) -> None:
    struck, surfaces = STRUCK.unpack(touch), run.context.world.surfaces
    contact = run.take_contact(cursor, surfaces.name[surface], float(struck.time))
    if contact is not None and contact.catches:
        take_hold(run, cursor, cursor.span, "grasp", contact, surface, run.caught(struck))
    else:
        law = run.context.laws.of_contact(cursor.thing, contact, surfaces, surface)
        bounce_off(run, cursor, contact, surface, run.bounced(cursor.thing, struck, law), law)
