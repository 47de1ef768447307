"""The exact instant at which a flying ball touches a surface, and what the touch does to it.

A *surface* is a rounded box fixed to a frame: a segment of a character, or the world. The search (`hoi_edit.search`)
says where to look; here the time is polished to round-off against the true motion of the frame, and the impulse law
gives the state after. Batched over fixed-size chunks of packed rows, so nothing compiles twice.
"""

from collections.abc import Callable
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array

from hoi_edit.motions import Motion, joint_state
from hoi_edit.motions.base import Parameters
from hoi_edit.packing import Columns
from kinematics.forward import forward, rates
from kinematics.rotation import rotation_exp
from kinematics.skeleton import Skeleton
from rigid.distance import RoundedBox, feature_of, gap_and_normal
from rigid.flight import State, Top, fly
from rigid.impact import Free, Material, choose_mode, collide

CHUNK = 32
NEWTON = 6  # steps on an extrapolated gap
SURE = 1e-5  # [s] over which extrapolation is exact: jerk · (10 µs)³ is nothing
MOST_STEPS = 60  # of slow polishing; Newton takes three to five, the rest is bisection that only odd motions need

FRAME = Columns(position=3, rotation=9, velocity=3, spin=3, accel=3, spin_accel=3)
STATE = Columns(position=3, rotation=9, velocity=3, spin=3)
STRIKE = Columns(
    start=0, state=STATE.width, low=0, high=0, guess=0, segment=0, frame=FRAME.width,
    place=3, turned=9, core=3, radius=0, ball_radius=0, inverse_mass=0, inverse_moment=0,
    restitution=0, friction=0, normal_turn=3,
)  # fmt: skip
STRUCK = Columns(
    time=0, gap=0, rate=0, frame=FRAME.width, feature=3, before=STATE.width, after=STATE.width, stick=0, ratio=0,
    pull=0, speed=0, sure=0, normal=3,
)  # fmt: skip


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


def touch(frame: Array, item: SimpleNamespace, position: Array, velocity: Array) -> tuple[Array, Array, Array, Array]:
    """Gap, its rate, the contact's feature and the normal in the world, of a ball against a surface on a frame."""
    f = FRAME.unpack(frame)
    R = f.rotation.reshape(3, 3)
    local = item.turned.reshape(3, 3).T @ (R.T @ (position - f.position) - item.place)
    shape = RoundedBox(item.core, item.radius + item.ball_radius)
    feature = feature_of(shape, local)
    gap, normal = gap_and_normal(shape, local, feature)
    n = R @ (item.turned.reshape(3, 3) @ normal)
    rate = jnp.dot(n, velocity - f.velocity - jnp.cross(f.spin, position - f.position))
    return gap, rate, feature, n


def _strike(frame_at: Callable[[Array], Array], gravity: Array, row: Array) -> Array:
    """Kinematics is dear and a root is cheap: the frame is looked at twice, and in between it is extrapolated.

    A guess within a millisecond or so is all that is needed: with position, velocity and acceleration known there, the
    root of the extrapolated gap is off by jerk · ms³, and the next one by nothing. `sure` tells whether that was so.
    """
    item = STRIKE.unpack(row)
    start = state_of(item.state)
    first = frame_at(item.guess)
    near = _root(first, item, start, gravity, item.guess, item.low, item.high)
    second = frame_at(near)
    span = jnp.abs(near - item.guess) + 1e-9
    t = _root(second, item, start, gravity, near, near - span, near + span)
    t = jnp.where(item.high > item.low, jnp.clip(t, item.low, item.high), item.guess)
    sure = (jnp.abs(t - near) < SURE) & (jnp.abs(t - item.guess) < 0.02)
    return _struck(extrapolated(second, t - near), item, start, gravity, t, sure)


def extrapolated(frame: Array, tau: Array) -> Array:
    """A frame's packed motion a moment later, as if its acceleration stayed."""
    f = FRAME.unpack(frame)
    spin = f.spin + 0.5 * tau * f.spin_accel
    return jnp.concatenate(
        [
            f.position + tau * f.velocity + 0.5 * tau**2 * f.accel,
            (rotation_exp(tau * spin) @ f.rotation.reshape(3, 3)).ravel(),
            f.velocity + tau * f.accel,
            f.spin + tau * f.spin_accel,
            f.accel,
            f.spin_accel,
        ]
    )


