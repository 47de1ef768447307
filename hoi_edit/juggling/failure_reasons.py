"""Why a pattern is not solved, in the words of jugglers: which balls meet, which throw is not caught, what binds."""

import re

from hoi_edit.edit.report import Report
from hoi_edit.juggling.performer import names
from hoi_edit.juggling.siteswap import HANDS
from hoi_edit.juggling.timing import Flight, Schedule
from hoi_edit.scene import Scene

MEETING = re.compile(r"(ball\d+) (?:clear of|hits) (ball\d+) at ([\d.]+) s")
TOUCHING = re.compile(r"(ball\d+) (?:clear of|hits) (.*/)?(\w+) at ([\d.]+) s")
CATCH = re.compile(r"(?:contact )?(catch\d+)(?:: .*)?")
QUICK = re.compile(r"acceleration of (?:(.*)/)?(right|left)_palm")


def reason(plan: Schedule, scene: Scene, report: Report, most: float) -> str:
    """What holds an edit back, the plainest of it: balls that meet, then what is touched, missed, or too quick."""
    said = (*report.binding, *report.missed, *report.events_changed)
    for pattern, words in (
        (MEETING, _meeting),
        (TOUCHING, _touching),
    ):
        for found in (pattern.fullmatch(own) for own in said):
            if found:
                return words(found)
    for found in (QUICK.fullmatch(own) for own in said):
        if found:
            return f"the {found[2]} hand would have to accelerate by more than {most:.4g} m/s²"
    for found in (CATCH.fullmatch(own) for own in said):
        if found:
            return missed_throw(plan, scene, found[1])
    return f"it is held back by {', '.join(said[:3]) or 'nothing that has a name'}"


def _meeting(found: re.Match[str]) -> str:
    return f"{found[1]} and {found[2]} meet at {found[3]} s, and nothing that the hands can do keeps them apart"


def _touching(found: re.Match[str]) -> str:
    other = found[3].replace("_", " ")
    return f"{found[1]} and the {other} meet at {found[4]} s, and nothing that the hands can do keeps them apart"


def missed_throw(plan: Schedule, scene: Scene, contact: str) -> str:
    """The throw that is to end in a catch."""
    own = scene.contact(contact)
    for flight in plan.flights:
        if f"ball{flight.ball + 1}" == own.object and abs(flight.catch - own.time) < 1e-6:
            return f"{throw_words(plan, flight)} does not get there"
    return f"{own.object} is not caught at {own.time:.2f} s"


def throw_words(plan: Schedule, flight: Flight) -> str:
    who, toss = names(plan.pattern.jugglers), flight.toss
    to = HANDS[toss.to_hand] + " hand" + (f" of {who[toss.to_juggler]}" if toss.is_pass else "")
    return (
        f"the {toss.height} of ball{flight.ball + 1} from the {HANDS[toss.hand]} hand of {who[toss.juggler]} at "
        f"{flight.release:.2f} s to the {to} at {flight.catch:.2f} s"
    )
