"""Contacts by decree: declared ones, which happen wherever the thing is by then, and those that a guide leads to."""

from types import SimpleNamespace

import numpy as np

from hoi_edit.scene import Contact
from hoi_edit.scene.controls import snapped
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.hull_impact import COLLIDED, bulky_row, collision, hulls_of
from hoi_edit.simulate.events.rolling_impact import look, pushed
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.search import STRUCK, flights, touch_at, touches_at
from hoi_edit.simulate.trajectory import Span
from kinematics.rotation import Floats


def close(simulation: Discovery, cursor: Cursor) -> None:
    """The last span, to the cursor's limit; a contact by decree that ends it happens there."""
    decrees = [simulation.decree(contact) for contact in cursor.plan]
    ahead = [k for k, own in enumerate(decrees) if own is not None and own[0] <= cursor.limit]
    if cursor.hold is None and ahead:
        contact = cursor.plan[ahead[0]]
        del cursor.plan[: ahead[0] + 1]  # what was planned before it has been missed
        _by_decree(simulation, cursor, contact)
        return
    last = cursor.hold or cursor.riding
    last = last or Span("flight", cursor.thing.name, cursor.time, cursor.limit, cursor.state)
    cursor.spans.append(last.until(cursor.limit))
    cursor.done = True


def _by_decree(simulation: Discovery, cursor: Cursor, contact: Contact) -> None:
    """An intended contact happens at its time, wherever the thing is by then."""
    decree = simulation.decree(contact)
    assert decree is not None
    time, surface = decree
    riding = cursor.riding
    if riding is None:
        flight = packed_flights(simulation, [cursor], np.array([time]))[0]
        row = touch_at(simulation.exact.moving, simulation.world.solids, surface, simulation.gravity, flight, time)
    else:
        row, _ = look(simulation, cursor, riding, surface, time)
    struck = _decreed(simulation, cursor, contact, surface, row)
    if cursor.done:
        return
    if contact.kind == "grasp":
        position = snapped(simulation.scene, contact)
        release = simulation.controls.contacts[contact.id].release
        cursor.riding = None
        simulation.hold(cursor, simulation.world.frame(contact.carrier), position, np.eye(3), release, contact.id)
        return
    if riding is None:
        simulation.take_off(cursor, np.array(struck.after))
    else:
        pushed(simulation, cursor, riding, struck.after, meant=True)
    cursor.blind |= dict.fromkeys(simulation.laws.targets(contact).tolist(), np.inf)


def _decreed(simulation: Discovery, cursor: Cursor, contact: Contact, surface: int, row: Floats) -> SimpleNamespace:
    """The event of a contact that happens wherever the two are (STRUCK)."""
    struck = simulation.bounced(cursor.thing, STRUCK.unpack(row), simulation.laws.of_declared(contact))
    event = simulation.make_event(contact.kind, cursor, contact, simulation.world.surfaces, surface, struck)
    span = cursor.riding or simulation.flight_span(cursor)
    simulation.append(cursor, span, event._replace(declared=True))
    return struck


def goes_straight(simulation: Discovery, cursor: Cursor) -> bool:
    """Whether a thing is led to its goal through the air: it does not lie, and nothing else is decreed before."""
    lies = cursor.lies and not cursor.events
    return cursor.led and not lies and not any(contact.id in simulation.guide for contact in cursor.plan[:-1])


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
