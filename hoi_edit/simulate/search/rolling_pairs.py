"""Where two balls meet of which at least one rests, slides or rolls.

Each is on a way of cubics (`riding`); seen from one the other moves on a cubic too, whose acceleration is greatest at
one of its ends, so that what is ruled out is ruled out for certain. Two that lean on each other would touch for ever:
they part with at least `HOP`, or as they came, and while they are in touch they are seen again when they have come to
approach each other by as much.
"""

from typing import Any

import numpy as np

from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.packed_states import flown
from hoi_edit.simulate.search.layouts import CLEAR, FLIGHT_WIDTH, STATE_AT, TOUCHING, VELOCITY_AT
from hoi_edit.simulate.search.rolling_contact import FINEST, ONE, is_clear, place_at
from hoi_edit.simulate.trajectory import Span
from kinematics.compiled import compiled, inner
from kinematics.packed_motion import ACCEL, ROTATION, SPIN, SPIN_ACCEL, VELOCITY
from kinematics.rotation import Floats
from rigid.roots import MOST_LOOKS, next_look, search_between

HOP = 0.05  # [m/s]
OFF = 1e-6  # [m] as far apart as this, two that leaned do not lean any more
DEEP = 0.2  # share of both radii by which two may overlap when they begin, to be driven apart; deeper is inside
MOST = 64  # stretches that are open at once
NEAR = 1e-5  # [m] of a gap that the cubics of a way may leave
AGAIN = 1e-9  # [s] two touches of the same two things that are closer than this are one


def way_of_span(span: Span, gravity: Floats) -> Floats:
    """(K, 7) times, places and velocities of a ball in flight, in contact, or lying in the world."""
    if span.way is not None:
        return span.way
    if span.kind == "held":
        return np.array([[t, *np.asarray(span.position), 0.0, 0.0, 0.0] for t in (span.start, span.end)])
    ends = (np.asarray(span.state, float), flown(np.asarray(span.state, float), span.end - span.start, gravity))
    return np.array([[t, *s[:ROTATION], *s[VELOCITY:SPIN]] for t, s in zip((span.start, span.end), ends, strict=True)])


@inner
def _apart(a: Floats, i: int, b: Floats, j: int, t: float, reach: float, desk: Floats, out: Floats) -> None:
    """Time, gap, rate, speed and a bound on the acceleration of two balls at a time, into `out` (5,)."""
    place_at(a, i, t, desk[0], desk[2])
    place_at(b, j, t, desk[1], desk[3])
    square, along, speed, pull = 0.0, 0.0, 0.0, 0.0
    for k in range(3):
        x = desk[0, STATE_AT + k] - desk[1, STATE_AT + k]
        v = desk[0, VELOCITY_AT + k] - desk[1, VELOCITY_AT + k]
        square += x * x
        along += x * v
        speed += v * v
        pull += (desk[2, k] - desk[3, k]) ** 2
    distance = np.sqrt(square)
    out[0], out[1], out[2] = t, distance - reach, along / max(distance, 1e-300)
    out[3], out[4] = np.sqrt(speed), np.sqrt(pull)


@inner
def _meet_within(
    a: Floats, i: int, b: Floats, j: int, begin: float, until: float, reach: float, desk: Floats, stack: Floats
) -> float:
    """When two balls that are apart at `begin` first touch between two times, or inf."""
    _apart(a, i, b, j, begin, reach, desk, stack[0, :ONE])
    _apart(a, i, b, j, until, reach, desk, stack[0, ONE:])
    count = 1
    while count > 0:
        count -= 1
        low, high = stack[count, :ONE].copy(), stack[count, ONE:].copy()
        length = high[0] - low[0]
        if high[1] > 0.0 and is_clear(low, high, length):
            continue
        if length <= FINEST or count + 2 > MOST:
            if high[1] <= 0.0:
                return high[0]
            continue
        middle = np.empty(ONE)
        _apart(a, i, b, j, 0.5 * (low[0] + high[0]), reach, desk, middle)
        if middle[1] > 0.0:  # the later half waits below the earlier one
            stack[count, :ONE], stack[count, ONE:] = middle, high
            count += 1
        stack[count, :ONE], stack[count, ONE:] = low, middle
        count += 1
    return np.inf


@compiled
def first_meeting_of(a: Floats, b: Floats, begin: float, until: float, reach: float) -> float:
    """When two balls on their ways (K, 7) first touch between two times, or inf."""
    desk, stack, look = np.zeros((4, FLIGHT_WIDTH)), np.empty((MOST + 2, 2 * ONE)), np.empty(ONE)
    i, j, t, enough, first = 0, 0, begin, 0.0, True
    while t < until:
        while i < len(a) - 2 and a[i + 1, 0] <= t:
            i += 1
        while j < len(b) - 2 and b[j + 1, 0] <= t:
            j += 1
        end = until
        for edge in (a[i + 1, 0], b[j + 1, 0]):
            end = edge if t < edge < end else end
        if first:
            _apart(a, i, b, j, t, reach, desk, look)
            enough = 0.0 if look[1] > TOUCHING else (CLEAR if look[1] < -DEEP * reach else OFF)
            if enough == OFF and look[2] < -HOP:
                return t
            first = False
        start = t
        if enough > 0.0:
            for k in range(17):
                start = t + (end - t) * k / 16.0
                _apart(a, i, b, j, start, reach, desk, look)
                if enough == OFF and look[1] <= OFF and look[2] < -HOP:
                    return start
                if look[1] > enough:
                    enough = 0.0
                    break
        if enough == 0.0 and start < end:
            touched = _meet_within(a, i, b, j, start, end, reach, desk, stack)
            if touched < np.inf:
                return touched
        t = end
    return np.inf


