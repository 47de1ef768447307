"""What becomes of a ball that touches something else while it rests, slides or rolls.

The impulse is that of the struck surface alone. What it lies on answers at once, by the rules of any touch: a ball that
is pressed into it bounces or settles, one that is lifted flies, one that is neither stays in contact. Two rules keep a
ball that comes to rest from touching for ever:

- *over to the next*: bounces that would be summed up, on a surface on which the ball alone would leave the one that it
  lies on (a ramp that ends on the ground, a floor of boxes), make it rest on that surface;
- *in a corner*: bounces that would be summed up while the ball is pressed on both, or that crowd, end: it stays in that
  corner, carried by what it lay on.

That is so where both go together. What moves against that which the ball lies on pushes it (`squeezed`).
"""

from types import SimpleNamespace
from typing import Any, NamedTuple

import jax
import numpy as np

from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.push_and_jam import Partner, answered, is_crowded, jam, seen
from hoi_edit.simulate.packed_states import relative
from hoi_edit.simulate.search import STRUCK
from hoi_edit.simulate.search.layouts import GAP, RATE, REAL, TOUCHING, UNTIL_OFF, Groups, Ints, PoseRows, Solids
from hoi_edit.simulate.search.rolling_contact import LEANING, Strike, Way, first_strike
from hoi_edit.simulate.spans.rolling_motion import SETTLE, stay_on
from hoi_edit.simulate.trajectory import Jam, Span
from kinematics.rotation import Floats
from rigid.settling import LONGEST, LOW, SHORT

NUDGE = 1e-9  # [s]
SLOW = 1e-6  # [m/s] a ball that comes more slowly, and is not pressed on, runs along
NEWTON = 12  # steps onto the true way; two or three are the rule


def way_of(times: Floats, states: Floats, until: float) -> Floats:
    """(K, 7) times, places and velocities along a stretch of contact, each later than the one before."""
    nodes = np.column_stack([times, states[:, :3], states[:, 12:15]])
    nodes = nodes[np.concatenate([[True], np.diff(times) > 1e-9])]
    if nodes[-1, 0] <= until or len(nodes) == 1:
        return nodes
    last = int(np.searchsorted(nodes[:, 0], until)) + 1
    return nodes[:last]


class Among(NamedTuple):
    """Surfaces that a ball may touch, and which of them it does not see."""

    rows: PoseRows
    solids: Solids
    groups: Groups
    hidden: Ints


def strike_of(
    simulation: Any, cursor: Cursor, span: Span, until: float, among: Among | None = None
) -> tuple[Strike, Any, Floats] | None:
    """The first touch of a ball in contact before a time, all about it, and its acceleration and that of its spin."""
    assert span.way is not None
    if len(span.way) < 2:
        return None
    world, table = simulation.world, simulation.table
    if among is None:
        among = Among(table.rows(), world.solids, table.groups, np.zeros(len(world.surfaces), np.int64))
        among.hidden[[span.surface, *_to_come(simulation, cursor)]] = 1
    way, (rows, solids, groups, hidden) = Way(span.way, float(cursor.thing.body.radius)), among
    for _ in range(len(hidden)):
        found = first_strike(simulation.exact.moving, rows, solids, groups, way, hidden)
        if found.surface < 0 or found.time >= until:
            return None
        struck, rates = polished(simulation, cursor, span, found, until, solids)
        if struck is not None and (struck.rate < -SLOW or struck.pull < -LEANING):
            return found, struck, rates
        hidden[found.surface] = 1  # the true way does not touch it, or runs along it and on
    return None


def _to_come(simulation: Any, cursor: Cursor) -> list[int]:
    """Surfaces of bodies that are to touch a ball by decree: before that time they must not push it away."""
    world, found = simulation.world, list[int]()
    for contact in cursor.plan:
        if contact.declared and "/" in contact.carrier:
            body, _ = world.owner(world.frame(contact.carrier))
            first, last = world.first_frame[body : body + 2]
            frames = world.surfaces.frame
            found += np.flatnonzero((first <= frames) & (frames < last)).tolist()
    return found


def polished(
    simulation: Any, cursor: Cursor, span: Span, found: Strike, until: float, among: Solids | None = None
) -> tuple[Any, Floats]:
    """All about a touch on the true way, its time to round-off; none if there is no touch."""
    t, best, least = found.time, found.time, np.inf
    for step in range(NEWTON + 1):
        row, rates = look(simulation, cursor, span, found.surface, t, among)
        gap, rate = float(row[GAP]), float(row[RATE])
        if found.at_once or step == NEWTON or abs(gap) <= 2e-15:
            break
        if abs(gap) < least:
            best, least = t, abs(gap)
        trial = min(max(t - gap / rate, span.start), until) if rate < 0.0 else t
        if trial == t or abs(gap) > least or step == NEWTON - 1:
            trial = best
        if trial == t:
            break
        t = trial
    real = found.at_once or abs(gap) <= REAL
    return (STRUCK.unpack(row) if real else None), rates


