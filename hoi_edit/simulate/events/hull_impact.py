"""A thing that is not a ball (a capsule, a box, a convex mesh) touches a surface in flight.

The contact is between two hulls and has a feature on both sides (`rigid.convex`), found by `events.hull_contact`. What
follows is an impulse on both, a grasp, or rest on what it stands on (`hull_settling`).
"""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.columns import Columns, chunked
from hoi_edit.simulate.dynamics.flight_laws import flight_jacobians
from hoi_edit.simulate.events.base import EventKind, Which
from hoi_edit.simulate.events.grasp import passing_by
from hoi_edit.simulate.events.touch import (
    BEFORE,
    ON_FRAME,
    SURFACE_PLACE,
    SURFACE_TURN,
    WITH_LAW,
    WITHOUT_LAW,
    flight_by_time,
    note_touch,
)
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import FRAME, LAW, STATE, state_of, state_row
from hoi_edit.simulate.variations import (
    derivative,
    drifted,
    frame_after,
    hold_derivative,
    in_hand,
    retract,
    variation,
    varied_law,
)
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, rotation_exp
from rigid.body import Body
from rigid.convex import Feature, Pose, contact
from rigid.free_flight import State
from rigid.impact import Free, Material, choose_mode, collide
from rigid.time_of_impact import event_time

HOP = 0.05  # [m/s] no corner leaves more slowly, unless it came so: contact that lasts is hops of a tenth of a mm

