"""In sustained contact: a ball that rests, slides or rolls on a surface, chunk by chunk, to where that ends.

A stretch of contact is named by when it begins and by its ride, the ball as seen from the surface: thirteen numbers.
"""

from collections.abc import Sequence

import jax
import jax.numpy as jnp
import numpy as np
from jax import Array

from hoi_edit.simulate.accumulator import Accumulator, StateCovectors
from hoi_edit.simulate.columns import Columns, chunked
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.dynamics.rolling_adjoint import base_of, ride_variation, riding_back, split
from hoi_edit.simulate.dynamics.rolling_motion import (
    end_of,
    frames_under,
    state_and_rates,
    state_on,
    surface_at,
)
from hoi_edit.simulate.events.rolling_impact import look, over_the_seam, pushed, strike
from hoi_edit.simulate.kind_words import EDGE, GOES_ON, LEAVE, ROLL, SLIDE
from hoi_edit.simulate.packed_layouts import FRAME, STATE, SURFACE, state_of
from hoi_edit.simulate.prescribed import close
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.search.layouts import UNTIL_OFF
from hoi_edit.simulate.spans.base import SpanKind
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.simulate.variations import STATE_AND_DELAY, derivative, frame_after, packed_frame, retract
from hoi_edit.simulate.world import Ints
from kinematics.packed_motion import ROTATION, SPIN, VELOCITY
from kinematics.rotation import Floats
from rigid.distance import RoundedBox
from rigid.rolling_ends import GRIP, LIFT, NONE
from rigid.sustained_contact import Riding, RoundBody, SustainedContact, riding, touching

_END_KINDS = {NONE: GOES_ON, LIFT: LEAVE, 1: EDGE, 2: EDGE, 3: EDGE}
_END_MECHANISMS = {GOES_ON: "next_chunk", LEAVE: "lift_off"}
ONTO = Columns(after=STATE.width, frame=FRAME.width, **SURFACE, ball_radius=0, moment=0, rolls=0)


