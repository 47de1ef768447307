"""A ball is pressed where there is no way out: it stays where it is, on whatever stands still, until what presses it
has left. Meanwhile that goes through it, and the event says so.
"""

from collections.abc import Sequence

import jax
import numpy as np

from hoi_edit.scene import Thing
from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.dynamics.rolling_motion import begin_contact
from hoi_edit.simulate.events.ball_at_surface import ball_at_surface
from hoi_edit.simulate.events.ball_settling import settle, settle_row
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.events.release import as_carried, end_of_hold
from hoi_edit.simulate.kind_words import GOES_ON, REST
from hoi_edit.simulate.packed_states import all_carried, relative
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search import STRUCK, flights, solids, touches_at
from hoi_edit.simulate.search.layouts import GAP, TOUCHING, UNTIL_OFF
from hoi_edit.simulate.trajectory import Event, Jam, Patch, Span
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats
from rigid.roots import root_between

CROWD, INSTANT = 20, 1e-3  # so many touches of one ball within so many seconds, and it stays where it is
LOOK, LOOKS_AT_ONCE = 1e-3, 512  # [s] between looks at a ball that is jammed, and how many are taken together
LEFT = 1e-6  # [m] what jams a ball is this far off when it has left


class EndOfJam(EventKind):
    """What jammed a ball has left. When that is changes nothing, as the ball is carried on."""

    grows = False
    is_timed = True

    def due(self, run: Run, cursor: Cursor) -> float:
        return end_of_hold(cursor) if cursor.jam >= 0 else np.inf

    def happen(self, run: Run, cursors: Sequence[Cursor]) -> None:
        for cursor, frame, state in zip(cursors, *as_carried(run, cursors), strict=True):
            _go_on(run, cursor, frame, state)

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        on_state = accumulator.after_back(name, k, rows, on)[:, :12]
        accumulator.state_back(name, k, accumulator.chain(name).events[k].time, rows, on_state)


def is_crowded(cursor: Cursor, time: float) -> bool:
    """Whether a ball has touched surfaces, and nothing else, all too often."""
    last = _lately(cursor, time)
    return len(last) >= CROWD and all(event.twin is None for event in last[-CROWD:])


def _lately(cursor: Cursor, time: float) -> list[Event]:
    """What happened to a thing just before a time; its chain may be about to be cut there."""
    events, end = cursor.events, len(cursor.events)
    while end > 0 and events[end - 1].time > time:
        end -= 1
    begin = end
    while begin > 0 and time - events[begin - 1].time < INSTANT:
        begin -= 1
    return events[begin:end]


def is_kept_on(run: Run, cursor: Cursor, surface: int, event: Event) -> bool:
    """Whether a ball touches what it lay on when it was struck, and has not left at all; at a node it may have."""
    if abs(event.rate) > TOUCHING or event.time != cursor.time:
        return False
    if not cursor.spans:
        return bool(cursor.began > run.scene.start)
    return cursor.spans[-1].rolls and cursor.spans[-1].surface == surface


def jam(run: Run, cursor: Cursor, span: Span, event: Event, surface: int | None) -> None:
    """It stays where it is, on what it lay on, or on the surface that it touches if only that stands still."""
    others = [patch for _, patch in _others(cursor, event, span.frame)]
    carrier = span.surface
    if surface is not None and span.frame >= 0 and run.context.world.surfaces.frame[surface] < 0:
        s, carrier = run.context.world.surfaces, surface
        event = event._replace(jam=Jam(s.name[span.surface], s.patch(span.surface)))
        others = [s.patch(span.surface)]
    run.append(
        cursor,
        span,
        event._replace(kind=REST, after=event.before, stick=1.0, ratio=0.0, push=None, mechanism="rolling_rest"),
    )
    if not cursor.done:
        stay(run, cursor, carrier, np.asarray(event.before), others)


def rest_in_a_crowd(run: Run, cursor: Cursor, span: Span, event: Event, surface: int, friction: float) -> bool:
    """Whether a flight between surfaces that come together ends in this touch: at rest on what stands still, or in a
    jam."""
    frame = int(run.context.world.surfaces.frame[surface])
    others = _others(cursor, event, frame)
    if frame >= 0 and any(patch.frame < 0 for _, patch in others):
        return False  # it ends where it next touches that
    law = (0.0, *run.context.laws.of_event(event)[1:])
    spent = event._replace(restitution=0.0)
    struck = STRUCK.unpack(ball_at_surface(run.context, cursor.thing, surface, np.array(event.before), event.time))
    spent = spent._replace(after=run.bounced(cursor.thing, struck, law).after)
    if others and settle(run, cursor, span, spent, surface, 0.0, friction):
        return True
    pressed = Jam(*others[-1]) if others else None
    rest = event._replace(kind=REST, after=event.before, stick=1.0, ratio=0.0, jam=pressed, mechanism="rest_in_crowd")
    run.append(cursor, span, rest)
    if others:
        stay(run, cursor, surface, np.asarray(event.before), [patch for _, patch in others])
    else:
        run.hold(cursor, frame, *relative(np.asarray(event.frame), np.asarray(event.before)), None, "")
    return True


