"""In a hand, until it lets go."""

import numpy as np

from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.push_and_jam import go_on_after_jam
from hoi_edit.simulate.packed_states import all_carried
from hoi_edit.simulate.prescribed import close
from hoi_edit.simulate.run import Discovery
from hoi_edit.simulate.trajectory import Event, Span
from kinematics.rotation import Floats


def release(simulation: Discovery, cursors: list[Cursor]) -> None:
    leaving = [cursor for cursor in cursors if cursor.release < cursor.limit]
    for cursor in cursors:
        if cursor.release >= cursor.limit:
            close(simulation, cursor)
    if leaving:
        holds = [cursor.hold for cursor in leaving if cursor.hold is not None]
        frames = simulation.exact.frames([hold.frame for hold in holds], [cursor.release for cursor in leaving])
        for cursor, hold, frame, state in zip(leaving, holds, frames, all_carried(holds, frames), strict=True):
            if cursor.jam >= 0:
                go_on_after_jam(simulation, cursor, hold, frame, state)
            else:
                _let_go(simulation, cursor, hold, frame, state)


def _let_go(simulation: Discovery, cursor: Cursor, hold: Span, frame: Floats, state: Floats) -> None:
    name = simulation.world.frame_name(hold.frame)
    event = Event(
        "release", cursor.thing.name, cursor.release, name, cursor.release_id, frame=frame, after=state,
        clamped=cursor.release <= hold.start and bool(cursor.events),
    )  # fmt: skip
    simulation.append(cursor, hold, event)
    simulation.take_off(cursor, state)
    # gap and rate are both zero: whatever holds it is not seen before it is clear
    for hand in (hold.frame, *simulation.second_frame(cursor.release_id)):
        cursor.blind |= dict.fromkeys(simulation.world.by_frame[hand].tolist(), np.inf)