HULL_TOUCH = Columns(
    state=STATE.width, frame=FRAME.width, place=3, turned=9, kind=0, corners=9, surface_corners=9, radius=0,
    surface_radius=0, inverse_mass=0, moments=3, **LAW, declared=0,
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
    """COLLIDED row of a HULL_TOUCH row: what a touch does."""
    item = HULL_TOUCH.unpack(row)
    frame, before = _unpacked(item.frame), state_of(item.state)
    surface_pose = _pose_of(frame, item.place, item.turned.reshape(3, 3))
    gap, normal, point = contact(
        _feature(item), Pose(before.rotation, before.position), surface_pose, item.radius, item.surface_radius
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
        f = frame_after(frame, varied[ON_FRAME], tau)
        thing = drifted(retract(state_of(item.state), varied[BEFORE]), item.moments, gravity, tau)
        turned = rotation_exp(varied[SURFACE_TURN]) @ item.turned.reshape(3, 3)
        surface_pose, pose = (
            _pose_of(f, item.place + varied[SURFACE_PLACE], turned),
            Pose(thing.rotation, thing.position),
        )
        gap, normal, point = contact(_feature(item), pose, surface_pose, item.radius, item.surface_radius)
        return gap, thing, f, normal, point

    tau = (1.0 - item.declared) * event_time(lambda t, varied: touch(t, varied)[0], 0.0, z[:WITHOUT_LAW])
    return tau, *touch(tau, z[:WITHOUT_LAW])[1:]


def _bounced(item: SimpleNamespace, gravity: Array, z: Array) -> State:
    tau, before, frame, normal, point = _meeting(item, gravity, z)
    law = varied_law(item, z[WITHOUT_LAW:])
    after, _, _ = _impulse(law, before, frame, normal, point, item.stick)
    return drifted(after, item.moments, gravity, -tau)


@jax.jit
def hull_impact_jacobians(gravity: Array, items: Array) -> Array:
    """(B, 12, 35): the flight after by (state before, frame, surface in it, restitution, friction, normal)."""

    def one(row: Array) -> Array:
        item = HULL_TOUCH.unpack(row)
        nominal = _bounced(item, gravity, jnp.zeros(WITH_LAW))
        return derivative(lambda z: variation(_bounced(item, gravity, z), nominal), WITH_LAW)

    return jax.vmap(one)(items)


@jax.jit
def hull_grasp_jacobians(gravity: Array, items: Array) -> Array:
    """(B, 6, 30): the hold by (state before, frame, surface in it)."""

    def one(row: Array) -> Array:
        item = HULL_TOUCH.unpack(row)

        def caught(z: Array) -> tuple[Array, Array]:
            _, before, frame, _, _ = _meeting(item, gravity, z)
            return in_hand(before, frame)

        return hold_derivative(caught, WITHOUT_LAW)

    return jax.vmap(one)(items)


@jax.jit
def _point(row: Array) -> Array:
    item = HULL_TOUCH.unpack(row)
    frame, before = _unpacked(item.frame), state_of(item.state)
    surface_pose = _pose_of(frame, item.place, item.turned.reshape(3, 3))
    return contact(
        _feature(item), Pose(before.rotation, before.position), surface_pose, item.radius, item.surface_radius
    )[2]


def point_of(body: Body, event: Any) -> Floats:
    """(3,) where a thing that is not a ball touched a part, or was closest to it."""
    row = hull_touch_row(body, event.before, event.frame, event.patch, event.feature, (0.0,) * 5)
    return np.asarray(_point(row))


def hull_touch_row(
    body: Body, state: Floats, frame: Floats, patch: Any, feature: Feature, law: tuple[float, ...],
    stick: float = 0.0, declared: float = 0.0,
) -> Floats:  # fmt: skip
    """HULL_TOUCH row of a thing that touches a patch; `state` is just before."""
    e, mu, *normal = law
    return HULL_TOUCH.pack(
        1, state=state, frame=frame, place=patch.place, turned=np.ravel(patch.turned),
        kind=feature.kind, corners=np.ravel(feature.a), surface_corners=np.ravel(feature.b), radius=body.radius,
        surface_radius=patch.radius, inverse_mass=1.0 / body.mass, moments=body.moments, restitution=e, friction=mu,
        normal_turn=normal, stick=stick, declared=declared,
    )[0]  # fmt: skip


class HullImpact(EventKind):
    """A thing that is not a ball bounces off a surface, or hops on what it stands on."""

    has_law = True

    def local_jacobians(self, jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
        return _by_starts(jacobians, asked, partial(hull_impact_jacobians, jacobians.context.gravity))

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        back = on @ accumulator.jacobians.of[name, k]
        note_touch(accumulator, accumulator.chain(name).events[k], rows, back, self.has_law)
        accumulator.leave_at(name, k, rows, back[:, BEFORE])

    def outcome_by_time(self, jacobians: LocalJacobians, name: str, k: int) -> Floats:
        return flight_by_time(jacobians, name, k)


class HullGrasp(HullImpact):
    """It is held from now on as it was when it touched."""

    has_law = False
    grows = False

    def local_jacobians(self, jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
        return _by_starts(jacobians, asked, partial(hull_grasp_jacobians, jacobians.context.gravity))

    def outcome_by_time(self, jacobians: LocalJacobians, name: str, k: int) -> Floats:
        return passing_by(jacobians, name, k)


class HullRest(HullGrasp):
    """It lies still: what it lies on holds it."""

    grows = True


def _by_starts(jacobians: LocalJacobians, asked: Sequence[Which], kernel: Any) -> dict[Which, Floats]:
    """Kernels take the state just before; flights are named by how they start."""
    touches = chunked(kernel, np.stack([_row_of(jacobians, name, k) for name, k in asked]))
    flights = flight_jacobians(
        jacobians.context, [(jacobians.chains[name].spans[k], jacobians.chains[name].spans[k].end) for name, k in asked]
    )
    return {
        which: np.concatenate([touch[:, BEFORE] @ flight, touch[:, ON_FRAME.start :]], axis=1)
        for which, touch, flight in zip(asked, touches, flights, strict=True)
    }


def _row_of(jacobians: LocalJacobians, name: str, k: int) -> Floats:
    event, body = jacobians.event(name, k), jacobians.context.scene.thing(name).body
    body = body if event.moments is None else replace(body, moments=event.moments)
    return hull_touch_row(
        body, np.asarray(event.before), np.asarray(event.frame), event.patch, event.feature,
        jacobians.context.laws.of_event(event), event.stick, float(event.declared),
    )  # fmt: skip
