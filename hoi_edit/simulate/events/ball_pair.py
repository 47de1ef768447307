"""Two balls knock each other: what comes of it, and the way back where both fly.

When that is, `meetings.balls` finds. Where one rolls or lies, the derivative is that of any two bodies (`body_pair`).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hoi_edit.scene import Thing
from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.dynamics.flight_in_air import START_TIME, at_fixed_time, before_by_start
from hoi_edit.simulate.dynamics.flight_laws import arrivals
from hoi_edit.simulate.events.base import EventKind, Which
from hoi_edit.simulate.events.body_pair import (
    FIRST,
    GOES_ON,
    ON_LAW,
    OTHER,
    pair_columns,
)
from hoi_edit.simulate.events.body_pair_compiled import paired_jacobians
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import PAIRED
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats
from rigid.hull_features import VERTEX_VERTEX
from rigid.impact_compiled import pair_impact

# columns of its local Jacobian beside those of any pair: in air, when each flight started
SINCE, OTHER_SINCE = slice(29, 30), slice(30, 31)
CENTRE = np.zeros((3, 3))  # the one corner of a ball


def knocked(
    a: Thing, before_a: Floats, b: Thing, before_b: Floats, law: Sequence[float]
) -> tuple[Floats, Floats, Floats]:
    """What `rigid.impact_compiled` makes of two balls."""
    inverses = np.array([1.0 / number for body in (a.body, b.body) for number in (body.mass, body.moments[0])])
    return pair_impact(np.array(before_a), np.array(before_b), inverses, float(b.body.radius), np.array(law))


# -- the way back ------------------------------------------------------------------------------------------------------


class BallPair(EventKind):
    """Of two that fly: by the states just before, and how both flights arrive there."""

    def local_jacobians(self, jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
        rows, arrived = [], []
        for name, k in asked:
            event = jacobians.event(name, k)
            other, j = jacobians.twin(event)
            spans = jacobians.chains[name].spans[k], jacobians.chains[other].spans[j]
            both = arrivals(jacobians.context, [(span, event.time) for span in spans])
            rows.append(_meeting_row(jacobians, name, k, *(-flight[6:, START_TIME] for flight in both)))
            arrived.append(both)
        links = paired_jacobians(np.stack(rows))
        return {
            which: _by_flights(jacobians, *which, link, *both)
            for which, link, both in zip(asked, links, arrived, strict=True)
        }

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        jacobians, event = accumulator.jacobians, accumulator.chain(name).events[k]
        back, (other, j) = on @ jacobians.of[name, k], jacobians.twin(event)
        for thing, number, flight, since in ((name, k, FIRST, SINCE), (other, j, OTHER, OTHER_SINCE)):
            named_by_time = thing in jacobians.airs
            on_flight = np.concatenate([back[:, flight], back[:, since]], axis=1) if named_by_time else back[:, flight]
            accumulator.leave_at(thing, number, rows, on_flight)
        accumulator.on_law(event.contact or accumulator.chain(other).events[j].contact, rows, back[:, ON_LAW])


def _meeting_row(jacobians: LocalJacobians, name: str, k: int, rates_a: Floats, rates_b: Floats) -> Floats:
    """PAIRED row of two that have met, by how they were just before."""
    event, columns = jacobians.event(name, k), dict[str, Any]()
    other, j = jacobians.twin(event)
    e, mu, *normal = jacobians.context.laws.of_met(event, jacobians.event(other, j))
    for which, thing, state, rates in (("a", name, event.before, rates_a), ("b", other, event.twin, rates_b)):
        columns |= pair_columns(which, jacobians.context.scene.thing(thing).body, np.asarray(state), rates, CENTRE)
    return PAIRED.pack(
        1, **columns, kind=VERTEX_VERTEX, restitution=e, friction=mu, normal_turn=normal, stick=event.stick, hop=0.0,
        declared=0.0,
    )[0]  # fmt: skip


def _by_flights(
    jacobians: LocalJacobians, name: str, k: int, link: Floats, flight: Floats, other_flight: Floats
) -> Floats:
    """By both flights instead of by the states just before; what is named by its flight is so at a fixed time."""
    if name not in jacobians.airs:
        rates = -flight[6:, START_TIME]  # a ball in free fall goes on as it came: it falls, and keeps its spin
        link = at_fixed_time(link, np.concatenate([link[:6, GOES_ON], rates]))
    on_first, since = before_by_start(link, flight, FIRST.start)
    on_other, other_since = before_by_start(link, other_flight, OTHER.start)
    return np.concatenate([on_first, on_other, link[:, ON_LAW], since, other_since], axis=1)
