"""Edits of things that are no balls: a hand takes one from where it lies or is held, or catches it; it is put down.

Both bring about a handover (`simulate.events.handover`), at the time that is asked for: hands come to the thing, or the
thing comes to lie flat, and the rest of the plan is kept.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.put_down import EDGE, PutDown
from hoi_edit.constraints.taking_hand import TakingHand
from hoi_edit.edit.contact_edits import CLOSEST, cut_off, refused_as_cut_off, with_release
from hoi_edit.edit.document import Document
from hoi_edit.edit.grip_search import grips
from hoi_edit.edit.holds import Hold, hold_at
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.kept_handovers import carried_well, to_the_end, with_grips
from hoi_edit.edit.plan_solver import Solved, held_to_the_end, led_along, on_scene, run, solved_plan, without_losses
from hoi_edit.edit.problem import EditProblem
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.reach import reach
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Amount, Finding
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Scene, Thing, named
from hoi_edit.scene.supports import Support, support_below, support_of
from kinematics.errors import HoiError
from kinematics.rotation import Floats

PIECES = 6  # of the way down


def taken_up(
    model: Model, document: Document, iterate: Iterate, contact: Contact, where: Sequence[Floats] = (),
    progress: Listener | None = None,
) -> Solved:  # fmt: skip
    """A new grasp of what is no ball: all its hands come to the thing at its time, wherever that is by then. What lies,
    or is held, goes over as it is; what flies is caught."""
    seen, what = iterate.rollout, f"take {contact.object} with {' and '.join(named(contact.other))}"
    _check_not_in(seen, contact)
    cut = cut_off(model.scene, seen, contact, document.loose)
    if cut:
        return refused_as_cut_off(contact, cut), document, iterate
    freed = _without_release(model.scene, seen, contact)
    declared = replace(contact, declared=True, taken=False)
    wanted = grips(seen, declared, where)
    scene = replace(freed, contacts=[*freed.contacts, declared])
    staged = on_scene(scene, model, document, iterate)
    report, solved, end = solved_plan(*staged, f"{what} at {contact.time:.2f} s", progress, wanted)
    if not report.converged:
        return _out_of_reach(seen, report, contact), document, iterate
    return without_losses(model.scene, document, iterate, (report, solved, end))


def laid_down(
    model: Model, document: Document, iterate: Iterate, contact: Contact, place: Floats | None,
    progress: Listener | None = None,
) -> Solved:  # fmt: skip
    """What is held then comes to lie flat, at rest, and stays there; the hands go on without it."""
    seen = iterate.rollout
    cut = cut_off(model.scene, seen, contact, document.loose)
    if cut:
        return refused_as_cut_off(contact, cut), document, iterate
    scene = _without_release(model.scene, seen, contact)
    scene = replace(scene, contacts=[*scene.contacts, contact])
    fresh, staged, begun = on_scene(scene, model, document, iterate)
    stretch = reach(scene, document.freedom, [contact.time])
    kept = EditProblem.of(fresh, begun, document.freedom, document.loose, stretch=stretch)
    kept = replace(kept, contacts=tuple(_placed(constraint, place) for constraint in kept.contacts))
    what = f"put {contact.object} down on {contact.carrier} at {contact.time:.2f} s"
    hold = hold_at(seen, contact.object, contact.time).id
    carried = carried_well(seen, hold, stretch) if hold in seen.happened else ()
    for wishes in dict.fromkeys((carried, carried[:1], ())):
        solved = run(kept, staged, begun, (*document.constraints, *wishes), what, progress)
        if solved[0].converged:
            break
    else:
        solved = _lowered(kept, staged, begun, contact, what, progress) or solved
    return without_losses(model.scene, document, iterate, solved)


def _lowered(
    kept: EditProblem, document: Document, iterate: Iterate, contact: Contact, what: str, progress: Listener | None
) -> Solved | None:
    """The same by and by, from where the thing is held: people bend step by step. None if that does not get there."""
    put = next(
        kept_one for kept_one in kept.contacts if isinstance(kept_one, PutDown) and kept_one.contact == contact.id
    )
    far, taken, solved = put.heights(iterate.rollout), 0, None
    for share in np.linspace(1.0, 0.0, PIECES + 1)[1:]:
        part = replace(put, left=share * far, place=put.place if share == 0.0 else None)
        here = replace(kept, contacts=tuple(part if one is put else one for one in kept.contacts))
        solved = run(here, document, iterate, document.constraints, what, progress)
        report, document, iterate = solved
        taken += report.iterations
        if not report.converged:
            return None
    return None if solved is None else (replace(solved[0], iterations=taken), *solved[1:])


def moved_in_time(
    model: Model, document: Document, iterate: Iterate, contact: str, t: float, progress: Listener | None = None
) -> Solved:
    """A handover at another time, by the same grips and at the same place of the support."""
    meant, seen = model.scene.contact(contact), iterate.rollout
    if contact not in seen.happened:
        raise HoiError(f"contact {contact!r} does not happen in this scene, so it has no time to change")
    _check_between(seen, meant, t)
    again = replace(meant, time=float(t))
    scene = replace(model.scene, contacts=[again if one.id == contact else one for one in model.scene.contacts])
    fresh, staged, begun = on_scene(scene, model, document, iterate)
    stretch = reach(scene, document.freedom, [meant.time, float(t)])
    on = [contact] if meant.second is not None and held_to_the_end(scene, meant) else []
    kept = EditProblem.of(fresh, begun, document.freedom, document.loose, stretch=stretch, held_on=on)
    wanted = {}
    if meant.catches:
        held = [replace(TakingHand.of(seen, contact, site), time=float(t)) for site in named(meant.other)]
        wanted = to_the_end(scene, held)
    place = seen.state(meant.object, meant.time).position if meant.puts_down else None
    contacts = with_grips(kept.contacts, wanted)
    kept = replace(kept, contacts=tuple(_of(contact, constraint, place) for constraint in contacts))
    what = f"retime {contact} to {t:.2f} s"
    solved = run(kept, staged, begun, document.constraints, what, progress)
    return without_losses(model.scene, document, iterate, led_along(solved, on, stretch, what, progress))


def _of(contact: str, constraint: Constraint, place: Floats | None) -> Constraint:
    """What one contact puts down is put there."""
    return _placed(constraint, place) if getattr(constraint, "contact", None) == contact else constraint


def _check_between(seen: Rollout, contact: Contact, t: float) -> None:
    """A handover stays between what happens to its thing before and after it."""
    events = [event for event in seen.trajectories.chains[contact.object].events if event.contact != contact.id]
    known = [event.time for event in events if event.intended or event.lets_go]
    low = max([seen.model.scene.start, *(time for time in known if time < contact.time)]) + CLOSEST
    high = min([seen.model.scene.end, *(time - CLOSEST for time in known if time > contact.time)])
    if not low <= t <= high:
        raise HoiError(
            f"contact {contact.id!r} cannot be at {t:g} s; between what else is meant to happen to {contact.object!r} "
            f"there is time from {low:.2f} s to {high:.2f} s"
        )


def _placed(constraint: Constraint, place: Floats | None) -> Constraint:
    """A thing that is asked to be put somewhere is put there, and not anywhere."""
    return replace(constraint, place=place) if isinstance(constraint, PutDown) and place is not None else constraint


def put_on(seen: Rollout, thing: str, t: float, place: str | Floats | None) -> tuple[Support, Floats | None]:
    """What a thing is to be put on, and where if that is asked for: by the name of a fixture, by a place, or else what
    is below it then."""
    scene, now = seen.model.scene, seen.state(thing, t).position
    if isinstance(place, str):
        support = support_of(scene, place)
        on = support.across.T @ np.clip(
            support.across @ now, support.middle - support.reach + EDGE, support.middle + support.reach - EDGE
        )
        return support, None if support.beyond(now) <= -EDGE else np.asarray(on)
    below = support_below(scene, now if place is None else np.array([place[0], max(place[1], now[1]), place[2]]))
    if below is None:
        raise HoiError(f"there is nothing below {thing!r} at {t:g} s to put it down on; the scene needs a ground")
    return below, place


def held_until(seen: Rollout, thing: Thing, t: float) -> Hold:
    """The hold that a thing is to be put down from."""
    if not thing.shape.stays_put:
        raise HoiError(f"{thing.name!r} is a ball, and would roll; `release` lets it go, and what it then does is kept")
    hold = hold_at(seen, thing.name, t)
    if not hold.start + CLOSEST <= t <= hold.end:
        raise HoiError(f"{thing.name!r} cannot be put down at {t:g} s: it is held {hold}; give a time in between")
    return hold


def _check_not_in(seen: Rollout, contact: Contact) -> None:
    """Whoever holds a thing has it already."""
    chain = seen.trajectories.chains[contact.object]
    span = chain.span_at(contact.time)
    if span.is_held and span.frame == seen.model.world.frame(contact.carrier):
        raise HoiError(f"{contact.object!r} is in {contact.carrier!r} at {contact.time:g} s already; name another hand")
    if span.is_held and not seen.model.scene.start < contact.time:
        raise HoiError(f"{contact.object!r} cannot be taken as the scene starts; let it start there (`Held`)")


def _without_release(scene: Scene, seen: Rollout, contact: Contact) -> Scene:
    """The hold that a handover ends has no release of its own any more."""
    chain = seen.trajectories.chains[contact.object]
    span = chain.span_at(contact.time)
    if not span.in_hand:
        return scene
    return with_release(scene, hold_at(seen, contact.object, contact.time).id, None)


def _out_of_reach(seen: Rollout, report: Report, contact: Contact) -> Report:
    """How far each hand is from the thing, beside what else holds it back."""
    ways = []
    for grip in grips(seen, contact):
        held, hand = seen.state(contact.object, contact.time), seen.state(grip.site, contact.time)
        far = float(np.linalg.norm(held.position + held.rotation @ grip.place - hand.position))
        amounts = (Amount(far, "m"),)
        ways.append(
            Finding("out of reach", contact.object, grip.site, float(contact.time), amounts=amounts,
                    contacts=(contact.id,))
        )  # fmt: skip
    others = tuple(finding for finding in report.binding if finding.contacts != (contact.id,))
    return replace(report, binding=(*ways, *(finding for finding in others if finding.kind != "grip")), unchanged=True)
