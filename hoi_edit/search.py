"""The first touch of flying balls with moving surfaces: found so that none is missed, then polished to round-off.

Distances are 1-Lipschitz in the ball's place in the surface's frame, so an interval of the table of poses whose ends
are further away than half the way travelled in it holds no touch: no ball is too fast, no limb too thin. What remains
is looked at in finer steps, on cubics through four rows of the table in the frame of the part. A change of sign is a
bracket, in which the gap to the *true* motion is brought to zero. A dip that comes closer than `BLUR`, which is more
than the cubics can be wrong by, is looked at as well: the exact closest approach decides whether it is a touch.

All of it is machine code that walks along one flight after the other and stops at its first touch.
"""

from typing import Any, NamedTuple

import numpy as np

from hoi_edit.moving import Desk, Moving, desk, motion_of
from hoi_edit.packed import fly_turned
from hoi_edit.packing import Columns
from kinematics.chains import FRAME_SIZE
from kinematics.compiled import add_cross, compiled, inner
from kinematics.rotation import Floats
from rigid.gliding import AIR_SIZE, DRAG, MAGNUS, STEPS, WIND, accelerated, glide

Ints = np.ndarray
FINE = 8  # steps within an interval of the table
BLUR = 1e-3  # [m]
CLEAR = 5e-3  # [m] a released ball is clear of what it touched
UNTIL_CLEAR, UNTIL_OFF = np.inf, 1e300  # instead of a time from which on a pair is seen: once it is clear, or just off
LOOSE = 0.01  # [m] by which motion between rows may bulge from a straight line
REAL = 1e-12  # [m] of gap that polishing may leave
STILL = 1e-12  # [m/s] of a gap that is at its lowest
TOUCHING = 1e-9  # [m] as close as this a flight begins in touch
DEEP = 1e-6  # [m] deeper than this it begins inside
MOST_NEAR = 8  # near misses that a flight tells of
MOST_STEPS = 80  # of polishing; Newton takes three to five, the rest is bisection that only odd motions need

# all about a touch: when, the gap that is left and its rate, what pulls along the normal, the speed between the two,
# the frame's motion, the contact's feature, the ball just before, and the normal in the world
STRUCK = Columns(
    time=0, gap=0, rate=0, pull=0, speed=0, frame=FRAME_SIZE, feature=3, before=18, normal=3,
)  # fmt: skip
TIME, GAP, RATE, PULL, SPEED = (STRUCK.first(name) for name in ("time", "gap", "rate", "pull", "speed"))
FRAME_AT, FEATURE_AT, BEFORE_AT, NORMAL_AT = (STRUCK.first(name) for name in ("frame", "feature", "before", "normal"))
TOUCH_WIDTH = STRUCK.width


# columns of a surface
PLACE_AT, TURNED_AT, CORE_AT, RADIUS_AT, SHOWN_AT, GONE_AT, SOLID_WIDTH = 0, 3, 12, 15, 16, 17, 18
# columns of a flight
START_AT, STATE_AT, BALL_AT, BEGIN_AT, UNTIL_AT, EXPECTED_AT, AIR_AT = 0, 1, 19, 20, 21, 22, 26
FLIGHT_WIDTH, STEPS_AT = AIR_AT + AIR_SIZE, AIR_AT + STEPS


class Solids(NamedTuple):
    """Surfaces, each a rounded box fixed to a frame, and when it is there."""

    frame: Ints  # (S,) -1 for the world
    numbers: Floats  # (S, 18) place 3 and rotation 9 in the frame, core 3, radius, and the times that it is there


def solids(
    frame: Ints, place: Any, turned: Any, core: Any, radius: Any, begin: Any = -np.inf, until: Any = np.inf
) -> Solids:
    """Surfaces, packed."""
    numbers = np.empty((len(frame), SOLID_WIDTH))
    numbers[:, PLACE_AT:TURNED_AT], numbers[:, TURNED_AT:CORE_AT] = place, np.reshape(turned, (-1, 9))
    numbers[:, CORE_AT:RADIUS_AT], numbers[:, RADIUS_AT] = core, radius
    numbers[:, SHOWN_AT], numbers[:, GONE_AT] = begin, until
    return Solids(frame, numbers)


class Groups(NamedTuple):
    """Surfaces of one frame that one sphere surrounds."""

    sphere: Floats  # (G, 2) its radius [m], -inf if it holds nothing, and the fastest that its centre is [m/s]
    first: Ints  # (G + 1,) its surfaces in the next one
    surface: Ints
    still: Ints  # surfaces of the world, which need no sphere


