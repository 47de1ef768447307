"""A body that is not a ball in free fall: its centre on a parabola, its rotation by its moments of inertia.

The derivative of `rigid.free_flight.fly` by JAX is the measure (`flight_jacobians`); what is used is machine code.
"""

from collections.abc import Sequence

import jax
import numpy as np
from jax import Array

from hoi_edit.simulate.context import Context
from hoi_edit.simulate.dynamics.ballistic import parabola
from hoi_edit.simulate.packed_layouts import FLY, state_of
from hoi_edit.simulate.trajectory import Span
from hoi_edit.simulate.variations import derivative, retract, variation
from kinematics.rotation import Floats
from rigid.free_flight import Inertia, fly
from rigid.tumble_compiled import flown_free, free_flights, spin_rate_at


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
        inertia, state = context.world.inertias[span.object], np.array(span.state)
        return flown_free(state, inertia, context.gravity, np.asarray(times, float) - span.start)

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
            jacobians[which] = free_flights(context.world.inertias[name], np.concatenate(rows))
        return jacobians


def spin_rate(state: Floats, moments: Floats) -> Floats:
    """(3,) of a body's spin in flight, in the world."""
    return spin_rate_at(np.array(state), moments)
