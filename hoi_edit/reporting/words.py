"""Words that several doors say: a session that is printed, files that leave, the command line, a report's findings."""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from hoi_edit.reporting.findings import Amount, Doubt, DoubtKind, Finding, Kind
    from hoi_edit.scene import Scene

MOST_NAMES = 3  # that a sentence lists
MOST_TOUCHES = 8  # that a doubt lists


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


def deep(finding: "Finding") -> str:
    return f"{1e3 * amount(finding):.3g} mm"


def far(finding: "Finding") -> str:
    """A leap, be it of metres or of nearly nothing."""
    return f"{amount(finding):.3g} m"


def clear_at(finding: "Finding") -> str:
    """When it might be let go instead."""
    return "" if finding.until is None else f"; at {finding.until:.2f} s it would be clear"


def does_not_reach(finding: "Finding") -> str:
    return f"is {amount(finding):.2f} m from {finding.name}{at(finding.time)} and does not get to it"


def while_locked(finding: "Finding") -> str:
    """A lock need not be for a while."""
    return "" if finding.time is None else f" {stretch(finding)}"


def aims(amounts: Sequence["Amount"]) -> str:
    """What a pin asks for, by which it is told from another one of the same thing then."""
    return "".join(
        f", {'turned' if asked.unit == 'rad' else f'{in_a_line(asked.value)} {asked.unit}'}" for asked in amounts
    )


def in_a_line(value: float | Sequence[float]) -> str:
    return f"({', '.join(f'{x:.3g}' for x in value)})" if isinstance(value, Sequence) else f"{value:.3g}"


def numbered(amounts: Sequence["Amount"]) -> str:
    """Which clip of which interval."""
    return " in ".join(f"{number.unit} {number.value}" for number in amounts)


def contacts_gone(contacts: Sequence[str]) -> str:
    many = f"contacts {', '.join(contacts)} are" if len(contacts) > 1 else f"contact {contacts[0]} is"
    return f"{many} taken out with it"


def would_keep(finding: "Finding", where: str) -> str:
    """That a thing would be in somebody's hand, or lie on something, when it is meant to be elsewhere."""
    if "/" in finding.partner:
        return f"{finding.name} would be in {where} then; give a release before it, or let it go first"
    return f"{finding.name} would lie on {where} then; put it down after it, or remove it first"


def _would_hold(finding: "Finding") -> str:
    end = "to the end; give it a release" if finding.until is None else until(finding.until)
    return f"{finding.contacts[0]}: {' and '.join(finding.parts)} would hold {finding.name} {end}"


