"""When two moving hulls first touch: found so that nothing is passed through, then polished to round-off.

A gap cannot shrink faster than the hulls can approach each other. Between two times that are Δ apart, with gaps g and h
and this bound on the speed, there is no touch if g + h > speed Δ; what cannot be ruled out like this is cut into
pieces, earliest first. Many times are looked at in one go. Plain numpy, not differentiated: `events` hands the time on.
"""

from collections.abc import Callable
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
from scipy.optimize import brentq

from rigid.convex import Feature, Pose, closest, contact
from rigid.gjk import Floats, Poses, separation

PIECES = 32  # that an interval is cut into
FINEST = 1e-8  # [m] an approach that is shorter than this, and shallower, is not looked for

Moving = Callable[[Floats], Poses]  # times (B,) -> poses (B,)


@dataclass(frozen=True)
class Hulls:
    """Two rounded hulls on their ways."""

    a: Floats  # (V, 3) corners in a's own frame [m]
    b: Floats  # (W, 3)
    radius: float  # of both together [m]
    moving_a: Moving
    moving_b: Moving

    def gaps(self, times: Floats) -> Floats:
        """True distances (B,) where they are positive; zero or less where the hulls overlap."""
        ways = separation(self.a, self.moving_a(times), self.b, self.moving_b(times))
        return np.asarray(np.linalg.norm(ways, axis=1) - self.radius)

    def poses(self, time: float) -> tuple[Pose, Pose]:
        both = (moving(np.array([time])) for moving in (self.moving_a, self.moving_b))
        a, b = (Pose(jnp.asarray(x.rotation[0]), jnp.asarray(x.position[0])) for x in both)
        return a, b

    def feature(self, time: float) -> Feature:
        a, b = self.poses(time)
        return closest(self.a, a, self.b, b)

    def gap_of(self, feature: Feature, time: float) -> float:
        return float(_gap(feature, *self.poses(time), self.radius))


@jax.jit
def _gap(feature: Feature, pose_a: Pose, pose_b: Pose, radius: jax.Array) -> jax.Array:
    return contact(feature, pose_a, pose_b, radius)[0]


def first_touch(hulls: Hulls, speed: float, start: float, end: float) -> tuple[float, Feature] | None:
    """The first time between start and end at which the hulls touch, and with what; none if they do not.

    `speed` [m/s] is a bound on how fast any point of one approaches any point of the other. Hulls that touch at the
    start touch then.
    """
    if hulls.gaps(np.array([start]))[0] <= 0.0:
        return start, hulls.feature(start)
    bracket = _bracket(hulls, speed, start, end)
    return None if bracket is None else _polished(hulls, *bracket)


def _bracket(hulls: Hulls, speed: float, start: float, end: float) -> tuple[float, float] | None:
    """A short interval, apart at its start and touching at its end, with no touch before it."""
    times = np.linspace(start, end, PIECES + 1)
    gaps = hulls.gaps(times)
    for i in range(PIECES):
        length = times[i + 1] - times[i]
        if gaps[i] + gaps[i + 1] > speed * length and gaps[i + 1] > 0.0:
            continue
        if speed * length > FINEST:
            found = _bracket(hulls, speed, times[i], times[i + 1])
        else:
            found = (times[i], times[i + 1]) if gaps[i + 1] <= 0.0 else None
        if found is not None or gaps[i + 1] <= 0.0:
            return found
    return None


def _polished(hulls: Hulls, before: float, after: float) -> tuple[float, Feature]:
    """The time at which a feature's gap is zero. At the end of the bracket the hulls overlap, and it has a sign."""
    for feature in (hulls.feature(before), hulls.feature(after)):
        if hulls.gap_of(feature, before) > 0.0 >= hulls.gap_of(feature, after):
            time = brentq(lambda t, f=feature: hulls.gap_of(f, t), before, after, xtol=1e-16, rtol=1e-15)
            return float(time), feature
    # another feature is about to take over within nanometres: the gap is nothing, but not to round-off
    return before, hulls.feature(before)
