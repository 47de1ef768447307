"""Flight through air in machine code, for simulating: `rigid.air.fly_in_air` with the very same steps.

States are packed as eighteen numbers (place, rotation, velocity, spin) and air as six: drag, Magnus coefficient, wind,
and the number of steps; no steps mean that there is no air.
"""

import numpy as np

from kinematics.compiled import compiled, inner
from kinematics.packed_motion import SPIN, STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from rigid.air import Air
from rigid.ballistics import fall
from rigid.roots import MOST_LOOKS, next_look, search_between

AIR_SIZE = 6
DRAG, MAGNUS, WIND, STEPS = 0, 1, 2, 5
NO_AIR = np.zeros(AIR_SIZE)
AHEAD = 0.1  # [s] that a bound on the air's push is good for
SLOWEST = 1e-9  # [m/s] of approach that counts as meeting
TOUCHING = 1e-12  # [m]
STANDING = 1e-5  # [s] by which time goes on while two neither part nor approach


def packed_air(air: Air, steps: int) -> Floats:
    """(6,)"""
    wind = np.asarray(air.wind, float)
    return np.array([float(np.asarray(air.drag)), float(np.asarray(air.magnus)), *wind, float(steps)])


@inner
def _rate(
    u: float, v: float, w: float, spin: Floats, air: Floats, gravity: Floats
) -> tuple[float, float, float]:  # fmt: skip
    """The acceleration at a velocity in the wind's frame [m/s²]."""
    magnus, slowing = air[MAGNUS], air[DRAG] * np.sqrt(u * u + v * v + w * w)
    return (
        gravity[0] + magnus * (spin[1] * w - spin[2] * v) - slowing * u,
        gravity[1] + magnus * (spin[2] * u - spin[0] * w) - slowing * v,
        gravity[2] + magnus * (spin[0] * v - spin[1] * u) - slowing * w,
    )


@inner
def accelerated(state: Floats, gravity: Floats, air: Floats, out: Floats) -> None:
    """Fill in the acceleration (3,) of a packed state: `rigid.air.acceleration`."""
    u, v, w = state[VELOCITY] - air[WIND], state[VELOCITY + 1] - air[WIND + 1], state[VELOCITY + 2] - air[WIND + 2]
    out[0], out[1], out[2] = _rate(u, v, w, state[SPIN:STATE_SIZE], air, gravity)


@inner
def glide(state: Floats, gravity: Floats, air: Floats, duration: float, after: Floats) -> None:
    """Fill in place, velocity and spin of a packed state after a flight through air; not the rotation.

    In single numbers, since this is where a simulation with air spends its time: with arrays it takes almost twice as
    long. A step's way needs no sums of its own, for air does not depend on the place.
    """
    spin, a, b, c = state[SPIN:STATE_SIZE], air[WIND], air[WIND + 1], air[WIND + 2]
    x, y, z = state[0], state[1], state[2]
    u, v, w = state[VELOCITY] - a, state[VELOCITY + 1] - b, state[VELOCITY + 2] - c
    steps = int(air[STEPS])
    h = duration / steps
    half, sixth, square = 0.5 * h, h / 6.0, h * h / 6.0
    for _ in range(steps):
        a1, b1, c1 = _rate(u, v, w, spin, air, gravity)
        a2, b2, c2 = _rate(u + half * a1, v + half * b1, w + half * c1, spin, air, gravity)
        a3, b3, c3 = _rate(u + half * a2, v + half * b2, w + half * c2, spin, air, gravity)
        a4, b4, c4 = _rate(u + h * a3, v + h * b3, w + h * c3, spin, air, gravity)
        x += h * (u + a) + square * (a1 + a2 + a3)
        y += h * (v + b) + square * (b1 + b2 + b3)
        z += h * (w + c) + square * (c1 + c2 + c3)
        u += sixth * (a1 + 2.0 * a2 + 2.0 * a3 + a4)
        v += sixth * (b1 + 2.0 * b2 + 2.0 * b3 + b4)
        w += sixth * (c1 + 2.0 * c2 + 2.0 * c3 + c4)
    after[0], after[1], after[2] = x, y, z
    after[VELOCITY], after[VELOCITY + 1], after[VELOCITY + 2] = u + a, v + b, w + c
    for i in range(SPIN, STATE_SIZE):
        after[i] = state[i]


@inner
def place(state: Floats, gravity: Floats, air: Floats, duration: float, after: Floats) -> None:
    """Fill in place, velocity and spin after a flight, through air or without it."""
    if air[STEPS] > 0.0:
        glide(state, gravity, air, duration, after)
    else:
        fall(state, gravity, duration, after)


@inner
def _most_push(state: Floats, gravity: Floats, air: Floats) -> float:
    """A bound on what air adds to gravity within `AHEAD`: lift does no work in the wind's frame, and drag takes it."""
    if air[STEPS] == 0.0:
        return 0.0
    wind, spin, pull = 0.0, 0.0, 0.0
    for i in range(3):
        wind += (state[VELOCITY + i] - air[WIND + i]) ** 2
        spin += state[SPIN + i] ** 2
        pull += gravity[i] ** 2
    fastest = 1.01 * (np.sqrt(wind) + AHEAD * np.sqrt(pull))
    return fastest * (air[DRAG] * fastest + abs(air[MAGNUS]) * np.sqrt(spin))


@inner
def _apart(a: Floats, b: Floats, reach: float) -> tuple[float, float]:
    """The gap between two balls and its rate."""
    square, along = 0.0, 0.0
    for i in range(3):
        square += (a[i] - b[i]) ** 2
        along += (a[i] - b[i]) * (a[VELOCITY + i] - b[VELOCITY + i])
    distance = np.sqrt(square)
    return distance - reach, along / max(distance, 1e-300)


@compiled
def first_meeting_in_air(
    start: Floats, states: Floats, airs: Floats, reach: float, gravity: Floats, since: float, until: float
) -> float:
    """When two balls first touch, or inf; `start` (2,), `states` (2, 18) and `airs` (2, 6) are those of their flights.

    From a gap g that changes at a rate r, and with air that pushes them together by no more than A, the two cannot
    touch while g + r s - A s²/2 > 0. Stepping by that much misses nothing, whatever the speed, and gets to a touch
    quadratically.
    """
    a, b, t = np.empty(STATE_SIZE), np.empty(STATE_SIZE), since
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
    """The instant of a meeting, to round-off."""
    a, b, search, t = np.empty(STATE_SIZE), np.empty(STATE_SIZE), search_between(since, np.inf), guess
    for _ in range(MOST_LOOKS):
        place(states[0], gravity, airs[0], t - start[0], a)
        place(states[1], gravity, airs[1], t - start[1], b)
        gap, rate = _apart(a, b, reach)
        search, then = next_look(search, t, gap, rate)
        if then == t:
            break
        t = then
    return t


@compiled
def acceleration_in_air(state: Floats, gravity: Floats, air: Floats) -> Floats:
    """Of a ball's centre (3,) [m/s²]."""
    out = np.empty(3)
    accelerated(state, gravity, air, out)
    return out
