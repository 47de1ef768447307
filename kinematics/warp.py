"""Time warps: strictly increasing, twice continuously differentiable maps through paired times.

Each piece is a quintic with zero second derivative at both ends, so pieces join C² and the map goes on as a straight
line beyond the outer pairs. In units of the piece's mean speed its rate is affine in the end rates m₀ and m₁:

    rate(s) = m₀ A(s) + m₁ A(1-s) + 30 s²(1-s)²,   A(s) = (1-s)²(1-3s)(1+5s),   A(s) + A(1-s) = 1 - 30 s²(1-s)²

so it is smallest at a corner of 0 <= m₀, m₁ <= 2, and positive in all four (at (2, 2) it is 2 - 30 s²(1-s)² >= 1/8).
The harmonic mean of neighbouring speeds never exceeds twice the smaller one: as the rate at the joints it always fits.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from kinematics.errors import HoiError
from kinematics.rotation import Floats


@partial(jax.tree_util.register_dataclass, data_fields=["outer", "inner", "speed"], meta_fields=[])
@dataclass(frozen=True, eq=False)
class Warp:
    """The map from the blend's time (`outer`) to a clip's own time (`inner`), with its rate at the paired times."""

    outer: Floats
    inner: Floats
    speed: Floats

    @staticmethod
    def through(outer: Sequence[float] | Floats, inner: Sequence[float] | Floats) -> "Warp":
        a, b = np.asarray(outer, float), np.asarray(inner, float)
        if a.shape != b.shape or a.ndim != 1 or len(a) < 1:
            raise HoiError(f"{a.size} keyframe times are paired with {b.size}; each clip needs as many, at least one")
        for label, times in (("first", a), ("second", b)):
            late = np.flatnonzero(np.diff(times) <= 0)
            if len(late) or not np.all(np.isfinite(times)):
                k = int(late[0]) if len(late) else 0
                raise HoiError(f"keyframe times of the {label} clip must increase; after {times[k]:g} s comes "
                               f"{times[min(k + 1, len(times) - 1)]:g} s")  # fmt: skip
        if len(a) == 1:  # a single pair only shifts time
            a, b = np.array([a[0], a[0] + 1.0]), np.array([b[0], b[0] + 1.0])
        mean = np.diff(b) / np.diff(a)
        joints = 2 * mean[:-1] * mean[1:] / (mean[:-1] + mean[1:])
        return Warp(a, b, np.concatenate([mean[:1], joints, mean[-1:]]))

    def __call__(self, t: Any) -> Any:
        """Of numbers and arrays, numpy's or JAX's: what is no variable costs no compiling."""
        xp: Any = jnp if isinstance(t, Array) else np
        t, outer, inner, speed = (xp.asarray(x, float) for x in (t, self.outer, self.inner, self.speed))
        k = xp.clip(xp.searchsorted(outer, t, side="right") - 1, 0, len(self.outer) - 2)
        length, rise = outer[k + 1] - outer[k], inner[k + 1] - inner[k]
        x = (t - outer[k]) / length
        # both branches of each `where` stay finite; the straight continuation has the same first two derivatives
        s = _held(x)
        m0, m1 = speed[k] * length, speed[k + 1] * length
        inside = inner[k] + _quintic(s, m0, m1, rise)
        before = inner[k] + m0 * x
        after = inner[k + 1] + m1 * (x - 1.0)
        return xp.where(x < 0.0, before, xp.where(x > 1.0, after, inside))


def _held(x: Any) -> Any:
    """x within 0..1, the ends beyond it. At an end itself the derivative is 1; `clip` would make it a half there."""
    if not isinstance(x, Array):
        return np.clip(x, 0.0, 1.0)
    return jnp.where((x >= 0.0) & (x <= 1.0), x, jnp.clip(jax.lax.stop_gradient(x), 0.0, 1.0))


def _quintic(s: Any, m0: Any, m1: Any, rise: Any) -> Any:
    """The integral of the rate above."""
    s3, s4, s5 = s**3, s**4, s**5
    bump = 10 * s3 - 15 * s4 + 6 * s5
    start = s - 6 * s3 + 8 * s4 - 3 * s5
    finish = -4 * s3 + 7 * s4 - 3 * s5
    return m0 * start + m1 * finish + rise * bump


def smooth_step(t: Any, start: Any, end: Any) -> Any:
    """From 0 before `start` to 1 after `end`, twice continuously differentiable; of numbers and arrays, numpy's or
    JAX's."""
    s = _held((t - start) / (end - start))
    return s**3 * (10.0 + s * (-15.0 + 6.0 * s))
