"""A ball that rests, slides or rolls touches something else.

The impulse is that of the struck surface alone. What it lies on answers at once, by the rules of any touch: a ball that
is pressed into it bounces or settles, one that is lifted flies, one that is neither stays in contact. Two rules keep a
ball that comes to rest from touching for ever:

- *over to the next*: bounces that would be summed up, on a surface on which the ball alone would leave the one that it
  lies on (a ramp that ends on the ground, a floor of boxes), make it rest on that surface;
- *in a corner*: bounces that would be summed up while the ball is pressed on both, or that crowd, end: it stays in that
  corner, carried by what it lay on.

That is so where both go together. What moves against that which the ball lies on pushes it (`push`).

The local Jacobian is by the state just before the touch, which is carried back along the contact like any other.
"""

from functools import cache, partial
from types import SimpleNamespace
from typing import Any, NamedTuple

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.accumulator import Accumulator, time_name
from hoi_edit.simulate.columns import Columns, chunked
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.dynamics.rolling_motion import stay_on
from hoi_edit.simulate.events.ball_at_surface import ball_at_surface
from hoi_edit.simulate.events.ball_settling import SLOW, settle, settle_row
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.events.grasp import take_hold
from hoi_edit.simulate.events.jam import is_crowded, jam
from hoi_edit.simulate.events.support_push import Pusher, answered
from hoi_edit.simulate.events.touch import BEFORE, ON_FRAME, WITH_LAW, WITHOUT_LAW, ball_arrivals, meeting, note_touch
from hoi_edit.simulate.kind_words import IMPACT, REST
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import BALL, FRAME, LAW, STATE, SURFACE, TOUCH, state_of
from hoi_edit.simulate.packed_states import relative
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search import STRUCK
from hoi_edit.simulate.search.layouts import GAP, RATE, REAL, TOUCHING, UNTIL_OFF, Groups, PoseRows, Solids
from hoi_edit.simulate.search.rolling_contact import LEANING, Strike, Way, first_strike
from hoi_edit.simulate.trajectory import Event, Jam, Span
from hoi_edit.simulate.variations import (
    FRAME_VARIATION,
    VELOCITY,
    derivative,
    frame_after,
    later,
    retract,
    varied_law,
)
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, rotation_exp
from rigid.distance import RoundedBox
from rigid.free_flight import State
from rigid.push import push
from rigid.roots import root_near
from rigid.settling import LONGEST, LOW, SHORT
from rigid.sustained_contact import RoundBody, SustainedContact
from rigid.sustained_contact import gap_and_normal as contact_gap_and_normal

NUDGE = 1e-9  # [s]

_BASE = {f"base_{name}": width for name, width in ({"frame": FRAME.width} | SURFACE).items()}
STRIKE = Columns(
    state=STATE.width, rates=6, frame=FRAME.width, **SURFACE, **BALL, **LAW, declared=0, apart=0, pressed=0, **_BASE,
)  # fmt: skip
ON_BASE = slice(WITH_LAW, WITH_LAW + FRAME_VARIATION)  # columns: the frame that it lay on


class Among(NamedTuple):
    """Surfaces that a ball may touch, and which of them it does not see."""

    rows: PoseRows
    solids: Solids
    groups: Groups
    hidden: Ints


def strike_of(
    run: Run, cursor: Cursor, span: Span, until: float, among: Among | None = None
) -> tuple[Strike, Any, Floats] | None:
    """The first touch of a ball in contact before a time, all about it, and its acceleration and that of its spin."""
    assert span.way is not None
    if len(span.way) < 2:
        return None
    world, table = run.context.world, run.table
    if among is None:
        among = Among(table.rows(), world.solids, table.groups, np.zeros(len(world.surfaces), np.int64))
        among.hidden[[span.surface, *_to_come(run, cursor)]] = 1
    way, (rows, solids, groups, hidden) = Way(span.way, float(cursor.thing.body.radius)), among
    for _ in range(len(hidden)):
        found = first_strike(run.context.moving, rows, solids, groups, way, hidden)
        if found.surface < 0 or found.time >= until:
            return None
        struck, rates = polished(run, cursor, span, found, until, solids)
        if struck is not None and (struck.rate < -SLOW or struck.pull < -LEANING):
            return found, struck, rates
        hidden[found.surface] = 1  # the true way does not touch it, or runs along it and on
    return None


