"""Where things meet each other: in flight, or one of them in a hand.

Two balls in free flight fall alike, so one is at rest or in steady motion as seen from the other and the time of their
touch is the root of a quadratic; where one of them feels the air, it is searched for. A thing in a hand is one more
surface on that hand's frame.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from types import SimpleNamespace
from typing import Any

import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.columns import Columns
from hoi_edit.simulate.events.push_and_jam import Partner, answered
from hoi_edit.simulate.events.rolling_impact import Among, strike_of
from hoi_edit.simulate.packed_layouts import STATE
from hoi_edit.simulate.search import first_touches, solids
from hoi_edit.simulate.search import flights as packed_flights
from hoi_edit.simulate.search.layouts import (
    AIR_AT,
    BALL_AT,
    BEGIN_AT,
    NEVER,
    REAL,
    START_AT,
    STATE_AT,
    STEPS_AT,
    UNTIL_AT,
    UNTIL_CLEAR,
    UNTIL_OFF,
    Groups,
    PoseRows,
    Solids,
)
from hoi_edit.simulate.search.rolling_pairs import AGAIN, HOP, first_of_pairs, state_of_span
from hoi_edit.simulate.trajectory import Event, Jam, Near, Patch, Span
from hoi_edit.simulate.world import Ints, PoseTable, Surfaces
from kinematics.compiled import compiled, inner
from kinematics.rotation import Floats, rotation_exp
from rigid.air_compiled import first_meeting_in_air
from rigid.body import extents, is_ball
from rigid.free_flight import State
from rigid.impact import Free, Material, choose_mode, collide
from rigid.impact_compiled import pair_impact

SLOWEST = 1e-9  # [m/s] of approach that counts as meeting

_ONE = {"state": STATE.width, "start": 0, "radius": 0, "inverse_mass": 0, "inverse_moment": 0}
PAIR = Columns(
    **{f"{name}_{which}": width for which in "ab" for name, width in _ONE.items()}, time=0, restitution=0, friction=0,
    normal_turn=3, stick=0,
)  # fmt: skip


@dataclass(frozen=True, eq=False)
class Meeting:
    """Cursors to be cut, each with the event that it goes on from."""

    events: list[tuple[Any, Span, Event]]

    @property
    def time(self) -> float:
        return self.events[0][2].time


def exchanged(item: Any, a: State, b: State, normal: Array, stick: Array | None) -> tuple[State, State, Array, Array]:
    """Both states after the impulse between two balls; the normal points from b to a."""
    free_a = Free(item.inverse_mass_a, item.inverse_moment_a * jnp.eye(3), a.position, a.velocity, a.angular_velocity)
    free_b = Free(item.inverse_mass_b, item.inverse_moment_b * jnp.eye(3), b.position, b.velocity, b.angular_velocity)
    point = b.position + item.radius_b * normal
    normal = rotation_exp(item.normal_turn) @ normal
    material = Material(item.restitution, item.friction)
    chosen, ratio = choose_mode(free_a, free_b, point, normal, material)
    stick = chosen if stick is None else stick
    v_a, w_a, v_b, w_b = collide(free_a, free_b, point, normal, material, stick)
    return State(a.position, a.rotation, v_a, w_a), State(b.position, b.rotation, v_b, w_b), stick, ratio


def free_spans(cursors: list[Any]) -> list[tuple[Any, Span]]:
    """All but those in hands, and those that are led past everything."""
    return [
        (cursor, span)
        for cursor in cursors
        for span in cursor.spans
        if (span.kind != "held" or span.frame < 0) and not (cursor.led and span.kind == "flight")
    ]


def first_meeting(simulation: Any, cursors: list[Any]) -> Meeting | None:
    """The earliest touch of a ball with another, or with a thing in a hand, that has not been dealt with."""
    balls = [entry for entry in free_spans(cursors) if is_ball(entry[0].thing.body)]
    flights = [entry for entry in balls if entry[1].kind == "flight"]
    packed = _flights(simulation, flights) if flights else np.empty((0, 0))
    pair = _first_pair(flights, packed, simulation.gravity)
    if len(flights) < len(balls):
        pair = first_of_pairs(simulation, balls, np.inf if pair is None else pair[0]) or pair
    held = _first_on_held(simulation, flights, packed, cursors)
    riding = _first_riding_on_held(simulation, [entry for entry in balls if entry[1].kind == "contact"], cursors)
    if riding is not None and (held is None or riding.time < held.time):
        held = riding
    if pair is not None and (held is None or pair[0] <= held.time):
        time, (a, span_a), (b, span_b) = pair
        return _collision(simulation, time, a, span_a, b, span_b)
    return held


def _first_on_held(
    simulation: Any, flights: list[tuple[Any, Span]], packed: Floats, cursors: list[Any]
) -> Meeting | None:
    """The earliest touch of a flying ball with a thing in a hand."""
    holds = _holds(cursors)
    if not holds or not flights:
        return None
    found = first_touches(
        simulation.exact.moving, *_as_groups(simulation, holds), simulation.gravity,
        packed, _blind(simulation, flights, holds),
    )  # fmt: skip
    simulation.near.extend(
        Near(flights[int(k)][0].thing.name, holds[int(h)][0].thing.name, t, gap) for k, h, t, gap in found.near
    )
    time = np.where(found.surface >= 0, found.touch[:, 0], np.inf)
    k = int(np.argmin(time))
    if time[k] == np.inf:
        return None
    (cursor, span), (holder, hold) = flights[k], holds[found.surface[k]]
    surfaces = Surfaces.of([held_patch(holder.thing, hold)], [holder.thing.name])
    return Meeting([(cursor, span, simulation.held_event(cursor, span, surfaces, 0, found.touch[k]))])


def _holds(cursors: list[Any]) -> list[tuple[Any, Span]]:
    """Things while they are in hands."""
    return [
        (c, span)
        for c in cursors
        for span in c.spans
        if span.kind == "held" and span.frame >= 0 and span.end > span.start
    ]


def _first_riding_on_held(simulation: Any, rides: list[tuple[Any, Span]], cursors: list[Any]) -> Meeting | None:
    """The earliest touch of a ball that rests, slides or rolls with a thing in a hand; each ride is looked at once."""
    holds = _holds(cursors)
    if not holds or not rides:
        return None
    best, surroundings = None, _as_groups(simulation, holds)
    for cursor, span in rides:
        key = id(span), hash(tuple(id(hold) for _, hold in holds))
        if key not in simulation.searched_pairs:
            hidden = np.array([cursor.thing is holder.thing for holder, _ in holds], np.int64)
            found = strike_of(simulation, cursor, span, span.end - AGAIN, Among(*surroundings, hidden))
            # what is kept with the answer cannot lose its number to something else
            simulation.searched_pairs[key] = found, span, holds
        found = simulation.searched_pairs[key][0]
        if found is not None and (best is None or found[1].time < best[2][1].time):
            best = cursor, span, found
    return None if best is None else _struck_by_held(simulation, *best, holds, surroundings[1])


def _struck_by_held(simulation: Any, cursor: Any, span: Span, found: Any, holds: list[Any], held: Solids) -> Meeting:
    (k, _, at_once), struck, _ = found
    struck, (holder, hold) = SimpleNamespace(**vars(struck)), holds[k]
    patch, plan = held_patch(holder.thing, hold), simulation.plan_at(cursor, span)
    surfaces = Surfaces.of([patch], [holder.thing.name])
    law = simulation.laws.of_touch(cursor.thing, plan, surfaces, 0, float(struck.time))
    meant = simulation.laws.match(plan, holder.thing.name, float(struck.time)) is not None
    told = answered(
        simulation, cursor, span, Partner(held, k, Jam(holder.thing.name, patch)), struck, law, meant, at_once
    )
    event = simulation.make_event("impact", cursor, None, surfaces, 0, struck)._replace(**told)
    return Meeting([(cursor, span, event)])


def _flights(simulation: Any, flights: list[tuple[Any, Span]]) -> Floats:
    start, end, radius = np.array([(span.start, span.end, c.thing.body.radius) for c, span in flights], float).T.copy()
    states = np.stack([np.asarray(span.state, float) for _, span in flights])
    # at its very end a flight has touched what ended it: that is known
    air = simulation.airs([c.thing.name for c, _ in flights])
    return packed_flights(start, states, radius, start, end - AGAIN, air=air)


def _as_groups(simulation: Any, holds: list[Any]) -> tuple[PoseRows, Solids, Groups]:
    """Things in hands as surfaces while they are held; those of one hand are in the sphere about its own middle."""
    table: PoseTable = simulation.table
    frame = np.array([span.frame for _, span in holds], np.int64)
    place = np.array([span.position for _, span in holds])
    core = np.array([simulation.world.extents[c.thing.name] for c, _ in holds])
    begin, until, radius = np.array([(span.start, span.end - AGAIN, c.thing.body.radius) for c, span in holds]).T
    held = solids(frame, place, np.array([span.rotation for _, span in holds]), core, radius, begin, until)
    hands, own, count = np.unique(frame, return_inverse=True, return_counts=True)
    reach = np.zeros(len(hands))
    away = np.linalg.norm(place - simulation.world.bounds[0][frame], axis=1)
    np.maximum.at(reach, own, away + np.linalg.norm(core, axis=1) + radius)
    first = np.concatenate([[0], np.cumsum(count)])
    sphere = np.column_stack([reach, table.speed[hands]])
    groups = Groups(sphere, first, np.argsort(own, kind="stable"), np.zeros(0, np.int64))
    return table.rows(np.ascontiguousarray(table.centre[:, hands])), held, groups


def _blind(simulation: Any, flights: list[Any], holds: list[Any]) -> Floats:
    """(flights, holds) A ball that has just left the same hand, or bounced off the held thing, is not seen at first."""
    things = {name: k for k, name in enumerate({cursor.thing.name: None for cursor, _ in (*flights, *holds)})}
    held = np.array([things[cursor.thing.name] for cursor, _ in holds])
    hand = np.array([span.frame for _, span in holds])
    left, hit = np.full((len(flights), 2), -2), np.full(len(flights), -2)
    row = {id(span): f for f, (_, span) in enumerate(flights)}
    for cursor in {id(cursor): cursor for cursor, _ in flights}.values():
        for event, before, span in zip(cursor.events, cursor.spans, cursor.spans[1:], strict=False):
            f = row.get(id(span))
            if f is not None:
                hit[f] = things.get(str(event.other), -2)
                if event.kind == "release":
                    hands = (before.frame, *simulation.second_frame(event.contact))
                    left[f, : len(hands)] = hands
    blind = np.full((len(flights), len(holds)), -np.inf)
    # from a node a thing may be held, by name, before its flight has ended
    blind[np.array([things[cursor.thing.name] for cursor, _ in flights])[:, None] == held] = NEVER
    blind[hit[:, None] == held] = UNTIL_OFF
    blind[(left[:, :, None] == hand).any(axis=1)] = UNTIL_CLEAR
    return blind


def held_patch(thing: Any, span: Span) -> Patch:
    """A thing in a hand as a surface on that hand's frame."""
    material = thing.material
    return Patch(
        span.frame, np.asarray(span.position), np.asarray(span.rotation), extents(thing.body),
        float(thing.body.radius), float(np.asarray(material.restitution)), float(np.asarray(material.friction)),
    )  # fmt: skip


