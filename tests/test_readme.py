"""What the README and the examples tell people to type is typed here."""

import ast
import re
import runpy
import textwrap
from pathlib import Path

import numpy as np
import pytest

from hoi_edit.editing.report import Report
from hoi_edit.resources import clip_path
from kinematics.io import read_bvh

REPOSITORY = Path(__file__).resolve().parent.parent


def test_the_python_of_the_readme_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    readme = (REPOSITORY / "README.md").read_text(encoding="utf-8")
    blocks = re.findall(
        r"(?:\n\n)((?:    (?:import|from) .*\n)(?:    .*\n|\n)+)", readme.partition("## From Python")[2]
    )
    assert len(blocks) == 2
    code = "\n".join(textwrap.dedent(block) for block in blocks).replace("RightForeArm", "right_forearm")
    (tmp_path / "my.bvh").write_bytes(clip_path("juggling_mime").read_bytes())
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    exec(compile(code, "README.md", "exec"), names)
    before, after = read_bvh("my.bvh", raw=True).source_rows, read_bvh("edited.bvh", raw=True).source_rows
    assert before is not None and after is not None
    assert len(np.flatnonzero((before != after).any(axis=0))) == 1
    J = names["J"]
    assert isinstance(J, np.ndarray) and J.shape == (6, 4367)


def test_the_first_listing_about_edits_does_what_it_says(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Every edit of it arrives: none contradicts one before."""
    text = (REPOSITORY / "docs" / "EDITING.md").read_text(encoding="utf-8")
    found = re.search(r"\n\n((?:    .*\n|\n)+)", text)
    assert found is not None
    (tmp_path / "walk.bvh").write_bytes(clip_path("stand_mime").read_bytes())
    monkeypatch.chdir(tmp_path)
    names: dict[str, object] = {}
    reports = []
    for statement in ast.parse(textwrap.dedent(found[1])).body:
        if isinstance(statement, ast.Expr):
            value = eval(compile(ast.Expression(statement.value), "EDITING.md", "eval"), names)
            reports += [value] if isinstance(value, Report) else []
        else:
            exec(compile(ast.Module([statement], []), "EDITING.md", "exec"), names)
    assert len(reports) == 9 and all(report.converged for report in reports), reports
    assert (tmp_path / "a.hoi").exists()


def test_the_example_runs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.argv", ["bend_an_elbow.py"])
    runpy.run_path(str(REPOSITORY / "examples" / "bend_an_elbow.py"), run_name="__main__")
    assert "cm higher" in capsys.readouterr().out
    assert (tmp_path / "juggling_mime_bent.bvh").exists()
