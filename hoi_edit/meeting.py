"""Where things meet each other: in flight, or one of them in a hand.

Two balls in free flight fall alike, so one is at rest or in steady motion as seen from the other and the time of their
touch is the root of a quadratic. A thing in a hand is one more surface on that hand's frame.
"""

from dataclasses import dataclass
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.exact import Exact
from hoi_edit.packing import Columns
from hoi_edit.rollout import Event, Patch, Span
from hoi_edit.search import LOOSE, UNTIL_CLEAR, UNTIL_OFF, Flights, brackets_in, rows_of
from hoi_edit.touching import STATE, state_of, state_row
from hoi_edit.world import PoseTable, Surfaces
from kinematics.rotation import Floats
from rigid.body import is_ball
from rigid.flight import State, Top, fly
from rigid.impact import Free, Material, choose_mode, collide

AGAIN = 1e-9  # [s] two touches of the same two things that are closer than this are one
SLOWEST = 1e-9  # [m/s] of approach that counts as meeting

_ONE = {"state": STATE.width, "start": 0, "radius": 0, "inverse_mass": 0, "inverse_moment": 0}
PAIR = Columns(
    **{f"{name}_{which}": width for which in "ab" for name, width in _ONE.items()}, time=0, restitution=0, friction=0,
    stick=0,
)  # fmt: skip
MET = Columns(before_a=18, before_b=18, after_a=18, after_b=18, stick=0, ratio=0, rate=0, gap=0, normal=3)


@dataclass(frozen=True, eq=False)
class Meeting:
    """Cursors to be cut, each with the event that it goes on from."""

    events: list[tuple[Any, Span, Event]]

    @property
    def time(self) -> float:
        return self.events[0][2].time


def flown_to(state: Array, start: Array, time: Array, gravity: Array) -> State:
    top = Top(jnp.asarray(1.0), jnp.asarray(1.0), jnp.array([0.0, 1.0, 0.0]))
    return fly(state_of(state), top, gravity, time - start)


def exchanged(item: Any, a: State, b: State, normal: Array, stick: Array | None) -> tuple[State, State, Array, Array]:
    """Both states after the impulse between two balls; the normal points from b to a."""
    free_a = Free(item.inverse_mass_a, item.inverse_moment_a * jnp.eye(3), a.position, a.velocity, a.angular_velocity)
    free_b = Free(item.inverse_mass_b, item.inverse_moment_b * jnp.eye(3), b.position, b.velocity, b.angular_velocity)
    point = b.position + item.radius_b * normal
    material = Material(item.restitution, item.friction)
    chosen, ratio = choose_mode(free_a, free_b, point, normal, material)
    stick = chosen if stick is None else stick
    v_a, w_a, v_b, w_b = collide(free_a, free_b, point, normal, material, stick)
    return State(a.position, a.rotation, v_a, w_a), State(b.position, b.rotation, v_b, w_b), stick, ratio


@jax.jit
def meet(gravity: Array, row: Array) -> Array:
    """MET row of two balls that touch at the row's time."""
    item = PAIR.unpack(row)
    a = flown_to(item.state_a, item.start_a, item.time, gravity)
    b = flown_to(item.state_b, item.start_b, item.time, gravity)
    apart = a.position - b.position
    distance = jnp.sqrt(jnp.dot(apart, apart))
    normal = apart / distance
    after_a, after_b, stick, ratio = exchanged(item, a, b, normal, None)
    rate = jnp.dot(normal, a.velocity - b.velocity)
    numbers = jnp.stack([stick, ratio, rate, distance - item.radius_a - item.radius_b])
    return jnp.concatenate([state_row(a), state_row(b), state_row(after_a), state_row(after_b), numbers, normal])


def first_meeting(simulation: Any, cursors: list[Any]) -> Meeting | None:
    """The earliest touch between two things that has not been dealt with."""
    flights = [
        (cursor, span)
        for cursor in cursors
        if is_ball(cursor.thing.body)
        for span in cursor.spans
        if span.kind == "flight"
    ]
    pair = _first_pair(flights, simulation.gravity)
    held = _first_on_held(simulation, flights, cursors)
    if pair is not None and (held is None or pair[0] <= held.time):
        time, (a, span_a), (b, span_b) = pair
        return _collision(simulation.exact, time, a, span_a, b, span_b)
    return held


