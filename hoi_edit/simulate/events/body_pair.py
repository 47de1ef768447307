"""Two free bodies of any shape meet, whatever they were doing: flying, rolling or lying.

The impulse is one on both. The local Jacobian is by their states just before, which are carried back along the spans
like any other. There is one program for it, whoever meets: balls are hulls of one corner, and a surface is a body that
no impulse moves. The law is differentiated by JAX here (`parted_by_law`, `derivative_of_parting`); what is used is
machine code (`body_pair_compiled`), which is measured against this.
"""

from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.events.base import EventKind, Which
from hoi_edit.simulate.events.body_pair_compiled import paired_jacobians
from hoi_edit.simulate.packed_layouts import PAIRED, state_of, state_row
from hoi_edit.simulate.variations import later, moved_along, retract, turn_of, varied_law
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, rotation_exp
from rigid.body import Body
from rigid.convex import Feature, Pose, contact
from rigid.free_flight import State
from rigid.hull_features import VERTEX_VERTEX
from rigid.impact import Free, Material, choose_mode, collide
from rigid.time_of_impact import time_by

# columns of its local Jacobian: the state before of the first, that of the other, the law
FIRST, OTHER, ON_LAW, GOES_ON = slice(0, 12), slice(12, 24), slice(24, 29), 29
MOMENT = OTHER.stop  # beside both states: how much later


@jax.jit
def parted_by_law(row: Array) -> Array:
    """PARTED row of a PAIRED row: what a touch does to both. They do not leave each other more slowly than at the speed
    of a `hop`, unless they came so."""
    item = PAIRED.unpack(row)
    a, b = state_of(item.state_a), state_of(item.state_b)
    gap, normal, point = touching_of(item, a, b)
    free_a, free_b = body_of(item, "a", a), body_of(item, "b", b)
    between = free_a.velocity_at(point) - free_b.velocity_at(point)
    rate = jnp.dot(normal, between)
    restitution = jnp.maximum(item.restitution, jnp.minimum(1.0, item.hop / jnp.maximum(-rate, 1e-12)))
    bent, material = rotation_exp(item.normal_turn) @ normal, Material(restitution, item.friction)
    stick, ratio = choose_mode(free_a, free_b, point, bent, material)
    v_a, w_a, v_b, w_b = collide(free_a, free_b, point, bent, material, stick)
    after = (state_row(State(s.position, s.rotation, v, w)) for s, v, w in ((a, v_a, w_a), (b, v_b, w_b)))
    return jnp.concatenate(
        [jnp.stack([gap, rate]), *after, jnp.stack([stick, ratio]), normal, jnp.linalg.norm(between)[None], point,
         restitution[None]]
    )  # fmt: skip


def pair_columns(which: str, body: Body, state: Floats, rates: Floats, corners: Any) -> dict[str, Any]:
    """One of two in a PAIRED row."""
    columns = {"state": state, "rates": rates, "radius": body.radius, "inverse_mass": 1.0 / body.mass,
           "moments": body.moments, "corners": np.ravel(corners)}  # fmt: skip
    return {f"{key}_{which}": value for key, value in columns.items()}


def body_of(item: SimpleNamespace, which: str, state: State) -> Free:
    """One of a pair as an impulse sees it."""
    columns, R = vars(item), state.rotation
    inverse = (R / columns[f"moments_{which}"][None]) @ R.T
    return Free(columns[f"inverse_mass_{which}"], inverse, state.position, state.velocity, state.angular_velocity)


def touching_of(item: SimpleNamespace, a: State, b: State) -> tuple[Array, Array, Array]:
    """Gap, normal from b to a, and point of two hulls."""
    feature = Feature(item.kind, item.corners_a.reshape(3, 3), item.corners_b.reshape(3, 3))
    pose_a, pose_b = Pose(a.rotation, a.position), Pose(b.rotation, b.position)
    return contact(feature, pose_a, pose_b, item.radius_a, item.radius_b)


