"""The skeleton: a tree of joints with hinge and sliding degrees of freedom, and the body that hangs on it.

Joint i carries segment i; in the zero pose every segment's frame is parallel to the world's. A joint is placed in its
parent's frame at `offset` plus its sliding DOFs, then turned by its hinges in the order in which they are listed.
Hinge axes may point anywhere, so Euler channels of BVH, the tilted axes of ASF and anatomical joints are one and the
same thing here, and turning a Z-up file upright changes axes and offsets but not one joint angle.

Lengths in metres, angles in radians, masses in kilograms, Y up.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Literal

import jax
import numpy as np

from kinematics.anatomy import how_to_say, role_of_site
from kinematics.errors import HoiError, unknown
from kinematics.rotation import Floats, perpendicular_frame

Kind = Literal["rotation", "translation"]
ShapeKind = Literal["capsule", "sphere", "box"]


@dataclass(frozen=True)
class Dof:
    """One degree of freedom of a joint: a hinge about, or a slide along, `axis` (in the parent's zero-pose frame)."""

    name: str
    axis: tuple[float, float, float]
    kind: Kind = "rotation"
    limits: tuple[float, float] = (-np.inf, np.inf)  # [rad] or [m]


@dataclass(frozen=True)
class Joint:
    """One joint as its maker describes it; `Skeleton.build` packs a list of them."""

    name: str
    parent: str | None
    offset: tuple[float, float, float]
    dofs: tuple[Dof, ...] = ()


@partial(
    jax.tree_util.register_dataclass, data_fields=["position", "rotation", "size"], meta_fields=["kind", "segment"]
)
@dataclass(frozen=True, eq=False)
class Shape:
    """A collision shape fixed to a segment, in the segment's frame.

    capsule: axis along local Y, size = (radius, half length of the straight part, 0);
    sphere: size = (radius, 0, 0); box: size = half extents.
    """

    kind: ShapeKind
    segment: int
    position: Floats
    rotation: Floats
    size: Floats


@partial(
    jax.tree_util.register_dataclass, data_fields=["position", "rotation"], meta_fields=["name", "segment", "shape"]
)
@dataclass(frozen=True, eq=False)
class Site:
    """A named frame on a shape's surface where contacts happen; its Z axis points out of the body."""

    name: str
    segment: int
    position: Floats
    rotation: Floats
    shape: int | None = None  # index into Skeleton.shapes


@partial(jax.tree_util.register_dataclass, data_fields=["mass", "centre", "inertia"], meta_fields=[])
@dataclass(frozen=True, eq=False)
class Inertias:
    """Mass properties of every segment, in its own frame."""

    mass: Floats  # (J,) [kg]
    centre: Floats  # (J, 3) centre of mass [m]
    inertia: Floats  # (J, 3, 3) about the centre of mass [kg m²]


@dataclass(frozen=True)
class Topology:
    """What is discrete about a skeleton; hashable, so compiled functions are shared by all skeletons that have it."""

    names: tuple[str, ...]
    parents: tuple[int, ...]  # -1 at a root; parents come before children
    dof_names: tuple[str, ...]
    dof_joints: tuple[int, ...]
    dof_kinds: tuple[Kind, ...]

    @property
    def n_joints(self) -> int:
        return len(self.names)

    @property
    def n_dofs(self) -> int:
        return len(self.dof_names)


@partial(
    jax.tree_util.register_dataclass,
    data_fields=["offset", "axis", "limits", "inertias", "shapes", "sites"],
    meta_fields=["topology", "roles"],
)
@dataclass(frozen=True, eq=False)
class Skeleton:
    topology: Topology
    offset: Floats  # (J, 3)
    axis: Floats  # (D, 3) unit vectors
    limits: Floats  # (D, 2)
    inertias: Inertias
    shapes: tuple[Shape, ...] = field(default=())
    sites: tuple[Site, ...] = field(default=())
    roles: tuple[tuple[str, int], ...] = field(default=())  # parts of a human body and the joints that play them

    def __repr__(self) -> str:
        known = f"{self.topology.n_joints} joints, {self.topology.n_dofs} DOFs, {len(self.sites)} sites"
        return f"<skeleton of {known}; root {', '.join(self._roots)}>"

    @property
    def _roots(self) -> list[str]:
        return [name for name, parent in zip(self.topology.names, self.topology.parents, strict=True) if parent < 0]

    @staticmethod
    def build(joints: Sequence[Joint]) -> "Skeleton":
        """Pack joints, parents before children, into a bare skeleton: no mass, no shapes, no sites."""
        if not joints:
            raise HoiError("a skeleton needs at least one joint")
        index: dict[str, int] = {}
        for i, joint in enumerate(joints):
            if joint.name in index:
                raise HoiError(f"two joints are named {joint.name!r}; names must differ")
            if joint.parent is not None and joint.parent not in index:
                raise HoiError(f"joint {joint.name!r} comes before its parent {joint.parent!r}, or that does not exist")
            if len({dof.name for dof in joint.dofs}) < len(joint.dofs):
                raise HoiError(f"joint {joint.name!r} has two degrees of freedom of the same name; names must differ")
            index[joint.name] = i
        dofs = [(i, dof) for i, joint in enumerate(joints) for dof in joint.dofs]
        topology = Topology(
            names=tuple(joint.name for joint in joints),
            parents=tuple(-1 if joint.parent is None else index[joint.parent] for joint in joints),
            dof_names=tuple(f"{joints[i].name}.{dof.name}" for i, dof in dofs),
            dof_joints=tuple(i for i, _ in dofs),
            dof_kinds=tuple(dof.kind for _, dof in dofs),
        )
        n = len(joints)
        return Skeleton(
            topology=topology,
            offset=np.array([joint.offset for joint in joints], float),
            axis=np.array([_unit(dof) for _, dof in dofs], float).reshape(-1, 3),
            limits=np.array([dof.limits for _, dof in dofs], float).reshape(-1, 2),
            inertias=Inertias(np.zeros(n), np.zeros((n, 3)), np.zeros((n, 3, 3))),
        )

    @property
    def n_dofs(self) -> int:
        return self.topology.n_dofs

    @property
    def names(self) -> tuple[str, ...]:
        return self.topology.names

    def segment(self, name: str) -> int:
        """Index of the segment (and joint) called `name`."""
        return _index(self.names, name, "segment")

    def dof(self, name: str) -> int:
        """Index of the degree of freedom called `joint.dof`."""
        return _index(self.topology.dof_names, name, "degree of freedom")

    def dofs_of(self, segment: int, kind: Kind | None = None) -> list[int]:
        """Indices of a joint's own DOFs, optionally of one kind, in order."""
        pairs = zip(self.topology.dof_joints, self.topology.dof_kinds, strict=True)
        return [d for d, (joint, k) in enumerate(pairs) if joint == segment and kind in (None, k)]

    def site(self, name: str) -> Site:
        """The site called `name`."""
        self._check_known(name)
        return self.sites[_index(tuple(site.name for site in self.sites), name, "site")]

    def point(self, name: str) -> tuple[int, Floats]:
        """Segment and local position of a named site, or of a segment's own joint."""
        for site in self.sites:
            if site.name == name:
                return site.segment, site.position
        if name in self.names:
            return self.segment(name), np.zeros(3)
        self._check_known(name)
        raise unknown("body point", name, [site.name for site in self.sites] + list(self.names))

    def _check_known(self, site: str) -> None:
        """What a body would have if its joints had names that tell more, can be told."""
        role = role_of_site(site)
        if role is None or role in dict(self.roles) or site in [own.name for own in self.sites]:
            return
        raise HoiError(f"no joint is recognised as {role}: {how_to_say(role, self.names, self.topology.parents)}")

    def descends_from(self, segment: int, ancestor: int) -> bool:
        """Whether `segment` is `ancestor` or hangs below it."""
        while segment != ancestor and segment != -1:
            segment = self.topology.parents[segment]
        return segment == ancestor

    def children(self, segment: int) -> list[int]:
        return [i for i, parent in enumerate(self.topology.parents) if parent == segment]

    def rest_positions(self) -> Floats:
        """World positions (J, 3) of all joints in the zero pose."""
        positions = np.array(self.offset)
        for i, parent in enumerate(self.topology.parents):
            if parent >= 0:
                positions[i] += positions[parent]
        return positions

    def with_body(
        self, inertias: Inertias, shapes: Iterable[Shape], sites: Iterable[Site], roles: Mapping[str, int]
    ) -> "Skeleton":
        return replace(
            self, inertias=inertias, shapes=tuple(shapes), sites=tuple(sites), roles=tuple(sorted(roles.items()))
        )


def capsule(segment: int, a: Floats, b: Floats, radius: float) -> Shape:
    """The capsule whose axis runs from `a` to `b` in the segment's frame; a sphere where the two coincide."""
    a, b = np.asarray(a, float), np.asarray(b, float)
    length = float(np.linalg.norm(b - a))
    if length < 1e-9:
        return sphere(segment, a, radius)
    rotation = perpendicular_frame(b - a, np.array([0.0, 0.0, 1.0]))
    return Shape("capsule", segment, (a + b) / 2, rotation, np.array([radius, length / 2, 0.0]))


def sphere(segment: int, centre: Floats, radius: float) -> Shape:
    return Shape("sphere", segment, np.asarray(centre, float), np.eye(3), np.array([radius, 0.0, 0.0]))


def box(segment: int, centre: Floats, rotation: Floats, half_extents: Floats) -> Shape:
    return Shape(
        "box", segment, np.asarray(centre, float), np.asarray(rotation, float), np.asarray(half_extents, float)
    )


def _index(names: tuple[str, ...], name: str, kind: str) -> int:
    try:
        return names.index(name)
    except ValueError:
        raise unknown(kind, name, names) from None


def _unit(dof: Dof) -> Floats:
    axis = np.asarray(dof.axis, float)
    length = np.linalg.norm(axis)
    if not length > 1e-9:
        raise HoiError(f"the axis of degree of freedom {dof.name!r} is {dof.axis}; it must not be zero")
    return np.asarray(axis / length)
