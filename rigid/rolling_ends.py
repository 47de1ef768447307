"""How a sustained contact ends or changes, and when.

Five margins are positive while a contact goes on as it is:

    lift        the normal force N: at zero the ball leaves
    x, y, z     how far the ball's centre is from where the shape's feature changes (face to edge, side to cap, …)
    grip        rolling: μ N - |friction needed|, at zero it starts to slide; sliding: slip, at zero it may roll

Discovery rolls a chunk of steps (`rolled`) and finds the first margin that crosses zero (`first_end`), whose time it
refines to round-off. It is not differentiated: the surface's motion comes as data, from whoever has it quickest.
`replay` runs up to a known end as a smooth function of everything, the end's own time included; it asks the surface for
its motion at all stages of a chunk in one call. Both take the same steps by the same rules. A chunk is so many steps of
equal length from the span's begin; the last one is cut short by the end. Margins are looked at between steps: one that
dips below zero and comes back within a step is not seen.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import cache, partial
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array
from jax.typing import ArrayLike

from kinematics.rotation import Floats
from rigid.roots import root_between
from rigid.sustained_contact import (
    Heading,
    Riding,
    SurfaceMotion,
    SustainedContact,
    forces,
    roll,
    stage_times,
    step,
    touching,
)
from rigid.time_of_impact import event_time

Surface = Callable[[Array, Any], SurfaceMotion]  # (times (n,), whatever it depends on) -> its motion at all of them

NONE, LIFT, X, Y, Z, GRIP = range(-1, 5)  # kinds of ends: places among the margins
GIVEN = -2  # nothing ends: a time that is asked about
BEYOND = -1e-12  # a margin below this when a span begins ends it at once; above, it is the round-off of the last event
TIE = 1e-12  # margins this close to zero end together, and the first of the list counts: leaving goes before sliding


@partial(jax.tree_util.register_dataclass, data_fields=["contact", "start", "begin", "step"], meta_fields=[])
@dataclass(frozen=True)
class ContactSpan:
    """A stretch of sustained contact."""

    contact: SustainedContact
    start: Riding
    begin: ArrayLike  # time [s]
    step: ArrayLike  # [s]


@partial(jax.tree_util.register_dataclass, data_fields=["kind", "time", "steps", "at_once"], meta_fields=[])
@dataclass(frozen=True)
class End:
    """How and when a span ends: data for `replay`."""

    kind: Any  # () LIFT, X, Y, Z or GRIP; NONE: the chunk is over and nothing happened
    time: Any  # () [s]
    steps: Any  # () full steps before it
    at_once: Any  # () the margin was negative from the begin


@partial(jax.tree_util.register_dataclass, data_fields=["contact", "rides", "headings"], meta_fields=[])
@dataclass(frozen=True)
class Chunk:
    """n steps of a contact: any time of them is a part of one step away from an edge (`later`)."""

    contact: SustainedContact
    rides: Riding  # (n + 1, ...) at the edges
    headings: Heading  # (n, ...) where slip goes at the begin of each step


def margins(contact: SustainedContact, surface: SurfaceMotion, ride: Riding, heading: Heading) -> Array:
    """(5,) see above; `heading` tells where the ball slipped a step ago."""
    f = forces(contact, surface, ride, heading)
    core, y = jnp.asarray(contact.shape.core), ride.position
    side = jnp.where(contact.feature == 0.0, core - jnp.abs(y), contact.feature * y - core)
    side = jnp.where(core == 0.0, 1.0, side)  # without extent there is nothing to change
    square = jnp.sum(f.needed**2)
    needed = jnp.where(square == 0.0, 0.0, jnp.sqrt(jnp.where(square == 0.0, 1.0, square)))
    grip = jnp.where(contact.rolls, contact.friction * f.normal - needed, jnp.dot(f.slip, heading.direction))
    return jnp.concatenate([f.normal[None], side, grip[None]])


def edges_of(span: ContactSpan, count: int) -> Floats:
    """(count + 1,) when the steps of a chunk begin and end."""
    return np.asarray(span.begin) + np.arange(count + 1) * np.asarray(span.step)


def rolled(span: ContactSpan, samples: SurfaceMotion) -> tuple[Chunk, Array]:
    """A chunk by the surface's motion at the `stage_times` of its edges, and the margins at these (n + 1, 5)."""
    at_edges = jax.tree.map(lambda leaf: leaf[::4], samples)
    durations = jnp.full(at_edges.position.shape[0] - 1, span.step, float)
    rides, headings = roll(span.contact, samples, durations, span.start)
    past = jax.tree.map(lambda leaf: jnp.concatenate([leaf[:1], leaf]), headings)
    return Chunk(span.contact, rides, headings), jax.vmap(partial(margins, span.contact))(at_edges, rides, past)


