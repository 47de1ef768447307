"""A finding of each kind, with all that its words need, about `juggle3`."""

import math
from dataclasses import replace

from hoi_edit.reporting.findings import KINDS, Amount, Finding, Kind

PIN = Finding("pin", "ball1", time=1.2)
CATCH: tuple[Kind, ...] = (
    "contact", "follows", "soft catch", "release", "undeclared", "lost by it", "lost", "found", "opened", "let go",
    "retime", "open hand",
)  # fmt: skip
ABOUT: tuple[Kind, ...] = (
    "went along", "taken out", "no such part", "made anew", "stood there", "place on body", "allows",
)  # fmt: skip
PARTS: tuple[Kind, ...] = ("stands", "acceleration", "scale", "joint limit")
MET_BY_A_PART: tuple[Kind, ...] = (
    "closing hand", "parting", "second hand", "busy", "out of reach", "in hand then",
    "hits hard by", "held inside",
)  # fmt: skip


def of_each_kind() -> list[Finding]:
    return [finding_of(kind) for kind in KINDS]


def finding_of(kind: Kind) -> Finding:
    finding = Finding(kind, "ball1", "ball2", 1.2, 1.5)
    if kind in CATCH:
        finding = replace(finding, name="catch5")
    if kind in PARTS:
        finding = replace(finding, name="juggler/left_foot")
    if kind in MET_BY_A_PART:
        finding = replace(finding, partner="juggler/left_palm", contacts=("catch5",), until=math.inf)
    if kind in ("declared", "contacts gone"):
        finding = replace(finding, contacts=("catch5",))
    if kind in ("would hold", "at once"):
        finding = replace(finding, parts=("juggler/left_palm",), contacts=("catch5",))
    if kind == "weight":
        finding = replace(finding, name="juggler", amounts=(Amount(0, "clip"), Amount(1, "interval")))
    if kind == "plant":
        finding = replace(finding, name="juggler", partner="left_heel")
    if kind in ("inside", "out of reach", "leaps", "let go inside", "held inside"):
        finding = replace(finding, amounts=(Amount(0.02, "m"),))
    if kind in ABOUT:
        finding = replace(finding, about=PIN, why="there is no ball1", amounts=(Amount(80.0, "m/s²"),))
    return replace(finding, why="its rows are short") if kind == "notice" else finding
