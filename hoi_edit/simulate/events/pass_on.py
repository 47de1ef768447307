"""A hold goes over into another one, without a flight: to another hand, to both, onto a shoulder, to another person.

Place and turn are those of the moment, so nothing leaps. The thing goes on as its new carrier moves: its velocity jumps
by as much as the two carriers move against each other there (`constraints.keep_pass` has them move alike).
"""

from collections.abc import Sequence

import numpy as np

from hoi_edit.scene import Scene
from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.base import EventKind, Which
from hoi_edit.simulate.local_jacobians import LocalJacobians
from hoi_edit.simulate.packed_layouts import FRAME
from hoi_edit.simulate.packed_states import carried, relative
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.trajectory import Event, Span
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, cross, cross_matrix

# columns of its local Jacobian: place and turn in the hold before, the frames of both, the time
ON_HOLD, ON_FRAME, ON_NEW_FRAME, ON_TIME = slice(0, 6), slice(6, 18), slice(18, 30), slice(30, 31)


class PassOn(EventKind):
    grows = False
    is_timed = True

    def may_happen(self, scene: Scene) -> bool:
        return any(contact.kind == "pass" for contact in scene.contacts)

    def due(self, run: Run, cursor: Cursor) -> float:
        """When what is held is passed on, if that is what comes next; at once, if it should have been before."""
        if cursor.span.kind != "held" or cursor.jam >= 0 or not cursor.plan or cursor.plan[0].kind != "pass":
            return np.inf
        return max(float(run.context.controls.contacts[cursor.plan[0].id].passed), cursor.time)

    def happen(self, run: Run, cursors: Sequence[Cursor]) -> None:
        for cursor in cursors:
            self._pass_on(run, cursor)

    def _pass_on(self, run: Run, cursor: Cursor) -> None:
        time, hold, world = self.due(run, cursor), cursor.span, run.context.world
        contact = cursor.plan.pop(0)
        frame = world.frame(contact.carrier)
        old, new = run.context.frames([hold.frame, frame], [time, time])
        before = carried(hold, old)
        place, turned = relative(new, before)
        after = carried(hold._replace(frame=frame, position=place, rotation=turned), new)
        asked = run.context.controls.contacts[contact.id]
        event = Event(
            "pass", cursor.thing.name, time, world.frame_name(frame), contact.id, frame=new, before=before, after=after,
            declared=contact.declared, clamped=float(asked.passed) < time, mechanism="pass",
        )  # fmt: skip
        run.append(cursor, hold, event)
        run.hold(cursor, frame, place, turned, asked.release, contact.id)

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        event, hold = accumulator.chain(name).events[k], accumulator.span(name, k)
        back = on @ accumulator.jacobians.of[name, k]
        accumulator.on_frame(hold.frame, event.time, rows, back[:, ON_FRAME])
        accumulator.on_frame(accumulator.span(name, k + 1).frame, event.time, rows, back[:, ON_NEW_FRAME])
        if not event.clamped:
            accumulator.add(f"{event.contact}.passed", rows, back[:, ON_TIME])
        accumulator.leave_at(name, k, rows, back[:, ON_HOLD])

    def local_jacobians(self, jacobians: LocalJacobians, asked: Sequence[Which]) -> dict[Which, Floats]:
        links = {}
        for name, k in asked:
            hold, event = jacobians.chains[name].spans[k], jacobians.event(name, k)
            old = jacobians.context.frames([hold.frame], [event.time])[0]
            links[name, k] = pass_jacobian(hold, old, np.asarray(event.frame))
        return links


def pass_jacobian(hold: Span, old: Floats, new: Floats) -> Floats:
    """(6, 31): place and turn in the new frame by those in the old one, how both frames move, and the time."""
    f, g = FRAME.unpack(old), FRAME.unpack(new)
    R, into = f.rotation.reshape(3, 3), g.rotation.reshape(3, 3).T
    arm = R @ np.asarray(hold.position)
    lever = f.position + arm - g.position
    J = np.zeros((6, 31))
    place, turn = J[:3], J[3:]
    place[:, 0:3], turn[:, 3:6] = into @ R, into @ R
    place[:, 6:9], place[:, 9:12] = into, -into @ cross_matrix(arm)
    place[:, 18:21], place[:, 21:24] = -into, into @ cross_matrix(lever)
    turn[:, 9:12], turn[:, 21:24] = into, -into
    slip = f.velocity + cross(f.spin, arm) - g.velocity - cross(g.spin, lever)
    place[:, 30], turn[:, 30] = into @ slip, into @ (f.spin - g.spin)
    return J
