"""Constraints, one small file each; see `base` for what they have in common."""

from hoi_edit.constraints.base import Constraint, Rowset
from hoi_edit.constraints.bend import Bend
from hoi_edit.constraints.foot_plant import FootPlant
from hoi_edit.constraints.hand_acceleration import HandAcceleration
from hoi_edit.constraints.joint_limits import JointLimits
from hoi_edit.constraints.keep_clear import KeepClear
from hoi_edit.constraints.keep_contact import KeepContact
from hoi_edit.constraints.open_hands import OpenHands
from hoi_edit.constraints.pin import Drag, Pin
from hoi_edit.constraints.second_hand import SecondHand
from hoi_edit.constraints.soft_catch import SoftCatch
from hoi_edit.constraints.weigh import Weigh

__all__ = [
    "Bend", "Constraint", "Drag", "FootPlant", "HandAcceleration", "JointLimits", "KeepClear", "KeepContact",
    "OpenHands", "Pin", "Rowset", "SecondHand", "SoftCatch", "Weigh",
]  # fmt: skip
