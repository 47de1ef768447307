"""Feet pinned to the ground by writing control points: clean-up is an edit like any other, not a filter.

Only the joints of the legs are used, so nothing above the hips moves at all: hands stay where they are to the last
digit. Unknowns are the legs' control points. Rows ask planted points to be at their anchors and, more weakly, points in
the air to stay on their recorded paths; joints are kept within their limits, or within ten degrees of what they do in
the recording where they have none; the change of the control points (and its second differences, so that it fades
smoothly) is kept small. The normal matrix is banded: cost grows with the length of the clip and no faster.
"""

from dataclasses import dataclass

import jax
import jax.numpy as jnp
import numpy as np
import scipy.linalg
from jax import Array

from hoi_edit.motions.layer import Layer
from kinematics.clip import Clip
from kinematics.errors import HoiError
from kinematics.feet import FootContact, FootPoint, foot_contacts, point_tracks, roles_of
from kinematics.forward import forward, point_jacobians, points
from kinematics.rig_names import SIDES
from kinematics.rotation import Floats
from kinematics.skeleton import Skeleton
from kinematics.spline import design

TRUST = 5e-3  # [m/rad]: a change of one radian counts as a miss of this size
SWING = 0.15  # weight of staying with the recording where a foot does not stand, against 1 for standing still
HELD = 5e-3  # [m]: a foot that strays no further counts as still
ROOM = np.deg2rad(10.0)  # how far beyond its recorded range a joint without limits may go
STOP = 0.3  # [m/rad]: what a radian beyond a limit counts as
CHUNK = 1024  # rows evaluated at once
SMOOTH_TIME = 0.1  # [s] over which a change of control points is smoothed


@dataclass(frozen=True)
class PlantReport:
    """What planting did: worst distance of a planted point from its anchor [m] before and after, per contact."""

    contacts: tuple[FootContact, ...]
    before: tuple[float, ...]
    after: tuple[float, ...]

    def __str__(self) -> str:
        worst_before, worst_after = max(self.before, default=0.0), max(self.after, default=0.0)
        text = f"{len(self.contacts)} stances, worst slide {1e3 * worst_before:.1f} mm -> {1e3 * worst_after:.1f} mm"
        held = zip(self.contacts, self.after, strict=True)
        left = [f"{c.point.name} in rows {c.first}-{c.last} ({1e3 * miss:.0f} mm)" for c, miss in held if miss > HELD]
        return text + (f"; could not be held better: {', '.join(left)}" if left else "")


def plant_feet(
    clip: Clip, layer: Layer, parameters: Array, contacts: list[FootContact] | None = None, iterations: int = 30
) -> tuple[Array, PlantReport]:
    """Control points that hold the feet where they stand, and a report; by default all `contacts` found in the clip."""
    skeleton = clip.skeleton
    contacts = foot_contacts(clip) if contacts is None else contacts
    controls = np.array(parameters)
    before = _misses(clip, layer, controls, contacts)
    for dofs, members in _legs(skeleton, contacts):
        _plant_leg(clip, layer, controls, dofs, members, iterations)
    report = PlantReport(tuple(contacts), before, _misses(clip, layer, controls, contacts))
    return jnp.asarray(controls), report


def _legs(skeleton: Skeleton, contacts: list[FootContact]) -> list[tuple[list[int], list[FootContact]]]:
    """For each leg that is planted: the DOFs from its hip down to the foot, and its contacts."""
    roles = roles_of(skeleton)
    legs = []
    for side in SIDES:
        hip = roles.get(f"{side}_thigh")
        members = [c for c in contacts if hip is not None and skeleton.descends_from(c.point.segment, hip)]
        if members:
            joints = {j for j in range(len(skeleton.names)) if hip is not None and skeleton.descends_from(j, hip)}
            legs.append(([d for d, joint in enumerate(skeleton.topology.dof_joints) if joint in joints], members))
    if contacts and not legs:
        raise HoiError("feet cannot be planted: no thighs were found by the joint names")
    return legs


