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
    turned(normal, law[2:5], n)
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
    distance, rate = np.sqrt((a[0] - b[0]) ** 2 + (a[1] - b[1]) ** 2 + (a[2] - b[2]) ** 2), 0.0
    for i in range(3):
        normal[i] = (a[i] - b[i]) / distance
        rate += normal[i] * (a[VELOCITY + i] - b[VELOCITY + i])
        arms[0, i], arms[1, i] = b[i] + radius * normal[i] - a[i], radius * normal[i]
    turned(normal, law[2:5], n)
    told[0], told[1] = _collide(a, b, inverses, arms, n, law, after)
    told[2], told[3], told[4:7] = rate, distance, normal
    return after[0], after[1], told


@inner
def _collide(
    a: Floats, b: Floats, inverses: Floats, arms: Floats, n: Floats, law: Floats, after: Floats
) -> tuple[float, float]:
    """Fill in both states (2, 18) after a touch whose point is at `arms` (2, 3) from their centres; and how it goes."""
    u = np.empty(3)
    for i in range(STATE_SIZE):
        after[0, i], after[1, i] = a[i], b[i]
    for i in range(3):
        u[i] = a[VELOCITY + i] - b[VELOCITY + i]
    add_cross(u, a[SPIN:STATE_SIZE], arms[0], 1.0)
    add_cross(u, b[SPIN:STATE_SIZE], arms[1], -1.0)
    J, sticks, share = _impulse(_mobility(inverses, arms), u, n, law[0], law[1])
    for i in range(3):
        after[0, VELOCITY + i] += inverses[0] * J[i]
        after[1, VELOCITY + i] -= inverses[2] * J[i]
    add_cross(after[0, SPIN:], arms[0], J, inverses[1])
    add_cross(after[1, SPIN:], arms[1], J, -inverses[3])
    return sticks, share


@inner
def _impulse(K: Floats, u: Floats, n: Floats, e: float, mu: float) -> tuple[Floats, float, float]:
    """The impulse on the first, 1 if it sticks, and the share of friction that this would take."""
    M, J, along = _inverse(K), np.empty(3), np.empty(3)
    u_n, stiffness, energy = dot(u, n), _between(n, M, n), _between(u, M, u)
    leaving = -e * u_n
    if stiffness * leaving * leaving > energy * (1.0 + ROUND_OFF):
        leaving = np.sqrt(energy / stiffness)
    for i in range(3):
        J[i] = 0.0
        for j in range(3):
            J[i] += M[i, j] * (leaving * n[j] - u[j])
    J_n, square = dot(J, n), 0.0
    for i in range(3):
        along[i] = J[i] - J_n * n[i]
        square += along[i] * along[i]
    most = mu * J_n
    share = np.sqrt(square) / most if most > 0.0 else np.inf
    if share <= 1.0:
        return J, 1.0, share
    friction = 0.0 if square <= STILL * STILL * dot(J, J) else mu / np.sqrt(square)
    for i in range(3):
        along[i] = n[i] + friction * along[i]
    mobility, straight = _between(n, K, along), _between(n, K, n)
    push = -(1.0 + e) * u_n / (mobility if mobility > STILL * straight else straight)
    lossless = -2.0 * dot(u, along) / _between(along, K, along)
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
        straight = inverses[2 * k] + turn * dot(arm, arm)
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
    return M / dot(K[0], M[0])


@inner
def _between(a: Floats, K: Floats, b: Floats) -> float:
    return dot(a, K[0]) * b[0] + dot(a, K[1]) * b[1] + dot(a, K[2]) * b[2]
