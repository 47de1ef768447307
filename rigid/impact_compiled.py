"""The impulse law of `rigid.impact` for balls, in machine code, for simulating: on a surface, and on another ball.

A run asks for it at every touch, and waits: JAX's answer takes a tenth of a millisecond, this one a few microseconds.
States and frames are packed alike: place, rotation, velocity, spin.
"""

import numpy as np

from kinematics.compiled import add_cross, compiled, inner
from kinematics.packed_motion import SPIN, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from kinematics.rotation_compiled import dot, turned
from rigid.impact import ROUND_OFF, STILL

NORMAL_TURN = 2  # where a law's third part begins: restitution and friction are before it


@compiled
def surface_impact(
    ball: Floats, frame: Floats, normal: Floats, law: Floats, radius: float, mass: float, moment: float
) -> tuple[Floats, float, float]:
    """The ball's state (18,) after a touch with a surface that nothing moves; 1 for stick or 0 for slide; and the share
    of friction that sticking would take.

    `frame` is the surface's, `normal` points to the ball, `law` (5,) has restitution, friction and the rotation vector
    by which the normal is turned.
    """
    n, arms, after = np.empty(3), np.empty((2, 3)), np.empty((2, STATE_SIZE))
    inverses = np.zeros(4)
    inverses[0], inverses[1] = 1.0 / mass, 1.0 / moment
    turned(normal, law[NORMAL_TURN:], n)
    for i in range(3):
        arms[0, i], arms[1, i] = -radius * n[i], ball[i] - radius * n[i] - frame[i]
    sticks, share = _collide(ball, frame, inverses, arms, n, law, after)
    return after[0], sticks, share


@compiled
def pair_impact(a: Floats, b: Floats, inverses: Floats, radius: float, law: Floats) -> tuple[Floats, Floats, Floats]:
    """Both balls' states after a touch; then 1 for stick or 0 for slide, the share of friction that sticking would
    take, the rate of approach, the distance of the centres, and the normal, from b to a.

    `inverses` are those of a's mass and moment of inertia, then b's; `radius` is b's; `law` (5,) is as above.
    """
    normal, n, arms, after, told = np.empty(3), np.empty(3), np.empty((2, 3)), np.empty((2, STATE_SIZE)), np.empty(7)
    for i in range(3):
        normal[i] = a[i] - b[i]
    distance, rate = np.sqrt(dot(normal, normal)), 0.0
    for i in range(3):
        normal[i] /= distance
        rate += normal[i] * (a[VELOCITY + i] - b[VELOCITY + i])
        arms[0, i], arms[1, i] = b[i] + radius * normal[i] - a[i], radius * normal[i]
    turned(normal, law[NORMAL_TURN:], n)
    told[0], told[1] = _collide(a, b, inverses, arms, n, law, after)
    told[2], told[3] = rate, distance
    for i in range(3):
        told[4 + i] = normal[i]
    return after[0], after[1], told


@inner
def _collide(
    a: Floats, b: Floats, inverses: Floats, arms: Floats, n: Floats, law: Floats, after: Floats
) -> tuple[float, float]:
    """Fill in both states (2, 18) after a touch whose point is at `arms` (2, 3) from their centres; and how it goes."""
    u, J, K = np.empty(3), np.empty(3), np.empty((3, 3))
    for i in range(STATE_SIZE):
        after[0, i], after[1, i] = a[i], b[i]
    for i in range(3):
        u[i] = a[VELOCITY + i] - b[VELOCITY + i]
    add_cross(u, a[SPIN:STATE_SIZE], arms[0], 1.0)
    add_cross(u, b[SPIN:STATE_SIZE], arms[1], -1.0)
    _mobility(inverses, arms, K)
    sticks, share = impulse_of(K, u, n, law[0], law[1], J)
    for i in range(3):
        after[0, VELOCITY + i] += inverses[0] * J[i]
        after[1, VELOCITY + i] -= inverses[2] * J[i]
    add_cross(after[0, SPIN:], arms[0], J, inverses[1])
    add_cross(after[1, SPIN:], arms[1], J, -inverses[3])
    return sticks, share


@inner
def impulse_of(K: Floats, u: Floats, n: Floats, e: float, mu: float, J: Floats) -> tuple[float, float]:
    """Fill in the impulse on the first; 1 if it sticks, and the share of friction that this would take."""
    M, along, by_n, by_u = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3)
    inverted(K, M)
    matrix_times(M, n, by_n)
    matrix_times(M, u, by_u)
    u_n, stiffness, energy = dot(u, n), dot(n, by_n), dot(u, by_u)
    leaving = -e * u_n
    if stiffness * leaving * leaving > energy * (1.0 + ROUND_OFF):
        leaving = np.sqrt(energy / stiffness)
    for i in range(3):
        J[i] = leaving * by_n[i] - by_u[i]
    J_n = dot(J, n)
    for i in range(3):
        along[i] = J[i] - J_n * n[i]
    square, most = dot(along, along), mu * J_n
    share = np.sqrt(square) / most if most > 0.0 else np.inf
    if share <= 1.0:
        return 1.0, share
    friction = 0.0 if square <= STILL * STILL * dot(J, J) else mu / np.sqrt(square)
    for i in range(3):
        along[i] = n[i] + friction * along[i]
    matrix_times(K, n, by_n)
    matrix_times(K, along, by_u)
    mobility, straight = dot(by_n, along), dot(by_n, n)
    push = -(1.0 + e) * u_n / (mobility if mobility > STILL * straight else straight)
    lossless = -2.0 * dot(u, along) / dot(along, by_u)
    if push > lossless * (1.0 + ROUND_OFF) and lossless > 0.0:
        push = lossless
    for i in range(3):
        J[i] = push * along[i]
    return 0.0, share


