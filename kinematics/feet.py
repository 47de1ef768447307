"""Foot contacts: when which point of which foot stands still on the ground.

A point is planted while it is both slow and low: slower than a threshold that leaves room for the noise of capture, and
within a few centimetres of where it is at its lowest. Short gaps are closed and short touches dropped.
"""

from dataclasses import dataclass, replace

import jax
import jax.numpy as jnp
import numpy as np

from kinematics.anatomy import find_roles, how_to_say
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.forward import forward
from kinematics.forward import points as world_points
from kinematics.rig_names import SIDES
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from kinematics.stance import speeds


@dataclass(frozen=True)
class FootPoint:
    """A point of a foot that can be planted: the ankle or the ball of one side."""

    name: str
    segment: int
    local: Floats


@dataclass(frozen=True)
class FootContact:
    """One stance: the point stays at `anchor` from row `first` to row `last`, both included."""

    point: FootPoint
    first: int
    last: int
    anchor: Floats  # (3,) world [m]
    slide: float  # how far the recorded point strays from the anchor [m]


def roles_of(skeleton: Skeleton) -> dict[str, int]:
    """The parts of the body as they were settled when it was dressed, or as its names tell."""
    return dict(skeleton.roles) or find_roles(skeleton.names, skeleton.topology.parents)


def foot_points(skeleton: Skeleton) -> list[FootPoint]:
    """Ankles and balls of both feet, as far as the skeleton has them."""
    roles = roles_of(skeleton)
    points = []
    for side in SIDES:
        parts = [f"{side}_foot", f"{side}_toes"]
        points += [FootPoint(part, roles[part], np.zeros(3)) for part in parts if part in roles]
        if f"{side}_foot" in roles and f"{side}_toes" not in roles:
            foot = roles[f"{side}_foot"]
            ahead = [skeleton.sites[i].position for i, s in enumerate(skeleton.sites) if s.name == f"{side}_sole"]
            if ahead:
                points.append(FootPoint(f"{side}_sole", foot, ahead[0]))
    if not points:
        say = how_to_say("left_foot", skeleton.names, skeleton.topology.parents)
        raise HoiError(f"no joint is recognised as left_foot or right_foot: {say}")
    return points


def point_tracks(skeleton: Skeleton, poses: Floats, points: list[FootPoint]) -> Floats:
    """World positions (N, P, 3) of the points in every row."""
    segment = np.array([point.segment for point in points])
    local = np.stack([point.local for point in points])
    return np.asarray(_tracks(skeleton, jnp.asarray(poses), segment, jnp.asarray(local)))


@jax.jit
def _tracks(skeleton: Skeleton, poses: jax.Array, segment: jax.Array, local: jax.Array) -> jax.Array:
    return jax.vmap(lambda q: world_points(forward(skeleton, q), segment, local))(poses)


def foot_contacts(
    clip: Clip,
    *,
    speed: float = 0.2,
    height: float = 0.04,
    stray: float = 0.02,
    shortest: float = 0.08,
    gap: float = 0.05,
) -> list[FootContact]:
    """Stances of all foot points, in order of time: slower than `speed` [m/s], within `height` [m] of the lowest, and
    never further than `stray` [m] from where they are at the median.

    Stances shorter than `shortest` [s] do not count, and gaps shorter than `gap` [s] do not end one.
    """
    least = max(2, round(shortest / clip.frame_time))
    points = foot_points(clip.skeleton)
    tracks = point_tracks(clip.skeleton, clip.poses, points)
    contacts = []
    for index, point in enumerate(points):
        track = tracks[:, index]
        slow = speeds(track, clip.frame_time) < speed
        # a low quantile, not the minimum: one bad row must not lift everything else off the ground
        low = track[:, 1] < np.quantile(track[:, 1], 0.02) + height
        for first_slow, last_slow in _runs(slow & low, round(gap / clip.frame_time), least):
            first, last = _settled(track, first_slow, last_slow, stray)
            if last - first + 1 >= least:
                anchor = np.median(track[first : last + 1], axis=0)
                slide = float(np.linalg.norm(track[first : last + 1] - anchor, axis=1).max())
                contacts.append(FootContact(point, first, last, anchor, slide))
    contacts = _reconciled(clip.skeleton, contacts)
    return sorted(contacts, key=lambda contact: (contact.first, contact.point.name))


def _reconciled(skeleton: Skeleton, contacts: list[FootContact]) -> list[FootContact]:
    """The stances with their anchors moved so that ankle and ball of a foot that stands on both are a foot apart.

    Medians taken over different rows need not be; and what no pose can do, no solver should be asked for.
    """
    rest = skeleton.rest_positions()
    anchors = [contact.anchor.copy() for contact in contacts]
    pairs = [
        (i, j, float(np.linalg.norm(rest[a.point.segment] + a.point.local - rest[b.point.segment] - b.point.local)))
        for i, a in enumerate(contacts)
        for j, b in enumerate(contacts)
        if i < j and a.point.name[:4] == b.point.name[:4] and a.point.name != b.point.name
        if a.first <= b.last and b.first <= a.last
    ]
    for _ in range(50):  # one stance may overlap several others: settle them in turn
        for i, j, length in pairs:
            apart = anchors[j] - anchors[i]
            distance = float(np.linalg.norm(apart))
            if distance > 1e-9:
                anchors[i] += 0.5 * (1.0 - length / distance) * apart
                anchors[j] -= 0.5 * (1.0 - length / distance) * apart
    return [replace(contact, anchor=anchor) for contact, anchor in zip(contacts, anchors, strict=True)]


def _settled(track: Floats, first: int, last: int, stray: float) -> tuple[int, int]:
    """The stance without the rows at its ends where the foot still rolls, further than `stray` from the median."""
    while last > first:
        distance = np.linalg.norm(track[first : last + 1] - np.median(track[first : last + 1], axis=0), axis=1)
        if distance.max() <= stray:
            break
        first, last = (first + 1, last) if distance[0] >= distance[-1] else (first, last - 1)
    return first, last


def _runs(on: np.ndarray, gap: int, shortest: int) -> list[tuple[int, int]]:
    """First and last index of each stretch of True, gaps of up to `gap` closed, stretches under `shortest` dropped."""
    edges = np.flatnonzero(np.diff(np.concatenate([[False], on, [False]]).astype(int)))
    runs: list[tuple[int, int]] = []
    for first, stop in zip(edges[::2], edges[1::2], strict=True):
        if runs and first - runs[-1][1] - 1 <= gap:
            runs[-1] = (runs[-1][0], int(stop) - 1)
        else:
            runs.append((int(first), int(stop) - 1))
    return [(first, last) for first, last in runs if last - first + 1 >= shortest]
