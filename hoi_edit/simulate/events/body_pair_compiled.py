"""What a touch of two free bodies does to both, and how that depends on how they were, in machine code: the twin of
`body_pair`, which is the measure of it.

A variation of the two states is followed through the touch by hand, one direction at a time: through the corners that
meet, the normal, the time at which the gap is gone, and the impulse.
"""

import numpy as np

from hoi_edit.simulate.packed_layouts import PAIRED, PARTED
from kinematics.compiled import add_cross, compiled, inner
from kinematics.packed_motion import ROTATION, SPIN, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from kinematics.rotation_compiled import dot, rotation_and_left_jacobian
from rigid.convex_compiled import touching
from rigid.impact_compiled import impulse_along, impulse_of

_STATE = (PAIRED.first("state_a"), PAIRED.first("state_b"))
_RATES = (PAIRED.first("rates_a"), PAIRED.first("rates_b"))
_RADIUS = (PAIRED.first("radius_a"), PAIRED.first("radius_b"))
_INVERSE_MASS = (PAIRED.first("inverse_mass_a"), PAIRED.first("inverse_mass_b"))
_MOMENTS = (PAIRED.first("moments_a"), PAIRED.first("moments_b"))
_CORNERS = (PAIRED.first("corners_a"), PAIRED.first("corners_b"))
_KIND, _RESTITUTION, _FRICTION = PAIRED.first("kind"), PAIRED.first("restitution"), PAIRED.first("friction")
_NORMAL_TURN, _STICK, _HOP, _DECLARED = (PAIRED.first(name) for name in ("normal_turn", "stick", "hop", "declared"))
_GAP, _RATE, _TO_STICK, _RATIO = (PARTED.first(name) for name in ("gap", "rate", "stick", "ratio"))
_AFTER = (PARTED.first("after_a"), PARTED.first("after_b"))
_NORMAL, _SPEED, _POINT, _GIVEN_BACK = (PARTED.first(name) for name in ("normal", "speed", "point", "restitution"))

# directions in which a touch is varied: both states before, a moment later, the law
_LATER, _ON_LAW, _DIRECTIONS, _COLUMNS = 24, 25, 30, 30
_PLACE, _TURN, _V, _W = range(4)


@compiled
def parted(row: Floats) -> Floats:
    """PARTED row of a PAIRED row: what a touch does to both. They do not leave each other more slowly than at the speed
    of a `hop`, unless they came so."""
    out, nothing, n, point, u, J = (
        np.empty(PARTED_WIDTH),
        np.zeros((3, 3)),
        np.empty(3),
        np.empty(3),
        np.empty(3),
        np.empty(3),
    )
    A, B, bent, K = np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.zeros((3, 3))
    I, arm, turned, ignored = np.empty((2, 3, 3)), np.empty((2, 3)), np.empty((3, 3)), np.empty((3, 3))
    _corners(row, 0, A)
    _corners(row, 1, B)
    gap, _ = touching(
        int(row[_KIND]), A, B, nothing, nothing, row[_RADIUS[0]], row[_RADIUS[1]], n, ignored[0], point, ignored[1]
    )
    for which in range(2):
        _inverse_inertia(row, which, I[which])
        _arm_of(row, which, point, arm[which])
        _add_mobility(row[_INVERSE_MASS[which]], I[which], arm[which], K)
    _not_immovable(K)
    _touch_velocity(row, arm, u)
    rate, hop = dot(n, u), row[_HOP]
    restitution = max(row[_RESTITUTION], min(1.0, hop / max(-rate, 1e-12)))
    rotation_and_left_jacobian(row[_NORMAL_TURN : _NORMAL_TURN + 3], turned, ignored)
    for i in range(3):
        bent[i] = dot(turned[i], n)
    out[_TO_STICK], out[_RATIO] = impulse_of(K, u, bent, restitution, row[_FRICTION], J)
    for which in range(2):
        _struck(row, which, I[which], arm[which], J, out[_AFTER[which] : _AFTER[which] + STATE_SIZE])
    out[_GAP], out[_RATE], out[_SPEED], out[_GIVEN_BACK] = gap, rate, np.sqrt(dot(u, u)), restitution
    for i in range(3):
        out[_NORMAL + i], out[_POINT + i] = n[i], point[i]
    return out