def _to_come(run: Run, cursor: Cursor) -> list[int]:
    """Surfaces of bodies that are to touch a ball by decree: before that time they must not push it away."""
    world, found = run.context.world, list[int]()
    for contact in cursor.plan:
        if contact.declared and "/" in contact.carrier:
            body, _ = world.owner(world.frame(contact.carrier))
            first, last = world.first_frame[body : body + 2]
            frames = world.surfaces.frame
            found += np.flatnonzero((first <= frames) & (frames < last)).tolist()
    return found


def polished(
    run: Run, cursor: Cursor, span: Span, found: Strike, until: float, among: Solids | None = None
) -> tuple[Any, Floats]:
    """All about a touch on the true way, its time to round-off; none if there is no touch."""
    looked = cache(partial(look, run, cursor, span, found.surface, among=among))

    def gap_and_rate(t: float) -> tuple[float, float]:
        row, _ = looked(t)
        return float(row[GAP]), float(row[RATE])

    t = float(found.time)
    t = t if found.at_once else root_near(gap_and_rate, span.start, until, t)
    row, rates = looked(t)
    real = found.at_once or abs(row[GAP]) <= REAL
    return (STRUCK.unpack(row) if real else None), rates


def look(
    run: Run, cursor: Cursor, span: Span, surface: int, t: float, among: Solids | None = None
) -> tuple[Floats, Floats]:
    """All about a riding ball and a surface at a time (STRUCK), and the ball's accelerations (6,)."""
    state, rates = run.context.state_and_rates(span, t)
    return ball_at_surface(run.context, cursor.thing, surface, state, t, rates[:3], among), rates


def strike(run: Run, cursor: Cursor, span: Span, until: float) -> bool:
    """Whether a ball in contact touches something before a time; if so, it has gone on from there."""
    found = strike_of(run, cursor, span, until)
    if found is None:
        return False
    (surface, _, at_once), struck, _ = found
    s, time = run.context.world.surfaces, float(struck.time)
    law = run.context.laws.of_touch(cursor.thing, cursor.plan, s, surface, time)
    contact = run.take_contact(cursor, s.name[surface], time)
    if contact is not None and contact.catches:
        take_hold(run, cursor, span, "rolling_grasp", contact, surface, run.caught(struck))
        return True
    if s.frame[surface] != span.frame:
        _push(run, cursor, span, surface, struck, law, contact, at_once)
        return True
    pull = -float(struck.pull)
    struck = run.bounced(cursor.thing, struck, law)
    support = STRUCK.unpack(ball_at_surface(run.context, cursor.thing, span.surface, struck.after, time))
    spent = at_once and struck.rate >= -TOUCHING
    comes_to_rest = spent or sums_up(-law[0] * float(struck.rate), pull, law[0])
    if contact is None and (comes_to_rest or is_crowded(cursor, time)):
        if not _over(run, cursor, span, surface, struck, support, law):
            keep(run, cursor, span, surface, struck)
    else:
        event = run.make_event(IMPACT, "rolling_impact", cursor, contact, s, surface, struck)
        run.append(cursor, span, event)
        if not cursor.done:
            away = law[0] * -float(struck.rate)
            go_on(run, cursor, span, struck.after, support, surface, away, contact is not None)
    return True


