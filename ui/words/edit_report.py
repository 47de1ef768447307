"""What has come of an edit, in numbers and plain words."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import numpy as np

import hoi_edit as hoi
from hoi_edit.edit.document import Document
from hoi_edit.edit.report import Report
from hoi_edit.reporting.findings import Finding
from hoi_edit.rollout import Rollout
from ui.words import finding_names as findings_words
from ui.words.messages import Level
from ui.words.names import NOTHING, distance


def residuals(rollout: Rollout, document: Document) -> tuple[float, ...]:
    """How far each constraint is from being met [m], [m/s] or [rad]; not a number where it cannot be told."""
    misses = []
    for constraint in document.constraints:
        try:
            misses.append(max((float(rows.miss.max(initial=0.0)) for rows in constraint.rows(rollout)), default=0.0))
        except (hoi.HoiError, KeyError, ValueError):  # what it speaks of does not happen any more
            misses.append(float("nan"))
    return tuple(misses)


def far(residual: float, name: str = "", turned: bool = False) -> str:
    """How far something is from where it should be: an angle in degrees, of a joint or of a thing that is turned,
    everything else as a length."""
    turns = turned or ("." in name and not name.endswith("position"))
    return f"{np.degrees(residual):.1f}°" if turns else distance(residual)


def to_go(report: Report, name: str, turned: bool = False) -> str:
    """How far a drag is, in a sentence."""
    if report.converged:
        return "Everything is met."
    return "Almost there." if report.residual < NOTHING else f"{_left(report, name, turned)} to go."


def _left(report: Report, name: str, turned: bool = False) -> str:
    """What is left of the way, or of the time."""
    return f"{report.residual:.2f} s" if report.timed else far(report.residual, name, turned)


def told(
    report: Report, done: str | None, name: str = "", rollout: Rollout | None = None, turned: bool = False
) -> tuple[Level, str]:
    """A report in plain words; `name` is what was dragged, or turned, if it was, and `rollout` what came of it."""
    if report.converged:
        changed = f" Changed as well: {listed(report.events_changed, rollout)}." if report.events_changed else ""
        return "good", (done or "Done.") + changed
    held = f" What holds it back: {listed(report.binding[:3], rollout)}." if report.binding else ""
    if report.holds:
        away = "almost there" if report.residual < NOTHING else f"{_left(report, name, turned)} away"
        return "warning", f"It came as near as it can, {away}.{held}"
    missed = listed(list(report.missed)[:3], rollout)
    return "error", f"Nothing was changed, because it would break: {missed or 'something that is kept'}.{held}"


def listed(findings: Iterable[Finding], rollout: Rollout | None) -> str:
    """In the words of the timeline; what would be said twice is said once."""
    return ", ".join(dict.fromkeys(findings_words.told(finding, rollout) for finding in findings))


def fitted(words: str, room: float, width: Callable[[str], float]) -> str:
    """As much of a sentence as there is room for, whole words from its beginning on, and a sign that there is more."""
    if width(words) <= room:
        return words
    cut = [k for k, letter in enumerate(words) if letter == " "]
    low, high = 0, len(cut)  # how many words surely fit, and how many do not
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if width(f"{words[: cut[middle]]} …") <= room else (low, middle)
    return f"{words[: cut[low]]} …" if cut else words