def look(
    simulation: Any, cursor: Cursor, span: Span, surface: int, t: float, among: Solids | None = None
) -> tuple[Floats, Floats]:
    """All about a riding ball and a surface at a time (STRUCK), and the ball's accelerations (6,)."""
    state, rates = simulation.ridden_and_rates(span, t)
    return seen(simulation, cursor, surface, state, t, rates[:3], among), rates


def strike(simulation: Any, cursor: Cursor, span: Span, until: float) -> bool:
    """Whether a ball in contact touches something before a time; if so, it has gone on from there."""
    found = strike_of(simulation, cursor, span, until)
    if found is None:
        return False
    (surface, _, at_once), struck, _ = found
    s, time = simulation.world.surfaces, float(struck.time)
    law = simulation.laws.of_touch(cursor.thing, cursor.plan, s, surface, time)
    contact = simulation.take_contact(cursor, s.name[surface], time)
    if contact is not None and contact.kind == "grasp":
        simulation.grasped(cursor, span, contact, surface, simulation.caught(struck))
        return True
    if s.frame[surface] != span.frame:
        _push(simulation, cursor, span, surface, struck, law, contact, at_once)
        return True
    pull = -float(struck.pull)
    struck = simulation.bounced(cursor.thing, struck, law)
    support = STRUCK.unpack(seen(simulation, cursor, span.surface, struck.after, time, simulation.gravity))
    spent = at_once and struck.rate >= -TOUCHING
    comes_to_rest = spent or sums_up(-law[0] * float(struck.rate), pull, law[0])
    if contact is None and (comes_to_rest or is_crowded(cursor, time)):
        if not _over(simulation, cursor, span, surface, struck, support, law):
            keep(simulation, cursor, span, surface, struck)
    else:
        event = simulation.make_event("impact", cursor, contact, s, surface, struck)
        simulation.append(cursor, span, event)
        if not cursor.done:
            away = law[0] * -float(struck.rate)
            go_on(simulation, cursor, span, struck.after, support, surface, away, contact is not None)
    return True


def _push(
    simulation: Any, cursor: Cursor, span: Span, surface: int, struck: Any, law: tuple[float, ...], contact: Any,
    at_once: bool,
) -> None:  # fmt: skip
    """A touch with what may move against that which the ball lies on."""
    s, time, rate, pull = simulation.world.surfaces, float(struck.time), float(struck.rate), -float(struck.pull)
    partner = Partner(simulation.world.solids, surface, Jam(s.name[surface], s.patch(surface)))
    told = answered(simulation, cursor, span, partner, struck, law, contact is not None, at_once)
    support = STRUCK.unpack(seen(simulation, cursor, span.surface, np.array(struck.after), time, simulation.gravity))
    spent = at_once and rate >= -TOUCHING
    if contact is None and (spent or sums_up(-law[0] * rate, pull, law[0])):
        plain = simulation.bounced(cursor.thing, SimpleNamespace(**vars(struck)), law)
        leaves = STRUCK.unpack(seen(simulation, cursor, span.surface, plain.after, time, simulation.gravity))
        if _over(simulation, cursor, span, surface, plain, leaves, law):
            return
    event = simulation.make_event("impact", cursor, contact, s, surface, struck)._replace(**told)
    if event.jam is not None:
        jam(simulation, cursor, span, event, surface)
        return
    simulation.append(cursor, span, event)
    if not cursor.done:
        away = told["push"][0] if "push" in told and told["push"][0] > 0.0 else -law[0] * rate
        go_on(simulation, cursor, span, struck.after, support, surface, away, contact is not None)


def is_free(simulation: Any, cursor: Cursor, surface: int, begin: float, x: Floats, end: float, y: Floats) -> bool:
    """Whether nothing but a surface is in the way from one place to another: only then bounces on it are summed up."""
    if end - begin <= 1e-9:
        return True
    velocity = (y - x) / (end - begin)
    nodes = np.array([[begin, *x, *velocity], [end, *y, *velocity]])
    world, table, hidden = simulation.world, simulation.table, np.zeros(len(simulation.world.surfaces), np.int64)
    hidden[surface] = 1
    way = Way(nodes, float(cursor.thing.body.radius))
    return bool(
        first_strike(simulation.exact.moving, table.rows(), world.solids, table.groups, way, hidden).surface < 0
    )


