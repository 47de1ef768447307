"""The layer of change: the recorded motion, interpolated exactly, plus a spline that starts at zero. The default."""

from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from kinematics.spline import Grid, evaluate, interpolate

SPACING = 0.1  # [s]; 0.04 s where hands are fast


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["source_grid", "source", "grid", "opening", "start", "end"],
    meta_fields=[],
)
@dataclass(frozen=True, eq=False)
class Layer:
    """pose(t) = source(t) + spline(t; c). With c = 0 every recorded row is met to round-off.

    A motion that comes with edits, such as a scene's that ships solved, opens with the control points of those.
    """

    source_grid: Grid
    source: Floats  # (N + 2, D) control points of the spline through all rows
    grid: Grid
    opening: Floats  # (K, D) what c starts as
    start: float
    end: float

    def __repr__(self) -> str:
        return f"<layer of {self.grid.count} knots over a recording>"

    @staticmethod
    def over(clip: Clip, spacing: float = SPACING, opening: Floats | None = None) -> "Layer":
        source_grid, source = interpolate(clip.start, clip.frame_time, clip.poses)
        grid = Grid.over(clip.start, clip.end, spacing)
        shape = (grid.count, source.shape[1])
        opening = np.zeros(shape) if opening is None else np.asarray(opening, float)
        if opening.shape != shape:
            raise HoiError(
                f"control points of shape {opening.shape} do not fit a layer over clip {clip.name!r}; it has {shape}"
            )
        return Layer(source_grid, source, grid, opening, clip.start, clip.end)

    def parameters(self) -> Array:
        return jax.device_put(self.opening)  # `asarray` would compile something for each new length

    def pose(self, parameters: Array, t: ArrayLike) -> Array:
        return evaluate(self.source_grid, jnp.asarray(self.source), t) + evaluate(self.grid, parameters, t)