class Rows(NamedTuple):
    """Frames at evenly spaced times: the table of poses as the search takes it."""

    start: float
    step: float
    pose: Floats  # (T, F, 12) position and rotation
    centre: Floats  # (T, G, 3) of each group's sphere


def flights(
    start: Floats, state: Floats, radius: Floats, begin: Floats, until: Floats, expected: Floats | float = -1.0,
    air: Floats | float = 0.0,
) -> Floats:  # fmt: skip
    """Balls in free flight to be searched, packed: states (N, 18) at times `start`, looked at from begin to until.

    `expected` (N, 4): surface (-1: none), low, high and guess of a bounce that the table is too coarse for. `air`
    (N, 6) is packed as `rigid.gliding` wants it; zeros are none.
    """
    packed = np.empty((len(state), FLIGHT_WIDTH))
    packed[:, START_AT], packed[:, STATE_AT:BALL_AT], packed[:, BALL_AT] = start, state, radius
    packed[:, BEGIN_AT], packed[:, UNTIL_AT], packed[:, EXPECTED_AT:AIR_AT] = begin, until, expected
    packed[:, AIR_AT:] = air
    return packed


class Found(NamedTuple):
    surface: Ints  # (N,) that each flight touches first; -1: none
    touch: Floats  # (N, STRUCK) all about it
    inside: Floats  # (N, S) how deep a flight begins inside a surface
    near: Floats  # (K, 4) flight, surface, time and gap of near misses before that touch


@inner
def box_gap(solid: Floats, radius: float, x: float, y: float, z: float) -> float:
    """Signed distance of a point, in the shape's frame, from a rounded box: `rigid.distance.gap`."""
    dx, dy, dz = abs(x) - solid[CORE_AT], abs(y) - solid[CORE_AT + 1], abs(z) - solid[CORE_AT + 2]
    if dx < 0.0 and dy < 0.0 and dz < 0.0:
        return max(dx, dy, dz) - solid[RADIUS_AT] - radius
    dx, dy, dz = max(dx, 0.0), max(dy, 0.0), max(dz, 0.0)
    return np.sqrt(dx * dx + dy * dy + dz * dz) - solid[RADIUS_AT] - radius


@inner
def box_touch(core: Floats, p: Floats, feature: Floats, normal: Floats) -> float:
    """The distance from the core, with the feature and the normal: `feature_of` and `gap_and_normal`."""
    nearest, beyond = 0, False
    for i in range(3):
        feature[i] = 0.0 if abs(p[i]) < core[i] else (1.0 if p[i] >= 0 else -1.0)
        beyond = beyond or feature[i] != 0.0
        if abs(p[i]) - core[i] > abs(p[nearest]) - core[nearest]:
            nearest = i
    if not beyond:
        feature[nearest] = 1.0 if p[nearest] >= 0 else -1.0
    square, faces, inward = 0.0, 0.0, True
    for i in range(3):
        normal[i] = 0.0 if feature[i] == 0.0 else p[i] - feature[i] * core[i]
        square += normal[i] * normal[i]
        faces += feature[i] * feature[i]
        inward = inward and (normal[i] == 0.0 if core[i] == 0.0 else normal[i] * feature[i] <= 0.0)
    if square < 1e-24:  # on the core itself: the face decides
        signed = 0.0
        for i in range(3):
            along = feature[i] / np.sqrt(faces)
            signed += normal[i] * along
            normal[i] = along
        return signed
    length = -np.sqrt(square) if inward else np.sqrt(square)
    for i in range(3):
        normal[i] /= length
    return length


