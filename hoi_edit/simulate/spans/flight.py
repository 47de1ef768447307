"""In flight: to the first touch, and to what comes of it."""

from types import SimpleNamespace
from typing import Any

import numpy as np

from hoi_edit.scene import Contact, Thing
from hoi_edit.simulate.contact_laws import MATCH, Law
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.hull_impact import APART, COLLIDED, INSIDE, bulky_row, collision, first_bulky_touch
from hoi_edit.simulate.events.hull_settling import comes_to_stand
from hoi_edit.simulate.events.push_and_jam import crowded, is_crowded, is_kept_on
from hoi_edit.simulate.prescribed import close, packed_flights
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.search import STRUCK, first_touches
from hoi_edit.simulate.search.layouts import BOUNCED, UNTIL_CLEAR
from hoi_edit.simulate.trajectory import Near
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from rigid.air_compiled import acceleration_in_air

WINDOW = 0.8  # [s] searched at a time
SEAM = 1e-3  # [s] by which windows overlap
SUNK = 1e-6  # [m]
LATE = 0.05  # [s] by which an intended contact is commonly late


def fly(simulation: Discovery, cursors: list[Cursor]) -> None:
    """Each cursor to its next event, or to the end of the window."""
    if not cursors:
        return
    limits = [simulation.limit_of(cursor) for cursor in cursors]
    until = np.minimum([_window(cursor) for cursor in cursors], limits)
    blind = np.full((len(cursors), len(simulation.world.surfaces)), -np.inf)
    for k, cursor in enumerate(cursors):
        for surface, time in _unseen(simulation, cursor).items():
            blind[k, surface] = time
    table = simulation.table
    found = first_touches(
        simulation.exact.moving, table.rows(), simulation.world.solids, table.groups, simulation.gravity,
        packed_flights(simulation, cursors, until), blind,
    )  # fmt: skip
    names = simulation.world.surfaces.name
    simulation.near.extend(Near(cursors[int(k)].thing.name, names[int(s)], t, gap) for k, s, t, gap in found.near)
    began_inside = np.asarray(found.inside.any(axis=1))
    for k, cursor in enumerate(cursors):
        surface, touch = int(found.surface[k]), found.touch[k]
        if began_inside[k]:
            depths = {int(s): float(found.inside[k, s]) for s in np.flatnonzero(found.inside[k])}
            _began_inside(simulation, cursor, depths)
        elif surface >= 0 and touch[0] < limits[k]:
            cursor.whole = False
            _touched(simulation, cursor, surface, touch)
        elif until[k] < limits[k] and surface < 0 and UNTIL_CLEAR in cursor.blind.values():
            # a window that begins close to what was left does not see it, though it may be on its way back by then
            cursor.whole = True
        else:
            # a touch at the very end of a window is seen from inside the next one
            cursor.searched = max(cursor.searched, float(until[k]) - SEAM)
            if until[k] >= limits[k] or surface >= 0:
                close(simulation, cursor)


def fly_bulky(simulation: Discovery, cursor: Cursor) -> None:
    """One thing that is not a ball, to its next event or to the end of the window."""
    thing, limit = cursor.thing, simulation.limit_of(cursor)
    until = min(cursor.searched + WINDOW, limit)
    state = np.asarray(cursor.state)
    touch = first_bulky_touch(
        simulation.exact, simulation.table, simulation.inertia(thing), thing.body, state, cursor.time,
        cursor.searched, until, _unseen(simulation, cursor),
    )  # fmt: skip
    if touch is None:
        cursor.searched = until
        if until >= limit:
            close(simulation, cursor)
        return
    s, k = simulation.world.surfaces, touch.surface
    frame = simulation.exact.frames([s.frame[k]], [touch.time])[0]
    law = simulation.laws.of_touch(thing, cursor.plan, s, k, touch.time)
    before = simulation.flown(simulation.flight_span(cursor), touch.time)
    row = bulky_row(thing.body, before, frame, s.patch(k), touch.feature, law)
    collided = COLLIDED.unpack(np.asarray(collision(simulation.gravity, row)))
    if touch.time <= cursor.searched and (collided.rate >= 0.0 or collided.gap < -INSIDE):
        _begins_in(simulation, cursor, k, float(collided.gap), touch.time, float(collided.speed))
        return
    struck = SimpleNamespace(**vars(collided), time=touch.time, frame=frame, feature=touch.feature)
    contact = simulation.take_contact(cursor, s.name[k], touch.time)
    if contact is not None and contact.kind == "grasp":
        simulation.grasped(cursor, simulation.flight_span(cursor), contact, k, struck)
    elif contact is None and comes_to_stand(simulation, cursor, k, struck, law, row):
        return
    else:
        event = simulation.make_event("impact", cursor, contact, s, k, struck)
        if collided.restitution != law[0]:
            event = event._replace(restitution=float(collided.restitution), hop=True)
        simulation.append(cursor, simulation.flight_span(cursor), event)
        simulation.take_off(cursor, np.array(collided.after))
        cursor.searched = cursor.time + APART
        cursor.blind = {k: cursor.searched}


