"""The parabola of free flight, for numbers and arrays, in numpy, JAX and machine code alike: x + v t + g t² / 2.

How a body turns meanwhile is `flight`'s to say, and what air does to it, `air`'s.
"""

from typing import Any

from kinematics.compiled import inner
from kinematics.packed_motion import SPIN, VELOCITY
from kinematics.rotation import Floats


@inner
def fallen(position: Any, velocity: Any, gravity: Any, duration: Any) -> Any:
    """Where it is after so long [s]."""
    return position + duration * velocity + 0.5 * duration * duration * gravity


@inner
def fall(state: Floats, gravity: Floats, duration: float, after: Floats) -> None:
    """Fill in place, velocity and spin of a packed state after free flight; not the rotation."""
    for i in range(3):
        after[i] = fallen(state[i], state[VELOCITY + i], gravity[i], duration)
        after[VELOCITY + i] = state[VELOCITY + i] + duration * gravity[i]
        after[SPIN + i] = state[SPIN + i]
