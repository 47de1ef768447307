"""A hold goes over into another one, without a flight: to another hand, to both, onto a shoulder, to another person,
from where a thing lies into a hand, or out of the hand onto what stands still.

Nothing that moves says when: a hand that touches what lies there need not lift it. So the plan does. When a thing is
passed on is a variable; when it is taken or put down is not, and it happens at that very time. Place and turn are those
of the moment, so nothing leaps: what is on no palm yet, as long as a plan is not solved, is held beside it, and rows of
the solver bring the two together. The thing goes on as its new carrier moves: its velocity jumps by as much as the two
carriers move against each other there (`constraints.keep_pass` has them move alike).
"""

from collections.abc import Sequence

import numpy as np

from hoi_edit.scene import Contact, Scene
from hoi_edit.scene.handovers import is_handover
from hoi_edit.scene.supports import support_of
from hoi_edit.simulate.accumulator import Accumulator
from hoi_edit.simulate.cursor import Cursor
from hoi_edit.simulate.events.base import EventKind
from hoi_edit.simulate.kind_words import OF_CONTACT
from hoi_edit.simulate.packed_layouts import FRAME, STATE
from hoi_edit.simulate.packed_states import carried, relative
from hoi_edit.simulate.run import Run
from hoi_edit.simulate.trajectory import Event
from hoi_edit.simulate.world import Ints
from kinematics.rotation import Floats, cross


class Handover(EventKind):
    grows = False
    is_timed = True

    def may_happen(self, scene: Scene) -> bool:
        return any(contact.passes_on or is_handover(scene, contact) for contact in scene.contacts)

    def due(self, run: Run, cursor: Cursor) -> float:
        return _next(run, cursor)[0]

    def happen(self, run: Run, cursors: Sequence[Cursor]) -> None:
        for cursor in cursors:
            _hand_over(run, cursor)

    def back(self, accumulator: Accumulator, name: str, k: int, rows: Ints, on: Floats) -> None:
        event = accumulator.chain(name).events[k]
        on_state, on_new_frame, on_time = handed_back(np.asarray(event.before), np.asarray(event.frame), on)
        accumulator.on_frame(accumulator.span(name, k + 1).frame, event.time, rows, on_new_frame)
        contact = accumulator.context.controls.contacts[str(event.contact)]
        if contact.passed is not None and not event.clamped:
            accumulator.add(f"{event.contact}.passed", rows, on_time)
        accumulator.state_back(name, k, event.time, rows, on_state)


def handed_back(before: Floats, frame: Floats, on: Floats) -> tuple[Floats, Floats, Floats]:
    """Covectors on the state just before (R, 12), on the motion of the new frame (R, 12) and on the time (R, 1), of
    covectors on place and turn in that frame (R, 6)."""
    s, f = STATE.unpack(before), FRAME.unpack(frame)
    to_world, arm = f.rotation.reshape(3, 3).T, s.position - f.position
    place, turn = on[:, :3] @ to_world, on[:, 3:] @ to_world
    nothing = np.zeros((len(on), 6))
    on_frame = np.concatenate([-place, cross(place, arm) - turn, nothing], axis=1)
    slip = s.velocity - f.velocity - cross(f.spin, arm)
    on_time = place @ slip + turn @ (s.spin - f.spin)
    return np.concatenate([place, turn, nothing], axis=1), on_frame, on_time[:, None]


def _next(run: Run, cursor: Cursor) -> tuple[float, int]:
    """When what is held goes over into another hold, and by which contact of the plan: a pass, if it comes next (at
    once, if it should have been before), or whatever else changes the carrier. Never: inf."""
    due, which = np.inf, -1
    if not cursor.span.is_held or cursor.jam >= 0 or not cursor.plan:
        return due, which
    if cursor.plan[0].passes_on:
        due, which = max(float(run.context.controls.contacts[cursor.plan[0].id].passed), cursor.time), 0
    for k, contact in enumerate(cursor.plan):
        if contact.time >= cursor.time and is_handover(run.scene, contact):
            return (contact.time, k) if contact.time < due else (due, which)
    return due, which


def _hand_over(run: Run, cursor: Cursor) -> None:
    (time, k), hold = _next(run, cursor), cursor.span
    contact = cursor.plan[k]
    del cursor.plan[: k + 1]  # what was planned before it has been missed
    carrier, called, normal = _new_carrier(run, contact)
    old, new = run.context.frames([hold.frame, carrier], [time, time])
    before = carried(hold, old)
    place, turned = relative(new, before)
    after = carried(hold._replace(frame=carrier, position=place, rotation=turned), new)
    asked = run.context.controls.contacts[contact.id]
    event = Event(
        OF_CONTACT[contact.kind], cursor.thing.name, time, called, contact.id, frame=new, before=before, after=after,
        normal=normal, declared=contact.declared, clamped=asked.passed is not None and float(asked.passed) < time,
        mechanism="handover",
    )  # fmt: skip
    run.append(cursor, hold, event)
    run.hold(cursor, carrier, place, turned, asked.release, contact.id)


def _new_carrier(run: Run, contact: Contact) -> tuple[int, str, Floats]:
    """The frame that carries a thing from a contact on, how it is called, and the normal of what it is put on."""
    if contact.puts_down:
        return -1, contact.carrier, support_of(run.scene, contact.carrier).normal
    frame = run.context.world.frame(contact.carrier)
    return frame, run.context.world.frame_name(frame), np.zeros(3)
