"""A ball that feels the air.

A flight through air is integrated from its start, so moving its start moves all of its steps: it is named by thirteen
numbers, its state when it starts and when that is. Events are linked by the state just before and just after them, and
flights by a Jacobian of their own; so the integration is in none of the kernels of events, and balls without air know
nothing of it. Near an event a flight goes on at its own rate, which is data there.
"""

from collections.abc import Sequence
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.columns import Columns, chunked
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.packed_layouts import STATE, state_of
from hoi_edit.simulate.packed_states import glided
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.variations import Later, derivative, retract, variation
from kinematics.rotation import Floats
from rigid.air import Air, fly_in_air
from rigid.air_compiled import DRAG, MAGNUS, STEPS, WIND, acceleration_in_air
from rigid.free_flight import SPHERE

AIR_FLIGHT = 13  # place, turn, velocity and spin when it starts, and when that is
START_TIME = 12
GLIDE = Columns(state=STATE.width, duration=0, drag=0, magnus=0, wind=3)


@partial(jax.jit, static_argnums=0)
def glide_jacobians(steps: int, gravity: Array, items: Array) -> Array:
    """(B, 12, 13): the state at a time by the flight that leads there."""

    def one(row: Array) -> Array:
        item = GLIDE.unpack(row)
        start, air = state_of(item.state), Air(item.drag, item.magnus, item.wind)

        def at_the_time(z: Array) -> Any:
            return fly_in_air(retract(start, z[:12]), SPHERE, gravity, air, item.duration - z[START_TIME], steps)

        nominal = at_the_time(jnp.zeros(AIR_FLIGHT))
        return derivative(lambda z: variation(at_the_time(z), nominal), AIR_FLIGHT)

    return jax.vmap(one)(items)


class FlightInAir:
    size = AIR_FLIGHT

    def state(self, context: Context, span: Span, t: float) -> Floats:
        return glided(np.asarray(span.state), t - span.start, context.gravity, context.world.airs[span.object])

    def states(self, context: Context, span: Span, times: Floats) -> Floats:
        return np.stack([self.state(context, span, float(t)) for t in times])

    def positions(self, context: Context, span: Span, times: Floats) -> Floats:
        return self.states(context, span, times)[:, STATE.slices["position"]]

    def rates(self, context: Context, span: Span, state: Floats) -> Floats:
        air = context.world.airs[span.object]
        return np.append(acceleration_in_air(np.asarray(state), context.gravity, air), np.zeros(3))

    def jacobians(self, context: Context, asked: Sequence[tuple[Span, float]]) -> Floats:
        by_flight, airs = np.empty((len(asked), 12, AIR_FLIGHT)), context.world.airs
        for steps in {int(airs[span.object][STEPS]) for span, _ in asked}:
            which = [k for k, (span, _) in enumerate(asked) if int(airs[span.object][STEPS]) == steps]
            rows = np.concatenate([_glide_row(airs[asked[k][0].object], *asked[k]) for k in which])
            by_flight[which] = chunked(partial(glide_jacobians, steps, context.gravity), rows)
        return by_flight


def _glide_row(air: Floats, span: Span, time: float) -> Floats:
    return GLIDE.pack(
        1, state=span.state, duration=time - span.start, drag=air[DRAG], magnus=air[MAGNUS], wind=air[WIND : WIND + 3]
    )  # fmt: skip


# -- events of such flights --------------------------------------------------------------------------------------------


def drifting(state: Array, rate: Array) -> Later:
    """A flight near an event: exact to first order, which is all a derivative sees."""
    return lambda tau, z: retract(state_of(state), z + tau * rate)


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
