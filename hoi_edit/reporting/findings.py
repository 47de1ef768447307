"""What reports tell, as data: what holds an edit back, what it misses, what it changed, what went along with it; and
what puts a derivative in doubt.

A finding becomes a sentence only where somebody reads it: `str(finding)` for the command line and notebooks, by the
table in `words`; the window has one of its own, with the names of its timeline. Programs look at the fields.
"""

from dataclasses import dataclass
from typing import Literal, get_args

from hoi_edit.reporting.words import DOUBTS, WORDINGS

Kind = Literal[
    # what an edit keeps or is asked for: the owners of its rows
    "contact", "follows", "soft catch", "pin", "drag", "span picked", "bend", "release", "retime", "weight",
    "blend weights", "clear", "closing hand", "open hand", "open hands", "parting", "second hand", "lies", "plant",
    "stands", "grip", "put down", "level", "carried clear", "joint limits", "joint limit", "acceleration", "constraint",
    # what keeps variables as they are
    "lock", "window",
    # what else is in the way, or is not there
    "met", "inside", "start", "lies on", "busy", "would hold", "out of reach", "undeclared", "lost by it",
    "in hand then", "leaps", "at once", "parts", "crushed",
    # what has changed
    "lost", "found", "hits", "no longer hits", "hits hard by", "let go inside", "held inside",
    # what else comes of an edit of what is in the scene
    "declared", "contacts gone", "went along", "taken out", "no such part", "made anew", "stood there", "place on body",
    "allows", "scale", "opened", "let go", "notice",
]  # fmt: skip
KINDS: tuple[Kind, ...] = get_args(Kind)

DoubtKind = Literal[
    "jammed", "jump", "released before its catch", "hop", "grazes", "tied", "sticks or slides", "starts in touch",
    "on an edge", "laid down", "passes close", "grown",
]  # fmt: skip
DOUBT_KINDS: tuple[DoubtKind, ...] = get_args(DoubtKind)


@dataclass(frozen=True)
class Amount:
    """By how much, or where to."""

    value: float | tuple[float, ...]  # not a number where it is open
    unit: str  # "m", "m/s", "m/s²", "rad"; or of what it is the number: "clip"


@dataclass(frozen=True, repr=False)
class Finding:
    """One thing that is so; which fields say something depends on its kind."""

    kind: Kind
    name: str = ""  # of the contact, thing, part, joint, angle or lock: "catch5", "ball2", "juggler/head"
    partner: str = ""  # what it meets, lies on or is held by
    time: float | None = None  # [s]
    until: float | None = None  # [s], infinite if to the end
    amounts: tuple[Amount, ...] = ()
    parts: tuple[str, ...] = ()  # hands, where it may be several
    contacts: tuple[str, ...] = ()  # ids of those that it is a matter of: it keeps them from happening, say
    about: "Finding | None" = None  # what was taken out, made anew or the like
    why: str = ""  # words of whoever refused or noticed something; to be read, never to be looked into

    def __str__(self) -> str:
        return WORDINGS[self.kind](self)

    def __repr__(self) -> str:
        """As the sentence, so that a list of them can be read."""
        return repr(str(self))


@dataclass(frozen=True, repr=False)
class Doubt:
    """Why a derivative through an event, or past a near miss, is one-sided, or not to be trusted."""

    kind: DoubtKind
    partner: str = ""  # what jams it, what else it touches
    amounts: tuple[Amount, ...] = ()  # how close it passes; of a graze the speed along the normal, and in all
    touches: tuple[Finding, ...] = ()  # "met": those by which a change has grown so many times

    def __str__(self) -> str:
        return DOUBTS[self.kind](self)

    def __repr__(self) -> str:
        return repr(str(self))
