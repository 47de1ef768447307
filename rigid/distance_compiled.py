"""How far a point is from a rounded box, in machine code: `rigid.distance`, for searching.

A search asks this a hundred thousand times within one run; numpy answers many at once, but a search stops early.
"""

import numpy as np

from kinematics.compiled import inner
from kinematics.rotation import Floats


@inner
def box_gap(core: Floats, radius: float, x: float, y: float, z: float) -> float:
    """Signed distance of a point, in the shape's frame, from a rounded box: `distance.gap`."""
    dx, dy, dz = abs(x) - core[0], abs(y) - core[1], abs(z) - core[2]
    if dx < 0.0 and dy < 0.0 and dz < 0.0:
        return max(dx, dy, dz) - radius
    dx, dy, dz = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    return np.sqrt(dx * dx + dy * dy + dz * dz) - radius


@inner
def core_distance(core: Floats, point: Floats, feature: Floats, normal: Floats) -> float:
    """Signed distance of a point (3,) from a core, and fill in the feature and the outward normal there: what
    `distance.feature_of` and `gap_and_normal` say of a shape without its radius."""
    nearest, beyond = 0, False
    for i in range(3):
        feature[i] = 0.0 if abs(point[i]) < core[i] else (1.0 if point[i] >= 0 else -1.0)
        beyond = beyond or feature[i] != 0.0
        if abs(point[i]) - core[i] > abs(point[nearest]) - core[nearest]:
            nearest = i
    if not beyond:
        feature[nearest] = 1.0 if point[nearest] >= 0 else -1.0
    square, faces, inward = 0.0, 0.0, True
    for i in range(3):
        normal[i] = 0.0 if feature[i] == 0.0 else point[i] - feature[i] * core[i]
        square += normal[i] * normal[i]
        faces += feature[i] * feature[i]
        inward = inward and (normal[i] == 0.0 if core[i] == 0.0 else normal[i] * feature[i] <= 0.0)
    if square < 1e-24:  # on the core itself: the face decides
        signed = 0.0
        for i in range(3):
            along = feature[i] / np.sqrt(faces)
            signed += normal[i] * along
            normal[i] = along
        return signed
    length = -np.sqrt(square) if inward else np.sqrt(square)
    for i in range(3):
        normal[i] /= length
    return length