def _first_pair(flights: list[tuple[Any, Span]], packed: Floats, gravity: Floats) -> Any:
    if len(flights) < 2:
        return None
    things = {id(cursor.thing): k for k, (cursor, _) in enumerate(flights)}
    i, j, time = _two_that_meet(packed, np.array([things[id(cursor.thing)] for cursor, _ in flights]), gravity)
    return None if i < 0 else (float(time), flights[i], flights[j])


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
        u, w = a[STATE_AT + 12 + k], b[STATE_AT + 12 + k]
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


def _collision(simulation: Any, time: float, a: Any, span_a: Span, b: Any, span_b: Span) -> Meeting:
    plans = (simulation.plan_at(a, span_a), simulation.plan_at(b, span_b))
    law = simulation.laws.of_meeting(a.thing, plans[0], b.thing, plans[1], time)
    before = [_before(simulation, span, time) for span in (span_a, span_b)]
    after_a, after_b, told = _knocked(a.thing, before[0], b.thing, before[1], law)
    rate, normal = float(told[2]), told[4:7]
    gap = float(told[3]) - a.thing.body.radius - b.thing.body.radius
    numbers: dict[str, Any] = {"gap": gap, "stick": float(told[0]), "ratio": float(told[1]), "rate": rate}
    e = max(law[0], min(1.0, HOP / max(-rate, 1e-12)))
    if "contact" in (span_a.kind, span_b.kind) and e > law[0]:
        after_a, after_b, told = _knocked(a.thing, before[0], b.thing, before[1], (e, *law[1:]))
        numbers |= {"restitution": e, "hop": True, "stick": float(told[0])}
    if gap < -REAL:
        numbers["hop"] = True  # one of them settled meanwhile, or they lean on each other
    numbers["speed"] = float(np.linalg.norm(before[0][12:15] - before[1][12:15]))
    events = [
        (cursor, span, Event("impact", cursor.thing.name, time, other.thing.name, normal=sign * normal,
                             before=own, after=after, twin=twin, **numbers))
        for cursor, span, other, sign, own, after, twin in (
            (a, span_a, b, 1.0, before[0], after_a, before[1]),
            (b, span_b, a, -1.0, before[1], after_b, before[0]),
        )
    ]  # fmt: skip
    return Meeting(events)


