"""Spheres, capsules and boxes: how far a point is from them, and which way they face there."""

from dataclasses import dataclass

import numpy as np

from hoi_edit.scene import Fixture
from kinematics.rotation import Floats
from kinematics.skeleton import Shape
from rigid.body import Body


@dataclass(frozen=True, eq=False)
class FrameSolid:
    """A box with a radius around it, fixed to a frame; a sphere's box is a point, a capsule's a line along Y."""

    place: Floats  # (3,) in the frame
    rotation: Floats  # (3, 3) in the frame
    half: Floats  # (3,) of the box
    radius: float

    @staticmethod
    def of_shape(shape: Shape) -> "FrameSolid":
        a, b, c = (float(x) for x in shape.size)
        half, radius = {
            "sphere": ((0.0, 0.0, 0.0), a),
            "capsule": ((0.0, b, 0.0), a),
            "box": ((a, b, c), 0.0),
        }[shape.kind]
        return FrameSolid(np.asarray(shape.position), np.asarray(shape.rotation), np.array(half), radius)

    @staticmethod
    def of_fixture(fixture: Fixture) -> "FrameSolid":
        half, radius = np.asarray(fixture.shape.core, float), float(np.asarray(fixture.shape.radius))
        return FrameSolid(np.asarray(fixture.position), np.asarray(fixture.rotation), half, radius)

    @staticmethod
    def of_body(body: Body) -> "FrameSolid | None":
        """Of a ball, a capsule or a box in its own frame; None for a mesh, whose hull is none of these."""
        corners = np.abs(np.asarray(body.vertices, float))
        half = corners.max(axis=0)
        if len(corners) not in (1, 2, 8) or not np.allclose(corners, half, rtol=0.0, atol=1e-12):
            return None
        return FrameSolid(np.zeros(3), np.eye(3), half, float(np.asarray(body.radius)))

    def distance(self, points: Floats) -> tuple[Floats, Floats]:
        """Signed distances (N,) of points (N, 3) of the frame from the surface, and unit normals (N, 3) there."""
        local = (points - self.place) @ self.rotation
        side = np.where(local >= 0.0, 1.0, -1.0)
        beyond = np.abs(local) - self.half
        out = np.maximum(beyond, 0.0)
        length = np.linalg.norm(out, axis=1)
        deepest = np.argmax(beyond, axis=1)
        face = np.eye(3)[deepest]
        inside = length == 0.0
        away = np.where(inside[:, None], face, out / np.where(inside, 1.0, length)[:, None])
        signed = np.where(inside, beyond.max(axis=1), length) - self.radius
        return signed, (side * away) @ self.rotation.T
