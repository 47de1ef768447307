"""A throw from a hand to a hand: when it is let go, how it flies, and how it is caught, all in one edit."""

from dataclasses import replace

import numpy as np

from hoi_edit.edit.contact_edits import check_lies_on_palm, cut_off, new_contact, refused_as_cut_off, with_release
from hoi_edit.edit.document import Document
from hoi_edit.edit.holds import SHORTEST, Hold, hold_at, holds_of
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.plan_solver import Solved, on_scene, solved_plan, without_losses
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.report import Report
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Scene, named
from kinematics.errors import HoiError

FLIGHT, A_METRE = 0.35, 0.14  # [s] that a throw flies at least, and for each metre that it goes
CARRIED = 0.05  # [s] that it is held at least before that


def hold_thrown(seen: Rollout, thing: str, t: float, release: float | None) -> Hold:
    """What holds a thing that is to be somewhere at a time: when it is let go, or else the last before that time."""
    seen.model.scene.thing(thing)
    if release is not None:
        return hold_at(seen, thing, release)
    before = [hold for hold in holds_of(seen, thing) if hold.start + SHORTEST < t]
    if not before:
        return hold_at(seen, thing, t)  # which says what there is instead
    return before[-1]


def release_for(seen: Rollout, hold: Hold, t: float, place: np.ndarray) -> float:
    """When a hold lets go of what is to be at a place at a time: as it does by now, or so long before as that is
    far."""
    block = f"{hold.id}.release"
    if block in seen.model.layout:
        return float(seen.u[seen.model.layout[block].start])
    far = float(np.linalg.norm(place - seen.state(hold.thing, min(t, hold.end)).position))
    return max(t - FLIGHT - A_METRE * far, hold.start + min(CARRIED, 0.5 * (t - hold.start)))


def planned_throw(
    seen: Rollout, thing: str, site: str | tuple[str, ...], t: float, release: float | None, name: str | None
) -> tuple[Scene, Contact]:
    """The scene with a throw and its catch in the plan, the catch declared."""
    scene = seen.model.scene
    check_lies_on_palm(scene, thing)
    hold = hold_thrown(seen, thing, t, release)
    if not hold.start < t <= scene.end:
        raise HoiError(
            f"{thing!r} cannot be caught at {t:g} s: it is held {hold} and the scene ends at {scene.end:g} s; give a "
            "time in between"
        )
    when = release_for(seen, hold, t, seen.state(named(site)[0], t).position) if release is None else release
    if not hold.start < when < t:
        raise HoiError(
            f"{thing!r} cannot be let go at {when:g} s to be caught at {t:g} s: it is held {hold}; give a release "
            "before the catch"
        )
    contact = replace(new_contact(scene, thing, site, t, None, name), declared=True)
    released = with_release(scene, hold.id, when)
    return replace(released, contacts=[*released.contacts, contact]), contact


def thrown_to(
    model: Model, document: Document, iterate: Iterate, planned: tuple[Scene, Contact], at_once: bool,
    progress: Listener | None = None,
) -> Solved:  # fmt: skip
    """The throw comes true `at_once`, and the rest of the plan is kept; or it is only planned."""
    scene, contact = planned
    cut = cut_off(model.scene, iterate.rollout, contact, document.loose)
    if cut:
        return refused_as_cut_off(contact, cut), document, iterate
    staged = on_scene(scene, model, document, iterate)
    if not at_once:
        return Report(True, 0.0, 0), *staged[1:]
    what = f"throw {contact.object} to {' and '.join(named(contact.other))} at {contact.time:.2f} s"
    solved = solved_plan(*staged, what, progress)
    if not solved[0].converged:  # why not is said of the plan with the throw in it
        return solved[0], document, iterate
    return without_losses(model.scene, document, iterate, solved)
