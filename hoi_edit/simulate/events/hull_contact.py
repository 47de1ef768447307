"""The first touch of a thing that is not a ball, in flight, with a part or a fixture.

There are few such things, so each is searched by itself: the broad phase is that of balls, with the whole thing in one
sphere; then `rigid.hull_contact_time` finds the first touch so that nothing is passed through.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from hoi_edit.simulate.context import Context
from hoi_edit.simulate.packed_layouts import FRAME, STATE
from hoi_edit.simulate.search import flights, near_surfaces
from hoi_edit.simulate.search.layouts import CLEAR
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.world import PoseTable
from kinematics.rotation import Floats
from rigid.body import Body
from rigid.convex import Feature
from rigid.gjk import Poses
from rigid.hull_contact_time import PIECES, Hulls, first_touch

PLANE_SIDE = 100.0  # [m]
INSIDE = 1e-4  # [m] a flight that begins deeper in something than this is not stopped by it until it is clear
APART = 1e-6  # [s] after a touch the same two are looked at again
SHORT = 1.0 / 64.0  # [s] of a flight that is looked at first; each stretch after it is twice as long


@dataclass(frozen=True, eq=False)
class HullTouch:
    time: float
    surface: int
    feature: Feature


def first_hull_touch(
    context: Context, table: PoseTable, span: Span, begin: float, until: float, blind: dict[int, float]
) -> HullTouch | None:
    """The first touch of one thing in flight with a part or a fixture between two times."""
    world, state, body = context.world, np.asarray(span.state), context.scene.thing(span.object).body
    times = (np.array([t]) for t in (begin, until))
    flight = flights(np.array([span.start]), state[None], np.array([body.reach]), *times)[0]
    row, surface = near_surfaces(table.rows(), world.solids, table.groups, context.gravity, flight).T
    best: HullTouch | None = None
    for k in np.unique(surface):
        rows = row[surface == k]
        low = max(begin, table.start + table.step * rows.min())
        high = min(until if best is None else best.time, table.start + table.step * (rows.max() + 1))
        hulls = hulls_of(context, span, int(k))
        low = _clear_from(hulls, low, high, blind.get(int(k)))
        for begins, ends in _stretches(low, high):
            speed = _fastest(context, table, span, ends - span.start, int(k))
            touch = first_touch(hulls, speed, begins, ends)
            if touch is not None:
                best = HullTouch(touch[0], int(k), touch[1])
                break
    return best


def _stretches(low: float, high: float) -> Iterator[tuple[float, float]]:
    """A flight in pieces. How fast things may approach grows with the time that is looked at, and with it how finely
    that has to be cut: a thing that rattles hops for milliseconds, at a tenth of the speed it would fall with later."""
    length = SHORT
    while low < high:
        end = low + length if low + 1.5 * length < high else high
        yield low, end
        low, length = end, 2.0 * length


def _clear_from(hulls: Hulls, low: float, high: float, blind: float | None) -> float:
    """When a pair is seen again: after a given time, or, if that is never, once it is clear."""
    if blind is None:
        return low
    if np.isfinite(blind):
        return max(low, blind)
    times = np.linspace(low, high, PIECES + 1)
    clear = np.flatnonzero(hulls.gaps(times) > CLEAR)
    return float(times[clear[0]]) if len(clear) else high


def hulls_of(context: Context, span: Span, k: int) -> Hulls:
    """A thing in flight, or carried, and a surface by its number."""
    surfaces, body = context.world.surfaces, context.scene.thing(span.object).body
    flight = context.spans[span.kind]
    state = flight.state(context, span, span.start) if span.state is None else np.asarray(span.state)

    def thing(times: Floats) -> Poses:
        rows = STATE.unpack(flight.states(context, span, times))
        return Poses(rows.rotation.reshape(-1, 3, 3), rows.position)

    def surface(times: Floats) -> Poses:
        f = FRAME.unpack(context.frames(np.full(len(times), surfaces.frame[k]), times))
        R = f.rotation.reshape(-1, 3, 3)
        return Poses(R @ surfaces.turned[k], f.position + R @ surfaces.place[k])

    def drifting(time: float) -> Floats:
        row = STATE.unpack(flight.state(context, span, time))
        return np.asarray(row.velocity + np.cross(row.spin, np.asarray(body.vertices) @ row.rotation.reshape(3, 3).T))

    radius = float(body.radius) + float(surfaces.radius[k])
    place_on_surface = (STATE.unpack(state).position - surfaces.place[k]) @ surfaces.turned[k]
    corners = core_corners(surfaces.core[k], place_on_surface)
    hulls = Hulls(np.asarray(body.vertices), corners, radius, thing, surface)
    if surfaces.frame[k] >= 0 or not span.flies:
        return hulls
    return replace(hulls, drifting=drifting, bend=_bend(body, state, context.gravity))


def core_corners(core: Floats, here: Floats) -> Floats:
    """The corners of a rounded box's core: one for a sphere, two for a capsule, eight for a box.

    Of one that stands for a plane only what lies within `PLANE_SIDE` of the thing is taken: corners a thousand km away
    leave no digits for the gap.
    """
    sides = []
    for c, x in zip(core, here, strict=True):
        low, high = (-c, c) if c < PLANE_SIDE else (max(-c, x - PLANE_SIDE), min(c, x + PLANE_SIDE))
        sides.append(np.array([0.0]) if c == 0.0 else np.array([low, high]))
    return np.stack(np.meshgrid(*sides, indexing="ij"), axis=-1).reshape(-1, 3)


def _fastest(context: Context, table: PoseTable, span: Span, duration: float, k: int) -> float:
    """A bound on how fast any point of the thing approaches any point of a surface [m/s]."""
    world, body, s = context.world, context.scene.thing(span.object).body, STATE.unpack(np.asarray(span.state))
    falling = float(np.linalg.norm(s.velocity) + np.linalg.norm(context.gravity) * abs(duration))
    frame = int(world.surfaces.frame[k])
    turning = float(np.linalg.norm(_spins(body, s) * (_arms(body) + body.radius)))
    return falling + turning + (table.fastest(frame, float(world.bounds[1][frame])) if frame >= 0 else 0.0)


def _spins(body: Body, s: Any) -> Floats:
    """(3,) bounds on the spin about each of a body's own axes in a flight: momentum and energy stay what they are."""
    spin, moments = s.rotation.reshape(3, 3).T @ s.spin, np.asarray(body.moments)
    momentum, energy = np.linalg.norm(moments * spin), moments @ spin**2
    return np.asarray(np.minimum(momentum / moments, np.sqrt(energy / moments)))


def _arms(body: Body) -> Floats:
    """(3,) how far corners are from each axis, at most: a turn about it moves them by that distance only."""
    square = np.asarray(body.vertices) ** 2
    return np.asarray(np.sqrt((square.sum(axis=1)[:, None] - square).max(axis=0)))


def _bend(body: Body, state: Floats, gravity: Floats) -> float:
    """A bound on the acceleration of any corner in a flight [m/s²]."""
    (x, y, z), (p, q, r) = np.asarray(body.moments), _spins(body, STATE.unpack(state))
    quickening = np.abs([(y - z) / x * q * r, (z - x) / y * r * p, (x - y) / z * p * q])  # Euler's equations
    spins, arms = np.array([p, q, r]), _arms(body)
    turning = np.linalg.norm(quickening * arms) + np.linalg.norm(spins) * np.linalg.norm(spins * arms)
    return float(np.linalg.norm(gravity) + turning) * (1.0 + 1e-9) + 1e-9
