"""The first touch of flying balls with moving surfaces: found so that none is missed, then polished to round-off.

Distances are 1-Lipschitz in the ball's place in the surface's frame, so an interval of the table of poses whose ends
are further away than half the way travelled in it holds no touch: no ball is too fast, no limb too thin. What remains
is looked at in finer steps, on cubics through four rows of the table in the frame of the part. A change of sign is a
bracket, in which the gap to the *true* motion is brought to zero. A dip that comes closer than `BLUR`, which is more
than the cubics can be wrong by, is looked at as well: the exact closest approach decides whether it is a touch.

All of it is machine code that walks along one flight after the other and stops at its first touch.
"""

from hoi_edit.simulate.search.broad_phase import near_surfaces
from hoi_edit.simulate.search.first_contact import first_touches
from hoi_edit.simulate.search.layouts import STRUCK, flights, solids
from hoi_edit.simulate.search.narrow_phase import touch_at, touches_at
from hoi_edit.simulate.search.polishing import closest_approach

__all__ = [
    "STRUCK", "closest_approach", "first_touches", "flights", "near_surfaces", "solids", "touch_at", "touches_at",
]  # fmt: skip
