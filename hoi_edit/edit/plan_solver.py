"""Whole plans: contacts that are only declared come true, all at once.

A contact that is not there yet has no event and hence no derivative. So it is first *declared*: it happens at its time
by decree, and rows bring thing and site together there. When they have met, the decree is lifted and the contact is the
implicit event that it should be.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

import numpy as np

from hoi_edit.constraints.base import Constraint
from hoi_edit.constraints.keep_contact import KeepContact
from hoi_edit.constraints.lying import lying
from hoi_edit.constraints.open_hands import OpenHands
from hoi_edit.constraints.partner import partner_at
from hoi_edit.constraints.taking_hand import TakingHand
from hoi_edit.edit.document import Document, carried_over
from hoi_edit.edit.iterate import Iterate
from hoi_edit.edit.kept_handovers import carried_well, to_the_end, with_grips
from hoi_edit.edit.outcome import report_of
from hoi_edit.edit.problem import ENDING, EditProblem, surface_of
from hoi_edit.edit.progress import Listener
from hoi_edit.edit.reach import FAR, reach
from hoi_edit.edit.report import Report
from hoi_edit.edit.sqp import SAME, Solver
from hoi_edit.reporting.findings import Amount, Finding, Kind
from hoi_edit.rollout import Model, Rollout
from hoi_edit.scene import Contact, Held, Scene, named
from hoi_edit.scene.controls import is_site, snapped
from hoi_edit.scene.handovers import is_declared_hull
from hoi_edit.simulate.past import Past
from hoi_edit.simulate.trajectory import Node
from kinematics.rotation import Floats

Solved = tuple[Report, Document, Iterate]
AGAIN = 4  # times that a plan is led to where its touches really are
JUST = 1e-3  # [s] before a catch
SOON = 0.05  # [s] after a touch that is only declared, which nobody asks for
LAST_FLIGHT = 0.7  # [s] guessed of a flight that nothing is to end


def solved_plan(
    model: Model,
    document: Document,
    iterate: Iterate,
    what: str = "solve the plan",
    progress: Listener | None = None,
    gripped: Sequence[TakingHand] = (),
) -> Solved:
    """All declared contacts at once: they come true, and then happen by themselves. Hands take what is no ball where
    that is found to be best, unless they are to be `gripped` elsewhere."""
    solved = _solved(model, document, iterate, what, progress, gripped)
    if solved[0].converged or not _in_both_hands(model.scene):
        return solved
    closely = _solved(model, document, iterate, what, progress, gripped, closely=True)
    return closely if closely[0].converged else solved


def _in_both_hands(scene: Scene) -> list[Contact]:
    """What is no ball, and is only declared to be held by two hands."""
    return [contact for contact in scene.contacts if is_declared_hull(scene, contact) and contact.second is not None]


def _solved(
    model: Model, document: Document, iterate: Iterate, what: str, progress: Listener | None,
    gripped: Sequence[TakingHand], closely: bool = False,
) -> Solved:  # fmt: skip
    """The same, with second hands looked at `closely` while a hold is only planned, or but here and there: that moves
    people less, where it comes true."""
    scene, constraints = model.scene, document.constraints
    declared = [contact.id for contact in scene.contacts if contact.declared]
    impacts = [contact for contact in scene.contacts if contact.declared and contact.bounces]
    if any(_goes_on(scene, contact) for contact in impacts) and all(
        _can_be_led(scene, contact) for contact in scene.contacts if contact.declared
    ):
        return _from_touch_to_touch(model, document, iterate, what, progress)
    both_hands = _in_both_hands(scene)
    # a second hand holds on to the end, however far that is
    stretch = None if both_hands else reach(scene, document.freedom, [])
    on = [contact.id for contact in both_hands if held_to_the_end(scene, contact)]
    kept = EditProblem.of(
        model, iterate, document.freedom, document.loose, stretch=stretch, starts=True, held_on=on, closely=closely
    )
    kept = replace(kept, contacts=with_grips(kept.contacts, to_the_end(scene, gripped)))
    kept = _without_what_comes_of_it(kept, constraints)
    report, met, met_point = run(kept, document, iterate, constraints, what, progress)
    if not report.converged:
        return _explained(report, scene.contacts, iterate.rollout), met, met_point
    if not declared:
        missed = [contact for contact in met_point.rollout.missed if contact not in document.loose]
        return (absent(report, missed, "undeclared") if missed else report), met, met_point
    # things are where they should be; now hands let go of them, and are not in their way, and boxes are not tipped
    taken, open_hands = report.iterations, OpenHands.of(scene)
    new = [contact.id for contact in scene.contacts if is_declared_hull(scene, contact)]
    for wishes in _gentle(met_point.rollout, new, _led_within(stretch, scene, on)):
        gentle = (*constraints, open_hands, *wishes)
        opened, better, out = run(kept, met, met_point, gentle, what, progress)
        taken += opened.iterations
        if opened.converged:
            met, met_point, constraints = better, out, gentle
            break
    lifted = replace(scene, contacts=[_lifted(met_point.rollout, contact) for contact in scene.contacts])
    real, final, end = on_scene(lifted, model, met, met_point)
    if any(not _as_decreed(met_point.rollout, end.rollout, name) for name in met_point.rollout.happened):
        # something is in between: they go on to be led there, and what they run into is kept clear of
        end = _still_led(real, met_point, end)
    kept = EditProblem.of(real, end, final.freedom, final.loose, stretch=stretch, starts=True, held_on=on)
    kept = _to_where_they_lie(kept, end)
    for excused in (False, True):  # better with no hand in what it has let go; but a catch with one is better than none
        report, solved, solved_point = run(replace(kept, excused=excused), final, end, constraints, what, progress)
        taken += report.iterations
        if report.converged:
            break
    found = led_along((replace(report, iterations=taken), solved, solved_point), on, stretch, what, progress)
    return without_losses(scene, document, iterate, found)


def _ends(scene: Scene, contact: Contact) -> list[float]:
    """When what is to be taken is let go or handed over; nothing if it is held on."""
    later = [other.time for other in scene.plan_of(contact.object) if other.time > contact.time]
    return [contact.release] if contact.release is not None else later[:1]


def held_to_the_end(scene: Scene, contact: Contact) -> bool:
    return contact.holds and not _ends(scene, contact)


def _led_within(stretch: tuple[float, float] | None, scene: Scene, holds: Sequence[str]) -> tuple[float, float] | None:
    """The part of a stretch in which both hands of holds that go on beyond it are where they should be."""
    if stretch is None or not holds or stretch[1] >= scene.end:
        return stretch
    return stretch[0], stretch[1] - ENDING


def _gentle(
    seen: Rollout, holds: Sequence[str], stretch: tuple[float, float] | None
) -> dict[tuple[Constraint, ...], None]:
    """How things are carried in a stretch of time: well, or only level where that is too much, or anyhow."""
    carried = [wish for hold in holds for wish in carried_well(seen, hold, stretch)]
    return dict.fromkeys(((*carried,), (*carried[::2],), ()))


def led_along(
    found: Solved, holds: Sequence[str], stretch: tuple[float, float] | None, what: str, progress: Listener | None
) -> Solved:
    """A hold of two hands that goes on beyond what was reached: the second hand is brought along, stretch by stretch,
    so that a long hold takes time and no memory."""
    report, document, iterate = found
    model, taken = iterate.rollout.model, report.iterations
    while report.converged and holds and stretch is not None and stretch[1] < model.scene.end:
        since = stretch[1] - ENDING
        stretch = since - ENDING, min(since + FAR + ENDING, model.scene.end)
        kept = EditProblem.of(model, iterate, document.freedom, document.loose, stretch=stretch, held_on=holds)
        for wishes in _gentle(iterate.rollout, holds, _led_within(stretch, model.scene, holds)):
            solved = run(kept, document, iterate, (*document.constraints, *wishes), what, progress)
            taken += solved[0].iterations
            if solved[0].converged:
                break
        report, document, iterate = solved
    return replace(report, iterations=taken), document, iterate


def _without_what_comes_of_it(kept: EditProblem, constraints: Sequence[Constraint]) -> EditProblem:
    """The same, with no look at what becomes of things whose plan ends with a touch that is only declared: a ball that
    is kicked by decree may rattle between feet for seconds of computing, and none of that is going to happen."""
    plans = [plan for thing in kept.model.scene.things if (plan := kept.model.scene.plan_of(thing.name))]
    last = [plan[-1] for plan in plans if plan[-1].declared and plan[-1].bounces]
    if not last or constraints:  # somebody may ask for it later
        return kept
    past = kept.past or Past(kept.start.rollout.segments, -np.inf, np.inf)
    return replace(kept, past=replace(past, ends={contact.object: contact.time + SOON for contact in last}))


def _lifted(seen: Rollout, contact: Contact) -> Contact:
    """A contact that happens by itself from now on; one that changes the carrier of a thing goes on to say when."""
    if not contact.catches or not contact.declared or contact.id not in seen.happened:
        return replace(contact, declared=False)
    name, k = seen.happened[contact.id]
    is_taken = seen.trajectories.chains[name].spans[k].is_held
    return replace(contact, declared=False, taken=contact.taken or is_taken)


def without_losses(scene: Scene, document: Document, iterate: Iterate, found: Solved) -> Solved:
    """What was found if it holds and all contacts of a scene that happened before, or were declared, happen; else what
    there was before, and a report that names what is lost."""
    report, _, end = found
    known = {contact.id for contact in scene.contacts}
    new = [replace(contact, declared=True) for contact in end.rollout.model.scene.contacts if contact.id not in known]
    contacts = (*scene.contacts, *new)
    if not report.converged:
        return _explained(report, contacts, iterate.rollout), document, iterate
    planned = [contact.id for contact in scene.contacts if contact.declared or contact.id in iterate.rollout.happened]
    lost = [name for name in planned if name not in end.rollout.happened and name not in document.loose]
    if not lost:
        return found
    return _explained(absent(report, lost, "lost by it"), contacts, iterate.rollout), document, iterate


def _explained(report: Report, contacts: Sequence[Contact], seen: Rollout) -> Report:
    """A plan that does not come true, with what keeps a declared catch from happening in place of its own name."""
    catches = [contact for contact in contacts if contact.declared and contact.catches]
    why = dict.fromkeys(_busy(catches[0], seen) if len(catches) == 1 else ())  # one that was asked for
    for finding in report.binding:
        meant = [contact for contact in contacts if _is_about(finding, contact.id)]
        new = [contact for contact in catches if contact in meant]
        busy = [contact for contact in catches if meant and not new and _is_in_the_way(contact, meant[0])]
        told = _reasons(new[0], seen) if new else [_would_hold(contact) for contact in busy] or [finding]
        why |= dict.fromkeys(told)
    return replace(report, binding=tuple(why))


def _is_in_the_way(new: Contact, other: Contact) -> bool:
    """Whether a hand of another contact would be busy with a new catch."""
    until = np.inf if new.release is None else new.release
    return new.time < other.time < until and not {*named(new.other)}.isdisjoint(named(other.other))


def _would_hold(new: Contact) -> Finding:
    until = None if new.release is None else float(new.release)
    return Finding("would hold", new.object, until=until, parts=tuple(named(new.other)), contacts=(new.id,))


def _is_about(finding: Finding, contact: str) -> bool:
    if finding.kind in ("contact", "follows", "undeclared", "lost by it"):
        return finding.name == contact
    return finding.contacts == (contact,)


def _reasons(contact: Contact, seen: Rollout) -> list[Finding]:
    """Why a catch may not come true: who is busy then, or how far hand and thing are apart."""
    before = max(contact.time - JUST, seen.model.scene.start)  # by decree it is in the hand then
    away = seen.state(contact.carrier, before).position - seen.state(contact.object, before).position
    apart, ids = (Amount(float(np.linalg.norm(away)), "m"),), (contact.id,)
    return _busy(contact, seen) or [
        Finding("out of reach", contact.object, contact.carrier, float(contact.time), amounts=apart, contacts=ids)
    ]


def _busy(contact: Contact, seen: Rollout) -> list[Finding]:
    """Hands of a catch that hold something else then, and hands that its thing is in."""
    return [
        Finding("busy", thing, hand, until=end, contacts=(contact.id,))
        for thing, hand, start, end in _holds(seen)
        if start <= contact.time <= end and (hand in named(contact.other) or thing == contact.object)
    ]


def _holds(seen: Rollout) -> Iterator[tuple[str, str, float, float]]:
    """Thing, hand, start and end [s] of everything that is held; what is held to the end has no end."""
    scene, layout = seen.model.scene, seen.model.layout

    def end(hold: str, thing: str, start: float) -> float:
        passes = [contact.id for contact in scene.plan_of(thing) if contact.passes_on]
        names = [f"{hold}.release", *(f"{other}.passed" for other in passes)]
        times = [float(layout[name].of(seen.u)) for name in names if name in layout]
        return min((time for time in times if time > start), default=np.inf)

    for thing in scene.things:
        if isinstance(thing.start, Held):
            until = end(thing.name, thing.name, scene.start)
            yield from ((thing.name, hand, scene.start, until) for hand in named(thing.start.by))
    for contact in scene.contacts:
        if contact.holds and contact.id in seen.happened and not contact.declared:
            name, k = seen.happened[contact.id]
            start = seen.trajectories.chains[name].events[k].time
            yield from ((name, hand, start, end(contact.id, name, start)) for hand in named(contact.other))


def _from_touch_to_touch(
    model: Model, document: Document, iterate: Iterate, what: str, progress: Listener | None
) -> Solved:
    """A plan with declared impacts. One after the other they would throw a ball ever farther off, so each flight is
    guessed on its own, from where its touch is to where the next one is, and all are made to join."""
    scene = model.scene
    lifted = replace(scene, contacts=[replace(contact, declared=False) for contact in scene.contacts])
    real = Model.of(lifted)
    u = carried_over(iterate.u, model.layout, real.layout, real.start)
    nodes, times, led = dict(iterate.nodes), dict(iterate.times), {}
    for contact in scene.contacts:
        if contact.declared and _can_be_led(scene, contact):
            if contact.catches or not _is_picked_up(iterate.rollout, contact):
                nodes[contact.id] = _guessed(iterate.rollout, contact)
            times[contact.id] = contact.time
            led[contact.id] = int(real.world.surfaces_of(contact.carrier)[0])
    start = Iterate.at(real, u, nodes, times, led)
    stretch = reach(scene, document.freedom, [])
    kept = EditProblem.of(real, start, document.freedom, document.loose, stretch=stretch, starts=True)
    placed = tuple(
        replace(constraint, place=snapped(scene, scene.contact(constraint.contact)))
        if isinstance(constraint, KeepContact) and constraint.contact in led
        else constraint
        for constraint in kept.contacts
    )
    kept, solved, end = replace(kept, contacts=placed), replace(document, scene=lifted, u=u, nodes=nodes), start
    taken = 0
    for _ in range(AGAIN):
        report, solved, end = run(kept, solved, end, document.constraints, what, progress)
        taken += report.iterations
        report = replace(report, iterations=taken)
        if report.converged:
            return without_losses(scene, document, iterate, (report, solved, end))
        if any(contact not in end.rollout.happened for contact in led):
            break
        # a part has several surfaces, and another one than was thought is met first: then that one is meant
        kept = EditProblem.of(real, end, document.freedom, document.loose, stretch=stretch, starts=True)
    return report, document, iterate


def _goes_on(scene: Scene, contact: Contact) -> bool:
    """Whether a plan's touch is followed by something that is meant: it has to throw its thing there."""
    return any(later.time > contact.time for later in scene.plan_of(contact.object))


