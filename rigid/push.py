"""A ball that lies on something is pushed by something else, without friction: both answer at once.

What pushes makes the ball leave it with a given speed along its normal n. What the ball lies on (normal b) keeps it
from going any deeper, which throws it against the other again, and so on without end. The sum of all of that is the one
pair of impulses P n + B b after which both speeds are right:

    n·v' = apart,     b·v' = 0,     hence     P = (apart - rate + a base_rate) / (1 - a²),     a = n·b

Pressed together (a < 0) the ball squirts out along both, by 1 / sqrt(1 - a²) faster than what pushes comes.
"""

from typing import Any


def push(
    velocity: Any, normal: Any, rate: Any, base_normal: Any, base_rate: Any, apart: Any, pressed: Any
) -> Any:  # of numpy and of JAX
    """Velocity (3,) of a ball after a push. `rate` and `base_rate` [m/s] are those of its gaps before. Where `pressed`
    is zero, what it lies on does not answer; one is the law above."""
    along = pressed * (normal @ base_normal)
    strength = (apart - rate + along * base_rate) / (1.0 - along * along)
    return velocity + strength * normal - (pressed * base_rate + along * strength) * base_normal
