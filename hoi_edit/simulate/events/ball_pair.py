"""Two balls knock each other: what comes of it, and the way back where both fly.

When that is, `meetings.balls` finds. Where one rolls or lies, the derivative is that of any two bodies (`body_pair`).
"""

from collections.abc import Sequence
from functools import partial
from types import SimpleNamespace
from typing import Any

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.scene import Thing
from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.columns import Columns, chunked
from hoi_edit.simulate.dynamics.flight_in_air import START_TIME, at_fixed_time, before_by_start, drifting
from hoi_edit.simulate.dynamics.flight_laws import arrivals, flight_law, rate_of
from hoi_edit.simulate.events.base import EventKind, Which
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import LAW, STATE, state_of
from hoi_edit.simulate.variations import Later, derivative, retract, variation, varied_law
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, rotation_exp
from rigid.free_flight import SPHERE, State, fly
from rigid.impact import Free, Material, choose_mode, collide
from rigid.impact_compiled import pair_impact
from rigid.time_of_impact import event_time

# columns of its local Jacobian: the flight of the first, that of the other, the law, and in air when each started
FIRST, OTHER, ON_LAW, SINCE, OTHER_SINCE = slice(0, 12), slice(12, 24), slice(24, 29), slice(29, 30), slice(30, 31)

_ONE = {"state": STATE.width, "start": 0, "radius": 0, "inverse_mass": 0, "inverse_moment": 0}
PAIR = Columns(**{f"{name}_{which}": width for which in "ab" for name, width in _ONE.items()}, time=0, **LAW)


def knocked(
    a: Thing, before_a: Floats, b: Thing, before_b: Floats, law: Sequence[float]
) -> tuple[Floats, Floats, Floats]:
    """What `rigid.impact_compiled` makes of two balls."""
    inverses = np.array([1.0 / number for body in (a.body, b.body) for number in (body.mass, body.moments[0])])
    return pair_impact(before_a, before_b, inverses, float(b.body.radius), np.array(law))


def exchanged(item: Any, a: State, b: State, normal: Array, stick: Array | None) -> tuple[State, State, Array, Array]:
    """Both states after the impulse between two balls; the normal points from b to a."""
    free_a = Free(item.inverse_mass_a, item.inverse_moment_a * jnp.eye(3), a.position, a.velocity, a.angular_velocity)
    free_b = Free(item.inverse_mass_b, item.inverse_moment_b * jnp.eye(3), b.position, b.velocity, b.angular_velocity)
    point = b.position + item.radius_b * normal
    normal = rotation_exp(item.normal_turn) @ normal
    material = Material(item.restitution, item.friction)
    chosen, ratio = choose_mode(free_a, free_b, point, normal, material)
    stick = chosen if stick is None else stick
    v_a, w_a, v_b, w_b = collide(free_a, free_b, point, normal, material, stick)
    return State(a.position, a.rotation, v_a, w_a), State(b.position, b.rotation, v_b, w_b), stick, ratio


# -- the way back ------------------------------------------------------------------------------------------------------


def pair_row(
    a: Thing, before_a: tuple[Floats, float], b: Thing, before_b: tuple[Floats, float], time: float,
    law: Sequence[float], stick: float = 0.0,
) -> Floats:  # fmt: skip
    """PAIR row of two balls, each with a state and its time."""
    one = {
        f"{name}_{which}": value
        for which, thing, (state, start) in (("a", a, before_a), ("b", b, before_b))
        for name, value in (
            ("state", state), ("start", start), ("radius", thing.body.radius),
            ("inverse_mass", 1.0 / thing.body.mass), ("inverse_moment", 1.0 / thing.body.moments[0]),
        )
    }  # fmt: skip
    e, mu, *normal = law
    return PAIR.pack(1, **one, time=time, restitution=e, friction=mu, normal_turn=normal, stick=stick)[0]


@jax.jit
def pair_jacobians(gravity: Array, items: Array) -> Array:
    """(B, 12, 29): flight of the first of two things after they met, by both flights before and the law."""

    def one(row: Array) -> Array:
        item = PAIR.unpack(row)
        nominal = _parted(item, gravity, jnp.zeros(ON_LAW.stop))
        return derivative(lambda z: variation(_parted(item, gravity, z), nominal), ON_LAW.stop)

    return jax.vmap(one)(items)


def _parted(item: SimpleNamespace, gravity: Array, z: Array) -> State:
    """The first thing's flight after two have met, extended back to the nominal time."""

    def one(state: Array, start: Array) -> Later:
        return lambda tau, varied: fly(retract(state_of(state), varied), SPHERE, gravity, item.time + tau - start)

    tau, after = parted(item, one(item.state_a, item.start_a), one(item.state_b, item.start_b), z)
    return fly(after, SPHERE, gravity, -tau)


