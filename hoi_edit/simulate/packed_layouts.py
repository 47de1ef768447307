"""Packed records, and the differentiable twins of what the search finds: a frame's motion and a ball's bounce.

A *surface* is a rounded box fixed to a frame: a segment of a character, or the world. `simulate.search` finds when it
is touched; derivatives come from here.
"""

from types import SimpleNamespace

import jax
import jax.numpy as jnp
from jax import Array

from hoi_edit.motions import Motion, joint_state
from hoi_edit.motions.base import Parameters
from hoi_edit.simulate.columns import Columns
from kinematics.forward import forward, rates
from kinematics.rotation import rotation_exp
from kinematics.skeleton import Skeleton
from rigid.free_flight import State
from rigid.impact import Free, Material, choose_mode, collide

FRAME = Columns(position=3, rotation=9, velocity=3, spin=3, accel=3, spin_accel=3)
STATE = Columns(position=3, rotation=9, velocity=3, spin=3)
LAW = {"restitution": 0, "friction": 0, "normal_turn": 3, "stick": 0}
SURFACE = {"place": 3, "turned": 9, "core": 3, "radius": 0, "feature": 3}
BALL = {"ball_radius": 0, "inverse_mass": 0, "inverse_moment": 0}
TOUCH = Columns(state=STATE.width, duration=0, frame=FRAME.width, **SURFACE, **BALL, **LAW, declared=0)
CARRY = Columns(frame=FRAME.width, position=3, rotation=9, moments=3)
FLY = Columns(state=STATE.width, duration=0)
_ONE = {"state": STATE.width, "rates": 6, "radius": 0, "inverse_mass": 0, "moments": 3, "corners": 9}
PAIRED = Columns(
    **{f"{name}_{which}": width for which in "ab" for name, width in _ONE.items()}, kind=0, **LAW, hop=0, declared=0
)  # fmt: skip
PARTED = Columns(gap=0, rate=0, after_a=18, after_b=18, stick=0, ratio=0, normal=3, speed=0, point=3, restitution=0)


def state_of(row: Array) -> State:
    s = STATE.unpack(row)
    return State(s.position, s.rotation.reshape(3, 3), s.velocity, s.spin)


def state_row(state: State) -> Array:
    return jnp.concatenate([state.position, state.rotation.ravel(), state.velocity, state.angular_velocity])


def frame_motion(skeleton: Skeleton, motion: Motion, parameters: Parameters, segment: Array, t: Array) -> Array:
    """The packed motion (24,) of a segment's frame at time t."""
    q = joint_state(motion, parameters, t)
    frames = forward(skeleton, q.q)
    moving = rates(skeleton, frames, q.rate, q.accel)
    p, twist, accel = frames.position[segment], moving.twist[segment], moving.accel[segment]
    w = twist[:3]
    v = twist[3:] + jnp.cross(w, p)
    a = accel[3:] + jnp.cross(accel[:3], p) + jnp.cross(w, v)
    return jnp.concatenate([p, frames.rotation[segment].ravel(), v, w, a, accel[:3]])


@jax.jit
def frame_motions(skeleton: Skeleton, motion: Motion, parameters: Parameters, items: Array) -> Array:
    """(B, 24) from rows (segment, time)."""
    return jax.vmap(lambda row: frame_motion(skeleton, motion, parameters, row[0].astype(int), row[1]))(items)


def bounce(
    frame: Array, item: SimpleNamespace, before: State, normal: Array, stick: Array | None
) -> tuple[State, Array, Array]:
    """The state after the impulse; stick or slide is chosen here only if it is not given."""
    f = FRAME.unpack(frame)
    normal = rotation_exp(item.normal_turn) @ normal
    ball = Free(
        item.inverse_mass, item.inverse_moment * jnp.eye(3), before.position, before.velocity, before.angular_velocity
    )
    surface = Free(jnp.asarray(0.0), jnp.zeros((3, 3)), f.position, f.velocity, f.spin)
    point = before.position - item.ball_radius * normal
    material = Material(item.restitution, item.friction)
    chosen, ratio = choose_mode(ball, surface, point, normal, material)
    stick = chosen if stick is None else stick
    velocity, spin, _, _ = collide(ball, surface, point, normal, material, stick)
    return State(before.position, before.rotation, velocity, spin), stick, ratio
