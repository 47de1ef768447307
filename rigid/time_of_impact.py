"""When things touch: the derivative of the time of impact.

An event's time t is an implicit function of everything u that its gap depends on: g(t, u) = 0, hence

    dt/du = -(∂g/∂u) / (∂g/∂t)                                             (the time Jacobian of eq. 12)

Of all that JAX differentiates this is the one place where that rule is written. Finding the root (`roots`) is discrete
and not differentiated; `time_of_impact` then hands it on with this derivative, forward and reverse, so that whatever
follows an event follows its time as well.
"""

from collections.abc import Callable
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
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
    return time, time_by(by_u, by_time)


def time_by(gap_by_u: Any, gap_by_time: Any) -> Any:  # of numpy and of JAX
    """The rule itself. A grazing touch has no rate and its time is no function of u: the number stays finite, and
    `rate_at` tells the caller."""
    xp = gap_by_time.__array_namespace__()
    return -gap_by_u / xp.where(gap_by_time == 0.0, xp.inf, gap_by_time)


def rate_at(gap: Gap, time: ArrayLike, u: Any) -> Array:
    """∂g/∂t at an event [m/s]: negative when closing. Close to zero the touch grazes: do not trust its derivative."""
    return jax.jvp(lambda t: gap(t, u), (jnp.asarray(time, float),), (jnp.asarray(1.0),))[1]