@jax.jit
def derivative_of_parting(items: Array) -> Array:
    """(B, 13, 30): the first of two things after they met, and the delay, by (both states before, law); and in the last
    column how its place and turn go on."""
    return jax.vmap(lambda row: _paired_jacobian(PAIRED.unpack(row)))(items)


def _paired_jacobian(item: SimpleNamespace) -> Array:
    """In two stages, so that nothing is evaluated twice: how they touch, by both states and by a moment more; then what
    comes of it, where the moment is such that the gap stays zero."""

    def touch(varied: Array) -> tuple[Array, Any]:
        a = later(retract(state_of(item.state_a), varied[FIRST]), item.rates_a, varied[MOMENT])
        b = later(retract(state_of(item.state_b), varied[OTHER]), item.rates_b, varied[MOMENT])
        gap, normal, point = touching_of(item, a, b)
        return gap, (a, b, normal, point)

    def outcome(at: tuple[Any, Array]) -> tuple[Array, Array]:
        (a, b, normal, point), z = at
        law = varied_law(item, z)
        bent, material = rotation_exp(law.normal_turn) @ normal, Material(law.restitution, law.friction)
        return collide(body_of(item, "a", a), body_of(item, "b", b), point, bent, material, item.stick)[:2]

    (_, met), (by_gap, ways) = moved_along(touch, jnp.zeros(MOMENT + 1), jnp.eye(MOMENT + 1))
    delay = (1.0 - item.declared) * time_by(by_gap[:MOMENT], by_gap[MOMENT])

    def at_touch(way: Array) -> Array:
        by_both = way[:MOMENT] + delay.reshape(-1, *(1,) * (way.ndim - 1)) * way[MOMENT:]
        return jnp.concatenate([by_both, jnp.zeros((5, *way.shape[1:]))])

    ways, on_law = jax.tree.map(at_touch, ways), jnp.concatenate([jnp.zeros((MOMENT, 5)), jnp.eye(5)])
    after, (velocity, spin) = moved_along(outcome, (met, jnp.zeros(5)), (ways, on_law))
    turn = jax.vmap(turn_of, (0, None))(ways[0].rotation, met[0].rotation)
    delays = jnp.append(delay, jnp.zeros(5))[:, None]
    columns = jnp.concatenate([ways[0].position, turn, velocity, spin, delays], axis=1)
    return jnp.column_stack([columns.T, jnp.concatenate([*after, jnp.zeros(7)])])


class BodyPair(EventKind):
    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        event = accumulator.chain(name).events[k]
        other, j = accumulator.jacobians.twin(event)
        row = paired_row(accumulator, (name, k), (other, j))
        back = accumulator.after_back(name, k, rows, on) @ paired_jacobians(row[None])[0]
        accumulator.state_back(name, k, event.time, rows, back[:, FIRST])
        accumulator.state_back(other, j, event.time, rows, back[:, OTHER])
        accumulator.on_law(event.contact or accumulator.chain(other).events[j].contact, rows, back[:, ON_LAW])


def paired_row(accumulator: Accumulator, one: Which, other: Which) -> Floats:
    """PAIRED row of two things by the events at which they met."""
    columns: dict[str, Any] = {}
    events = [accumulator.chain(name).events[k] for name, k in (one, other)]
    feature = events[0].feature or Feature(VERTEX_VERTEX, np.zeros((3, 3)), np.zeros((3, 3)))
    for which, (name, k), corners in (("a", one, feature.a), ("b", other, feature.b)):
        state, rates = accumulator.context.state_and_rates(accumulator.span(name, k), events[0].time)
        columns |= pair_columns(which, accumulator.scene.thing(name).body, state, rates, corners)
    e, mu, *normal = accumulator.context.laws.of_met(*events)
    return PAIRED.pack(
        1,
        **columns,
        kind=feature.kind,
        restitution=e,
        friction=mu,
        normal_turn=normal,
        stick=events[0].stick,
        hop=0.0,
        declared=0.0,
    )[0]
