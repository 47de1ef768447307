"""Words that several doors say: a session that is printed, files that leave, the command line, a report's findings."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hoi_edit.findings import Amount, Finding, Kind
    from hoi_edit.scene import Scene

MOST_NAMES = 3  # that a sentence lists


def count_of(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def some_of(names: Sequence[str]) -> str:
    """A few names, and a sign that there are more."""
    return ", ".join([*names[:MOST_NAMES], *(["…"] if len(names) > MOST_NAMES else [])])


def said(findings: "Iterable[Finding]") -> list[str]:
    """What would be said twice is said once."""
    return [*dict.fromkeys(map(str, findings))]


def unsolved(scene: "Scene") -> tuple[str, ...]:
    """One sentence about contacts that are only declared, none if there are none: what is shown is then a plan, in
    which things leap into hands, and nothing else tells."""
    names = [contact.id for contact in scene.contacts if contact.declared]
    return (declared_only(names),) if names else ()


def declared_only(names: Sequence[str]) -> str:
    many = f"{len(names)} contacts ({some_of(names)}) are" if len(names) > 1 else f"contact {names[0]} is"
    return f"{many} only declared, so things leap there at the planned time; session.solve() makes it come true"


def not_happening(missed: Sequence[str]) -> tuple[str, ...]:
    """One clause about intended contacts that do not happen, none if all do."""
    if not missed:
        return ()
    if len(missed) == 1:
        return (f"intended contact {missed[0]} does not happen",)
    return (f"{len(missed)} intended contacts ({some_of(missed)}) do not happen",)


def at(time: float | None) -> str:
    return "" if time is None else f" at {time:.2f} s"


def until(time: float | None) -> str:
    return "to the end" if time is None or math.isinf(time) else f"until {time:.2f} s"


def stretch(finding: "Finding") -> str:
    return f"from {finding.time:g} s to {finding.until:g} s"


def amount(finding: "Finding") -> float:
    """The one number of a finding that has one."""
    (only,) = finding.amounts
    assert isinstance(only.value, float)
    return only.value


def aims(amounts: Sequence["Amount"]) -> str:
    """What a pin asks for, by which it is told from another one of the same thing then."""
    return "".join(f", {'turned' if own.unit == 'rad' else f'{in_a_line(own.value)} {own.unit}'}" for own in amounts)


def in_a_line(value: float | Sequence[float]) -> str:
    return f"({', '.join(f'{x:.3g}' for x in value)})" if isinstance(value, Sequence) else f"{value:.3g}"


def numbered(amounts: Sequence["Amount"]) -> str:
    """Which clip of which interval."""
    return " in ".join(f"{own.unit} {own.value}" for own in amounts)


def contacts_gone(contacts: Sequence[str]) -> str:
    many = f"contacts {', '.join(contacts)} are" if len(contacts) > 1 else f"contact {contacts[0]} is"
    return f"{many} taken out with it"


def _would_hold(finding: "Finding") -> str:
    end = "to the end; give it a release" if finding.until is None else until(finding.until)
    return f"{finding.contacts[0]}: {' and '.join(finding.parts)} would hold {finding.name} {end}"


# findings as the command line and notebooks say them: ids of contacts and paths of joints as scripts write them
WORDINGS: "Mapping[Kind, Callable[[Finding], str]]" = {
    "contact": lambda own: f"contact {own.name}",
    "follows": lambda own: f"what follows {own.name}",
    "soft catch": lambda own: f"soft catch {own.name}",
    "pin": lambda own: f"pin of {own.name}{at(own.time)}{aims(own.amounts)}",
    "drag": lambda own: f"drag of {own.name}{at(own.time)}",
    "span picked": lambda own: f"drag of {own.name}{at(own.time)}, while what was picked lasts",
    "bend": lambda own: f"bend of {own.name}{at(own.time)}",
    "release": lambda own: f"release of {own.name}{at(own.time)}",
    "retime": lambda own: f"retime {own.name} to {own.time:.2f} s",
    "weight": lambda own: f"weight of {numbered(own.amounts)} of {own.name}",
    "blend weights": lambda own: f"blend weights of {own.name}",
    "clear": lambda own: f"{own.name} clear of {own.partner}{at(own.time)}",
    "closing hand": lambda own: f"{own.partner} clear of {own.name}",
    "open hand": lambda own: f"open hand of {own.name}",
    "open hands": lambda own: "open hands",
    "parting": lambda own: f"{own.partner} out of {own.name} after it has let it go",
    "second hand": lambda own: f"{own.partner} on {own.name}",
    "lies": lambda own: f"start of {own.name} on what it lies on",
    "plant": lambda own: f"{own.partner} of {own.name} on the ground",
    "stands": lambda own: f"{own.name} where it stands",
    "joint limits": lambda own: f"joint limits of {own.name}",
    "joint limit": lambda own: f"limit of {own.name}{at(own.time)}",
    "acceleration": lambda own: f"acceleration of {own.name}",
    "constraint": lambda own: own.name,
    "lock": lambda own: f"the lock of {own.name}{'' if own.time is None else f' {stretch(own)}'}",
    "window": lambda own: f"the window {stretch(own)}",
    "met": lambda own: f"{own.partner}{at(own.time)}",
    "inside": lambda own: f"{own.partner}, which {own.name} would start {1e3 * amount(own):.3g} mm inside",
    "start": lambda own: f"start of {own.name}",
    "lies on": lambda own: f"{own.partner}, which {own.name} lies on",
    "busy": lambda own: f"{own.contacts[0]}: {own.partner} holds {own.name} {until(own.until)}",
    "would hold": _would_hold,
    "out of reach": lambda own: (
        f"{own.contacts[0]}: {own.partner} is {amount(own):.2f} m from {own.name}{at(own.time)} and does not get to it"
    ),
    "undeclared": lambda own: f"{own.name}: it does not happen; declare it (`declared=True`) and solve again",
    "lost by it": lambda own: f"{own.name}: it would not happen any more",
    "in hand then": lambda own: (
        f"{', '.join(own.contacts)}: {own.name} would be in {own.partner} then; give a release "
        "before it, or let it go first"
    ),
    "lost": lambda own: f"{own.name} lost",
    "found": lambda own: f"{own.name} found",
    "hits": lambda own: f"{own.name} hits {own.partner}{at(own.time)}",
    "no longer hits": lambda own: f"{own.name} no longer hits {own.partner}",
    "declared": lambda own: declared_only(own.contacts),
    "contacts gone": lambda own: contacts_gone(own.contacts),
    "went along": lambda own: f"{own.about}: taken out with it",
    "taken out": lambda own: f"{own.about}: taken out ({own.why})",
    "no such part": lambda own: f"{own.about}: taken out, as the new body has no such part",
    "made anew": lambda own: f"{own.about}: made anew for the new body",
    "stood there": lambda own: f"{own.about}: taken out, as it was about where the old motion stood",
    "place on body": lambda own: f"{own.about}: taken out, as it was about a place on the old body",
    "allows": lambda own: f"{own.about}: up to {amount(own):.0f} m/s² now, as the clip does",
    "scale": lambda own: f"the scale of {own.name}",
    "opened": lambda own: f"what is open about {own.name}",
    "let go": lambda own: f"what is let go of {own.name}",
    "notice": lambda own: own.why,
}