class RollingSpan(SpanKind):
    impact_mechanism = "rolling_impact"
    settling_mechanism = "settling_from_contact"

    def advance(self, run: Run, cursors: list[Cursor]) -> None:
        for cursor in cursors:
            _to_end_of_chunk(run, cursor)

    def touch_at(self, run: Run, cursor: Cursor, surface: int, time: float) -> Floats:
        return look(run, cursor, cursor.span, surface, time)[0]

    def go_on(self, run: Run, cursor: Cursor, span: Span, after: Floats, meant: bool) -> None:
        pushed(run, cursor, span, after, meant)

    def state(self, context: Context, span: Span, t: float) -> Floats:
        return state_on(frames_under(context, span), span.contacting, span.ridden, float(t))

    def state_and_rates(self, context: Context, span: Span, t: float) -> tuple[Floats, Floats]:
        return state_and_rates(frames_under(context, span), span.contacting, span.ridden, float(t))

    def waypoints(self, context: Context, span: Span) -> Floats:
        assert span.way is not None
        return span.way

    def fastest(self, context: Context, span: Span) -> float:
        return float(1.2 * np.linalg.norm(self.waypoints(context, span)[:, 4:], axis=1).max() + 0.1)

    def back(self, accumulator: Accumulator, asked: Sequence[StateCovectors]) -> None:
        for name, k, time, rows, on in asked:
            span = accumulator.span(name, k)
            back = riding_back(base_of(accumulator.context, span), span, time, on)
            accumulator.leave_at(name, k, rows, split(accumulator, back, span, rows))

    def onto(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> Floats:
        event, after = accumulator.chain(name).events[k], accumulator.span(name, k + 1)
        frame = accumulator.context.frames([after.frame], [event.time])[0]
        row = _onto_row(accumulator, name, np.asarray(event.after), frame, after)
        link = on @ chunked(onto_jacobians, row[None])[0]
        accumulator.on_frame(after.frame, event.time, rows, link[:, STATE_AND_DELAY:])
        return np.asarray(link[:, :STATE_AND_DELAY])


def _way_of(times: Floats, states: Floats, until: float) -> Floats:
    """(K, 7) times, places and velocities along a stretch of contact, each later than the one before."""
    nodes = np.column_stack([times, states[:, :ROTATION], states[:, VELOCITY:SPIN]])
    nodes = nodes[np.concatenate([[True], np.diff(times) > 1e-9])]
    if nodes[-1, 0] <= until or len(nodes) == 1:
        return nodes
    last = int(np.searchsorted(nodes[:, 0], until)) + 1
    return nodes[:last]


def _to_end_of_chunk(run: Run, cursor: Cursor) -> None:
    span, s = cursor.span, run.context.world.surfaces
    ridden, end, ride, contact, times, states = end_of(
        frames_under(run.context, span), s.place[span.surface], s.turned[span.surface], span.contacting
    )
    limit = run.limit_of(cursor)
    until = min(float(end.time), limit)
    span = span._replace(ending=end, way=_way_of(times, states, until), ridden=ridden)
    is_led = any(contact.id in run.guide for contact in cursor.plan)
    if not is_led and strike(run, cursor, span, until):
        return
    if float(end.time) >= limit:
        cursor.span = span
        close(run, cursor)
        return
    grip = ROLL if bool(contact.rolls) else SLIDE
    kind = grip if int(end.kind) == GRIP else _END_KINDS[int(end.kind)]
    mechanism = _END_MECHANISMS.get(kind, "rolling_transition")
    event = Event(kind, cursor.thing.name, float(end.time), s.name[span.surface], after=states[-1], mechanism=mechanism)
    if kind == EDGE and over_the_seam(run, cursor, span, states[-1], event.time):
        return
    run.append(cursor, span, event)
    if int(end.kind) == LIFT:
        run.take_off(cursor, states[-1])
        cursor.blind = {span.surface: UNTIL_OFF}
    else:
        run.roll_on(cursor, span.surface, contact, ride)


# -- the way back ------------------------------------------------------------------------------------------------------


@jax.jit
def onto_jacobians(items: Array) -> Array:
    """(B, 13, 25): when a ride begins, and the ride, by (state after, delay, frame that carries the surface)."""

    def one(row: Array) -> Array:
        item = ONTO.unpack(row)
        contact = SustainedContact(
            RoundBody(item.ball_radius, item.moment), RoundedBox(item.core, item.radius), item.feature,
            item.rolls > 0.5, 0.0, jnp.zeros(3),
        )  # fmt: skip

        def ride(z: Array) -> Riding:
            frame = packed_frame(frame_after(FRAME.unpack(item.frame), z[STATE_AND_DELAY:], z[12]))
            surface = surface_at(frame, item.place, item.turned.reshape(3, 3))
            return touching(contact, riding(retract(state_of(item.after), z[:12]), surface))

        nominal = ride(jnp.zeros(STATE_AND_DELAY + 12))
        return derivative(lambda z: jnp.concatenate([z[12:13], ride_variation(ride(z), nominal)]), STATE_AND_DELAY + 12)

    return jax.vmap(one)(items)


def _onto_row(accumulator: Accumulator, name: str, state: Floats, frame: Floats, span: Span) -> Floats:
    s, k, body = accumulator.world.surfaces, span.surface, accumulator.scene.thing(name).body
    contact = span.contacting.contact
    moment = float(body.moments[0]) / (body.mass * float(body.radius) ** 2)
    return ONTO.pack(
        1, after=state, frame=frame, place=s.place[k], turned=s.turned[k].ravel(), core=s.core[k], radius=s.radius[k],
        feature=contact.feature, ball_radius=body.radius, moment=moment, rolls=float(contact.rolls),
    )[0]  # fmt: skip
