"""Why a pattern is not solved, in the words of jugglers: which balls meet, which throw is not caught, what binds."""

from hoi_edit.edit.report import Report
from hoi_edit.juggling.performer import names
from hoi_edit.juggling.siteswap import HANDS
from hoi_edit.juggling.timing import Flight, Schedule
from hoi_edit.reporting.findings import Finding
from hoi_edit.reporting.words import said
from hoi_edit.scene import Scene


def reason(plan: Schedule, scene: Scene, report: Report, most: float) -> str:
    """What holds an edit back, the plainest of it: balls that meet, then what is touched, missed, or too quick."""
    findings = (*report.binding, *report.missed, *report.events_changed)
    balls = {thing.name for thing in scene.things}
    meetings = [finding for finding in findings if finding.kind in ("clear", "hits")]
    if meetings:
        first = min(meetings, key=lambda finding: finding.partner not in balls)
        return _meeting(first, first.partner if first.partner in balls else f"the {_spoken(first.partner)}")
    for finding in findings:
        if finding.kind == "acceleration":
            return f"the {_hand(finding.name)} would have to accelerate by more than {most:.4g} m/s²"
    catches = {contact.id for contact in scene.contacts}
    for finding in findings:
        for contact in _catches(finding):
            if contact in catches:
                return missed_throw(plan, scene, contact)
    return f"it is held back by {', '.join(said(findings)[:3]) or 'nothing that has a name'}"


def _meeting(finding: Finding, other: str) -> str:
    what = f"{finding.name} and {other} meet at {finding.time:.2f} s"
    return f"{what}, and nothing that the hands can do keeps them apart"


def _spoken(part: str) -> str:
    """A part of a body, or a fixture, without whose it is."""
    return part.rpartition("/")[2].replace("_", " ")


def _hand(palm: str) -> str:
    return f"{_spoken(palm).removesuffix(' palm')} hand"


def _catches(finding: Finding) -> tuple[str, ...]:
    """The catches that a finding says do not come about."""
    return (finding.name,) if finding.kind in ("contact", "undeclared", "lost by it") else finding.contacts


def missed_throw(plan: Schedule, scene: Scene, contact: str) -> str:
    """The throw that is to end in a catch."""
    catch = scene.contact(contact)
    for flight in plan.flights:
        if f"ball{flight.ball + 1}" == catch.object and abs(flight.catch - catch.time) < 1e-6:
            return f"{throw_words(plan, flight)} does not get there"
    return f"{catch.object} is not caught at {catch.time:.2f} s"


def throw_words(plan: Schedule, flight: Flight) -> str:
    who, toss = names(plan.pattern.jugglers), flight.toss
    to = HANDS[toss.to_hand] + " hand" + (f" of {who[toss.to_juggler]}" if toss.is_pass else "")
    return (
        f"the {toss.height} of ball{flight.ball + 1} from the {HANDS[toss.hand]} hand of {who[toss.juggler]} at "
        f"{flight.release:.2f} s to the {to} at {flight.catch:.2f} s"
    )