def _others(cursor: Cursor, event: Event, frame: int) -> list[tuple[str, Patch]]:
    """What a ball has touched lately and now, beside what stays with a frame."""
    touches = (*_lately(cursor, event.time), event)
    touched = [(str(touch.other), touch.patch) for touch in touches if touch.patch is not None]
    return [(name, patch) for name, patch in touched if patch.frame != frame]


def stay(run: Run, cursor: Cursor, surface: int, state: Floats, others: Sequence[Patch]) -> None:
    """Jammed on a surface until all others have left."""
    frame = int(run.context.world.surfaces.frame[surface])
    place = relative(run.context.frames([frame], [cursor.time])[0], state)
    run.hold(cursor, frame, *place, None, "")
    cursor.release, cursor.jam = _left(run, cursor, cursor.span, others), surface


def _left(run: Run, cursor: Cursor, hold: Span, others: Sequence[Patch]) -> float:
    """When all of some surfaces have left a ball that stays; inf if they do not. What carries it may have taken it into
    something else meanwhile: that has to be left, too, or it would never be seen again."""
    time, waited = _apart(run, cursor, hold, others, cursor.time), list(others)
    while time < cursor.limit and (within := _around(run, cursor, hold, time)):
        waited += within
        time = _apart(run, cursor, hold, waited, time)
    return time


def _around(run: Run, cursor: Cursor, hold: Span, time: float) -> list[Patch]:
    """What a ball that is carried along is inside of at a time, beside what carries it."""
    s, now = run.context.world.surfaces, np.array([time])
    patches = [s.patch(int(k)) for k in np.flatnonzero(s.frame != hold.frame)]
    return [patch for patch in patches if gaps_of_held(run.context, cursor.thing, hold, patch, now)[0] < -LEFT]


def _apart(run: Run, cursor: Cursor, hold: Span, others: Sequence[Patch], begin: float) -> float:
    """When all of some surfaces are off a ball that is carried along; inf if that never is."""

    def apart(times: Floats) -> Floats:
        gaps = [gaps_of_held(run.context, cursor.thing, hold, patch, times) for patch in others]
        return np.asarray(np.min(gaps, axis=0) - LEFT)

    while begin < cursor.limit:
        times = begin + LOOK * np.arange(1.0, LOOKS_AT_ONCE + 1.0)
        off = np.flatnonzero(apart(times) > 0.0)
        if len(off):
            left = float(times[off[0]])
            if off[0] == 0:
                return left
            return root_between(lambda t: -float(apart(np.array([t]))[0]), left - LOOK, left)
        begin = float(times[-1])
    return np.inf


def gaps_of_held(context: Context, thing: Thing, hold: Span, patch: Patch, times: Floats) -> Floats:
    """(N,) of a ball that is carried along, from a surface, at times."""
    states = all_carried([hold] * len(times), context.frames(np.full(len(times), hold.frame), times))
    packed = flights(times, states, np.full(len(times), float(thing.body.radius)), times, times)
    one = solids(np.array([patch.frame]), patch.place[None], patch.turned[None], patch.core[None], patch.radius)
    zeros = np.zeros(len(times), np.int64)
    return np.asarray(touches_at(context.moving, one, zeros, context.gravity, packed, times)[:, GAP])


def _go_on(run: Run, cursor: Cursor, frame: Floats, state: Floats) -> None:
    """What jammed a ball has left: it lies on what carried it, or falls off that."""
    s, k = run.context.world.surfaces, cursor.jam
    event = Event(
        GOES_ON, cursor.thing.name, cursor.release, s.name[k], frame=frame, after=state, mechanism="end_of_jam"
    )
    run.append(cursor, cursor.span, event)
    friction = run.context.laws.of_touch(cursor.thing, [], s, k, cursor.time)[1]
    row = settle_row(run.context, cursor, k, frame, state, 0.0, friction)
    settles, _, contact, ride, _ = jax.device_get(begin_contact(run.context.gravity, row))
    if settles:
        run.roll_on(cursor, k, contact, ride)
    else:
        run.take_off(cursor, state)
        cursor.blind = {k: UNTIL_OFF}
