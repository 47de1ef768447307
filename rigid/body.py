"""What a rigid body is: its shape for contacts, and its mass.

A shape is a *rounded convex hull*: some points with a radius around their hull. A ball is one point, a capsule two, a
box eight without a radius, a mesh the corners of its hull. Points are in the body's own frame, whose origin is the
centre of mass and whose axes are principal, so that inertia is three numbers. A mesh knows its way there and back.
"""

import warnings
from dataclasses import dataclass
from functools import partial
from numbers import Real
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jax
import jax.numpy as jnp
import numpy as np
from numpy.typing import ArrayLike, NDArray

from kinematics.errors import HoiError, TouchesByHull
from rigid.free_flight import Asymmetric, State, Top
from rigid.impact import Free

if TYPE_CHECKING:  # a third of a second to import, which only those pay who read a mesh
    import trimesh

Floats = NDArray[np.float64]
EQUAL = 1e-12  # relative difference below which two moments are one
HOLLOW = 0.01  # share of a mesh's hull that is not filled from which on a user is told
FLAT = 1e-9  # share of its length below which a mesh has no thickness


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["vertices", "radius", "mass", "moments", "mesh_centre", "mesh_rotation"],
    meta_fields=[],
)
@dataclass(frozen=True)
class Body:
    vertices: Any  # (V, 3) corners of the hull [m]
    radius: Any  # around the hull [m]
    mass: Any  # [kg]
    moments: Any  # (3,) about the body's own axes [kg m²]
    # A mesh's own file has other axes: p_body = mesh_rotationᵀ (p_mesh - mesh_centre).
    mesh_centre: Any  # (3,) [m]
    mesh_rotation: Any  # (3, 3)

    def __repr__(self) -> str:
        """One line; while a function is traced, numbers are not known."""
        kind = {1: "ball", 2: "capsule"}.get(len(self.vertices), f"hull of {len(self.vertices)} corners")
        if not all(isinstance(number, float | np.ndarray) for number in (self.vertices, self.radius, self.mass)):
            return f"<{kind}>"
        return f"<{kind} of {self.mass:g} kg that reaches {self.reach:.3g} m from its centre>"

    @property
    def reach(self) -> float:
        """Of the surface's farthest point from the centre [m]; a point moves no faster than |v| + reach |ω|."""
        return float(np.linalg.norm(self.vertices, axis=1).max() + self.radius)

    def from_mesh(self, points: ArrayLike) -> Floats:
        """Points (..., 3) of the mesh's file in the body's own frame, to draw it."""
        return np.asarray((np.asarray(points, float) - self.mesh_centre) @ self.mesh_rotation)


def ball(mass: float, radius: float, hollow: bool = False) -> Body:
    """A homogeneous ball, or a thin shell."""
    m, r = _positive("mass", "ball", mass), _positive("radius", "ball", radius)
    return _primitive(np.zeros((1, 3)), r, m, np.full(3, (2.0 / 3.0 if hollow else 2.0 / 5.0) * m * r**2))


def capsule(mass: float, radius: float, half_length: float) -> Body:
    """A homogeneous cylinder along Y between two half balls; `half_length` is of the cylinder alone."""
    m, r, h = (_positive(*x) for x in (("mass", "capsule", mass), ("radius", "capsule", radius),
                                       ("half length", "capsule", half_length)))  # fmt: skip
    cylinder, caps = m * np.array([h, 2.0 / 3.0 * r]) / (h + 2.0 / 3.0 * r)
    along = cylinder * r**2 / 2.0 + caps * 2.0 / 5.0 * r**2
    across = cylinder * (r**2 / 4.0 + h**2 / 3.0) + caps * (2.0 / 5.0 * r**2 + h**2 + 3.0 / 4.0 * r * h)
    return _primitive(np.array([[0.0, -h, 0.0], [0.0, h, 0.0]]), r, m, np.array([across, along, across]))


def box(mass: float, half_extents: ArrayLike) -> Body:
    """A homogeneous box about its centre."""
    m, half = _positive("mass", "box", mass), np.asarray(half_extents, float)
    if half.shape != (3,):
        raise HoiError(f"the half extents of a box must be three numbers, not {half_extents!r}")
    half = np.array([_positive("half extents", "box", x) for x in half])
    corners = half * np.stack(np.meshgrid(*3 * [[-1.0, 1.0]], indexing="ij"), axis=-1).reshape(8, 3)
    return _primitive(corners, 0.0, m, m * (np.sum(half**2) - half**2) / 3.0)


def mesh(mass: float, source: "str | Path | trimesh.Trimesh") -> Body:
    """A homogeneous body bounded by a closed mesh, of a file [m] or from trimesh; it touches with its convex hull.

    Where that is more than 1 % larger than the mesh, a `TouchesByHull` is warned of. Mass and inertia are the mesh's.
    """
    name = str(source) if isinstance(source, str | Path) else "mesh"
    m, shape = _positive("mass", name, mass), _checked(source, name)
    _warn_of_hollows(name, 1.0 - abs(float(shape.volume)) / float(shape.convex_hull.volume))
    unit = float(shape.volume)  # of mass at density 1; inside out gives minus signs everywhere, which cancel
    moments, axes = _principal(np.asarray(shape.moment_inertia, float) * (m / unit))
    centre = np.asarray(shape.center_mass, float)
    corners = (np.asarray(shape.convex_hull.vertices, float) - centre) @ axes
    return Body(corners, 0.0, m, moments, centre, axes)


