"""Curves over time: through keys, and random ones that nobody plans."""

from collections.abc import Sequence

import numpy as np
from scipy.interpolate import CubicSpline

from kinematics.rotation import Floats


def wander(rng: np.random.Generator, times: Floats, period: float, size: float) -> Floats:
    """A slow random curve: a few sines around `period` with random phases, `size` in standard deviation."""
    total = np.zeros_like(times)
    for stretch in (0.6, 1.0, 1.7, 2.3):
        total += np.sin(2 * np.pi * times / (stretch * period) + rng.uniform(0, 2 * np.pi))
    return np.asarray(size * total / np.sqrt(2.0))


def uneven_phase(rng: np.random.Generator, times: Floats, period: float) -> Floats:
    """The phase of a rhythm that nobody keeps exactly."""
    return np.asarray(2 * np.pi * times / period + wander(rng, times, 6 * period, 0.25))


def through(keys: Sequence[tuple[float, float]], times: Floats) -> Floats:
    """The cubic spline through keys (time, value), at rest at both ends and beyond them."""
    if len(keys) == 1:
        return np.full_like(times, keys[0][1])
    at, values = np.array(keys, float).T
    return np.asarray(CubicSpline(at, values, bc_type="clamped")(np.clip(times, at[0], at[-1])))
