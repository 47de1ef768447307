"""When things touch: the time of impact to round-off, and its derivative.

An event's time t is an implicit function of everything u that its gap depends on: g(t, u) = 0, hence

    dt/du = -(∂g/∂u) / (∂g/∂t)                                             (the time Jacobian of eq. 12)

This is the one place where that rule is written. Finding the root is discrete and not differentiated; `event_time` then
hands the root on with this derivative, forward and reverse, so that whatever follows an event follows its time as well.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

Gap = Callable[[Array, Any], Array]  # (time, whatever it depends on) -> gap [m]

ITERATIONS = 60  # of bisection, in case Newton keeps leaving the bracket; a dozen Newton steps are the rule


@partial(jax.custom_jvp, nondiff_argnums=(0,))
def event_time(gap: Gap, root: ArrayLike, u: Any) -> Array:
    """The time `root`, at which `gap` is zero, as a function of u."""
    del gap, u
    return jnp.asarray(root, float)


@event_time.defjvp
def _event_time_jvp(gap: Gap, primals: tuple[Any, Any], tangents: tuple[Any, Any]) -> tuple[Array, Array]:
    root, u = primals
    time = jnp.asarray(root, float)
    _, by_u = jax.jvp(lambda x: gap(time, x), (u,), (tangents[1],))
    _, by_time = jax.jvp(lambda t: gap(t, u), (time,), (jnp.ones_like(time),))
    # a grazing touch has no rate and its time is no function of u: the number stays finite, `rate_at` tells the caller
    return time, -by_u / jnp.where(by_time == 0.0, jnp.inf, by_time)


def rate_at(gap: Gap, time: ArrayLike, u: Any) -> Array:
    """∂g/∂t at an event [m/s]: negative when closing. Close to zero the touch grazes: do not trust its derivative."""
    return jax.jvp(lambda t: gap(t, u), (jnp.asarray(time, float),), (jnp.asarray(1.0),))[1]


def polish(gap: Gap, before: ArrayLike, after: ArrayLike, u: Any) -> Array:
    """The root of `gap` between two times at which its signs differ, to round-off: Newton, kept inside its bracket."""

    def step(_: int, bracket: tuple[Array, Array, Array]) -> tuple[Array, Array, Array]:
        low, high, t = bracket
        value, rate = jax.jvp(lambda time: gap(time, u), (t,), (jnp.ones_like(t),))
        same_side = jnp.sign(value) == start_sign
        low, high = jnp.where(same_side, t, low), jnp.where(same_side, high, t)
        newton = t - value / jnp.where(rate == 0.0, jnp.inf, rate)
        inside = (newton > low) & (newton < high) & (rate != 0.0)
        return low, high, jnp.where(value == 0.0, t, jnp.where(inside, newton, 0.5 * (low + high)))

    low, high = jnp.asarray(before, float), jnp.asarray(after, float)
    start_sign = jnp.sign(gap(low, u))
    return jax.lax.fori_loop(0, ITERATIONS, step, (low, high, 0.5 * (low + high)))[2]
