"""Names and sentences of the core as people say them: "catch14" is the catch of ball1 by the juggler's left hand.

Documents, scripts and reports name contacts by their ids and parts of bodies by their paths. Whoever looks at the
timeline sees neither; everything that the window says goes through here.
"""

from __future__ import annotations

import re

import numpy as np

from hoi_edit.rollout import Rollout
from hoi_edit.scene import Contact, Held, Scene

NOUNS = {"grasp": "catch", "impact": "touch", "release": "throw", "pass": "pass"}
DECREED = "by decree until the plan is made to come true"  # of contacts that are only declared
WORDS = (  # of reports and labels
    (r"\bretime\b", "move"),
)
NOTHING = 1e-4  # [m] or [rad] below which nobody sees that something is not there yet
# what stands before the id of a contact, and what it says together with it
LEADS = {
    "contact ": "{}",
    "intended contact ": "{}",
    "soft catch ": "softness of {}",
    "what follows ": "what follows {}",
}
OF_RELEASES = ("release of ", "throw after ")  # the id after these means where the hold of that contact ends
# Python in a sentence: whoever looks at a window has buttons for it
CODE = re.compile(r"session\.\w+|`|(?<![\w'\"])\w+=")
_CALL = re.compile(r":? session\.\w+\([^)]*\)")
_WHEN = re.compile(r"(?: is)?(?: now)? (?:at|to) \d")  # a sentence that gives a time itself
_HUMPS = re.compile(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])|(?<=[A-Za-z])(?=\d)")  # between words
_DEGREE = re.compile(r"\.([XYZ])(rotation|position)")


def plain(name: str) -> str:
    """A name as people say it: "juggler/right_hand" is the juggler's right hand."""
    owner, slash, part = name.partition("/")
    if not slash:
        return name
    part, dot, degree = part.partition(".")
    turn = _DEGREE.fullmatch(f".{degree}")
    said = "" if not dot else f", {turn[1]} {turn[2]}" if turn is not None else f" {degree}"
    return f"{owner}'s {spoken(part)}{said}"


def spoken(part: str) -> str:
    """A part of a body as people say it: "right_hand", and "RightHand" and "Spine1" as well, as files call them."""
    words = _HUMPS.sub(" ", part.replace("_", " ").replace("tuck", "armpit"))
    return " ".join(word if word.isupper() and len(word) > 1 else word.lower() for word in words.split())


def without_code(text: str) -> str:
    """A sentence of the core without what it tells programmers: clauses that name calls and their arguments."""
    first, *clauses = text.split("; ")
    return "; ".join([_CALL.sub("", first), *(clause for clause in clauses if CODE.search(clause) is None)])


def in_words(text: str, rollout: Rollout | None) -> str:
    """A sentence, or a label, in which contacts and parts of bodies are named as on the timeline."""
    said = without_code(text)
    if rollout is None:
        return said
    scene = rollout.model.scene
    for pattern, words in WORDS:
        said = re.sub(pattern, words, said)
    contacts = _pattern(scene)
    if contacts is not None:
        whole = said
        said = contacts.sub(lambda match: _said(match, whole, rollout), said)
    return _parts(said, scene)


def contact_in_words(rollout: Rollout, contact: str, with_time: bool = True) -> str:
    """Of "catch3", "catch3:release", "ball1:release": what happens there, and when."""
    words, time = what_and_when(rollout, contact)
    return words + (f" at {time:.2f} s" if with_time and np.isfinite(time) else "")


def what_and_when(rollout: Rollout, contact: str) -> tuple[str, float]:
    """What happens there, in words, and its time [s], which is not a number where nothing ends it."""
    name, _, end = contact.partition(":")
    scene = rollout.model.scene
    planned_contact = next((other for other in scene.contacts if other.id == name), None)
    released = end == "release"
    thing = name if planned_contact is None else planned_contact.object
    kind = "release" if released else "grasp" if planned_contact is None else planned_contact.kind
    happens = [
        event for event in rollout.trajectories.chains[thing].events if event.contact == name and event.kind == kind
    ]
    if happens and happens[0].other is not None:
        part, time = happens[0].other, happens[0].time
    else:
        part, time = _planned(scene, name, planned_contact, released)
    who = f" {'by' if '/' in part else 'on'} {plain(part)}" if part else ""
    return f"the {NOUNS[kind]} of {thing}{who}", float(time)


