"""A hand lets go: what it held flies on with the velocity of the hand at its centre."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.compiled_jacobians import held_and_released
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.dynamics.flight_in_air import with_time
from hoi_edit.simulate.dynamics.flight_laws import rate_of
from hoi_edit.simulate.events.base import EventKind, Which
from hoi_edit.simulate.kind_words import RELEASE
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import CARRY
from hoi_edit.simulate.packed_states import all_carried
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats

# columns of its local Jacobian: place and turn in the hand, the frame of the hand, the time of release
ON_HOLD, ON_FRAME, ON_TIME = slice(0, 6), slice(6, 18), slice(18, 19)


class Release(EventKind):
    grows = False
    is_timed = True

    def due(self, run: Run, cursor: Cursor) -> float:
        return end_of_hold(cursor) if cursor.jam < 0 else np.inf

    def happen(self, run: Run, cursors: Sequence[Cursor]) -> None:
        for cursor, frame, state in zip(cursors, *as_carried(run, cursors), strict=True):
            _let_go(run, cursor, frame, state)

    def local_jacobians(self, jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
        gravity = jacobians.context.gravity
        rows = [
            carry_row(
                jacobians.chains[name].spans[k],
                jacobians.event(name, k).frame,
                jacobians.context.scene.thing(name).body.moments,
            )
            for name, k in asked
        ]
        links = dict(zip(asked, held_and_released(gravity, np.stack(rows)), strict=True))
        for name, k in asked:
            if name in jacobians.airs:
                rate = rate_of(np.asarray(jacobians.event(name, k).after), np.append(gravity, np.zeros(3)))
                links[name, k] = with_time(links[name, k], rate, np.eye(ON_TIME.stop)[ON_TIME.start])
        return links

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        event, span = accumulator.chain(name).events[k], accumulator.span(name, k)
        back = on @ accumulator.jacobians.of[name, k]
        accumulator.on_frame(span.frame, event.time, rows, back[:, ON_FRAME])
        if event.contact is not None:
            accumulator.add(f"{event.contact}.release", rows, back[:, ON_TIME])
        accumulator.leave_at(name, k, rows, back[:, ON_HOLD])


def carry_row(span: Span, frame: Any, moments: Any = 1.0) -> Floats:
    """CARRY row of a thing in a hand whose frame moves as given."""
    return CARRY.pack(
        1, frame=frame, position=span.position, rotation=np.ravel(np.asarray(span.rotation)), moments=moments
    )[0]  # fmt: skip


def end_of_hold(cursor: Cursor) -> float:
    """When what carries a thing no longer does; inf if that is not before its part of the chain is over."""
    return cursor.release if cursor.span.is_held and cursor.release < cursor.limit else np.inf


def as_carried(run: Run, cursors: Sequence[Cursor]) -> tuple[Floats, Floats]:
    """Frames that carry things, and these things' states, when that ends: all in one call."""
    holds = [cursor.span for cursor in cursors]
    frames = run.context.frames([hold.frame for hold in holds], [cursor.release for cursor in cursors])
    return frames, all_carried(holds, frames)


def _let_go(run: Run, cursor: Cursor, frame: Floats, state: Floats) -> None:
    """What a cursor holds is released, in the given state."""
    hold, world = cursor.span, run.context.world
    event = Event(
        RELEASE, cursor.thing.name, cursor.release, world.frame_name(hold.frame), cursor.release_id, frame=frame,
        after=state, clamped=cursor.release <= hold.start and bool(cursor.events), mechanism="release",
    )  # fmt: skip
    run.append(cursor, hold, event)
    run.take_off(cursor, state)
    # gap and rate are both zero: whatever holds it is not seen before it is clear
    for hand in (hold.frame, *run.context.second_frame(cursor.release_id)):
        cursor.blind |= dict.fromkeys(world.by_frame[hand].tolist(), np.inf)
