"""Constraints, one small file each; see `base` for what they have in common."""

from hoi_edit.constraints.base import Constraint, Rowset
from hoi_edit.constraints.keep_clear import KeepClear
from hoi_edit.constraints.keep_contact import KeepContact
from hoi_edit.constraints.pin import Drag, Pin

__all__ = ["Constraint", "Drag", "KeepClear", "KeepContact", "Pin", "Rowset"]
