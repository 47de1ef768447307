"""Prescribed contacts: declared ones, which happen wherever the thing is by then, and those that a guide leads to."""

from types import SimpleNamespace

import numpy as np

from hoi_edit.scene import Contact
from hoi_edit.scene.controls import snapped
from hoi_edit.simulate.cursor import Cursor, by_search
from hoi_edit.simulate.events.hull_contact import hulls_of
from hoi_edit.simulate.events.hull_impact import collision, hull_touch_row
from hoi_edit.simulate.kind_words import OF_CONTACT
from hoi_edit.simulate.packed_states import relative
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search import STRUCK, flights, touches_at
from kinematics.rotation import Floats


def close(run: Run, cursor: Cursor) -> None:
    """The last span, to the cursor's limit; what happens by itself, or by decree, happens there."""
    due, kind = run.due(cursor)
    decrees = [run.decree(contact) for contact in cursor.plan]
    ahead = [k for k, decree in enumerate(decrees) if decree is not None and decree[0] <= min(cursor.limit, due)]
    if run.context.spans[cursor.span.kind].touches and ahead:
        contact = cursor.plan[ahead[0]]
        del cursor.plan[: ahead[0] + 1]  # what was planned before it has been missed
        _touch_by_decree(run, cursor, contact)
    elif kind is not None and due <= cursor.limit:
        kind.happen(run, [cursor])
    else:
        cursor.spans.append(cursor.span.until(cursor.limit))
        cursor.done = True


def _touch_by_decree(run: Run, cursor: Cursor, contact: Contact) -> None:
    """An intended contact happens at its time, wherever the thing is by then."""
    decree, span = run.decree(contact), cursor.span
    assert decree is not None
    time, surface = decree
    if not cursor.thing.shape.by_centre:
        _hull_by_decree(run, cursor, contact, time, surface)
        return
    kind = run.context.spans[span.kind]
    struck = _prescribed(run, cursor, contact, surface, kind.touch_at(run, cursor, surface, time))
    if cursor.done:
        return
    if contact.catches:
        release, frame = run.context.controls.contacts[contact.id].release, run.context.world.frame(contact.carrier)
        run.hold(cursor, frame, snapped(run.scene, contact), np.eye(3), release, contact.id)
        return
    kind.go_on(run, cursor, span, np.array(struck.after), True)
    cursor.blind |= dict.fromkeys(run.context.laws.targets(contact).tolist(), np.inf)


def _hull_by_decree(run: Run, cursor: Cursor, contact: Contact, time: float, surface: int) -> None:
    """A thing that is not a ball is held from then on as it is by then, be that in the hand or beside it."""
    _lead_hull(run, cursor, contact, time, surface)
    if not cursor.done:
        event, release = cursor.events[-1], run.context.controls.contacts[contact.id].release
        held = relative(np.asarray(event.frame), np.asarray(event.before))
        run.hold(cursor, run.context.world.frame(contact.carrier), *held, release, contact.id)


def _prescribed(run: Run, cursor: Cursor, contact: Contact, surface: int, row: Floats) -> SimpleNamespace:
    """The event of a contact that happens wherever the two are (STRUCK)."""
    struck = run.bounced(cursor.thing, STRUCK.unpack(row), run.context.laws.of_declared(contact))
    impact = run.context.spans[cursor.span.kind].impact_mechanism
    mechanism = "prescribed_grasp" if contact.catches else impact
    event = run.make_event(
        OF_CONTACT[contact.kind], mechanism, cursor, contact, run.context.world.surfaces, surface, struck
    )
    run.append(cursor, cursor.span, event._replace(declared=True))
    return struck


def goes_straight(run: Run, cursor: Cursor) -> bool:
    """Whether a thing is led to its goal through the air: it does not lie, and nothing else is decreed before."""
    lies = cursor.lies and not cursor.events
    if not cursor.led or run.due(cursor)[0] < cursor.limit:
        return False
    return not lies and not any(contact.id in run.guide for contact in cursor.plan[:-1])


def lead(run: Run, cursors: list[Cursor]) -> None:
    """Things to where the guide wants them."""
    at_once, one_by_one = by_search(cursors)
    _lead_balls(run, at_once)
    for cursor in one_by_one:
        _lead_hull(run, cursor, cursor.plan[-1], *run.guide[cursor.plan[-1].id])


def _lead_balls(run: Run, cursors: list[Cursor]) -> None:
    if not cursors:
        return
    contacts = [cursor.plan[-1] for cursor in cursors]
    times, surfaces = np.array([run.guide[contact.id] for contact in contacts]).T
    rows = touches_at(
        run.context.moving, run.context.world.solids, surfaces.astype(np.int64), run.context.gravity,
        packed_flights(run, cursors, times), times.copy(),
    )  # fmt: skip
    for cursor, contact, surface, row in zip(cursors, contacts, surfaces, rows, strict=True):
        _prescribed(run, cursor, contact, int(surface), row)


def _lead_hull(run: Run, cursor: Cursor, contact: Contact, time: float, surface: int) -> None:
    """A thing that is not a ball touches a surface at a time, with what of both is closest by then."""
    context, span, s = run.context, cursor.span, run.context.world.surfaces
    frame, feature = context.frames([s.frame[surface]], [time])[0], hulls_of(context, span, surface).feature(time)
    law, before = context.laws.of_declared(contact), context.state_in(span, time)
    row = hull_touch_row(cursor.thing.body, before, frame, s.patch(surface), feature, law, declared=1.0)
    collided = collision(context.gravity, row, frame)
    struck = SimpleNamespace(**vars(collided), time=time, frame=frame, feature=feature)
    name = "hull_grasp" if contact.catches else "hull_impact"
    event = run.make_event(OF_CONTACT[contact.kind], name, cursor, contact, s, surface, struck)
    run.append(cursor, span, event._replace(declared=True))


def packed_flights(run: Run, cursors: list[Cursor], until: Floats) -> Floats:
    """Flights of cursors as the search takes them."""
    numbers = np.array([(c.time, c.thing.body.radius, c.searched) for c in cursors], float)
    expected = np.full((len(cursors), 4), -1.0)
    for k, cursor in enumerate(cursors):
        if cursor.expected is not None:
            expected[k] = cursor.expected
    states = np.stack([np.asarray(cursor.span.state, float) for cursor in cursors])
    start, radius, searched = numbers.T
    air = run.context.airs([cursor.thing.name for cursor in cursors])
    return flights(start, states, radius, searched, until, expected, air)
