"""How a sustained contact ends or changes, and when.

Five margins are positive while a contact goes on as it is:

    lift        the normal force N: at zero the ball leaves
    x, y, z     how far the ball's centre is from where the shape's feature changes (face to edge, side to cap, …)
    grip        rolling: μ N - |friction needed|, at zero it starts to slide; sliding: slip, at zero it may start to roll

`first_end` is discovery: it integrates a chunk of steps, finds the first margin that crosses zero and refines its time to
round-off. It is not differentiated. `replay` runs up to a known end as a smooth function of everything, the end's own
time included. A chunk is `count` steps of equal length from the span's begin; the last one is cut short by the end. The
surface is asked for its motion at all stages of a chunk in one call. Margins are looked at between steps: one that dips
below zero and comes back within a step is not seen.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import jax
import jax.numpy as jnp
from jax import Array
from jax.typing import ArrayLike

from rigid.events import event_time, polish
from rigid.rolling import Contact, Riding, SurfaceMotion, forces, heading_of, roll, stage_times, step, touching

Surface = Callable[[Array, Any], SurfaceMotion]  # (times (n,), whatever it depends on) -> its motion at all of them

NONE, LIFT, X, Y, Z, GRIP = range(-1, 5)  # kinds of ends: places among the margins
BEYOND = -1e-12  # a margin below this when a span begins ends it at once; above, it is the round-off of the last event
TIE = 1e-12  # margins this close to zero end together, and the first of the list counts: leaving goes before sliding


@partial(jax.tree_util.register_dataclass, data_fields=["contact", "start", "begin", "step"], meta_fields=[])
@dataclass(frozen=True)
class Span:
    """A stretch of sustained contact."""

    contact: Contact
    start: Riding
    begin: ArrayLike  # time [s]
    step: ArrayLike  # [s]


@partial(jax.tree_util.register_dataclass, data_fields=["kind", "time", "steps", "at_once"], meta_fields=[])
@dataclass(frozen=True)
class End:
    """How and when a span ends: data for `replay`."""

    kind: Array  # LIFT, X, Y, Z or GRIP; NONE: the chunk is over and nothing happened
    time: Array  # [s]
    steps: Array  # full steps before it
    at_once: Array  # the margin was negative from the begin


def margins(contact: Contact, surface: SurfaceMotion, ride: Riding, heading: Array) -> Array:
    """(5,) see above; `heading` is the direction in which the ball slipped a step ago."""
    f = forces(contact, surface, ride, heading)
    core, y = jnp.asarray(contact.shape.core), ride.position
    side = jnp.where(contact.feature == 0.0, core - jnp.abs(y), contact.feature * y - core)
    side = jnp.where(core == 0.0, 1.0, side)  # without extent there is nothing to change
    square = jnp.sum(f.needed**2)
    needed = jnp.where(square == 0.0, 0.0, jnp.sqrt(jnp.where(square == 0.0, 1.0, square)))
    grip = jnp.where(contact.rolls, contact.friction * f.normal - needed, jnp.dot(f.slip, heading))
    return jnp.concatenate([f.normal[None], side, grip[None]])


def first_end(surface: Surface, u: Any, span: Span, count: int) -> End:
    """The first end of a contact within `count` steps."""
    _, rides, headings, values = _chunk(surface, u, span, count, count)
    at_once = jnp.any(values[0] < BEYOND)
    crossing = values[1:] < 0.0
    ends = jnp.any(crossing, axis=1)
    first = jnp.where(at_once, 0, jnp.where(jnp.any(ends), jnp.argmax(ends), count))
    into = jnp.minimum(first, count - 1)  # the step in which it happens
    before = jax.tree.map(lambda leaf: leaf[into], rides)
    edge = jnp.asarray(span.begin, float) + into * jnp.asarray(span.step, float)
    crosses = crossing[into]

    def least(t: Array, args: Any) -> Array:
        return jnp.min(jnp.where(crosses, _margins_after(surface, t, args), jnp.inf))

    args = (u, span.contact, before, edge, headings[into])
    root = polish(least, edge, edge + span.step, args)
    root = jnp.where(least(edge, args) > 0.0, root, edge)
    crossed = jnp.argmax(crosses & (_margins_after(surface, root, args) <= TIE))
    begin = jnp.asarray(span.begin, float)
    over = (~at_once) & (~jnp.any(ends))
    return End(
        kind=jnp.where(at_once, jnp.argmax(values[0] < BEYOND), jnp.where(over, NONE, crossed)),
        time=jnp.where(at_once, begin, jnp.where(over, begin + count * jnp.asarray(span.step, float), root)),
        steps=first,
        at_once=at_once,
    )


def replay(surface: Surface, u: Any, span: Span, end: End, count: int) -> tuple[Array, Riding]:
    """When the span ends and the ride there, as functions of u, of the span's begin and start, and of its contact."""
    edge, rides, _, _ = _chunk(surface, u, span, end.steps, count)
    before = jax.tree.map(lambda leaf: leaf[-1], rides)
    args = (u, span.contact, before, edge, _heading(surface, u, span.contact, before, edge), end.kind)

    def margin(t: Array, args: Any) -> Array:
        return _margins_after(surface, t, args[:-1])[jnp.maximum(args[-1], 0)]

    # where nothing crosses zero the time is no root: it is the edge itself
    is_root = (end.kind != NONE) & ~end.at_once
    time = jnp.where(is_root, event_time(margin, end.time, args), edge)
    return time, _after(surface, time, args[:-1])[1]