def _before(simulation: Any, span: Span, time: float) -> Floats:
    """The packed state of a ball when it meets another."""
    if span.kind == "flight":
        return np.asarray(simulation.flown(span, time))
    return np.asarray(state_of_span(simulation, span, time)[0])


def _knocked(a: Any, before_a: Floats, b: Any, before_b: Floats, law: Sequence[float]) -> tuple[Floats, Floats, Floats]:
    """What `rigid.impact_compiled` makes of two balls."""
    inverses = np.array([1.0 / number for body in (a.body, b.body) for number in (body.mass, body.moments[0])])
    return pair_impact(before_a, before_b, inverses, float(b.body.radius), np.array(law))


def pair_row(
    a: Any, before_a: tuple[Floats, float], b: Any, before_b: tuple[Floats, float], time: float,
    law: Sequence[float], stick: float = 0.0,
) -> Floats:  # fmt: skip
    """PAIR row of two balls, each with a state and its time."""
    one = {
        f"{name}_{which}": value
        for which, thing, (state, start) in (("a", a, before_a), ("b", b, before_b))
        for name, value in (
            ("state", state), ("start", start), ("radius", thing.body.radius),
            ("inverse_mass", 1.0 / thing.body.mass), ("inverse_moment", 1.0 / thing.body.moments[0]),
        )
    }  # fmt: skip
    e, mu, *normal = law
    return PAIR.pack(1, **one, time=time, restitution=e, friction=mu, normal_turn=normal, stick=stick)[0]
