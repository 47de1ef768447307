"""Things that are not balls meet other things: balls and hulls that fly, roll or lie in the world.

Both are free bodies, and what happens between them is one impulse on both. Spheres around them say from when to look;
`rigid.hull_contact_time` finds the first touch of the hulls so that nothing is passed through. A pair of spans is
searched once.

A thing that lies and is struck takes off. What it lies on would be touched at once and for ever, so it leaves with at
least `bulky.HOP`: less than what was taken from it when it came to rest.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.scene import Scene
from hoi_edit.simulate.columns import Columns
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.ball_pair import Meeting, first_meeting, free_spans
from hoi_edit.simulate.events.hull_impact import APART, HOP, INSIDE, states_at
from hoi_edit.simulate.events.state_jacobians import PAIRED, body_of, touching_of
from hoi_edit.simulate.packed_layouts import STATE, state_of, state_row
from hoi_edit.simulate.search.layouts import CLEAR
from hoi_edit.simulate.search.rolling_pairs import AGAIN, first_meeting_of, state_of_span, way_of_span
from hoi_edit.simulate.trajectory import Event, Span
from kinematics.errors import HoiError
from kinematics.rotation import Floats, rotation_exp
from rigid.body import Body, is_ball
from rigid.convex import Feature
from rigid.free_flight import State
from rigid.gjk import Poses, separation
from rigid.hull_contact_time import PIECES, Hulls, first_touch
from rigid.hull_features import EDGE_EDGE, EDGE_VERTEX, FACE_VERTEX, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX
from rigid.impact import Material, choose_mode, collide

PARTED = Columns(gap=0, rate=0, after_a=18, after_b=18, stick=0, ratio=0, normal=3, speed=0)
_MIRRORED = {
    VERTEX_VERTEX: VERTEX_VERTEX, VERTEX_EDGE: EDGE_VERTEX, EDGE_VERTEX: VERTEX_EDGE, VERTEX_FACE: FACE_VERTEX,
    FACE_VERTEX: VERTEX_FACE, EDGE_EDGE: EDGE_EDGE,
}  # fmt: skip
Entry = tuple[Cursor, Span]


@jax.jit
def parted(row: Array) -> Array:
    """PARTED row of a PAIRED row: what a touch does to both."""
    item = PAIRED.unpack(row)
    a, b = state_of(item.state_a), state_of(item.state_b)
    gap, normal, point = touching_of(item, a, b)
    free_a, free_b = body_of(item, "a", a), body_of(item, "b", b)
    between = free_a.velocity_at(point) - free_b.velocity_at(point)
    normal = rotation_exp(item.normal_turn) @ normal
    material = Material(item.restitution, item.friction)
    stick, ratio = choose_mode(free_a, free_b, point, normal, material)
    v_a, w_a, v_b, w_b = collide(free_a, free_b, point, normal, material, stick)
    after = (state_row(State(s.position, s.rotation, v, w)) for s, v, w in ((a, v_a, w_a), (b, v_b, w_b)))
    numbers = jnp.stack([gap, jnp.dot(normal, between)])
    return jnp.concatenate([numbers, *after, jnp.stack([stick, ratio]), normal, jnp.linalg.norm(between)[None]])


def mirrored(feature: Feature) -> Feature:
    """The same contact with a and b exchanged; its normal, too, points the other way."""
    a, b = (np.asarray(corners)[[0, 2, 1]] for corners in (feature.a, feature.b))
    kind = int(np.asarray(feature.kind))
    faces = kind in (VERTEX_FACE, FACE_VERTEX)
    a, b = (a, b) if faces else (np.asarray(feature.a), np.asarray(feature.b))
    return Feature(np.asarray(_MIRRORED[kind]), b, a)


def pair_columns(which: str, body: Body, state: Floats, rates: Floats, corners: Any) -> dict[str, Any]:
    """One of two in a PAIRED row."""
    own = {"state": state, "rates": rates, "radius": body.radius, "inverse_mass": 1.0 / body.mass,
           "moments": body.moments, "corners": np.ravel(corners)}  # fmt: skip
    return {f"{key}_{which}": value for key, value in own.items()}


def next_meeting(simulation: Any, cursors: list[Cursor]) -> Meeting | None:
    """The earliest touch between any two things that has not been dealt with."""
    found = first_meeting(simulation, cursors)
    if all(is_ball(cursor.thing.body) for cursor in cursors):
        return found
    hulls = first_of_hulls(simulation, free_spans(cursors), np.inf if found is None else found.time)
    return found if hulls is None else Meeting(hull_events(simulation, *hulls))


def first_of_hulls(simulation: Any, spans: list[Entry], before: float) -> Any:
    """The earliest touch of two things of which one is not a ball: time, feature, and both with their spans."""
    best = None
    for i, (a, span_a) in enumerate(spans):
        for b, span_b in spans[:i]:
            begin, until = max(span_a.start, span_b.start), min(span_a.end, span_b.end) - AGAIN
            balls = is_ball(a.thing.body) and is_ball(b.thing.body)
            lying = span_a.kind == "held" and span_b.kind == "held"
            if a.thing is b.thing or balls or lying or begin >= min(until, before):
                continue
            found = _touch_of(simulation, (a, span_a), (b, span_b), begin, until)
            if found is not None and found[0] < before:
                before, best = found[0], (*found, (a, span_a), (b, span_b))
    return best


def _touch_of(simulation: Any, one: Entry, other: Entry, begin: float, until: float) -> tuple[float, Feature] | None:
    """When two hulls first touch, and with what; each pair of spans is looked at once."""
    (a, span_a), (b, span_b) = one, other
    key = id(span_a), id(span_b)
    if key in simulation.searched_pairs:
        return simulation.searched_pairs[key][0]
    met_before = any(
        event.time == begin and event.other == mate.thing.name
        for cursor, mate in ((a, b), (b, a))
        for event in cursor.events
    )
    found = None
    reach = a.thing.body.reach + b.thing.body.reach
    start = _close_from(simulation, span_a, span_b, begin + (APART if met_before else 0.0), until, reach)
    if start < until:
        hulls = _hulls(simulation, one, other)
        start = _seen_from(simulation, hulls, one, other, start, until)
        if start < until:
            found = first_touch(hulls, sum(_fastest(simulation, *entry) for entry in (one, other)), start, until)
    # the spans are kept with the answer, so that no other span can come to have their numbers
    simulation.searched_pairs[key] = found, span_a, span_b
    return found


def _close_from(simulation: Any, a: Span, b: Span, begin: float, until: float, reach: float) -> float:
    """When spheres around both first touch."""
    places = [state_of_span(simulation, span, begin)[0][:3] for span in (a, b)]
    if np.linalg.norm(places[0] - places[1]) <= reach:
        return begin
    ways = [way_of_span(span, simulation.gravity) for span in (a, b)]
    return first_meeting_of(ways[0], ways[1], begin, until, reach) if min(len(way) for way in ways) > 1 else np.inf


def _hulls(simulation: Any, one: Entry, other: Entry) -> Hulls:
    def poses(span: Span) -> Any:
        def at(times: Floats) -> Poses:
            if span.kind == "flight":
                durations, inertia = (
                    jnp.asarray(times - span.start),
                    simulation.inertia(simulation.scene.thing(span.object)),
                )
                states = np.asarray(states_at(simulation.gravity, inertia, np.asarray(span.state), durations))
            else:
                states = np.stack([state_of_span(simulation, span, float(t))[0] for t in times])
            s = STATE.unpack(states)
            return Poses(s.rotation.reshape(-1, 3, 3), s.position)

        return at

    bodies = [cursor.thing.body for cursor, _ in (one, other)]
    radius = float(bodies[0].radius) + float(bodies[1].radius)
    corners = [np.asarray(body.vertices) for body in bodies]
    return Hulls(corners[0], corners[1], radius, poses(one[1]), poses(other[1]))


def _seen_from(simulation: Any, hulls: Hulls, one: Entry, other: Entry, start: float, until: float) -> float:
    """Two that begin inside each other are not seen before they are clear; in touch, the gap's rate decides."""
    if hulls.gaps(np.array([start]))[0] > 0.0:
        return start
    feature = hulls.feature(start)
    touch = PARTED.unpack(np.asarray(parted(touch_row(simulation, one, other, start, feature, (0.0,) * 5))))
    if touch.gap >= -INSIDE and touch.rate < 0.0:
        return start
    enough = CLEAR if touch.gap < -INSIDE else 0.0
    times = np.linspace(start, until, PIECES + 1)
    clear = np.flatnonzero(hulls.gaps(times) > enough)
    return float(times[clear[0]]) if len(clear) else until


