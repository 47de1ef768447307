"""The broad phase: which surfaces something in flight may touch between two rows of the table, by spheres around
frames and by how far either gets in that time."""

import numpy as np

from hoi_edit.simulate.search.layouts import (
    AIR_AT,
    BALL_AT,
    BEGIN_AT,
    BLUR,
    CORE_AT,
    LOOSE,
    RADIUS_AT,
    START_AT,
    STATE_AT,
    STEPS_AT,
    UNTIL_AT,
    VELOCITY_AT,
    Groups,
    Ints,
    PoseRows,
    Solids,
    in_shape,
)
from kinematics.compiled import compiled, inner
from kinematics.packed_motion import STATE_SIZE, VELOCITY
from kinematics.rotation import Floats
from rigid.air_compiled import STEPS, WIND, glide
from rigid.ballistics import fallen
from rigid.distance_compiled import box_gap


@inner
def path_of(rows: PoseRows, flight: Floats, gravity: Floats, first: int, last: int) -> Floats:
    """(T, 4) where a ball in air is at the rows that a search from first to last looks at, and a bound on how fast it
    is from then on, but for gravity [m/s]. From row to row one step is plenty for saying where to look."""
    if flight[STEPS_AT] == 0.0:
        return np.empty((0, 4))
    count, state, air, exact = len(rows.pose), np.empty((3, STATE_SIZE)), flight[AIR_AT:].copy(), False
    out = np.empty((count, 4))
    low, high = min(max(first - 1, 0), max(count - 5, 0)), min(max(last + 3, first + 4), count - 1)
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
        speed += (state[VELOCITY + i] - air[WIND + i]) ** 2
    return np.sqrt(speed) + np.sqrt(wind)


@inner
def top_speed(flight: Floats, gravity: Floats) -> float:
    """The fastest that a ball is in free flight [m/s]: at one of its ends. 0 where air is felt: it cannot be told."""
    if flight[STEPS_AT] > 0.0:
        return 0.0
    first, last = 0.0, 0.0
    for i in range(3):
        velocity = flight[VELOCITY_AT + i]
        first += (velocity + (flight[BEGIN_AT] - flight[START_AT]) * gravity[i]) ** 2
        last += (velocity + (flight[UNTIL_AT] - flight[START_AT]) * gravity[i]) ** 2
    return np.sqrt(max(first, last))


@inner
def reach_at(
    rows: PoseRows, groups: Groups, row: int, flight: Floats, gravity: Floats, path: Floats, fastest: float,
    out: Floats, near: Ints, asleep: Ints,
) -> None:  # fmt: skip
    """A ball's place at a row of the table and how far it may reach within half a step of it (4,); and which groups.

    One that is far away cannot be near for as many rows as the two take to meet: it is `asleep` (G,) until then.
    """
    tau = rows.start + rows.step * row - flight[START_AT]
    speed, share = 0.0, 0.55
    if flight[STEPS_AT] == 0.0:
        for i in range(3):
            velocity = flight[VELOCITY_AT + i]
            out[i] = fallen(flight[STATE_AT + i], velocity, gravity[i], tau)
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
def surfaces_near(solids: Solids, groups: Groups, reach: Floats, near: Ints, out: Ints) -> int:
    """Surfaces that a ball may touch between two rows; `reach` (2, 4) and `near` (2, G) are as found at them."""
    count = 0
    for g in range(len(groups.sphere)):
        if near[0, g] == 1 or near[1, g] == 1:
            for at in range(groups.first[g], groups.first[g + 1]):
                out[count] = groups.surface[at]
                count += 1
    for at in range(len(groups.still)):
        solid, close = solids.numbers[groups.still[at]], False
        for end in range(2):
            x, y, z = in_shape(solid, reach[end, 0], reach[end, 1], reach[end, 2])
            close = close or box_gap(solid[CORE_AT:RADIUS_AT], solid[RADIUS_AT], x, y, z) < reach[end, 3]
        if close:
            out[count] = groups.still[at]
            count += 1
    return count


@inner
def step_on(
    rows: PoseRows, groups: Groups, row: int, flight: Floats, gravity: Floats, path: Floats, fastest: float,
    reach: Floats, near: Ints, asleep: Ints,
) -> None:  # fmt: skip
    """What was the end of an interval becomes the beginning of the next."""
    for i in range(4):
        reach[0, i] = reach[1, i]
    for g in range(len(groups.sphere)):
        near[0, g] = near[1, g]
    reach_at(rows, groups, row, flight, gravity, path, fastest, reach[1], near[1], asleep)


@inner
def span_of(rows: PoseRows, begin: float, until: float) -> tuple[int, int]:
    """First and last row of the table around a stretch of time."""
    count = len(rows.pose)
    first = min(max(int(np.floor((begin - rows.start) / rows.step + 1e-9)), 0), count - 2)
    last = min(max(int(np.ceil((until - rows.start) / rows.step - 1e-9)), first + 1), count - 1)
    return first, last


@compiled
def near_surfaces(rows: PoseRows, solids: Solids, groups: Groups, gravity: Floats, flight: Floats) -> Ints:
    """(K, 2) row and surface of all intervals of the table in which something in flight may touch a surface."""
    first, last = span_of(rows, flight[BEGIN_AT], flight[UNTIL_AT])
    reach, near = np.empty((2, 4)), np.empty((2, len(groups.sphere)), np.int64)
    close, count = np.empty(len(solids.frame), np.int64), 0
    row_and_surface = np.empty(((last - first) * len(solids.frame), 2), np.int64)
    path = path_of(rows, flight, gravity, first, last)
    fastest, asleep = top_speed(flight, gravity), np.zeros(len(groups.sphere), np.int64)
    reach_at(rows, groups, first, flight, gravity, path, fastest, reach[1], near[1], asleep)
    for row in range(first, last):
        step_on(rows, groups, row + 1, flight, gravity, path, fastest, reach, near, asleep)
        for i in range(surfaces_near(solids, groups, reach, near, close)):
            row_and_surface[count, 0], row_and_surface[count, 1] = row, close[i]
            count += 1
    return row_and_surface[:count]
