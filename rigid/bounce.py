"""The impulse law of `rigid.impact` for a ball on a surface that nothing moves, in machine code, for simulating.

A ball's centre lies behind its contact, so normal and tangent do not mix and the law is a few numbers.
"""

import numpy as np

from kinematics.compiled import add_cross, compiled, inner
from kinematics.rotation import Floats
from rigid.impact import ROUND_OFF, STILL


@compiled
def bounce(
    state: Floats, frame: Floats, normal: Floats, law: Floats, radius: float, mass: float, moment: float
) -> tuple[Floats, float, float]:
    """The state (18,) after a touch, 1 for stick or 0 for slide, and the share of friction that sticking would take.

    `state` (18,) and `frame` (24,) are packed, `normal` is the surface's, `law` (5,) restitution, friction and the
    rotation vector by which the normal is turned.
    """
    e, mu = law[0], law[1]
    n, u, arm, J = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    turned(normal, law[2:5], n)
    for i in range(3):
        arm[i] = state[i] - radius * n[i] - frame[i]
        u[i] = state[12 + i] - frame[12 + i]
    add_cross(u, state[15:18], n, -radius)
    add_cross(u, frame[15:18], arm, -1.0)
    k_n, k_t = 1.0 / mass, 1.0 / mass + radius * radius / moment
    u_n, slip = u[0] * n[0] + u[1] * n[1] + u[2] * n[2], 0.0
    for i in range(3):
        slip += (u[i] - u_n * n[i]) ** 2
    leaving, energy = -e * u_n, u_n * u_n / k_n + slip / k_t
    if leaving * leaving / k_n > energy * (1.0 + ROUND_OFF):
        leaving = np.sqrt(energy * k_n)
    push, needed = (leaving - u_n) / k_n, np.sqrt(slip) / k_t
    most = mu * push
    share = needed / most if most > 0.0 else np.inf
    along = needed  # of friction, against the slip
    if share > 1.0:
        still = needed <= STILL * np.sqrt(push * push + needed * needed)
        mu = 0.0 if still else mu
        push = -(1.0 + e) * u_n / k_n
        lossless = 2.0 * (mu * np.sqrt(slip) - u_n) / (k_n + mu * mu * k_t)
        if push > lossless * (1.0 + ROUND_OFF) and lossless > 0.0:
            push = lossless
        along = mu * push
    for i in range(3):
        J[i] = push * n[i]
        if along != 0.0:
            J[i] -= along * (u[i] - u_n * n[i]) / np.sqrt(slip)
    after = np.empty(18)
    for i in range(18):
        after[i] = state[i]
    for i in range(3):
        after[12 + i] += J[i] / mass
    add_cross(after[15:18], n, J, -radius / moment)
    return after, 1.0 if share <= 1.0 else 0.0, share


@inner
def turned(x: Floats, vector: Floats, out: Floats) -> None:
    """A vector turned by a rotation vector."""
    angle = np.sqrt(vector[0] ** 2 + vector[1] ** 2 + vector[2] ** 2)
    dot, size = vector[0] * x[0] + vector[1] * x[1] + vector[2] * x[2], max(angle, 1e-300)
    for i in range(3):
        out[i] = np.cos(angle) * x[i] + (1.0 - np.cos(angle)) * dot / size * vector[i] / size
    add_cross(out, vector, x, np.sin(angle) / size)