def _first_on_held(simulation: Any, flights: list[tuple[Any, Span]], cursors: list[Any]) -> Meeting | None:
    """The earliest touch of a flying ball with a thing in a hand."""
    holds = [
        (c, span)
        for c in cursors
        for span in c.spans
        if span.kind == "held" and span.frame >= 0 and span.end > span.start
    ]
    if not holds or not flights:
        return None
    surfaces = Surfaces.of([held_patch(c.thing, span) for c, span in holds], [c.thing.name for c, _ in holds])
    all_flights = _flights(flights)
    flight, row, hold = _near_holds(simulation.table, simulation.gravity, surfaces, all_flights, flights, holds)
    if not len(flight):
        return None
    blind = _blind(flights, holds, {(int(f), int(h)) for f, h in zip(flight, hold, strict=True)})
    # a hold ends when it ends: each pair has its own stretch of time, and so becomes a flight of its own
    pair, which = np.unique(np.stack([flight, hold]), axis=1, return_inverse=True)
    own = all_flights.between(
        pair[0],
        np.array([max(flights[f][1].start, holds[h][1].start) for f, h in pair.T]),
        np.array([min(flights[f][1].end, holds[h][1].end) for f, h in pair.T]),
    )
    seen = np.full((pair.shape[1], len(holds)), -np.inf)
    for k, key in enumerate(map(tuple, pair.T.tolist())):
        seen[k, key[1]] = blind.get(key, -np.inf)
    brackets = brackets_in(surfaces, simulation.table, simulation.gravity, own, which, row, hold, seen)
    hits = simulation.strike_held(surfaces, brackets, [flights[f] for f in pair[0]])
    # at its very end a flight has touched what ended it: that is known
    hits = {k: hit for k, hit in hits.items() if hit.row[0] < own.until[k] - AGAIN}
    if not hits:
        return None
    k = min(hits, key=lambda k: float(hits[k].row[0]))
    cursor, span = flights[pair[0][k]]
    return Meeting([(cursor, span, simulation.held_event(cursor, span, surfaces, hits[k]))])


def _flights(flights: list[tuple[Any, Span]]) -> Flights:
    states = STATE.unpack(np.stack([np.asarray(span.state) for _, span in flights]))
    start, end, radius = np.array([(span.start, span.end, c.thing.body.radius) for c, span in flights]).T
    return Flights(start, states.position, states.velocity, radius, start, end)


def _near_holds(
    table: PoseTable, gravity: Floats, surfaces: Surfaces, flights: Flights, own: list[Any], holds: list[Any]
) -> tuple[Any, Any, Any]:
    """(flight, row, hold): intervals of the table in which a ball flies close to a thing in a hand."""
    things = {id(c.thing): k for k, c in enumerate({id(c.thing): c for c, _ in holds}.values())}
    # where each thing is in a hand, by row of the table: that of the hold, and which hold it is
    centre = np.full((len(table), len(things), 3), np.inf)
    which = np.zeros((len(table), len(things)), int)
    for h, (cursor, span) in enumerate(holds):
        first = max(int((span.start - table.start) / table.step), 0)
        rows = slice(first, int((span.end - table.start) / table.step) + 2)
        own_column = things[id(cursor.thing)]
        at = table.position[rows, span.frame] + table.rotation[rows, span.frame] @ surfaces.place[h]
        centre[rows, own_column], which[rows, own_column] = at, h
    flight, row = rows_of(table, flights)
    times = table.start + table.step * row
    speed = np.sqrt(((flights.velocity[flight] + (times - flights.start[flight])[:, None] * gravity) ** 2).sum(-1))
    size = np.sqrt((surfaces.core**2).sum(-1)) + surfaces.radius
    # the thing turns with the hand: its ends are faster than its middle
    fast = table.speed[surfaces.frame] + 20.0 * size
    reach = (size + table.step * fast)[which[row]] + (flights.radius[flight] + table.step * speed + LOOSE)[:, None]
    away = flights.at(flight, times, gravity)[:, None] - centre[row]
    self_ = np.array([things.get(id(c.thing), -1) for c, _ in own])[flight][:, None] == np.arange(len(things))
    k, thing = np.nonzero(((away**2).sum(-1) < reach**2) & ~self_ & (row < len(table) - 1)[:, None])
    return flight[k], row[k], which[row[k], thing]


def _blind(flights: list[Any], holds: list[Any], pairs: set[tuple[int, int]]) -> dict[tuple[int, int], float]:
    """Of these pairs, those in which the ball has just left the same hand, or bounced off the held thing."""
    blind = {}
    for f, h in pairs:
        (cursor, span), (holder, hold) = flights[f], holds[h]
        for k, event in enumerate(cursor.events):
            released = event.kind == "release" and cursor.spans[k].frame == hold.frame
            if event.time == span.start and (released or event.other == holder.thing.name):
                blind[f, h] = UNTIL_CLEAR if released else UNTIL_OFF
    return blind