@inner
def look_at(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, t: float, out: Floats
) -> None:
    """All about a ball and a surface at time t, into `out` (STRUCK), but for the rotation of the ball."""
    solid = solids.numbers[surface]
    frame, before, normal = out[FRAME_AT:FEATURE_AT], out[BEFORE_AT:NORMAL_AT], out[NORMAL_AT:]
    arm, local, spun, relative = room.scratch[10], room.scratch[11], room.scratch[12], room.scratch[13]
    motion_of(moving, room, solids.frame[surface], t, frame)
    tau = t - flight[START_AT]
    if flight[STEPS_AT] > 0.0:
        glide(flight[STATE_AT:BALL_AT], gravity, flight[AIR_AT:], tau, before)
    else:
        for i in range(3):
            velocity = flight[STATE_AT + 12 + i]
            before[i] = flight[STATE_AT + i] + tau * velocity + 0.5 * tau * tau * gravity[i]
            before[12 + i] = velocity + tau * gravity[i]
            before[15 + i] = flight[STATE_AT + 15 + i]
    for i in range(3):
        arm[i] = before[i] - frame[i]
    # into the frame, and from there into the shape's own
    for i in range(3):
        spun[i] = frame[3 + i] * arm[0] + frame[6 + i] * arm[1] + frame[9 + i] * arm[2] - solid[PLACE_AT + i]
    for i in range(3):
        at = TURNED_AT + i
        local[i] = solid[at] * spun[0] + solid[at + 3] * spun[1] + solid[at + 6] * spun[2]
    distance = box_touch(solid[CORE_AT:RADIUS_AT], local, out[FEATURE_AT:BEFORE_AT], normal)
    for i in range(3):
        at = TURNED_AT + 3 * i
        spun[i] = solid[at] * normal[0] + solid[at + 1] * normal[1] + solid[at + 2] * normal[2]
    for i in range(3):
        at = 3 + 3 * i
        normal[i] = frame[at] * spun[0] + frame[at + 1] * spun[1] + frame[at + 2] * spun[2]
    spin = frame[15:18]
    for i in range(3):
        spun[i] = 0.0
        relative[i] = gravity[i] - frame[18 + i]
    if flight[STEPS_AT] > 0.0:
        accelerated(before, gravity, flight[AIR_AT:], relative)
        for i in range(3):
            relative[i] -= frame[18 + i]
    add_cross(spun, spin, arm, 1.0)
    # relative acceleration along the normal, up to the turning of the normal
    add_cross(relative, frame[21:24], arm, -1.0)
    add_cross(relative, spin, spun, -1.0)
    out[TIME], out[GAP] = t, distance - solid[RADIUS_AT] - flight[BALL_AT]
    out[RATE], out[PULL], out[SPEED] = 0.0, 0.0, 0.0
    for i in range(3):
        rate = before[12 + i] - frame[12 + i] - spun[i]
        out[RATE] += normal[i] * rate
        out[PULL] += normal[i] * relative[i]
        out[SPEED] += rate * rate
    out[SPEED] = np.sqrt(out[SPEED])


@inner
def _polish(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, low: float, high: float,
    guess: float, out: Floats,
) -> bool:  # fmt: skip
    """The instant of a touch between two times, to round-off: Newton, kept within its bracket, or bisection."""
    t, best, best_gap, done = guess, guess, np.inf, False
    for _ in range(MOST_STEPS):
        look_at(moving, room, solids, surface, flight, gravity, t, out)
        gap, rate = out[GAP], out[RATE]
        if done or abs(gap) <= 2e-15:
            break
        if abs(gap) < best_gap:
            best, best_gap = t, abs(gap)
        if gap > 0:
            low = t
        else:
            high = t
        trial = t - gap / rate if rate < 0 else low - 1.0
        if not low <= trial <= high:
            trial = 0.5 * (low + high)
        # a step shorter than the grid of time itself cannot improve: once more at the best, and that is it
        done = trial == t or high - low <= 2e-16 * abs(high)
        t = best if done else trial
    return abs(out[GAP]) <= REAL and out[RATE] < 0.0


@inner
def _closest(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, low: float, high: float,
    out: Floats,
) -> tuple[float, float]:  # fmt: skip
    """Time and size of the lowest gap between two times: by samples, then where the gap's rate changes its sign.

    That is found by false position, an end that stays counting half the second time; without rates at both ends, by
    bisection.
    """
    best, lowest, samples = low, np.inf, 4 * FINE
    step, a, b, rate_a, rate_b, stays = (high - low) / samples, low, high, -np.inf, np.inf, 0
    for k in range(samples + 50):
        t = low + k * step
        if k > samples:
            t = (a * rate_b - b * rate_a) / (rate_b - rate_a)
            t = t if a < t < b else 0.5 * (a + b)
        look_at(moving, room, solids, surface, flight, gravity, t, out)
        rate = out[RATE]
        if out[GAP] < lowest:
            best, lowest = t, out[GAP]
        if k == samples:
            a, b = max(best - step, low), min(best + step, high)
        elif k > samples:
            if rate > 0:
                b, rate_b, rate_a, stays = t, rate, rate_a * (0.5 if stays == -1 else 1.0), -1
            else:
                a, rate_a, rate_b, stays = t, rate, rate_b * (0.5 if stays == 1 else 1.0), 1
            if abs(rate) <= STILL or b - a <= 1e-12 * max(abs(a), abs(b), 1.0):
                break
    return best, lowest


