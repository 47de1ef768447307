"""How any rigid body flies freely, in machine code: `free_flight.fly` for packed states, and how that depends on the
state at the start.

Inertia is packed as `packed_inertia` does it. Tops turn in closed form, other bodies by the series of `tumble`, with
the same steps. How a turn varies is φ, in the body's own axes (R becomes R exp φ), and obeys φ̇ = δω + φ × ω beside
δṁ = δm × ω + m × δω: products again, so that its series comes out of the same recurrence.
"""

from typing import Any

import numpy as np

from kinematics.compiled import add_cross, compiled, inner
from kinematics.packed_motion import ROTATION, SPIN, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from kinematics.rotation_compiled import dot, rotation_and_left_jacobian
from rigid.ballistics import fall
from rigid.free_flight import Asymmetric, Top
from rigid.tumble import MOST_STEPS, ORDER, RADIANS

INERTIA_SIZE = 4  # the axis of a top, or -1; then three moments by mass


def packed_inertia(inertia: Any) -> Floats:
    """(4,) of a `free_flight.Inertia` whose axis, if it is a top, is one of the body's own."""
    if isinstance(inertia, Asymmetric):
        return np.append(-1.0, np.asarray(inertia.moments, float))
    assert isinstance(inertia, Top)
    axis = int(np.argmax(np.asarray(inertia.axis)))
    moments = np.full(3, float(np.asarray(inertia.across)))
    moments[axis] = float(np.asarray(inertia.along))
    return np.append(float(axis), moments)


@inner
def fly_free(state: Floats, inertia: Floats, gravity: Floats, duration: float, after: Floats) -> None:
    """Fill in the packed state (18,) after free flight."""
    fall(state, gravity, duration, after)
    turn, R, momentum, by_momentum = np.empty((3, 3)), state[ROTATION:VELOCITY], np.empty(3), np.empty((0, 3))
    _momentum_in_body(state, inertia, momentum)
    _turn(momentum, inertia, duration, turn, by_momentum)
    for i in range(3):
        for j in range(3):
            after[ROTATION + 3 * i + j] = R[3 * i] * turn[0, j] + R[3 * i + 1] * turn[1, j] + R[3 * i + 2] * turn[2, j]
    _spin(after, turn, momentum, inertia)


@compiled
def flown_free(state: Floats, inertia: Floats, gravity: Floats, durations: Floats) -> Floats:
    """(N, 18) packed states along a flight."""
    states = np.empty((len(durations), STATE_SIZE))
    for k in range(len(durations)):
        fly_free(state, inertia, gravity, durations[k], states[k])
    return states


@compiled
def free_flights(inertia: Floats, items: Floats) -> Floats:
    """(B, 12, 12) of packed states and durations (B, 19): place, turn, velocity and spin then by those at the start."""
    jacobians = np.zeros((len(items), 12, 12))
    turn, turned, by_momentum = np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    momentum, varied, phi, world, after = np.empty(3), np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    last, spin, sped = np.empty(STATE_SIZE), np.empty(3), np.empty(3)
    for k in range(len(items)):
        state, t, out = items[k, :STATE_SIZE], items[k, STATE_SIZE], jacobians[k]
        R = state[ROTATION:VELOCITY].reshape(3, 3)
        _momentum_in_body(state, inertia, momentum)
        _turn(momentum, inertia, t, turn, by_momentum)
        for i in range(3):
            for j in range(3):
                turned[i, j] = R[i, 0] * turn[0, j] + R[i, 1] * turn[1, j] + R[i, 2] * turn[2, j]
                last[ROTATION + 3 * i + j] = turned[i, j]
            after[i] = dot(turn[:, i], momentum)
        _spin(last, turn, momentum, inertia)
        for column in range(12):
            part, axis = column // 3, column % 3
            if part == 0 or part == 2:
                out[column, column] = 1.0
                if part == 2:
                    out[axis, column] = t
                continue
            for i in range(3):  # how the spin in the body varies
                spin[i] = 0.0
                sped[i] = 1.0 if part == 3 and i == axis else 0.0
                world[i] = 1.0 if part == 1 and i == axis else 0.0
            add_cross(sped, state[SPIN:], world, 1.0)
            for i in range(3):
                varied[i] = inertia[1 + i] * dot(R[:, i], sped)
            for i in range(3):
                phi[i] = dot(by_momentum[i], varied)
            for i in range(3):
                world[i] += dot(turned[i], phi)
                out[3 + i, column] = world[i]
                sped[i] = dot(turn[:, i], varied)
            add_cross(sped, after, phi, 1.0)
            for i in range(3):
                sped[i] /= inertia[1 + i]
            for i in range(3):
                spin[i] = dot(turned[i], sped)
            add_cross(spin, world, last[SPIN:], 1.0)
            for i in range(3):
                out[9 + i, column] = spin[i]
    return jacobians


