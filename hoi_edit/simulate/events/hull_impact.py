"""Things that are not balls: capsules, boxes and convex meshes, in flight against parts and fixtures.

Their contact is between two hulls and has a feature on both sides (`rigid.convex`). There are few of them, so each is
searched by itself: the broad phase is that of balls, with the whole thing in one sphere; then
`rigid.hull_contact_time` finds the first touch so that nothing is passed through.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.columns import Columns
from hoi_edit.simulate.events.local_jacobians import (
    derivative,
    drifted,
    frame_after,
    hold_derivative,
    retract,
    variation,
    varied_law,
)
from hoi_edit.simulate.frames import Exact
from hoi_edit.simulate.packed_layouts import FRAME, STATE, state_of, state_row
from hoi_edit.simulate.search import flights, near_surfaces
from hoi_edit.simulate.search.layouts import CLEAR
from hoi_edit.simulate.world import PoseTable, World
from kinematics.rotation import Floats, rotation_exp
from rigid.body import Body
from rigid.convex import Feature, Pose, contact
from rigid.event_time import event_time
from rigid.free_flight import Inertia, State, fly
from rigid.gjk import Poses
from rigid.hull_contact_time import PIECES, Hulls, first_touch
from rigid.impact import Free, Material, choose_mode, collide

PLANE_SIDE = 100.0  # [m]
INSIDE = 1e-4  # [m] a flight that begins deeper in something than this is not stopped by it until it is clear
APART = 1e-6  # [s] after a touch the same two are looked at again
SHORT = 1.0 / 64.0  # [s] of a flight that is looked at first; each stretch after it is twice as long
HOP = 0.05  # [m/s] no corner leaves more slowly, unless it came so: contact that lasts is hops of a tenth of a mm

FEATURE = {"kind": 0, "corners": 9, "surface_corners": 9}
BULKY = Columns(
    state=STATE.width, frame=FRAME.width, place=3, turned=9, **FEATURE, radius=0, surface_radius=0,
    inverse_mass=0, moments=3, restitution=0, friction=0, normal_turn=3, stick=0, declared=0,
)  # fmt: skip
COLLIDED = Columns(gap=0, rate=0, before=18, after=18, stick=0, ratio=0, normal=3, pull=0, restitution=0, speed=0)


def _pose_of(frame: Any, place: Array, turned: Array) -> Pose:
    return Pose(frame.rotation @ turned, frame.position + frame.rotation @ place)


def _feature(item: SimpleNamespace) -> Feature:
    return Feature(item.kind, item.corners.reshape(3, 3), item.surface_corners.reshape(3, 3))


def _free(item: SimpleNamespace, state: State) -> Free:
    R = state.rotation
    return Free(
        item.inverse_mass, (R / item.moments[None]) @ R.T, state.position, state.velocity, state.angular_velocity
    )


def _impulse(
    item: SimpleNamespace, before: State, frame: Any, normal: Array, point: Array, stick: Array | None
) -> tuple[State, Array, Array]:
    normal = rotation_exp(item.normal_turn) @ normal
    thing, surface = _free(item, before), Free.surface(frame.position, frame.velocity, frame.spin)
    material = Material(item.restitution, item.friction)
    chosen, ratio = choose_mode(thing, surface, point, normal, material)
    stick = chosen if stick is None else stick
    velocity, spin, _, _ = collide(thing, surface, point, normal, material, stick)
    return State(before.position, before.rotation, velocity, spin), stick, ratio


def _unpacked(frame: Array) -> SimpleNamespace:
    f = FRAME.unpack(frame)
    return SimpleNamespace(**(vars(f) | {"rotation": f.rotation.reshape(3, 3)}))


@jax.jit
def collision(gravity: Array, row: Array) -> Array:
    """COLLIDED row of a BULKY row: what a touch does."""
    item = BULKY.unpack(row)
    frame, before = _unpacked(item.frame), state_of(item.state)
    there = _pose_of(frame, item.place, item.turned.reshape(3, 3))
    gap, normal, point = contact(
        _feature(item), Pose(before.rotation, before.position), there, item.radius, item.surface_radius
    )
    arm = point - frame.position
    surface = frame.velocity + jnp.cross(frame.spin, arm)
    touching = before.velocity + jnp.cross(before.angular_velocity, point - before.position)
    rate = jnp.dot(normal, touching - surface)
    # Corners would rattle ever faster. A hop of constant height takes no energy and adds none; friction still works.
    hop = jnp.minimum(1.0, HOP / jnp.maximum(-rate, 1e-12))
    restitution = jnp.maximum(item.restitution, hop)
    law = SimpleNamespace(**(vars(item) | {"restitution": restitution}))
    after, stick, ratio = _impulse(law, before, frame, normal, point, None)
    pull = jnp.dot(normal, gravity - frame.accel - jnp.cross(frame.spin_accel, arm))
    return jnp.concatenate(
        [jnp.stack([gap, rate]), item.state, state_row(after), jnp.stack([stick, ratio]), normal,
         jnp.stack([pull, restitution, jnp.linalg.norm(touching - surface)])]
    )  # fmt: skip


def _meeting(item: SimpleNamespace, gravity: Array, z: Array) -> tuple[Array, State, SimpleNamespace, Array, Array]:
    """Delay of the touch, state before, frame, normal and point: of z = (state 12, frame 12, surface 6)."""
    frame = FRAME.unpack(item.frame)

    def touch(tau: Array, varied: Array) -> tuple[Array, State, SimpleNamespace, Array, Array]:
        f = frame_after(frame, varied[12:24], tau)
        thing = drifted(retract(state_of(item.state), varied[:12]), item.moments, gravity, tau)
        turned = rotation_exp(varied[27:30]) @ item.turned.reshape(3, 3)
        there = _pose_of(f, item.place + varied[24:27], turned)
        here = Pose(thing.rotation, thing.position)
        gap, normal, point = contact(_feature(item), here, there, item.radius, item.surface_radius)
        return gap, thing, f, normal, point

    tau = (1.0 - item.declared) * event_time(lambda t, varied: touch(t, varied)[0], 0.0, z[:30])
    return tau, *touch(tau, z[:30])[1:]


def _bounced(item: SimpleNamespace, gravity: Array, z: Array) -> State:
    tau, before, frame, normal, point = _meeting(item, gravity, z)
    law = varied_law(item, z[30:35])
    after, _, _ = _impulse(law, before, frame, normal, point, item.stick)
    return drifted(after, item.moments, gravity, -tau)


@jax.jit
def bulky_impact_links(gravity: Array, items: Array) -> Array:
    """(B, 12, 35): the flight after by (state before, frame, surface in it, restitution, friction, normal)."""

    def one(row: Array) -> Array:
        item = BULKY.unpack(row)
        nominal = _bounced(item, gravity, jnp.zeros(35))
        return derivative(lambda z: variation(_bounced(item, gravity, z), nominal), 35)

    return jax.vmap(one)(items)


@jax.jit
def bulky_grasp_links(gravity: Array, items: Array) -> Array:
    """(B, 6, 30): the hold by (state before, frame, surface in it)."""

    def one(row: Array) -> Array:
        item = BULKY.unpack(row)

        def caught(z: Array) -> tuple[Array, Array]:
            _, before, frame, _, _ = _meeting(item, gravity, z)
            return frame.rotation.T @ (before.position - frame.position), frame.rotation.T @ before.rotation

        return hold_derivative(caught, 30)

    return jax.vmap(one)(items)


@jax.jit
def _point(row: Array) -> Array:
    item = BULKY.unpack(row)
    frame, before = _unpacked(item.frame), state_of(item.state)
    there = _pose_of(frame, item.place, item.turned.reshape(3, 3))
    return contact(_feature(item), Pose(before.rotation, before.position), there, item.radius, item.surface_radius)[2]


def point_of(body: Body, event: Any) -> Floats:
    """(3,) where a thing that is not a ball touched a part, or was closest to it."""
    row = bulky_row(body, event.before, event.frame, event.patch, event.feature, (0.0,) * 5)
    return np.asarray(_point(row))


@jax.jit
def states_at(gravity: Array, inertia: Inertia, state: Array, durations: Array) -> Array:
    """(B, 18) packed states along a flight."""
    return jax.vmap(lambda t: state_row(fly(state_of(state), inertia, gravity, t)))(durations)


@dataclass(frozen=True, eq=False)
class BulkyTouch:
    time: float
    surface: int
    feature: Feature


def first_bulky_touch(
    exact: Exact, table: PoseTable, inertia: Inertia, body: Body, state: Floats, start: float,
    begin: float, until: float, blind: dict[int, float],
) -> BulkyTouch | None:  # fmt: skip
    """The first touch of one thing in flight with a part or a fixture between two times."""
    world, s = exact.world, STATE.unpack(state)
    times = (np.array([t]) for t in (begin, until))
    flight = flights(np.array([start]), state[None], np.array([body.reach]), *times)[0]
    row, surface = near_surfaces(table.rows(), world.solids, table.groups, exact.gravity, flight).T
    best: BulkyTouch | None = None
    for k in np.unique(surface):
        rows = row[surface == k]
        low = max(begin, table.start + table.step * rows.min())
        high = min(until if best is None else best.time, table.start + table.step * (rows.max() + 1))
        hulls = hulls_of(exact, int(k), inertia, body, state, start)
        low = _clear_from(hulls, low, high, blind.get(int(k)))
        for begins, ends in _stretches(low, high):
            speed = _fastest(body, s, exact.gravity, ends - start, table, world, int(k))
            found = first_touch(hulls, speed, begins, ends)
            if found is not None:
                best = BulkyTouch(found[0], int(k), found[1])
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


def hulls_of(exact: Exact, k: int, inertia: Inertia, body: Body, state: Floats, start: float) -> Hulls:
    """A thing in flight, from its state at a time on, and a surface by its number."""
    surfaces = exact.world.surfaces

    def thing(times: Floats) -> Poses:
        rows = STATE.unpack(np.asarray(states_at(exact.gravity, inertia, state, jnp.asarray(times - start))))
        return Poses(rows.rotation.reshape(-1, 3, 3), rows.position)

    def surface(times: Floats) -> Poses:
        f = FRAME.unpack(exact.frames(np.full(len(times), surfaces.frame[k]), times))
        R = f.rotation.reshape(-1, 3, 3)
        return Poses(R @ surfaces.turned[k], f.position + R @ surfaces.place[k])

    def drifting(time: float) -> Floats:
        row = STATE.unpack(np.asarray(states_at(exact.gravity, inertia, state, jnp.asarray([time - start])))[0])
        return np.asarray(row.velocity + np.cross(row.spin, np.asarray(body.vertices) @ row.rotation.reshape(3, 3).T))

    radius = float(body.radius) + float(surfaces.radius[k])
    here = (STATE.unpack(state).position - surfaces.place[k]) @ surfaces.turned[k]
    corners = core_corners(surfaces.core[k], here)
    hulls = Hulls(np.asarray(body.vertices), corners, radius, thing, surface)
    if surfaces.frame[k] >= 0:
        return hulls
    return replace(hulls, drifting=drifting, bend=_bend(body, state, exact.gravity))


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


def _fastest(body: Body, s: Any, gravity: Floats, duration: float, table: PoseTable, world: World, k: int) -> float:
    """A bound on how fast any point of the thing approaches any point of a surface [m/s]."""
    own = float(np.linalg.norm(s.velocity) + np.linalg.norm(gravity) * abs(duration))
    frame = int(world.surfaces.frame[k])
    turning = float(np.linalg.norm(_spins(body, s) * (_arms(body) + body.radius)))
    return own + turning + (table.fastest(frame, float(world.bounds[1][frame])) if frame >= 0 else 0.0)


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


def bulky_row(
    body: Body, state: Floats, frame: Floats, patch: Any, feature: Feature, law: tuple[float, ...],
    stick: float = 0.0, declared: float = 0.0,
) -> Floats:  # fmt: skip
    """BULKY row of a thing that touches a patch; `state` is just before."""
    e, mu, *normal = law
    return BULKY.pack(
        1, state=state, frame=frame, place=patch.place, turned=np.ravel(patch.turned),
        kind=feature.kind, corners=np.ravel(feature.a), surface_corners=np.ravel(feature.b), radius=body.radius,
        surface_radius=patch.radius, inverse_mass=1.0 / body.mass, moments=body.moments, restitution=e, friction=mu,
        normal_turn=normal, stick=stick, declared=declared,
    )[0]  # fmt: skip
