"""Local Jacobians of balls that feel the air.

A flight through air is integrated from its start, so moving its start moves all of its steps: it is named by thirteen
numbers, its state when it starts and when that is. Events are linked by the state just before and just after them, and
flights by a Jacobian of their own; so the integration is in none of the kernels of events, and balls without air know
nothing of it. Near an event a flight goes on at its own rate, which is data here.
"""

from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.columns import Columns
from hoi_edit.simulate.events.ball_jacobians import ball_flights
from hoi_edit.simulate.events.ball_pair import PAIR
from hoi_edit.simulate.events.local_jacobians import (
    FLY,
    SPHERE,
    TOUCH,
    Later,
    derivative,
    in_hand,
    meeting,
    parted,
    retract,
    struck,
    turn_between,
    variation,
)
from hoi_edit.simulate.frames import chunked
from hoi_edit.simulate.packed_layouts import STATE, state_of
from hoi_edit.simulate.trajectory import Span
from kinematics.rotation import Floats
from rigid.air import Air, fly_in_air
from rigid.air_compiled import DRAG, MAGNUS, STEPS, WIND

AIR_FLIGHT = 13  # place, turn, velocity and spin when it starts, and when that is
START_TIME = 12
GLIDE = Columns(state=STATE.width, duration=0, drag=0, magnus=0, wind=3)


@partial(jax.jit, static_argnums=0)
def glide_links(steps: int, gravity: Array, items: Array) -> Array:
    """(B, 12, 13): the state at a time by the flight that leads there."""

    def one(row: Array) -> Array:
        item = GLIDE.unpack(row)
        start, air = state_of(item.state), Air(item.drag, item.magnus, item.wind)

        def later(z: Array) -> Any:
            return fly_in_air(retract(start, z[:12]), SPHERE, gravity, air, item.duration - z[START_TIME], steps)

        nominal = later(jnp.zeros(AIR_FLIGHT))
        return derivative(lambda z: variation(later(z), nominal), AIR_FLIGHT)

    return jax.vmap(one)(items)


def drifting(state: Array, rate: Array) -> Later:
    """A flight near an event: exact to first order, which is all a derivative sees."""
    return lambda tau, z: retract(state_of(state), z + tau * rate)


@jax.jit
def arrival_links(items: Array) -> Array:
    """(B, 19, 35): state just after and delay of an impact, and the hold after a grasp, by (state before, frame,
    surface, law). A row is that of TOUCH, with the state just before, and that state's rate (12,)."""

    def one(row: Array) -> Array:
        item = TOUCH.unpack(row[: TOUCH.width])
        flight = drifting(item.state, row[TOUCH.width :])

        def outcome(z: Array) -> tuple[Any, Array, tuple[Array, Array]]:
            tau, before, frame, normal = meeting(item, flight, z)
            return struck(item, before, frame, normal, z), tau, in_hand(before, frame)

        nominal, _, (place, rotation) = outcome(jnp.zeros(35))

        def difference(z: Array) -> Array:
            after, tau, (p, R) = outcome(z)
            return jnp.concatenate([variation(after, nominal), tau[None], p - place, turn_between(R, rotation)])

        return derivative(difference, 35)

    return jax.vmap(one)(items)


@jax.jit
def air_pair_links(items: Array) -> Array:
    """(B, 13, 29): state of the first of two things just after they met, and the delay, by both states just before and
    the law. A row is that of PAIR, with the states just before, and the rates of both (24,)."""

    def one(row: Array) -> Array:
        item = PAIR.unpack(row[: PAIR.width])
        rates = row[PAIR.width :]
        flights = drifting(item.state_a, rates[:12]), drifting(item.state_b, rates[12:])

        nominal = parted(item, *flights, jnp.zeros(29))[1]

        def difference(z: Array) -> Array:
            tau, after = parted(item, *flights, z)
            return jnp.concatenate([variation(after, nominal), tau[None]])

        return derivative(difference, 29)

    return jax.vmap(one)(items)


def rate_of(state: Floats, acceleration: Floats) -> Floats:
    """(12,) of place, turn, velocity and spin of a ball in flight."""
    s = STATE.unpack(np.asarray(state))
    return np.concatenate([s.velocity, s.spin, acceleration, np.zeros(3)])


def air_flights(simulation: Any, asked: list[tuple[Span, float]]) -> list[Floats]:
    """(12, 13) each: the state of a ball's flight at a time, by its state at its start and when that is.

    Balls that feel no air may be among them.
    """
    found: list[Floats] = [np.empty(0)] * len(asked)
    groups: dict[int, list[int]] = {}
    airs, gravity = simulation.world.airs, simulation.gravity
    for k, (span, _) in enumerate(asked):
        groups.setdefault(int(airs[span.object][STEPS]) if span.object in airs else 0, []).append(k)
    for steps, own in groups.items():
        spans = [asked[k] for k in own]
        items = np.concatenate([_glide_row(airs, *pair) if steps else _fly_row(*pair) for pair in spans])
        jacobians = chunked(partial(glide_links, steps, gravity), items) if steps else ball_flights(items)
        for k, jacobian, (span, time) in zip(own, jacobians, spans, strict=True):
            if not steps:
                late = rate_of(simulation.flown(span, time), gravity)
                jacobian = np.column_stack([jacobian, -late])
            found[k] = jacobian
    return found


def _fly_row(span: Span, time: float) -> Floats:
    return FLY.pack(1, state=span.state, duration=time - span.start)


def _glide_row(airs: dict[str, Floats], span: Span, time: float) -> Floats:
    air = airs[span.object]
    return GLIDE.pack(
        1, state=span.state, duration=time - span.start, drag=air[DRAG], magnus=air[MAGNUS], wind=air[WIND : WIND + 3]
    )  # fmt: skip


def before_by_start(link: Floats, flight: Floats, first: int) -> tuple[Floats, Floats]:
    """A link's columns on the state just before, which begin at `first`, as columns on (12) and when it started (1)."""
    on = link[:, first : first + 12] @ flight
    return on[:, :12], on[:, START_TIME:]


def at_fixed_time(link: Floats, rate: Floats) -> Floats:
    """Rows (13, n) of a state at a moving time and of that time, as rows (12, n) of its flight at a fixed one."""
    return np.asarray(link[:12] - np.outer(rate, link[START_TIME]))


def with_time(link: Floats, rate: Floats, delay: Floats) -> Floats:
    """The inverse: rows (13, n) from those of a flight at a fixed time, and the row of the delay (n,)."""
    return np.concatenate([link + np.outer(rate, delay), delay[None]])