@compiled
def spin_rate_at(state: Floats, moments: Floats) -> Floats:
    """How fast the spin (3,) of a body in free flight changes, in the world."""
    R, own, rate = state[ROTATION:VELOCITY].reshape(3, 3), np.empty(3), np.empty(3)
    for i in range(3):
        own[i] = dot(R[:, i], state[SPIN:])
    x = (moments[1] - moments[2]) * own[1] * own[2] / moments[0]
    y = (moments[2] - moments[0]) * own[2] * own[0] / moments[1]
    z = (moments[0] - moments[1]) * own[0] * own[1] / moments[2]
    for i in range(3):
        rate[i] = R[i, 0] * x + R[i, 1] * y + R[i, 2] * z
    return rate


@inner
def _momentum_in_body(state: Floats, inertia: Floats, momentum: Floats) -> None:
    R = state[ROTATION:VELOCITY].reshape(3, 3)
    for i in range(3):
        momentum[i] = inertia[1 + i] * dot(R[:, i], state[SPIN:])


@inner
def _spin(after: Floats, turn: Floats, momentum: Floats, inertia: Floats) -> None:
    """Fill in the spin that a body has when it has turned."""
    own = np.empty(3)
    for i in range(3):
        own[i] = dot(turn[:, i], momentum) / inertia[1 + i]
    for i in range(3):
        after[SPIN + i] = dot(after[ROTATION + 3 * i : ROTATION + 3 * i + 3], own)


@inner
def _turn(momentum: Floats, inertia: Floats, duration: float, turn: Floats, by_momentum: Floats) -> None:
    """Fill in the rotation (3, 3) from the body's frame at the end into that at the start; and, where there is room for
    it, how φ at the end depends on the momentum at the start (3, 3)."""
    if inertia[0] < 0.0:
        _tumble(momentum, inertia[1:], duration, turn, by_momentum)
        return
    axis = int(inertia[0])
    along, across = inertia[1 + axis], inertia[1 + (axis + 1) % 3]
    vector, rotation, swept, rolled, ignored = np.empty(3), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), turn
    for i in range(3):
        vector[i] = duration * momentum[i] / across
    rotation_and_left_jacobian(vector, rotation, swept)
    faster = duration * (1.0 / along - 1.0 / across)
    for i in range(3):
        vector[i] = faster * momentum[axis] if i == axis else 0.0
    rotation_and_left_jacobian(vector, rolled, ignored)
    for i in range(3):
        for j in range(3):
            turn[i, j] = rotation[i, 0] * rolled[0, j] + rotation[i, 1] * rolled[1, j] + rotation[i, 2] * rolled[2, j]
    if len(by_momentum):
        for i in range(3):  # exp(a) exp(b): rolledᵀ · (left Jacobian of a)ᵀ · δa + δb
            for j in range(3):
                by_momentum[i, j] = dot(rolled[:, i], swept[j]) * duration / across
        by_momentum[axis, axis] += faster


