"""How a sustained contact ends or changes, and when.

Five margins are positive while a contact goes on as it is:

    lift        the normal force N: at zero the ball leaves
    x, y, z     how far the ball's centre is from where the shape's feature changes (face to edge, side to cap, …)
    grip        rolling: μ N - |friction needed|, at zero it starts to slide; sliding: slip, at zero it may roll

`first_end` is discovery: it integrates a chunk of steps, finds the first margin that crosses zero and refines its time
to round-off. It is not differentiated. `replay` runs up to a known end as a smooth function of everything, the end's
own time included. A chunk is `count` steps of equal length from the span's begin; the last one is cut short by the end.
The surface is asked for its motion at all stages of a chunk in one call. Margins are looked at between steps: one that
dips below zero and comes back within a step is not seen.
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
from rigid.rolling import Contact, Heading, Riding, SurfaceMotion, forces, roll, stage_times, step, touching

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


def margins(contact: Contact, surface: SurfaceMotion, ride: Riding, heading: Heading) -> Array:
    """(5,) see above; `heading` tells where the ball slipped a step ago."""
    f = forces(contact, surface, ride, heading)
    core, y = jnp.asarray(contact.shape.core), ride.position
    side = jnp.where(contact.feature == 0.0, core - jnp.abs(y), contact.feature * y - core)
    side = jnp.where(core == 0.0, 1.0, side)  # without extent there is nothing to change
    square = jnp.sum(f.needed**2)
    needed = jnp.where(square == 0.0, 0.0, jnp.sqrt(jnp.where(square == 0.0, 1.0, square)))
    grip = jnp.where(contact.rolls, contact.friction * f.normal - needed, jnp.dot(f.slip, heading.direction))
    return jnp.concatenate([f.normal[None], side, grip[None]])


def first_end(surface: Surface, u: Any, span: Span, count: int) -> End:
    """The first end of a contact within `count` steps."""
    begin, h = jnp.asarray(span.begin, float), jnp.asarray(span.step, float)
    _, samples, rides, headings = _chunk(surface, u, span, count, count)
    at_edges = jax.tree.map(lambda leaf: leaf[::4], samples)
    past = jax.tree.map(lambda leaf: jnp.concatenate([leaf[:1], leaf]), headings)
    values = jax.vmap(partial(margins, span.contact))(at_edges, rides, past)
    at_once = values[0] < BEYOND
    crossing = values[1:] < 0.0
    ends = jnp.any(crossing, axis=1)
    over = ~jnp.any(ends)
    into = jnp.argmax(ends)  # the step in which it happens
    time, kind = _refine(surface, u, span, (rides, headings), begin + into * h, (into, crossing[into]), values[into])
    sudden = jnp.any(at_once)
    return End(
        kind=jnp.where(sudden, jnp.argmax(at_once), jnp.where(over, NONE, kind)),
        time=jnp.where(sudden, begin, jnp.where(over, begin + count * h, time)),
        steps=jnp.where(sudden, 0, jnp.where(over, count, into)),
        at_once=sudden,
    )


def replay(surface: Surface, u: Any, span: Span, end: End, count: int) -> tuple[Array, Riding]:
    """When the span ends and the ride there, as functions of u, of the span's begin and start, and of its contact."""
    edge, _, rides, headings = _chunk(surface, u, span, end.steps, count)
    args = (u, span.contact, _at(rides, -1), edge, _at(headings, -1), end.kind)

    def margin(t: Array, args: Any) -> Array:
        return _margins_after(surface, t, args[:-1])[jnp.maximum(args[-1], 0)]

    # where nothing crosses zero the time is no root: it is the edge itself
    is_root = (end.kind != NONE) & ~end.at_once
    time = jnp.where(is_root, event_time(margin, end.time, args), edge)
    return time, _after(surface, time, args[:-1])[1]


