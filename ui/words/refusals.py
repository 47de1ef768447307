"""Why something new that was wished for cannot be: said without naming the wish as its own reason. No widgets here."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace

import numpy as np

from hoi_edit.edit.document import Document
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from ui.words.carriers import carrying, is_palm
from ui.words.catch_candidates import REACH, nearest_time, palm, palms_for
from ui.words.edit_report import listed
from ui.words.fixes import Catch, Fix
from ui.words.messages import Message
from ui.words.names import capital, distance, plain
from ui.words.problems import MOST, fixes_of

EARLIER = 0.02  # [s] by which another time is another time


def without(report: Report, wish: Collection[Finding]) -> Report:
    """A report of what else there is: nothing is held back by itself."""
    missed = {owner: miss for owner, miss in report.missed.items() if owner not in wish}
    return replace(report, missed=missed, binding=tuple(finding for finding in report.binding if finding not in wish))


def catch_refused(seen: Rollout, document: Document, report: Report, thing: str, site: str, t: float) -> Message:
    """Of a catch that was asked for, in the scene as it was before and is still."""
    known = {contact.id for contact in document.scene.contacts}
    wished = [finding for finding in (*report.missed, *report.binding) if _is_new(finding, known)]
    others, hand = without(report, wished), palm(seen, site, thing, t)
    if hand.holds:
        why = hand.busy
    else:
        why = f"{'the hand' if is_palm(site) else 'it'} is {distance(hand.away)} from {thing} then"
    who = hand.words if is_palm(site) else plain(site)
    words = f"{who} cannot catch {thing} at {t:.2f} s: {why}."
    again = (*_others(seen, thing, site, t), *_elsewhere(seen, thing, site, t))
    fixes = (*again, *fixes_of(others, seen, document))[:MOST]
    return Message("error", f"{words}{_held_back(others, seen)} Nothing was changed.", fixes=fixes)


def hit_refused(seen: Rollout, document: Document, report: Report, thing: str, site: str, t: float) -> Message:
    """Of a kick or a hit that was asked for, in the scene as it was before and is still."""
    away = float(np.linalg.norm(seen.state(site, t).position - seen.state(thing, t).position))
    words = f"{plain(site)} cannot hit {thing} at {t:.2f} s: it is {distance(away)} from it then."
    return _refused(seen, document, report, capital(words))


def toss_refused(seen: Rollout, document: Document, report: Report, thing: str, site: str, t: float) -> Message:
    """Of a throw to a hand that was asked for, in the scene as it was before and is still."""
    hand = palm(seen, site, thing, t)
    words = (
        f"{thing} cannot be thrown {carrying(site, hand.part, passed=True)} at {t:.2f} s, {distance(hand.away)} away."
    )
    return _refused(seen, document, report, words, " Another time may do.")


def pass_refused(seen: Rollout, document: Document, report: Report, thing: str, site: str, t: float) -> Message:
    """Of a pass without a flight that was asked for, in the scene as it was before and is still."""
    hand = palm(seen, site, thing, t)
    words = (
        f"{thing} cannot be passed {carrying(site, hand.part, passed=True)} at {t:.2f} s, {distance(hand.away)} away."
    )
    return _refused(seen, document, report, words)


def _refused(seen: Rollout, document: Document, report: Report, words: str, advice: str = "") -> Message:
    """In these words, and what else held it back than that the new contact itself does not come about."""
    known = {contact.id for contact in document.scene.contacts}
    others = without(report, [finding for finding in (*report.missed, *report.binding) if _is_new(finding, known)])
    text = f"{words}{_held_back(others, seen)}{advice} Nothing was changed."
    return Message("error", text, fixes=fixes_of(others, seen, document)[:MOST])


def wish_refused(seen: Rollout, document: Document, report: Report, asked: Finding, wish: str) -> Message:
    """Of a constraint that was to hold from now on; `wish` says it in words."""
    others = without(report, {asked})
    best = f" The best that was found is {distance(report.residual)} off." if np.isfinite(report.residual) else ""
    held = _held_back(others, seen) or best
    return Message("error", f"{wish}.{held} Nothing was changed.", fixes=fixes_of(others, seen, document))


def _held_back(others: Report, seen: Rollout) -> str:
    names = listed((others.binding or tuple(others.missed))[:2], seen)
    return f" What holds it back: {names}." if names else ""


def _is_new(finding: Finding, known: Collection[str]) -> bool:
    """Whether it is a contact that the scene does not have, or what follows it."""
    return finding.kind in ("contact", "follows", "soft catch") and finding.name not in known


def _others(seen: Rollout, thing: str, site: str, t: float) -> tuple[Fix, ...]:
    """The nearest hand that is free then, if it is within reach."""
    hands = [hand for hand in palms_for(seen, thing, t) if hand.site != site and not hand.holds and hand.away <= REACH]
    return tuple(Fix(f"Catch it with {hand.words}", Catch(thing, hand.site, t)) for hand in hands[:1])


def _elsewhere(seen: Rollout, thing: str, site: str, t: float) -> tuple[Fix, ...]:
    """The same catch where hand and thing come nearest on this flight, if that is somewhere else and within reach."""
    nearest = nearest_time(seen, thing, site, t)
    if nearest is None or abs(nearest[0] - t) < EARLIER or nearest[1].away > REACH:
        return ()
    when, hand = round(nearest[0], 2), nearest[1]
    return (Fix(f"Catch it at {when:.2f} s, {distance(hand.away)} away", Catch(thing, site, when)),)
