"""All that is checked about a document, one after the other."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hoi_edit.verify.check_report import report_lines
from hoi_edit.verify.constraint_checks import promises
from hoi_edit.verify.gradient_checks import gradients
from hoi_edit.verify.lock_checks import locks
from hoi_edit.verify.measure import Measure
from hoi_edit.verify.penetration_checks import penetration
from hoi_edit.verify.performance import PerformanceRecord
from hoi_edit.verify.physics_checks import physics

if TYPE_CHECKING:
    from hoi_edit.session import EditSession


def measures(session: "EditSession") -> Iterator[Measure]:
    record = PerformanceRecord.of(session.iterate.rollout)
    yield from physics(record)
    yield from penetration(record)
    yield from promises(record, session.document.constraints, session.document.loose)
    yield from locks(session.history[: session.now + 1])
    yield from gradients(session, record)


def verify(session: "EditSession", say: Callable[[str], None]) -> bool:
    """Says what was checked, line by line, and what is wrong first; True if all is well."""
    checked = list(measures(session))
    for line in report_lines(checked):
        say(line)
    return not any(measure.is_off for measure in checked)