PARTED_WIDTH = PARTED.width


@inner
def _corners(row: Floats, which: int, out: Floats) -> None:
    """Fill in the corners of a feature in the world (3, 3)."""
    at, state = _CORNERS[which], _STATE[which]
    for k in range(3):
        for i in range(3):
            out[k, i] = row[state + i]
            for j in range(3):
                out[k, i] += row[state + ROTATION + 3 * i + j] * row[at + 3 * k + j]


@inner
def _inverse_inertia(row: Floats, which: int, out: Floats) -> None:
    R, moments = _STATE[which] + ROTATION, _MOMENTS[which]
    for i in range(3):
        for j in range(3):
            out[i, j] = 0.0
            for k in range(3):
                out[i, j] += row[R + 3 * i + k] * row[R + 3 * j + k] / row[moments + k]


@inner
def _arm_of(row: Floats, which: int, point: Floats, arm: Floats) -> None:
    for i in range(3):
        arm[i] = point[i] - row[_STATE[which] + i]


@inner
def _add_mobility(inverse_mass: float, I: Floats, arm: Floats, K: Floats) -> None:
    """Add the change of the touching velocity per unit of impulse (3, 3) [1/kg]."""
    unit, turn, spin = np.zeros(3), np.zeros(3), np.zeros(3)
    for j in range(3):
        for i in range(3):
            unit[i], turn[i] = 1.0 if i == j else 0.0, 0.0
        add_cross(turn, arm, unit, 1.0)
        for i in range(3):
            spin[i], turn[i] = dot(I[i], turn), turn[i]
        for i in range(3):
            turn[i] = inverse_mass * unit[i]
        add_cross(turn, spin, arm, 1.0)
        for i in range(3):
            K[i, j] += turn[i]


@inner
def _add_varied_mobility(I: Floats, arm: Floats, turning: Floats, darm: Floats, dK: Floats) -> None:
    """How the same varies as a body turns and the arm changes."""
    unit, lever, spin, moved, dspin, total = (
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
        np.zeros(3),
    )
    for j in range(3):
        for i in range(3):
            unit[i], lever[i], moved[i], total[i] = 1.0 if i == j else 0.0, 0.0, 0.0, 0.0
        add_cross(lever, arm, unit, 1.0)
        add_cross(moved, darm, unit, 1.0)
        add_cross(moved, turning, lever, -1.0)
        for i in range(3):
            spin[i], dspin[i] = dot(I[i], lever), dot(I[i], moved)
        add_cross(dspin, turning, spin, 1.0)
        add_cross(total, dspin, arm, 1.0)
        add_cross(total, spin, darm, 1.0)
        for i in range(3):
            dK[i, j] += total[i]


@inner
def _not_immovable(K: Floats) -> None:
    """Two surfaces that nothing moves: any impulse will do, as long as it is finite."""
    if K[0, 0] + K[1, 1] + K[2, 2] == 0.0:
        for i in range(3):
            K[i, i] += 1.0


@inner
def _touch_velocity(row: Floats, arm: Floats, u: Floats) -> None:
    a, b = _STATE[0], _STATE[1]
    for i in range(3):
        u[i] = row[a + VELOCITY + i] - row[b + VELOCITY + i]
    add_cross(u, row[a + SPIN : a + STATE_SIZE], arm[0], 1.0)
    add_cross(u, row[b + SPIN : b + STATE_SIZE], arm[1], -1.0)