def held_patch(thing: Any, span: Span) -> Patch:
    """A thing in a hand as a surface on that hand's frame."""
    vertices, material = np.asarray(thing.body.vertices), thing.material
    return Patch(
        span.frame, np.asarray(span.position), np.asarray(span.rotation), np.abs(vertices).max(axis=0),
        float(thing.body.radius), float(np.asarray(material.restitution)), float(np.asarray(material.friction)),
    )  # fmt: skip


def _first_pair(flights: list[tuple[Any, Span]], gravity: Floats) -> Any:
    if len(flights) < 2:
        return None
    thing = np.array([id(cursor.thing) for cursor, _ in flights])
    radius = np.array([cursor.thing.body.radius for cursor, _ in flights])
    start, end = np.array([[span.start, span.end] for _, span in flights]).T
    s = STATE.unpack(np.stack([np.asarray(span.state) for _, span in flights]))
    i, j = _overlapping(start, end, thing)
    if not len(i):
        return None
    since = np.maximum(start[i], start[j])

    def at(k: Any) -> tuple[Floats, Floats]:
        tau = (since - start[k])[:, None]
        return s.position[k] + tau * s.velocity[k] + 0.5 * tau**2 * gravity, s.velocity[k] + tau * gravity

    (xi, vi), (xj, vj) = at(i), at(j)
    x, v, reach = xi - xj, vi - vj, radius[i] + radius[j]
    a, b, c = (v * v).sum(-1), (x * v).sum(-1), (x * x).sum(-1) - reach**2
    discriminant = b**2 - a * c
    # balls that overlap when a flight begins (let go by one hand) are not seen: they part, or never were apart
    touch = (b < -SLOWEST * reach) & (discriminant > 0) & (c > -1e-9 * reach)
    delay = np.where(
        touch, np.maximum(c, 0.0) / np.where(touch, -b + np.sqrt(np.maximum(discriminant, 0.0)), 1.0), np.inf
    )
    time = since + delay
    time[time >= np.minimum(end[i], end[j])] = np.inf
    first = int(np.argmin(time))
    if not np.isfinite(time[first]):
        return None
    return float(time[first]), flights[int(i[first])], flights[int(j[first])]


def _overlapping(start: Floats, end: Floats, thing: Any) -> tuple[Any, Any]:
    """Pairs of flights of different things that share some time."""
    order = np.argsort(start, kind="stable")
    stop = np.searchsorted(start[order], end[order], side="left")
    count = np.maximum(stop - np.arange(len(order)) - 1, 0)
    i = np.repeat(np.arange(len(order)), count)
    j = i + 1 + np.arange(count.sum()) - np.repeat(np.cumsum(count) - count, count)
    i, j = order[i], order[j]
    different = thing[i] != thing[j]
    return i[different], j[different]


def _collision(exact: Exact, time: float, a: Any, span_a: Span, b: Any, span_b: Span) -> Meeting:
    row = pair_row(a.thing, span_a, b.thing, span_b, time)
    met = MET.unpack(np.asarray(meet(exact.gravity, row)))
    numbers: dict[str, Any] = {
        "rate": float(met.rate),
        "gap": float(met.gap),
        "stick": float(met.stick),
        "ratio": float(met.ratio),
    }
    relative = STATE.unpack(met.before_a).velocity - STATE.unpack(met.before_b).velocity
    numbers["speed"] = float(np.linalg.norm(relative))
    events = [
        (cursor, span, Event("impact", cursor.thing.name, time, other.thing.name, normal=sign * met.normal,
                             before=before, after=after, twin=twin, **numbers))
        for cursor, span, other, sign, before, after, twin in (
            (a, span_a, b, 1.0, met.before_a, met.after_a, met.before_b),
            (b, span_b, a, -1.0, met.before_b, met.after_b, met.before_a),
        )
    ]  # fmt: skip
    return Meeting(events)


def pair_row(a: Any, span_a: Span, b: Any, span_b: Span, time: float, stick: float = 0.0) -> Floats:
    """PAIR row of two things in flight."""
    e = float(np.asarray(a.material.restitution)) * float(np.asarray(b.material.restitution))
    mu = float(np.asarray(a.material.friction)) * float(np.asarray(b.material.friction))
    one = {
        f"{name}_{which}": value
        for which, thing, span in (("a", a, span_a), ("b", b, span_b))
        for name, value in (
            ("state", span.state), ("start", span.start), ("radius", thing.body.radius),
            ("inverse_mass", 1.0 / thing.body.mass), ("inverse_moment", 1.0 / thing.body.moments[0]),
        )
    }  # fmt: skip
    return PAIR.pack(1, **one, time=time, restitution=e, friction=mu, stick=stick)[0]
