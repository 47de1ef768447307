"""The small local Jacobians that dS/du is made of: one per event, all of a kind in one batched call.

A flight is named by its state at a *fixed* time, the one at which it began when it was found. When an edit moves that
event, the flight it begins is still named by its (extended) state at the old time, so no link has to carry a moving
time along: the implicit time of impact lives and dies within one link, in `rigid.event_time.event_time`.

Variations are twelve numbers for a flight (place, turn, velocity, spin), six for a thing in a hand (place and turn in
the hand's frame) and twelve for a frame (place, turn, velocity, spin of a segment); turns are world rotation vectors.
"""

from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.columns import Columns
from hoi_edit.simulate.events.ball_pair import PAIR, exchanged
from hoi_edit.simulate.packed_layouts import FRAME, STATE, bounce, state_of
from kinematics.rotation import rotation_exp
from rigid.distance import RoundedBox, gap_and_normal
from rigid.event_time import event_time
from rigid.free_flight import Inertia, State, Top, fly

FLIGHT, HOLD, POSE = 12, 6, 12
_BALL = {"ball_radius": 0, "inverse_mass": 0, "inverse_moment": 0}
_SURFACE = {"place": 3, "turned": 9, "core": 3, "radius": 0, "feature": 3}
TOUCH = Columns(
    state=STATE.width, duration=0, frame=FRAME.width, **_SURFACE, **_BALL,
    restitution=0, friction=0, normal_turn=3, stick=0, declared=0,
)  # fmt: skip
CARRY = Columns(frame=FRAME.width, position=3, rotation=9, moments=3)
FLY = Columns(state=STATE.width, duration=0)
# A ball turns steadily, whatever its size.
SPHERE: Any = Top(np.float64(1.0), np.float64(1.0), np.array([0.0, 1.0, 0.0]))  # type: ignore[arg-type]


def retract(state: State, z: Array) -> State:
    return State(
        state.position + z[:3],
        rotation_exp(z[3:6]) @ state.rotation,
        state.velocity + z[6:9],
        state.angular_velocity + z[9:12],
    )


def variation(state: State, nominal: State) -> Array:
    """How `state` differs from a nominal one that it equals up to first order."""
    return jnp.concatenate(
        [
            state.position - nominal.position,
            turn_between(state.rotation, nominal.rotation),
            state.velocity - nominal.velocity,
            state.angular_velocity - nominal.angular_velocity,
        ]
    )


def turn_between(R: Array, nominal: Array) -> Array:
    M = R @ nominal.T
    return 0.5 * jnp.stack([M[2, 1] - M[1, 2], M[0, 2] - M[2, 0], M[1, 0] - M[0, 1]])


def frame_after(frame: SimpleNamespace, z: Array, tau: Array) -> SimpleNamespace:
    """A frame varied by z (12,), and moved on by tau: exact to first order in both, which is all a derivative sees."""
    R = rotation_exp(z[3:6]) @ frame.rotation.reshape(3, 3)
    velocity, spin = frame.velocity + z[6:9], frame.spin + z[9:12]
    return SimpleNamespace(
        position=frame.position + z[:3] + tau * velocity,
        rotation=rotation_exp(tau * spin) @ R,
        velocity=velocity + tau * frame.accel,
        spin=spin + tau * frame.spin_accel,
    )


def drifted(state: State, moments: Array, gravity: Array, tau: Array) -> State:
    """A state a moment later or before: exact to first order in tau, which is all a derivative at tau = 0 sees."""
    R, w = state.rotation, state.angular_velocity
    own = R.T @ w
    spin_rate = R @ (jnp.cross(moments * own, own) / moments)
    return State(
        state.position + tau * state.velocity,
        rotation_exp(tau * w) @ R,
        state.velocity + tau * gravity,
        w + tau * spin_rate,
    )


def _packed(frame: SimpleNamespace) -> Array:
    nothing = jnp.zeros(6)
    return jnp.concatenate([frame.position, frame.rotation.ravel(), frame.velocity, frame.spin, nothing])


Later = Callable[[Array, Array], State]  # (tau, variation): a flight so long after the nominal time of its event


def _flight(item: SimpleNamespace, gravity: Array) -> Later:
    return lambda tau, z: fly(retract(state_of(item.state), z), SPHERE, gravity, item.duration + tau)


