"""All about a ball in some state and one surface, at a time: what kinds of events ask before they decide."""

import numpy as np

from hoi_edit.scene import Thing
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.search import flights, touch_at
from hoi_edit.simulate.search.layouts import Solids
from kinematics.rotation import Floats


def ball_at_surface(
    context: Context, thing: Thing, surface: int, state: Floats, t: float, accel: Floats | None = None,
    among: Solids | None = None,
) -> Floats:  # fmt: skip
    """STRUCK row of a ball and a surface of the world, or one among others; without an acceleration it falls."""
    times = np.array([t])
    flight = flights(times, state[None], np.array([float(thing.body.radius)]), times, times)[0]
    accel = context.gravity if accel is None else accel
    return touch_at(context.moving, among or context.world.solids, surface, accel, flight, t)