@inner
def _struck(row: Floats, which: int, I: Floats, arm: Floats, J: Floats, after: Floats) -> None:
    """Fill in a state after the impulse on the first."""
    sign, turn, state = 1.0 - 2.0 * which, np.zeros(3), _STATE[which]
    add_cross(turn, arm, J, sign)
    for i in range(STATE_SIZE):
        after[i] = row[state + i]
    for i in range(3):
        after[VELOCITY + i] += sign * row[_INVERSE_MASS[which]] * J[i]
        after[SPIN + i] += dot(I[i], turn)


@inner
def _varied(row: Floats, which: int, direction: int, d: Floats) -> None:
    """Fill d (4, 3): how place, turn, velocity and spin of one of them vary along a direction."""
    for part in range(4):
        for i in range(3):
            d[part, i] = 0.0
    if direction == _LATER:
        for i in range(3):
            d[_PLACE, i], d[_TURN, i] = row[_STATE[which] + VELOCITY + i], row[_STATE[which] + SPIN + i]
            d[_V, i], d[_W, i] = row[_RATES[which] + i], row[_RATES[which] + 3 + i]
    elif direction < _LATER and direction // 12 == which:
        d[(direction % 12) // 3, direction % 3] = 1.0


@inner
def _varied_corners(row: Floats, which: int, corners: Floats, d: Floats, out: Floats) -> None:
    arm = np.empty(3)
    for k in range(3):
        for i in range(3):
            arm[i], out[k, i] = corners[k, i] - row[_STATE[which] + i], d[_PLACE, i]
        add_cross(out[k], d[_TURN], arm, 1.0)


@compiled
def paired_jacobians(items: Floats) -> Floats:
    """(B, 13, 30) of PAIRED rows: the first of two things after they met, and the delay, by (both states before, law);
    and in the last column how its place and turn go on."""
    out = np.zeros((len(items), 13, _COLUMNS))
    nothing, A, B, dA, dB = np.zeros((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty((3, 3))
    n, dn, point, dpoint, bent, u, J = (
        np.empty(3),
        np.empty(3),
        np.empty(3),
        np.empty(3),
        np.empty(3),
        np.empty(3),
        np.empty(3),
    )
    I, arm, K, after = np.empty((2, 3, 3)), np.empty((2, 3)), np.empty((3, 3)), np.empty(STATE_SIZE)
    turned, swept, ways = np.empty((3, 3)), np.empty((3, 3)), np.zeros((_DIRECTIONS, 2, 4, 3))
    by_gap, kind = np.zeros(_DIRECTIONS), 0
    for k in range(len(items)):
        row = items[k]
        kind = int(row[_KIND])
        _corners(row, 0, A)
        _corners(row, 1, B)
        for direction in range(_LATER + 1):
            _varied(row, 0, direction, ways[direction, 0])
            _varied(row, 1, direction, ways[direction, 1])
            _varied_corners(row, 0, A, ways[direction, 0], dA)
            _varied_corners(row, 1, B, ways[direction, 1], dB)
            _, by_gap[direction] = touching(kind, A, B, dA, dB, row[_RADIUS[0]], row[_RADIUS[1]], n, dn, point, dpoint)
        touching(kind, A, B, nothing, nothing, row[_RADIUS[0]], row[_RADIUS[1]], n, dn, point, dpoint)
        for i in range(3):
            for j in range(3):
                K[i, j] = 0.0
        for which in range(2):
            _inverse_inertia(row, which, I[which])
            _arm_of(row, which, point, arm[which])
            _add_mobility(row[_INVERSE_MASS[which]], I[which], arm[which], K)
        _not_immovable(K)
        _touch_velocity(row, arm, u)
        rotation_and_left_jacobian(row[_NORMAL_TURN : _NORMAL_TURN + 3], turned, swept)
        for i in range(3):
            bent[i] = dot(turned[i], n)
        for direction in range(_DIRECTIONS):
            if direction == _LATER:
                continue
            column = direction if direction < _LATER else direction - 1
            delay = 0.0
            if direction < _LATER and by_gap[_LATER] != 0.0:
                delay = -(1.0 - row[_DECLARED]) * by_gap[direction] / by_gap[_LATER]
            _outcome_along(
                row, direction, delay, ways, A, B, I, arm, K, u, n, bent, turned, swept, J, out[k, :, column]
            )  # fmt: skip
            out[k, 12, column] = delay
        impulse_along(
            K, u, bent, row[_RESTITUTION], row[_FRICTION], row[_STICK], nothing, nothing[0], nothing[0], 0.0, 0.0, J,
            dpoint,
        )  # fmt: skip
        _struck(row, 0, I[0], arm[0], J, after)
        for i in range(3):
            out[k, i, _COLUMNS - 1], out[k, 3 + i, _COLUMNS - 1] = after[VELOCITY + i], after[SPIN + i]
    return out


@inner
def _outcome_along(
    row: Floats, direction: int, delay: float, ways: Floats, A: Floats, B: Floats, I: Floats, arm: Floats, K: Floats,
    u: Floats, n: Floats, bent: Floats, turned: Floats, swept: Floats, J: Floats, out: Floats,
) -> None:  # fmt: skip
    """Fill in how the first varies after the touch, along a direction with the delay that it brings."""
    d, dA, dB, dn, dpoint = np.zeros((2, 4, 3)), np.empty((3, 3)), np.empty((3, 3)), np.empty(3), np.empty(3)
    ignored, dK, du, dJ, darm = np.empty((2, 3)), np.zeros((3, 3)), np.zeros(3), np.empty(3), np.empty((2, 3))
    dbent, push, spin, turn = np.zeros(3), np.zeros(3), np.zeros(3), np.zeros(3)
    if direction < _LATER:
        for which in range(2):
            for part in range(4):
                for i in range(3):
                    later = ways[_LATER, which, part, i]
                    d[which, part, i] = ways[direction, which, part, i] + delay * later
    _varied_corners(row, 0, A, d[0], dA)
    _varied_corners(row, 1, B, d[1], dB)
    radius_a, radius_b = row[_RADIUS[0]], row[_RADIUS[1]]
    touching(int(row[_KIND]), A, B, dA, dB, radius_a, radius_b, ignored[0], dn, ignored[1], dpoint)
    for which in range(2):
        sign, state = 1.0 - 2.0 * which, _STATE[which]
        for i in range(3):
            darm[which, i] = dpoint[i] - d[which, _PLACE, i]
            du[i] += sign * d[which, _V, i]
        add_cross(du, d[which, _W], arm[which], sign)
        add_cross(du, row[state + SPIN : state + STATE_SIZE], darm[which], sign)
        _add_varied_mobility(I[which], arm[which], d[which, _TURN], darm[which], dK)
    for i in range(3):
        dbent[i] = dot(turned[i], dn)
    de = 1.0 if direction == _ON_LAW else 0.0
    dmu = 1.0 if direction == _ON_LAW + 1 else 0.0
    if direction > _ON_LAW + 1:
        add_cross(dbent, swept[:, direction - _ON_LAW - 2], bent, 1.0)
    impulse_along(K, u, bent, row[_RESTITUTION], row[_FRICTION], row[_STICK], dK, du, dbent, de, dmu, J, dJ)
    add_cross(push, arm[0], J, 1.0)
    for i in range(3):
        spin[i] = dot(I[0, i], push)
    for i in range(3):
        turn[i] = 0.0
    add_cross(turn, darm[0], J, 1.0)
    add_cross(turn, arm[0], dJ, 1.0)
    add_cross(turn, d[0, _TURN], push, -1.0)
    for i in range(3):
        out[i], out[3 + i] = d[0, _PLACE, i], d[0, _TURN, i]
        out[6 + i] = d[0, _V, i] + row[_INVERSE_MASS[0]] * dJ[i]
        out[9 + i] = d[0, _W, i] + dot(I[0, i], turn)
    add_cross(out[9:12], d[0, _TURN], spin, 1.0)