def _push(
    run: Run, cursor: Cursor, span: Span, surface: int, struck: Any, law: tuple[float, ...], contact: Any,
    at_once: bool,
) -> None:  # fmt: skip
    """A touch with what may move against that which the ball lies on."""
    s, time, rate, pull = run.context.world.surfaces, float(struck.time), float(struck.rate), -float(struck.pull)
    pusher = Pusher(run.context.world.solids, surface, Jam(s.name[surface], s.patch(surface)))
    told = answered(run, cursor, span, pusher, struck, law, contact is not None, at_once)
    support = STRUCK.unpack(ball_at_surface(run.context, cursor.thing, span.surface, np.array(struck.after), time))
    spent = at_once and rate >= -TOUCHING
    if contact is None and (spent or sums_up(-law[0] * rate, pull, law[0])):
        plain = run.bounced(cursor.thing, SimpleNamespace(**vars(struck)), law)
        leaves = STRUCK.unpack(ball_at_surface(run.context, cursor.thing, span.surface, plain.after, time))
        if _over(run, cursor, span, surface, plain, leaves, law):
            return
    event = run.make_event(IMPACT, "rolling_impact", cursor, contact, s, surface, struck)._replace(**told)
    if event.jam is not None:
        jam(run, cursor, span, event, surface)
        return
    run.append(cursor, span, event)
    if not cursor.done:
        away = told["push"][0] if "push" in told and told["push"][0] > 0.0 else -law[0] * rate
        go_on(run, cursor, span, struck.after, support, surface, away, contact is not None)


def over_the_seam(run: Run, cursor: Cursor, span: Span, state: Floats, time: float) -> bool:
    """Where a surface ends, and another one goes on in the same plane: the ball is on that one from now on."""
    s, ahead = run.context.world.surfaces, np.array(state)
    # at its very border a face is not a face yet
    ahead[STATE.slices["position"]] += NUDGE * STATE.unpack(ahead).velocity
    for k in range(len(s)):
        row = ball_at_surface(run.context, cursor.thing, k, np.array(state), time)
        if k == span.surface or abs(row[GAP]) > TOUCHING or abs(row[RATE]) > SLOW:
            continue
        struck = run.caught(STRUCK.unpack(row))
        struck.feature = STRUCK.unpack(ball_at_surface(run.context, cursor.thing, k, ahead, time)).feature
        event = run.make_event(IMPACT, "rolling_impact", cursor, None, s, k, struck)
        law = run.context.laws.of_touch(cursor.thing, [], s, k, time)
        if settle(run, cursor, span, event, k, 0.0, law[1], ahead):
            return True
    return False


def sums_up(speed: float, pull: float, restitution: float) -> bool:
    """`rigid.settling.settles` of numbers."""
    if pull <= LEANING or restitution >= 1.0:
        return False
    total = 2.0 * speed / (pull * (1.0 - restitution))
    return total <= SHORT or (speed**2 / (2.0 * pull) <= LOW and total <= LONGEST)


def _over(
    run: Run, cursor: Cursor, span: Span, surface: int, struck: Any, support: Any, law: tuple[float, ...]
) -> bool:
    """Whether the ball goes over to the surface that it touches: alone on it, it would leave the other."""
    free = STRUCK.unpack(ball_at_surface(run.context, cursor.thing, surface, struck.before, float(struck.time)))
    off = float(support.pull) + max(-float(free.pull), 0.0) * float(support.normal @ struck.normal)
    if support.rate < -1e-6 or off < -LEANING:
        return False
    event = run.make_event(IMPACT, "rolling_impact", cursor, None, run.context.world.surfaces, surface, struck)
    return bool(settle(run, cursor, span, event, surface, law[0], law[1]))


def keep(run: Run, cursor: Cursor, span: Span, surface: int, struck: Any) -> None:
    """In a corner: from now on the ball is carried by what it lay on."""
    event = run.make_event(REST, "rolling_rest", cursor, None, run.context.world.surfaces, surface, run.caught(struck))
    run.append(cursor, span, event)
    frame = run.context.frames([span.frame], [event.time])[0]
    run.hold(cursor, span.frame, *relative(frame, struck.before), None, "")


