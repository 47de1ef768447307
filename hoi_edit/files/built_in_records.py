"""The records of scenes, motions, clips and controls.

These names, and the fields of these classes, *are* the file format. A change to any of them is a new format version
and a migration (see `migrations`), so that yesterday's documents still open.
"""

from hoi_edit.files.records import register
from hoi_edit.motions import Blend, FittedSpline, Layer
from hoi_edit.motions.blend import BlendParameters
from hoi_edit.motions.recording import Recording
from hoi_edit.scene import Character, Contact, Fixture, Flying, Held, Scene, Thing
from hoi_edit.scene.controls import ContactControls, Controls, StartControls
from hoi_edit.simulate.trajectory import Node
from kinematics.clip import Clip
from kinematics.io.asf import AsfBone, AsfSkeleton
from kinematics.io.asf_amc import AsfSource
from kinematics.io.bvh_hierarchy import BvhNode, OffsetRules
from kinematics.io.bvh_read import BvhSource
from kinematics.skeleton import Inertias, Shape, Site, Skeleton, Topology
from kinematics.spline import Grid
from kinematics.warp import Warp
from rigid.air import Air
from rigid.body import Body
from rigid.distance import RoundedBox
from rigid.impact import Material

_NAMES: dict[str, type] = {
    # a scene
    "scene": Scene,
    "character": Character,
    "thing": Thing,
    "fixture": Fixture,
    "flying": Flying,
    "held": Held,
    "contact": Contact,
    "body": Body,
    "material": Material,
    "air": Air,
    "rounded box": RoundedBox,
    # a skeleton
    "skeleton": Skeleton,
    "topology": Topology,
    "inertias": Inertias,
    "shape": Shape,
    "site": Site,
    # motions
    "layer": Layer,
    "fitted spline": FittedSpline,
    "blend": Blend,
    "grid": Grid,
    "warp": Warp,
    # what an edit changes
    "controls": Controls,
    "start controls": StartControls,
    "contact controls": ContactControls,
    "blend parameters": BlendParameters,
    "node": Node,
    # clips, and the files behind them
    "clip": Clip,
    "recording": Recording,
    "bvh source": BvhSource,
    "bvh node": BvhNode,
    "bvh offset rules": OffsetRules,
    "asf source": AsfSource,
    "asf skeleton": AsfSkeleton,
    "asf bone": AsfBone,
}

for _name, _cls in _NAMES.items():
    register(_name, _cls, typed=True)
