"""Contacts by decree: declared ones, which happen wherever the thing is by then, and those that a guide leads to."""

from types import SimpleNamespace

import numpy as np

from hoi_edit.controls import snapped
from hoi_edit.cursor import Cursor
from hoi_edit.discover.discovery import Discovery
from hoi_edit.rollout import Span
from hoi_edit.scene import Contact
from hoi_edit.search import STRUCK, flights, touch_at, touches_at
from hoi_edit.touches.bulky import COLLIDED, bulky_row, collision, hulls_of
from kinematics.rotation import Floats


def close(simulation: Discovery, cursor: Cursor) -> None:
    """The last span, to the cursor's limit; a declared contact that ends it happens there."""
    declared = [k for k, contact in enumerate(cursor.plan) if contact.declared and contact.time <= cursor.limit]
    if cursor.state is not None and declared:
        contact = cursor.plan[declared[0]]
        del cursor.plan[: declared[0] + 1]  # what was planned before it has been missed
        _declared(simulation, cursor, contact)
        return
    last = cursor.hold or cursor.riding
    last = last or Span("flight", cursor.thing.name, cursor.time, cursor.limit, cursor.state)
    cursor.spans.append(last.until(cursor.limit))
    cursor.done = True


def _declared(simulation: Discovery, cursor: Cursor, contact: Contact) -> None:
    """An intended contact happens at its time, wherever the thing is by then."""
    surface = int(simulation.laws.targets(contact)[0])
    flight = packed_flights(simulation, [cursor], np.array([contact.time]))[0]
    row = touch_at(simulation.exact.moving, simulation.world.solids, surface, simulation.gravity, flight, contact.time)
    struck = _decreed(simulation, cursor, contact, surface, row)
    if contact.kind == "grasp":
        position = snapped(simulation.scene, contact)
        release = simulation.controls.contacts[contact.id].release
        simulation.hold(cursor, simulation.world.frame(contact.carrier), position, np.eye(3), release, contact.id)
    else:
        simulation.take_off(cursor, np.array(struck.after))
        cursor.blind = dict.fromkeys(simulation.laws.targets(contact).tolist(), np.inf)


def _decreed(simulation: Discovery, cursor: Cursor, contact: Contact, surface: int, row: Floats) -> SimpleNamespace:
    """The event of a contact that happens wherever the two are (STRUCK)."""
    struck = simulation.bounced(cursor.thing, STRUCK.unpack(row), simulation.laws.of_declared(contact))
    event = simulation.make_event(contact.kind, cursor, contact, simulation.world.surfaces, surface, struck)
    simulation.append(cursor, simulation.flight_span(cursor), event._replace(declared=True))
    return struck


def lead(simulation: Discovery, cursors: list[Cursor]) -> None:
    """Balls to where the guide wants them."""
    if not cursors:
        return
    contacts = [cursor.plan[-1] for cursor in cursors]
    times, surfaces = np.array([simulation.guide[contact.id] for contact in contacts]).T
    rows = touches_at(
        simulation.exact.moving, simulation.world.solids, surfaces.astype(np.int64), simulation.gravity,
        packed_flights(simulation, cursors, times), times.copy(),
    )  # fmt: skip
    for cursor, contact, surface, row in zip(cursors, contacts, surfaces, rows, strict=True):
        _decreed(simulation, cursor, contact, int(surface), row)


def lead_bulky(simulation: Discovery, cursor: Cursor, contact: Contact, time: float, surface: int) -> None:
    """A thing that is not a ball touches a surface at a time, with what of both is closest by then."""
    span, s = simulation.flight_span(cursor), simulation.world.surfaces
    inertia = simulation.inertia(cursor.thing)
    hulls = hulls_of(simulation.exact, surface, inertia, cursor.thing.body, np.asarray(cursor.state), cursor.time)
    frame, feature = simulation.exact.frames([s.frame[surface]], [time])[0], hulls.feature(time)
    law = simulation.laws.of_declared(contact)
    before = simulation.flown(span, time)
    row = bulky_row(cursor.thing.body, before, frame, s.patch(surface), feature, law, declared=1.0)
    collided = COLLIDED.unpack(np.asarray(collision(simulation.gravity, row)))
    struck = SimpleNamespace(**vars(collided), time=time, frame=frame, feature=feature)
    event = simulation.make_event(contact.kind, cursor, contact, s, surface, struck)
    simulation.append(cursor, span, event._replace(declared=True))


def packed_flights(simulation: Discovery, cursors: list[Cursor], until: Floats) -> Floats:
    """Flights of cursors as the search takes them."""
    numbers = np.array([(c.time, c.thing.body.radius, c.searched) for c in cursors], float)
    expected = np.full((len(cursors), 4), -1.0)
    for k, cursor in enumerate(cursors):
        if cursor.expected is not None:
            expected[k] = cursor.expected
    states = np.stack([np.asarray(cursor.state, float) for cursor in cursors])
    start, radius, searched = numbers.T
    return flights(start, states, radius, searched, until, expected, simulation.airs([c.thing.name for c in cursors]))
