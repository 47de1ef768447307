"""What has come of an edit, in numbers and plain words."""

from __future__ import annotations

import numpy as np

import hoi_edit as hoi
from hoi_edit.editing.document import Document
from hoi_edit.editing.report import Report
from hoi_edit.simulation import Rollout
from ui.shown import Level


def residuals(rollout: Rollout, document: Document) -> tuple[float, ...]:
    """How far each constraint is from being met [m], [m/s] or [rad]; not a number where it cannot be told."""
    found = []
    for own in document.constraints:
        try:
            found.append(max((float(rows.miss.max(initial=0.0)) for rows in own.rows(rollout)), default=0.0))
        except (hoi.HoiError, KeyError, ValueError):  # what it speaks of does not happen any more
            found.append(float("nan"))
    return tuple(found)


def far(residual: float, name: str = "") -> str:
    """How far something is from where it should be: an angle of a joint in degrees, everything else in centimetres."""
    turns = "." in name and not name.endswith("position")
    return f"{np.degrees(residual):.1f}°" if turns else f"{100 * residual:.1f} cm"


def told(report: Report, done: str | None, name: str = "") -> tuple[Level, str]:
    """A report in plain words; `name` is what was dragged, if it was."""
    if report.converged:
        changed = f" Changed as well: {', '.join(report.events_changed)}." if report.events_changed else ""
        return "good", (done or "Done.") + changed
    held = f" What holds it back: {', '.join(report.binding[:3])}." if report.binding else ""
    if report.holds:
        return "warning", f"It came as near as it can, {far(report.residual, name)} away.{held}"
    missed = ", ".join(list(report.missed)[:3])
    return "error", f"Nothing was changed, because it would break: {missed or 'something that is kept'}.{held}"
