"""How well the soles of a dressed body lie on the ground while its feet stand."""

from dataclasses import dataclass
from itertools import product

import numpy as np

from kinematics.clip import Clip
from kinematics.feet import roles_of
from kinematics.numpy_forward import world_frames
from kinematics.rig_names import SIDES
from kinematics.rotation import Floats
from kinematics.skeleton import Shape
from kinematics.stance import standing_rows


@dataclass(frozen=True)
class SoleFit:
    """Over the rows in which a foot stands: how far the middle of its sole is above the ground, how far its tip is, and
    how much the sole slopes; each at the median, and where it is farthest from nothing."""

    side: str
    rows: int
    height: tuple[float, float]  # [m]
    tip: tuple[float, float]  # [m]
    tilt: tuple[float, float]  # [rad]

    def __str__(self) -> str:
        (height, highest), (tip, worst) = (1e3 * np.array(pair) for pair in (self.height, self.tip))
        tilt, steepest = np.degrees(self.tilt)
        return (
            f"{height:.1f} mm above the ground (worst {highest:.1f}), tip {tip:.1f} mm ({worst:.1f}), "
            f"slope {tilt:.1f}° ({steepest:.1f}°) in {self.rows} rows"
        )


def sole_fits(clip: Clip) -> list[SoleFit]:
    """Of each foot that stands somewhere in the clip and has a sole."""
    skeleton, roles = clip.skeleton, roles_of(clip.skeleton)
    position, rotation = world_frames(skeleton, clip.poses)
    sites = {site.name: site for site in skeleton.sites}
    fits = []
    for side in SIDES:
        stands = standing_rows(roles, side, position, rotation, clip.frame_time)
        sole = sites.get(f"{side}_sole")
        if not stands.any() or sole is None or sole.shape is None:
            continue
        shape = skeleton.shapes[sole.shape]
        bottom = _corners(shape, position[stands, shape.segment], rotation[shape.segment][stands])
        long = 2.0 * float(shape.size[1])
        tilt = np.arcsin(np.clip((bottom[:, 2:].mean(axis=1) - bottom[:, :2].mean(axis=1)) / long, -1.0, 1.0))
        toes = next((s for s in skeleton.shapes if s.segment == roles.get(f"{side}_toes") and s.kind == "box"), None)
        tip = bottom
        if toes is not None:
            tip = _corners(toes, position[stands, toes.segment], rotation[toes.segment][stands])
        measured = (bottom.mean(axis=1), tip[:, 2:].mean(axis=1), tilt)
        fits.append(SoleFit(side, int(stands.sum()), *map(_middle_and_worst, measured)))
    return fits


def _corners(shape: Shape, position: Floats, rotation: Floats) -> Floats:
    """Heights (N, 4) of the lower corners of a box that lies on its face: two behind, two in front."""
    corners = np.array([(x, y, -1.0) for y, x in product((-1.0, 1.0), (-1.0, 1.0))]) * shape.size
    local = shape.position + corners @ shape.rotation.T
    return np.asarray(position[:, 1:2] + rotation[:, 1] @ local.T)


def _middle_and_worst(values: Floats) -> tuple[float, float]:
    return float(np.median(values)), float(values[np.argmax(np.abs(values))])
