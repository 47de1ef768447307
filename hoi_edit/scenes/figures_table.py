"""Verdicts for people, as a table that reads in a terminal and in Markdown; and for programs, as JSON."""

import json
from collections.abc import Callable, Iterable
from dataclasses import asdict
from pathlib import Path

import numpy as np

from hoi_edit.scenes.scene_figures import SceneFigures
from kinematics.errors import HoiError

COLUMNS: tuple[tuple[str, Callable[[SceneFigures], str]], ...] = (
    ("scene   ", lambda figures: figures.scene),
    ("DOFs", lambda figures: str(figures.dofs)),
    ("    n", lambda figures: str(figures.n)),
    ("events", lambda figures: str(figures.events)),
    ("constraints", lambda figures: str(figures.constraints)),
    ("steps", lambda figures: str(figures.steps)),
    ("residual", lambda figures: f"{figures.constraint_residual:.0e}"),
    ("physics", lambda figures: f"{figures.physics_residual:.0e}"),
    ("limits", lambda figures: "kept" if figures.limits_kept else "broken"),
    ("feet, dragged [mm]", lambda figures: f"{1e3 * figures.foot_slide:.1f}, {1e3 * figures.foot_slide_dragged:.1f}"),
    ("hands [m/s²]", lambda figures: f"{figures.hand_acceleration:.0f}"),
    ("step, p95 [ms]", lambda figures: f"{1e3 * figures.step_median:.0f}, {1e3 * figures.step_p95:.0f}"),
    ("body [°, cm]", lambda figures: f"{np.rad2deg(figures.body_angle):.1f}, {1e2 * figures.body_distance:.1f}"),
    ("collisions", lambda figures: str(figures.collisions)),
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
        path.write_text(json.dumps([asdict(figures) for figures in verdicts], indent=2) + "\n")
    except OSError as error:
        raise HoiError(f"{path}: figures cannot be written there ({error.strerror})") from None
