"""All that is checked about a document, one after the other."""

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from hoi_edit.verify.measure import Measure, summary
from hoi_edit.verify.physics import physics
from hoi_edit.verify.record import Record

if TYPE_CHECKING:
    from hoi_edit.session import EditSession


def measures(session: "EditSession") -> Iterator[Measure]:
    record = Record.of(session.point.rollout)
    yield from physics(record)


def verify(session: "EditSession", say: Callable[[str], None]) -> bool:
    """Says a line for everything that is off, and a summary; True if all is well."""
    found = list(measures(session))
    off = [own for own in found if own.is_off]
    for own in off:
        say(str(own))
    say(f"{'off' if off else 'all is well'}: {len(found)} claims checked, {len(off)} off; worst: {summary(found)}")
    return not off
