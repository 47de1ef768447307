"""When two moving hulls first touch: found so that nothing is passed through, then polished to round-off.

A gap cannot shrink faster than the hulls can approach each other. Between two times that are Δ apart, with gaps g and h
and this bound on the speed, there is no touch if g + h > speed Δ; what cannot be ruled out like this is cut into
pieces, earliest first. Many times are looked at in one go. Plain numpy, not differentiated: `events` hands the time on.

That serves hulls on any ways. Of one in free flight more is known: there `hoi_edit.simulate.search.hull_touches` finds
the same sooner.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import jax
import numpy as np

from rigid.convex import Feature, Pose, closest, contact
from rigid.gjk import Floats, Poses, separation
from rigid.roots import root_between

PIECES = 32  # that an interval is cut into
MANY = 16  # intervals that are looked at together once there are plenty
LOOKS = 500  # hulls that hover so close and so long that this does not clear them are said to touch
FINEST = 1e-8  # [m] an approach that is shorter than this, and shallower, is not looked for

# times (B,) -> poses (B,)
Moving = Callable[[Floats], Poses]


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
        a, b = (Pose(x.rotation[0], x.position[0]) for x in both)
        return a, b

    def feature(self, time: float) -> Feature:
        a, b = self.poses(time)
        return closest(self.a, a, self.b, b)

    def gap_of(self, feature: Feature, time: float) -> float:
        return float(contact_of(feature, *self.poses(time), self.radius)[0])


@jax.jit
def contact_of(feature: Feature, pose_a: Pose, pose_b: Pose, radius: float) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Gap, normal from b to a, and point of two hulls, a with a radius."""
    return contact(feature, pose_a, pose_b, radius)


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
    later = [(start, end)]  # what is still open, the earliest last
    for _ in range(LOOKS):
        if not later:
            return None
        now = [later.pop() for _ in range(MANY if len(later) > MANY else 1)]
        times = np.linspace([low for low, _ in now], [high for _, high in now], PIECES + 1, axis=1)
        gaps = hulls.gaps(times.ravel()).reshape(times.shape)
        for row in reversed(range(len(now))):
            later += _open_pieces(times[row], gaps[row], speed)[::-1]
        if later and speed * (later[-1][1] - later[-1][0]) <= FINEST and later[-1][1] in times[gaps <= 0.0]:
            return later[-1]
    return later[-1] if later else None


def _open_pieces(times: Floats, gaps: Floats, speed: float) -> list[tuple[float, float]]:
    """Those in which a touch cannot be ruled out, up to the first that surely has one."""
    touching = np.flatnonzero(gaps[1:] <= 0.0)
    last = int(touching[0]) + 1 if len(touching) else PIECES
    length = float(times[1] - times[0])
    is_open = (gaps[:-1] + gaps[1:] <= speed * length) & ((speed * length > FINEST) | (gaps[1:] <= 0.0))
    return [(float(times[i]), float(times[i + 1])) for i in range(last) if is_open[i] or i in touching]


def _polished(hulls: Hulls, before: float, after: float) -> tuple[float, Feature]:
    """The time at which a feature's gap is zero. At the end of the bracket the hulls overlap, and it has a sign."""
    # distances lose half their digits close to zero, so that the root may be just outside the bracket
    slack = 4.0 * (after - before)
    for low, high in ((before, after), (before - slack, after + slack)):
        for feature in (hulls.feature(before), hulls.feature(after)):
            if hulls.gap_of(feature, low) > 0.0 >= hulls.gap_of(feature, high):
                return root_between(partial(hulls.gap_of, feature), low, high), feature
    # another feature is about to take over within nanometres: the gap is nothing, but not to round-off
    return before, hulls.feature(before)
