"""What lies under the pointer: rays against balls, capsules and boxes, and curves by their nearest point on the screen;
and which of them is meant where there are several.

Pure numpy, all bodies at once. A ray is an origin and a unit direction; distances are along it, infinite where it
misses.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ui.view.camera import Camera

Array = NDArray[np.float64]
SLIM = 0.065  # [m] of radius: hands, feet, arms and shanks are, trunk, head and thighs are not
SLACK = 0.006  # of the distance, by which bodies are easier to hit
NEAR = 7.0  # [pt] to a flight
ON_MARK = 5.0  # [pt] to the middle of a mark, which is about as wide
BEHIND = 0.05  # [m] that a flight may lie behind what it passes, and still be in front


@dataclass(frozen=True, eq=False)
class Capsules:
    """Segments with a radius; a ball is one of no length."""

    start: Array  # (N, 3)
    end: Array  # (N, 3)
    radius: Array  # (N,)

    @staticmethod
    def of(position: ArrayLike, rotation: ArrayLike, size: ArrayLike) -> Capsules:
        """From the fields of `ui.view.drawing.SolidArray`: along the local Y, size = (radius, half length, unused)."""
        p, R, s = (np.asarray(x, float) for x in (position, rotation, size))
        half = R[..., :, 1] * s[..., 1:2]
        return Capsules(p - half, p + half, s[..., 0])


def ray_spheres(origin: Array, direction: Array, centre: Array, radius: Array) -> Array:
    """(N,) distance at which the ray enters each ball; from inside one, where it leaves."""
    to = centre - origin
    along = to @ direction
    off_axis = np.einsum("ni,ni->n", to, to) - along**2
    inside = radius**2 - off_axis
    with np.errstate(invalid="ignore"):
        reach = np.sqrt(np.where(inside >= 0.0, inside, np.nan))
    near, far = along - reach, along + reach
    hit = np.where(near > 0.0, near, far)
    return np.where(np.isnan(hit) | (hit <= 0.0), np.inf, hit)


def ray_capsules(origin: Array, direction: Array, capsules: Capsules) -> Array:
    """(N,) distance at which the ray enters each capsule: its cylinder, or one of its caps."""
    a, b, r = capsules.start, capsules.end, capsules.radius
    axis = b - a
    length2 = np.einsum("ni,ni->n", axis, axis)
    from_a = origin - a
    axis_d, axis_o = axis @ direction, np.einsum("ni,ni->n", axis, from_a)
    # |(o + s d - a) × axis|² = r² |axis|², a quadratic in s
    qa = length2 - axis_d**2
    qb = length2 * (from_a @ direction) - axis_o * axis_d
    qc = length2 * np.einsum("ni,ni->n", from_a, from_a) - axis_o**2 - (r**2) * length2
    with np.errstate(invalid="ignore", divide="ignore"):
        s = (-qb - np.sqrt(qb**2 - qa * qc)) / qa
        along = axis_o + s * axis_d
    on_side = np.isfinite(s) & (s > 0.0) & (along >= 0.0) & (along <= length2)
    side = np.where(on_side, s, np.inf)
    caps = np.minimum(ray_spheres(origin, direction, a, r), ray_spheres(origin, direction, b, r))
    return np.minimum(side, caps)


def ray_boxes(origin: Array, direction: Array, position: Array, rotation: Array, half: Array) -> Array:
    """(N,) distance at which the ray enters each box, by slabs in the box's own axes."""
    local_o = np.einsum("nji,nj->ni", rotation, origin - position)
    local_d = np.einsum("nji,j->ni", rotation, direction)
    # a ray along a face divides by zero, and the slab then is everything or nothing, as it should
    safe = np.where(np.abs(local_d) < 1e-12, 1e-12, local_d)
    low, high = (-half - local_o) / safe, (half - local_o) / safe
    enter, leave = np.minimum(low, high).max(axis=1), np.maximum(low, high).min(axis=1)
    hit = np.where(enter > 0.0, enter, leave)
    return np.where((leave >= enter) & (leave > 0.0), hit, np.inf)


@dataclass(frozen=True, eq=False)
class Pickable:
    """Bodies of one kind, each with the name of what it belongs to."""

    kind: str  # capsule, sphere, box
    names: tuple[str, ...]
    position: Array
    rotation: Array
    size: Array

    def distances(self, origin: Array, direction: Array, slack: float = 0.0, away: float | None = None) -> Array:
        """(N,) along the ray; `slack` makes bodies thicker per metre of distance, to give small ones a chance. Where
        there is no perspective all count as one distance `away`."""
        more = slack * (
            np.linalg.norm(self.position - origin, axis=1) if away is None else np.full(len(self.names), away)
        )
        if self.kind == "sphere":
            return ray_spheres(origin, direction, self.position, self.size[:, 0] + more)
        if self.kind == "capsule":
            capsules = Capsules.of(self.position, self.rotation, self.size)
            return ray_capsules(origin, direction, Capsules(capsules.start, capsules.end, capsules.radius + more))
        return ray_boxes(origin, direction, self.position, self.rotation, self.size + more[:, None])


