"""Free flight: parabolas, and where there is air or a body that tumbles, Runge and Kutta in small steps."""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from hoi_edit.verify.independent_frames import MeasuredMotion, about
from kinematics.rotation import Floats
from rigid.air import Air
from rigid.body import Body

STEP = 1e-3  # [s] of an integration

# of the eighteen numbers that a session reports of a thing
PLACE, TURN, VELOCITY, SPIN = slice(0, 3), slice(3, 12), slice(12, 15), slice(15, 18)


@dataclass(frozen=True, eq=False)
class ThingState:
    """Of one thing at one time."""

    position: Floats
    rotation: Floats
    velocity: Floats
    spin: Floats

    @staticmethod
    def of(row: Floats) -> "ThingState":
        """From the numbers that a session reports, the rotation row by row."""
        row = np.asarray(row, float)
        return ThingState(row[PLACE], row[TURN].reshape(3, 3), row[VELOCITY], row[SPIN])

    @staticmethod
    def from_motion(motion: MeasuredMotion, k: int = 0) -> "ThingState":
        return ThingState(motion.position[k], motion.rotation[k], motion.velocity[k], motion.spin[k])

    def motion(self) -> MeasuredMotion:
        return MeasuredMotion(self.position[None], self.rotation[None], self.velocity[None], self.spin[None])


def flown(state: ThingState, body: Body, air: Air | None, gravity: Floats, duration: float) -> ThingState:
    """After `duration` [s], which may be negative."""
    path = flight(state, body, air, gravity, np.array([duration]))
    return ThingState.from_motion(path)


def flight(state: ThingState, body: Body, air: Air | None, gravity: Floats, after: Floats) -> MeasuredMotion:
    """At times (N,) after the state's own, in rising order or one alone."""
    position, velocity = _way(state, air, gravity, after)
    if len(body.vertices) == 1 or not np.any(state.spin):
        rotation, spin = _steady(state, after), np.tile(state.spin, (len(after), 1))
    else:
        rotation, spin = _tumbling(state, np.asarray(body.moments, float), after)
    return MeasuredMotion(position, rotation, velocity, spin)


def _way(state: ThingState, air: Air | None, gravity: Floats, after: Floats) -> tuple[Floats, Floats]:
    if air is None:
        t = after[:, None]
        return state.position + t * state.velocity + 0.5 * t * t * gravity, state.velocity + t * gravity
    drag, magnus, wind = float(np.asarray(air.drag)), float(np.asarray(air.magnus)), np.asarray(air.wind, float)

    def rate(x: Floats) -> Floats:
        w = x[3:] - wind
        pull = gravity - drag * np.linalg.norm(w) * w + magnus * np.cross(state.spin, w)
        return np.concatenate([x[3:], pull])

    rows = _integrated(rate, np.concatenate([state.position, state.velocity]), after)
    return rows[:, :3], rows[:, 3:]


def _integrated(rate: Callable[[Floats], Floats], x: Floats, after: Floats) -> Floats:
    """The classical method of fourth order, from 0 to each of the times."""
    rows, now = [], 0.0
    for t in after:
        steps = max(1, int(np.ceil(abs(t - now) / STEP)))
        h = (t - now) / steps
        for _ in range(steps):
            a = rate(x)
            b = rate(x + 0.5 * h * a)
            c = rate(x + 0.5 * h * b)
            x = x + h / 6.0 * (a + 2.0 * b + 2.0 * c + rate(x + h * c))
        rows.append(x)
        now = float(t)
    return np.array(rows)


def _steady(state: ThingState, after: Floats) -> Floats:
    """(N, 3, 3) of what turns about one axis for ever."""
    speed = float(np.linalg.norm(state.spin))
    if speed == 0.0:
        return np.tile(state.rotation, (len(after), 1, 1))
    return np.asarray(about(state.spin / speed, speed * after) @ state.rotation)


def _tumbling(state: ThingState, moments: Floats, after: Floats) -> tuple[Floats, Floats]:
    """Euler's equations in the body's own axes, beside the rotation as nine numbers."""

    def rate(x: Floats) -> Floats:
        R, w = x[:9].reshape(3, 3), x[9:]
        x_, y_, z_ = w
        K = np.array([[0.0, -z_, y_], [z_, 0.0, -x_], [-y_, x_, 0.0]])
        return np.concatenate([(R @ K).ravel(), -np.cross(w, moments * w) / moments])

    rows = _integrated(rate, np.concatenate([state.rotation.ravel(), state.rotation.T @ state.spin]), after)
    rotation = rows[:, :9].reshape(-1, 3, 3)
    return rotation, np.einsum("nij,nj->ni", rotation, rows[:, 9:])