def _fastest(simulation: Any, cursor: Cursor, span: Span) -> float:
    """A bound on how fast any point of a thing is [m/s]."""
    if span.kind == "held":
        return 0.0
    if span.way is not None:
        return float(1.2 * np.linalg.norm(span.way[:, 4:], axis=1).max() + 0.1)
    s, body = STATE.unpack(np.asarray(span.state)), cursor.thing.body
    moments = np.asarray(body.moments)
    momentum = np.linalg.norm(moments * (s.rotation.reshape(3, 3).T @ s.spin))
    fall = np.linalg.norm(simulation.gravity) * (span.end - span.start)
    turning = 0.0 if is_ball(body) else momentum / moments.min() * body.reach
    return float(np.linalg.norm(s.velocity) + fall + turning)


def touch_row(
    simulation: Any, one: Entry, other: Entry, time: float, feature: Feature, law: tuple[float, ...]
) -> Floats:
    """PAIRED row of two that touch."""
    columns: dict[str, Any] = {}
    for which, (cursor, span), corners in (("a", one, feature.a), ("b", other, feature.b)):
        columns |= pair_columns(which, cursor.thing.body, *state_of_span(simulation, span, time), corners)
    e, mu, *normal = law
    return PAIRED.pack(1, **columns, kind=feature.kind, restitution=e, friction=mu, normal_turn=normal, stick=0.0)[0]


