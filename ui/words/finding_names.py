"""Findings of reports as the window says them: contacts by what happens there, parts of bodies by whose they are.

The command line and notebooks have a table of their own, `hoi_edit.reporting.words.WORDINGS`; a test holds that both
know all kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hoi_edit.constraints.base import Constraint, about
from hoi_edit.reporting.findings import Finding, Kind
from hoi_edit.reporting.words import (
    aims,
    amount,
    at,
    clear_at,
    contacts_gone,
    deep,
    does_not_reach,
    far,
    numbered,
    stretch,
    until,
    while_locked,
    would_keep,
)
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Held
from ui.words.names import DECREED, contact_in_words, in_words, plain, without_code


@dataclass(frozen=True)
class Names:
    """What the timeline of a rollout calls things."""

    rollout: Rollout

    def contact(self, contact: str, with_time: bool = True) -> str:
        """One that the scene does not have, as it could not be, by its id."""
        scene = self.rollout.model.scene
        is_there = contact in [planned.id for planned in scene.contacts]
        return contact_in_words(self.rollout, contact, with_time) if is_there else contact

    def release(self, hold: str, with_time: bool = True) -> str:
        """Where a hold ends: that of a contact, or of a thing that starts in a hand."""
        scene = self.rollout.model.scene
        held = [thing.name for thing in scene.things if isinstance(thing.start, Held)]
        if hold in [planned.id for planned in scene.contacts] or hold in held:
            return contact_in_words(self.rollout, f"{hold}:release", with_time)
        return f"the release of {hold}"

    def any(self, name: str) -> str:
        """What may be a contact, a thing, somebody, or a part of one."""
        owners = [owner.name for owner in self.rollout.model.scene.owners]
        return plain(name) if name in owners else self.contact(plain(name))

    def of(self, finding: Finding | None) -> str:
        return "" if finding is None else WORDINGS[finding.kind](finding, self)

    def text(self, words: str) -> str:
        """What somebody else has said: a file's reader, a mistake."""
        return in_words(words, self.rollout)


Wording = Callable[[Finding, Names], str]


def _declared(finding: Finding, names: Names) -> str:
    if len(finding.contacts) > 1:
        return f"{len(finding.contacts)} contacts happen {DECREED}"
    return f"{names.contact(finding.contacts[0])} happens {DECREED}"


def _would_hold(finding: Finding, names: Names) -> str:
    hands = " and ".join(plain(hand) for hand in finding.parts)
    return f"{hands} would hold {finding.name} {until(finding.until)}"