def _can_be_led(scene: Scene, contact: Contact) -> bool:
    """Whether a plan's contact is that of a ball with a site of a body."""
    led = not contact.passes_on and scene.thing(contact.object).shape.any_prescribed
    return led and is_site(scene, contact.carrier)


def _is_picked_up(seen: Rollout, contact: Contact) -> bool:
    """Whether a plan's contact is the first of a thing that lies: it is led there along what it lies on, and what that
    answers to the touch cannot be guessed."""
    first = seen.model.scene.plan_of(contact.object)[0].id == contact.id
    return first and contact.object in [constraint.thing for constraint in lying(seen)]


def _guessed(seen: Rollout, contact: Contact) -> Node:
    """What follows a planned contact: a hold, or the flight to the next one."""
    scene = seen.model.scene
    if contact.catches:
        return Node(contact.time, None, snapped(scene, contact), np.eye(3))
    place, gravity = _met_at(seen, contact), np.asarray(scene.gravity)
    after = [
        later for later in scene.plan_of(contact.object) if later.time > contact.time and _can_be_led(scene, later)
    ]
    lasts = after[0].time - contact.time if after else LAST_FLIGHT
    next_place = _met_at(seen, after[0]) if after else place
    velocity = (next_place - place) / lasts - 0.5 * lasts * gravity
    return Node(contact.time, np.concatenate([place, np.eye(3).ravel(), velocity, np.zeros(3)]))