@inner
def _try(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, bracket: Floats,
    out: Floats,
) -> tuple[float, float]:  # fmt: skip
    """The gap that is left in a bracket (low, high, guess), and when: zero if there is a touch, then all about it in
    `out`; positive if the pair only came close; infinite where no touch can be made out."""
    low, high = bracket[0], bracket[1]
    margin = 0.0
    for attempt in range(2):
        guess = bracket[2] if attempt == 0 else 0.5 * (low + high)
        if _polish(moving, room, solids, surface, flight, gravity, low, high, guess, out):
            return 0.0, out[TIME]
        if attempt == 0:
            margin, start = high - low, flight[START_AT]
            t, gap = _closest(
                moving, room, solids, surface, flight, gravity, max(low - margin, start), high + margin, out
            )
            if gap > 0.0:
                return gap, t
            low, high = min(low, t), t
            look_at(moving, room, solids, surface, flight, gravity, low, out)
            if out[GAP] <= 0.0:  # what the search took for clear was not quite: the touch was before
                low = max(low - margin, start)
    return np.inf, high


@inner
def _cubic(
    rows: Rows, solids: Solids, surface: int, flight: Floats, gravity: Floats, path: Floats, first: int, out: Floats
) -> None:
    """Places (4, 3) of the ball in the surface's own frame at four rows of the table."""
    solid, frame, k = solids.numbers[surface], solids.frame[surface], TURNED_AT
    for r in range(4):
        tau = rows.start + rows.step * (first + r) - flight[START_AT]
        if flight[STEPS_AT] > 0.0:
            x, y, z = path[first + r, 0], path[first + r, 1], path[first + r, 2]
        else:
            fall = 0.5 * tau * tau
            x = flight[STATE_AT] + tau * flight[STATE_AT + 12] + fall * gravity[0]
            y = flight[STATE_AT + 1] + tau * flight[STATE_AT + 13] + fall * gravity[1]
            z = flight[STATE_AT + 2] + tau * flight[STATE_AT + 14] + fall * gravity[2]
        if frame >= 0:
            pose = rows.pose[first + r, frame]
            a, b, c = x - pose[0], y - pose[1], z - pose[2]
            x = pose[3] * a + pose[6] * b + pose[9] * c
            y = pose[4] * a + pose[7] * b + pose[10] * c
            z = pose[5] * a + pose[8] * b + pose[11] * c
        a, b, c = x - solid[PLACE_AT], y - solid[PLACE_AT + 1], z - solid[PLACE_AT + 2]
        for i in range(3):
            out[r, i] = solid[k + i] * a + solid[k + 3 + i] * b + solid[k + 6 + i] * c


@inner
def _cubic_gap(rows: Rows, solid: Floats, radius: float, cubic: Floats, first: int, t: float) -> float:
    u = (t - rows.start) / rows.step - first
    a, b, c = u - 1.0, u - 2.0, u - 3.0
    w0, w1, w2, w3 = -a * b * c / 6.0, u * b * c / 2.0, -u * a * c / 2.0, u * a * b / 6.0
    x = w0 * cubic[0, 0] + w1 * cubic[1, 0] + w2 * cubic[2, 0] + w3 * cubic[3, 0]
    y = w0 * cubic[0, 1] + w1 * cubic[1, 1] + w2 * cubic[2, 1] + w3 * cubic[3, 1]
    z = w0 * cubic[0, 2] + w1 * cubic[1, 2] + w2 * cubic[2, 2] + w3 * cubic[3, 2]
    return box_gap(solid, radius, x, y, z)


@inner
def _candidates(
    rows: Rows, solids: Solids, surface: int, flight: Floats, gravity: Floats, path: Floats, row: int, begin: float,
    until: float, end: float, clear: Floats, enough: float, out: Floats,
) -> tuple[int, float]:  # fmt: skip
    """Brackets (low, high, guess) of possible touches in an interval of the table, in order of time, into `out`.

    Returned are their number, and the gap at the beginning. A pair that has just been let go is not seen before it is
    `enough` apart; `clear` (S,) says since when it is.
    """
    first = min(max(row - 1, 0), len(rows.pose) - 4)
    cubic, gaps, solid, radius = np.empty((4, 3)), np.empty(2 * FINE + 3), solids.numbers[surface], flight[BALL_AT]
    _cubic(rows, solids, surface, flight, gravity, path, first, cubic)
    inside, way = row - first, 0.0
    for i in range(3):
        way += (cubic[min(inside + 1, 3), i] - cubic[inside, i]) ** 2
    step, count, at_begin = (until - begin) / FINE, 0, 0.0
    if flight[STEPS_AT] > 0.0 and enough == 0.0 and _bulge(rows, flight, path[first, 3]) > 0.5 * BLUR:
        for i in range(FINE):  # the cubics say nothing
            low = begin + i * step
            out[i, 0], out[i, 1], out[i, 2] = low, low + step, low + 0.5 * step
        return FINE, _cubic_gap(rows, solid, radius, cubic, first, begin) if begin > flight[START_AT] else 0.0
    way = 1.1 * np.sqrt(way)
    here, there = cubic[inside], cubic[min(inside + 1, 3)]
    a, b = box_gap(solid, radius, here[0], here[1], here[2]), box_gap(solid, radius, there[0], there[1], there[2])
    if a + b - way > 2 * (BLUR + LOOSE) and min(a, b) > enough:  # too far for the whole interval: the common case
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
        elif a > 0 and b > 0 and a < np.inf and b < np.inf and a + b - way < 2 * BLUR:
            count = _hidden(rows, solid, radius, cubic, first, t - step, step, end, gaps, out, count)
        a = b
    return count, at_begin