@inner
def _mobility(inverses: Floats, arms: Floats, K: Floats) -> None:
    """Fill in the change of the touching velocity per unit of impulse (3, 3) [1/kg]."""
    a, b, turn_a, turn_b = arms[0], arms[1], inverses[1], inverses[3]
    straight = inverses[0] + turn_a * dot(a, a) + inverses[2] + turn_b * dot(b, b)
    for i in range(3):
        for j in range(3):
            K[i, j] = (straight if i == j else 0.0) - turn_a * a[i] * a[j] - turn_b * b[i] * b[j]


@inner
def impulse_along(
    K: Floats, u: Floats, n: Floats, e: float, mu: float, stick: float, dK: Floats, du: Floats, dn: Floats, de: float,
    dmu: float, J: Floats, dJ: Floats,
) -> None:  # fmt: skip
    """Fill in the impulse on the first, where it is known whether they stick, and how it varies with all else."""
    M, by_n, by_u, room, side = np.empty((3, 3)), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    inverted(K, M)
    matrix_times(M, n, by_n)
    matrix_times(M, u, by_u)
    u_n, du_n = dot(u, n), dot(du, n) + dot(u, dn)
    stiffness, energy = dot(n, by_n), dot(u, by_u)
    leaving, dleaving = -e * u_n, -de * u_n - e * du_n
    if stiffness * leaving * leaving > energy * (1.0 + ROUND_OFF):
        matrix_times(dK, by_n, room)  # the inverse varies by -M dK M
        matrix_times(dK, by_u, side)
        dstiffness, denergy = 2.0 * dot(by_n, dn) - dot(by_n, room), 2.0 * dot(by_u, du) - dot(by_u, side)
        leaving = np.sqrt(energy / stiffness)
        dleaving = 0.5 * (denergy - energy * dstiffness / stiffness) / (stiffness * leaving) if leaving > 0.0 else 0.0
    for i in range(3):
        J[i] = leaving * by_n[i] - by_u[i]
    matrix_times(dK, J, room)
    for i in range(3):
        side[i] = dleaving * n[i] + leaving * dn[i] - du[i] - room[i]
    matrix_times(M, side, dJ)
    if stick > 0.5:
        return
    along, dalong, J_n, dJ_n = np.empty(3), np.empty(3), dot(J, n), dot(dJ, n) + dot(J, dn)
    for i in range(3):
        along[i], dalong[i] = J[i] - J_n * n[i], dJ[i] - dJ_n * n[i] - J_n * dn[i]
    square = dot(along, along)
    size = 0.0 if square <= STILL * STILL * dot(J, J) else np.sqrt(square)
    longer = dot(along, dalong) / square if size > 0.0 else 0.0
    for i in range(3):
        way = along[i] / size if size > 0.0 else 0.0
        turning = dalong[i] / size - way * longer if size > 0.0 else 0.0
        along[i], dalong[i] = n[i] + mu * way, dn[i] + dmu * way + mu * turning
    matrix_times(K, n, by_n)
    matrix_times(K, along, by_u)
    matrix_times(dK, along, room)
    mobility, dmobility = dot(n, by_u), dot(dn, by_u) + dot(n, room) + dot(by_n, dalong)
    straight = dot(n, by_n)
    if not mobility > STILL * straight:
        matrix_times(dK, n, side)
        mobility, dmobility = straight, 2.0 * dot(by_n, dn) + dot(n, side)
    push = -(1.0 + e) * u_n / mobility
    dpush = -(de * u_n + (1.0 + e) * du_n) / mobility - push * dmobility / mobility
    bottom, dbottom = dot(along, by_u), 2.0 * dot(by_u, dalong) + dot(along, room)
    lossless = -2.0 * dot(u, along) / bottom
    if push > lossless * (1.0 + ROUND_OFF) and lossless > 0.0:
        push = lossless
        dpush = -2.0 * (dot(du, along) + dot(u, dalong)) / bottom - push * dbottom / bottom
    for i in range(3):
        J[i], dJ[i] = push * along[i], dpush * along[i] + push * dalong[i]


@inner
def inverted(K: Floats, M: Floats) -> None:
    """Fill in the inverse of a symmetric matrix (3, 3) that is far from singular, by its cofactors."""
    for i in range(3):
        j, k = (i + 1) % 3, (i + 2) % 3
        for l in range(3):
            M[i, l] = K[j, (l + 1) % 3] * K[k, (l + 2) % 3] - K[j, (l + 2) % 3] * K[k, (l + 1) % 3]
    determinant = dot(K[0], M[0])
    for i in range(3):
        for l in range(3):
            M[i, l] /= determinant


@inner
def matrix_times(A: Floats, x: Floats, out: Floats) -> None:
    for i in range(3):
        out[i] = A[i, 0] * x[0] + A[i, 1] * x[1] + A[i, 2] * x[2]