def _met_at(seen: Rollout, contact: Contact) -> Floats:
    """Where a thing is when it touches its site as it moves by now."""
    site = partner_at(seen, contact.id, contact.time)
    return np.asarray(site.position + site.rotation @ snapped(seen.model.scene, contact))


def absent(report: Report, contacts: Sequence[str], problem: Kind) -> Report:
    """Of a plan of which some does not happen."""
    why = tuple(Finding(problem, name) for name in contacts)
    missed = {Finding("contact", name): np.inf for name in contacts}
    return replace(report, converged=False, residual=np.inf, missed=missed, binding=why)


def _as_decreed(decreed: Rollout, real: Rollout, contact: str) -> bool:
    """Whether a contact happens when it did by decree."""
    if contact not in real.happened:
        return False
    (thing, k), (same, j) = decreed.happened[contact], real.happened[contact]
    planned, actual = decreed.trajectories.chains[thing].events[k], real.trajectories.chains[same].events[j]
    return abs(planned.time - actual.time) <= SAME


def _still_led(model: Model, declared: Iterate, lifted: Iterate) -> Iterate:
    """A plan whose decree is lifted, with balls led to where they were by decree, and then: one that a hand's edge
    meets on the way is caught there, if nobody leads it."""
    seen = declared.rollout
    surfaces = {contact: surface_of(seen, contact) for contact in seen.happened}
    led = {contact: surface for contact, surface in surfaces.items() if surface is not None}
    times = {c: seen.trajectories.chains[name].events[k].time for c, (name, k) in seen.happened.items()}
    return Iterate.at(model, lifted.u, {**lifted.nodes, **seen.nodes}, {**lifted.times, **times}, led)