def _warn_of_hollows(name: str, share: float) -> None:
    if share > HOLLOW:
        warnings.warn(
            f"the mesh {name} touches by its convex hull, of which hollows are {share:.0%}: nothing gets into them; "
            "make bodies of its convex parts if that matters",
            TouchesByHull,
            stacklevel=3,
        )


def is_ball(body: Body) -> bool:
    """Whether it is one point with a radius: how it is turned does not matter to what it touches."""
    return len(body.vertices) == 1


def has_faces(body: Body) -> bool:
    """Whether it is more than a ball or a capsule: hands are laid on its sides, and do not reach around it."""
    return len(body.vertices) > 2


def extents(body: Body) -> Floats:
    """Half extents (3,) of the box around its hull, about its centre, without the radius."""
    return np.zeros(3) if is_ball(body) else np.asarray(np.abs(np.asarray(body.vertices)).max(axis=0))


def flight_inertia(body: Body) -> Top | Asymmetric:
    """What flight needs: a top in closed form where two moments are equal, else all three."""
    x, y, z = np.asarray(body.moments) / body.mass
    for axis, (along, across, other) in enumerate([(x, y, z), (y, z, x), (z, x, y)]):
        if axis == 0 and _equal(x, y) and _equal(y, z):  # a ball spins about any axis: take the usual one
            return Top(y, y, np.eye(3)[1])
        if _equal(across, other):
            return Top(across, along, np.eye(3)[axis])
    return Asymmetric(jax.device_put(np.array([x, y, z])))


def free(body: Body, state: State) -> Free:
    """The body at one instant as an impulse sees it."""
    R = state.rotation
    inverse = (R / jnp.asarray(body.moments)[None, :]) @ R.T
    return Free(1.0 / jnp.asarray(body.mass), inverse, state.position, state.velocity, state.angular_velocity)


def _primitive(vertices: Floats, radius: float, mass: float, moments: Floats) -> Body:
    return Body(vertices, radius, mass, moments, np.zeros(3), np.eye(3))


def _positive(what: str, kind: str, value: Any) -> float:
    number = float(value) if isinstance(value, Real) else np.nan
    if not (np.isfinite(number) and number > 0.0):
        said = f"{number:g}" if isinstance(value, Real) else repr(value)
        raise HoiError(f"the {what} of {_article(kind)} must be a positive number, not {said}")
    return number


def _article(kind: str) -> str:
    return f"a {kind}" if kind in ("ball", "capsule", "box", "mesh") else kind


def _equal(x: float, y: float) -> bool:
    return bool(abs(x - y) <= EQUAL * max(x, y))


def _checked(source: "str | Path | trimesh.Trimesh", name: str) -> "trimesh.Trimesh":
    """The mesh, with a sentence for whatever keeps it from being a solid."""
    shape = _read(Path(source)) if isinstance(source, str | Path) else source
    if len(shape.faces) == 0 or not np.all(np.isfinite(shape.vertices)):
        raise HoiError(f"the mesh {name} must have triangles whose corners are all finite numbers")
    size = np.linalg.svd(shape.vertices - shape.vertices.mean(axis=0), compute_uv=False)
    if size[2] <= FLAT * size[0]:
        raise HoiError(f"the mesh {name} is flat; a body needs a thickness")
    if not shape.is_watertight or not shape.is_winding_consistent:
        raise HoiError(f"the mesh {name} is not closed; fill its holes so that it has an inside")
    return shape


def _read(path: Path) -> "trimesh.Trimesh":
    import trimesh

    if not path.is_file():
        raise HoiError(f"there is no mesh file {path}")
    try:
        return trimesh.load_mesh(path)
    except Exception as error:  # every reader of trimesh has its own exceptions
        raise HoiError(f"{path} cannot be read as a mesh: {error}") from error


def _principal(inertia: Floats) -> tuple[Floats, Floats]:
    """Moments and right-handed axes (as columns), each as near as can be to the mesh's own axis of the same number."""
    if np.abs(inertia - np.diag(np.diag(inertia))).max() <= EQUAL * np.abs(inertia).max():
        return np.diag(inertia).copy(), np.eye(3)
    moments, axes = np.linalg.eigh(inertia)
    order = _nearest_order(np.abs(axes))
    moments, axes = moments[order], axes[:, order]
    axes = axes * np.where(np.diag(axes) < 0.0, -1.0, 1.0)
    axes[:, 2] *= np.sign(np.linalg.det(axes))
    return moments, axes


def _nearest_order(share: Floats) -> list[int]:
    orders = [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]]
    return max(orders, key=lambda order: float(np.trace(share[:, order])))
