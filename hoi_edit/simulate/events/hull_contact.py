"""The first touch of a thing that is not a ball, in flight, with a part or a fixture.

There are few such things, so each is searched by itself: the broad phase is that of balls, with the whole thing in one
sphere; then `search.hull_touches` finds the first touch so that nothing is passed through.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from hoi_edit.simulate.context import Context
from hoi_edit.simulate.packed_layouts import FRAME, STATE
from hoi_edit.simulate.search import flights
from hoi_edit.simulate.search.hull_touches import PLANE_SIDE, first_of_hull
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.world import PoseTable
from kinematics.rotation import Floats
from rigid.convex import Feature
from rigid.convex_compiled import near_contacts
from rigid.gjk import Poses, least_distance
from rigid.hull_contact_time import Hulls

INSIDE = 1e-4  # [m] a flight that begins deeper in something than this is not stopped by it until it is clear
FLAT = 4  # corners of a surface that has faces
CONTACT = 8  # numbers of one: which time, gap, normal and point
APART = 1e-6  # [s] after a touch the same two are looked at again


@dataclass(frozen=True, eq=False)
class HullTouch:
    time: float
    surface: int
    feature: Feature


def first_hull_touch(
    context: Context, table: PoseTable, span: Span, begin: float, until: float, blind: dict[int, float]
) -> HullTouch | None:
    """The first touch of one thing in flight with a part or a fixture between two times."""
    world, body = context.world, context.scene.thing(span.object).body
    times, state = (np.array([t]) for t in (begin, until)), np.asarray(span.state)[None]
    flight = flights(np.array([span.start]), state, np.array([body.reach]), *times)[0]
    seen_from = np.full(len(world.surfaces), -np.inf)
    for k, time in blind.items():
        seen_from[k] = time
    surface, time, kind, corners = first_of_hull(
        context.moving, table.rows(), world.solids, table.groups, context.gravity, flight, world.hulls[span.object],
        seen_from,
    )  # fmt: skip
    return None if surface < 0 else HullTouch(time, surface, Feature(np.asarray(kind), corners[0], corners[1]))


def contacts_of_hull(
    context: Context, span: Span, frame: int, surfaces: Iterable[int], times: Floats, near: float = np.inf
) -> tuple[Floats, Floats, Floats]:
    """A thing in flight, or carried, and surfaces of a part or a fixture at many times: the thing's states, the motions
    of the part's frame, and (K, 8) contacts that are nearer than so much (`near_contacts`), surface by surface."""
    states = context.spans[span.kind].states(context, span, times)
    frames = context.frames(np.full(len(times), frame), times)
    packed, hull, found = context.world.surfaces, context.world.hulls[span.object], [np.empty((0, CONTACT))]
    for k in surfaces:
        place, turned = packed.place[k], packed.turned[k]
        corners = core_corners(packed.core[k], (states[0, :3] - place) @ turned)
        normals = np.array(turned.T if len(corners) >= FLAT else turned.T[:0])
        radius, least = hull.radius + float(packed.radius[k]), least_distance(hull.corners, corners)
        in_part = corners @ turned.T + place
        found.append(near_contacts(hull.corners, hull.normals, states, in_part, normals, frames, radius, near, least))
    return states, frames, np.concatenate(found)


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

    radius = float(body.radius) + float(surfaces.radius[k])
    place_on_surface = (STATE.unpack(state).position - surfaces.place[k]) @ surfaces.turned[k]
    corners = core_corners(surfaces.core[k], place_on_surface)
    return Hulls(np.asarray(body.vertices), corners, radius, thing, surface)


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