def state_of_span(simulation: Any, span: Span, t: float) -> tuple[Floats, Floats]:
    """The packed state of a thing at a time of a span, and its acceleration and that of its spin (6,)."""
    if span.kind == "contact":
        ridden: tuple[Floats, Floats] = simulation.ridden_and_rates(span, t)
        return ridden
    if span.kind == "held":
        return carried_with_rates(span, simulation.exact.frames([span.frame], [t])[0])
    state = simulation.flown(span, t)
    R_world_body, spin = state[ROTATION:VELOCITY].reshape(3, 3), state[SPIN:]
    moments = np.asarray(simulation.scene.thing(span.object).body.moments, float)
    spin_in_body = R_world_body.T @ spin
    spin_accel = R_world_body @ (np.cross(moments * spin_in_body, spin_in_body) / moments)
    return state, np.concatenate([simulation.gravity, spin_accel])


def carried_with_rates(span: Span, frame: Floats) -> tuple[Floats, Floats]:
    R_world_frame, spin = frame[ROTATION:VELOCITY].reshape(3, 3), frame[SPIN:ACCEL]
    arm = R_world_frame @ np.asarray(span.position)
    rotation, turning = R_world_frame @ np.asarray(span.rotation), np.cross(spin, arm)
    state = np.concatenate([frame[:ROTATION] + arm, rotation.ravel(), frame[VELOCITY:SPIN] + turning, spin])
    accel = frame[ACCEL:SPIN_ACCEL] + np.cross(frame[SPIN_ACCEL:], arm) + np.cross(spin, turning)
    return state, np.concatenate([accel, frame[SPIN_ACCEL:]])


def first_of_pairs(simulation: Any, spans: list[tuple[Cursor, Span]], before: float) -> Any:
    """The earliest meeting of two balls that do not both fly: time, and both with their spans; None if there is none.

    `before` is the time of a meeting that is known.
    """
    riding = [entry for entry in spans if entry[1].kind != "flight"]
    best = None
    known = {
        (id(span), event.other): event.time
        for cursor in {id(cursor): cursor for cursor, _ in spans}.values()
        for span, event in zip(cursor.spans, cursor.events, strict=False)
        if event.twin is not None
    }
    for a, span_a in riding:
        for b, span_b in spans:
            # at its very end a span has touched what ended it: that is known
            begin, until = max(span_a.start, span_b.start), min(span_a.end, span_b.end) - AGAIN
            if a.thing is b.thing or begin >= until or (span_b.kind != "flight" and a.thing.name > b.thing.name):
                continue
            if known.get((id(span_a), b.thing.name)) == min(span_a.end, span_b.end):
                continue  # these two end where they have met
            if begin >= before:
                continue
            time = _first_of(simulation, a, span_a, b, span_b, begin, until)
            if time < before:
                before, best = time, (time, (a, span_a), (b, span_b))
    return best


def _first_of(simulation: Any, a: Cursor, span_a: Span, b: Cursor, span_b: Span, begin: float, until: float) -> float:
    """When two balls first touch, or inf; each pair of spans is looked at once."""
    key = id(span_a), id(span_b)
    if key not in simulation.searched_pairs:
        ways = [way_of_span(span, simulation.gravity) for span in (span_a, span_b)]
        time, reach = np.inf, float(a.thing.body.radius + b.thing.body.radius)
        if min(len(way) for way in ways) > 1:
            time = first_meeting_of(ways[0], ways[1], begin, until, reach)
        if time < np.inf:
            time = _polished(simulation, span_a, span_b, reach, time)
        # the spans are kept with the answer, so that no other span can come to have their numbers
        simulation.searched_pairs[key] = time, span_a, span_b
    return float(simulation.searched_pairs[key][0])


def _polished(simulation: Any, a: Span, b: Span, reach: float, guess: float) -> float:
    """The instant on the true ways, to round-off."""
    search, t = search_between(max(a.start, b.start), np.inf), guess
    for _ in range(MOST_LOOKS):
        (x, _), (y, _) = (state_of_span(simulation, span, t) for span in (a, b))
        apart = x[:ROTATION] - y[:ROTATION]
        distance = float(np.linalg.norm(apart))
        gap, rate = distance - reach, float(apart @ (x[VELOCITY:SPIN] - y[VELOCITY:SPIN])) / distance
        if rate >= 0.0 or abs(gap) > NEAR:
            break
        search, then = next_look(search, t, gap, rate)
        if then == t:
            break
        t = then
    return search.best if np.isfinite(search.least) else guess
