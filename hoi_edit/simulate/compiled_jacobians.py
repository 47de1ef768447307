"""Local Jacobians of balls and holds in closed form, in machine code: the twin of what JAX differentiates.

A variation of what goes into an event is followed through it by hand, one column at a time: through the flight before,
the time of the touch, the normal that moves and turns, and the impulse. Nothing here is searched or chosen. The laws
are those of `events.touch` and `dynamics.tumbling`, which are the measure of these.
"""

import numpy as np

from hoi_edit.simulate.packed_layouts import CARRY, FLY, FRAME, STATE, TOUCH
from kinematics.compiled import add_cross, compiled, inner
from kinematics.packed_motion import ACCEL, FRAME_SIZE, ROTATION, SPIN, SPIN_ACCEL, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from kinematics.rotation_compiled import dot, rotation_and_left_jacobian
from rigid.ballistics import fallen
from rigid.impact import STILL

_STATE, _DURATION, _FRAME = TOUCH.first("state"), TOUCH.first("duration"), TOUCH.first("frame")
_PLACE, _TURNED, _CORE, _FEATURE = (TOUCH.first(name) for name in ("place", "turned", "core", "feature"))
_RADIUS, _INVERSE_MASS = TOUCH.first("ball_radius"), TOUCH.first("inverse_mass")
_INVERSE_MOMENT, _LAW = TOUCH.first("inverse_moment"), TOUCH.first("restitution")
_STICK, _DECLARED = TOUCH.first("stick"), TOUCH.first("declared")
_FLY_DURATION = FLY.first("duration")
_HELD_AT, _HELD_TURNED, _MOMENTS = CARRY.first("position"), CARRY.first("rotation"), CARRY.first("moments")
assert (_STATE, FLY.first("state"), CARRY.first("frame")) == (0, 0, 0)
assert (STATE.width, FRAME.width) == (STATE_SIZE, FRAME_SIZE)

# of a variation: the ball's place, turn, velocity, spin; the frame's; then place and turn of the surface in it
# of the flight that follows: where the parts of its variation begin, and the columns of what it depends on
_TO_TURN, _TO_VELOCITY, _TO_SPIN, _FLIGHT = 3, 6, 9, 12
_ON_RESTITUTION, _ON_FRICTION, _TOUCH_COLUMNS, _ON_RELEASE = 30, 31, 35, 18
_X, _TURN, _V, _W, _P, _FRAME_TURN, _FRAME_V, _FRAME_W, _SURFACE_AT, _SURFACE_TURN = range(10)


@inner
def _times(M: Floats, x: Floats, out: Floats) -> None:
    for i in range(3):
        out[i] = M[i, 0] * x[0] + M[i, 1] * x[1] + M[i, 2] * x[2]


@inner
def _back(M: Floats, x: Floats, out: Floats) -> None:
    """Of the transpose."""
    for i in range(3):
        out[i] = M[0, i] * x[0] + M[1, i] * x[1] + M[2, i] * x[2]


@compiled
def ball_flights(items: Floats) -> Floats:
    """(B, 12, 12) of FLY rows: the state of a ball a while later by that at the start of its flight."""
    jacobians = np.zeros((len(items), _FLIGHT, _FLIGHT))
    turned, swept, vector = np.empty((3, 3)), np.empty((3, 3)), np.empty(3)
    for k in range(len(items)):
        t = items[k, _FLY_DURATION]
        for i in range(3):
            vector[i] = t * items[k, SPIN + i]
        rotation_and_left_jacobian(vector, turned, swept)
        for i in range(_FLIGHT):
            jacobians[k, i, i] = 1.0
        for i in range(3):
            jacobians[k, i, _TO_VELOCITY + i] = t
            for j in range(3):
                jacobians[k, _TO_TURN + i, _TO_TURN + j] = turned[i, j]
                jacobians[k, _TO_TURN + i, _TO_SPIN + j] = t * swept[i, j]
    return jacobians


@inner
def _varied(column: int, duration: float, turned: Floats, swept: Floats, R: Floats, d: Floats) -> None:
    """Fill d (10, 3): what a variation of the flight's start, the frame or the surface is at the time of the touch."""
    for row in range(10):
        for i in range(3):
            d[row, i] = 0.0
    part, axis = column // 3, column % 3
    if part == 0 or part == 2:
        d[_X, axis] = 1.0 if part == 0 else duration
        d[_V, axis] = 0.0 if part == 0 else 1.0
    elif part == 1 or part == 3:
        for i in range(3):
            d[_TURN, i] = turned[i, axis] if part == 1 else duration * swept[i, axis]
        d[_W, axis] = 0.0 if part == 1 else 1.0
    elif part < 8:
        d[part, axis] = 1.0
    elif part < 10:  # said in the frame
        for i in range(3):
            d[part, i] = R[i, axis]


