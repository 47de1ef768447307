"""The impulse law of `rigid.impact` for two balls that touch, in machine code, for simulating."""

import numpy as np

from kinematics.compiled import add_cross, compiled, inner
from kinematics.rotation import Floats
from rigid.bounce import turned
from rigid.impact import ROUND_OFF, STILL


@compiled
def knock(a: Floats, b: Floats, inverses: Floats, radius: float, law: Floats) -> tuple[Floats, Floats, Floats]:
    """Both packed states after a touch; then 1 for stick or 0 for slide, the share of friction that sticking would
    take, the rate of approach, the distance of the centres, and the normal, from b to a.

    `inverses` are those of a's mass and moment of inertia, then b's; `radius` is b's; `law` (5,) has restitution,
    friction and the rotation vector by which the normal is turned.
    """
    after_a, after_b, told = a.copy(), b.copy(), np.empty(7)
    normal, n, u, arms = np.empty(3), np.empty(3), np.empty(3), np.empty((2, 3))
    distance = np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2)
    for i in range(3):
        normal[i] = (a[i] - b[i]) / distance
    for i in range(3):
        arms[0, i], arms[1, i] = b[i] + radius * normal[i] - a[i], radius * normal[i]
        u[i] = a[12 + i] - b[12 + i]
    told[2], told[3], told[4:7] = _dot(normal, u), distance, normal
    add_cross(u, a[15:18], arms[0], 1.0)
    add_cross(u, b[15:18], arms[1], -1.0)
    turned(normal, law[2:5], n)
    J, told[0], told[1] = _impulse(_mobility(inverses, arms), u, n, law[0], law[1])
    for i in range(3):
        after_a[12 + i] += inverses[0] * J[i]
        after_b[12 + i] -= inverses[2] * J[i]
    add_cross(after_a[15:18], arms[0], J, inverses[1])
    add_cross(after_b[15:18], arms[1], J, -inverses[3])
    return after_a, after_b, told


@inner
def _impulse(K: Floats, u: Floats, n: Floats, e: float, mu: float) -> tuple[Floats, float, float]:
    """The impulse on the first, whether it sticks, and the share of friction that this would take."""
    M, J, along = _inverse(K), np.empty(3), np.empty(3)
    u_n, stiffness, energy = _dot(u, n), _between(n, M, n), _between(u, M, u)
    leaving = -e * u_n
    if stiffness * leaving * leaving > energy * (1.0 + ROUND_OFF):
        leaving = np.sqrt(energy / stiffness)
    for i in range(3):
        J[i] = 0.0
        for j in range(3):
            J[i] += M[i, j] * (leaving * n[j] - u[j])
    J_n, square = _dot(J, n), 0.0
    for i in range(3):
        along[i] = J[i] - J_n * n[i]
        square += along[i] * along[i]
    most = mu * J_n
    share = np.sqrt(square) / most if most > 0.0 else np.inf
    if share <= 1.0:
        return J, 1.0, share
    friction = 0.0 if square <= STILL * STILL * _dot(J, J) else mu / np.sqrt(square)
    for i in range(3):
        along[i] = n[i] + friction * along[i]
    mobility, straight = _between(n, K, along), _between(n, K, n)
    push = -(1.0 + e) * u_n / (mobility if mobility > STILL * straight else straight)
    lossless = -2.0 * _dot(u, along) / _between(along, K, along)
    if push > lossless * (1.0 + ROUND_OFF) and lossless > 0.0:
        push = lossless
    for i in range(3):
        J[i] = push * along[i]
    return J, 0.0, share


@inner
def _mobility(inverses: Floats, arms: Floats) -> Floats:
    """Change of the touching velocity per unit of impulse (3, 3) [1/kg]."""
    K = np.zeros((3, 3))
    for k in range(2):
        arm, turn = arms[k], inverses[2 * k + 1]
        straight = inverses[2 * k] + turn * _dot(arm, arm)
        for i in range(3):
            K[i, i] += straight
            for j in range(3):
                K[i, j] -= turn * arm[i] * arm[j]
    return K


@inner
def _inverse(K: Floats) -> Floats:
    """Of a symmetric matrix (3, 3) that is far from singular, by its cofactors."""
    M = np.zeros((3, 3))
    for i in range(3):
        add_cross(M[i], K[(i + 1) % 3], K[(i + 2) % 3], 1.0)
    return M / _dot(K[0], M[0])


@inner
def _dot(a: Floats, b: Floats) -> float:
    return float(a[0] * b[0] + a[1] * b[1] + a[2] * b[2])


@inner
def _between(a: Floats, K: Floats, b: Floats) -> float:
    return _dot(a, K[0]) * b[0] + _dot(a, K[1]) * b[1] + _dot(a, K[2]) * b[2]
