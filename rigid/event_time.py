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
import numpy as np
from jax import Array
from jax.typing import ArrayLike

Gap = Callable[[Array, Any], Array]  # (time, whatever it depends on) -> gap [m]


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


def root_between(value: Callable[[float], float], before: float, after: float, at_after: float | None = None) -> float:
    """Where a function falls from above zero to below, to round-off, in some eight looks (`at_after` saves one).

    Chandrupatla's way (1997): inverse quadratic steps where they are safe, else halving. Where round-off hides one of
    the two signs, the root is where it was to be seen.
    """
    low, high = value(before), value(after) if at_after is None else at_after
    if not low > 0.0 >= high:  # nor where one of them is no number
        return after if low > 0.0 else before
    fine = float(np.spacing(max(abs(before), abs(after))))
    a, f_a, b, f_b = after, high, before, low  # the bracket: its newest end, and the other one
    share = high / (high - low)  # of the way from a to b
    while (t := a + share * (b - a)) not in (a, b):
        f_t = value(t)
        if (f_t > 0.0) == (f_a > 0.0):
            c, f_c = a, f_a
        else:
            c, f_c, b, f_b = b, f_b, a, f_a
        a, f_a = t, f_t
        if f_a == 0.0 or abs(b - a) <= fine:
            break
        across, rise = (a - b) / (c - b), (f_a - f_b) / (f_c - f_b)
        share = 0.5
        if rise**2 < across and (1.0 - rise) ** 2 < 1.0 - across:
            share = f_a / (f_b - f_a) * f_c / (f_b - f_c) + (c - a) / (b - a) * f_a / (f_c - f_a) * f_b / (f_c - f_b)
        least = fine / abs(b - a)  # beyond a root that is found as well as it can be: the bracket closes from there
        share = min(max(share, least), 1.0 - least)
    return a if abs(f_a) <= abs(f_b) else b
