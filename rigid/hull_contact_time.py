"""When two moving hulls first touch: found so that nothing is passed through, then polished to round-off.

A gap cannot shrink faster than the hulls can approach each other. Between two times that are Δ apart, with gaps g and h
and this bound on the speed, there is no touch if g + h > speed Δ; what cannot be ruled out like this is cut into
pieces, earliest first. Many times are looked at in one go. Plain numpy, not differentiated: `events` hands the time on.

Of a hull that moves against a still one more is known: how fast each corner is, and a bound A on how fast that changes.
Along any one direction the two are then apart for as long as every corner's height over the other hull, at worst
h + s τ - A τ²/2, is positive. Along the shortest way between them this reaches far, also for a corner that has just
left, and close to a touch it is Newton's step.
"""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial

import jax
import numpy as np
from numpy.typing import NDArray

from rigid.convex import Feature, Pose, closest, contact
from rigid.gjk import Floats, Poses, separation
from rigid.roots import root_between

PIECES = 32  # that an interval is cut into
LOOKED_AT = PIECES + 1  # times in one go
MANY = 16  # intervals that are looked at together once there are plenty
LOOKS = 500  # hulls that hover so close and so long that this does not clear them are said to touch
FINEST = 1e-8  # [m] an approach that is shorter than this, and shallower, is not looked for
STEPS = 300  # along one search; hulls that hover longer than that are looked at in pieces from there on

# times (B,) -> poses (B,); B is always one of three numbers, so that what is compiled for each B may be
Moving = Callable[[Floats], Poses]


@dataclass(frozen=True)
class Hulls:
    """Two rounded hulls on their ways."""

    a: Floats  # (V, 3) corners in a's own frame [m]
    b: Floats  # (W, 3)
    radius: float  # of both together [m]
    moving_a: Moving
    moving_b: Moving
    # of an a that moves against a b that is still:
    drifting: Callable[[float], Floats] | None = None  # time -> velocities (V, 3) of a's corners [m/s]
    bend: float = np.inf  # [m/s²] a bound on how fast these change

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

    def contacts(self, times: Floats, which: NDArray[np.int64]) -> list[tuple[int, float, Floats, Floats]]:
        """At some of `LOOKED_AT` times, by their numbers: that number, the signed gap, the normal from b to a, and the
        point midway between the cores."""
        if not len(which):
            return []
        chosen = np.append(which, np.full(len(times) - len(which), which[0]))
        a, b = (Pose(x.rotation[chosen], x.position[chosen]) for x in (self.moving_a(times), self.moving_b(times)))
        features = [closest(self.a, _one(a, k), self.b, _one(b, k)) for k in range(len(which))]
        features += features[:1] * (len(times) - len(which))
        stacked = jax.tree.map(lambda *parts: np.stack(parts), *features)
        gaps, normals, points = (np.asarray(x) for x in _contacts(stacked, a, b))
        return [(int(k), float(gaps[i]) - self.radius, normals[i], points[i]) for i, k in enumerate(which)]

    def gap_of(self, feature: Feature, time: float) -> float:
        return float(contact_of(feature, *self.poses(time), self.radius)[0])


def _one(poses: Pose, k: int) -> Pose:
    return Pose(poses.rotation[k], poses.position[k])


@jax.jit
def contact_of(feature: Feature, pose_a: Pose, pose_b: Pose, radius: float) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Gap, normal from b to a, and point of two hulls, a with a radius."""
    return contact(feature, pose_a, pose_b, radius)


@jax.jit
def _contacts(features: Feature, a: Pose, b: Pose) -> tuple[jax.Array, jax.Array, jax.Array]:
    """Of many at once, without radii."""
    return jax.vmap(contact)(features, a, b)


def first_touch(hulls: Hulls, speed: float, start: float, end: float) -> tuple[float, Feature] | None:
    """The first time between start and end at which the hulls touch, and with what; none if they do not.

    `speed` [m/s] is a bound on how fast any point of one approaches any point of the other. Hulls that touch at the
    start touch then.
    """
    if hulls.gaps(np.array([start]))[0] <= 0.0:
        return start, hulls.feature(start)
    bracket = _bracket(hulls, speed, start, end) if hulls.drifting is None else _advanced(hulls, speed, start, end)
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


def _advanced(hulls: Hulls, speed: float, start: float, end: float) -> tuple[float, float] | None:
    """The same, from one safe step to the next."""
    before, now, n = start, start, np.zeros(3)
    for _ in range(STEPS):
        a, b = (moving(np.array([now])) for moving in (hulls.moving_a, hulls.moving_b))
        way = separation(hulls.a, a, hulls.b, b)[0]
        gap = float(np.linalg.norm(way)) - hulls.radius
        n = way / np.linalg.norm(way) if gap > 0.0 else n
        height = _heights(hulls, a, b, n)
        # beside a hull as large as the ground a distance may be taken for none: apart in one direction is apart
        gap = max(gap, float(height.min())) if n.any() else gap
        if gap <= 0.0:
            return before, now
        # steps get ever shorter towards a touch: the last one goes a little beyond it
        beyond = FINEST / speed if gap < FINEST else 0.0
        before, now = now, now + max(FINEST / speed, gap / speed, _safe(hulls, height, n, now) + beyond)
        if now >= end:
            return None
    return _bracket(hulls, speed, before, end)


def _heights(hulls: Hulls, a: Poses, b: Poses, n: Floats) -> Floats:
    """(V,) of a's corners over b along a direction, without radii."""
    return np.asarray(a.apply(hulls.a)[0] @ n - (b.apply(hulls.b)[0] @ n).max() - hulls.radius)


def _safe(hulls: Hulls, height: Floats, n: Floats, time: float) -> float:
    """For how long no corner can have come down to the other hull along a direction."""
    assert hulls.drifting is not None
    speed = hulls.drifting(time) @ n
    root = (speed + np.sqrt(np.maximum(speed**2 + 2.0 * hulls.bend * height, 0.0))) / hulls.bend
    return float(root.min())


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