def _window(cursor: Cursor) -> float:
    """How far to look first: where something is intended, a little beyond that."""
    if cursor.whole:
        return cursor.limit
    ahead = [contact.time for contact in cursor.plan[:1] if cursor.searched < contact.time < cursor.searched + 2.0]
    return ahead[0] + LATE if ahead else cursor.searched + WINDOW


def _unseen(simulation: Discovery, cursor: Cursor) -> dict[int, float]:
    """Surfaces that a flight does not see, and until when. On its way into two hands that close on it at once, a
    thing does not see the second: which one is first would else be a matter of round-off."""
    ahead = [contact for contact in cursor.plan[:1] if contact.kind == "grasp" and contact.second is not None]
    closing = {int(s): c.time + MATCH for c in ahead for s in simulation.world.surfaces_of(str(c.second))}
    return cursor.blind | closing


def _began_inside(simulation: Discovery, cursor: Cursor, inside: dict[int, float]) -> None:
    surface, depth = max(inside.items(), key=lambda item: item[1])
    if simulation.strict and not cursor.events and cursor.time == simulation.scene.start:
        raise HoiError(
            f"thing {cursor.thing.name!r} starts {1e3 * depth:.3g} mm inside "
            f"{simulation.world.surfaces.name[surface]!r}; move it out, or let it be held"
        )
    cursor.blind |= dict.fromkeys(inside, np.inf)


def _begins_in(simulation: Discovery, cursor: Cursor, surface: int, gap: float, time: float, speed: float) -> None:
    """A thing that begins its flight in touch and leaves, or was let go inside something."""
    if gap < -INSIDE:
        _began_inside(simulation, cursor, {surface: -gap})
    else:  # a corner leaves, but another one may come down: what lies and is struck must not sink
        # looks are ever farther apart, but never so far that it may have come down by more than a little between two
        cursor.searched = time + max(APART, min(0.1 * (time - cursor.time), SUNK / (speed + 0.1)))
        cursor.blind[surface] = cursor.searched


def _touched(simulation: Discovery, cursor: Cursor, surface: int, touch: Floats) -> None:
    struck, surfaces = STRUCK.unpack(touch), simulation.world.surfaces
    contact = simulation.take_contact(cursor, surfaces.name[surface], float(struck.time))
    if contact is not None and contact.kind == "grasp":
        simulation.grasped(cursor, simulation.flight_span(cursor), contact, surface, simulation.caught(struck))
    else:
        law = simulation.laws.of_contact(cursor.thing, contact, surfaces, surface)
        _bounced(simulation, cursor, contact, surface, simulation.bounced(cursor.thing, struck, law), law)


def _bounced(
    simulation: Discovery, cursor: Cursor, contact: Contact | None, surface: int, struck: Any, law: Law
) -> None:
    event = simulation.make_event("impact", cursor, contact, simulation.world.surfaces, surface, struck)
    span, (e, mu, *_) = simulation.flight_span(cursor), law
    away, pull = -e * float(struck.rate), -_pull(simulation, cursor.thing, struck)
    back = 2.0 * away / pull if pull > 0 else np.inf  # until the pair meets again, if nothing else happens
    if contact is None and is_crowded(cursor, event.time) and crowded(simulation, cursor, span, event, surface, mu):
        return
    if contact is None and is_kept_on(simulation, cursor, surface, event):
        event = event._replace(rate=0.0, speed=0.0, tied=None)
    if back < 0.1 and contact is None and simulation.settled(cursor, span, event, surface, e, mu):
        return
    simulation.append(cursor, span, event)
    simulation.take_off(cursor, np.array(struck.after))
    cursor.blind = {surface: BOUNCED}
    if 0.0 < back < 3 * simulation.table.step:  # what does not spring back at all may slip off an edge
        cursor.expected = (surface, event.time + 0.5 * back, event.time + 1.6 * back, event.time + back)


def _pull(simulation: Discovery, thing: Thing, struck: Any) -> float:
    """What pulls a ball along the normal after its bounce; in air that goes by how it moves."""
    if thing.name not in simulation.world.airs:
        return float(struck.pull)
    air = simulation.world.airs[thing.name]
    before, after = (acceleration_in_air(np.asarray(s), simulation.gravity, air) for s in (struck.before, struck.after))
    return float(struck.pull + struck.normal @ (after - before))