@inner
def _facing(row: Floats, R: Floats, arm: Floats, lever: Floats, n: Floats, bend: Floats) -> None:
    """Of a touch, in the world: the place in the surface (lever), the normal n, and how it bends with that place."""
    T, y, away, local = row[_TURNED : _TURNED + 9].reshape(3, 3), np.empty(3), np.zeros(3), np.empty(3)
    _back(R, arm, local)
    for i in range(3):
        local[i] -= row[_PLACE + i]
    _times(R, local, lever)
    _back(T, local, y)
    inward, square, sides = True, 0.0, 0.0
    for i in range(3):
        core, side = row[_CORE + i], row[_FEATURE + i]
        if side != 0.0:
            away[i] = y[i] - side * core
        if (core == 0.0 and away[i] != 0.0) or (core != 0.0 and away[i] * side > 0.0):
            inward = False
        square += away[i] ** 2
        sides += side**2
    on_core = square < 1e-24  # only possible for shapes without a radius, where the face decides
    length = -np.sqrt(square) if inward else np.sqrt(square)
    for i in range(3):
        local[i] = row[_FEATURE + i] / np.sqrt(sides) if on_core else away[i] / length
    _times(T, local, y)
    _times(R, y, n)
    for i in range(3):
        for j in range(3):
            bend[i, j] = 0.0
    if on_core or sides == 1.0:
        return  # a face is flat
    for a in range(3):
        if row[_FEATURE + a] != 0.0:
            for i in range(3):
                y[i] = T[i, a]
            _times(R, y, local)
            for i in range(3):
                for j in range(3):
                    bend[i, j] += local[i] * local[j] / length
    for i in range(3):
        for j in range(3):
            bend[i, j] -= n[i] * n[j] / length


@compiled
def ball_touches(gravity: Floats, items: Floats, rates: Floats, grasp: bool) -> Floats:
    """Of TOUCH rows: (B, 13, 35) the flight after an impact, and its delay, by (flight before, frame, surface in it,
    law); or, of a grasp, (B, 6, 30) the hold by the same without the law. Restitution is at most 1.

    With `rates` (B, 12) rows have states just before, which go on at these, and states after are those just after;
    without any (0, 12) the ball is in free fall, and what follows is named by its state at the nominal time.
    """
    columns, falls = _ON_RESTITUTION if grasp else _TOUCH_COLUMNS, len(rates) == 0
    jacobians = np.zeros((len(items), 6 if grasp else _FLIGHT + 1, columns))
    matrices = np.empty((5, 3, 3))
    E, L, N, Q, S = matrices[0], matrices[1], matrices[2], matrices[3], matrices[4]
    d, room, goes_on = np.zeros((10, 3)), np.empty((16, 3)), np.zeros(12)
    x, v, arm, lever, n = room[0], room[1], room[2], room[3], room[4]
    apart, shift, dn, m = room[5], room[6], room[7], room[8]
    after = np.empty((5, 3))  # relative velocity u at the touch, slip, impulse, velocity and spin after
    for k in range(len(items)):
        row = items[k]
        state, frame, duration = row[:STATE_SIZE], row[_FRAME : _FRAME + FRAME_SIZE], row[_DURATION]
        R = frame[ROTATION:VELOCITY].reshape(3, 3)
        for i in range(3):
            x[i] = fallen(state[i], state[VELOCITY + i], gravity[i], duration)
            v[i] = state[VELOCITY + i] + duration * gravity[i]
            arm[i] = x[i] - frame[i]
            shift[i] = duration * state[SPIN + i]
            goes_on[i], goes_on[3 + i], goes_on[6 + i] = v[i], state[SPIN + i], gravity[i]
        if not falls:
            goes_on[:] = rates[k]
        for i in range(3):
            apart[i] = goes_on[i] - frame[VELOCITY + i]
        add_cross(apart, frame[SPIN:ACCEL], arm, -1.0)
        rotation_and_left_jacobian(shift, E, L)
        _facing(row, R, arm, lever, n, N)
        rate = dot(n, apart)
        if not grasp:
            rotation_and_left_jacobian(row[_LAW + 2 : _LAW + 5], Q, S)
            _times(Q, n, m)
            _impulse(row, frame, arm, v, m, after)
        for column in range(columns):
            _varied(column, duration, E, L, R, d)
            # how far the ball is from where it was in the surface, at the time at which the touch was
            for i in range(3):
                shift[i] = d[_X, i] - d[_P, i] - d[_SURFACE_AT, i]
            add_cross(shift, d[_FRAME_TURN], arm, -1.0)
            add_cross(shift, d[_SURFACE_TURN], lever, -1.0)
            delay = 0.0 if row[_DECLARED] > 0.5 else -dot(n, shift) / rate
            for i in range(3):
                shift[i] += delay * apart[i]
                d[_X, i] += delay * goes_on[i]
                d[_TURN, i] += delay * goes_on[3 + i]
                d[_V, i] += delay * goes_on[6 + i]
                d[_W, i] += delay * goes_on[9 + i]
                d[_P, i] += delay * frame[VELOCITY + i]
                d[_FRAME_TURN, i] += delay * frame[SPIN + i]
                d[_FRAME_V, i] += delay * frame[ACCEL + i]
                d[_FRAME_W, i] += delay * frame[SPIN_ACCEL + i]
            if grasp:
                _caught(d, R, arm, room[9], jacobians[k, :, column])
                continue
            _times(N, shift, dn)
            add_cross(dn, d[_FRAME_TURN], n, 1.0)
            add_cross(dn, d[_SURFACE_TURN], n, 1.0)
            _times(Q, dn, room[9])
            if column >= 32:
                for i in range(3):
                    room[10, i] = S[i, column - 32]
                add_cross(room[9], room[10], m, 1.0)
            _struck(row, frame, arm, m, room[9], d, after, column, room[10:], jacobians[k, :_FLIGHT, column])
            jacobians[k, _FLIGHT, column] = delay
            if falls:
                for i in range(3):
                    jacobians[k, i, column] -= delay * after[3, i]
                    jacobians[k, _TO_TURN + i, column] -= delay * after[4, i]
                    jacobians[k, _TO_VELOCITY + i, column] -= delay * gravity[i]
    return jacobians


