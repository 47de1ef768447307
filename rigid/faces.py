"""The sides of a body: what it can be laid on, and what a hand can be laid on."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial import ConvexHull

from kinematics.rotation import Floats
from rigid.body import Body

SAME = 1e-6  # by which normals of one side may differ


@dataclass(frozen=True, eq=False)
class Face:
    """A flat side, in the body's own frame; of what is round, the line or the point that is lowest along a normal."""

    normal: Floats  # (3,) outwards
    corners: Floats  # (K, 3) of the core: the surface is a radius farther out
    radius: float

    def height(self) -> float:
        """Of the surface, from the body's centre [m]."""
        return float((self.corners @ self.normal).max()) + self.radius

    def nearest(self, place: Floats, margin: float) -> Floats:
        """The place of the side that is nearest to another, by a margin off its edges where it is that wide."""
        middle = self.corners.mean(axis=0)
        inner = middle + (self.corners - middle) * self._shrunk(middle, margin)
        flat = place - (place - middle) @ self.normal * self.normal
        return np.asarray(_nearest_in(inner, flat, self.normal) + self.radius * self.normal)

    def _shrunk(self, middle: Floats, margin: float) -> float:
        size = float(np.linalg.norm(self.corners - middle, axis=1).min())
        return 0.0 if size <= margin else 1.0 - margin / size


def faces_of(body: Body) -> list[Face]:
    """All flat sides of a hull; none of a ball or a capsule, which are round wherever one looks."""
    corners = np.asarray(body.vertices, float)
    if len(corners) <= 2:
        return []
    hull = ConvexHull(corners)
    faces: list[Face] = []
    for equation in hull.equations:
        normal = equation[:3]
        if not any(normal @ face.normal > 1.0 - SAME for face in faces):
            heights = corners @ normal
            on = corners[heights >= heights.max() - SAME * body.reach]
            faces.append(Face(normal, on, float(body.radius)))
    return faces


def stands_on(face: Face) -> bool:
    """Whether a body that lies on this side stays there: its centre is over it."""
    foot = face.corners.mean(axis=0) @ face.normal * face.normal
    return len(face.corners) < 3 or _is_inside(face.corners, foot, face.normal)


def face_towards(body: Body, direction: Floats, stable: bool = False) -> Face:
    """The side that looks most in a direction (3,), given in the body's own frame; of those only that it can lie on,
    if it is to be `stable`."""
    faces = [face for face in faces_of(body) if not stable or stands_on(face)]
    if faces:
        return max(faces, key=lambda face: float(face.normal @ direction))
    corners = np.asarray(body.vertices, float)
    normal = direction if len(corners) == 1 else _across(corners[1] - corners[0], direction)
    return Face(normal, corners, float(body.radius))


def _across(line: Floats, direction: Floats) -> Floats:
    """Of a direction what is square to a line; if nothing is, any that is."""
    along = line / np.linalg.norm(line)
    aside = direction - (direction @ along) * along
    if np.linalg.norm(aside) < SAME:
        aside = np.cross(along, np.eye(3)[int(np.argmin(np.abs(along)))])
    return np.asarray(aside / np.linalg.norm(aside))


def _nearest_in(polygon: Floats, place: Floats, normal: Floats) -> Floats:
    """The nearest place of a convex polygon (K, 3), a line or a point, all of one plane, to a place of that plane."""
    if len(polygon) > 2 and _is_inside(polygon, place, normal):
        return place
    middle = polygon.mean(axis=0)
    spokes, first = polygon - middle, polygon[0] - middle
    angles = np.arctan2(np.cross(first, spokes) @ normal, spokes @ first)
    ring = polygon[np.argsort(angles)] if len(polygon) > 2 else polygon
    ways = [_on_line(a, b, place) for a, b in zip(ring, np.roll(ring, -1, axis=0), strict=True)]
    return min(ways, key=lambda way: float(np.linalg.norm(way - place)))


def _is_inside(polygon: Floats, place: Floats, normal: Floats) -> bool:
    middle = polygon.mean(axis=0)
    spokes = polygon - middle
    if np.linalg.norm(spokes, axis=1).max() == 0.0:
        return False
    angles = np.arctan2(np.cross(spokes[0], spokes) @ normal, spokes @ spokes[0])
    ring = polygon[np.argsort(angles)]
    sides = np.cross(np.roll(ring, -1, axis=0) - ring, place - ring) @ normal
    return bool((sides >= 0.0).all())


def _on_line(a: Floats, b: Floats, place: Floats) -> Floats:
    way = b - a
    square = float(way @ way)
    share = 0.0 if square == 0.0 else float(np.clip((place - a) @ way / square, 0.0, 1.0))
    return np.asarray(a + share * way)
