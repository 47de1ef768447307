"""Two balls meet.

Two in free flight fall alike, so one is at rest or in steady motion as seen from the other and the time of their touch
is the root of a quadratic; where one of them feels the air, it is searched for. Where one rolls or lies, both are on
ways of cubics (`search.rolling_pairs`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.ball_pair import knocked
from hoi_edit.simulate.kind_words import IMPACT
from hoi_edit.simulate.meetings.balls_on_held import packed_spans
from hoi_edit.simulate.meetings.base import Entry, Meeting, free_spans
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search.layouts import AIR_AT, BALL_AT, BEGIN_AT, REAL, START_AT, STATE_AT, STEPS_AT, UNTIL_AT
from hoi_edit.simulate.search.rolling_pairs import AGAIN, HOP, first_meeting_of
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.simulate.world import Ints
from kinematics.compiled import compiled, inner
from kinematics.packed_motion import ROTATION, SPIN, VELOCITY
from kinematics.rotation import Floats
from rigid.air_compiled import first_meeting_in_air
from rigid.roots import root_near

SLOWEST = 1e-9  # [m/s] of approach that counts as meeting
NEAR = 1e-5  # [m] of a gap that the cubics of a way may leave


def first_of_balls(run: Run, cursors: list[Cursor], before: float) -> Meeting | None:
    """The earliest touch of two balls before a time."""
    balls = [entry for entry in free_spans(cursors) if entry[0].thing.shape.by_centre]
    flying = [entry for entry in balls if entry[1].flies]
    pair = _first_flying(flying, packed_spans(run, flying), run.context.gravity) if len(flying) > 1 else None
    if len(flying) < len(balls):
        pair = _first_rolling(run, balls, np.inf if pair is None else pair[0]) or pair
    if pair is None or pair[0] > before:
        return None
    time, (a, span_a), (b, span_b) = pair
    return _collision(run, time, a, span_a, b, span_b)


def _first_flying(flying: Sequence[Entry], packed: Floats, gravity: Floats) -> Any:
    """The earliest meeting of two that fly: time, and both with their spans."""
    things = {id(cursor.thing): k for k, (cursor, _) in enumerate(flying)}
    i, j, time = _two_that_meet(packed, np.array([things[id(cursor.thing)] for cursor, _ in flying]), gravity)
    return None if i < 0 else (float(time), flying[i], flying[j])


@compiled
def _two_that_meet(flights: Floats, thing: Ints, gravity: Floats) -> tuple[int, int, float]:
    """The two flights of different things that touch first, and when; -1 if none do."""
    first, second, best = -1, -1, np.inf
    for i in range(len(flights)):
        for j in range(i):
            a, b = flights[i], flights[j]
            since, until = max(a[BEGIN_AT], b[BEGIN_AT]), min(a[UNTIL_AT], b[UNTIL_AT])
            if thing[i] == thing[j] or since >= min(until, best):
                continue
            reach = a[BALL_AT] + b[BALL_AT]
            if a[STEPS_AT] > 0.0 or b[STEPS_AT] > 0.0:
                two = np.array([i, j])
                states, airs = flights[two][:, STATE_AT:BALL_AT].copy(), flights[two][:, AIR_AT:].copy()
                time = first_meeting_in_air(
                    flights[two][:, START_AT].copy(), states, airs, reach, gravity, since, until
                )
            else:
                time = since + _delay(a, b, gravity, since, reach)
            if time < min(until, best):
                first, second, best = i, j, time
    return first, second, best


@inner
def _delay(a: Floats, b: Floats, gravity: Floats, since: float, reach: float) -> float:
    """How long after a time two balls in free flight touch: one is in steady motion as seen from the other."""
    speed, along, square = 0.0, 0.0, -reach * reach
    for k in range(3):
        tau, late = since - a[START_AT], since - b[START_AT]
        u, w = a[STATE_AT + VELOCITY + k], b[STATE_AT + VELOCITY + k]
        x = a[STATE_AT + k] - b[STATE_AT + k] + tau * u - late * w + 0.5 * (tau * tau - late * late) * gravity[k]
        v = u - w + (tau - late) * gravity[k]
        speed += v * v
        along += x * v
        square += x * x
    discriminant = along * along - speed * square
    # balls that overlap when a flight begins (let go by one hand) are not seen: they part, or never were apart
    if along >= -SLOWEST * reach or discriminant <= 0.0 or square <= -1e-9 * reach:
        return np.inf
    return max(square, 0.0) / (-along + np.sqrt(discriminant))


def _first_rolling(run: Run, spans: Sequence[Entry], before: float) -> Any:
    """The earliest meeting of two balls that do not both fly: time, and both with their spans; None if there is none.

    `before` is the time of a meeting that is known.
    """
    riding = [entry for entry in spans if not entry[1].flies]
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
            if a.thing is b.thing or begin >= until or (not span_b.flies and a.thing.name > b.thing.name):
                continue
            if known.get((id(span_a), b.thing.name)) == min(span_a.end, span_b.end):
                continue  # these two end where they have met
            if begin >= before:
                continue
            time = _when_two_meet(run, a, span_a, b, span_b, begin, until)
            if time < before:
                before, best = time, (time, (a, span_a), (b, span_b))
    return best


def _when_two_meet(run: Run, a: Cursor, span_a: Span, b: Cursor, span_b: Span, begin: float, until: float) -> float:
    """When two balls first touch, or inf; each pair of spans is looked at once."""
    key = id(span_a), id(span_b)
    if key not in run.searched_pairs:
        ways = [run.context.waypoints(span) for span in (span_a, span_b)]
        time, reach = np.inf, float(a.thing.body.radius + b.thing.body.radius)
        if min(len(way) for way in ways) > 1:
            time = first_meeting_of(ways[0], ways[1], begin, until, reach)
        if time < np.inf:
            time = _polished(run, span_a, span_b, reach, time)
        # the spans are kept with the answer, so that no other span can come to have their numbers
        run.searched_pairs[key] = time, span_a, span_b
    return float(run.searched_pairs[key][0])


def _polished(run: Run, a: Span, b: Span, reach: float, guess: float) -> float:
    """The instant on the true ways, to round-off."""

    def look(t: float) -> tuple[float, float]:
        (x, _), (y, _) = (run.context.state_and_rates(span, t) for span in (a, b))
        apart = x[:ROTATION] - y[:ROTATION]
        distance = float(np.linalg.norm(apart))
        return distance - reach, float(apart @ (x[VELOCITY:SPIN] - y[VELOCITY:SPIN])) / distance

    return root_near(look, max(a.start, b.start), np.inf, guess, NEAR)


def _collision(run: Run, time: float, a: Cursor, span_a: Span, b: Cursor, span_b: Span) -> Meeting:
    plans = (run.plan_at(a, span_a), run.plan_at(b, span_b))
    law = run.context.laws.of_meeting(a.thing, plans[0], b.thing, plans[1], time)
    before = [run.context.state_in(span, time) for span in (span_a, span_b)]
    after_a, after_b, told = knocked(a.thing, before[0], b.thing, before[1], law)
    rate, normal = float(told[2]), told[4:7]
    gap = float(told[3]) - a.thing.body.radius - b.thing.body.radius
    numbers: dict[str, Any] = {"gap": gap, "stick": float(told[0]), "ratio": float(told[1]), "rate": rate}
    e = max(law[0], min(1.0, HOP / max(-rate, 1e-12)))
    both_fly = span_a.flies and span_b.flies
    if (span_a.rolls or span_b.rolls) and e > law[0]:
        after_a, after_b, told = knocked(a.thing, before[0], b.thing, before[1], (e, *law[1:]))
        numbers |= {"restitution": e, "hop": True, "stick": float(told[0])}
    if gap < -REAL:
        numbers["hop"] = True  # one of them settled meanwhile, or they lean on each other
    numbers["speed"] = float(np.linalg.norm(before[0][VELOCITY:SPIN] - before[1][VELOCITY:SPIN]))
    events = [
        (cursor, span, Event(IMPACT, cursor.thing.name, time, other.thing.name, normal=sign * normal,
                             before=state, after=after, twin=twin, mechanism="ball_pair" if both_fly else "body_pair",
                             **numbers))
        for cursor, span, other, sign, state, after, twin in (
            (a, span_a, b, 1.0, before[0], after_a, before[1]),
            (b, span_b, a, -1.0, before[1], after_b, before[0]),
        )
    ]  # fmt: skip
    return Meeting(events)