def pushed(run: Run, cursor: Cursor, span: Span, after: Floats, meant: bool) -> None:
    """After another thing has struck a ball in contact."""
    support = STRUCK.unpack(ball_at_surface(run.context, cursor.thing, span.surface, after, cursor.time))
    go_on(run, cursor, span, after, support, None, 0.0, meant)


def go_on(
    run: Run, cursor: Cursor, span: Span, after: Floats, support: Any, surface: int | None, away: float,
    meant: bool = False,
) -> None:  # fmt: skip
    """After a push: in contact as before, or in flight, where what it lies on answers at once.

    What follows an intended contact is a flight, as that is what a node is: one that lies comes to rest at once.
    """
    stays = abs(support.rate) <= TOUCHING
    if stays and not meant:
        k = span.surface
        row = settle_row(run.context, cursor, k, support.frame, after, 0.0, 0.0)
        run.roll_on(cursor, k, *jax.device_get(stay_on(span.contacting.contact, row)))
        return
    run.take_off(cursor, np.array(after))
    back = {span.surface: 0.0 if stays else _back(float(support.rate), -float(support.pull))}
    if surface is not None:
        pull = ball_at_surface(run.context, cursor.thing, surface, after, cursor.time)
        back[surface] = _back(away, -float(STRUCK.unpack(pull).pull))
    cursor.blind = dict.fromkeys([k for k, wait in back.items() if wait > 0.0], UNTIL_OFF)
    soon = min(back, key=lambda k: back[k] if back[k] > 0.0 else np.inf)
    if 0.0 < back[soon] < 3.0 * run.table.step:
        wait = back[soon]
        cursor.expected = (soon, cursor.time + 0.5 * wait, cursor.time + 1.6 * wait, cursor.time + wait)


def _back(away: float, pull: float) -> float:
    """Until a pair meets again [s]: zero if it does at once."""
    if away <= 0.0:
        return 0.0
    return 2.0 * away / pull if pull > 0.0 else np.inf


# -- the way back ------------------------------------------------------------------------------------------------------


@jax.jit
def push_jacobians(items: Array) -> Array:
    """(B, 3, 47): the velocity of a ball after a push (`rigid.push`), by (state before, frame, surface in it, law,
    frame that it lay on)."""
    return jax.vmap(lambda row: derivative(partial(_pushed, STRIKE.unpack(row)), ON_BASE.stop))(items)


def _pushed(item: SimpleNamespace, z: Array) -> Array:
    def goes_on(tau: Array, varied: Array) -> State:
        return later(retract(state_of(item.state), varied), item.rates, tau)

    tau, ball, frame, normal = meeting(item, goes_on, z)
    base = frame_after(FRAME.unpack(item.base_frame), z[ON_BASE], tau)
    varied = varied_law(item, z[WITHOUT_LAW:WITH_LAW])
    normal = rotation_exp(varied.normal_turn) @ normal
    turned = base.rotation @ item.base_turned.reshape(3, 3)
    lies_on = SustainedContact(
        RoundBody(item.ball_radius), RoundedBox(item.base_core, item.base_radius), item.base_feature, False, 0.0,
        jnp.zeros(3),
    )  # fmt: skip
    local = turned.T @ (ball.position - base.position - base.rotation @ item.base_place)
    base_normal = turned @ contact_gap_and_normal(lies_on, local)[1]
    rate, base_rate = (
        jnp.dot(n, ball.velocity - f.velocity - jnp.cross(f.spin, ball.position - item.ball_radius * n - f.position))
        for f, n in ((frame, normal), (base, base_normal))
    )
    apart = jnp.where(item.apart < 0.0, -varied.restitution * rate, item.apart)
    return jnp.asarray(push(ball.velocity, normal, rate, base_normal, base_rate, apart, item.pressed))


