"""Forward kinematics: from joint coordinates to frames, velocities, accelerations and geometric Jacobians.

The tree is walked level by level, all joints of a level at once, so the compiled program is as long as the tree is
deep. Everything differential comes from the *screws* of the DOFs: the six-vector (angular; linear at the world origin)
of the velocity field that one unit of a DOF's rate gives to what hangs on it. With S the screws, m the mask "DOF d
moves segment s" and T = Σ m S q̇ a segment's twist:

    velocity of a point       v = T_lin + T_ang × p
    its Jacobian column       J_d = S_lin + S_ang × p
    rate of a screw           Ṡ_d = T_carrier(d) ⨯ S_d                (the carrier is what the DOF's axis rides on)
    rate of the column        J̇_d = Ṡ_lin + Ṡ_ang × p + S_ang × v

∂v/∂q is J̇ as well, because ∂²p/∂q_j∂q_k is symmetric. Nothing here divides, so gimbal and zero angles are ordinary.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache, partial
from itertools import pairwise
from typing import NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from numpy.typing import NDArray

from kinematics.rotation import hinge
from kinematics.skeleton import Skeleton, Topology


@partial(jax.tree_util.register_dataclass, data_fields=["rotation", "position", "screw"], meta_fields=[])
@dataclass(frozen=True)
class Frames:
    """World frames of all segments of one pose, and the screws of its DOFs."""

    rotation: Array  # (J, 3, 3)
    position: Array  # (J, 3) of the joints
    screw: Array  # (D, 6)


@partial(jax.tree_util.register_dataclass, data_fields=["twist", "accel", "screw_rate"], meta_fields=[])
@dataclass(frozen=True)
class Rates:
    """First and second time derivatives belonging to `Frames`."""

    twist: Array  # (J, 6) (ω; velocity of the segment's field at the world origin)
    accel: Array  # (J, 6) their time derivatives
    screw_rate: Array  # (D, 6)


class Tables(NamedTuple):
    """Index tables of a topology, computed once."""

    levels: tuple[NDArray[np.int64], ...]  # joints of each depth
    parent_in_level: tuple[NDArray[np.int64], ...]  # where a level's parents stand in the level above
    unsort: NDArray[np.int64]  # from level order back to joint order
    hinges: NDArray[np.int64]  # (J, m) DOF in each hinge slot, D where empty
    slides: NDArray[np.int64]  # (J, k) DOF in each slide slot, D where empty
    hinge_place: NDArray[np.int64]  # (D,) position of a hinge DOF in the flattened slots
    is_hinge: NDArray[np.float64]  # (D,) 1 for a hinge, 0 for a slide
    joint: NDArray[np.int64]  # (D,)
    moves: NDArray[np.float64]  # (J, D) 1 where the DOF moves the segment
    carries: NDArray[np.float64]  # (D, D) 1 where column DOF moves the axis of the row DOF


@lru_cache(maxsize=64)
def tables(topology: Topology) -> Tables:
    parents, n, d = topology.parents, topology.n_joints, topology.n_dofs
    depth = [0] * n
    for i, parent in enumerate(parents):
        depth[i] = 0 if parent < 0 else depth[parent] + 1
    levels = [np.array([i for i in range(n) if depth[i] == level]) for level in range(max(depth) + 1)]
    above: list[NDArray[np.int64]] = [np.zeros(len(levels[0]), int)]
    for previous, level in pairwise(levels):
        place = {joint: k for k, joint in enumerate(previous)}
        above.append(np.array([place[parents[i]] for i in level]))
    joint = np.array(topology.dof_joints, int)
    is_hinge = np.array([kind == "rotation" for kind in topology.dof_kinds], bool)
    hinges, slides = _slots(joint, is_hinge, n), _slots(joint, ~is_hinge, n)
    place_of = {int(dof): k for k, dof in enumerate(hinges.ravel()) if dof < d}
    moves = np.zeros((n, d))
    for i, parent in enumerate(parents):
        if parent >= 0:
            moves[i] = moves[parent]
        moves[i, joint == i] = 1.0
    carries = np.zeros((d, d))
    for row in range(d):
        if parents[joint[row]] >= 0:
            carries[row] = moves[parents[joint[row]]]
        # a hinge rides on the hinges listed before it at the same joint; slides are fixed in the parent's frame, and
        # they move a hinge's axis too, which matters to its screw though not to its direction
        if is_hinge[row]:
            same_joint = (joint == joint[row]) & (~is_hinge | (np.arange(d) < row))
            carries[row, same_joint] = 1.0
    return Tables(
        tuple(levels),
        tuple(above),
        np.argsort(np.concatenate(levels)),
        hinges,
        slides,
        np.array([place_of.get(k, 0) for k in range(d)], np.int64),
        is_hinge.astype(float),
        joint,
        moves,
        carries,
    )


def _slots(joint: NDArray[np.int64], chosen: NDArray[np.bool_], n: int) -> NDArray[np.int64]:
    """DOFs of each joint among the chosen ones, padded with the out-of-range index D."""
    rows = [np.flatnonzero((joint == i) & chosen) for i in range(n)]
    width = max((len(row) for row in rows), default=0)
    return np.array([np.pad(row, (0, width - len(row)), constant_values=len(joint)) for row in rows]).reshape(n, width)


def matmul3(A: Array, B: Array) -> Array:
    """Batched 3x3 products, term by term: XLA's CPU backend fuses this, where tiny batched `dot`s and sums are slow."""
    terms = [A[..., :, k, None] * B[..., None, k, :] for k in range(3)]
    return terms[0] + terms[1] + terms[2]