@inner
def _hidden(
    rows: Rows, solid: Floats, radius: float, cubic: Floats, first: int, low: float, step: float, end: float,
    gaps: Floats, out: Floats, count: int,
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
    if not crossed and 0 < lowest < last and 0 < gaps[lowest] < BLUR:
        t = low + (lowest - 1) * fine
        out[count, 0], out[count, 1], out[count, 2] = t - fine, t + fine, t
        count += 1
    return count


@inner
def _path(rows: Rows, flight: Floats, gravity: Floats, first: int, last: int) -> Floats:
    """(T, 4) where a ball in air is at the rows that a search from first to last looks at, and a bound on how fast it
    is from then on, but for gravity [m/s]. From row to row one step is plenty for saying where to look."""
    if flight[STEPS_AT] == 0.0:
        return np.empty((0, 4))
    count, state, air, exact = len(rows.pose), np.empty((3, 18)), flight[AIR_AT:].copy(), False
    out = np.empty((count, 4))
    low, high = min(max(first - 1, 0), count - 4), min(max(last + 2, first + 3), count - 1)
    glide(flight[STATE_AT:BALL_AT], gravity, air, rows.start + rows.step * high - flight[START_AT], state[2])
    while True:
        for row in range(low, high + 1):
            if exact or row == low:
                air[STEPS] = flight[STEPS_AT]
                tau = rows.start + rows.step * row - flight[START_AT]
                glide(flight[STATE_AT:BALL_AT], gravity, air, tau, state[row % 2])
            else:
                air[STEPS] = 1.0
                glide(state[1 - row % 2], gravity, air, rows.step, state[row % 2])
            for i in range(3):
                out[row, i] = state[row % 2, i]
            out[row, 3] = _fastest(state[row % 2], air)
        off = 0.0
        for i in range(3):
            off = max(off, abs(out[high, i] - state[2, i]))
        if exact or off < 0.1 * BLUR:
            return out
        exact = True


@inner
def _fastest(state: Floats, air: Floats) -> float:
    """A bound on how fast a ball in air is from now on, but for gravity [m/s]: in the wind's frame it gets slower."""
    wind, speed = 0.0, 0.0
    for i in range(3):
        wind += air[WIND + i] ** 2
        speed += (state[12 + i] - air[WIND + i]) ** 2
    return np.sqrt(speed) + np.sqrt(wind)


@inner
def _bulge(rows: Rows, flight: Floats, speed: float) -> float:
    """How far a path through air may be from the cubic through four rows [m]: its fourth derivative is 6 k³ |w|, where
    k is the rate at which air bends it."""
    spin = 0.0
    for i in range(3):
        spin += flight[STATE_AT + 15 + i] ** 2
    bends = flight[AIR_AT + DRAG] * speed + abs(flight[AIR_AT + MAGNUS]) * np.sqrt(spin)
    return 0.15 * (rows.step * bends) ** 3 * rows.step * speed


@inner
def _top_speed(flight: Floats, gravity: Floats) -> float:
    """The fastest that a ball is in free flight [m/s]: at one of its ends. 0 where air is felt: it cannot be told."""
    if flight[STEPS_AT] > 0.0:
        return 0.0
    first, last = 0.0, 0.0
    for i in range(3):
        velocity = flight[STATE_AT + 12 + i]
        first += (velocity + (flight[BEGIN_AT] - flight[START_AT]) * gravity[i]) ** 2
        last += (velocity + (flight[UNTIL_AT] - flight[START_AT]) * gravity[i]) ** 2
    return np.sqrt(max(first, last))


@inner
def _reach_at(
    rows: Rows, groups: Groups, row: int, flight: Floats, gravity: Floats, path: Floats, fastest: float, out: Floats,
    near: Ints, asleep: Ints,
) -> None:  # fmt: skip
    """A ball's place at a row of the table and how far it may reach within half a step of it (4,); and which groups.

    One that is far away cannot be near for as many rows as the two take to meet: it is `asleep` (G,) until then.
    """
    tau = rows.start + rows.step * row - flight[START_AT]
    speed, share = 0.0, 0.55
    if flight[STEPS_AT] == 0.0:
        for i in range(3):
            velocity = flight[STATE_AT + 12 + i]
            out[i] = flight[STATE_AT + i] + tau * velocity + 0.5 * tau * tau * gravity[i]
            speed += (velocity + tau * gravity[i]) ** 2
        speed = np.sqrt(speed)
    else:
        # air slows down: how fast a ball was before a row cannot be told from how fast it is there, so that each row
        # answers for the whole step after it
        share, speed = 1.1, path[row, 3]
        for i in range(3):
            out[i] = path[row, i]
        if tau < 0.0:
            speed = _fastest(flight[STATE_AT:BALL_AT], flight[AIR_AT:])
            for i in range(3):
                out[i] = flight[STATE_AT + i]
    out[3] = share * rows.step * speed + flight[BALL_AT] + LOOSE
    for g in range(len(groups.sphere)):
        near[g] = 0
        if row < asleep[g]:
            continue
        reach, away = out[3] + groups.sphere[g, 0] + share * rows.step * groups.sphere[g, 1], 0.0
        for i in range(3):
            away += (out[i] - rows.centre[row, g, i]) ** 2
        if reach > 0 and away < reach * reach:
            near[g] = 1
        elif fastest > 0.0:
            free = np.sqrt(away) - flight[BALL_AT] - LOOSE - groups.sphere[g, 0]
            # a sphere that holds nothing is infinitely far away
            asleep[g] = row + int(min(free / (1.1 * rows.step * (fastest + groups.sphere[g, 1])), len(rows.pose)))


@inner
def _surfaces_near(solids: Solids, groups: Groups, reach: Floats, near: Ints, out: Ints) -> int:
    """Surfaces that a ball may touch between two rows; `reach` (2, 4) and `near` (2, G) are as found at them."""
    count = 0
    for g in range(len(groups.sphere)):
        if near[0, g] == 1 or near[1, g] == 1:
            for at in range(groups.first[g], groups.first[g + 1]):
                out[count] = groups.surface[at]
                count += 1
    k = TURNED_AT
    for at in range(len(groups.still)):
        solid, close = solids.numbers[groups.still[at]], False
        for end in range(2):
            a = reach[end, 0] - solid[PLACE_AT]
            b = reach[end, 1] - solid[PLACE_AT + 1]
            c = reach[end, 2] - solid[PLACE_AT + 2]
            x = solid[k] * a + solid[k + 3] * b + solid[k + 6] * c
            y = solid[k + 1] * a + solid[k + 4] * b + solid[k + 7] * c
            z = solid[k + 2] * a + solid[k + 5] * b + solid[k + 8] * c
            close = close or box_gap(solid, 0.0, x, y, z) < reach[end, 3]
        if close:
            out[count] = groups.still[at]
            count += 1
    return count


@inner
def _step_on(
    rows: Rows, groups: Groups, row: int, flight: Floats, gravity: Floats, path: Floats, fastest: float, reach: Floats,
    near: Ints, asleep: Ints,
) -> None:  # fmt: skip
    """What was the end of an interval becomes the beginning of the next."""
    for i in range(4):
        reach[0, i] = reach[1, i]
    for g in range(len(groups.sphere)):
        near[0, g] = near[1, g]
    _reach_at(rows, groups, row, flight, gravity, path, fastest, reach[1], near[1], asleep)


@inner
def _span(rows: Rows, begin: float, until: float) -> tuple[int, int]:
    """First and last row of the table around a stretch of time."""
    count = len(rows.pose)
    first = min(max(int(np.floor((begin - rows.start) / rows.step + 1e-9)), 0), count - 2)
    last = min(max(int(np.ceil((until - rows.start) / rows.step - 1e-9)), first + 1), count - 1)
    return first, last


@compiled
def near_surfaces(rows: Rows, solids: Solids, groups: Groups, gravity: Floats, flight: Floats) -> Ints:
    """(K, 2) row and surface of all intervals of the table in which something in flight may touch a surface."""
    first, last = _span(rows, flight[BEGIN_AT], flight[UNTIL_AT])
    reach, near = np.empty((2, 4)), np.empty((2, len(groups.sphere)), np.int64)
    close, count = np.empty(len(solids.frame), np.int64), 0
    found = np.empty(((last - first) * len(solids.frame), 2), np.int64)
    path = _path(rows, flight, gravity, first, last)
    fastest, asleep = _top_speed(flight, gravity), np.zeros(len(groups.sphere), np.int64)
    _reach_at(rows, groups, first, flight, gravity, path, fastest, reach[1], near[1], asleep)
    for row in range(first, last):
        _step_on(rows, groups, row + 1, flight, gravity, path, fastest, reach, near, asleep)
        for i in range(_surfaces_near(solids, groups, reach, near, close)):
            found[count, 0], found[count, 1] = row, close[i]
            count += 1
    return found[:count]


@inner
def _first_of(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, brackets: Floats,
    before: float, near_misses: Floats, missed: int, out: Floats,
) -> tuple[float, int]:  # fmt: skip
    """When the first touch within brackets is, if before a given time, or inf; and how many near misses there are."""
    for b in range(len(brackets)):
        if brackets[b, 0] > before:
            break
        gap, t = _try(moving, room, solids, surface, flight, gravity, brackets[b], out)
        if gap == 0.0:
            return (t if t <= before else np.inf), missed  # polishing may lead out of what is searched
        if gap < (np.inf if flight[STEPS_AT] == 0.0 else BLUR) and missed < len(near_misses):
            near_misses[missed, 1], near_misses[missed, 2], near_misses[missed, 3] = surface, t, gap
            missed += 1
    return np.inf, missed


@inner
def _begins_in_touch(
    moving: Moving, room: Desk, solids: Solids, surface: int, flight: Floats, gravity: Floats, inside: Floats,
    out: Floats,
) -> bool:  # fmt: skip
    """Contact at the start of a flight is decided by the gap's rate; without any, by what pulls."""
    look_at(moving, room, solids, surface, flight, gravity, flight[START_AT], out)
    if out[GAP] < -DEEP:
        inside[surface] = -out[GAP]
        return False
    closing = out[RATE] < -TOUCHING or (out[RATE] <= TOUCHING and out[PULL] < 0.0)
    return out[GAP] <= TOUCHING and closing


@inner
def _fly(
    moving: Moving, rows: Rows, solids: Solids, groups: Groups, gravity: Floats, flight: Floats, blind: Floats,
    room: Desk, inside: Floats, near_misses: Floats, touches: Floats,
) -> tuple[int, int]:  # fmt: skip
    """The surface that a flight touches first, or -1, and how many near misses came before it.

    All about the touch is then in the first row of `touches` (2, STRUCK). Of touches at the same instant the lower
    surface comes first; the other one follows at once, in the flight after.
    """
    begin, until, best, best_time, missed = flight[BEGIN_AT], flight[UNTIL_AT], -1, np.inf, 0
    first, last = _span(rows, begin, until)
    reach, near = np.empty((2, 4)), np.empty((2, len(groups.sphere)), np.int64)
    close, clear = np.empty(len(solids.frame), np.int64), np.full(len(solids.frame), np.inf)
    brackets = np.empty((4 * FINE, 3))
    path = _path(rows, flight, gravity, first, last)
    fastest, asleep = _top_speed(flight, gravity), np.zeros(len(groups.sphere), np.int64)
    _reach_at(rows, groups, first, flight, gravity, path, fastest, reach[1], near[1], asleep)
    for row in range(first - 1, last):
        # the expected bounce is looked at first, as if it were in a row before all others
        expected, candidates = row < first, 1 if flight[EXPECTED_AT] >= 0 else 0
        if not expected:
            _step_on(rows, groups, row + 1, flight, gravity, path, fastest, reach, near, asleep)
            candidates = _surfaces_near(solids, groups, reach, near, close)
        for i in range(candidates):
            surface, count, end, t = close[i], 1, until, np.inf
            if expected:
                surface = int(flight[EXPECTED_AT])
                for k in range(3):
                    brackets[0, k] = flight[EXPECTED_AT + 1 + k]
            else:
                solid, seen = solids.numbers[surface], blind[surface]
                t0 = max(begin, rows.start + rows.step * row, solid[SHOWN_AT])
                t0 = t0 if abs(seen) >= UNTIL_OFF else max(t0, seen)
                end = min(until, solid[GONE_AT])
                t1 = min(end, rows.start + rows.step * (row + 1))
                if t0 >= t1 or t0 > best_time:
                    continue
                enough = 0.0 if seen < UNTIL_OFF else (CLEAR if seen == UNTIL_CLEAR else BLUR)
                count, at_begin = _candidates(
                    rows, solids, surface, flight, gravity, path, row, t0, t1, end, clear, enough, brackets
                )
                if t0 == flight[START_AT] and seen == -np.inf and at_begin <= BLUR:
                    touching = _begins_in_touch(moving, room, solids, surface, flight, gravity, inside, touches[1])
                    t = t0 if touching else np.inf
            if t == np.inf:
                t, missed = _first_of(
                    moving, room, solids, surface, flight, gravity, brackets[:count], min(end, best_time), near_misses,
                    missed, touches[1],
                )  # fmt: skip
            if t < best_time:
                best, best_time = surface, t
                for k in range(TOUCH_WIDTH):
                    touches[0, k] = touches[1, k]
        if best_time <= rows.start + rows.step * (row + 1) and not expected:
            break
    return best, missed


@compiled
def _search(
    moving: Moving, rows: Rows, solids: Solids, groups: Groups, gravity: Floats, flights: Floats, blind: Floats
) -> tuple[Ints, Floats, Floats, Floats]:
    count, missed = len(flights), 0
    surface, touch = np.empty(count, np.int64), np.empty((count, TOUCH_WIDTH))
    inside, near = np.zeros((count, len(solids.frame))), np.empty((MOST_NEAR * count, 4))
    room, touches = desk(moving), np.empty((2, TOUCH_WIDTH))
    for n in range(count):
        surface[n], more = _fly(
            moving, rows, solids, groups, gravity, flights[n], blind[n], room, inside[n],
            near[missed : missed + MOST_NEAR], touches,
        )  # fmt: skip
        for k in range(TOUCH_WIDTH):
            touch[n, k] = touches[0, k]
        for k in range(missed, missed + more):
            near[k, 0] = n
        missed += more
        if surface[n] >= 0:
            duration = touch[n, TIME] - flights[n, START_AT]
            fly_turned(flights[n, STATE_AT:BALL_AT], duration, touch[n, BEFORE_AT:NORMAL_AT])
    return surface, touch, inside, near[:missed]


def first_touches(
    moving: Moving, rows: Rows, solids: Solids, groups: Groups, gravity: Floats, flights: Floats, blind: Floats
) -> Found:
    """The first touch of each flight.

    `blind` (flights, surfaces) says from when on a pair is seen: -inf always, inf not before it is clear.
    """
    return Found(*_search(moving, rows, solids, groups, gravity, flights, blind))


@compiled
def touches_at(
    moving: Moving, solids: Solids, surfaces: Ints, gravity: Floats, flights: Floats, times: Floats
) -> Floats:
    """(N, STRUCK) all about balls and surfaces at given times, whether or not they touch."""
    out, room = np.empty((len(surfaces), TOUCH_WIDTH)), desk(moving)
    for k in range(len(surfaces)):
        flight = flights[k]
        look_at(moving, room, solids, surfaces[k], flight, gravity, times[k], out[k])
        fly_turned(flight[STATE_AT:BALL_AT], times[k] - flight[START_AT], out[k, BEFORE_AT:NORMAL_AT])
    return out


def touch_at(moving: Moving, solids: Solids, surface: int, gravity: Floats, flight: Floats, time: float) -> Floats:
    """All about a ball and a surface at a given time (STRUCK)."""
    found: Floats = touches_at(moving, solids, np.array([surface]), gravity, flight[None], np.array([float(time)]))
    return found[0]


@compiled
def closest_approach(
    moving: Moving, solids: Solids, surfaces: Ints, gravity: Floats, flight: Floats, step: float
) -> Floats:
    """All about a ball and the one of some surfaces that it comes closest to between begin and until (STRUCK)."""
    out, best, room = np.empty(TOUCH_WIDTH), np.empty(TOUCH_WIDTH), desk(moving)
    best[GAP] = np.inf
    count = max(2, int(np.ceil((flight[UNTIL_AT] - flight[BEGIN_AT]) / step)))
    span = (flight[UNTIL_AT] - flight[BEGIN_AT]) / count
    for at in range(len(surfaces)):
        lowest, low = np.inf, flight[BEGIN_AT]
        for k in range(count + 1):
            look_at(moving, room, solids, surfaces[at], flight, gravity, flight[BEGIN_AT] + k * span, out)
            if out[GAP] < lowest:
                lowest, low = out[GAP], flight[BEGIN_AT] + (k - 1) * span
        low = max(low, flight[BEGIN_AT])
        _closest(moving, room, solids, surfaces[at], flight, gravity, low, min(low + 2 * span, flight[UNTIL_AT]), out)
        if out[GAP] < best[GAP]:
            for k in range(TOUCH_WIDTH):
                best[k] = out[k]
    return best