def _positions_and_jacobians(skeleton: Skeleton, q: Floats, rows: "_Rows") -> tuple[Floats, Floats]:
    """World positions (n, 3) of the rows' points in poses q (n, D), and their Jacobians (n, 3, D).

    Filled up with copies to whole chunks, so that both legs, and clips of about the same length, share a compilation.
    """
    n = len(q)
    filled = np.minimum(np.arange(-(-n // CHUNK) * CHUNK), n - 1)
    p, J = _batched(
        skeleton, jnp.asarray(q[filled]), jnp.asarray(rows.segment[filled]), jnp.asarray(rows.local[filled])
    )
    return np.asarray(p)[:n], np.asarray(J)[:n]


@jax.jit
def _batched(skeleton: Skeleton, q: Array, segment: Array, local: Array) -> tuple[Array, Array]:
    def one(pose: Array, s: Array, x: Array) -> tuple[Array, Array]:
        frames = forward(skeleton, pose)
        p = points(frames, s[None], x[None])
        return p[0], point_jacobians(skeleton, frames, s[None], p)[0]

    return jax.vmap(one)(q, segment, local)


@dataclass(frozen=True)
class _Rows:
    """Pairs of a row of the clip and a point of a foot, and where that point is wanted."""

    row: np.ndarray
    segment: np.ndarray
    local: Floats
    wanted: Floats
    weight: Floats

    @staticmethod
    def planted(contacts: list[FootContact]) -> "_Rows":
        """Every row of every stance, at its anchor."""
        return _Rows._of([(np.arange(c.first, c.last + 1), c.point, c.anchor[None], 1.0) for c in contacts])

    @staticmethod
    def of_leg(clip: Clip, contacts: list[FootContact]) -> "_Rows":
        """The stances of one leg, and, more weakly, its points as recorded wherever they do not stand."""
        parts: list[tuple[np.ndarray, FootPoint, Floats, float]]
        parts = [(np.arange(c.first, c.last + 1), c.point, c.anchor[None], 1.0) for c in contacts]
        for point in {c.point.name: c.point for c in contacts}.values():
            free = np.ones(clip.n_frames, bool)
            for c in contacts:
                if c.point.name == point.name:
                    free[c.first : c.last + 1] = False
            track = point_tracks(clip.skeleton, clip.poses, [point])[:, 0]
            parts.append((np.flatnonzero(free), point, track[free], SWING))
        return _Rows._of(parts)

    @staticmethod
    def _of(parts: list[tuple[np.ndarray, FootPoint, Floats, float]]) -> "_Rows":
        count = [len(rows) for rows, *_ in parts]
        return _Rows(
            np.concatenate([rows for rows, *_ in parts]),
            np.repeat([point.segment for _, point, *_ in parts], count),
            np.repeat([point.local for _, point, *_ in parts], count, axis=0),
            np.concatenate([np.broadcast_to(wanted, (len(rows), 3)) for rows, _, wanted, _ in parts]),
            np.repeat([weight for *_, weight in parts], count),
        )


def _plant_leg(
    clip: Clip, layer: Layer, controls: Floats, dofs: list[int], contacts: list[FootContact], iterations: int
) -> None:
    """Levenberg-Marquardt on one leg's columns of `controls`, in place: a stretched leg must not be torn off."""
    rows, start = _Rows.of_leg(clip, contacts), controls[:, dofs].copy()
    B = design(layer.grid, clip.times[rows.row])
    first, weights = B.indices.reshape(-1, 4)[:, 0], B.data.reshape(-1, 4)
    metric = TRUST**2 * _metric(layer.grid.count, len(dofs), SMOOTH_TIME / float(layer.grid.spacing))
    base = clip.poses[rows.row]
    low, high = _range(clip, dofs)

    def look(trial: Floats) -> tuple[float, Floats, Floats, Floats]:
        """Cost, misses, Jacobians and angles beyond their limits with the leg's control points at `trial`."""
        q = base + B @ controls
        q[:, dofs] = base[:, dofs] + B @ trial
        p, J = _positions_and_jacobians(clip.skeleton, q, rows)
        miss, change = rows.weight[:, None] * (rows.wanted - p), (trial - start).ravel()
        beyond = np.clip(q[:, dofs], low, high) - q[:, dofs]
        cost = float(np.sum(miss**2) + STOP**2 * np.sum(beyond**2) + change @ _banded_times(metric, change))
        return cost, miss, rows.weight[:, None, None] * J[:, :, dofs], beyond

    leg, damping = start, 1e-3
    cost, miss, J, beyond = look(leg)
    for _ in range(iterations):
        step = _solve(first, weights, J, miss, beyond, metric, (start - leg).ravel(), damping).reshape(leg.shape)
        new_cost, new_miss, new_J, new_beyond = look(leg + step)
        if new_cost < cost:
            done = cost - new_cost < 1e-6 * cost
            leg, cost, miss, J, beyond = leg + step, new_cost, new_miss, new_J, new_beyond
            damping *= 0.2
            if done:
                break
        else:
            damping *= 10.0
    controls[:, dofs] = leg


def _range(clip: Clip, dofs: list[int]) -> tuple[Floats, Floats]:
    """Least and largest angle of each joint: its limits, widened to include the recording."""
    least, most = clip.poses[:, dofs].min(axis=0), clip.poses[:, dofs].max(axis=0)
    low, high = clip.skeleton.limits[dofs].T
    return (
        np.where(np.isfinite(low), np.minimum(low, least), least - ROOM),
        np.where(np.isfinite(high), np.maximum(high, most), most + ROOM),
    )


def _metric(count: int, width: int, stiffness: float) -> Floats:
    """Lower bands of identity + stiffness⁴ · second differences squared, for `width` DOFs interleaved per knot."""
    bands = np.zeros((4 * width, count * width))
    second = np.zeros((count, 3))
    for k in range(count - 2):
        for a, x in enumerate((1.0, -2.0, 1.0)):
            for b, y in enumerate((1.0, -2.0, 1.0)):
                if b >= a:
                    second[k + a, b - a] += x * y
    for offset in range(3):
        bands[offset * width] = np.repeat(stiffness**4 * second[:, offset], width)
    bands[0] += 1.0
    return bands


def _solve(
    first: np.ndarray,
    weights: Floats,
    J: Floats,
    miss: Floats,
    beyond: Floats,
    metric: Floats,
    pull: Floats,
    damping: float,
) -> Floats:
    """(Σ rowsᵀ rows + metric + damping) step = Σ rowsᵀ miss + metric · pull, accumulated block by block into bands."""
    width, size = J.shape[2], metric.shape[1]
    bands, right = metric.copy(), _banded_times(metric, pull)
    bands[0] += damping
    gram, load = np.einsum("nid,nie->nde", J, J), np.einsum("nid,ni->nd", J, miss) + STOP**2 * beyond
    gram[:, np.arange(width), np.arange(width)] += STOP**2 * (beyond != 0.0)
    i, j = np.meshgrid(np.arange(width), np.arange(width), indexing="ij")
    for a in range(4):
        column = (first + a)[:, None] * width + np.arange(width)
        right += np.bincount(column.ravel(), (weights[:, a, None] * load).ravel(), size)
        for b in range(a, 4):
            lower = (b > a) | (j >= i)
            place = ((b - a) * width + j - i) * size + i + ((first + a) * width)[:, None, None]
            values = (weights[:, a] * weights[:, b])[:, None, None] * gram
            bands += np.bincount(place[:, lower].ravel(), values[:, lower].ravel(), bands.size).reshape(bands.shape)
    return np.asarray(scipy.linalg.solveh_banded(bands, right, lower=True))


def _banded_times(bands: Floats, x: Floats) -> Floats:
    """Product of a symmetric matrix, given by its lower bands, with a vector."""
    result = bands[0] * x
    for k in range(1, len(bands)):
        result[k:] += bands[k, : len(x) - k] * x[: len(x) - k]
        result[: len(x) - k] += bands[k, : len(x) - k] * x[k:]
    return result


def _misses(clip: Clip, layer: Layer, controls: Floats, contacts: list[FootContact]) -> tuple[float, ...]:
    """Worst distance of each contact's point from its anchor."""
    if not contacts:
        return ()
    rows = _Rows.planted(contacts)
    q = clip.poses[rows.row] + design(layer.grid, clip.times[rows.row]) @ controls
    p, _ = _positions_and_jacobians(clip.skeleton, q, rows)
    distance = np.linalg.norm(rows.wanted - p, axis=1)
    ends = np.cumsum([c.last - c.first + 1 for c in contacts])
    return tuple(float(part.max()) for part in np.split(distance, ends[:-1]))
