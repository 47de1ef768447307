"""What a drag has moved, and what it has kept, in a few lines for a terminal."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from hoi_edit.edit.comparison import compared
from hoi_edit.export.ui_bridge import in_words
from hoi_edit.reporting.words import count_of, said, some_of
from hoi_edit.rollout import Rollout
from hoi_edit.scenes.demos import Dragged
from hoi_edit.simulate.trajectory import Event
from hoi_edit.verify import Measure
from kinematics.rotation import Floats

LEAST = 5e-4  # [m], [s] below which a contact is where it was
NAMED = 3  # contacts that are told one by one, and
LIMBS = 2
NOUNS = {"grasp": "catches", "release": "throws", "pass": "passes", "impact": "touches"}


@dataclass(frozen=True)
class Moved:
    """An intended contact that happens elsewhere, or at another time."""

    contact: str  # "catch3", "catch3:release"
    distance: float  # [m]
    shift: float  # [s] later if positive


def dragged(drag: Dragged) -> str:
    """What was dragged where."""
    was, now = (rollout.state(drag.name, drag.t).position for rollout in (drag.before, drag.after))
    places = " to ".join("({:.2f}, {:.2f}, {:.2f})".format(*place) for place in (was, now))
    return f"dragged   {drag.name} at {drag.t:.2f} s by {_length(float(np.linalg.norm(now - was)))}, from {places} m"


def followed(drag: Dragged) -> Iterator[str]:
    """Limbs, throws and catches that have moved, those that moved most first."""
    limbs = compared(drag.before, drag.after).joints[:LIMBS]
    if limbs:
        names = [f"{in_words(drag.after, limb.name)} by up to {_length(limb.distance)}" for limb in limbs]
        yield f"followed  {', '.join(names)}"
    every = moved(drag)
    for one in every[:NAMED]:
        when = f", {abs(1e3 * one.shift):.0f} ms {'later' if one.shift > 0.0 else 'earlier'}"
        yield (f"          {in_words(drag.after, one.contact)}: {_length(one.distance)} from where it was"
               + (when if abs(one.shift) >= LEAST else ""))  # fmt: skip
    rest = every[NAMED:]
    if rest:
        most = _length(max(one.distance for one in rest))
        still = len(_meant(drag.after)) - len(every)
        yield f"          {len(rest)} more contacts by up to {most}; {still} are where they were"


def kept(drag: Dragged) -> str:
    """How many throws and catches happen as before, and how exactly the edit was solved."""
    was, now = _meant(drag.before), _meant(drag.after)
    counts = []
    for kind, noun in NOUNS.items():
        before = [key for key in was if key[1] == kind]
        if before:
            counts.append(f"{sum(key in now for key in before)} of {len(before)} {noun}")
    changed = f"; changed: {some_of(said(drag.report.events_changed))}" if drag.report.events_changed else ""
    return f"kept      {', '.join(counts)}, with a residual of {drag.report.residual:.1e} at most{changed}"


def moved(drag: Dragged) -> list[Moved]:
    """The intended contacts that are elsewhere, or at another time, the farthest first."""
    was, now = _meant(drag.before), _meant(drag.after)
    every = [
        Moved(
            f"{contact}:release" if kind == "release" else contact,
            float(np.linalg.norm(_place(drag.after, now[contact, kind]) - _place(drag.before, was[contact, kind]))),
            now[contact, kind].time - was[contact, kind].time,
        )
        for contact, kind in now
        if (contact, kind) in was
    ]
    return sorted((one for one in every if one.distance > LEAST), key=lambda one: -one.distance)


def measured(claims: Sequence[Measure]) -> str:
    """What code that shares nothing with the solver finds when it measures all that the scene claims."""
    off = [claim for claim in claims if claim.is_off]
    many = f"{len(off)} of {count_of(len(claims), 'claim')} {'is' if len(off) == 1 else 'are'} off"
    verdict = f"{many}, the first: {off[0]}" if off else f"all {len(claims)} claims hold"
    lengths = [claim.off for claim in claims if claim.kind in ("flight", "gap", "continuity") and claim.unit == "m"]
    worst = f"; flights and touches are true to {_small(max(lengths))}" if lengths and not off else ""
    return f"measured  again, by code of its own: {verdict}{worst}"


def _meant(rollout: Rollout) -> dict[tuple[str, str], Event]:
    """Intended contacts that happen, by their names and kinds."""
    events = [event for event in rollout.events if event.intended and event.contact is not None]
    return {(str(event.contact), event.kind): event for event in events if event.kind in NOUNS}


def _place(rollout: Rollout, event: Event) -> Floats:
    return rollout.state(event.object, event.time).position


def _length(metres: float) -> str:
    return f"{1e2 * metres:.1f} cm" if metres >= 0.01 else f"{1e3 * metres:.1f} mm"


def _small(metres: float) -> str:
    for unit, factor in (("mm", 1e3), ("µm", 1e6), ("nm", 1e9)):
        if metres * factor >= 1.0:
            return f"{factor * metres:.1f} {unit}"
    return "1 nm"
