"""Derivatives that can be written down, worked out by hand and used nowhere else.

A homogeneous ball of radius r falls with g. When it touches a level floor at v_n after t_c, with τ left until the time
that is asked for, it leaves with e v_n; its slip s = v_t + ω × (-r n) loses 2/7 of itself to the velocity if it sticks
and μ (1 + e) v_n along s if it slides.
"""

from dataclasses import dataclass

import numpy as np

from hoi_edit.truth.jacobian_entry import VX, VY, VZ, JacobianEntry, X, Y, Z
from hoi_edit.truth.truth_scenes import EDGE, FALL, FROM, RADIUS, THROW

G = 9.81


@dataclass(frozen=True)
class Fall:
    """Down to the floor from height h above touching, thrown up with v."""

    h: float
    v: float

    @property
    def v_n(self) -> float:
        return float(np.sqrt(self.v**2 + 2.0 * G * self.h))

    @property
    def t_c(self) -> float:
        return (self.v + self.v_n) / G

    def height_by_h(self, e: float, time: float) -> float:
        tau = time - self.t_c
        return e * tau * G / self.v_n - (e * self.v_n - G * tau) / self.v_n

    def height_by_v(self, e: float, time: float) -> float:
        tau = time - self.t_c
        return e * tau * self.v / self.v_n - (e * self.v_n - G * tau) * (1.0 + self.v / self.v_n) / G


def drop(time: float) -> dict[JacobianEntry, float]:
    """y = r + g T τ - g τ²/2 with T = sqrt(2 (h - r) / g) and τ = time - T, so dy/dT = g (2 time - 3 T)."""
    T = float(np.sqrt(2.0 * (1.0 - RADIUS) / G))
    return {JacobianEntry(Y, "ball.position", 1): (2.0 * time - 3.0 * T) / T}


def _throw() -> Fall:
    position, velocity, _ = THROW
    return Fall(position[1] - RADIUS, velocity[1])


def sliding(e: float, mu: float, time: float) -> dict[JacobianEntry, float]:
    fall = _throw()
    _, velocity, spin = THROW
    slip = np.array([velocity[0] + RADIUS * spin[2], velocity[2] - RADIUS * spin[0]])
    sx, sz = slip / np.linalg.norm(slip)
    v_n, tau = fall.v_n, time - fall.t_c
    # sideways it has lost μ (1 + e) v_n; that begins 1/v_n later per unit of height, and is g/v_n larger
    by_height = mu * (1.0 + e) * (1.0 - tau * G / v_n)
    return {
        JacobianEntry(X, "ball.position", 1): sx * by_height,
        JacobianEntry(Z, "ball.position", 1): sz * by_height,
        JacobianEntry(Y, "ball.position", 1): fall.height_by_h(e, time),
        JacobianEntry(Y, "ball.velocity", 1): fall.height_by_v(e, time),
        JacobianEntry(Y, "floor.restitution"): v_n * tau,
        JacobianEntry(VY, "floor.restitution"): v_n,
        JacobianEntry(X, "floor.restitution"): -mu * v_n * sx * tau,
        JacobianEntry(X, "floor.friction"): -(1.0 + e) * v_n * sx * tau,
        JacobianEntry(VZ, "floor.friction"): -(1.0 + e) * v_n * sz,
    }


def sticking(e: float, time: float) -> dict[JacobianEntry, float]:
    fall = _throw()
    tau = time - fall.t_c
    return {
        JacobianEntry(X, "ball.velocity", 0): fall.t_c + 5.0 / 7.0 * tau,
        JacobianEntry(VZ, "ball.velocity", 2): 5.0 / 7.0,
        JacobianEntry(X, "ball.spin", 2): -2.0 / 7.0 * RADIUS * tau,
        JacobianEntry(Z, "ball.spin", 0): 2.0 / 7.0 * RADIUS * tau,
        JacobianEntry(Y, "ball.position", 1): fall.height_by_h(e, time),
        JacobianEntry(Y, "ball.velocity", 1): fall.height_by_v(e, time),
        JacobianEntry(Y, "floor.friction"): 0.0,
        JacobianEntry(X, "floor.friction"): 0.0,
    }


def exchanged(time: float) -> dict[JacobianEntry, float]:
    """Ball a goes on as b's ghost, a diameter behind it: along their line the derivative is a permutation."""
    rows = {(X, "b.position"): 1.0, (X, "b.velocity"): time, (VX, "b.velocity"): 1.0}
    return {
        JacobianEntry(component, block, 0): rows.get((component, block), 0.0)
        for component in (X, VX)
        for block in ("a.position", "a.velocity", "b.position", "b.velocity")
    }


def over_the_edge(speed: float, time: float) -> dict[JacobianEntry, float]:
    """It touches the table after t_c, rolls on with 5/7 of what its speed has more, and falls from the edge on."""
    t_c = float(np.sqrt(2.0 * FALL / G))
    t_edge = (EDGE - FROM) / speed
    rolled = t_c + 5.0 / 7.0 * (t_edge - t_c)
    return {
        JacobianEntry(X, "ball.position", 0): 1.0,
        JacobianEntry(Y, "ball.position", 0): -G * (time - t_edge) / speed,
        JacobianEntry(VY, "ball.position", 0): -G / speed,
        JacobianEntry(X, "ball.velocity", 0): t_c + 5.0 / 7.0 * (time - t_c),
        JacobianEntry(VX, "ball.velocity", 0): 5.0 / 7.0,
        JacobianEntry(Y, "ball.velocity", 0): -G * (time - t_edge) * rolled / speed,
        JacobianEntry(Y, "ball.position", 1): 0.0,
    }
