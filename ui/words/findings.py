"""Findings of reports as the window says them: contacts by what happens there, parts of bodies by whose they are.

The command line and notebooks have a table of their own, `hoi_edit.words.WORDINGS`; a test holds that both know all
kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass

from hoi_edit.constraints.base import Constraint, about
from hoi_edit.findings import Finding, Kind
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Held
from hoi_edit.words import aims, amount, at, contacts_gone, numbered, stretch, until
from ui.words.names import DECREED, contact_in_words, in_words, plain, without_code


@dataclass(frozen=True)
class Names:
    """What the timeline of a rollout calls things."""

    rollout: Rollout

    def contact(self, contact: str, with_time: bool = True) -> str:
        """One that the scene does not have, as it could not be, by its id."""
        scene = self.rollout.model.scene
        is_there = any(own.id == contact for own in scene.contacts)
        return contact_in_words(self.rollout, contact, with_time) if is_there else contact

    def release(self, hold: str, with_time: bool = True) -> str:
        """Where a hold ends: that of a contact, or of a thing that starts in a hand."""
        scene = self.rollout.model.scene
        held = [own.name for own in scene.things if isinstance(own.start, Held)]
        if hold in [own.id for own in scene.contacts] or hold in held:
            return contact_in_words(self.rollout, f"{hold}:release", with_time)
        return f"the release of {hold}"

    def any(self, name: str) -> str:
        """What may be a contact, a thing, somebody, or a part of one."""
        owners = [own.name for own in self.rollout.model.scene.owners]
        return plain(name) if name in owners else self.contact(plain(name))

    def of(self, finding: Finding | None) -> str:
        return "" if finding is None else WORDINGS[finding.kind](finding, self)

    def text(self, words: str) -> str:
        """What somebody else has said: a file's reader, a mistake."""
        return in_words(words, self.rollout)


Wording = Callable[[Finding, Names], str]


def _declared(own: Finding, names: Names) -> str:
    if len(own.contacts) > 1:
        return f"{len(own.contacts)} contacts happen {DECREED}"
    return f"{names.contact(own.contacts[0])} happens {DECREED}"


def _would_hold(own: Finding, names: Names) -> str:
    hands = " and ".join(plain(hand) for hand in own.parts)
    return f"{hands} would hold {own.name} {until(own.until)}"


WORDINGS: Mapping[Kind, Wording] = {
    "contact": lambda own, names: names.contact(own.name),
    "follows": lambda own, names: f"what follows {names.contact(own.name)}",
    "soft catch": lambda own, names: f"softness of {names.contact(own.name)}",
    "pin": lambda own, names: f"pin of {plain(own.name)}{at(own.time)}{aims(own.amounts)}",
    "drag": lambda own, names: f"drag of {plain(own.name)}{at(own.time)}",
    "span picked": lambda own, names: f"drag of {plain(own.name)}{at(own.time)}, while what was picked lasts",
    "bend": lambda own, names: f"bend of {plain(own.name)}{at(own.time)}",
    "release": lambda own, names: f"{names.release(own.name, own.time is None)}{at(own.time)}",
    "retime": lambda own, names: f"move {names.contact(own.name, with_time=False)} to {own.time:.2f} s",
    "weight": lambda own, names: f"weight of {numbered(own.amounts)} of {own.name}",
    "blend weights": lambda own, names: f"blend weights of {own.name}",
    "clear": lambda own, names: f"{own.name} clear of {plain(own.partner)}{at(own.time)}",
    "closing hand": lambda own, names: f"{plain(own.partner)} clear of {own.name}",
    "open hand": lambda own, names: f"open hand of {names.any(own.name)}",
    "open hands": lambda own, names: "open hands",
    "parting": lambda own, names: f"{plain(own.partner)} out of {own.name} after it has let it go",
    "second hand": lambda own, names: f"{plain(own.partner)} on {own.name}",
    "lies": lambda own, names: f"start of {own.name} on what it lies on",
    "plant": lambda own, names: f"{plain(f'{own.name}/{own.partner}')} on the ground",
    "stands": lambda own, names: f"{plain(own.name)} where it stands",
    "joint limits": lambda own, names: f"joint limits of {own.name}",
    "joint limit": lambda own, names: f"limit of {plain(own.name)}{at(own.time)}",
    "acceleration": lambda own, names: f"acceleration of {plain(own.name)}",
    "constraint": lambda own, names: names.text(own.name),
    "lock": lambda own, names: f"the lock of {names.any(own.name)}{'' if own.time is None else f' {stretch(own)}'}",
    "window": lambda own, names: f"the window {stretch(own)}",
    "met": lambda own, names: f"{plain(own.partner)}{at(own.time)}",
    "inside": lambda own, names: (
        f"{plain(own.partner)}, which {own.name} would start {1e3 * amount(own):.3g} mm inside"
    ),
    "start": lambda own, names: f"start of {own.name}",
    "lies on": lambda own, names: f"{plain(own.partner)}, which {own.name} lies on",
    "busy": lambda own, names: f"{plain(own.partner)} holds {own.name} {until(own.until)}",
    "would hold": _would_hold,
    "out of reach": lambda own, names: (
        f"{plain(own.partner)} is {amount(own):.2f} m from {own.name}{at(own.time)} and does not get to it"
    ),
    "undeclared": lambda own, names: f"{names.contact(own.name)}: it does not happen",
    "lost by it": lambda own, names: f"{names.contact(own.name)}: it would not happen any more",
    "in hand then": lambda own, names: (
        f"{', '.join(map(names.contact, own.contacts))}: {own.name} would be in "
        f"{plain(own.partner)} then; give a release before it, or let it go first"
    ),
    "lost": lambda own, names: f"{names.contact(own.name)} does not happen any more",
    "found": lambda own, names: f"{names.contact(own.name)} happens again",
    "hits": lambda own, names: f"{own.name} hits {plain(own.partner)}{at(own.time)}",
    "no longer hits": lambda own, names: f"{own.name} no longer hits {plain(own.partner)}",
    "declared": _declared,
    "contacts gone": lambda own, names: contacts_gone([names.contact(contact) for contact in own.contacts]),
    "went along": lambda own, names: f"{names.of(own.about)}: taken out with it",
    "taken out": lambda own, names: f"{names.of(own.about)}: taken out ({names.text(own.why)})",
    "no such part": lambda own, names: f"{names.of(own.about)}: taken out, as the new body has no such part",
    "made anew": lambda own, names: f"{names.of(own.about)}: made anew for the new body",
    "stood there": lambda own, names: f"{names.of(own.about)}: taken out, as it was about where the old motion stood",
    "place on body": lambda own, names: f"{names.of(own.about)}: taken out, as it was about a place on the old body",
    "allows": lambda own, names: f"{names.of(own.about)}: up to {amount(own):.0f} m/s² now, as the clip does",
    "scale": lambda own, names: f"the scale of {plain(own.name)}",
    "opened": lambda own, names: f"what is open about {names.any(own.name)}",
    "let go": lambda own, names: f"what is let go of {names.any(own.name)}",
    "notice": lambda own, names: names.text(own.why),
}


def told(finding: Finding, rollout: Rollout | None) -> str:
    """A finding as on the timeline; without one, by ids and paths."""
    return without_code(str(finding)) if rollout is None else Names(rollout).of(finding)


def called(constraint: Constraint, rollout: Rollout | None) -> str:
    return told(about(constraint), rollout)
