"""What the search is told and what it answers, packed for machine code: surfaces, rows of the table, flights, touches.

The lengths below are those that more than one of its stages, or others who look at touches, go by.
"""

from typing import Any, NamedTuple

import numpy as np

from hoi_edit.simulate.columns import Columns
from kinematics.compiled import inner
from kinematics.packed_motion import FRAME_SIZE, SPIN, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from rigid.air_compiled import AIR_SIZE, STEPS

Ints = np.ndarray
FINE = 8  # steps within an interval of the table
BLUR = 1e-3  # [m]
CLEAR = 5e-3  # [m] a released ball is clear of what it touched
NEVER = 1e200  # [s] from when on a thing sees itself
# instead of a time from which on a pair is seen: once it is clear; once it is off at all, after a bounce or otherwise
UNTIL_CLEAR, BOUNCED, UNTIL_OFF = np.inf, 1e301, 1e300
LOOSE = 0.01  # [m] by which motion between rows may bulge from a straight line
REAL = 1e-12  # [m] of gap that polishing may leave
TOUCHING = 1e-9  # [m] as close as this a flight begins in touch
DEEP = 1e-6  # [m] deeper than this it begins inside

# all about a touch: when, the gap that is left and its rate, what pulls along the normal, the speed between the two,
# the frame's motion, the contact's feature, the ball just before, and the normal in the world
STRUCK = Columns(
    time=0, gap=0, rate=0, pull=0, speed=0, frame=FRAME_SIZE, feature=3, before=STATE_SIZE, normal=3,
)  # fmt: skip
TIME, GAP, RATE, PULL, SPEED = (STRUCK.first(name) for name in ("time", "gap", "rate", "pull", "speed"))
FRAME_AT, FEATURE_AT, BEFORE_AT, NORMAL_AT = (STRUCK.first(name) for name in ("frame", "feature", "before", "normal"))
TOUCH_WIDTH = STRUCK.width

# columns of a surface
PLACE_AT, TURNED_AT, CORE_AT, RADIUS_AT, SHOWN_AT, GONE_AT, SOLID_WIDTH = 0, 3, 12, 15, 16, 17, 18
# columns of a flight
START_AT, STATE_AT, BALL_AT, BEGIN_AT, UNTIL_AT, EXPECTED_AT, AIR_AT = 0, 1, 19, 20, 21, 22, 26
FLIGHT_WIDTH, STEPS_AT = AIR_AT + AIR_SIZE, AIR_AT + STEPS
VELOCITY_AT, SPIN_AT = STATE_AT + VELOCITY, STATE_AT + SPIN


class Solids(NamedTuple):
    """Surfaces, each a rounded box fixed to a frame, and when it is there."""

    frame: Ints  # (S,) -1 for the world
    numbers: Floats  # (S, 18) place 3 and rotation 9 in the frame, core 3, radius, and the times that it is there


def solids(
    frame: Ints, place: Any, turned: Any, core: Any, radius: Any, begin: Any = -np.inf, until: Any = np.inf
) -> Solids:
    """Surfaces, packed."""
    numbers = np.empty((len(frame), SOLID_WIDTH))
    numbers[:, PLACE_AT:TURNED_AT], numbers[:, TURNED_AT:CORE_AT] = place, np.reshape(turned, (-1, 9))
    numbers[:, CORE_AT:RADIUS_AT], numbers[:, RADIUS_AT] = core, radius
    numbers[:, SHOWN_AT], numbers[:, GONE_AT] = begin, until
    return Solids(frame, numbers)


@inner
def in_shape(solid: Floats, x: float, y: float, z: float) -> tuple[float, float, float]:
    """A point of a surface's frame, as seen from its shape."""
    a, b, c, k = x - solid[PLACE_AT], y - solid[PLACE_AT + 1], z - solid[PLACE_AT + 2], TURNED_AT
    return (
        solid[k] * a + solid[k + 3] * b + solid[k + 6] * c,
        solid[k + 1] * a + solid[k + 4] * b + solid[k + 7] * c,
        solid[k + 2] * a + solid[k + 5] * b + solid[k + 8] * c,
    )


class Groups(NamedTuple):
    """Surfaces of one frame that one sphere surrounds."""

    sphere: Floats  # (G, 2) its radius [m], -inf if it holds nothing, and the fastest that its centre is [m/s]
    first: Ints  # (G + 1,) its surfaces in the next one
    surface: Ints
    still: Ints  # surfaces of the world, which need no sphere


class PoseRows(NamedTuple):
    """Frames at evenly spaced times, as the search takes them."""

    start: float
    step: float
    pose: Floats  # (T, F, 12) position and rotation
    centre: Floats  # (T, G, 3) of each group's sphere


def flights(
    start: Floats, state: Floats, radius: Floats, begin: Floats, until: Floats, expected: Floats | float = -1.0,
    air: Floats | float = 0.0,
) -> Floats:  # fmt: skip
    """Balls in free flight to be searched, packed: states (N, 18) at times `start`, looked at from begin to until.

    `expected` (N, 4): surface (-1: none), low, high and guess of a bounce that the table is too coarse for. `air`
    (N, 6) is packed as `rigid.air_compiled` wants it; zeros are none.
    """
    packed = np.empty((len(state), FLIGHT_WIDTH))
    packed[:, START_AT], packed[:, STATE_AT:BALL_AT], packed[:, BALL_AT] = start, state, radius
    packed[:, BEGIN_AT], packed[:, UNTIL_AT], packed[:, EXPECTED_AT:AIR_AT] = begin, until, expected
    packed[:, AIR_AT:] = air
    return packed


class FirstContacts(NamedTuple):
    surface: Ints  # (N,) that each flight touches first; -1: none
    touch: Floats  # (N, STRUCK) all about it
    inside: Floats  # (N, S) how deep a flight begins inside a surface
    near: Floats  # (K, 4) flight, surface, time and gap of near misses before that touch