# findings as the command line and notebooks say them: ids of contacts and paths of joints as scripts write them
WORDINGS: "Mapping[Kind, Callable[[Finding], str]]" = {
    "contact": lambda finding: f"contact {finding.name}",
    "follows": lambda finding: f"what follows {finding.name}",
    "soft catch": lambda finding: f"soft catch {finding.name}",
    "pin": lambda finding: f"pin of {finding.name}{at(finding.time)}{aims(finding.amounts)}",
    "drag": lambda finding: f"drag of {finding.name}{at(finding.time)}",
    "span picked": lambda finding: f"drag of {finding.name}{at(finding.time)}, while what was picked lasts",
    "bend": lambda finding: f"bend of {finding.name}{at(finding.time)}",
    "release": lambda finding: f"release of {finding.name}{at(finding.time)}",
    "retime": lambda finding: f"retime {finding.name} to {finding.time:.2f} s",
    "weight": lambda finding: f"weight of {numbered(finding.amounts)} of {finding.name}",
    "blend weights": lambda finding: f"blend weights of {finding.name}",
    "clear": lambda finding: f"{finding.name} clear of {finding.partner}{at(finding.time)}",
    "closing hand": lambda finding: f"{finding.partner} clear of {finding.name}",
    "open hand": lambda finding: f"open hand of {finding.name}",
    "open hands": lambda finding: "open hands",
    "parting": lambda finding: f"{finding.partner} out of {finding.name} after it has let it go",
    "second hand": lambda finding: f"{finding.partner} on {finding.name}",
    "lies": lambda finding: f"start of {finding.name} on what it lies on",
    "plant": lambda finding: f"{finding.partner} of {finding.name} on the ground",
    "stands": lambda finding: f"{finding.name} where it stands",
    "grip": lambda finding: f"{finding.partner} on {finding.name}{at(finding.time)}",
    "put down": lambda finding: f"{finding.name} flat and still on {finding.partner}{at(finding.time)}",
    "level": lambda finding: f"{finding.name} carried level",
    "carried clear": lambda finding: f"{finding.name} carried clear of {finding.partner}",
    "joint limits": lambda finding: f"joint limits of {finding.name}",
    "joint limit": lambda finding: f"limit of {finding.name}{at(finding.time)}",
    "acceleration": lambda finding: f"acceleration of {finding.name}",
    "constraint": lambda finding: finding.name,
    "lock": lambda finding: f"the lock of {finding.name}{while_locked(finding)}",
    "window": lambda finding: f"the window {stretch(finding)}",
    "met": lambda finding: f"{finding.partner}{at(finding.time)}",
    "inside": lambda finding: f"{finding.partner}, which {finding.name} would start {deep(finding)} inside",
    "start": lambda finding: f"start of {finding.name}",
    "lies on": lambda finding: f"{finding.partner}, which {finding.name} lies on",
    "busy": lambda finding: f"{finding.contacts[0]}: {finding.partner} holds {finding.name} {until(finding.until)}",
    "would hold": _would_hold,
    "out of reach": lambda finding: f"{finding.contacts[0]}: {finding.partner} {does_not_reach(finding)}",
    "undeclared": lambda finding: f"{finding.name}: it does not happen; declare it (`declared=True`) and solve again",
    "lost by it": lambda finding: f"{finding.name}: it would not happen any more",
    "in hand then": lambda finding: f"{', '.join(finding.contacts)}: {would_keep(finding, finding.partner)}",
    "leaps": lambda finding: f"{finding.name}, which would leap by {far(finding)}{at(finding.time)}",
    "at once": lambda finding: (
        f"{finding.name}, which would touch {' and '.join(finding.parts)} at once{at(finding.time)}"
    ),
    "parts": lambda finding: f"{finding.name}, which would go another way{at(finding.time)} than its controls say",
    "crushed": lambda finding: (
        f"{finding.name}, which {finding.partner} would toss about without end{at(finding.time)}"
    ),
    "lost": lambda finding: f"{finding.name} lost",
    "found": lambda finding: f"{finding.name} found",
    "hits": lambda finding: f"{finding.name} hits {finding.partner}{at(finding.time)}",
    "hits hard by": lambda finding: (
        f"{finding.name} hits {finding.partner} at {finding.time:.3f} s, hard by {finding.contacts[0]}"
    ),
    "let go inside": lambda finding: (
        f"{finding.name} is let go {deep(finding)} inside {finding.partner}{at(finding.time)}{clear_at(finding)}"
    ),
    "held inside": lambda finding: f"{finding.name} is held {deep(finding)} inside {finding.partner}{at(finding.time)}",
    "no longer hits": lambda finding: f"{finding.name} no longer hits {finding.partner}",
    "declared": lambda finding: declared_only(finding.contacts),
    "contacts gone": lambda finding: contacts_gone(finding.contacts),
    "went along": lambda finding: f"{finding.about}: taken out with it",
    "taken out": lambda finding: f"{finding.about}: taken out ({finding.why})",
    "no such part": lambda finding: f"{finding.about}: taken out, as the new body has no such part",
    "made anew": lambda finding: f"{finding.about}: made anew for the new body",
    "stood there": lambda finding: f"{finding.about}: taken out, as it was about where the old motion stood",
    "place on body": lambda finding: f"{finding.about}: taken out, as it was about a place on the old body",
    "allows": lambda finding: f"{finding.about}: up to {amount(finding):.0f} m/s² now, as the clip does",
    "scale": lambda finding: f"the scale of {finding.name}",
    "opened": lambda finding: f"what is open about {finding.name}",
    "let go": lambda finding: f"what is let go of {finding.name}",
    "notice": lambda finding: finding.why,
}


def _grazes(doubt: "Doubt") -> str:
    along, speed = doubt.amounts
    return f"it grazes: only {along.value:.3g} of {speed.value:.3g} m/s are along the normal"


def _grown(doubt: "Doubt") -> str:
    touches = [f"{touch.name} with {touch.partner}{at(touch.time)}" for touch in doubt.touches]
    if len(touches) > MOST_TOUCHES:
        touches = [*touches[: MOST_TOUCHES - 2], f"{len(touches) - MOST_TOUCHES + 1} more", touches[-1]]
    return (
        f"a change before it grows {doubt.amounts[0].value:.0e} times by the touches of {', '.join(touches)}: "
        "a derivative through all of them is too large to mean anything"
    )


DOUBTS: "Mapping[DoubtKind, Callable[[Doubt], str]]" = {
    "jammed": lambda doubt: f"it is jammed by {doubt.partner}, which goes into it, and stays until that has left",
    "jump": lambda doubt: "the plan is not continuous here: nothing before it counts",
    "released before its catch": lambda doubt: (
        "it is to be released before it is caught: the time of release has no effect"
    ),
    "hop": lambda doubt: "a hop stands for contact that lasts",
    "grazes": _grazes,
    "tied": lambda doubt: f"it comes at the same instant as the touch with {doubt.partner}: which is first decides",
    "sticks or slides": lambda doubt: "it is at the border between sticking and sliding",
    "starts in touch": lambda doubt: f"it starts in touch with {doubt.partner}: any deeper is inside",
    "on an edge": lambda doubt: "it lies on an edge or on something round, off which it may roll",
    "laid down": lambda doubt: "it touched so often that it was laid down: it may slide, roll or fall over from here",
    "passes close": lambda doubt: f"they pass within {doubt.amounts[0].value:.1e} m: a change of more makes it a touch",
    "grown": _grown,
}