def hull_events(simulation: Any, time: float, feature: Feature, one: Entry, other: Entry) -> list[Any]:
    """The events of two things that touch, each with its cursor and span."""
    (a, span_a), (b, span_b) = one, other
    plans = (simulation.plan_at(a, span_a), simulation.plan_at(b, span_b))
    law = simulation.laws.of_meeting(a.thing, plans[0], b.thing, plans[1], time)
    row = touch_row(simulation, one, other, time, feature, law)
    touch = PARTED.unpack(np.asarray(parted(row)))
    numbers: dict[str, Any] = {}
    e = max(law[0], min(1.0, HOP / max(-float(touch.rate), 1e-12)))
    if e > law[0]:
        row = touch_row(simulation, one, other, time, feature, (e, *law[1:]))
        touch = PARTED.unpack(np.asarray(parted(row)))
        numbers = {"restitution": e, "hop": True}
    numbers |= {name: float(getattr(touch, name)) for name in ("gap", "rate", "stick", "ratio", "speed")}
    item = PAIRED.unpack(row)
    return [
        (cursor, span, Event("impact", cursor.thing.name, time, mate.thing.name, normal=sign * touch.normal,
                             before=before, after=after, twin=twin, feature=own, **numbers))
        for cursor, span, mate, sign, before, after, twin, own in (
            (a, span_a, b, 1.0, item.state_a, touch.after_a, item.state_b, feature),
            (b, span_b, a, -1.0, item.state_b, touch.after_b, item.state_a, mirrored(feature)),
        )
    ]  # fmt: skip


def check_apart(scene: Scene, cursors: list[Cursor]) -> None:
    """Things that start inside each other are a mistake; those in hands are not looked at."""
    flying = [cursor for cursor in cursors if cursor.state is not None and cursor.time == scene.start]
    for i, a in enumerate(flying):
        for b in flying[:i]:
            if a.thing is b.thing:
                continue
            both = [(cursor.thing.body, np.asarray(cursor.state)) for cursor in (a, b)]
            apart = float(np.linalg.norm(both[0][1][:3] - both[1][1][:3]))
            if apart < sum(body.reach for body, _ in both):
                poses = [Poses(state[3:12].reshape(1, 3, 3), state[None, :3]) for _, state in both]
                corners = [np.asarray(body.vertices, float) for body, _ in both]
                way = float(np.linalg.norm(separation(corners[0], poses[0], corners[1], poses[1])[0]))
                depth = float(both[0][0].radius + both[1][0].radius) - way
                if depth > INSIDE or (depth >= 0.0 and way == 0.0):
                    raise HoiError(
                        f"things {b.thing.name!r} and {a.thing.name!r} start inside each other; move one away"
                    )


def taken_off(cursor: Cursor, span: Span, event: Event) -> Event:
    """Of a thing that lay: it leaves what it lay on."""
    rests = [own for own in cursor.events if own.time == span.start and own.kind == "rest"]
    if span.kind != "held" or not rests:
        return event
    normal, after = rests[-1].normal, np.array(event.after)
    speed = float(after[12:15] @ normal)
    if -HOP <= speed < HOP:
        after[12:15] += (HOP - speed) * normal
        return event._replace(after=after, hop=True)
    return event