@dataclass(frozen=True, eq=False)
class Hit:
    name: str
    distance: float  # [m] along the ray
    point: Array  # (3,) where it was touched


def pick(
    bodies: tuple[Pickable, ...], origin: Array, direction: Array, slack: float = 0.0, away: float | None = None
) -> Hit | None:
    """The first body that a ray meets."""
    best: Hit | None = None
    for group in bodies:
        if not group.names:
            continue
        distances = group.distances(origin, direction, slack, away)
        k = int(np.argmin(distances))
        if np.isfinite(distances[k]) and (best is None or distances[k] < best.distance):
            d = float(distances[k])
            best = Hit(group.names[k], d, origin + d * direction)
    return best


@dataclass(frozen=True, eq=False)
class CurveHit:
    """The nearest point of a curve on the screen."""

    pixels: float  # away from the pointer
    time: float  # [s] of that point
    depth: float  # [m] along the view


def nearest_on_curve(screen: Array, times: Array, x: float, y: float) -> CurveHit | None:
    """Of a curve (N, 3) of pixels and depths at `times`; what is behind the eye (NaN) does not count."""
    a, b = screen[:-1], screen[1:]
    along = b[:, :2] - a[:, :2]
    to = np.array([x, y]) - a[:, :2]
    length2 = np.einsum("ni,ni->n", along, along)
    share = np.clip(np.einsum("ni,ni->n", along, to) / np.maximum(length2, 1e-12), 0.0, 1.0)
    away = np.linalg.norm(to - share[:, None] * along, axis=1)
    if len(away) == 0 or np.all(np.isnan(away)):
        return None
    k = int(np.nanargmin(away))
    s = float(share[k])
    time, depth = (1 - s) * times[k] + s * times[k + 1], (1 - s) * a[k, 2] + s * b[k, 2]
    return CurveHit(float(away[k]), float(time), float(depth))


@dataclass(frozen=True, eq=False)
class FlightOnScreen:
    """The path of a thing through the air, as it is seen."""

    name: str
    screen: Array  # (N, 3) pixels and depths
    times: Array  # (N,) [s]
    marks: Array  # (M, 2) pixels of dots along it, and of what happens at its ends


@dataclass(frozen=True)
class FlightPoint:
    name: str
    time: float  # [s]


def under_pointer(
    bodies: tuple[Pickable, ...], flights: Sequence[FlightOnScreen], camera: Camera, size: tuple[int, int],
    x: float, y: float, scale: float = 1.0,
) -> Hit | FlightPoint | None:  # fmt: skip
    """What somebody who presses here means, on a screen of this scale.

    A thing comes first. In the air, beside a body and over its trunk a flight is meant; but a hand, an arm or a foot
    under the very pointer is, rather than a line that passes over it: a ball that was just thrown flies out of its
    hand. There only the marks of the flight are left to take hold of.
    """
    away = camera.distance if camera.orthographic else None
    ray = camera.ray(x, y, *size)
    hit = pick(bodies, *ray, slack=SLACK, away=away)
    if hit is not None and "/" not in hit.name:
        return hit
    exact = pick(bodies, *ray)
    slim = exact is not None and _thickness(bodies, exact.name) < SLIM
    best: tuple[float, FlightPoint] | None = None
    for flight in flights:
        point = nearest_on_curve(flight.screen, flight.times, x, y)
        if point is None or point.pixels > NEAR * scale or (hit is not None and point.depth > hit.distance + BEHIND):
            continue
        if slim and not _is_on_mark(flight, x, y, ON_MARK * scale):
            continue
        if best is None or point.pixels < best[0]:
            best = point.pixels, FlightPoint(flight.name, point.time)
    return best[1] if best is not None else exact or hit


def _is_on_mark(flight: FlightOnScreen, x: float, y: float, reach: float) -> bool:
    return bool(np.any(np.linalg.norm(flight.marks - [x, y], axis=1) <= reach))


def _thickness(bodies: tuple[Pickable, ...], name: str) -> float:
    """[m] of the thickest body that has this name: half of it, and of a box across its longest side."""
    radii = [
        float(np.sort(group.size[k])[1] if group.kind == "box" else group.size[k, 0])
        for group in bodies
        for k, part in enumerate(group.names)
        if part == name
    ]
    return max(radii)
