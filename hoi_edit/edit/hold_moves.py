"""Holds that go elsewhere in time as a whole, and how what begins them does."""

from collections.abc import Callable
from dataclasses import replace

from hoi_edit.edit.contact_edits import released_at, retimed
from hoi_edit.edit.document import Document
from hoi_edit.edit.holds import Hold
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.pick_and_place import moved_in_time
from hoi_edit.edit.plan_solver import Solved
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import Report
from hoi_edit.rollout import Model
from hoi_edit.scene import Contact
from kinematics.errors import HoiError


def retiming_of(contact: Contact) -> Callable[..., Solved]:
    """The edit that brings a contact to another time: one that only the plan says the time of is planned anew."""
    return moved_in_time if contact.at_its_time else retimed


def moved(
    model: Model, document: Document, iterate: Iterate, hold: Hold, by: float, progress: Listener | None = None
) -> Solved:
    """A hold sooner or later, catch and release by as much. All the way, or nothing changes."""
    if hold.id == hold.thing:
        raise HoiError(f"{hold.thing!r} is in the hand from the start, so its hold has no catch to move; release it")
    contact = model.scene.contact(hold.id)
    if contact.release is not None and hold.end + by > model.scene.end:
        raise HoiError(
            f"the hold of {hold.thing!r} cannot end at {hold.end + by:.2f} s: the scene ends at {model.scene.end:g} s"
        )
    ends = {hold.id: hold.start + by, f"{hold.id}:release": hold.end + by}
    order = [hold.id] if contact.release is None else [hold.id, f"{hold.id}:release"]
    if by > 0.0 and len(order) > 1:  # the release makes room, and is put right once the catch has followed
        order = [order[1], *order]
    here, report = (document, iterate), Report(True, 0.0, 0)
    for end in order:
        change = released_at if end.endswith(":release") else retiming_of(contact)
        done, solved, there = change(here[1].rollout.model, *here, hold.id, ends[end], progress)
        report, here = replace(done, iterations=report.iterations + done.iterations), (solved, there)
        if not report.converged:
            return report, document, iterate
    return report, *here
