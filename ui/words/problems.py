"""What is wrong, in plain words, and what would put it right: data that a panel shows, with its buttons."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hoi_edit.constraints.base import about
from hoi_edit.edit.document import Document
from hoi_edit.edit.outcome import told_apart
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Contact, Scene
from hoi_edit.scene.bent_laws import Bent, bent_laws
from hoi_edit.simulate.trajectory import Event
from ui.words.finding_names import told
from ui.words.fixes import (
    ANY_TIME,
    COME_TRUE,
    UNDO,
    Fix,
    KeepItClear,
    LetGo,
    LetGoAt,
    Mean,
    Remove,
    ShowTime,
    ToggleLock,
    take_steps,
)
from ui.words.names import contact_in_words, plain

SAME = 0.01  # [s] by which a hit is another one
MOST = 3  # buttons beside a message
MANY = {("palm", "hand"): "hands", ("foot", "toe", "ball_of", "heel", "instep"): "feet", ("head",): "heads"}


@dataclass(frozen=True)
class Problem:
    text: str
    fixes: tuple[Fix, ...] = ()


def fixes_of(report: Report, rollout: Rollout, document: Document, by_steps: bool = False) -> tuple[Fix, ...]:
    """What may be done about an edit that did not go well; `rollout` is what came of it. `by_steps` a drag may get
    farther."""
    if report.converged:
        apart = [
            fix for finding in report.events_changed for fix in (*clears(finding, rollout), *_sooner_or_later(finding))
        ]
        return (*apart[: MOST - 1], UNDO) if apart else ()
    ways = [fix for finding in (*report.binding, *report.missed) for fix in _without(finding, rollout, document)]
    ways = [*(_step(report, document.scene) if by_steps else ()), *list(dict.fromkeys(ways))[:2]]
    ways += [Fix(f"Unlock {plain(lock.name)}", ToggleLock(lock.name)) for lock in document.freedom.locks[:1]]
    if document.freedom.window is not None:
        ways.append(ANY_TIME)
    return ((UNDO,) if report.holds and not report.unchanged else ()) + tuple(ways[:MOST])


def _step(report: Report, scene: Scene) -> list[Fix]:
    """Of what is held back by somebody who stands: by their feet, their joints, or a contact of theirs."""
    carriers = {contact.id: contact.carrier for contact in scene.contacts}
    named = (carriers.get(finding.name, finding.name).partition("/")[0] for finding in report.binding)
    people = [character.name for character in scene.characters]
    return [Fix(f"Let {who} take a step", take_steps) for who in list(dict.fromkeys(named)) if who in people][:1]


def _without(finding: Finding, rollout: Rollout, document: Document) -> list[Fix]:
    """How to get rid of what holds an edit back."""
    known = [contact.id for contact in document.scene.contacts]
    if finding.kind in ("contact", "follows") and finding.name in known:
        if finding.name in document.loose:
            return []
        return [Fix(f"Let go of {contact_in_words(rollout, finding.name)}", LetGo(finding.name))]
    if finding.kind == "stands":
        return [Fix(f"Let {plain(finding.name)} slide", LetGo(finding.name))]
    words = told(finding, rollout)
    label = f"Remove the {words}" if finding.kind == "pin" else f"Give up: {words}"
    meant = [
        constraint for constraint in document.constraints if finding in (about(constraint), told_apart(constraint))
    ]
    return [Fix(label, Remove(constraint)) for constraint in meant[:1]]


def clears(finding: Finding, rollout: Rollout) -> list[Fix]:
    """Of a ball that hits a head: keep them apart."""
    is_fixture = finding.partner in [fixture.name for fixture in rollout.model.scene.fixtures]
    if finding.kind != "hits" or finding.time is None or is_fixture:
        return []
    times = [
        event.time
        for event in rollout.events
        if (event.object, event.other) == (finding.name, finding.partner) and abs(event.time - finding.time) < SAME
    ]
    return [_clear(finding.name, finding.partner, time) for time in times[:1]]


def _sooner_or_later(finding: Finding) -> list[Fix]:
    """Of a ball that is let go inside somebody: when it would be clear."""
    if finding.kind != "let go inside" or finding.until is None:
        return []
    return [Fix(f"Let {finding.name} go at {finding.until:.2f} s", LetGoAt(finding.name, finding.until))]


def _clear(thing: str, other: str, t: float) -> Fix:
    return Fix(f"Keep {thing} clear of {plain(other)}", KeepItClear(thing, other, t))


def in_scene(rollout: Rollout, document: Document) -> tuple[Problem, ...]:
    """What is amiss in the scene as it is: collisions that nobody wanted, contacts that do not happen, hands that go
    into what they have let go, laws that are bent."""
    hands = (*_pushed(rollout), *_let_go_inside(rollout))
    return (*_plan(rollout, document), *_collisions(rollout), *hands, *_bent(rollout))


def bent_in(rollout: Rollout) -> tuple[Bent, ...]:
    """Laws of impacts that are not what the scene says."""
    return bent_laws(rollout.model.scene, rollout.model.layout.unflatten(rollout.u))


def bent_in_words(bent: Bent, rollout: Rollout) -> str:
    return f"{contact_in_words(rollout, bent.contact)} {bent.how}"


def _bent(rollout: Rollout) -> Sequence[Problem]:
    """An animator let that happen: it is told, so that nobody takes it for physics."""
    problems = []
    for bent in bent_in(rollout):
        contact = rollout.model.scene.contact(bent.contact)
        times = [event.time for event in rollout.events if event.contact == bent.contact]
        show = Fix("Show", ShowTime(contact.object, float(times[0] if times else contact.time)))
        problems.append(Problem(f"Physics is bent: {bent_in_words(bent, rollout)}.", (show,)))
    return problems


def _plan(rollout: Rollout, document: Document) -> Sequence[Problem]:
    declared = [contact for contact in document.scene.contacts if contact.declared]
    problems = []
    if declared:
        first = contact_in_words(rollout, declared[0].id)
        many = f"{len(declared)} contacts happen" if len(declared) > 1 else f"{first[:1].upper()}{first[1:]} happens"
        solve = Fix("Make them come true" if len(declared) > 1 else "Make it come true", COME_TRUE.do)
        problems.append(Problem(f"{many} by decree only: {who_meets(declared)} do not meet yet.", (solve,)))
    for contact in document.scene.contacts:
        if contact.id not in rollout.happened and not contact.declared and contact.id not in document.loose:
            what, where = contact_in_words(rollout, contact.id), plain(contact.carrier)
            text = f"{what[:1].upper()}{what[1:]} does not happen: {contact.object} does not reach {where}."
            show = Fix("Show", ShowTime(contact.object, float(contact.time)))
            problems.append(Problem(text, (show, Fix("Let it go", LetGo(contact.id)))))
    return problems


def is_unwanted(event: Event, scene: Scene) -> bool:
    """A collision that nobody intended. What bounces on the ground or a wall is none: things do that."""
    still = any(fixture.name == event.other for fixture in scene.fixtures)
    return event.hits_by_chance and not still


def who_meets(contacts: Sequence[Contact]) -> str:
    """Of contacts that are meant to be: "hands and things", "feet and ball", "player and ball"."""
    parts = [contact.carrier.partition("/") for contact in contacts]
    touching = list(dict.fromkeys(_many(part) for _, _, part in parts))
    people, things = ({name for name, _, _ in parts}, {contact.object for contact in contacts})
    who = touching[0] if len(touching) == 1 else people.pop() if len(people) == 1 else "people"
    return f"{who} and {things.pop() if len(things) == 1 else 'things'}"


def _many(part: str) -> str:
    """The parts of a body of which this is one, or a point of one."""
    for words, many in MANY.items():
        if any(word in part for word in words):
            return many
    return "limbs"


def _collisions(rollout: Rollout) -> Sequence[Problem]:
    """One for each pair. What bounces on the ground is no problem: things do that."""
    pairs: dict[tuple[str, str], list[float]] = {}
    for event in rollout.events:
        if is_unwanted(event, rollout.model.scene) and event.other is not None:
            pairs.setdefault((event.object, event.other), []).append(event.time)
    problems = []
    for (thing, other), times in pairs.items():
        more = f", and {len(times) - 1} more times" if len(times) > 2 else ", and once more" if len(times) == 2 else ""
        show, mean = Fix("Show", ShowTime(thing, times[0])), Fix("Mean it", Mean(thing, times[0]))
        fixes = (show, _clear(thing, other, times[0]), mean)
        problems.append(Problem(f"{thing} hits {plain(other)} at {times[0]:.2f} s{more}.", fixes))
    return problems


def _pushed(rollout: Rollout) -> Sequence[Problem]:
    """Of each release after which the hand does not get out of the way, and of each jam."""
    problems = []
    for pushed in rollout.pushed:
        text = f"{plain(pushed.hand)} goes {1e3 * pushed.depth:.0f} mm into {pushed.thing}"
        if pushed.jams:
            text += f", which it jams at {pushed.release:.2f} s."
        else:
            text += f" after letting it go at {pushed.release:.2f} s: it still pushes."
        problems.append(Problem(text, (Fix("Show", ShowTime(pushed.thing, pushed.time)),)))
    return problems


def _let_go_inside(rollout: Rollout) -> Sequence[Problem]:
    """Of each ball that is let go inside somebody, and when it would be clear."""
    problems = []
    for inside in rollout.let_go_inside:
        text = (
            f"{inside.thing} is let go {1e3 * inside.depth:.0f} mm inside {plain(inside.other)} at {inside.time:.2f} s."
        )
        fixes = [Fix("Show", ShowTime(inside.thing, inside.time))]
        if inside.clear is not None:
            fixes.append(Fix(f"Let it go at {inside.clear:.2f} s", LetGoAt(inside.thing, inside.clear)))
        problems.append(Problem(text, tuple(fixes)))
    return problems
