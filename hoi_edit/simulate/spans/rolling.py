"""In sustained contact: rolling and sliding, chunk by chunk, to where that ends."""

from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.rolling_impact import over_the_seam, strike, way_of
from hoi_edit.simulate.prescribed import close
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.search.layouts import UNTIL_OFF
from hoi_edit.simulate.spans.rolling_motion import end_of
from hoi_edit.simulate.trajectory import Event
from rigid.rolling_ends import GRIP, LIFT, NONE

_END_KINDS = {NONE: "goes on", LIFT: "leave", 1: "edge", 2: "edge", 3: "edge"}


def ride_on(simulation: Discovery, cursor: Cursor) -> None:
    """To the end of a chunk of contact."""
    span, s = cursor.riding, simulation.world.surfaces
    assert span is not None
    ridden, end, ride, contact, times, states = end_of(
        simulation.frames_under(span), s.place[span.surface], s.turned[span.surface], span.contacting
    )
    limit = simulation.limit_of(cursor)
    until = min(float(end.time), limit)
    span = span._replace(ending=end, way=way_of(times, states, until), ridden=ridden)
    is_led = any(contact.id in simulation.guide for contact in cursor.plan)
    if not is_led and strike(simulation, cursor, span, until):
        return
    if float(end.time) >= limit:
        cursor.riding = span
        close(simulation, cursor)
        return
    grip = "roll" if bool(contact.rolls) else "slide"
    kind = grip if int(end.kind) == GRIP else _END_KINDS[int(end.kind)]
    event = Event(kind, cursor.thing.name, float(end.time), s.name[span.surface], after=states[-1])  # type: ignore[arg-type]
    if kind == "edge" and over_the_seam(simulation, cursor, span, states[-1], event.time):
        return
    simulation.append(cursor, span, event)
    if int(end.kind) == LIFT:
        simulation.take_off(cursor, states[-1])
        cursor.blind = {span.surface: UNTIL_OFF}
    else:
        simulation.in_contact(cursor, span.surface, contact, ride)