def ride_at(surface: Surface, u: Any, span: Span, steps: ArrayLike, time: ArrayLike, count: int) -> Riding:
    """The ride at a time between: after `steps` < count full steps (data, as many as fit) and the rest of one."""
    edge, _, rides, headings = _chunk(surface, u, span, steps, count)
    return _after(surface, jnp.asarray(time, float), (u, span.contact, _at(rides, -1), edge, _at(headings, -1)))[1]


def ride_along(
    surface: Surface, u: Any, span: Span, steps: ArrayLike, time: ArrayLike, count: int
) -> tuple[Array, SurfaceMotion, Riding]:
    """Times (count + 2,), the surface and the ride at all edges and, last, at `time`; edges after `steps` repeat."""
    t = jnp.asarray(time, float)
    edge, samples, rides, headings = _chunk(surface, u, span, steps, count)
    there, last = _after(surface, t, (u, span.contact, _at(rides, -1), edge, _at(headings, -1)))
    full = jnp.minimum(jnp.arange(count + 1), jnp.asarray(steps))
    times = jnp.append(jnp.asarray(span.begin, float) + full * jnp.asarray(span.step, float), t)
    at_edges = jax.tree.map(lambda leaf: leaf[::4], samples)
    both = ((at_edges, there), (rides, last))
    motion, ride = (jax.tree.map(lambda a, b: jnp.concatenate([a, b[None]]), *pair) for pair in both)
    return times, motion, ride


def next_contact(contact: Contact, surface: SurfaceMotion, ride: Riding, kind: ArrayLike) -> Contact:
    """The contact after an end of this kind: another feature, or another mode. After LIFT there is none.

    A slide that ends may be turned around instead of stopped: it rolls only if friction can hold it.
    """
    kind = jnp.asarray(kind)
    axis = jnp.arange(3) == kind - X
    other = jnp.where(contact.feature == 0.0, jnp.sign(ride.position), 0.0)
    held = replace(contact, rolls=jnp.asarray(True))
    holds = margins(held, surface, touching(held, ride), Heading.unknown())[GRIP] >= 0.0
    grips = ~jnp.asarray(contact.rolls, bool) & holds
    return replace(
        contact,
        feature=jnp.where(axis, other, contact.feature),
        rolls=jnp.where(kind == GRIP, grips, jnp.asarray(contact.rolls, bool)),
    )


def _refine(
    surface: Surface,
    u: Any,
    span: Span,
    path: tuple[Riding, Heading],
    edge: Array,
    where: tuple[Array, Array],
    start: Array,
) -> tuple[Array, Array]:
    """Time and kind of the first of the margins that cross zero in the step after `edge`, with values `start` there."""
    into, crosses = where
    args = (u, span.contact, _at(path[0], into), edge, _at(path[1], into))

    def least(t: Array, args: Any) -> Array:
        return jnp.min(jnp.where(crosses, _margins_after(surface, t, args), jnp.inf))

    root = polish(least, edge, edge + span.step, args)
    # a margin that starts on zero, round-off of the last event, and falls: no sign changes, it ends here
    root = jnp.where(jnp.min(jnp.where(crosses, start, jnp.inf)) > 0.0, root, edge)
    return root, jnp.argmax(crosses & (_margins_after(surface, root, args) <= TIE))


def _chunk(
    surface: Surface, u: Any, span: Span, steps: ArrayLike, count: int
) -> tuple[Array, SurfaceMotion, Riding, Heading]:
    """The last edge's time, the surface's motion at all stages, rides at the edges and headings of the steps.

    Steps after the first `steps` have no duration, so that chunks of any length are one compiled program.
    """
    full = jnp.minimum(jnp.arange(count + 1), jnp.asarray(steps))
    edges = jnp.asarray(span.begin, float) + full * jnp.asarray(span.step, float)
    samples = surface(stage_times(edges), u)
    # not a difference of edges: times are large and steps are small
    rides, headings = roll(span.contact, samples, jnp.diff(full) * jnp.asarray(span.step, float), span.start)
    return edges[-1], samples, rides, headings


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


def _at(rows: Any, index: ArrayLike) -> Any:
    return jax.tree.map(lambda leaf: leaf[index], rows)
