"""An edit of holds: what is held goes over into another hold, without a flight."""

from collections.abc import Sequence
from dataclasses import replace

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.keep_pass import KeepPass
from hoi_edit.constraints.pin import Pin
from hoi_edit.edit.body_replacement import names_still_there
from hoi_edit.edit.contact_edits import ReleaseAt, first_free, with_release
from hoi_edit.edit.document import Document
from hoi_edit.edit.holds import SHORTEST, Hold, hold_at
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.plan_solver import Solved, on_scene, run, without_losses
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.reach import reach
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Scene, named
from kinematics.errors import HoiError


def new_pass(
    seen: Rollout, thing: str, site: str | tuple[str, ...], t: float, release: float | None, name: str | None
) -> tuple[Contact, Hold]:
    """A pass with a name that is not taken, and the hold that it ends. What that would have thrown later, it throws."""
    hold, scene = hold_at(seen, thing, t), seen.model.scene
    _check_time(hold, t)
    if named(site) == _hands(scene, hold):
        raise HoiError(f"{thing!r} is in {' and '.join(named(site))} at {t:g} s already; pass it to another site")
    block = f"{hold.id}.release"
    if release is None and block in seen.model.layout:
        release = float(seen.u[seen.model.layout[block].start])
    if release is not None and not t + SHORTEST <= release <= scene.end:
        raise HoiError(
            f"{thing!r} cannot be let go at {release:g} s: it is passed on at {t:g} s, and the scene ends at "
            f"{scene.end:g} s; give a time in between"
        )
    return Contact(name or first_free(scene, "pass"), thing, site, float(t), kind="pass", release=release), hold


def _check_time(hold: Hold, t: float) -> None:
    if not hold.start + SHORTEST <= t <= hold.end - SHORTEST:
        raise HoiError(f"{hold.thing!r} cannot be passed on at {t:g} s: it is held {hold}; give a time in between")


def _hands(scene: Scene, hold: Hold) -> tuple[str, ...]:
    """The sites of a hold."""
    if hold.id == hold.thing:
        return named(scene.thing(hold.thing).start.by)  # type: ignore[union-attr]
    return named(scene.contact(hold.id).other)


def planned(
    model: Model, document: Document, iterate: Iterate, contact: Contact, hold: Hold
) -> tuple[Model, Document, Iterate]:
    """The document with a pass in its plan; what was about the throw of the first hold is about that of the second."""
    scene = with_release(model.scene, hold.id, None) if hold.id != contact.id else model.scene
    scene = replace(scene, contacts=[*scene.contacts, contact])
    constraints, switched_off = (
        _thrown_by(some, hold.id, contact.id) for some in (document.constraints, document.switched_off)
    )
    renamed = replace(document, constraints=constraints, switched_off=switched_off)
    fresh, staged, begun = on_scene(scene, model, renamed, iterate)
    freedom, loose, _ = names_still_there(staged, begun.rollout)
    return fresh, replace(staged, freedom=freedom, loose=loose), begun


def _thrown_by(constraints: Sequence[Constraint], hold: str, new: str) -> tuple[Constraint, ...]:
    was = f"{hold}:release"
    return tuple(
        replace(constraint, after=f"{new}:release")
        if isinstance(constraint, Pin) and constraint.after == was
        else constraint
        for constraint in constraints
    )


def passed(
    model: Model, document: Document, iterate: Iterate, contact: Contact, hold: Hold, progress: Listener | None = None
) -> Solved:
    """Thing and receiver are brought together, and the rest of the plan is kept: as carefully as two hands would, or
    else just so that they meet."""
    fresh, staged, begun = planned(model, document, iterate, contact, hold)
    what = f"pass {contact.object} to {' and '.join(named(contact.other))} at {contact.time:.2f} s"
    stretch, taken = reach(fresh.scene, document.freedom, [contact.time]), 0
    kept = EditProblem.of(fresh, begun, document.freedom, document.loose, stretch=stretch, starts=True)
    wishes = (*staged.constraints, ReleaseAt(contact.id, contact.time, "passed"))
    for gentle in (True, False):
        solved = run(_meeting(kept, begun.rollout, contact.id, gentle), staged, begun, wishes, what, progress)
        taken += solved[0].iterations
        if solved[0].converged:
            break
    return without_losses(model.scene, document, iterate, (replace(solved[0], iterations=taken), *solved[1:]))


def _meeting(kept: EditProblem, seen: Rollout, contact: str, gentle: bool) -> EditProblem:
    wished = KeepPass.to_site(seen, contact, gentle)
    contacts = tuple(
        wished if isinstance(constraint, KeepPass) and constraint.contact == contact else constraint
        for constraint in kept.contacts
    )
    return replace(kept, contacts=contacts)
