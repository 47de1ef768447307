"""The contact of two rounded hulls in machine code, and how it varies: `convex.contact` with its derivative."""

import numpy as np

from kinematics.compiled import compiled, inner
from kinematics.packed_motion import ROTATION
from kinematics.rotation import Floats
from kinematics.rotation_compiled import dot
from rigid.gjk import way_between
from rigid.hull_features import EDGE_EDGE, EDGE_VERTEX, FACE_VERTEX, VERTEX_EDGE, VERTEX_FACE, VERTEX_VERTEX, meeting


@compiled
def near_contacts(
    a: Floats, normals_a: Floats, poses_a: Floats, b: Floats, normals_b: Floats, poses_b: Floats, radius: float,
    near: float, least: float,
) -> Floats:  # fmt: skip
    """(K, 8) Of two hulls, by their corners and normals in their own frames and their packed poses at T times, with a
    radius for both: where they are nearer than that, which time it is, the gap, the normal from b to a, and the point
    midway between the cores. Distances below `least` are none."""
    world_a, world_b, way, out = np.empty_like(a), np.empty_like(b), np.empty(3), np.empty((len(poses_a), 8))
    normals, corners, count = np.empty((len(normals_a) + len(normals_b), 3)), np.empty((2, 3), np.int64), 0
    A, B, nothing, ignored = np.empty((3, 3)), np.empty((3, 3)), np.zeros((3, 3)), np.empty((2, 3))
    for k in range(len(poses_a)):
        placed(a, poses_a[k], 1.0, world_a)
        placed(b, poses_b[k], 1.0, world_b)
        way_between(world_a, world_b, least, way)
        if np.sqrt(dot(way, way)) - radius >= near:
            continue
        placed(normals_a, poses_a[k], 0.0, normals[: len(normals_a)])
        placed(normals_b, poses_b[k], 0.0, normals[len(normals_a) :])
        kind = meeting(world_a, world_b, normals, least, corners)
        for j in range(3):
            for i in range(3):
                A[j, i], B[j, i] = world_a[corners[0, j], i], world_b[corners[1, j], i]
        gap, _ = touching(
            kind, A, B, nothing, nothing, 0.0, 0.0, out[count, 2:5], ignored[0], out[count, 5:], ignored[1]
        )
        out[count, 0], out[count, 1] = k, gap - radius
        count += 1
    return out[:count]


@inner
def placed(points: Floats, pose: Floats, moved: float, out: Floats) -> None:
    """Fill in points, or with 0 for `moved` directions, of a packed pose's frame in the world."""
    for k in range(len(points)):
        for i in range(3):
            at, x = ROTATION + 3 * i, points[k]
            out[k, i] = moved * pose[i] + pose[at] * x[0] + pose[at + 1] * x[1] + pose[at + 2] * x[2]


@inner
def touching(
    kind: int, A: Floats, B: Floats, dA: Floats, dB: Floats, radius_a: float, radius_b: float, n: Floats, dn: Floats,
    point: Floats, dpoint: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Of the corners of a feature in the world (3, 3), which vary by dA and dB: the gap and how it varies; fill in the
    normal from b to a, the point midway between both surfaces, and how these vary."""
    N, dN, between, varied = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    for i in range(3):
        between[i], varied[i] = A[0, i] - B[0, i], dA[0, i] - dB[0, i]
    _unscaled_normal(kind, A, B, dA, dB, between, varied, N, dN)
    length = np.sqrt(dot(N, N))
    length = length if length > 0.0 else 1.0
    for i in range(3):
        n[i] = N[i] / length
    along = dot(n, dN)
    for i in range(3):
        dn[i] = (dN[i] - along * n[i]) / length
    apart, dapart = dot(n, between), dot(dn, between) + dot(n, varied)
    gap = apart - radius_a - radius_b
    share, dshare = _on_edge(A, B, dA, dB, between, varied, N, dN) if kind == EDGE_EDGE else (0.0, 0.0)
    for i in range(3):
        if kind in (EDGE_VERTEX, FACE_VERTEX):
            foot, dfoot = B[0, i] + apart * n[i], dB[0, i] + dapart * n[i] + apart * dn[i]
        else:
            foot = A[0, i] + share * (A[1, i] - A[0, i])
            dfoot = dA[0, i] + dshare * (A[1, i] - A[0, i]) + share * (dA[1, i] - dA[0, i])
        point[i] = foot - (radius_a + 0.5 * gap) * n[i]
        dpoint[i] = dfoot - 0.5 * dapart * n[i] - (radius_a + 0.5 * gap) * dn[i]
    return gap, dapart


@inner
def _unscaled_normal(
    kind: int, A: Floats, B: Floats, dA: Floats, dB: Floats, between: Floats, varied: Floats, N: Floats, dN: Floats
) -> None:
    e, f, de, df = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    first, dfirst = (B, dB) if kind in (VERTEX_EDGE, VERTEX_FACE) else (A, dA)
    second, dsecond, corner = (B, dB, 1) if kind == EDGE_EDGE else (first, dfirst, 2)
    for i in range(3):
        e[i], de[i] = first[1, i] - first[0, i], dfirst[1, i] - dfirst[0, i]
        f[i], df[i] = second[corner, i] - second[0, i], dsecond[corner, i] - dsecond[0, i]
        N[i], dN[i] = between[i], varied[i]
    if kind == VERTEX_VERTEX:
        return
    if kind in (VERTEX_EDGE, EDGE_VERTEX):
        square = dot(e, e)
        share = dot(between, e) / square if square > 0.0 else 0.0
        dshare = (dot(varied, e) + dot(between, de) - 2.0 * share * dot(e, de)) / square if square > 0.0 else 0.0
        for i in range(3):
            N[i] -= share * e[i]
            dN[i] -= dshare * e[i] + share * de[i]
        return
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        N[i] = e[j] * f[k] - e[k] * f[j]
        dN[i] = de[j] * f[k] - de[k] * f[j] + e[j] * df[k] - e[k] * df[j]


@inner
def _on_edge(
    A: Floats, B: Floats, dA: Floats, dB: Floats, between: Floats, varied: Floats, N: Floats, dN: Floats
) -> tuple[float, float]:
    """How far along a's edge it crosses b's, and how that varies."""
    top, dtop, square = 0.0, 0.0, dot(N, N)
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        x, y = -(between[j] * (B[1, k] - B[0, k]) - between[k] * (B[1, j] - B[0, j])), N[i]
        dx = -(varied[j] * (B[1, k] - B[0, k]) - varied[k] * (B[1, j] - B[0, j]))
        dx -= between[j] * (dB[1, k] - dB[0, k]) - between[k] * (dB[1, j] - dB[0, j])
        top, dtop = top + x * y, dtop + dx * y + x * dN[i]
    if square == 0.0:
        return 0.0, 0.0
    share = top / square
    return share, (dtop - 2.0 * share * dot(N, dN)) / square
