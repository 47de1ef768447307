"""Verdicts for people, as a table that reads in a terminal and in Markdown; and for programs, as JSON."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from hoi_edit.scenes.scene_figures import SceneFigures
from kinematics.errors import HoiError

COLUMNS: tuple[tuple[str, Callable[[SceneFigures], str]], ...] = (
    ("scene   ", lambda own: own.scene),
    ("DOFs", lambda own: str(own.dofs)),
    ("    n", lambda own: str(own.n)),
    ("events", lambda own: str(own.events)),
    ("constraints", lambda own: str(own.constraints)),
    ("steps", lambda own: str(own.steps)),
    ("residual", lambda own: f"{own.constraint_residual:.0e}"),
    ("physics", lambda own: f"{own.physics_residual:.0e}"),
    ("limits", lambda own: "kept" if own.limits_kept else "broken"),
    ("feet, dragged [mm]", lambda own: f"{1e3 * own.foot_slide:.1f}, {1e3 * own.foot_slide_dragged:.1f}"),
    ("hands [m/s²]", lambda own: f"{own.hand_acceleration:.0f}"),
    ("step, p95 [ms]", lambda own: f"{1e3 * own.step_median:.0f}, {1e3 * own.step_p95:.0f}"),
    ("body [°, cm]", lambda own: f"{np.rad2deg(own.body_angle):.1f}, {1e2 * own.body_distance:.1f}"),
    ("collisions", lambda own: str(own.collisions)),
)


def head() -> str:
    names = [name for name, _ in COLUMNS]
    return f"{_line(names)}\n|{'|'.join('-' * (len(name) + 2) for name in names)}|"


def row(verdict: SceneFigures) -> str:
    return _line([form(verdict).rjust(len(name)) if k else verdict.scene.ljust(len(name))
                  for k, (name, form) in enumerate(COLUMNS)])  # fmt: skip


def _line(cells: Iterable[str]) -> str:
    return f"| {' | '.join(cells)} |"


def write_json(verdicts: Iterable[SceneFigures], path: Path) -> None:
    """All figures, in SI units."""
    try:
        path.write_text(json.dumps([asdict(own) for own in verdicts], indent=2) + "\n")
    except OSError as error:
        raise HoiError(f"{path}: figures cannot be written there ({error.strerror})") from None
