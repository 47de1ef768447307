"""Motion editing methods, one file each: a pose as a smooth function of time and of the parameters an edit changes.

In: clips. Out: anything with `start`, `end`, `parameters()` and `pose(parameters, t)`. The rest of the program asks for
nothing else, so a new method is a new file (see `Motion`).
"""

from hoi_edit.motions.base import JointState, Motion, bake, joint_state
from hoi_edit.motions.blend import Blend
from hoi_edit.motions.fitted import FittedSpline
from hoi_edit.motions.layer import Layer

__all__ = ["Blend", "FittedSpline", "JointState", "Layer", "Motion", "bake", "joint_state"]
