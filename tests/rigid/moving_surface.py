"""Balls on one moving surface with many parameters, and chunks of one length, so that all tests of contact share
compilations."""

from dataclasses import replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np

from kinematics.rotation import hinge
from rigid.distance import RoundedBox
from rigid.free_flight import Top
from rigid.rolling_ends import (
    Chunk,
    ContactSpan,
    End,
    edges_of,
    first_end,
    later,
    margins,
    next_contact,
    replay,
    ride_at,
    rolled,
)
from rigid.sustained_contact import (
    Riding,
    RoundBody,
    SurfaceMotion,
    SustainedContact,
    gap_and_normal,
    in_world,
    stage_times,
    touching,
    touching_feature,
)

G, RADIUS, K = 9.81, 0.05, 0.4
GRAVITY = jnp.array([0.0, -G, 0.0])
BALL, TOP = RoundBody(RADIUS, K), Top.ball(RADIUS)
TABLE = RoundedBox.of("box", [1.0, 0.1, 1.0])
GLOBE = RoundedBox.of("sphere", [0.3, 0.0, 0.0])
COUNT = 64
ENDLESS = 1e12  # friction that holds until there is no contact


def pose(t: jax.Array, u: jax.Array) -> tuple[jax.Array, jax.Array]:
    """Rows of u: place, velocity, acceleration, sine's amplitude and frequency, axis, turn (begin, rate, its rate)."""
    position = u[0] + u[1] * t + 0.5 * u[2] * t**2 + u[3] * jnp.sin(u[4] * t)
    return position, hinge(u[5], u[6, 0] + u[6, 1] * t + 0.5 * u[6, 2] * t**2)


def surface(times: jax.Array, u: jax.Array) -> SurfaceMotion:
    """By hand: a third of the operations that `surface_motion` needs, and its referee."""

    def one(t: jax.Array) -> SurfaceMotion:
        position, rotation = pose(t, u)
        velocity = u[1] + u[2] * t + u[3] * u[4] * jnp.cos(u[4] * t)
        acceleration = u[2] - u[3] * u[4] ** 2 * jnp.sin(u[4] * t)
        return SurfaceMotion(position, rotation, velocity, u[5] * (u[6, 1] + u[6, 2] * t), acceleration, u[5] * u[6, 2])

    return jax.vmap(one)(times)


def moving(**rows: Any) -> jax.Array:
    names = ["place", "velocity", "acceleration", "amplitude", "frequency", "axis", "turn"]
    return jnp.asarray([rows.get(name, (0.0, 0.0, 0.0)) for name in names], float)


STILL = moving()
BUSY = moving(
    acceleration=(1, 2, 0), amplitude=(0.05, 0.02, 0.0), frequency=(8, 9, 1), axis=(0.6, 0.0, -0.8), turn=(0.2, 3, -2)
)


@jax.jit
def at(t: Any, u: jax.Array) -> SurfaceMotion:
    return jax.tree.map(lambda leaf: leaf[0], surface(jnp.asarray(t, float)[None], u))


@jax.jit
def _rolled(u: jax.Array, spans: ContactSpan, times: jax.Array) -> tuple[Chunk, jax.Array]:
    return rolled(spans, surface(times, u))


@jax.jit
def _later(u: jax.Array, chunk: Chunk, edge: Any, duration: Any, times: jax.Array) -> tuple[Riding, jax.Array]:
    there, ride, heading = later(chunk, edge, duration, surface(times, u))
    return ride, margins(chunk.contact, there, ride, heading)


def find(u: jax.Array, spans: ContactSpan) -> End:
    """The first end of a contact, as a search finds it."""
    edges = edges_of(spans, COUNT)
    chunk, values = _rolled(u, spans, stage_times(edges))

    def look(edge: int, t: float) -> np.ndarray:
        return np.asarray(_later(u, chunk, edge, t - edges[edge], stage_times(np.array([edges[edge], t])))[1])

    return first_end(np.asarray(values), spans, look)


def after_edge(u: jax.Array, spans: ContactSpan, edge: int, t: float) -> Riding:
    """The ride at a time, as a search has it."""
    edges = edges_of(spans, COUNT)
    chunk, _ = _rolled(u, spans, stage_times(edges))
    return _later(u, chunk, edge, t - edges[edge], stage_times(np.array([edges[edge], t])))[0]


play = jax.jit(partial(replay, surface, count=COUNT))
ride_to = jax.jit(partial(ride_at, surface, count=COUNT))
world = jax.jit(in_world)
touch = jax.jit(touching)
follow = jax.jit(next_contact)


def contact(shape: RoundedBox, position: Any, rolls: bool, friction: float) -> SustainedContact:
    core = jnp.asarray(shape.core, float)
    feature = touching_feature(shape, jnp.asarray(position, float))
    shape = RoundedBox(core, jnp.asarray(shape.radius, float))
    return SustainedContact(BALL, shape, feature, jnp.asarray(rolls), jnp.asarray(friction, float), GRAVITY)


def span(
    shape: RoundedBox, position: Any, velocity: Any, spin: Any = (0.0, 0.0, 0.0), rolls: bool = True,
    friction: float = ENDLESS, step: float = 0.01, begin: float = 0.0,
) -> ContactSpan:  # fmt: skip
    """A ball that starts relative to the surface; one that rolls gets its spin from its velocity."""
    here = contact(shape, position, rolls, friction)
    start = Riding(jnp.asarray(position, float), jnp.eye(3), jnp.asarray(velocity, float), jnp.asarray(spin, float))
    if rolls:
        _, n = gap_and_normal(here, start.position)
        start = replace(start, spin=jnp.cross(n, start.velocity) / RADIUS)
    return ContactSpan(here, touch(here, start), jnp.asarray(begin, float), jnp.asarray(step, float))


ON_TABLE = (0.0, 0.1 + RADIUS, 0.0)


def quotient(f: Any, x: np.ndarray, step: float = 1e-4) -> np.ndarray:
    """Extrapolated once, column by column."""
    columns = []
    for move in step * np.eye(x.size):
        whole, half = f(x + move) - f(x - move), f(x + move / 2) - f(x - move / 2)
        columns.append((8 * half - whole) / (6 * step))
    return np.stack(columns, axis=-1)
