"""Within an interval of the table: where on cubics through four of its rows a gap changes sign, or dips so low that
the true motion may touch."""

import numpy as np

from hoi_edit.simulate.search.layouts import (
    AIR_AT,
    BALL_AT,
    BLUR,
    CORE_AT,
    FINE,
    LOOSE,
    RADIUS_AT,
    SPIN_AT,
    START_AT,
    STATE_AT,
    STEPS_AT,
    VELOCITY_AT,
    PoseRows,
    Solids,
    in_shape,
)
from kinematics.compiled import inner
from kinematics.packed_motion import ROTATION
from kinematics.rotation import Floats
from rigid.air_compiled import DRAG, MAGNUS
from rigid.ballistics import fallen
from rigid.distance_compiled import box_gap

SWIFT = 0.01  # [m] by which the way of a ball bends between two rows, before cubics are doubted


@inner
def _places(
    rows: PoseRows, solids: Solids, surface: int, flight: Floats, gravity: Floats, path: Floats, first: int, out: Floats
) -> None:
    """Places (R, 3) of the ball in the surface's own frame at so many rows of the table."""
    solid, frame = solids.numbers[surface], solids.frame[surface]
    for r in range(len(out)):
        tau = rows.start + rows.step * (first + r) - flight[START_AT]
        if flight[STEPS_AT] > 0.0:
            x, y, z = path[first + r, 0], path[first + r, 1], path[first + r, 2]
        else:
            x = fallen(flight[STATE_AT], flight[VELOCITY_AT], gravity[0], tau)
            y = fallen(flight[STATE_AT + 1], flight[VELOCITY_AT + 1], gravity[1], tau)
            z = fallen(flight[STATE_AT + 2], flight[VELOCITY_AT + 2], gravity[2], tau)
        if frame >= 0:
            pose, k = rows.pose[first + r, frame], ROTATION
            a, b, c = x - pose[0], y - pose[1], z - pose[2]
            x = pose[k] * a + pose[k + 3] * b + pose[k + 6] * c
            y = pose[k + 1] * a + pose[k + 4] * b + pose[k + 7] * c
            z = pose[k + 2] * a + pose[k + 5] * b + pose[k + 8] * c
        out[r, 0], out[r, 1], out[r, 2] = in_shape(solid, x, y, z)


@inner
def _cubic_gap(rows: PoseRows, solid: Floats, radius: float, cubic: Floats, first: int, t: float) -> float:
    u = (t - rows.start) / rows.step - first
    a, b, c = u - 1.0, u - 2.0, u - 3.0
    w0, w1, w2, w3 = -a * b * c / 6.0, u * b * c / 2.0, -u * a * c / 2.0, u * a * b / 6.0
    x = w0 * cubic[0, 0] + w1 * cubic[1, 0] + w2 * cubic[2, 0] + w3 * cubic[3, 0]
    y = w0 * cubic[0, 1] + w1 * cubic[1, 1] + w2 * cubic[2, 1] + w3 * cubic[3, 1]
    z = w0 * cubic[0, 2] + w1 * cubic[1, 2] + w2 * cubic[2, 2] + w3 * cubic[3, 2]
    return _gap(solid, radius, x, y, z)


@inner
def _gap(solid: Floats, radius: float, x: float, y: float, z: float) -> float:
    return box_gap(solid[CORE_AT:RADIUS_AT], solid[RADIUS_AT] + radius, x, y, z)


@inner
def brackets_in(
    rows: PoseRows, solids: Solids, surface: int, flight: Floats, gravity: Floats, path: Floats, row: int, begin: float,
    until: float, end: float, clear: Floats, enough: float, out: Floats,
) -> tuple[int, float]:  # fmt: skip
    """Brackets (low, high, guess) of possible touches in an interval of the table, in order of time, into `out`.

    Returned are their number, and the gap at the beginning. A pair that has just been let go is not seen before it is
    `enough` apart; `clear` (S,) says since when it is.
    """
    first = min(max(row - 1, 0), len(rows.pose) - 4)
    cubic, gaps, solid, radius = np.empty((4, 3)), np.empty(2 * FINE + 3), solids.numbers[surface], flight[BALL_AT]
    _places(rows, solids, surface, flight, gravity, path, first, cubic)
    inside = row - first
    step, count, at_begin = (until - begin) / FINE, 0, 0.0
    chord, bend = _way(cubic, inside)
    blur = BLUR
    if solids.frame[surface] >= 0 and bend > SWIFT:
        blur += _twist(rows, solids, surface, flight, gravity, path, first)
    lost = flight[STEPS_AT] > 0.0 and _bulge(rows, flight, path[first, 3]) > 0.5 * BLUR
    if (lost or blur > LOOSE) and enough == 0.0:
        for i in range(FINE):  # the cubics say nothing
            t = begin + i * step
            out[i, 0], out[i, 1], out[i, 2] = t, t + step, t + 0.5 * step
        return FINE, _cubic_gap(rows, solid, radius, cubic, first, begin) if begin > flight[START_AT] else 0.0
    # how far the ball gets in an interval: along its chord, and the more the faster it turns
    way = 1.1 * chord + bend
    low, high = cubic[inside], cubic[min(inside + 1, 3)]
    a, b = _gap(solid, radius, low[0], low[1], low[2]), _gap(solid, radius, high[0], high[1], high[2])
    if a + b - way > 2 * (blur + LOOSE) and min(a, b) > enough:  # too far for the whole interval: the common case
        clear[surface] = min(clear[surface], begin)
        return 0, min(a, b)
    way, a = way / rows.step * step, np.inf
    for i in range(FINE + 1):
        t = begin + i * step
        b = _cubic_gap(rows, solid, radius, cubic, first, t)
        if enough > 0.0:
            if clear[surface] == np.inf and b > enough:
                clear[surface] = t
            if t < clear[surface]:
                b = np.inf
        if i == 0:
            at_begin = b
        elif a > 0 and b <= 0:
            far = a if a < np.inf else 1.0
            out[count, 0], out[count, 1], out[count, 2] = t - step, t, t - step + step * far / max(far - b, 1e-300)
            count += 1
        elif a > 0 and b > 0 and a < np.inf and b < np.inf and a + b - way < 2 * blur:
            count = _hidden(rows, solid, radius, cubic, first, t - step, step, end, blur, gaps, out, count)
        elif a <= 0 and b <= 0 and max(a, b) > -blur:  # the cubic may be inside sooner than the ball is
            out[count, 0], out[count, 1], out[count, 2] = t - step, t, t - 0.5 * step
            count += 1
        a = b
    return count, at_begin