def apply3(A: Array, x: Array) -> Array:
    """Batched 3x3 matrix times vector."""
    terms = [A[..., k] * x[..., k, None] for k in range(3)]
    return terms[0] + terms[1] + terms[2]


def forward(skeleton: Skeleton, q: Array) -> Frames:
    """Frames of all segments at joint coordinates q (D,)."""
    q = jnp.asarray(q)
    if q.shape != (skeleton.n_dofs,):
        raise ValueError(f"a pose of this skeleton has {skeleton.n_dofs} coordinates, not shape {q.shape}")
    table = tables(skeleton.topology)
    before, R_local, t_local = _local_transforms(skeleton, table, q)
    R_levels, p_levels = [R_local[table.levels[0]]], [t_local[table.levels[0]]]
    for level, parent in zip(table.levels[1:], table.parent_in_level[1:], strict=True):
        R_parent, p_parent = R_levels[-1][parent], p_levels[-1][parent]
        R_levels.append(matmul3(R_parent, R_local[level]))
        p_levels.append(p_parent + apply3(R_parent, t_local[level]))
    R = jnp.concatenate(R_levels)[table.unsort]
    p = jnp.concatenate(p_levels)[table.unsort]
    return Frames(R, p, _screws(skeleton, table, R, R_local, p, before))


def _local_transforms(skeleton: Skeleton, table: Tables, q: Array) -> tuple[Array, Array, Array]:
    """Per joint: the products of the hinges before each hinge slot, the whole rotation, and the translation."""
    q_padded = jnp.concatenate([q, jnp.zeros(1)])
    axis_padded = jnp.concatenate([jnp.asarray(skeleton.axis), jnp.zeros((1, 3))])
    turns = hinge(axis_padded[table.hinges], q_padded[table.hinges])
    product = jnp.broadcast_to(jnp.eye(3), (skeleton.topology.n_joints, 3, 3))
    before = []
    for slot in range(table.hinges.shape[1]):
        before.append(product)
        product = turns[:, slot] if slot == 0 else matmul3(product, turns[:, slot])
    slid = jnp.sum(axis_padded[table.slides] * q_padded[table.slides][..., None], axis=1)
    return jnp.stack(before, axis=1) if before else product[:, None], product, jnp.asarray(skeleton.offset) + slid


def _screws(skeleton: Skeleton, table: Tables, R: Array, R_local: Array, p: Array, before: Array) -> Array:
    """World screws (D, 6) of all DOFs."""
    if not skeleton.n_dofs:
        return jnp.zeros((0, 6))
    # the parent's rotation is R·R_localᵀ: cheaper than gathering parents, and right at roots without a special case
    R_parent = matmul3(R, jnp.swapaxes(R_local, -1, -2))[table.joint]
    R_before = before.reshape(-1, 3, 3)[table.hinge_place]
    is_hinge = jnp.asarray(table.is_hinge)[:, None]
    local = jnp.asarray(skeleton.axis)
    axis = apply3(R_parent, jnp.where(is_hinge > 0, apply3(R_before, local), local))
    linear = jnp.where(is_hinge > 0, jnp.cross(p[table.joint], axis), axis)
    return jnp.concatenate([axis * is_hinge, linear], axis=-1)


