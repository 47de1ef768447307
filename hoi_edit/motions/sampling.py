"""Poses of a motion at the same times again and again, as its parameters change: everything else is computed once."""

from collections.abc import Callable

import jax.numpy as jnp
import numpy as np

from hoi_edit.motions.base import Motion, Parameters, poses
from hoi_edit.motions.fitted import FittedSpline
from hoi_edit.motions.layer import Layer
from kinematics.rotation import Floats
from kinematics.spline import design

Sampler = Callable[[Parameters], Floats]


def sampler(motion: Motion, times: Floats) -> Sampler:
    """A function from a motion's parameters to its poses (N, D) at `times`."""
    if isinstance(motion, Layer):
        source = np.asarray(design(motion.source_grid, times) @ np.asarray(motion.source))
        weights = design(motion.grid, times)
        return lambda parameters: np.asarray(source + weights @ np.asarray(parameters))
    if isinstance(motion, FittedSpline):
        weights = design(motion.grid, times)
        return lambda parameters: np.asarray(weights @ np.asarray(parameters))
    return lambda parameters: np.asarray(poses(motion, parameters, jnp.asarray(times)))
