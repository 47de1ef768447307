"""Feet: paths from foothold to foothold, and when the ball or the whole foot stands."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import groupby, pairwise

import numpy as np
from scipy.interpolate import make_interp_spline

from hoi_edit.footwork.limb_reach import Goal
from kinematics.feet import FootContact, FootPoint
from kinematics.human import standing
from kinematics.rotation import Floats, yaw
from kinematics.skeleton import Skeleton

FLAT = 0.5  # [deg]: a foot pitched less stands on its heel too
CLEAR = 0.03  # [m]: a foot lifted so far has left the ground
TOES = np.array([0.0, 0.0, 0.07])  # from the ball to their tip [m]
SIDEWAYS = np.array([0.06, 0.0, 0.0])  # a third point of the foot [m], so that soles do not roll


@dataclass(frozen=True)
class FootKey:
    """Where the ball of a foot is [m], and which way the foot points [deg]: `yaw` to the left, `pitch` heel up.

    Where it is `down` it rests; in between it passes through its keys without stopping.
    """

    t: float
    x: float
    z: float
    lift: float = 0.0  # of the ball above where it is when the foot stands
    yaw: float = 0.0
    pitch: float = 0.0
    down: bool = True

    def at(self, t: float) -> "FootKey":
        return replace(self, t=t)


@dataclass(frozen=True)
class FootPath:
    """One foot in every row."""

    side: str
    keys: tuple[FootKey, ...]
    ball: Floats  # (N, 3) world [m]
    ankle: Floats
    aside: Floats  # the third point
    tip: Floats  # of the toes

    @property
    def centre(self) -> Floats:
        """Below the middle of the foot: where its load acts when it stands flat."""
        return np.asarray(0.55 * self.ball + 0.45 * self.ankle)


def foot_path(skeleton: Skeleton, side: str, keys: Sequence[FootKey], times: Floats) -> FootPath:
    """The path through the keys; its ends are held."""
    at = np.array([key.t for key in keys])
    values = np.array([(key.x, key.lift, key.z, np.deg2rad(key.yaw), np.deg2rad(key.pitch)) for key in keys])
    rests = [k for k, key in enumerate(keys) if key.down]
    curve = between_rests(at, values, rests, times)
    flat = skeleton.rest_positions() + standing(skeleton)[:3]
    ankle, toes = flat[skeleton.segment(f"{side}_foot")], flat[skeleton.segment(f"{side}_toes")]
    ball = curve[:, :3] + np.array([0.0, toes[1], 0.0])
    R = _turns(curve[:, 3], curve[:, 4])
    # toes lie flat while the heel rises over them, and follow the foot once it is in the air
    in_air = 1.0 - np.exp(-((curve[:, 1] / CLEAR) ** 2))
    R_toes = _turns(curve[:, 3], in_air * curve[:, 4])
    heel = ankle - toes
    return FootPath(side, tuple(keys), ball, ball + R @ heel, ball + R @ (heel + SIDEWAYS), ball + R_toes @ TOES)


def _turns(heading: Floats, pitch: Floats) -> Floats:
    """Rotations (N, 3, 3): pitched about the foot's own sideways axis, then turned on the ground."""
    c, s, one, zero = np.cos(pitch), np.sin(pitch), np.ones_like(pitch), np.zeros_like(pitch)
    pitched = np.array([[one, zero, zero], [zero, c, -s], [zero, s, c]]).transpose(2, 0, 1)
    return np.stack([yaw(a) for a in heading]) @ pitched


def foot_goals(skeleton: Skeleton, path: FootPath) -> list[Goal]:
    """The path as goals for the leg."""
    foot, toes = skeleton.segment(f"{path.side}_foot"), skeleton.segment(f"{path.side}_toes")
    return [
        Goal(foot, np.zeros(3), path.ankle),
        Goal(toes, np.zeros(3), path.ball),
        Goal(foot, SIDEWAYS, path.aside, 0.3),
        Goal(toes, TOES, path.tip, 0.3),
    ]


def contacts(skeleton: Skeleton, path: FootPath, times: Floats) -> list[FootContact]:
    """The stances of the ball, and of the ankle where the foot is flat."""
    found = []
    for part, same in (("toes", _same_ball), ("foot", _same_sole)):
        name = f"{path.side}_{part}"
        point = FootPoint(name, skeleton.segment(name), np.zeros(3))
        track = path.ball if part == "toes" else path.ankle
        for start, end in _stances(path.keys, same):
            rows = np.flatnonzero((times >= start - 1e-9) & (times <= end + 1e-9))
            if len(rows) > 1:
                found.append(FootContact(point, int(rows[0]), int(rows[-1]), track[rows[0]], 0.0))
    return found


def _stances(keys: Iterable[FootKey], place: Callable[[FootKey], object]) -> list[tuple[float, float]]:
    """First and last time of each run of keys at one and the same place; in the air the place is None."""
    runs = [(where, list(run)) for where, run in groupby(keys, place)]
    return [(run[0].t, run[-1].t) for where, run in runs if where is not None]


def _same_ball(key: FootKey) -> object:
    return (key.x, key.z) if key.down and key.lift == 0.0 else None


def _same_sole(key: FootKey) -> object:
    return (key.x, key.z, key.yaw) if key.down and key.lift == 0.0 and abs(key.pitch) < FLAT else None


def between_rests(at: Floats, values: Floats, rests: Sequence[int], times: Floats) -> Floats:
    """A curve (N, K) through values (n, K) at times `at`; at the keys `rests` it stops, velocity and acceleration zero.

    Quintic pieces: a foot that leaves the ground with a jump of acceleration would be seen to twitch by the planting.
    """
    result = np.repeat(values[:1], len(times), axis=0)
    for first, last in pairwise(rests):
        end = [(1, np.zeros(values.shape[1])), (2, np.zeros(values.shape[1]))]
        piece = make_interp_spline(at[first : last + 1], values[first : last + 1], k=5, bc_type=(end, end))
        inside = times >= at[first]
        result[inside] = piece(np.minimum(times[inside], at[last]))
    return result