@inner
def _way(cubic: Floats, inside: int) -> tuple[float, float]:
    """How far apart the ends of an interval are, and how much the way to them bends: the second difference [m]."""
    chord, first, second = 0.0, 0.0, 0.0
    for i in range(3):
        chord += (cubic[min(inside + 1, 3), i] - cubic[inside, i]) ** 2
        first += (cubic[2, i] - 2.0 * cubic[1, i] + cubic[0, i]) ** 2
        second += (cubic[3, i] - 2.0 * cubic[2, i] + cubic[1, i]) ** 2
    return np.sqrt(chord), np.sqrt(max(first, second))


@inner
def _twist(
    rows: PoseRows, solids: Solids, surface: int, flight: Floats, gravity: Floats, path: Floats, first: int
) -> float:
    """How far a ball, as seen from a part that turns fast, may be from the cubic through four rows [m]: 1/24 of its
    fourth difference at the ends of these rows, and less between; taken twice, since it need not stay the same."""
    if len(rows.pose) < 5:
        return 0.0
    five, off = np.empty((5, 3)), 0.0
    _places(rows, solids, surface, flight, gravity, path, min(first, len(rows.pose) - 5), five)
    for i in range(3):
        off += (five[0, i] - 4.0 * five[1, i] + 6.0 * five[2, i] - 4.0 * five[3, i] + five[4, i]) ** 2
    return np.sqrt(off) / 12.0


@inner
def _hidden(
    rows: PoseRows, solid: Floats, radius: float, cubic: Floats, first: int, low: float, step: float, end: float,
    blur: float, gaps: Floats, out: Floats, count: int,
) -> int:  # fmt: skip
    """A step whose ends are clear and that may still hide a dip, looked at in finer steps."""
    # a step beyond either end, so that a dip at the end of a step has its neighbours
    fine, last, lowest, crossed = step / (2 * FINE), len(gaps) - 1, 0, False
    for i in range(last + 1):
        gaps[i] = _cubic_gap(rows, solid, radius, cubic, first, low + (i - 1) * fine)
        if gaps[i] < gaps[lowest]:
            lowest = i
    for i in range(1, last):
        # two cubics meet at a row of the table and differ there a little: a touch at that very time may lie beyond the
        # end of the one and before the start of the other
        t, beyond = low + (i - 1) * fine, i == last - 1
        if gaps[i] > 0 and gaps[i + 1] <= 0 and (not beyond or t + fine <= end):
            share = 0.0 if beyond else gaps[i] / max(gaps[i] - gaps[i + 1], 1e-300)
            out[count, 0], out[count, 1], out[count, 2] = (t - fine if beyond else t), t + fine, t + fine * share
            count += 1
            crossed = crossed or not beyond
    if not crossed and 0 < lowest < last and 0 < gaps[lowest] < blur:
        t = low + (lowest - 1) * fine
        out[count, 0], out[count, 1], out[count, 2] = t - fine, t + fine, t
        count += 1
    return count


@inner
def _bulge(rows: PoseRows, flight: Floats, speed: float) -> float:
    """How far a path through air may be from the cubic through four rows [m]: its fourth derivative is 6 k³ |w|, where
    k is the rate at which air bends it."""
    spin = 0.0
    for i in range(3):
        spin += flight[SPIN_AT + i] ** 2
    bends = flight[AIR_AT + DRAG] * speed + abs(flight[AIR_AT + MAGNUS]) * np.sqrt(spin)
    return 0.15 * (rows.step * bends) ** 3 * rows.step * speed
