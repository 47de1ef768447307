"""Things that are not balls meet other things: balls and hulls that fly, roll or lie in the world.

Both are free bodies, and what happens between them is one impulse on both (`body_pair`). Spheres around them say from
when to look; `rigid.hull_contact_time` finds the first touch of the hulls so that nothing is passed through. A pair of
spans is searched once.

A thing that lies and is struck takes off. What it lies on would be touched at once and for ever, so it leaves with at
least `hull_impact.HOP`: less than what was taken from it when it came to rest.
"""

from collections.abc import Collection
from typing import Any

import numpy as np

from hoi_edit.scene import Scene
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.body_pair import pair_columns
from hoi_edit.simulate.events.body_pair_compiled import parted
from hoi_edit.simulate.events.hull_contact import APART, INSIDE
from hoi_edit.simulate.events.hull_impact import HOP
from hoi_edit.simulate.kind_words import IMPACT
from hoi_edit.simulate.meetings.base import Entry, Meeting, free_spans
from hoi_edit.simulate.packed_layouts import PAIRED, PARTED, STATE
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search.layouts import CLEAR
from hoi_edit.simulate.search.rolling_pairs import AGAIN, first_meeting_of
from hoi_edit.simulate.trajectory import Event, Span
from kinematics.errors import HoiError
from kinematics.packed_motion import ROTATION, VELOCITY
from kinematics.rotation import Floats
from rigid.body import is_ball
from rigid.convex import Feature
from rigid.gjk import Poses, separation
from rigid.hull_contact_time import PIECES, Hulls, first_touch
from rigid.hull_features import EDGE_EDGE, EDGE_VERTEX, FACE_VERTEX, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX

_MIRRORED = {
    VERTEX_VERTEX: VERTEX_VERTEX, VERTEX_EDGE: EDGE_VERTEX, EDGE_VERTEX: VERTEX_EDGE, VERTEX_FACE: FACE_VERTEX,
    FACE_VERTEX: VERTEX_FACE, EDGE_EDGE: EDGE_EDGE,
}  # fmt: skip


def first_of_hulls(run: Run, cursors: list[Cursor], before: float) -> Meeting | None:
    """The earliest touch, before a time, of two things of which one is not a ball."""
    if len({cursor.thing.name for cursor in cursors}) < 2 or all(cursor.thing.shape.by_centre for cursor in cursors):
        return None
    touch = _first_touch(run, free_spans(cursors), before)
    return None if touch is None else Meeting(_events(run, *touch))


def mirrored(feature: Feature) -> Feature:
    """The same contact with a and b exchanged; its normal, too, points the other way."""
    a, b = (np.asarray(corners)[[0, 2, 1]] for corners in (feature.a, feature.b))
    kind = int(np.asarray(feature.kind))
    faces = kind in (VERTEX_FACE, FACE_VERTEX)
    a, b = (a, b) if faces else (np.asarray(feature.a), np.asarray(feature.b))
    return Feature(np.asarray(_MIRRORED[kind]), b, a)


def _first_touch(run: Run, spans: list[Entry], before: float) -> Any:
    """The earliest touch of two things of which one is not a ball: time, feature, and both with their spans."""
    best = None
    for i, (a, span_a) in enumerate(spans):
        for b, span_b in spans[:i]:
            begin, until = max(span_a.start, span_b.start), min(span_a.end, span_b.end) - AGAIN
            balls = is_ball(a.thing.body) and is_ball(b.thing.body)
            lying = span_a.is_held and span_b.is_held
            if a.thing is b.thing or balls or lying or begin >= min(until, before):
                continue
            found = _touch_of(run, (a, span_a), (b, span_b), begin, until)
            if found is not None and found[0] < before:
                before, best = found[0], (*found, (a, span_a), (b, span_b))
    return best


def _touch_of(run: Run, one: Entry, other: Entry, begin: float, until: float) -> tuple[float, Feature] | None:
    """When two hulls first touch, and with what; each pair of spans is looked at once."""
    (a, span_a), (b, span_b) = one, other
    key = id(span_a), id(span_b)
    if key in run.searched_pairs:
        return run.searched_pairs[key][0]
    met_before = any(
        event.time == begin and event.other == mate.thing.name
        for cursor, mate in ((a, b), (b, a))
        for event in cursor.events
    )
    found = None
    reach = a.thing.body.reach + b.thing.body.reach
    start = _close_from(run, span_a, span_b, begin + (APART if met_before else 0.0), until, reach)
    if start < until:
        hulls = _hulls(run, one, other)
        start = _seen_from(run, hulls, one, other, start, until)
        if start < until:
            found = first_touch(
                hulls,
                sum(run.context.spans[span.kind].fastest(run.context, span) for _, span in (one, other)),
                start,
                until,
            )
    # the spans are kept with the answer, so that no other span can come to have their numbers
    run.searched_pairs[key] = found, span_a, span_b
    return found


