"""Flight through air in machine code, for simulating: `rigid.air.fly_in_air` with the very same steps.

States are packed as eighteen numbers (place, rotation, velocity, spin) and air as six: drag, Magnus coefficient, wind,
and the number of steps; no steps mean that there is no air.
"""

import numpy as np

from kinematics.compiled import compiled, inner
from kinematics.rotation import Floats
from rigid.air import Air

AIR_SIZE = 6
DRAG, MAGNUS, WIND, STEPS = 0, 1, 2, 5
NO_AIR = np.zeros(AIR_SIZE)
AHEAD = 0.1  # [s] that a bound on the air's push is good for
SLOWEST = 1e-9  # [m/s] of approach that counts as meeting
TOUCHING = 1e-12  # [m]
STANDING = 1e-5  # [s] by which time goes on while two neither part nor approach
MOST_STEPS = 30  # of polishing


def packed_air(air: Air, steps: int) -> Floats:
    """(6,)"""
    wind = np.asarray(air.wind, float)
    return np.array([float(np.asarray(air.drag)), float(np.asarray(air.magnus)), *wind, float(steps)])


@inner
def push(velocity: Floats, spin: Floats, air: Floats, out: Floats) -> None:
    """What air adds to gravity (3,) [m/s²]."""
    x, y, z = velocity[0] - air[WIND], velocity[1] - air[WIND + 1], velocity[2] - air[WIND + 2]
    slowing = air[DRAG] * np.sqrt(x * x + y * y + z * z)
    out[0] = air[MAGNUS] * (spin[1] * z - spin[2] * y) - slowing * x
    out[1] = air[MAGNUS] * (spin[2] * x - spin[0] * z) - slowing * y
    out[2] = air[MAGNUS] * (spin[0] * y - spin[1] * x) - slowing * z


@inner
def glide(state: Floats, gravity: Floats, air: Floats, duration: float, after: Floats) -> None:
    """Fill in place, velocity and spin of a packed state after a flight through air; not the rotation."""
    spin, x, v = state[15:18], after[0:3], after[12:15]
    rate, trial, total, way = np.empty(3), np.empty(3), np.empty(3), np.empty(3)
    steps = int(air[STEPS])
    h = duration / steps
    for i in range(3):
        x[i], v[i], after[15 + i] = state[i], state[12 + i], spin[i]
    for _ in range(steps):
        for i in range(3):
            trial[i], total[i], way[i] = v[i], 0.0, 0.0
        for stage in range(4):
            push(trial, spin, air, rate)
            weight = 1.0 if stage == 0 or stage == 3 else 2.0
            reach = h if stage == 2 else 0.5 * h
            for i in range(3):
                rate[i] += gravity[i]
                total[i] += weight * rate[i]
                way[i] += weight * trial[i]
                trial[i] = v[i] + reach * rate[i]
        for i in range(3):
            x[i] += h / 6.0 * way[i]
            v[i] += h / 6.0 * total[i]


@inner
def place(state: Floats, gravity: Floats, air: Floats, duration: float, after: Floats) -> None:
    """Fill in place, velocity and spin after a flight, through air or without it."""
    if air[STEPS] > 0.0:
        glide(state, gravity, air, duration, after)
        return
    for i in range(3):
        velocity = state[12 + i]
        after[i] = state[i] + duration * velocity + 0.5 * duration * duration * gravity[i]
        after[12 + i] = velocity + duration * gravity[i]
        after[15 + i] = state[15 + i]


@inner
def _most_push(state: Floats, gravity: Floats, air: Floats) -> float:
    """A bound on what air adds to gravity within `AHEAD`: lift does no work in the wind's frame, and drag takes some."""
    if air[STEPS] == 0.0:
        return 0.0
    wind, spin, pull = 0.0, 0.0, 0.0
    for i in range(3):
        wind += (state[12 + i] - air[WIND + i]) ** 2
        spin += state[15 + i] ** 2
        pull += gravity[i] ** 2
    fastest = 1.01 * (np.sqrt(wind) + AHEAD * np.sqrt(pull))
    return fastest * (air[DRAG] * fastest + abs(air[MAGNUS]) * np.sqrt(spin))


@inner
def _apart(a: Floats, b: Floats, reach: float) -> tuple[float, float]:
    """The gap between two balls and its rate."""
    square, along = 0.0, 0.0
    for i in range(3):
        square += (a[i] - b[i]) ** 2
        along += (a[i] - b[i]) * (a[12 + i] - b[12 + i])
    distance = np.sqrt(square)
    return distance - reach, along / max(distance, 1e-300)


@compiled
def first_meeting_in_air(
    start: Floats, states: Floats, airs: Floats, reach: float, gravity: Floats, since: float, until: float
) -> float:
    """When two balls first touch, or inf; `start` (2,), `states` (2, 18) and `airs` (2, 6) are those of their flights.

    From a gap g that changes at a rate r, and with air that pushes them together by no more than A, the two cannot touch
    while g + r s - A s²/2 > 0. Stepping by that much misses nothing, whatever the speed, and gets to a touch
    quadratically.
    """
    a, b, t = np.empty(18), np.empty(18), since
    inside = False
    while t < until:
        place(states[0], gravity, airs[0], t - start[0], a)
        place(states[1], gravity, airs[1], t - start[1], b)
        gap, rate = _apart(a, b, reach)
        # balls that overlap when a flight begins (let go by one hand) are not seen before they are apart
        inside = gap < -0.5e-9 and (t == since or inside)
        if inside:
            t += max(-gap / (abs(rate) + 1.0), STANDING)
            continue
        if gap <= TOUCHING and rate < -SLOWEST:
            return _polished(start, states, airs, reach, gravity, since, t)
        most = _most_push(a, gravity, airs[0]) + _most_push(b, gravity, airs[1]) + 1e-9
        gap = max(gap, 0.0)
        root = np.sqrt(rate * rate + 2.0 * most * gap)
        # of two equal forms the one that does not cancel
        step = (rate + root) / most if rate >= 0.0 else 2.0 * gap / (root - rate)
        t += min(max(step, STANDING if rate >= -SLOWEST else 1e-14 + 4e-16 * abs(t)), AHEAD)
    return np.inf


@inner
def _polished(
    start: Floats, states: Floats, airs: Floats, reach: float, gravity: Floats, since: float, guess: float
) -> float:
    a, b, t, best, best_gap = np.empty(18), np.empty(18), guess, guess, np.inf
    for _ in range(MOST_STEPS):
        place(states[0], gravity, airs[0], t - start[0], a)
        place(states[1], gravity, airs[1], t - start[1], b)
        gap, rate = _apart(a, b, reach)
        if abs(gap) >= best_gap or rate >= 0.0:
            break
        best, best_gap = t, abs(gap)
        t = max(t - gap / rate, since)
    return best


@compiled
def acceleration_in_air(state: Floats, gravity: Floats, air: Floats) -> Floats:
    """Of a ball's centre (3,) [m/s²]: `rigid.air.acceleration`."""
    out = np.empty(3)
    push(state[12:15], state[15:18], air, out)
    return out + gravity
