"""Where and when a ball is clear of everything: the way out of what it starts inside, or is let go inside."""

import numpy as np

from hoi_edit.motions.frame_motion import Moving
from hoi_edit.simulate.search.layouts import GAP, Ints, Solids, flights
from hoi_edit.simulate.search.narrow_phase import touches_at
from kinematics.rotation import Floats

ROOM = 1e-3  # [m]
REACHES = 0.02 * 1.25 ** np.arange(22)  # [m] at which it is looked: up to two metres
SIDES = [side for side in np.ndindex(3, 3, 3) if side != (1, 1, 1)]
WAYS = np.array([(np.array(side) - 1.0) / np.linalg.norm(np.array(side) - 1.0) for side in SIDES])


def gaps_at(
    moving: Moving, solids: Solids, surfaces: Ints, places: Floats, times: Floats, radius: float
) -> tuple[Floats, Ints]:
    """(N,) how far a ball that is in these places (N, 3) at these times is from the nearest of some surfaces, and from
    which one."""
    count, each = len(places), len(surfaces)
    if not each:
        return np.full(count, np.inf), np.zeros(count, np.int64)
    states = np.concatenate([places, np.tile(np.eye(3).ravel(), (count, 1)), np.zeros((count, 6))], axis=1)
    packed = flights(times, states, np.full(count, radius), times, times).repeat(each, axis=0)
    found = touches_at(moving, solids, np.tile(surfaces, count), np.zeros(3), packed, times.repeat(each))
    gaps = np.asarray(found[:, GAP]).reshape(count, each)
    return gaps.min(axis=1), np.asarray(surfaces)[gaps.argmin(axis=1)]


def nearest_clear_place(
    moving: Moving, solids: Solids, place: Floats, time: float, radius: float, clear: float = ROOM
) -> Floats | None:
    """The nearest place at a time where a ball touches nothing; None if there is none near."""
    surfaces = np.arange(len(solids.frame))
    tried = (place + REACHES[:, None, None] * WAYS).reshape(-1, 3)
    gaps, _ = gaps_at(moving, solids, surfaces, tried, np.full(len(tried), float(time)), radius)
    good = np.flatnonzero(gaps >= clear)
    return tried[good[0]] if len(good) else None
