"""A thing changes its carrier, and nothing else: it is taken from where it lies or out of a hand, or it is put down.

Nothing that moves says when: a hand that touches what lies there need not lift it. So the plan does, and it happens at
that very time. The thing goes on from where it is, held by the next carrier as it lies there by then, be that on the
palm or, as long as a plan is not solved, beside it; rows of the solver bring the two together. The time is no variable.
"""

from collections.abc import Sequence

import numpy as np

from hoi_edit.scene import Contact, Scene
from hoi_edit.scene.handovers import is_handover
from hoi_edit.scene.supports import support_of
from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.packed_layouts import FRAME
from hoi_edit.simulate.packed_states import relative
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.trajectory import Event
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, cross


class Handover(EventKind):
    grows = False
    is_timed = True

    def may_happen(self, scene: Scene) -> bool:
        return any(is_handover(scene, contact) for contact in scene.contacts)

    def due(self, run: Run, cursor: Cursor) -> float:
        k = _ahead(run, cursor)
        return np.inf if k is None else cursor.plan[k].time

    def happen(self, run: Run, cursors: Sequence[Cursor]) -> None:
        for cursor in cursors:
            self._hand_over(run, cursor)

    def _hand_over(self, run: Run, cursor: Cursor) -> None:
        k = _ahead(run, cursor)
        assert k is not None
        contact, span = cursor.plan[k], cursor.span
        del cursor.plan[: k + 1]  # what was planned before it has been missed
        carrier, called, normal = _to(run, contact)
        before, frame = run.context.state_in(span, contact.time), run.context.frames([carrier], [contact.time])[0]
        event = Event(
            contact.kind, cursor.thing.name, contact.time, called, contact.id, frame=frame, before=before, after=before,
            normal=normal, declared=contact.declared, mechanism="handover",
        )  # fmt: skip
        run.append(cursor, span, event)
        release = run.context.controls.contacts[contact.id].release
        run.hold(cursor, carrier, *relative(frame, before), release, contact.id)

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        event, carrier = accumulator.chain(name).events[k], accumulator.span(name, k + 1).frame
        f = FRAME.unpack(np.asarray(event.frame))
        to_world, arm = f.rotation.reshape(3, 3).T, np.asarray(event.before)[:3] - f.position
        place, turn = on[:, :3] @ to_world, on[:, 3:] @ to_world
        nothing = np.zeros((len(on), 6))
        accumulator.on_frame(
            carrier, event.time, rows, np.concatenate([-place, cross(place, arm) - turn, nothing], axis=1)
        )
        accumulator.state_back(name, k, event.time, rows, np.concatenate([place, turn, nothing], axis=1))


def _ahead(run: Run, cursor: Cursor) -> int | None:
    """Which of the contacts that are planned is the next to change the carrier of a thing."""
    if cursor.span.kind != "held" or cursor.jam >= 0:
        return None
    later = (k for k, contact in enumerate(cursor.plan) if contact.time >= cursor.time)
    return next((k for k in later if is_handover(run.scene, cursor.plan[k])), None)


def _to(run: Run, contact: Contact) -> tuple[int, str, Floats]:
    """The frame that carries a thing from a contact on, how it is called, and the normal of what it is put on."""
    if contact.kind == "rest":
        return -1, contact.carrier, support_of(run.scene, contact.carrier).normal
    frame = run.context.world.frame(contact.carrier)
    return frame, run.context.world.frame_name(frame), np.zeros(3)