def meeting(item: SimpleNamespace, flight: Later, z: Array) -> tuple[Array, State, SimpleNamespace, Array]:
    """Delay of the touch, the state before it, the frame then, and the normal: of z = (flight, frame, surface)."""
    frame = FRAME.unpack(item.frame)
    shape = RoundedBox(item.core, item.radius + item.ball_radius)

    def touch(tau: Array, varied: Array) -> tuple[Array, Array]:
        f = frame_after(frame, varied[12:24], tau)
        place, turned = item.place + varied[24:27], rotation_exp(varied[27:30]) @ item.turned.reshape(3, 3)
        x = flight(tau, varied[:12]).position
        gap, normal = gap_and_normal(shape, turned.T @ (f.rotation.T @ (x - f.position) - place), item.feature)
        return gap, f.rotation @ (turned @ normal)

    # a declared contact happens at its time, wherever the two are
    tau = (1.0 - item.declared) * event_time(lambda t, varied: touch(t, varied)[0], 0.0, z[:30])
    return tau, flight(tau, z[:12]), frame_after(frame, z[12:24], tau), touch(tau, z[:30])[1]


def varied_law(item: SimpleNamespace, z: Array) -> SimpleNamespace:
    """An item whose restitution, friction and normal are varied by z (5,)."""
    law = {"restitution": item.restitution + z[0], "friction": item.friction + z[1]}
    return SimpleNamespace(**(vars(item) | law | {"normal_turn": item.normal_turn + z[2:5]}))


def hold_derivative(caught: Callable[[Array], tuple[Array, Array]], size: int) -> Array:
    """(6, size) of a place and a rotation in a hand's frame."""
    position, rotation = caught(jnp.zeros(size))

    def hold(z: Array) -> Array:
        p, R = caught(z)
        return jnp.concatenate([p - position, turn_between(R, rotation)])

    return derivative(hold, size)


def _bounced(item: SimpleNamespace, gravity: Array, z: Array) -> State:
    """The flight after an impact, extended back to the nominal time. z: flight 12, frame 12, surface 6, law 5."""
    tau, before, frame, normal = meeting(item, _flight(item, gravity), z)
    return fly(struck(item, before, frame, normal, z), SPHERE, gravity, -tau)


def struck(item: SimpleNamespace, before: State, frame: SimpleNamespace, normal: Array, z: Array) -> State:
    """The state just after an impact."""
    return bounce(_packed(frame), varied_law(item, z[30:35]), before, normal, item.stick)[0]


def in_hand(state: State, frame: SimpleNamespace) -> tuple[Array, Array]:
    return frame.rotation.T @ (state.position - frame.position), frame.rotation.T @ state.rotation


def derivative(function: Any, size: int) -> Array:
    return jax.jacfwd(function)(jnp.zeros(size))


@jax.jit
def impact_links(gravity: Array, items: Array) -> Array:
    """(B, 12, 35): the flight after by (flight before, frame, surface in it, restitution, friction, normal)."""

    def one(row: Array) -> Array:
        item = TOUCH.unpack(row)
        nominal = _bounced(item, gravity, jnp.zeros(35))
        return derivative(lambda z: variation(_bounced(item, gravity, z), nominal), 35)

    return jax.vmap(one)(items)


@jax.jit
def pair_links(gravity: Array, items: Array) -> Array:
    """(B, 12, 29): flight of the first of two things after they met, by both flights before and the law."""

    def one(row: Array) -> Array:
        item = PAIR.unpack(row)
        nominal = _parted(item, gravity, jnp.zeros(29))
        return derivative(lambda z: variation(_parted(item, gravity, z), nominal), 29)

    return jax.vmap(one)(items)


def _parted(item: SimpleNamespace, gravity: Array, z: Array) -> State:
    """The first thing's flight after two have met, extended back to the nominal time."""

    def one(state: Array, start: Array) -> Later:
        return lambda tau, varied: fly(retract(state_of(state), varied), SPHERE, gravity, item.time + tau - start)

    tau, after = parted(item, one(item.state_a, item.start_a), one(item.state_b, item.start_b), z)
    return fly(after, SPHERE, gravity, -tau)


def parted(item: SimpleNamespace, first: Later, second: Later, z: Array) -> tuple[Array, State]:
    """When two flights meet, and the state of the first just after. z: flights 24, law 5."""

    def gap(tau: Array, varied: Array) -> Array:
        a, b = first(tau, varied[:12]), second(tau, varied[12:24])
        return jnp.linalg.norm(a.position - b.position) - item.radius_a - item.radius_b

    tau = event_time(gap, 0.0, z[:24])
    a, b = first(tau, z[:12]), second(tau, z[12:24])
    normal = (a.position - b.position) / jnp.linalg.norm(a.position - b.position)
    return tau, exchanged(varied_law(item, z[24:29]), a, b, normal, item.stick)[0]


@jax.jit
def flight_links(gravity: Array, inertia: Inertia, items: Array) -> Array:
    """(B, 12, 12): the state a while later by the state at the start of a flight."""

    def one(row: Array) -> Array:
        item = FLY.unpack(row)
        start = state_of(item.state)
        nominal = fly(start, inertia, gravity, item.duration)
        return derivative(lambda z: variation(fly(retract(start, z), inertia, gravity, item.duration), nominal), 12)

    return jax.vmap(one)(items)