def later(
    chunk: Chunk, edge: ArrayLike, duration: ArrayLike, samples: SurfaceMotion
) -> tuple[SurfaceMotion, Riding, Heading]:
    """The surface and the ride a while after an edge of a chunk, which is given by its number, and the heading there;
    `samples` are the surface's motions at the `stage_times` of that step."""
    last = chunk.headings.least.shape[0] - 1  # where a chunk is over no step begins
    heading = _at(chunk.headings, jnp.minimum(edge, last))
    return *_stepped(chunk.contact, samples, _at(chunk.rides, edge), duration, heading), heading


def first_end(values: Floats, span: ContactSpan, look: Callable[[int, float], Floats]) -> End:
    """The first end of a contact within a chunk, by the margins at its edges and, with `look(edge, time)`, at any time
    of the step after an edge."""
    begin, step = float(np.asarray(span.begin)), float(np.asarray(span.step))
    at_once = values[0] < BEYOND
    ends = np.any(values[1:] < 0.0, axis=1)
    if at_once.any():
        return _end(int(np.argmax(at_once)), begin, 0, at_once=True)
    if not ends.any():
        return _end(NONE, begin + len(ends) * step, len(ends))
    into = int(np.argmax(ends))  # the step in which it happens
    time, kind = _refined(values[into : into + 2], begin + into * step, step, partial(look, into))
    return _end(kind, time, into)


def _end(kind: int, time: float, steps: int, at_once: bool = False) -> End:
    return End(np.int64(kind), np.float64(time), np.int64(steps), np.bool_(at_once))


def _refined(around: Floats, edge: float, step: float, look: Callable[[float], Floats]) -> tuple[float, int]:
    """Time and kind of the first of the margins that cross zero in the step after an edge; `around` (2, 5) are they at
    its begin and end."""
    crosses, looked = around[1] < 0.0, cache(look)

    def least(t: float) -> float:
        return float(np.min(looked(t)[crosses]))

    # a margin that starts on zero, round-off of the last event, and falls: no sign changes, it ends here
    starts_on_it = np.min(around[0][crosses]) <= 0.0
    time = edge if starts_on_it else root_between(least, edge, edge + step, float(np.min(around[1][crosses])))
    at_end = looked(time)
    return time, int(np.argmax(crosses & (at_end <= max(TIE, np.min(at_end[crosses])))))


def replay(surface: Surface, u: Any, span: ContactSpan, end: End, count: int) -> tuple[Array, Riding]:
    """When the span ends and the ride there, as functions of u, of the span's begin and start, and of its contact."""
    edge, rides, headings = _chunk(surface, u, span, end.steps, count)
    args = (u, span.contact, _at(rides, -1), edge, _at(headings, -1), end.kind)

    def margin(t: Array, args: Any) -> Array:
        surface_then, ride = _after(surface, t, args[:-1])
        return margins(args[1], surface_then, ride, args[4])[jnp.maximum(args[-1], 0)]

    # where nothing crosses zero the time is no root: it is the edge itself, or what is given
    is_root = (end.kind > NONE) & ~end.at_once
    time = jnp.where(is_root, event_time(margin, end.time, args), jnp.where(end.kind == GIVEN, end.time, edge))
    return time, _after(surface, time, args[:-1])[1]


def ride_at(surface: Surface, u: Any, span: ContactSpan, steps: ArrayLike, time: ArrayLike, count: int) -> Riding:
    """The ride at a time between: after `steps` < count full steps (data, as many as fit) and the rest of one."""
    return replay(surface, u, span, End(jnp.asarray(GIVEN), time, steps, jnp.asarray(False)), count)[1]


def next_contact(contact: SustainedContact, surface: SurfaceMotion, ride: Riding, kind: ArrayLike) -> SustainedContact:
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


def _chunk(surface: Surface, u: Any, span: ContactSpan, steps: ArrayLike, count: int) -> tuple[Array, Riding, Heading]:
    """The last edge's time, rides at the edges and headings of the steps.

    Steps after the first `steps` have no duration, so that chunks of any length are one compiled program.
    """
    full = jnp.minimum(jnp.arange(count + 1), jnp.asarray(steps))
    edges = jnp.asarray(span.begin, float) + full * jnp.asarray(span.step, float)
    samples = surface(stage_times(edges), u)
    # not a difference of edges: times are large and steps are small
    rides, headings = roll(span.contact, samples, jnp.diff(full) * jnp.asarray(span.step, float), span.start)
    return edges[-1], rides, headings


def _stepped(
    contact: SustainedContact, samples: SurfaceMotion, before: Riding, duration: ArrayLike, heading: Heading
) -> tuple[SurfaceMotion, Riding]:
    """The surface and the ride after one step, by the surface's motions at its `stage_times`."""
    after = step(contact, jax.tree.map(lambda leaf: leaf[:-1], samples), before, duration, heading)
    return _at(samples, -1), after


def _after(surface: Surface, time: Array, args: Any) -> tuple[SurfaceMotion, Riding]:
    """The surface and the ride at `time`, one step after an edge."""
    u, contact, before, edge, heading = args
    return _stepped(contact, surface(stage_times(jnp.stack([edge, time])), u), before, time - edge, heading)


def _at(rows: Any, index: ArrayLike) -> Any:
    return jax.tree.map(lambda leaf: leaf[index], rows)
