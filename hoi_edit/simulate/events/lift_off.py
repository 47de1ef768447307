"""The normal force would pull: a ball that rolled or slid flies."""

import jax.numpy as jnp

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.dynamics.rolling_adjoint import contact_back, leave_back, split, surface_of
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats


class LiftOff(EventKind):
    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        span, context = accumulator.span(name, k), accumulator.context
        arguments = (jnp.asarray(context.gravity), span.contacting, span.ending, name in context.world.airs)
        back = contact_back(leave_back, *surface_of(context, span), arguments, on)
        accumulator.leave_at(name, k, rows, split(accumulator, back, span, rows))