@inner
def _tumble(momentum: Floats, moments: Floats, duration: float, turn: Floats, by_momentum: Floats) -> None:
    fastest, least = 0.0, min(moments[0], moments[1], moments[2])
    for i in range(3):
        fastest += momentum[i] ** 2 / moments[i]
    steps = min(max(np.ceil(np.sqrt(fastest / least) * abs(duration) / RADIANS), 1.0), float(MOST_STEPS))
    h = duration / steps
    q, more, longer, size = np.zeros(4), np.empty(4), np.empty(4), len(by_momentum)
    m, w = np.empty((ORDER + 1, 3)), np.empty((ORDER + 1, 3))
    Q, room = np.empty((ORDER + 1, 4)), np.empty(3)
    dm, dw, phi = np.empty((ORDER + 1, 3)), np.empty((ORDER + 1, 3)), np.empty((ORDER + 1, 3))
    q[0] = 1.0
    for i in range(size):
        for j in range(3):
            by_momentum[i, j] = 0.0
    for _ in range(int(steps)):
        _matrix(q, turn)
        for i in range(3):
            m[0, i] = dot(turn[:, i], momentum)
        _series(moments, h, m, w, Q)
        for j in range(size):
            for i in range(3):
                phi[0, i], dm[0, i] = by_momentum[i, j], turn[j, i]
            add_cross(dm[0], m[0], phi[0], 1.0)
            for k in range(ORDER):
                for i in range(3):
                    dw[k, i] = h * dm[k, i] / moments[i]
                    dm[k + 1, i] = 0.0
                    phi[k + 1, i] = dw[k, i]
                for l in range(k + 1):
                    add_cross(dm[k + 1], dm[l], w[k - l], 1.0)
                    add_cross(dm[k + 1], m[l], dw[k - l], 1.0)
                    add_cross(phi[k + 1], phi[l], w[k - l], 1.0)
                for i in range(3):
                    dm[k + 1, i] /= k + 1.0
                    phi[k + 1, i] /= k + 1.0
            for i in range(3):
                room[i] = 0.0
            for k in range(ORDER, -1, -1):
                for i in range(3):
                    room[i] += phi[k, i]
            for i in range(3):
                by_momentum[i, j] = room[i]
        for i in range(4):
            more[i] = 0.0
        for k in range(ORDER, -1, -1):  # smallest first
            for i in range(4):
                more[i] += Q[k, i]
        longer[0] = q[0] * more[0] - q[1] * more[1] - q[2] * more[2] - q[3] * more[3]
        for i in range(3):
            longer[1 + i] = q[0] * more[1 + i] + more[0] * q[1 + i]
        add_cross(longer[1:], q[1:], more[1:], 1.0)
        length = np.sqrt(longer[0] ** 2 + longer[1] ** 2 + longer[2] ** 2 + longer[3] ** 2)
        for i in range(4):
            q[i] = longer[i] / length
    _matrix(q, turn)


@inner
def _series(moments: Floats, h: float, m: Floats, w: Floats, Q: Floats) -> None:
    """Fill in the Taylor coefficients of momentum, spin times h, and turn within a step."""
    Q[0, 0], Q[0, 1], Q[0, 2], Q[0, 3] = 1.0, 0.0, 0.0, 0.0
    for k in range(ORDER):
        for i in range(3):
            w[k, i] = h * m[k, i] / moments[i]
            m[k + 1, i] = 0.0
        for i in range(4):
            Q[k + 1, i] = 0.0
        for l in range(k + 1):
            add_cross(m[k + 1], m[l], w[k - l], 1.0)
            Q[k + 1, 0] -= 0.5 * (Q[l, 1] * w[k - l, 0] + Q[l, 2] * w[k - l, 1] + Q[l, 3] * w[k - l, 2])
            for i in range(3):
                Q[k + 1, 1 + i] += 0.5 * Q[l, 0] * w[k - l, i]
            add_cross(Q[k + 1, 1:], Q[l, 1:], w[k - l], 0.5)
        for i in range(3):
            m[k + 1, i] /= k + 1.0
        for i in range(4):
            Q[k + 1, i] /= k + 1.0


@inner
def _matrix(q: Floats, turn: Floats) -> None:
    s, x, y, z = q[0], q[1], q[2], q[3]
    turn[0, 0], turn[1, 1], turn[2, 2] = (
        1.0 - 2.0 * (y * y + z * z),
        1.0 - 2.0 * (x * x + z * z),
        1.0 - 2.0 * (x * x + y * y),
    )
    turn[0, 1], turn[1, 0] = 2.0 * (x * y - s * z), 2.0 * (x * y + s * z)
    turn[0, 2], turn[2, 0] = 2.0 * (x * z + s * y), 2.0 * (x * z - s * y)
    turn[1, 2], turn[2, 1] = 2.0 * (y * z - s * x), 2.0 * (y * z + s * x)
