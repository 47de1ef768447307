"""Derivatives through sliding, rolling, edges and lift-off.

A span is a function of the ride and time at its begin (19 numbers) and of the surface (21). Its derivative is
compiled once, in reverse mode, which is forward mode transposed; those of spans in a row are chained by hand and
compared with difference quotients of fresh discoveries.
"""

from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
import pytest

from rigid.free_flight import State, fly
from rigid.rolling_ends import GRIP, LIFT, NONE, ContactSpan, End, X, replay
from rigid.sustained_contact import Riding, SustainedContact, in_world
from rigid.time_of_impact import event_time
from tests.helpers import polish
from tests.rigid.moving_surface import (
    BUSY,
    COUNT,
    ENDLESS,
    GLOBE,
    GRAVITY,
    ON_TABLE,
    TABLE,
    TOP,
    at,
    contact,
    find,
    follow,
    moving,
    play,
    quotient,
    surface,
)


def pack(ride: Riding, time: Any) -> jax.Array:
    return jnp.concatenate([leaf.ravel() for leaf in (*jax.tree.leaves(ride), jnp.asarray(time))])


def unpack(s: jax.Array) -> tuple[Riding, jax.Array]:
    return Riding(s[:3], s[3:12].reshape(3, 3), s[12:15], s[15:18]), s[18]


def spanned(z: jax.Array, here: SustainedContact, step: jax.Array, end: End) -> jax.Array:
    start, begin = unpack(z[:19])
    time, ride = replay(surface, z[19:].reshape(7, 3), ContactSpan(here, start, begin, step), end, COUNT)
    return pack(ride, time)


def landed(z: jax.Array) -> jax.Array:
    """The flight from the end of a contact down to a floor: where, when and how fast."""
    ride, time = unpack(z[:19])
    leaves = in_world(ride, jax.tree.map(lambda leaf: leaf[0], surface(time[None], z[19:].reshape(7, 3))))

    def height(t: jax.Array, state: State) -> jax.Array:
        return fly(state, TOP, GRAVITY, t).position[1] + 0.7

    fall = event_time(height, polish(height, 0.0, 2.0, jax.lax.stop_gradient(leaves)), leaves)
    down = fly(leaves, TOP, GRAVITY, fall)
    return jnp.concatenate([down.position, down.velocity, down.angular_velocity, (time + fall)[None]])


span_rate = jax.jit(jax.jacrev(spanned))
land, land_rate = jax.jit(landed), jax.jit(jax.jacfwd(landed))


def run(x: np.ndarray, here: SustainedContact, step: float, spans: int) -> tuple[np.ndarray, list[Any]]:
    """x: position, velocity and spin at time 0, then the surface. What is left of x at the end, and every span."""
    start = Riding(*(jnp.asarray(part) for part in (x[:3], np.eye(3), x[3:6], x[6:9])))
    u, found, time = jnp.asarray(x[9:]).reshape(7, 3), [], jnp.asarray(0.0, float)
    for _ in range(spans):
        stretch = ContactSpan(here, start, time, jnp.asarray(step, float))
        end = find(u, stretch)
        found.append((np.concatenate([pack(start, time), x[9:]]), here, stretch.step, end))
        time, start = play(u, stretch, end)
        here = follow(here, at(time, u), start, end.kind)
    return np.concatenate([pack(start, time), x[9:]]), found


def chained(found: list[Any]) -> np.ndarray:
    """d (ride, time, surface) at the end by x."""
    total = np.zeros((40, 30))
    total[[0, 1, 2, 12, 13, 14, 15, 16, 17], range(9)] = 1.0
    total[19:, 9:] = np.eye(21)
    for at_begin in found:
        total = np.concatenate([np.asarray(span_rate(*at_begin)) @ total, total[19:]])
    return total


@pytest.mark.parametrize(
    ("start", "rolls", "kinds"),
    [
        ((0.7, 0.15, 0.1, 1.5, 0.0, 0.4, 0.0, 2.0, 0.0), False, [GRIP, X, LIFT]),  # slides, rolls, leaves at once
        ((0.9, 0.15, 0.1, 0.3, 0.0, 0.1, 2.0, 1.0, -6.0), True, [X, GRIP, LIFT]),  # rolls, pivots, slips off
    ],
)
def test_rolling_off_a_table_has_the_derivative_of_its_landing(start: Any, rolls: bool, kinds: list[int]) -> None:
    here = contact(TABLE, ON_TABLE, rolls, 0.5)
    u = moving(axis=(0.6, 0.0, -0.8), turn=(0.04, 0.1, 0.0), velocity=(0.1, 0.0, 0.0), acceleration=(0.3, 0.2, 0.1))
    x = np.concatenate([start, np.ravel(u)])
    last, found = run(x, here, 0.01, 3)
    assert [int(end.kind) for *_, end in found] == kinds
    derivative = np.asarray(land_rate(last)) @ chained(found)
    numeric = quotient(lambda y: np.asarray(land(run(y, here, 0.01, 3)[0])), x)
    np.testing.assert_allclose(derivative, numeric, atol=1e-7 * np.abs(numeric).max())


@pytest.mark.parametrize(
    ("rolls", "friction", "step", "kinds"),
    [(True, ENDLESS, 0.0005, [NONE]), (True, 0.3, 0.003, [GRIP, LIFT]), (False, 0.3, 0.003, [LIFT])],
)
def test_derivatives_on_a_busy_globe(rolls: bool, friction: float, step: float, kinds: list[int]) -> None:
    here = contact(GLOBE, (0.05, 0.35, -0.02), rolls, friction)
    x = np.array([0.05, 0.35, -0.02, 0.2, 0.0, 0.5, 20.0, 5.0, 40.0, *np.ravel(BUSY)])
    _, found = run(x, here, step, len(kinds))
    assert [int(end.kind) for *_, end in found] == kinds
    numeric = quotient(lambda y: run(y, here, step, len(kinds))[0], x, step=3e-5)
    np.testing.assert_allclose(chained(found), numeric, atol=1e-7 * np.abs(numeric).max())