@inner
def _caught(d: Floats, R: Floats, arm: Floats, room: Floats, out: Floats) -> None:
    """How a thing lies in the hand."""
    for i in range(3):
        room[i] = d[_X, i] - d[_P, i]
    add_cross(room, d[_FRAME_TURN], arm, -1.0)
    _back(R, room, out[:3])
    for i in range(3):
        room[i] = d[_TURN, i] - d[_FRAME_TURN, i]
    _back(R, room, out[3:])


@inner
def _impulse(row: Floats, frame: Floats, arm: Floats, v: Floats, m: Floats, after: Floats) -> None:
    """`rigid.impact_compiled`, with what its derivative needs."""
    u, slip, J, e, mu, radius = after[0], after[1], after[2], row[_LAW], row[_LAW + 1], row[_RADIUS]
    for i in range(3):
        slip[i] = arm[i] - radius * m[i]
        u[i] = v[i] - frame[VELOCITY + i]
    add_cross(u, row[SPIN:ACCEL], m, -radius)
    add_cross(u, frame[SPIN:ACCEL], slip, -1.0)
    normal = dot(u, m)
    push = -(1.0 + e) * normal / row[_INVERSE_MASS]
    loose = row[_INVERSE_MASS] + radius * radius * row[_INVERSE_MOMENT]
    for i in range(3):
        slip[i] = u[i] - normal * m[i]
    speed = np.sqrt(dot(slip, slip))
    friction = 1.0 / loose
    if row[_STICK] <= 0.5:
        friction = mu * push / speed if _slips(speed / loose, push) else 0.0
    for i in range(3):
        J[i] = push * m[i] - friction * slip[i]
        after[3, i], after[4, i] = v[i] + row[_INVERSE_MASS] * J[i], row[SPIN + i]
    add_cross(after[4], m, J, -radius * row[_INVERSE_MOMENT])


@inner
def _slips(needed: float, push: float) -> bool:
    """Whether there is a direction to slip in."""
    return needed > STILL * np.sqrt(push * push + needed * needed)