def ride_at(surface: Surface, u: Any, span: Span, steps: ArrayLike, time: ArrayLike, count: int) -> Riding:
    """The ride at a time between: after `steps` full steps (data, as many as fit) and the rest of one."""
    edge, rides, _, _ = _chunk(surface, u, span, steps, count)
    before = jax.tree.map(lambda leaf: leaf[-1], rides)
    heading = _heading(surface, u, span.contact, before, edge)
    return _after(surface, jnp.asarray(time, float), (u, span.contact, before, edge, heading))[1]


def next_contact(contact: Contact, surface: SurfaceMotion, ride: Riding, kind: ArrayLike) -> Contact:
    """The contact after an end of this kind: another feature, or another mode. After LIFT there is none.

    A slide that ends may be turned around instead of stopped: it rolls only if friction can hold it.
    """
    kind = jnp.asarray(kind)
    axis = jnp.arange(3) == kind - X
    other = jnp.where(contact.feature == 0.0, jnp.sign(ride.position), 0.0)
    held = replace(contact, rolls=jnp.asarray(True))
    holds = margins(held, surface, touching(held, ride), jnp.zeros(3))[GRIP] >= 0.0
    grips = ~jnp.asarray(contact.rolls, bool) & holds
    return replace(
        contact,
        feature=jnp.where(axis, other, contact.feature),
        rolls=jnp.where(kind == GRIP, grips, jnp.asarray(contact.rolls, bool)),
    )


def _chunk(
    surface: Surface, u: Any, span: Span, steps: ArrayLike, count: int
) -> tuple[Array, Riding, Array, Array]:
    """The last edge's time, rides at the edges, headings of the steps and margins at the edges.

    Steps after the first `steps` have no duration, so that chunks of any length are one compiled program.
    """
    full = jnp.minimum(jnp.arange(count + 1), jnp.asarray(steps))
    edges = jnp.asarray(span.begin, float) + full * jnp.asarray(span.step, float)
    samples = surface(stage_times(edges), u)
    # not a difference of edges: times are large and steps are small
    rides, headings = roll(span.contact, samples, jnp.diff(full) * jnp.asarray(span.step, float), span.start)
    at_edges = jax.tree.map(lambda leaf: leaf[::4], samples)
    past = jnp.concatenate([headings[:1], headings])
    values = jax.vmap(partial(margins, span.contact))(at_edges, rides, past)
    return edges[-1], rides, headings, values


def _after(surface: Surface, time: Array, args: Any) -> tuple[SurfaceMotion, Riding]:
    """The surface and the ride at `time`, one step after an edge."""
    u, contact, before, edge, heading = args
    samples = surface(stage_times(jnp.stack([edge, time])), u)
    quarters = jax.tree.map(lambda leaf: leaf[:-1], samples)
    after = step(contact, quarters, before, time - edge, heading)
    return jax.tree.map(lambda leaf: leaf[-1], samples), after


def _margins_after(surface: Surface, time: Array, args: Any) -> Array:
    there, after = _after(surface, time, args)
    return margins(args[1], there, after, args[4])


def _heading(surface: Surface, u: Any, contact: Contact, ride: Riding, time: Array) -> Array:
    here = jax.tree.map(lambda leaf: leaf[0], surface(time[None], u))
    return heading_of(contact, here, ride)