def _close_from(run: Run, a: Span, b: Span, begin: float, until: float, reach: float) -> float:
    """When spheres around both first touch."""
    places = [run.context.state_and_rates(span, begin)[0][:3] for span in (a, b)]
    if np.linalg.norm(places[0] - places[1]) <= reach:
        return begin
    ways = [run.context.waypoints(span) for span in (a, b)]
    return first_meeting_of(ways[0], ways[1], begin, until, reach) if min(len(way) for way in ways) > 1 else np.inf


def _hulls(run: Run, one: Entry, other: Entry) -> Hulls:
    def poses(span: Span) -> Any:
        def at(times: Floats) -> Poses:
            s = STATE.unpack(run.context.spans[span.kind].states(run.context, span, times))
            return Poses(s.rotation.reshape(-1, 3, 3), s.position)

        return at

    bodies = [cursor.thing.body for cursor, _ in (one, other)]
    radius = float(bodies[0].radius) + float(bodies[1].radius)
    corners = [np.asarray(body.vertices) for body in bodies]
    return Hulls(corners[0], corners[1], radius, poses(one[1]), poses(other[1]))


def _seen_from(run: Run, hulls: Hulls, one: Entry, other: Entry, start: float, until: float) -> float:
    """Two that begin inside each other are not seen before they are clear; in touch, the gap's rate decides."""
    if hulls.gaps(np.array([start]))[0] > 0.0:
        return start
    feature = hulls.feature(start)
    touch = PARTED.unpack(parted(_touch_row(run, one, other, start, feature, (0.0,) * 5)))
    if touch.gap >= -INSIDE and touch.rate < 0.0:
        return start
    enough = CLEAR if touch.gap < -INSIDE else 0.0
    times = np.linspace(start, until, PIECES + 1)
    clear = np.flatnonzero(hulls.gaps(times) > enough)
    return float(times[clear[0]]) if len(clear) else until


def _touch_row(run: Run, one: Entry, other: Entry, time: float, feature: Feature, law: tuple[float, ...]) -> Floats:
    """PAIRED row of two that touch."""
    columns: dict[str, Any] = {}
    for which, (cursor, span), corners in (("a", one, feature.a), ("b", other, feature.b)):
        columns |= pair_columns(which, cursor.thing.body, *run.context.state_and_rates(span, time), corners)
    e, mu, *normal = law
    return PAIRED.pack(
        1,
        **columns,
        kind=feature.kind,
        restitution=e,
        friction=mu,
        normal_turn=normal,
        stick=0.0,
        hop=HOP,
        declared=0.0,
    )[0]


def _events(run: Run, time: float, feature: Feature, one: Entry, other: Entry) -> list[Any]:
    """The events of two things that touch, each with its cursor and span."""
    (a, span_a), (b, span_b) = one, other
    plans = (run.plan_at(a, span_a), run.plan_at(b, span_b))
    law = run.context.laws.of_meeting(a.thing, plans[0], b.thing, plans[1], time)
    row = _touch_row(run, one, other, time, feature, law)
    touch = PARTED.unpack(parted(row))
    hops = touch.restitution > law[0]
    numbers: dict[str, Any] = {"restitution": float(touch.restitution), "hop": True} if hops else {}
    numbers |= {name: float(getattr(touch, name)) for name in ("gap", "rate", "stick", "ratio", "speed")}
    item = PAIRED.unpack(row)
    return [
        (cursor, span, Event(IMPACT, cursor.thing.name, time, mate.thing.name, normal=sign * touch.normal,
                             before=before, after=after, twin=twin, feature=touched, mechanism="body_pair", **numbers))
        for cursor, span, mate, sign, before, after, twin, touched in (
            (a, span_a, b, 1.0, item.state_a, touch.after_a, item.state_b, feature),
            (b, span_b, a, -1.0, item.state_b, touch.after_b, item.state_a, mirrored(feature)),
        )
    ]  # fmt: skip


def check_apart(scene: Scene, cursors: list[Cursor], minded: Collection[str]) -> None:
    """It is a mistake of those that are minded to start inside another; things in hands are not looked at."""
    flying = [cursor for cursor in cursors if cursor.span.flies and cursor.time == scene.start]
    for i, a in enumerate(flying):
        for b in flying[:i]:
            if a.thing is b.thing or not {a.thing.name, b.thing.name}.intersection(minded):
                continue
            both = [(cursor.thing.body, np.asarray(cursor.span.state)) for cursor in (a, b)]
            apart = float(np.linalg.norm(both[0][1][:3] - both[1][1][:3]))
            if apart < sum(body.reach for body, _ in both):
                poses = [Poses(state[ROTATION:VELOCITY].reshape(1, 3, 3), state[None, :ROTATION]) for _, state in both]
                corners = [np.asarray(body.vertices, float) for body, _ in both]
                way = float(np.linalg.norm(separation(corners[0], poses[0], corners[1], poses[1])[0]))
                depth = float(both[0][0].radius + both[1][0].radius) - way
                if depth > INSIDE or (depth >= 0.0 and way == 0.0):
                    raise HoiError(
                        f"things {b.thing.name!r} and {a.thing.name!r} start inside each other; move one away"
                    )
