"""Bounces that become ever smaller are summed up: a ball comes to rest, or slides or rolls on from there.

It takes a while, from the touch to the event. Meanwhile the ball is shown on the surface, on a straight way from where
it touched to where it comes to stay.
"""

from typing import Any

import jax
import numpy as np

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.dynamics.flight_in_air import START_TIME
from hoi_edit.simulate.dynamics.rolling_adjoint import base_of, rest_back, settling_back, split
from hoi_edit.simulate.dynamics.rolling_motion import SETTLE, begin_contact
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.events.touch import touch_row
from hoi_edit.simulate.kind_words import FLIGHT, HELD, REST
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import FRAME, STATE, TOUCH
from hoi_edit.simulate.packed_states import carried, relative
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search.rolling_contact import Way, first_strike
from hoi_edit.simulate.trajectory import Chain, Event, Span
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats

SOON = 1e-9  # [s] a node is a name for a time, to round-off
AT_BEGIN = 2.0  # of a touch: it is when the flight begins
SLOW = 1e-6  # [m/s] a touch that comes more slowly changes nothing by when it is


def settle(
    run: Run, cursor: Cursor, span: Span, event: Event, surface: int, e: float, mu: float, ahead: Floats | None = None
) -> bool:
    """Whether the bounces after this touch are summed up; if so, the thing is in contact afterwards.

    `ahead` (18,) is a state that tells the contact's feature, where that of the touch is at a border.
    """
    row = settle_row(run.context, cursor, surface, event.frame, event.after if ahead is None else ahead, e, mu)
    settles, lasted, contact, ride, settling = jax.device_get(begin_contact(run.context.gravity, row))
    begin = event.time + float(lasted)
    if not settles or begin >= cursor.limit:
        return False
    place = _place_on(run.context, surface, np.asarray(ride.position), begin)
    if not _is_free(run, cursor, surface, event.time, np.asarray(event.before)[:3], begin, place):
        return False
    mechanism = run.context.spans[span.kind].settling_mechanism
    rest = event._replace(kind=REST, time=begin, settling=(settling, event.time), mechanism=mechanism)
    run.append(cursor, span, rest)
    run.roll_on(cursor, surface, contact, ride)
    return True


def settle_row(
    context: Context, cursor: Cursor, surface: int, frame: Any, after: Any, restitution: float, friction: float
) -> Floats:
    """SETTLE row of a ball that touches a surface."""
    s, body = context.world.surfaces, cursor.thing.body
    return SETTLE.pack(
        1, frame=frame, after=after, place=s.place[surface], turned=s.turned[surface].ravel(), core=s.core[surface],
        radius=s.radius[surface], ball_radius=body.radius, moment=body.moments[0] / (body.mass * body.radius**2),
        restitution=restitution, friction=friction,
    )[0]  # fmt: skip


def _place_on(context: Context, surface: int, position: Floats, time: float) -> Floats:
    """Where a place in a surface's own frame is."""
    s = context.world.surfaces
    frame = FRAME.unpack(context.frames([s.frame[surface]], [time])[0])
    local = s.place[surface] + s.turned[surface] @ position
    return np.asarray(frame.position + frame.rotation.reshape(3, 3) @ local)


def _is_free(run: Run, cursor: Cursor, surface: int, begin: float, x: Floats, end: float, y: Floats) -> bool:
    """Whether nothing but a surface is in the way from one place to another: only then bounces on it are summed up."""
    if end - begin <= 1e-9:
        return True
    velocity = (y - x) / (end - begin)
    nodes = np.array([[begin, *x, *velocity], [end, *y, *velocity]])
    world, table, hidden = run.context.world, run.table, np.zeros(len(run.context.world.surfaces), np.int64)
    hidden[surface] = 1
    way = Way(nodes, float(cursor.thing.body.radius))
    return bool(first_strike(run.context.moving, table.rows(), world.solids, table.groups, way, hidden).surface < 0)


