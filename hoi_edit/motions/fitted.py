"""The fitted spline (§5.1): the clip is replaced by the cubic spline closest to it, a control point each 10-15 rows."""

from dataclasses import dataclass
from functools import partial

import jax
from jax import Array
from jax.typing import ArrayLike

from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.rotation import Floats
from kinematics.spline import Grid, evaluate, fit

SPACING = 0.1  # [s], 12 rows at 120 Hz


@partial(jax.tree_util.register_dataclass, data_fields=["grid", "fitted", "start", "end"], meta_fields=[])
@dataclass(frozen=True, eq=False)
class FittedSpline:
    """pose(t) = spline(t; c), where c starts as the least-squares fit; the first and the last row are met exactly."""

    grid: Grid
    fitted: Floats  # (K, D)
    start: float
    end: float

    def __repr__(self) -> str:
        return f"<fitted spline of {self.grid.count} knots>"

    @staticmethod
    def to(clip: Clip, spacing: float = SPACING) -> "FittedSpline":
        if 0 < spacing < 0.999 * clip.frame_time and clip.n_frames > 1:
            raise HoiError(
                f"knots each {spacing:g} s are denser than the rows of clip {clip.name!r}, each {clip.frame_time:g} s: "
                "a fit has nothing to hold on to there"
            )
        grid = Grid.over(clip.start, clip.end, spacing)
        return FittedSpline(grid, fit(grid, clip.times, clip.poses), clip.start, clip.end)

    def parameters(self) -> Array:
        return jax.device_put(self.fitted)

    def pose(self, parameters: Array, t: ArrayLike) -> Array:
        return evaluate(self.grid, parameters, t)