def over_the_seam(simulation: Any, cursor: Cursor, span: Span, state: Floats, time: float) -> bool:
    """Where a surface ends, and another one goes on in the same plane: the ball is on that one from now on."""
    s, ahead = simulation.world.surfaces, np.array(state)
    ahead[:3] += NUDGE * state[12:15]  # at its very border a face is not a face yet
    for k in range(len(s)):
        row = seen(simulation, cursor, k, np.array(state), time, simulation.gravity)
        if k == span.surface or abs(row[GAP]) > TOUCHING or abs(row[RATE]) > SLOW:
            continue
        struck = simulation.caught(STRUCK.unpack(row))
        struck.feature = STRUCK.unpack(seen(simulation, cursor, k, ahead, time, simulation.gravity)).feature
        event = simulation.make_event("impact", cursor, None, s, k, struck)
        law = simulation.laws.of_touch(cursor.thing, [], s, k, time)
        if simulation.settled(cursor, span, event, k, 0.0, law[1], ahead):
            return True
    return False


def sums_up(speed: float, pull: float, restitution: float) -> bool:
    """`rigid.settling.settles` of numbers."""
    if pull <= LEANING or restitution >= 1.0:
        return False
    total = 2.0 * speed / (pull * (1.0 - restitution))
    return total <= SHORT or (speed**2 / (2.0 * pull) <= LOW and total <= LONGEST)


def _over(
    simulation: Any, cursor: Cursor, span: Span, surface: int, struck: Any, support: Any, law: tuple[float, ...]
) -> bool:
    """Whether the ball goes over to the surface that it touches: alone on it, it would leave the other."""
    free = STRUCK.unpack(seen(simulation, cursor, surface, struck.before, float(struck.time), simulation.gravity))
    off = float(support.pull) + max(-float(free.pull), 0.0) * float(support.normal @ struck.normal)
    if support.rate < -1e-6 or off < -LEANING:
        return False
    event = simulation.make_event("impact", cursor, None, simulation.world.surfaces, surface, struck)
    return bool(simulation.settled(cursor, span, event, surface, law[0], law[1]))


def keep(simulation: Any, cursor: Cursor, span: Span, surface: int, struck: Any) -> None:
    """In a corner: from now on the ball is carried by what it lay on."""
    event = simulation.make_event("rest", cursor, None, simulation.world.surfaces, surface, simulation.caught(struck))
    simulation.append(cursor, span, event)
    frame = simulation.exact.frames([span.frame], [event.time])[0]
    simulation.hold(cursor, span.frame, *relative(frame, struck.before), None, "")


def pushed(simulation: Any, cursor: Cursor, span: Span, after: Floats, meant: bool) -> None:
    """After another thing has struck a ball in contact."""
    support = STRUCK.unpack(seen(simulation, cursor, span.surface, after, cursor.time, simulation.gravity))
    go_on(simulation, cursor, span, after, support, None, 0.0, meant)


def go_on(
    simulation: Any, cursor: Cursor, span: Span, after: Floats, support: Any, surface: int | None, away: float,
    meant: bool = False,
) -> None:  # fmt: skip
    """After a push: in contact as before, or in flight, where what it lies on answers at once.

    What follows an intended contact is a flight, as that is what a node is: one that lies comes to rest at once.
    """
    stays = abs(support.rate) <= TOUCHING
    if stays and not meant:
        s, k = simulation.world.surfaces, span.surface
        row = SETTLE.pack(
            1, frame=support.frame, after=after, place=s.place[k], turned=s.turned[k].ravel(), core=s.core[k],
            radius=s.radius[k], ball_radius=cursor.thing.body.radius, moment=0.0, restitution=0.0, friction=0.0,
        )[0]  # fmt: skip
        simulation.in_contact(cursor, k, *jax.device_get(stay_on(span.contacting.contact, row)))
        return
    simulation.take_off(cursor, np.array(after))
    back = {span.surface: 0.0 if stays else _back(float(support.rate), -float(support.pull))}
    if surface is not None:
        pull = seen(simulation, cursor, surface, after, cursor.time, simulation.gravity)
        back[surface] = _back(away, -float(STRUCK.unpack(pull).pull))
    cursor.blind = dict.fromkeys([k for k, wait in back.items() if wait > 0.0], UNTIL_OFF)
    soon = min(back, key=lambda k: back[k] if back[k] > 0.0 else np.inf)
    if 0.0 < back[soon] < 3.0 * simulation.table.step:
        wait = back[soon]
        cursor.expected = (soon, cursor.time + 0.5 * wait, cursor.time + 1.6 * wait, cursor.time + wait)


def _back(away: float, pull: float) -> float:
    """Until a pair meets again [s]: zero if it does at once."""
    if away <= 0.0:
        return 0.0
    return 2.0 * away / pull if pull > 0.0 else np.inf
