"""A thing that is not a ball touches a surface, and may stay on it: at rest, or sliding and rolling in small hops."""

from typing import Any

import numpy as np

from hoi_edit.reporting.findings import Doubt
from hoi_edit.simulate.contact_laws import Law
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.hull_contact import APART
from hoi_edit.simulate.events.hull_impact import HOP, collision
from hoi_edit.simulate.events.hull_support import as_a_whole, standing, stays, without
from hoi_edit.simulate.kind_words import IMPACT, REST
from hoi_edit.simulate.packed_layouts import PAIRED, STATE
from hoi_edit.simulate.packed_states import relative
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.trajectory import Event, Span
from kinematics.packed_motion import SPIN, VELOCITY
from kinematics.rotation import Floats

CROWD, AT_ONCE = 60, 0.05  # so many touches within so many seconds: a thing rattles without end
SHALLOW = 0.5  # of a hop: below, one is over too soon


def comes_to_stand(run: Run, cursor: Cursor, surface: int, struck: Any, law: Law, row: Floats) -> bool:
    """Whether a touch ends in rest, or is a hop of the whole thing; if so, that has been seen to."""
    body, s = cursor.thing.body, run.context.world.surfaces
    stance = standing(body, struck.after, struck.frame, struck.normal, run.context.gravity, s.patch(surface))
    if stays(stance, body, law[1]):
        lies(run, cursor, surface, struck, None if stance.flat else Doubt("on an edge"))
        return True
    crowded = len(cursor.events) >= CROWD and cursor.events[-CROWD].time > float(struck.time) - AT_ONCE
    moments = as_a_whole(stance, body, law[1], crowded)
    if moments is not None:
        _hops(run, cursor, surface, struck, row, moments)
    elif crowded:
        lies(run, cursor, surface, struck, Doubt("laid down"))
    return moments is not None or crowded


def _hops(run: Run, cursor: Cursor, surface: int, struck: Any, row: Floats, moments: Floats) -> None:
    """An impulse on all of it: nothing turns about the axes that are held."""
    whole = np.array(row)
    whole[PAIRED.slices["moments_a"]] = moments
    whole[PAIRED.slices["state_a"]] = without(moments, struck.before, struck.frame)
    told = collision(run.context.gravity, whole, struck.frame)
    struck.after, struck.stick, struck.ratio = told.after, told.stick, told.ratio
    event = run.make_event(IMPACT, "hull_impact", cursor, None, run.context.world.surfaces, surface, struck)
    event = event._replace(restitution=float(told.restitution), hop=True, moments=moments)
    event = event._replace(after=_lifted(np.array(told.after), float(struck.rate), struck.normal))
    run.append(cursor, cursor.span, event)
    run.take_off(cursor, np.asarray(event.after))
    cursor.searched = cursor.time + APART
    cursor.blind = {surface: cursor.searched}


def _lifted(after: Floats, rate: float, normal: Floats) -> Floats:
    """A hop that would be over at once is made one that lasts: by less energy than counts as spent, and only once, as
    the next one then comes as fast as it left."""
    if -rate < SHALLOW * HOP:
        after[STATE.slices["velocity"]] += (HOP + rate) * normal
    return after


def lies(run: Run, cursor: Cursor, surface: int, struck: Any, doubt: Doubt | None = None) -> None:
    """From now on it is carried by what it lies on."""
    event = run.make_event(REST, "hull_rest", cursor, None, run.context.world.surfaces, surface, struck)
    run.append(cursor, cursor.span, event._replace(known_doubt=doubt))
    frame = int(run.context.world.surfaces.frame[surface])
    run.hold(cursor, frame, *relative(struck.frame, struck.before), None, "")


def taken_off(cursor: Cursor, span: Span, event: Event) -> Event:
    """Of a thing that lay: it leaves what it lay on."""
    rests = [past for past in cursor.events if past.time == span.start and past.rests]
    if not rests:
        return event
    normal, after = rests[-1].normal, np.array(event.after)
    speed = float(after[VELOCITY:SPIN] @ normal)
    if -HOP <= speed < HOP:
        after[VELOCITY:SPIN] += (HOP - speed) * normal
        return event._replace(after=after, hop=True)
    return event