def strike_jacobian(gravity: Floats, row: Floats, pushed: bool, caught: bool) -> Floats:
    """(13, 47): a ball after a touch, and its delay, by (state before, frame, surface in it, law, frame that it lay
    on), of a STRIKE row."""
    item, link = STRIKE.unpack(row), np.zeros((13, ON_BASE.stop))
    ball = STATE.unpack(item.state)
    rate = np.concatenate([ball.velocity, ball.spin, item.rates])
    touch = TOUCH.pack(1, duration=0.0, **{name: getattr(item, name) for name in TOUCH.slices if name != "duration"})
    link[:, :WITH_LAW] = ball_arrivals(gravity, touch, rate[None], grasp=False)[0]
    if pushed or caught:  # no impulse: what it was like then
        link[:12] = np.eye(12, ON_BASE.stop) + np.outer(rate, link[12])
    if pushed and not caught:
        link[VELOCITY] = chunked(push_jacobians, row[None])[0]
    return link


class RollingImpact(EventKind):
    has_law = True  # what follows depends on restitution, friction and normal

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        event, span = accumulator.chain(name).events[k], accumulator.span(name, k)
        row, pushed = _strike_row(accumulator, event, span), event.push is not None
        link = strike_jacobian(accumulator.context.gravity, row, pushed, caught=not self.has_law)
        on_after = accumulator.after_back(name, k, rows, on)
        back = on_after @ link
        note_touch(accumulator, event, rows, back, self.has_law)
        if pushed:  # what it lay on has answered
            accumulator.on_frame(span.frame, event.time, rows, back[:, ON_BASE])
        if event.declared and not accumulator.scene.contact(str(event.contact)).declared:
            by_time = on_after @ _prescribed_later(row, link)
            accumulator.add(time_name(str(event.contact)), rows, by_time[:, None])
        accumulator.state_back(name, k, event.touched, rows, back[:, BEFORE])

    def outcome_by_time(self, jacobians: LocalJacobians, name: str, k: int) -> Floats:
        """Nothing more: `back` tells of that time, since what lies is led without a node most of the time."""
        return np.zeros(12)


class RollingRest(RollingImpact):
    """In a corner or a jam: it stays as it was when it touched."""

    has_law = False


class RollingGrasp(RollingRest):
    grows = False


def _prescribed_later(row: Floats, link: Floats) -> Floats:
    """(13,) the state just after a touch and its delay, by the time at which it is prescribed: until then the ball goes
    on as it did, and so does what it touches."""
    item = STRIKE.unpack(row)
    ball, frame = STATE.unpack(item.state), FRAME.unpack(item.frame)
    goes_on = np.concatenate([ball.velocity, ball.spin, item.rates])
    moves = np.concatenate([frame.velocity, frame.spin, frame.accel, frame.spin_accel])
    return np.append((link[:, BEFORE] @ goes_on + link[:, ON_FRAME] @ moves)[:12], 1.0)


def _strike_row(accumulator: Accumulator, event: Event, span: Span) -> Floats:
    """STRIKE row of a ball that did not fly, by the contact that it was in."""
    context = accumulator.context
    body, patch, s, base = context.scene.thing(event.object).body, event.patch, context.world.surfaces, span.surface
    assert patch is not None
    e, mu, *normal = context.laws.of_event(event)
    (apart, pressed), (_, rates) = event.push or (0.0, 0.0), context.state_and_rates(span, event.touched)
    return STRIKE.pack(
        1, state=event.before, rates=rates, frame=event.frame, place=patch.place, turned=np.ravel(patch.turned),
        core=patch.core, radius=patch.radius, feature=event.feature, ball_radius=body.radius,
        inverse_mass=1.0 / body.mass, inverse_moment=1.0 / body.moments[0], restitution=e, friction=mu,
        normal_turn=normal, stick=event.stick, declared=float(event.declared or -event.rate < SLOW),
        apart=apart, pressed=pressed,
        base_frame=context.frames([span.frame], [event.touched])[0], base_place=s.place[base],
        base_turned=s.turned[base].ravel(), base_core=s.core[base], base_radius=s.radius[base],
        base_feature=span.contacting.contact.feature,
    )[0]  # fmt: skip
