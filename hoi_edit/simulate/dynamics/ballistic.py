"""A ball in free fall: a parabola and a steady spin, in closed form."""

from collections.abc import Sequence

import numpy as np

from hoi_edit.simulate.compiled_jacobians import ball_flights
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.packed_layouts import FLY, STATE
from hoi_edit.simulate.packed_states import flown
from hoi_edit.simulate.trajectory import Span
from kinematics.rotation import Floats
from rigid.ballistics import fallen


class Ballistic:
    size = 12

    def state(self, context: Context, span: Span, t: float) -> Floats:
        return flown(np.asarray(span.state), t - span.start, context.gravity)

    def states(self, context: Context, span: Span, times: Floats) -> Floats:
        return np.stack([self.state(context, span, float(t)) for t in times])

    def positions(self, context: Context, span: Span, times: Floats) -> Floats:
        return parabola(context, span, times)

    def rates(self, context: Context, span: Span, state: Floats) -> Floats:
        return np.append(context.gravity, np.zeros(3))

    def jacobians(self, context: Context, asked: Sequence[tuple[Span, float]]) -> Floats:
        return ball_flights(
            np.concatenate([FLY.pack(1, state=span.state, duration=time - span.start) for span, time in asked])
        )


def parabola(context: Context, span: Span, times: Floats) -> Floats:
    """(N, 3) the centre of anything in free fall."""
    tau, s = (times - span.start)[:, None], STATE.unpack(np.asarray(span.state))
    return np.asarray(fallen(s.position, s.velocity, context.gravity, tau))