def parted(item: SimpleNamespace, first: Later, second: Later, z: Array) -> tuple[Array, State]:
    """When two flights meet, and the state of the first just after. z: flights 24, law 5."""

    def gap(tau: Array, varied: Array) -> Array:
        a, b = first(tau, varied[FIRST]), second(tau, varied[OTHER])
        return jnp.linalg.norm(a.position - b.position) - item.radius_a - item.radius_b

    tau = event_time(gap, 0.0, z[: OTHER.stop])
    a, b = first(tau, z[FIRST]), second(tau, z[OTHER])
    normal = (a.position - b.position) / jnp.linalg.norm(a.position - b.position)
    return tau, exchanged(varied_law(item, z[ON_LAW]), a, b, normal, item.stick)[0]


@jax.jit
def air_pair_jacobians(items: Array) -> Array:
    """(B, 13, 29): state of the first of two things just after they met, and the delay, by both states just before and
    the law. A row is that of PAIR, with the states just before, and the rates of both (24,)."""

    def one(row: Array) -> Array:
        item = PAIR.unpack(row[: PAIR.width])
        rates = row[PAIR.width :]
        flights = drifting(item.state_a, rates[:12]), drifting(item.state_b, rates[12:])

        nominal = parted(item, *flights, jnp.zeros(ON_LAW.stop))[1]

        def difference(z: Array) -> Array:
            tau, after = parted(item, *flights, z)
            return jnp.concatenate([variation(after, nominal), tau[None]])

        return derivative(difference, ON_LAW.stop)

    return jax.vmap(one)(items)


class BallPair(EventKind):
    """Of two that fly."""

    def local_jacobians(self, jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
        falling = [which for which in asked if jacobians.both_feel_no_air(jacobians.event(*which))]
        links = _jacobians_in_air(jacobians, [which for which in asked if which not in falling])
        if falling:
            rows = []
            for name, k in falling:
                other, j = jacobians.twin(jacobians.event(name, k))
                spans = jacobians.chains[name].spans[k], jacobians.chains[other].spans[j]
                rows.append(_meeting_row(jacobians, name, k, *((np.asarray(span.state), span.start) for span in spans)))
            kernel = partial(pair_jacobians, jacobians.context.gravity)
            links |= dict(zip(falling, chunked(kernel, np.stack(rows)), strict=True))
        return links

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        jacobians, event = accumulator.jacobians, accumulator.chain(name).events[k]
        back, (other, j) = on @ jacobians.of[name, k], jacobians.twin(event)
        for thing, number, flight, since in ((name, k, FIRST, SINCE), (other, j, OTHER, OTHER_SINCE)):
            named_by_time = thing in jacobians.airs
            on_flight = np.concatenate([back[:, flight], back[:, since]], axis=1) if named_by_time else back[:, flight]
            accumulator.leave_at(thing, number, rows, on_flight)
        accumulator.on_law(event.contact or accumulator.chain(other).events[j].contact, rows, back[:, ON_LAW])


def _meeting_row(
    jacobians: LocalJacobians, name: str, k: int, flight_a: tuple[Floats, float], flight_b: tuple[Floats, float]
) -> Floats:
    """PAIR row of two that have met, by a state of each and its time."""
    event = jacobians.event(name, k)
    other, j = jacobians.twin(event)
    law = jacobians.context.laws.of_met(event, jacobians.event(other, j))
    a, b = (jacobians.context.scene.thing(thing) for thing in (name, other))
    return pair_row(a, flight_a, b, flight_b, event.time, law, event.stick)


def _jacobians_in_air(jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
    """Where one of the two feels the air: by the states just before, and how both flights arrive there."""
    if not asked:
        return {}
    context, rows, arrived = jacobians.context, [], []
    for name, k in asked:
        event = jacobians.event(name, k)
        other, j = jacobians.twin(event)
        spans = jacobians.chains[name].spans[k], jacobians.chains[other].spans[j]
        both = arrivals(context, [(span, event.time) for span in spans])
        before = [(np.asarray(state), event.time) for state in (event.before, event.twin)]
        rates = [-flight[:, START_TIME] for flight in both]
        rows.append(np.concatenate([_meeting_row(jacobians, name, k, *before), *rates]))
        arrived.append(both)
    links = {}
    for (name, k), link, (flight, other_flight) in zip(
        asked, chunked(air_pair_jacobians, np.stack(rows)), arrived, strict=True
    ):
        if name not in jacobians.airs:
            after = np.asarray(jacobians.event(name, k).after)
            span = jacobians.chains[name].spans[k + 1]
            link = at_fixed_time(link, rate_of(after, flight_law(context, name).rates(context, span, after)))
        on_first, since = before_by_start(link, flight, FIRST.start)
        on_other, other_since = before_by_start(link, other_flight, OTHER.start)
        links[name, k] = np.concatenate([on_first, on_other, link[:, ON_LAW], since, other_since], axis=1)
    return links
