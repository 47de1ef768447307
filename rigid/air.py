"""Flight of a ball through air: quadratic drag and the Magnus force, for those who ask for them.

    a = g - d |w| w + m ω × w,     w = v - wind

`d` [1/m] is ½ ρ c_D A / mass. The Magnus force is taken as proportional to spin and speed, as for a smooth ball whose
lift coefficient grows with r|ω|/|w|; `m` (a number) is ½ ρ c_M A r / mass. Spin itself does not fade. The equation is
integrated by the classical Runge-Kutta method, of order four, in a fixed number of steps: one compilation serves every
duration, forward and reverse. Without air use `flight`, which is exact. `air_compiled` is the same in machine code.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from kinematics.errors import HoiError
from rigid.free_flight import State, Top, fly

STEPS = 128  # two seconds at 30 m/s are then right to 1e-8 m for a football, to 1e-6 m for a table tennis ball
FEWEST, MOST = 32, 512  # steps; with 32 a pitch at 45 m/s is right to 1e-7 m after 1.5 s
QUICK = 30.0  # [m/s]
SLOWING = 0.1  # of its speed that a quick ball may lose in a step
DENSITY = 1.2  # of air [kg/m³]


@partial(jax.tree_util.register_dataclass, data_fields=["drag", "magnus", "wind"], meta_fields=[])
@dataclass(frozen=True)
class Air:
    drag: ArrayLike  # d [1/m]
    magnus: ArrayLike  # m
    wind: ArrayLike  # (3,) [m/s]

    @property
    def matters(self) -> bool:
        """Without drag and lift a flight is that of `flight`."""
        return bool(np.any(self.drag) or np.any(self.magnus))


def air_for(
    mass: float, radius: float, drag: float = 0.47, lift: float = 1.0, wind: Sequence[float] = (0.0, 0.0, 0.0)
) -> Air:
    """Air around a ball with a drag coefficient, and a lift coefficient per r|ω|/|w|; 0.47 is a smooth ball's."""
    for name, number in (("mass", mass), ("radius", radius)):
        if not (np.isfinite(number) and number > 0.0):
            raise HoiError(f"the {name} of a ball in air must be a positive number, not {number:g}")
    pressure = 0.5 * DENSITY * np.pi * radius**2 / mass
    air = Air(pressure * drag, pressure * radius * lift, np.array(wind, float))
    check_air("a ball", air)
    return air


def check_air(owner: str, air: Air) -> None:
    """Whether its numbers are some that a ball can fly in."""
    drag, magnus, wind = (np.asarray(number, float) for number in (air.drag, air.magnus, air.wind))
    if drag.shape or not (np.isfinite(drag) and drag >= 0.0):
        raise HoiError(f"the drag of the air around {owner} is {air.drag}; it must be zero or a positive number")
    if magnus.shape or not np.isfinite(magnus):
        raise HoiError(f"the lift of the air around {owner} is {air.magnus}; it must be a finite number")
    if wind.shape != (3,) or not np.all(np.isfinite(wind)):
        raise HoiError(f"the wind around {owner} is {air.wind}; it must be three finite numbers [m/s]")


def steps_for(air: Air, seconds: float) -> int:
    """How many steps a flight takes that may last so long: a power of two, since each number is compiled for."""
    wanted = float(np.asarray(air.drag)) * QUICK * seconds / SLOWING
    return int(np.clip(2 ** np.ceil(np.log2(max(wanted, 1.0))), FEWEST, MOST))


def fly_in_air(state: State, ball: Top, gravity: Array, air: Air, duration: ArrayLike, steps: int = STEPS) -> State:
    """The state of a ball after `duration` [s] of flight through air; negative durations go back."""
    h = jnp.asarray(duration, float) / steps

    def advance(motion: Array, _: None) -> tuple[Array, None]:
        return _runge_kutta(motion, h, state.angular_velocity, gravity, air), None

    motion, _ = jax.lax.scan(advance, jnp.stack([state.position, state.velocity]), None, length=steps)
    turned = fly(state, ball, gravity, duration)
    return State(motion[0], turned.rotation, motion[1], turned.angular_velocity)


def acceleration(velocity: Array, spin: Array, gravity: Array, air: Air) -> Array:
    """Of a ball's centre (3,) [m/s²]."""
    w = velocity - air.wind
    square = jnp.dot(w, w)
    # |w| has no derivative where the ball stands still in the air, but |w| w has: it is zero
    speed = jnp.where(square > 0.0, jnp.sqrt(jnp.where(square > 0.0, square, 1.0)), 0.0)
    return gravity - air.drag * speed * w + air.magnus * jnp.cross(spin, w)


def _runge_kutta(motion: Array, h: Array, spin: Array, gravity: Array, air: Air) -> Array:
    """One step of position and velocity (2, 3)."""

    def rate(x: Array) -> Array:
        return jnp.stack([x[1], acceleration(x[1], spin, gravity, air)])

    a = rate(motion)
    b = rate(motion + 0.5 * h * a)
    c = rate(motion + 0.5 * h * b)
    d = rate(motion + h * c)
    return motion + h / 6.0 * (a + 2.0 * b + 2.0 * c + d)