def _root(
    frame: Array, item: SimpleNamespace, start: State, gravity: Array, at: Array, low: Array, high: Array
) -> Array:
    """When the gap to an extrapolated frame is zero, between two times: Newton, kept within its bracket."""

    def newton(_: int, loop: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        t, low, high = loop
        tau = t - item.start
        x = start.position + tau * start.velocity + 0.5 * tau**2 * gravity
        gap, rate = touch(extrapolated(frame, t - at), item, x, start.velocity + tau * gravity)[:2]
        low, high = jnp.where(gap > 0, t, low), jnp.where(gap > 0, high, t)
        trial = t - gap / jnp.where(rate == 0, jnp.inf, rate)
        inside = (trial >= low) & (trial <= high) & (rate < 0)
        return jnp.where(gap == 0.0, t, jnp.where(inside, trial, 0.5 * (low + high))), low, high

    return jax.lax.fori_loop(0, NEWTON, newton, (jnp.clip(at, low, high), low, high))[0]


def _strike_slowly(frame_at: Callable[[Array], Array], gravity: Array, row: Array) -> Array:
    """The same without trust in the guess: the frame is looked at in each step, and bisection has the last word."""
    item = STRIKE.unpack(row)
    start = state_of(item.state)

    def measured(t: Array) -> tuple[Array, Array]:
        tau = t - item.start
        x = start.position + tau * start.velocity + 0.5 * tau**2 * gravity
        return touch(frame_at(t), item, x, start.velocity + tau * gravity)[:2]

    def unfinished(loop: tuple[Array, ...]) -> Array:
        _, low, high, _, gap, step = loop
        return (jnp.abs(gap) > 2e-15) & (step < MOST_STEPS) & (high - low > 2e-16 * jnp.abs(high))

    def newton(loop: tuple[Array, ...]) -> tuple[Array, ...]:
        t, low, high, best, best_gap, step = loop
        gap, rate = measured(t)
        low, high = jnp.where(gap > 0, t, low), jnp.where(gap > 0, high, t)
        better = jnp.abs(gap) < jnp.abs(best_gap)
        best, best_gap = jnp.where(better, t, best), jnp.where(better, gap, best_gap)
        trial = t - gap / jnp.where(rate == 0, jnp.inf, rate)
        inside = (trial > low) & (trial < high) & (rate < 0)
        # a Newton step shorter than the grid of time itself cannot improve: stop
        stuck = inside & (trial == t)
        return jnp.where(inside, trial, 0.5 * (low + high)), jnp.where(stuck, high, low), high, best, best_gap, step + 1

    begin: tuple[Array, ...] = (item.guess, item.low, item.high, item.guess, jnp.asarray(jnp.inf), jnp.asarray(0))
    t = jax.lax.while_loop(unfinished, newton, begin)[3]
    return _struck(frame_at(t), item, start, gravity, t, jnp.asarray(True))


def _struck(frame: Array, item: SimpleNamespace, start: State, gravity: Array, t: Array, sure: Array) -> Array:
    """Everything that is worth knowing about a touch at time t."""
    top = Top(item.ball_radius, item.ball_radius, jnp.array([0.0, 1.0, 0.0]))  # of a ball only the ratio matters: one
    before = fly(start, top, gravity, t - item.start)
    gap, rate, feature, normal = touch(frame, item, before.position, before.velocity)
    after, stick, ratio = bounce(frame, item, before, normal, None)
    f = FRAME.unpack(frame)
    arm = before.position - f.position
    spin = f.spin
    surface_accel = f.accel + jnp.cross(f.spin_accel, arm) + jnp.cross(spin, jnp.cross(spin, arm))
    pull = jnp.dot(normal, gravity - surface_accel)  # relative normal acceleration, up to the turning of the normal
    relative = before.velocity - f.velocity - jnp.cross(spin, arm)
    numbers = jnp.stack([stick, ratio, pull, jnp.sqrt(jnp.dot(relative, relative)), sure.astype(float)])
    return jnp.concatenate(
        [jnp.stack([t, gap, rate]), frame, feature, state_row(before), state_row(after), numbers, normal]
    )


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


@partial(jax.jit, static_argnames="slowly")
def strike_body(
    skeleton: Skeleton, motion: Motion, parameters: Parameters, gravity: Array, items: Array, slowly: bool = False
) -> Array:
    """Touches (B, STRUCK) of balls with surfaces on one character, from rows of STRIKE."""

    def one(row: Array) -> Array:
        frame_at = partial(frame_motion, skeleton, motion, parameters, STRIKE.unpack(row).segment.astype(int))
        return (_strike_slowly if slowly else _strike)(frame_at, gravity, row)

    return jax.vmap(one)(items)


@jax.jit
def strike_fixture(gravity: Array, items: Array) -> Array:
    """Touches of balls with surfaces that stand still; their frame is in the row."""
    return jax.vmap(lambda row: _strike_slowly(lambda t: STRIKE.unpack(row).frame, gravity, row))(items)


@jax.jit
def touches_body(skeleton: Skeleton, motion: Motion, parameters: Parameters, gravity: Array, items: Array) -> Any:
    """(B, 2) gap and rate at each row's `guess`, exactly."""

    def one(row: Array) -> Array:
        item = STRIKE.unpack(row)
        frame = frame_motion(skeleton, motion, parameters, item.segment.astype(int), item.guess)
        return _gap_at(frame, item, gravity)

    return jax.vmap(one)(items)


@jax.jit
def touches_fixture(gravity: Array, items: Array) -> Any:
    return jax.vmap(lambda row: _gap_at(STRIKE.unpack(row).frame, STRIKE.unpack(row), gravity))(items)


def _gap_at(frame: Array, item: SimpleNamespace, gravity: Array) -> Array:
    tau = item.guess - item.start
    s = STATE.unpack(item.state)
    x, v = s.position + tau * s.velocity + 0.5 * tau**2 * gravity, s.velocity + tau * gravity
    return jnp.stack(touch(frame, item, x, v)[:2])