def rates(skeleton: Skeleton, frames: Frames, q_rate: Array, q_accel: Array) -> Rates:
    """Velocities and accelerations of all segments, given those of the joint coordinates."""
    table = tables(skeleton.topology)
    moving = frames.screw * q_rate[:, None]
    moves, carries = jnp.asarray(table.moves), jnp.asarray(table.carries)
    screw_rate = _motion_cross(carries @ moving, frames.screw)
    accel = moves @ (frames.screw * q_accel[:, None] + screw_rate * q_rate[:, None])
    return Rates(moves @ moving, accel, screw_rate)


def _motion_cross(twist: Array, screw: Array) -> Array:
    """How a screw changes while it rides on a body with the given twist (both as fields about the world origin)."""
    w, v = twist[..., :3], twist[..., 3:]
    a, b = screw[..., :3], screw[..., 3:]
    return jnp.concatenate([jnp.cross(w, a), jnp.cross(w, b) + jnp.cross(v, a)], axis=-1)


Segments = Sequence[int] | NDArray[np.int64] | Array


def points(frames: Frames, segment: Segments, local: Array) -> Array:
    """World positions (P, 3) of points fixed at `local` (P, 3) to segments (P,)."""
    segment = jnp.asarray(segment)
    return frames.position[segment] + apply3(frames.rotation[segment], jnp.asarray(local))


def point_velocities(state: Rates, segment: Segments, p_world: Array) -> Array:
    """Velocities (P, 3) of material points of the segments that are now at p_world."""
    twist = state.twist[jnp.asarray(segment)]
    return twist[:, 3:] + jnp.cross(twist[:, :3], p_world)


def point_accelerations(state: Rates, segment: Segments, p_world: Array) -> Array:
    """Accelerations (P, 3) of material points of the segments that are now at p_world."""
    segment = jnp.asarray(segment)
    accel, w = state.accel[segment], state.twist[segment][:, :3]
    return accel[:, 3:] + jnp.cross(accel[:, :3], p_world) + jnp.cross(w, point_velocities(state, segment, p_world))


def point_jacobians(skeleton: Skeleton, frames: Frames, segment: Segments, p_world: Array) -> Array:
    """∂p/∂q (P, 3, D) of material points now at p_world; also ∂v/∂q̇."""
    return _columns(skeleton, segment, frames.screw[:, 3:], frames.screw[:, :3], p_world)


def angular_jacobians(skeleton: Skeleton, frames: Frames, segment: Segments) -> Array:
    """The map (P, 3, D) from q̇ to the angular velocities of segments."""
    moves = jnp.asarray(tables(skeleton.topology).moves)[jnp.asarray(segment)]
    return moves[:, None, :] * frames.screw[:, :3].T[None]


def point_jacobian_rates(skeleton: Skeleton, frames: Frames, state: Rates, segment: Segments, p_world: Array) -> Array:
    """dJ/dt (P, 3, D), which is ∂v/∂q too."""
    moved = _columns(skeleton, segment, state.screw_rate[:, 3:], state.screw_rate[:, :3], p_world)
    zero = jnp.zeros_like(frames.screw[:, 3:])
    return moved + _columns(skeleton, segment, zero, frames.screw[:, :3], point_velocities(state, segment, p_world))


def _columns(skeleton: Skeleton, segment: Segments, linear: Array, angular: Array, p: Array) -> Array:
    """m[s, d] (linear_d + angular_d × p_s), as (P, 3, D)."""
    moves = jnp.asarray(tables(skeleton.topology).moves)[jnp.asarray(segment)]
    wx, wy, wz = (angular[:, k][None] for k in range(3))
    x, y, z = (p[:, k][:, None] for k in range(3))
    columns = [
        linear[:, 0][None] + wy * z - wz * y,
        linear[:, 1][None] + wz * x - wx * z,
        linear[:, 2][None] + wx * y - wy * x,
    ]
    return jnp.stack([moves * column for column in columns], axis=1)
