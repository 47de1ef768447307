"""The layer of change: the recorded motion, interpolated exactly, plus a spline that starts at zero. The default."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from kinematics.clip import Clip
from kinematics.rotation import Floats
from kinematics.spline import Grid, evaluate, interpolate

SPACING = 0.1  # [s]; 0.04 s where hands are fast


@partial(
    jax.tree_util.register_dataclass, data_fields=["source_grid", "source", "grid", "start", "end"], meta_fields=[]
)
@dataclass(frozen=True, eq=False)
class Layer:
    """pose(t) = source(t) + spline(t; c). With c = 0 every recorded row is met to round-off."""

    source_grid: Grid
    source: Floats  # (N + 2, D) control points of the spline through all rows
    grid: Grid
    start: float
    end: float

    @staticmethod
    def over(clip: Clip, spacing: float = SPACING) -> "Layer":
        source_grid, source = interpolate(clip.start, clip.frame_time, clip.poses)
        return Layer(source_grid, source, Grid.over(clip.start, clip.end, spacing), clip.start, clip.end)

    def parameters(self) -> Array:
        return jnp.zeros((self.grid.count, self.source.shape[1]))

    def pose(self, parameters: Array, t: ArrayLike) -> Array:
        return evaluate(self.source_grid, jnp.asarray(self.source), t) + evaluate(self.grid, parameters, t)
