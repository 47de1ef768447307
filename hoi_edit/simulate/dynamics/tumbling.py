"""A body that is not a ball in free fall: its centre on a parabola, its rotation by its moments of inertia."""

from collections.abc import Sequence
from functools import partial

import jax
import numpy as np
from jax import Array

from hoi_edit.simulate.columns import chunked, in_chunks
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.dynamics.ballistic import parabola
from hoi_edit.simulate.packed_layouts import FLY, STATE, state_of, state_row
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.variations import derivative, retract, variation
from kinematics.rotation import Floats
from rigid.free_flight import Inertia, fly
from rigid.hull_contact_time import LOOKED_AT


@jax.jit
def states_at(gravity: Array, inertia: Inertia, state: Array, durations: Array) -> Array:
    """(B, 18) packed states along a flight."""
    return jax.vmap(lambda t: state_row(fly(state_of(state), inertia, gravity, t)))(durations)


@jax.jit
def flight_jacobians(gravity: Array, inertia: Inertia, items: Array) -> Array:
    """(B, 12, 12): the state a while later by the state at the start of a flight."""

    def one(row: Array) -> Array:
        item = FLY.unpack(row)
        start = state_of(item.state)
        nominal = fly(start, inertia, gravity, item.duration)
        return derivative(lambda z: variation(fly(retract(start, z), inertia, gravity, item.duration), nominal), 12)

    return jax.vmap(one)(items)


class Tumbling:
    size = 12

    def state(self, context: Context, span: Span, t: float) -> Floats:
        return np.asarray(self.states(context, span, np.array([t]))[0])

    def states(self, context: Context, span: Span, times: Floats) -> Floats:
        inertia = context.inertia(context.scene.thing(span.object))
        state, size = np.asarray(span.state), 1 if len(times) == 1 else LOOKED_AT  # no others are compiled
        pieces = in_chunks(np.asarray(times, float) - span.start, size)
        return np.concatenate([states_at(context.gravity, inertia, state, piece) for piece in pieces])[: len(times)]

    def positions(self, context: Context, span: Span, times: Floats) -> Floats:
        return parabola(context, span, times)

    def rates(self, context: Context, span: Span, state: Floats) -> Floats:
        """Gravity, and by Euler's equations what the spin does."""
        moments = np.asarray(context.scene.thing(span.object).body.moments, float)
        return np.append(context.gravity, spin_rate(state, moments))

    def jacobians(self, context: Context, asked: Sequence[tuple[Span, float]]) -> Floats:
        jacobians = np.empty((len(asked), 12, 12))
        for name in {span.object: None for span, _ in asked}:
            which = [k for k, (span, _) in enumerate(asked) if span.object == name]
            rows = [FLY.pack(1, state=s.state, duration=t - s.start) for s, t in (asked[k] for k in which)]
            kernel = partial(flight_jacobians, context.gravity, context.inertia(context.scene.thing(name)))
            jacobians[which] = chunked(kernel, np.concatenate(rows))
        return jacobians


def spin_rate(state: Floats, moments: Floats) -> Floats:
    """(3,) of a body's spin in flight, in the world."""
    s = STATE.unpack(state)
    R = s.rotation.reshape(3, 3)
    spin_in_body = R.T @ s.spin
    return np.asarray(R @ (np.cross(moments * spin_in_body, spin_in_body) / moments))
