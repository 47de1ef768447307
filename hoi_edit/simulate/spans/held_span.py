"""Carried by a frame: in a hand, lying on something that moves or stands still, jammed. Until it is let go."""

from collections.abc import Sequence

import jax
import numpy as np
from jax import Array

from hoi_edit.simulate.accumulator import Accumulator, StateCovectors
from hoi_edit.simulate.columns import Columns, chunked
from hoi_edit.simulate.compiled_jacobians import held_and_released
from hoi_edit.simulate.context import Context
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.events.hull_contact import APART
from hoi_edit.simulate.events.hull_settling import taken_off
from hoi_edit.simulate.events.release import ON_FRAME, ON_HOLD, carry_row
from hoi_edit.simulate.packed_layouts import FRAME, STATE, state_of
from hoi_edit.simulate.packed_states import all_carried, carried, relative
from hoi_edit.simulate.prescribed import close
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.spans.base import SpanKind
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.simulate.variations import STATE_AND_DELAY, frame_after, hold_derivative, in_hand, retract
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, rotation_between

PUT = Columns(after=STATE.width, frame=FRAME.width)


@jax.jit
def put_jacobians(items: Array) -> Array:
    """(B, 6, 25): a place in a frame by (state after, delay, that frame); items are PUT rows."""

    def one(row: Array) -> Array:
        item = PUT.unpack(row)

        def placed(z: Array) -> tuple[Array, Array]:
            frame = frame_after(FRAME.unpack(item.frame), z[STATE_AND_DELAY:], z[12])
            return in_hand(retract(state_of(item.after), z[:12]), frame)

        return hold_derivative(placed, STATE_AND_DELAY + 12)

    return jax.vmap(one)(items)


class HeldSpan(SpanKind):
    """Named by place and turn in the frame."""

    touches = False

    def advance(self, run: Run, cursors: list[Cursor]) -> None:
        ending: dict[EventKind, list[Cursor]] = {}
        for cursor in cursors:
            due, kind = run.due(cursor)
            if kind is not None and due <= cursor.limit:
                ending.setdefault(kind, []).append(cursor)
            else:
                close(run, cursor)
        for kind, of_kind in ending.items():
            kind.happen(run, of_kind)

    def go_on(self, run: Run, cursor: Cursor, span: Span, after: Floats, meant: bool) -> None:
        run.take_off(cursor, after)
        cursor.searched += APART

    def leaving(self, cursor: Cursor, span: Span, event: Event) -> Event:
        return taken_off(cursor, span, event)

    def state(self, context: Context, span: Span, t: float) -> Floats:
        return carried(span, context.frames([span.frame], [t])[0])

    def states(self, context: Context, span: Span, times: Floats) -> Floats:
        return all_carried([span] * len(times), context.frames(np.full(len(times), span.frame), times))

    def state_and_rates(self, context: Context, span: Span, t: float) -> tuple[Floats, Floats]:
        frame = context.frames([span.frame], [t])[0]
        f, state = FRAME.unpack(frame), carried(span, frame)
        arm = f.rotation.reshape(3, 3) @ np.asarray(span.position)
        accel = f.accel + np.cross(f.spin_accel, arm) + np.cross(f.spin, np.cross(f.spin, arm))
        return state, np.concatenate([accel, f.spin_accel])

    def positions(self, context: Context, span: Span, times: Floats) -> Floats:
        return place_in(context.frames(np.full(len(times), span.frame), times), np.asarray(span.position))

    def defect(self, context: Context, event: Event, span: Span) -> Floats:
        """Place and turn in the hand (6,)."""
        position, rotation = relative(np.asarray(event.frame), np.asarray(event.before))
        return np.concatenate(
            [position - np.asarray(span.position), rotation_between(rotation, np.asarray(span.rotation))]
        )

    def fastest(self, context: Context, span: Span) -> float:
        return 0.0  # asked only of what lies in the world

    def back(self, accumulator: Accumulator, asked: Sequence[StateCovectors]) -> None:
        spans = [accumulator.span(entry.name, entry.k) for entry in asked]
        frames = accumulator.context.frames([span.frame for span in spans], [entry.time for entry in asked])
        rows = np.stack([carry_row(span, frame) for span, frame in zip(spans, frames, strict=True)])
        links = held_and_released(accumulator.context.gravity, rows)
        for (name, k, time, numbers, on), span, link in zip(asked, spans, links, strict=True):
            accumulator.on_frame(span.frame, time, numbers, on @ link[:, ON_FRAME])
            accumulator.leave_at(name, k, numbers, on @ link[:, ON_HOLD])

    def onto(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> Floats:
        event, after = accumulator.chain(name).events[k], accumulator.span(name, k + 1)
        frame = accumulator.context.frames([after.frame], [event.time])[0]
        link = on @ chunked(put_jacobians, PUT.pack(1, after=event.after, frame=frame))[0]
        accumulator.on_frame(after.frame, event.time, rows, link[:, STATE_AND_DELAY:])
        return np.asarray(link[:, :STATE_AND_DELAY])


def place_in(frames: Floats, local: Floats) -> Floats:
    """(N, 3) where a place that is fixed to a frame is, as that frame moves (N, 24)."""
    f = FRAME.unpack(frames)
    return np.asarray(f.position + f.rotation.reshape(-1, 3, 3) @ local)
