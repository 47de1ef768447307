"""What is wrong, in plain words, and what would put it right: data that a panel makes buttons of."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hoi_edit.constraints.standing_foot import STANDS
from hoi_edit.editing.document import Document
from hoi_edit.editing.report import Report
from hoi_edit.simulation import Rollout
from hoi_edit.touches.bent import Bent, bent_laws
from ui.timeline import is_unwanted, plain

MOST = 3  # buttons beside a message
_HIT = re.compile(r"(.+) hits (.+) at ([\d.]+) s")


@dataclass(frozen=True)
class Fix:
    """A button: a method of the editor, and what it is called with."""

    label: str
    method: str
    arguments: tuple[Any, ...] = ()


@dataclass(frozen=True)
class Problem:
    text: str
    fixes: tuple[Fix, ...] = ()


UNDO = Fix("Undo", "undo")


def fixes_of(report: Report, rollout: Rollout, document: Document) -> tuple[Fix, ...]:
    """What may be done about an edit that did not go well; `rollout` is what came of it."""
    if report.converged:
        found = [own for words in report.events_changed for own in _clears(words, rollout)]
        return (*found[: MOST - 1], UNDO) if found else ()
    found = [own for owner in (*report.binding, *report.missed) for own in _without(owner, document)]
    found = list(dict.fromkeys(found))[:2]
    found += [Fix(f"Unlock {plain(lock.name)}", "toggle_lock", (lock.name,)) for lock in document.freedom.locks[:1]]
    if document.freedom.window is not None:
        found.append(Fix("Let edits change any time", "free_time"))
    return ((UNDO,) if report.holds and not report.unchanged else ()) + tuple(found[:MOST])


def _without(owner: str, document: Document) -> list[Fix]:
    """How to get rid of what holds an edit back, by the name that reports give it."""
    for words in ("contact ", "continuity after "):
        contact = owner.removeprefix(words)
        if contact != owner and any(own.id == contact for own in document.scene.contacts):
            return [] if contact in document.loose else [Fix(f"Let go of {contact}", "let_go", (contact,))]
    if owner.endswith(STANDS):
        foot = owner.removesuffix(STANDS)
        return [Fix(f"Let {plain(foot)} slide", "let_go", (foot,))]
    words = " ".join(plain(word) for word in owner.split(" "))
    label = f"Remove the {words}" if owner.startswith("pin ") else f"Give up: {words}"
    return [Fix(label, "remove", (own,)) for own in document.constraints if own.label == owner][:1]


def _clears(words: str, rollout: Rollout) -> list[Fix]:
    """Of "ball2 hits juggler/head at 3.20 s": keep them apart."""
    hit = _HIT.fullmatch(words)
    if hit is None or hit[2] in [own.name for own in rollout.model.scene.fixtures]:
        return []
    times = [
        event.time
        for event in rollout.events
        if event.object == hit[1] and event.other == hit[2] and abs(event.time - float(hit[3])) < 0.01
    ]
    return [_clear(hit[1], hit[2], time) for time in times[:1]]


def _clear(thing: str, other: str, t: float) -> Fix:
    return Fix(f"Keep {thing} clear of {plain(other)}", "keep_clear", (thing, other, t))


def in_scene(rollout: Rollout, document: Document) -> tuple[Problem, ...]:
    """What is amiss in the scene as it is: collisions that nobody wanted, contacts that do not happen, hands that go
    into what they have let go, laws that are bent."""
    return (*_plan(rollout, document), *_collisions(rollout), *_pushed(rollout), *_bent(rollout))


def bent_in(rollout: Rollout) -> tuple[Bent, ...]:
    """Laws of impacts that are not what the scene says."""
    return bent_laws(rollout.model.scene, rollout.model.layout.unflatten(rollout.u))


def _bent(rollout: Rollout) -> Sequence[Problem]:
    """An animator let that happen: it is told, so that nobody takes it for physics."""
    found = []
    for own in bent_in(rollout):
        contact = rollout.model.scene.contact(own.contact)
        times = [event.time for event in rollout.events if event.contact == own.contact]
        show = Fix("Show", "show_time", (contact.object, float(times[0] if times else contact.time)))
        found.append(Problem(f"Physics is bent: {own}.", (show,)))
    return found


def _plan(rollout: Rollout, document: Document) -> Sequence[Problem]:
    declared = [own.id for own in document.scene.contacts if own.declared]
    found = []
    if declared:
        many = f"{len(declared)} contacts happen" if len(declared) > 1 else f"{declared[0]} happens"
        solve = Fix("Make them come true" if len(declared) > 1 else "Make it come true", "solve")
        found.append(Problem(f"{many} by decree only: hands and balls do not meet yet.", (solve,)))
    for contact in document.scene.contacts:
        if contact.id not in rollout.happened and not contact.declared and contact.id not in document.loose:
            text = f"{contact.id} does not happen: {contact.object} does not reach {plain(contact.carrier)}."
            show = Fix("Show", "show_time", (contact.object, float(contact.time)))
            found.append(Problem(text, (show, Fix("Let it go", "let_go", (contact.id,)))))
    return found


def _collisions(rollout: Rollout) -> Sequence[Problem]:
    """One for each pair. What bounces on the ground is no problem: things do that."""
    pairs: dict[tuple[str, str], list[float]] = {}
    for event in rollout.events:
        if is_unwanted(event, rollout.model.scene) and event.other is not None:
            pairs.setdefault((event.object, event.other), []).append(event.time)
    found = []
    for (thing, other), times in pairs.items():
        more = f", and {len(times) - 1} more times" if len(times) > 2 else ", and once more" if len(times) == 2 else ""
        fixes = (Fix("Show", "show_time", (thing, times[0])), _clear(thing, other, times[0]))
        found.append(Problem(f"{thing} hits {plain(other)} at {times[0]:.2f} s{more}.", fixes))
    return found


def _pushed(rollout: Rollout) -> Sequence[Problem]:
    """Of each release after which the hand does not get out of the way, and of each jam."""
    return [
        Problem(
            f"{plain(own.hand)} goes {1e3 * own.depth:.0f} mm into {own.thing}, which it jams at {own.release:.2f} s."
            if own.jams
            else f"{plain(own.hand)} goes {1e3 * own.depth:.0f} mm into {own.thing} after letting it go at "
            f"{own.release:.2f} s: it still pushes.",
            (Fix("Show", "show_time", (own.thing, own.time)),),
        )
        for own in rollout.pushed
    ]