class BallSettling(EventKind):
    """Out of a flight."""

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        accumulator.leave_at(name, k, rows, self._on_flight(accumulator, name, k, rows, on))

    def back_from_before(
        self, accumulator: Accumulator, name: str, k: int, time: float, rows: Ints, on: Floats
    ) -> None:
        accumulator.leave_at(name, k, rows, self._on_flight(accumulator, name, k, rows, on, time))

    def _on_flight(
        self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats, shown: float | None = None
    ) -> Floats:
        chain = accumulator.chain(name)
        event, span = chain.events[k], chain.spans[k]
        arrival = None
        if name in accumulator.jacobians.airs:
            arrival = accumulator.jacobians.flights([(span, event.touched)])[0]
        rates = np.append(accumulator.context.gravity, np.zeros(3))
        row = surface_row(accumulator.jacobians, span, event)
        if _never_was_off(chain, k):
            row[TOUCH.slices["declared"]] = AT_BEGIN
        return _settled_back(accumulator, chain, k, row, rates, rows, on, arrival, shown)

    def state_before(self, context: Context, chain: Chain, k: int, t: float) -> Floats:
        event, after = chain.events[k], chain.spans[k + 1]
        (_, touched), patch = event.settling, event.patch
        assert patch is not None
        before = relative(np.asarray(event.frame), np.asarray(event.before))
        R = np.asarray(patch.turned)
        start, end = before[0], patch.place + R @ np.asarray(after.contacting.start.position)
        share = (t - touched) / max(event.time - touched, 1e-12)
        frame = context.frames([patch.frame], [t])[0]
        row = carried(
            Span(HELD, event.object, t, t, None, patch.frame, start + share * (end - start), before[1]), frame
        )
        turned = FRAME.unpack(frame).rotation.reshape(3, 3)
        row[STATE.slices["velocity"]] += turned @ (end - start) / max(event.time - touched, 1e-12)
        row[STATE.slices["spin"]] += turned @ R @ np.asarray(after.contacting.start.spin)
        return row


class SettlingFromContact(BallSettling):
    """Out of contact with another surface: by the state just before, which is carried back along that contact."""

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        self._through(accumulator, name, k, rows, on, None)

    def back_from_before(
        self, accumulator: Accumulator, name: str, k: int, time: float, rows: Ints, on: Floats
    ) -> None:
        self._through(accumulator, name, k, rows, on, time)

    def _through(
        self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats, shown: float | None
    ) -> None:
        chain = accumulator.chain(name)
        event = chain.events[k]
        _, rates = accumulator.context.state_and_rates(chain.spans[k], event.touched)
        flight = Span(FLIGHT, name, event.touched, event.time, event.before)
        row = surface_row(accumulator.jacobians, flight, event)
        row[TOUCH.slices["declared"]] = float(-event.rate < SLOW)
        on_state = _settled_back(accumulator, chain, k, row, rates, rows, on, None, shown)
        accumulator.state_back(name, k, event.touched, rows, on_state)


def _settled_back(
    accumulator: Accumulator, chain: Chain, k: int, row: Floats, rates: Floats, rows: Ints, on: Floats,
    arrival: Floats | None, shown: float | None,
) -> Floats:  # fmt: skip
    """From a contact to what settled into it, by a TOUCH row and the accelerations before; or, with a time `shown`,
    from the state at that time, while it settles.

    With an `arrival`, the Jacobian of a flight through air, the row is by the state just before.
    """
    after, (settling, touched) = chain.spans[k + 1], chain.events[k].settling
    rate = None if arrival is None else -arrival[:, START_TIME]
    context = accumulator.context
    touch = (base_of(context, after), context.gravity, row, rates, touched, settling, rate)
    back = rest_back(*touch, on) if shown is None else settling_back(*touch, shown, on)
    on_start = split(accumulator, back, after, rows)
    return on_start if arrival is None else on_start @ arrival


def surface_row(jacobians: LocalJacobians, span: Span, event: Event) -> Floats:
    """A TOUCH row whose frame is the surface's own."""
    row = touch_row(jacobians, span, event)
    row[TOUCH.slices["place"]], row[TOUCH.slices["turned"]] = 0.0, np.eye(3).ravel()
    return row


def _never_was_off(chain: Chain, k: int) -> bool:
    """Whether a ball that comes to rest lay there when it was struck, and has flown for no time."""
    event, last = chain.events[k], chain.spans[k - 1]
    at_once = k > 0 and abs(chain.events[k - 1].time - event.touched) <= SOON
    return at_once and event.rate == 0.0 and last.rolls
