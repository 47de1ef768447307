"""A ball that flies touches a surface: what impacts and grasps share.

The law is differentiated by JAX here (`impact_jacobians`, and by the state just before a touch `arrival_jacobians`);
what is used is its closed form (`compiled_jacobians`), which is measured against this.
"""

from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.columns import chunked
from hoi_edit.simulate.compiled_jacobians import ball_touches
from hoi_edit.simulate.dynamics.flight_in_air import START_TIME, before_by_start, drifting
from hoi_edit.simulate.dynamics.flight_laws import arrivals, flight_law, rate_of
from hoi_edit.simulate.events.base import EventKind, Which
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import FRAME, TOUCH, bounce, state_of
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.simulate.variations import (
    Later,
    derivative,
    frame_after,
    in_hand,
    packed_frame,
    retract,
    turn_between,
    variation,
    varied_law,
)
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, rotation_exp
from rigid.distance import RoundedBox, gap_and_normal
from rigid.free_flight import SPHERE, State, fly
from rigid.time_of_impact import event_time

# columns of a touch's local Jacobian: what names the flight before, the frame of the surface, where the surface is in
# it, the law, and in air when the flight started
BEFORE, ON_FRAME, ON_SURFACE, ON_LAW, SINCE = slice(0, 12), slice(12, 24), slice(24, 30), slice(30, 35), slice(35, 36)
WITHOUT_LAW, WITH_LAW = 30, 35
SURFACE_PLACE, SURFACE_TURN = slice(24, 27), slice(27, 30)


def meeting(item: SimpleNamespace, flight: Later, z: Array) -> tuple[Array, State, SimpleNamespace, Array]:
    """Delay of the touch, the state before it, the frame then, and the normal: of z = (flight, frame, surface)."""
    frame = FRAME.unpack(item.frame)
    shape = RoundedBox(item.core, item.radius + item.ball_radius)

    def touch(tau: Array, varied: Array) -> tuple[Array, Array]:
        f = frame_after(frame, varied[ON_FRAME], tau)
        place, turned = (
            item.place + varied[SURFACE_PLACE],
            rotation_exp(varied[SURFACE_TURN]) @ item.turned.reshape(3, 3),
        )
        x = flight(tau, varied[BEFORE]).position
        gap, normal = gap_and_normal(shape, turned.T @ (f.rotation.T @ (x - f.position) - place), item.feature)
        return gap, f.rotation @ (turned @ normal)

    # a declared contact happens at its time, wherever the two are
    tau = (1.0 - item.declared) * event_time(lambda t, varied: touch(t, varied)[0], 0.0, z[:WITHOUT_LAW])
    return tau, flight(tau, z[BEFORE]), frame_after(frame, z[ON_FRAME], tau), touch(tau, z[:WITHOUT_LAW])[1]


def struck(item: SimpleNamespace, before: State, frame: SimpleNamespace, normal: Array, z: Array) -> State:
    """The state just after an impact."""
    return bounce(packed_frame(frame), varied_law(item, z[ON_LAW]), before, normal, item.stick)[0]


def _bounced(item: SimpleNamespace, gravity: Array, z: Array) -> State:
    """The flight after an impact, extended back to the nominal time. z: flight 12, frame 12, surface 6, law 5."""

    def flight(tau: Array, varied: Array) -> State:
        return fly(retract(state_of(item.state), varied), SPHERE, gravity, item.duration + tau)

    tau, before, frame, normal = meeting(item, flight, z)
    return fly(struck(item, before, frame, normal, z), SPHERE, gravity, -tau)


@jax.jit
def impact_jacobians(gravity: Array, items: Array) -> Array:
    """(B, 12, 35): the flight after by (flight before, frame, surface in it, restitution, friction, normal)."""

    def one(row: Array) -> Array:
        item = TOUCH.unpack(row)
        nominal = _bounced(item, gravity, jnp.zeros(WITH_LAW))
        return derivative(lambda z: variation(_bounced(item, gravity, z), nominal), WITH_LAW)

    return jax.vmap(one)(items)


@jax.jit
def arrival_jacobians(items: Array) -> Array:
    """(B, 19, 35): state just after and delay of an impact, and the hold after a grasp, by (state before, frame,
    surface, law). A row is that of TOUCH, with the state just before, and that state's rate (12,)."""

    def one(row: Array) -> Array:
        item = TOUCH.unpack(row[: TOUCH.width])
        flight = drifting(item.state, row[TOUCH.width :])

        def outcome(z: Array) -> tuple[Any, Array, tuple[Array, Array]]:
            tau, before, frame, normal = meeting(item, flight, z)
            return struck(item, before, frame, normal, z), tau, in_hand(before, frame)

        nominal, _, (place, rotation) = outcome(jnp.zeros(WITH_LAW))

        def difference(z: Array) -> Array:
            after, tau, (p, R) = outcome(z)
            return jnp.concatenate([variation(after, nominal), tau[None], p - place, turn_between(R, rotation)])

        return derivative(difference, WITH_LAW)

    return jax.vmap(one)(items)


AFTER_AND_DELAY = slice(0, 13)  # rows of `arrival_jacobians`
FALLING = np.empty((0, 12))  # rates of balls in free fall


def ball_impacts(gravity: Floats, items: Floats) -> Floats:
    """Links of a ball's impacts. Restitution above 1, which only an edit that bends physics asks for, is up against
    the law's limit of energy, and that is differentiated."""
    links, beyond = ball_touches(gravity, items, FALLING, False)[:, :12], TOUCH.unpack(items).restitution > 1.0
    if beyond.any():
        links[beyond] = chunked(partial(impact_jacobians, gravity), items[beyond])
    return links


def ball_grasps(gravity: Floats, items: Floats) -> Floats:
    return ball_touches(gravity, items, FALLING, True)