@inner
def _struck(
    row: Floats, frame: Floats, arm: Floats, m: Floats, dm: Floats, d: Floats, after: Floats, column: int,
    room: Floats, out: Floats,
) -> None:  # fmt: skip
    """How velocity and spin after an impact vary, and the place and turn that they have then."""
    u, slip, J, e, mu, radius = after[0], after[1], after[2], row[_LAW], row[_LAW + 1], row[_RADIUS]
    du, dJ, point = room[0], room[1], room[2]
    for i in range(3):
        point[i] = d[_X, i] - radius * dm[i] - d[_P, i]
        du[i] = d[_V, i] - d[_FRAME_V, i]
        dJ[i] = arm[i] - radius * m[i]
    add_cross(du, d[_W], m, -radius)
    add_cross(du, row[SPIN:ACCEL], dm, -radius)
    add_cross(du, d[_FRAME_W], dJ, -1.0)
    add_cross(du, frame[SPIN:ACCEL], point, -1.0)
    normal, d_normal = dot(u, m), dot(du, m) + dot(u, dm)
    push, d_push = -(1.0 + e) * normal / row[_INVERSE_MASS], -(1.0 + e) * d_normal / row[_INVERSE_MASS]
    if column == _ON_RESTITUTION:
        d_push -= normal / row[_INVERSE_MASS]
    loose = row[_INVERSE_MASS] + radius * radius * row[_INVERSE_MOMENT]
    speed = np.sqrt(dot(slip, slip))
    friction, d_friction = 1.0 / loose, 0.0
    if row[_STICK] <= 0.5:
        friction = 0.0
        if _slips(speed / loose, push):
            d_speed = (dot(slip, du) - normal * dot(slip, dm)) / speed  # the slip is across the normal
            friction = mu * push / speed
            d_friction = (mu * d_push + (push if column == _ON_FRICTION else 0.0) - friction * d_speed) / speed
    for i in range(3):
        d_slip = du[i] - d_normal * m[i] - normal * dm[i]
        dJ[i] = d_push * m[i] + push * dm[i] - d_friction * slip[i] - friction * d_slip
        out[i], out[_TO_TURN + i] = d[_X, i], d[_TURN, i]
        out[_TO_VELOCITY + i], out[_TO_SPIN + i] = d[_V, i] + row[_INVERSE_MASS] * dJ[i], d[_W, i]
    add_cross(out[_TO_SPIN:], dm, J, -radius * row[_INVERSE_MOMENT])
    add_cross(out[_TO_SPIN:], m, dJ, -radius * row[_INVERSE_MOMENT])


@compiled
def held_and_released(gravity: Floats, items: Floats) -> Floats:
    """(B, 12, 19) of CARRY rows: the flight of any thing after its release by (hold, frame, time of release). The first
    18 columns are also those of a thing that is still held."""
    jacobians = np.zeros((len(items), _FLIGHT, _ON_RELEASE + 1))
    arm, moved, swept, rotation = np.empty(3), np.empty(3), np.empty(3), np.empty((3, 3))
    for k in range(len(items)):
        row, out = items[k], jacobians[k]
        R, spin = row[ROTATION:VELOCITY].reshape(3, 3), row[SPIN:ACCEL]
        _times(R, row[_HELD_AT : _HELD_AT + 3], arm)
        for column in range(_ON_RELEASE):
            part, axis = column // 3, column % 3
            for i in range(3):
                moved[i] = R[i, axis] if part == 0 else 0.0  # of the arm
                swept[i] = 1.0 if i == axis and part != 0 else 0.0
            if part == 1:
                for i in range(3):
                    out[_TO_TURN + i, column] = R[i, axis]
                continue
            if part == 3:
                add_cross(moved, swept, arm, 1.0)
                out[_TO_TURN + axis, column] = 1.0
            for i in range(3):
                out[i, column] = moved[i]
            if part == 2 or part == 4:
                out[axis if part == 2 else _TO_VELOCITY + axis, column] = 1.0
            elif part == 5:
                out[_TO_SPIN + axis, column] = 1.0
                add_cross(out[_TO_VELOCITY:_TO_SPIN, column], swept, arm, 1.0)
            else:
                add_cross(out[_TO_VELOCITY:_TO_SPIN, column], spin, moved, 1.0)
        # later by a moment, and flown back by it: place and turn are the same, the velocity is that of the hand later
        for i in range(3):
            moved[i], swept[i] = 0.0, row[SPIN_ACCEL + i]
            out[_TO_VELOCITY + i, _ON_RELEASE] = row[ACCEL + i] - gravity[i]
        add_cross(moved, spin, arm, 1.0)
        add_cross(out[_TO_VELOCITY:_TO_SPIN, _ON_RELEASE], swept, arm, 1.0)
        add_cross(out[_TO_VELOCITY:_TO_SPIN, _ON_RELEASE], spin, moved, 1.0)
        for i in range(3):
            for j in range(3):
                rotation[i, j] = 0.0
                for a in range(3):
                    rotation[i, j] += R[i, a] * row[_HELD_TURNED + 3 * a + j]
        _back(rotation, spin, moved)
        moments = row[_MOMENTS : _MOMENTS + 3]
        for i in range(3):
            a, b = (i + 1) % 3, (i + 2) % 3
            arm[i] = (moments[a] - moments[b]) * moved[a] * moved[b] / moments[i]
        _times(rotation, arm, moved)
        for i in range(3):
            out[_TO_SPIN + i, _ON_RELEASE] = swept[i] - moved[i]
    return jacobians
