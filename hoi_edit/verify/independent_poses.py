"""Joint coordinates of motions at many times, and their rates: B-splines by scipy, warps and ramps by formulas."""

from typing import Any

import numpy as np

from hoi_edit.motions import Blend, FittedSpline, Layer
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from kinematics.spline import Grid
from kinematics.warp import Warp

Valued = tuple[Floats, Floats]  # values and their rates


def coordinates(motion: Any, parameters: Any, times: Floats) -> Valued:
    """(N, D) coordinates and rates of a motion under the given parameters."""
    if isinstance(motion, Layer):
        recorded = spline(motion.source_grid, np.asarray(motion.source), times)
        layer = spline(motion.grid, np.asarray(parameters), times)
        return recorded[0] + layer[0], recorded[1] + layer[1]
    if isinstance(motion, FittedSpline):
        return spline(motion.grid, np.asarray(parameters), times)
    if isinstance(motion, Blend):
        return _blended(motion, parameters, times)
    raise HoiError(
        f"a motion of type {type(motion).__name__} cannot be verified; layers, fitted splines and blends can"
    )


def spline(grid: Grid, points: Floats, times: Floats) -> Valued:
    """A uniform cubic B-spline, which holds its end values outside its grid."""
    from scipy.interpolate import BSpline  # an eighth of the time to import all of us, for what few sessions do

    start, h, end = float(grid.start), float(grid.spacing), float(grid.end)
    knots = start + h * np.arange(-3, grid.count + 1)
    curve = BSpline.construct_fast(knots, points, 3)  # its checks of every number cost more than its use
    inside = (times >= start - 1e-9 * h) & (times <= end + 1e-9 * h)
    held = np.clip(times, start, end)
    return np.asarray(curve(held)), np.where(inside[:, None], curve(held, 1), 0.0)


def _blended(motion: Blend, parameters: Any, times: Floats) -> Valued:
    weight, weight_rate = _weights(motion, np.asarray(parameters.alpha), times)
    q, rate = np.zeros(()), np.zeros(())
    for k, (branch, clip_parameters) in enumerate(zip(motion.motions, parameters.clips, strict=True)):
        clock, speed = (times, np.ones_like(times)) if k == 0 else warped(motion.warps[k - 1], times)
        value, slope = coordinates(branch, clip_parameters, clock)
        q = q + weight[:, k, None] * value
        rate = rate + weight_rate[:, k, None] * value + (weight[:, k] * speed)[:, None] * slope
    return q, rate


def _weights(motion: Blend, alpha: Floats, times: Floats) -> Valued:
    """(N, clips): from station to station by smooth steps."""
    mixed = np.column_stack([1.0 - alpha.sum(axis=1), alpha])
    at = [np.asarray(motion.corners[s]) if i < 0 else mixed[i] for s, i in enumerate(motion.stations)]
    weight, rate = np.tile(at[0], (len(times), 1)), np.zeros((len(times), len(at[0])))
    for (start, end), before, after in zip(motion.ramps, at[:-1], at[1:], strict=True):
        s = np.clip((times - start) / (end - start), 0.0, 1.0)
        weight = weight + (s**3 * (10.0 - 15.0 * s + 6.0 * s * s))[:, None] * (after - before)
        rate = rate + (30.0 * s**2 * (1.0 - s) ** 2 / (end - start))[:, None] * (after - before)
    return weight, rate


def warped(warp: Warp, times: Floats) -> Valued:
    """A clip's own time, and how fast it goes: quintics between the pairs, straight lines beyond them."""
    outer, inner, speed = (np.asarray(x) for x in (warp.outer, warp.inner, warp.speed))
    k = np.clip(np.searchsorted(outer, times, side="right") - 1, 0, len(outer) - 2)
    length, rise = outer[k + 1] - outer[k], inner[k + 1] - inner[k]
    x = (times - outer[k]) / length
    s, m0, m1 = np.clip(x, 0.0, 1.0), speed[k] * length, speed[k + 1] * length
    # Hermite's quintic with zero second derivatives at both ends
    to_first = s - 6 * s**3 + 8 * s**4 - 3 * s**5
    to_last = -4 * s**3 + 7 * s**4 - 3 * s**5
    bump = 10 * s**3 - 15 * s**4 + 6 * s**5
    rate = m0 * (1 - 18 * s**2 + 32 * s**3 - 15 * s**4) + m1 * (-12 * s**2 + 28 * s**3 - 15 * s**4)
    rate = rate + rise * 30 * s**2 * (1 - s) ** 2
    beyond = np.where(x < 0.0, m0 * x, np.where(x > 1.0, m1 * (x - 1.0), 0.0))
    return inner[k] + m0 * to_first + m1 * to_last + rise * bump + beyond, rate / length
