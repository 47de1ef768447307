"""What became of an edit, as findings and numbers."""

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field, replace

from hoi_edit.reporting import notebook_html as html
from hoi_edit.reporting.findings import Finding
from hoi_edit.reporting.words import said, some_of
from hoi_edit.rollout import Rollout
from hoi_edit.scene import Scene


@dataclass(frozen=True, eq=False)
class Report:
    """What became of an edit."""

    converged: bool
    residual: float  # [m], [m/s] or [rad]: the worst of any row
    iterations: int
    binding: tuple[Finding, ...] = ()  # what holds it back, strongest first
    events_changed: tuple[Finding, ...] = ()  # contacts that came, went or were not intended
    missed: Mapping[Finding, float] = field(default_factory=dict)  # what is not met, and by how much
    wishes: frozenset[Finding] = frozenset()  # owners of rows that give way, such as a drag's
    timed: bool = False  # what was wished for is a time: the residual is in seconds
    unchanged: bool = False  # it left everything as it was, so there is nothing to undo
    approached: bool = False  # in a few steps: `session.refine` looks further
    goes_on: bool = False  # of a gesture that is not over: nothing is decided yet

    def __post_init__(self) -> None:
        """A wish does not hold itself back."""
        object.__setattr__(self, "binding", tuple(finding for finding in self.binding if finding not in self.wishes))

    @property
    def holds(self) -> bool:
        """Whether everything that is kept holds, be the drag itself where it was to be or only near."""
        return self.converged or self.wishes.issuperset(self.missed)

    @property
    def refused(self) -> "Report":
        """The same of an edit that was given up: nothing has changed, whatever it would have led to."""
        return replace(self, unchanged=True, events_changed=())

    def __repr__(self) -> str:
        return f"<{self.in_words}>"

    @property
    def in_words(self) -> str:
        """On one line."""
        state = "converged" if self.converged else "not reached"
        held = f", held back by {', '.join(said(self.binding))}" if self.binding else ""
        changed = f", changed: {some_of(said(self.events_changed))}" if self.events_changed else ""
        if self.goes_on:
            changed += "" if self.holds else ", still on its way"
        elif self.unchanged or not self.holds:
            changed = ", so nothing was changed"
        elif self.approached:
            changed += "; session.refine() looks further"
        return f"{state} in {self.iterations} steps, residual {self.residual:.2g}{held}{changed}"

    def _repr_html_(self) -> str:
        return html.report_table(self)


NOTHING = Report(True, 0.0, 0, unchanged=True)  # of an edit that asked for what is so already


def only_declared(scene: Scene) -> tuple[Finding, ...]:
    """One finding about contacts that are only declared, none if there are none."""
    ids = tuple(contact.id for contact in scene.contacts if contact.declared)
    return (Finding("declared", contacts=ids),) if ids else ()


def changes(before: Rollout, after: Rollout, but: Collection[str] = ()) -> tuple[Finding, ...]:
    """Contacts that came or went; `but` for those of some contacts and things, of which everybody knows."""
    lost = [Finding("lost", contact) for contact in before.happened if contact not in (*after.happened, *but)]
    gained = [Finding("found", contact) for contact in after.happened if contact not in (*before.happened, *but)]
    was = [(event.object, event.other) for event in before.events if event.hits_by_chance]
    now = [event for event in after.events if event.hits_by_chance]
    extra = []
    for event in now:
        if (event.object, event.other) in was:
            was.remove((event.object, event.other))
        else:
            extra.append(Finding("hits", event.object, str(event.other), float(event.time)))
    known = [(thing, other) for thing, other in was if {thing, str(other).partition("/")[0]} & set(but)]
    gone = [Finding("no longer hits", thing, str(other)) for thing, other in was if (thing, other) not in known]
    return (*lost, *gained, *extra, *dict.fromkeys(gone))  # be that once or as often as a ball bounces