def ball_arrivals(gravity: Floats, items: Floats, rates: Floats, grasp: bool) -> Floats:
    """(B, 13, 35) state just after and delay of impacts, or (B, 6, 30) holds after grasps, by states just before that
    go on at these rates (B, 12)."""
    links = ball_touches(gravity, items, rates, grasp)
    beyond = TOUCH.unpack(items).restitution > (np.inf if grasp else 1.0)
    if beyond.any():
        rows = np.concatenate([items, rates], axis=1)[beyond]
        links[beyond] = chunked(arrival_jacobians, rows)[:, AFTER_AND_DELAY]
    return links


def touch_row(jacobians: LocalJacobians, span: Span, event: Event) -> Floats:
    """TOUCH row of a touch that ended a flight."""
    body, patch = jacobians.context.scene.thing(event.object).body, event.patch
    assert patch is not None
    e, mu, *normal = jacobians.context.laws.of_event(event)
    state, duration = span.state, event.touched - span.start
    if event.object in jacobians.airs:  # by how it is just before
        state, duration = event.before, 0.0
    return TOUCH.pack(
        1, state=state, duration=duration, frame=event.frame, place=patch.place,
        turned=np.ravel(patch.turned), core=patch.core, radius=patch.radius, feature=event.feature,
        ball_radius=body.radius, inverse_mass=1.0 / body.mass, inverse_moment=1.0 / body.moments[0],
        restitution=e, friction=mu, normal_turn=normal, stick=event.stick, declared=float(event.declared),
    )[0]  # fmt: skip


class FlightTouch(EventKind):
    """Base of events at which a flight ends on a surface; its Jacobians have the columns named above."""

    has_law = True  # what follows depends on restitution, friction and normal

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        event, back = accumulator.chain(name).events[k], on @ accumulator.jacobians.of[name, k]
        note_touch(accumulator, event, rows, back, self.has_law)
        on_flight = back[:, BEFORE]
        if name in accumulator.jacobians.airs:  # such a flight is named by when it starts as well
            on_flight = np.concatenate([on_flight, back[:, SINCE]], axis=1)
        accumulator.leave_at(name, k, rows, on_flight)


def note_touch(accumulator: Accumulator, event: Event, rows: Ints, back: Floats, has_law: bool) -> None:
    """Of covectors on all that a touch depends on, those that are not on what touched."""
    assert event.patch is not None
    accumulator.on_frame(event.patch.frame, event.time, rows, back[:, ON_FRAME])
    if event.other in accumulator.chains:  # a thing in a hand: where it lies in that hand matters too
        chain = accumulator.chains[str(event.other)]
        k = chain.index_at(event.time)
        if chain.spans[k].is_held:
            accumulator.leave_at(str(event.other), k, rows, back[:, ON_SURFACE])
        else:  # it was struck in a hand that, by what came of it, has not caught it yet
            accumulator.doubts.append(event)
    if has_law:
        accumulator.on_law(event.contact, rows, back[:, ON_LAW])


def jacobians_in_air(jacobians: LocalJacobians, asked: Sequence[Which], grasp: bool) -> dict[Which, Floats]:
    """Local Jacobians of touches of balls that feel the air, by how their flights set out."""
    ends = [(jacobians.chains[name].spans[k], jacobians.event(name, k).touched) for name, k in asked]
    flights = arrivals(jacobians.context, ends)
    rows = np.stack([touch_row(jacobians, jacobians.chains[n].spans[k], jacobians.event(n, k)) for n, k in asked])
    rates = np.stack([-flight[:, START_TIME] for flight in flights])
    by_event = {}
    links = ball_arrivals(jacobians.context.gravity, rows, rates, grasp)
    for which, link, flight in zip(asked, links, flights, strict=True):
        before, since = before_by_start(link, flight, 0)
        no_law = np.zeros((len(link), WITH_LAW - link.shape[1]))  # of a grasp
        by_event[which] = np.concatenate([before, link[:, ON_FRAME.start :], no_law, since], axis=1)
    return by_event


def touch_jacobians(jacobians: LocalJacobians, asked: Sequence[Which], kernel: Any, grasp: bool) -> dict[Which, Floats]:
    """Local Jacobians of touches of balls, those in free fall by a kernel over TOUCH rows."""
    in_air = [which for which in asked if which[0] in jacobians.airs]
    falling = [which for which in asked if which[0] not in jacobians.airs]
    by_event = jacobians_in_air(jacobians, in_air, grasp) if in_air else {}
    if falling:
        rows = np.stack([touch_row(jacobians, jacobians.chains[n].spans[k], jacobians.event(n, k)) for n, k in falling])
        by_event |= dict(zip(falling, kernel(rows), strict=True))
    return by_event


def flight_by_time(jacobians: LocalJacobians, name: str, k: int) -> Floats:
    """(12,) how the flight after a prescribed impact, at the fixed time that names it, changes with the time at which
    it is prescribed: the flight before goes on, the surface moves on, and what follows is so much later."""
    chain, context = jacobians.chains[name], jacobians.context
    event, after, law = chain.events[k], chain.spans[k + 1], flight_law(jacobians.context, name)
    f, link = FRAME.unpack(np.asarray(event.frame)), jacobians.of[name, k]
    start = np.asarray(chain.spans[k].state)
    before = rate_of(start, law.rates(context, chain.spans[k], start))
    surface = np.concatenate([f.velocity, f.spin, f.accel, f.spin_accel])
    given = context.state_in(after._replace(state=event.after, start=event.time), after.start)
    later = rate_of(given, law.rates(context, after, given))
    return np.asarray(link[:, BEFORE] @ before + link[:, ON_FRAME] @ surface - later)
