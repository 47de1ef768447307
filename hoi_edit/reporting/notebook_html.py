"""Tables for notebooks. Colours are the notebook's own, so that they read in the light and in the dark."""

from collections.abc import Sequence
from html import escape
from typing import TYPE_CHECKING, Any

from hoi_edit.reporting.words import not_happening, said, unsolved

if TYPE_CHECKING:
    from hoi_edit.edit.report import Report
    from hoi_edit.rollout import Rollout
    from hoi_edit.session.open_document import OpenDocument
    from hoi_edit.simulate.trajectory import Event

MOST_ROWS = 30
_CELL = "padding:2px 10px 2px 0;text-align:left;vertical-align:top;background:none;color:inherit"
_HEAD = f"{_CELL};font-weight:600;border-bottom:1px solid rgba(128,128,128,.5)"


def table(title: str, head: Sequence[str], rows: Sequence[Sequence[Any]], note: str = "") -> str:
    """A table under a title; long ones are cut, and say so."""
    shown, left = rows[:MOST_ROWS], len(rows) - MOST_ROWS
    if left > 0:
        note = f"{note + '; ' if note else ''}{left} more rows are not shown"
    parts = [
        '<div style="color:inherit;font-variant-numeric:tabular-nums">',
        f"<div><b>{escape(title)}</b></div>",
        '<table style="border-collapse:collapse;border:none">',
    ]
    if head:
        parts.append(f"<tr>{''.join(f'<th style={_quoted(_HEAD)}>{escape(name)}</th>' for name in head)}</tr>")
    parts += [
        f"<tr>{''.join(f'<td style={_quoted(_CELL)}>{escape(str(item))}</td>' for item in row)}</tr>" for row in shown
    ]
    parts.append("</table>")
    if note:
        parts.append(f'<div style="opacity:.7">{escape(note)}</div>')
    return "".join([*parts, "</div>"])


def _quoted(style: str) -> str:
    return f'"{style}"'


def session_table(session: "OpenDocument") -> str:
    scene = session.scene
    facts = [
        ("characters", ", ".join(f"{who.name} ({who.skeleton.n_dofs} DOFs)" for who in scene.characters) or "none"),
        ("things", ", ".join(thing.name for thing in scene.things) or "none"),
        ("time", f"{scene.start:g} to {scene.end:g} s"),
        ("control vector", f"n = {len(session.document.u):,}"),
        ("intended contacts", str(len(scene.contacts))),
        ("constraints", ", ".join(constraint.label for constraint in session.document.constraints) or "none"),
        *(("switched off", constraint.label) for constraint in session.document.switched_off),
        *(("physics is bent", str(bending)) for bending in session.bent),
        ("file", "none yet" if session.file is None else str(session.file)),
    ]
    steps = [
        (f"step {k}", step.label + ("" if k <= session.now else " (undone)")) for k, step in enumerate(session.history)
    ]
    notes = [
        *(["muted"] if session.muted else []),
        *not_happening(session.known_missed),
        *unsolved(scene),
        *session.not_reached,
    ]
    return table(f"session on {scene.name}", (), [*facts, *steps[1:]], "; ".join(notes))


def report_table(report: "Report") -> str:
    rows = [
        ("residual", f"{report.residual:.2g}"),
        ("steps", str(report.iterations)),
        ("held back by", ", ".join(said(report.binding)) or "nothing"),
        ("contacts changed", ", ".join(said(report.events_changed)) or "none"),
        *((f"missed: {owner}", f"by {off:.2g}") for owner, off in report.missed.items()),
    ]
    return table("converged" if report.converged else "not reached", (), rows)


def rollout_table(rollout: "Rollout") -> str:
    scene, events = rollout.model.scene, rollout.events
    meant = sum(event.intended for event in events)
    note = f"{meant} intended, {len(events) - meant} not; missed: {', '.join(rollout.missed) or 'none'}"
    note = "; ".join([note, *map(str, rollout.pushed)])
    head = ("time", "what", "thing", "with", "contact")
    return table(f"{scene.name}: {len(events)} events", head, [_event_row(event) for event in events], note)


def _event_row(event: "Event") -> tuple[str, ...]:
    contact = event.contact or "not intended"
    return f"{event.time:.4f} s", event.kind, event.object, event.other or "", contact