def capital(words: str) -> str:
    return f"{words[:1].upper()}{words[1:]}"


def lower(words: str) -> str:
    return f"{words[:1].lower()}{words[1:]}"


def distance(metres: float) -> str:
    """A length in the unit that fits it."""
    if metres < 0.01:
        return f"{1e3 * metres:.1f} mm"
    return f"{1e2 * metres:.1f} cm" if metres < 1.0 else f"{metres:.2f} m"


def sentence(text: str) -> str:
    """With a capital, unless it begins with the name of a file or a thing, and a full stop."""
    first = text.partition(" ")[0]
    return (text[:1].upper() + text[1:] if first.isalpha() else text) + ("" if text.endswith(".") else ".")


def shortened(words: str, most: int) -> str:
    """At most so many letters, the middle left out: names tend to differ at their ends."""
    if len(words) <= most:
        return words
    end = (most - 1) // 3
    return f"{words[: most - 1 - end]}…{words[len(words) - end :]}"


def _planned(scene: Scene, name: str, contact: Contact | None, released: bool) -> tuple[str, float]:
    """Part and time of a contact that does not happen now."""
    if contact is not None:
        release = float("nan") if contact.release is None else float(contact.release)
        return contact.carrier, release if released else float(contact.time)
    start = next((thing.start for thing in scene.things if thing.name == name), None)
    if isinstance(start, Held):
        return start.carrier, float("nan") if start.release is None else float(start.release)
    return "", float("nan")


def _pattern(scene: Scene) -> re.Pattern[str] | None:
    """Finds ids of contacts, and the starts of things in a hand where their release is meant. An id that something in
    the scene is called as well means the contact only where the sentence says so."""
    owners = {owner.name for owner in scene.owners}
    ids = {contact.id for contact in scene.contacts}
    held = {thing.name for thing in scene.things if isinstance(thing.start, Held)}
    every = sorted(ids | held, key=len, reverse=True)
    if not every:
        return None
    leads = "|".join(map(re.escape, sorted((*LEADS, *OF_RELEASES), key=len, reverse=True)))
    alone = "|".join(re.escape(contact_id) for contact_id in sorted(ids - owners, key=len, reverse=True)) or r"(?!)"
    names = "|".join(map(re.escape, every))
    return re.compile(
        rf"(?<![\w/'.])(?:(?P<lead>{leads})(?P<q>['\"]?)(?P<led>{names})(?P<end>:release)?(?P=q)"
        rf"|(?P<q2>['\"]?)(?P<let>{names}):release(?P=q2)"
        rf"|(?P<q3>['\"]?)(?P<id>{alone})(?P=q3))(?![\w/]|:\w)"
    )


def _said(match: re.Match[str], text: str, rollout: Rollout) -> str:
    lead = match["lead"] or ""
    name = match["led"] or match["let"] or match["id"]
    released = match["let"] is not None or match["end"] is not None or lead in OF_RELEASES
    gives_time = _WHEN.match(text, match.end()) is not None
    words = contact_in_words(rollout, f"{name}:release" if released else name, not gives_time)
    return LEADS.get(lead, "{}").format(words)


def _parts(text: str, scene: Scene) -> str:
    """The same with parts of bodies: only those of people who are there, so that paths of files stay."""
    if not scene.characters:
        return text
    people = "|".join(re.escape(character.name) for character in scene.characters)
    return re.sub(
        rf"(?<![\w/])'?((?:{people})/\w+(?:\.(?:[XYZ](?:rotation|position)|\w+))?)'?(?!\w)",
        lambda match: plain(match[1]),
        text,
    )