def _to_where_they_lie(kept: EditProblem, iterate: Iterate) -> EditProblem:
    """The same, with balls kept to the places in hands from which they are thrown. Of one that is led that need not be
    where it would touch: those before it, which really touch, are no longer quite where they were by decree."""
    holds = {contact: node.position for contact, node in iterate.nodes.items() if node.state is None}
    contacts = [
        replace(constraint, place=np.asarray(holds[constraint.contact]))
        if isinstance(constraint, KeepContact) and constraint.contact in holds
        else constraint
        for constraint in kept.contacts
    ]
    return replace(kept, contacts=tuple(contacts))


def run(
    kept: EditProblem,
    document: Document,
    start: Iterate,
    constraints: tuple[Constraint, ...],
    what: str,
    progress: Listener | None,
) -> Solved:
    solver = Solver(kept, constraints, start, what=what, listener=progress)
    for _ in solver.run():
        pass
    iterate = solver.iterate.with_turns(document.loose).timed()
    return report_of(solver), replace(document, u=iterate.u, nodes=dict(iterate.nodes)), iterate


def on_scene(
    scene: Scene, model: Model, document: Document, iterate: Iterate, strict: bool | Collection[str] = False
) -> tuple[Model, Document, Iterate]:
    """The same document on a changed scene; when `strict`, things, or some by name, that start inside something are an
    error, as they are when a scene is opened."""
    fresh = Model.of(scene)
    u = carried_over(iterate.u, model.layout, fresh.layout, fresh.start)
    nodes = dict(iterate.nodes)
    if strict:
        fresh.simulate(u, nodes, strict=strict)
    fresh_iterate = Iterate.at(fresh, u, nodes, iterate.times).timed()
    declared = {contact.id for contact in scene.contacts if contact.declared}
    found = fresh_iterate.rollout.nodes
    nodes |= {name: node for name, node in found.items() if name not in nodes and name not in declared}
    fresh_iterate = Iterate.at(fresh, u, nodes, fresh_iterate.times).timed()
    return fresh, replace(document, scene=scene, u=u, nodes=nodes), fresh_iterate