WORDINGS: Mapping[Kind, Wording] = {
    "contact": lambda finding, names: names.contact(finding.name),
    "follows": lambda finding, names: f"what follows {names.contact(finding.name)}",
    "soft catch": lambda finding, names: f"softness of {names.contact(finding.name)}",
    "pin": lambda finding, names: f"pin of {plain(finding.name)}{at(finding.time)}{aims(finding.amounts)}",
    "drag": lambda finding, names: f"drag of {plain(finding.name)}{at(finding.time)}",
    "span picked": lambda finding, names: (
        f"drag of {plain(finding.name)}{at(finding.time)}, while what was picked lasts"
    ),
    "bend": lambda finding, names: f"bend of {plain(finding.name)}{at(finding.time)}",
    "release": lambda finding, names: f"{names.release(finding.name, finding.time is None)}{at(finding.time)}",
    "retime": lambda finding, names: f"move {names.contact(finding.name, with_time=False)} to {finding.time:.2f} s",
    "weight": lambda finding, names: f"weight of {numbered(finding.amounts)} of {finding.name}",
    "blend weights": lambda finding, names: f"blend weights of {finding.name}",
    "clear": lambda finding, names: f"{finding.name} clear of {plain(finding.partner)}{at(finding.time)}",
    "closing hand": lambda finding, names: f"{plain(finding.partner)} clear of {finding.name}",
    "open hand": lambda finding, names: f"open hand of {names.any(finding.name)}",
    "open hands": lambda finding, names: "open hands",
    "parting": lambda finding, names: f"{plain(finding.partner)} out of {finding.name} after it has let it go",
    "second hand": lambda finding, names: f"{plain(finding.partner)} on {finding.name}",
    "lies": lambda finding, names: f"start of {finding.name} on what it lies on",
    "plant": lambda finding, names: f"{plain(f'{finding.name}/{finding.partner}')} on the ground",
    "stands": lambda finding, names: f"{plain(finding.name)} where it stands",
    "grip": lambda finding, names: f"{plain(finding.partner)} on {finding.name}{at(finding.time)}",
    "put down": lambda finding, names: f"{finding.name} flat and still on {plain(finding.partner)}{at(finding.time)}",
    "level": lambda finding, names: f"{finding.name} carried level",
    "carried clear": lambda finding, names: f"{finding.name} carried clear of {finding.partner}",
    "joint limits": lambda finding, names: f"joint limits of {finding.name}",
    "joint limit": lambda finding, names: f"limit of {plain(finding.name)}{at(finding.time)}",
    "acceleration": lambda finding, names: f"acceleration of {plain(finding.name)}",
    "constraint": lambda finding, names: names.text(finding.name),
    "lock": lambda finding, names: f"the lock of {names.any(finding.name)}{while_locked(finding)}",
    "window": lambda finding, names: f"the window {stretch(finding)}",
    "met": lambda finding, names: f"{plain(finding.partner)}{at(finding.time)}",
    "inside": lambda finding, names: (
        f"{plain(finding.partner)}, which {finding.name} would start {deep(finding)} inside"
    ),
    "start": lambda finding, names: f"start of {finding.name}",
    "lies on": lambda finding, names: f"{plain(finding.partner)}, which {finding.name} lies on",
    "busy": lambda finding, names: f"{plain(finding.partner)} holds {finding.name} {until(finding.until)}",
    "would hold": _would_hold,
    "out of reach": lambda finding, names: f"{plain(finding.partner)} {does_not_reach(finding)}",
    "undeclared": lambda finding, names: f"{names.contact(finding.name)}: it does not happen",
    "lost by it": lambda finding, names: f"{names.contact(finding.name)}: it would not happen any more",
    "in hand then": lambda finding, names: (
        f"{', '.join(map(names.contact, finding.contacts))}: {would_keep(finding, plain(finding.partner))}"
    ),
    "leaps": lambda finding, names: f"{finding.name}, which would leap by {far(finding)}{at(finding.time)}",
    "at once": lambda finding, names: (
        f"{finding.name}, which would touch {' and '.join(map(plain, finding.parts))} at once{at(finding.time)}"
    ),
    "parts": lambda finding, names: f"{finding.name}, which would go another way{at(finding.time)} than it is shown",
    "crushed": lambda finding, names: (
        f"{finding.name}, which {plain(finding.partner)} would toss about without end{at(finding.time)}"
    ),
    "lost": lambda finding, names: f"{names.contact(finding.name)} does not happen any more",
    "found": lambda finding, names: f"{names.contact(finding.name)} happens again",
    "hits": lambda finding, names: f"{finding.name} hits {plain(finding.partner)}{at(finding.time)}",
    "hits hard by": lambda finding, names: (
        f"{finding.name} hits {plain(finding.partner)} at {finding.time:.3f} s, hard by "
        f"{names.contact(finding.contacts[0])}"
    ),
    "let go inside": lambda finding, names: (
        f"{finding.name} is let go {deep(finding)} inside {plain(finding.partner)}{at(finding.time)}{clear_at(finding)}"
    ),
    "held inside": lambda finding, names: (
        f"{finding.name} is carried {deep(finding)} inside {plain(finding.partner)}{at(finding.time)}"
    ),
    "no longer hits": lambda finding, names: f"{finding.name} no longer hits {plain(finding.partner)}",
    "declared": _declared,
    "contacts gone": lambda finding, names: contacts_gone([names.contact(contact) for contact in finding.contacts]),
    "went along": lambda finding, names: f"{names.of(finding.about)}: taken out with it",
    "taken out": lambda finding, names: f"{names.of(finding.about)}: taken out ({names.text(finding.why)})",
    "no such part": lambda finding, names: f"{names.of(finding.about)}: taken out, as the new body has no such part",
    "made anew": lambda finding, names: f"{names.of(finding.about)}: made anew for the new body",
    "stood there": lambda finding, names: (
        f"{names.of(finding.about)}: taken out, as it was about where the old motion stood"
    ),
    "place on body": lambda finding, names: (
        f"{names.of(finding.about)}: taken out, as it was about a place on the old body"
    ),
    "allows": lambda finding, names: (
        f"{names.of(finding.about)}: up to {amount(finding):.0f} m/s² now, as the clip does"
    ),
    "scale": lambda finding, names: f"the scale of {plain(finding.name)}",
    "opened": lambda finding, names: f"what is open about {names.any(finding.name)}",
    "let go": lambda finding, names: f"what is let go of {names.any(finding.name)}",
    "notice": lambda finding, names: names.text(finding.why),
}


def told(finding: Finding, rollout: Rollout | None) -> str:
    """A finding as on the timeline; without one, by ids and paths."""
    return without_code(str(finding)) if rollout is None else Names(rollout).of(finding)


def called(constraint: Constraint, rollout: Rollout | None) -> str:
    return told(about(constraint), rollout)
