"""Records for arguments of compiled functions."""

from typing import NamedTuple

from kinematics.rotation import Floats


class Pair(NamedTuple):
    left: float
    right: float


class Nested(NamedTuple):
    pair: Pair
    which: Floats
