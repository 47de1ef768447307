"""What crosses over from the thread that owns the session to the window: immutable records, and nothing else."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hoi_edit.edit.document import Document
from hoi_edit.edit.report import Report
from hoi_edit.rollout import Rollout
from ui.timeline.lanes import LaneLayout


@dataclass(frozen=True, eq=False)
class Shown:
    """The document as the window sees it."""

    rollout: Rollout
    layout: LaneLayout
    document: Document
    labels: tuple[str, ...]
    now: int
    file: Path | None
    unsaved: bool
    muted: bool
    title: str
    script: str
    before: Rollout | None = None  # the one before the last edit
    residuals: tuple[float, ...] = ()  # of the constraints, in their order
    opened: int = 0  # how many documents were opened before this one
    serial: int = 0


@dataclass(frozen=True, eq=False)
class Live:
    """A drag as far as it is solved."""

    rollout: Rollout
    layout: LaneLayout
    report: Report
    origin: Rollout
    residuals: tuple[float, ...]
    moves: int
    problem: str = ""  # why what was asked for last cannot be
